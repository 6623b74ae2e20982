/**
 * Runs the relay and the dispatcher of this process for the accounts of one mode. Commits wake both; both also poll.
 */
import type { Logger } from 'pino';
import { atMostEvery } from '../base/concurrency/at-most-every.ts';
import { type RepeatOptions, repeat } from '../resolvers/engine/repeat.ts';
import type { Services } from '../resolvers/services/context.ts';
import { modeFinder } from '../store/account/accounts.ts';
import { createDispatcher, type Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { createNotificationSender } from './notifications.ts';
import { createRelay } from './relay.ts';
import { createSampler } from './samples.ts';

/** Options of a webhook worker. */
export type WebhookOptions = DispatcherOptions;

/** A running webhook worker. */
export interface WebhookWorker {
  /** Starts no new request, and waits for running ones. */
  readonly stop: () => Promise<void>;
}

/** Poll interval, for retries that become due and for commits of other processes. Unit: ms. */
const POLL_MS = 1_000;
/** Poll interval of notifications, which no commit wakes. Unit: ms. */
const NOTIFICATIONS_MS = 5_000;
/** Minimum interval between scans triggered by notifications. Unit: ms. */
const WAKE_EVERY_MS = 50;
/** Notifications within 5 ms are handled together. After an error the worker pauses for 300 ms. */
const REPEAT: RepeatOptions = { gatherMs: 5, failedMs: 300, complaint: 'webhooks have to wait' };

/** Services that the worker needs. */
export type WebhookServices = Pick<Services, 'database' | 'clock' | 'notifier' | 'mode' | 'secrets'>;

/**
 * Starts the relay and the dispatcher of this process for the accounts of a mode. Several processes may work on one
 * database.
 */
export function startWebhooks(
  services: WebhookServices,
  log: Logger,
  options: WebhookOptions,
): WebhookWorker {
  const stopping = new AbortController();
  const ending = new AbortController();
  const dispatcher = createDispatcher(services, log, { ...options, stop: stopping.signal });
  const dispatching = repeat(stopping.signal, log, REPEAT, () => dispatch(dispatcher));
  const relay = createRelay(services, log);
  const relaying = repeat(stopping.signal, log, REPEAT, async () => {
    const { deliveries, waitMs } = await relay.cycle();
    if (deliveries > 0) dispatching.wake();
    return waitMs;
  });
  const tending = repeat(ending.signal, log, REPEAT, async () => {
    await dispatcher.tend();
    return POLL_MS;
  });
  const sampler = createSampler(services, log, options);
  const sampling = repeat(stopping.signal, log, REPEAT, async () => ((await sampler.cycle()) ? 0 : POLL_MS));
  const notifications = createNotificationSender(services, log, options);
  const notifying = repeat(stopping.signal, log, REPEAT, async () =>
    (await notifications.cycle()) ? 0 : NOTIFICATIONS_MS,
  );
  dispatcher.onEnded(dispatching.wake);
  sampler.onEnded(sampling.wake);
  notifications.onEnded(notifying.wake);
  /** The sandbox clock may have moved, or a redelivery or test was requested, so deliveries may be due now. */
  const poll = atMostEvery(WAKE_EVERY_MS, () => {
    dispatching.wake();
    sampling.wake();
  });
  const modeOf = modeFinder(services.database);
  /** Accounts of the other mode belong to another worker; an unknown account is checked again later. */
  const isOwn = async (accountId: bigint) =>
    (await modeOf(accountId).catch(() => services.mode)) === services.mode;
  services.notifier.onWork(async (accountIds, { mayBeDue }) => {
    const own: bigint[] = [];
    for (const accountId of accountIds) if (await isOwn(accountId)) own.push(accountId);
    if (own.length === 0) return;
    relay.noteEvents(own);
    relaying.wake();
    if (mayBeDue) poll();
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([relaying.done, dispatching.done, sampling.done, notifying.done]);
      await Promise.all([dispatcher.idle(), sampler.idle(), notifications.idle()]);
      ending.abort();
      await tending.done;
    },
  };
}

async function dispatch(dispatcher: Dispatcher): Promise<number> {
  return (await dispatcher.cycle()) ? 0 : POLL_MS;
}

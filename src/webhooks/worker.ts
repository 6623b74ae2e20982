/** Runs relay and dispatcher of this process for the accounts of one mode. Commits wake them; they also poll. */
import type { Logger } from 'pino';
import { atMostEvery } from '../base/concurrency/at-most-every.ts';
import { type RepeatOptions, repeat } from '../resolvers/engine/repeat.ts';
import type { Services } from '../resolvers/services/context.ts';
import { modeFinder } from '../store/account/accounts.ts';
import { createDispatcher, type Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { sendNotifications } from './notifications.ts';
import { createRelay } from './relay.ts';
import { sendSamples } from './samples.ts';

/** Options of the webhooks of a process. */
export type WebhookOptions = DispatcherOptions;

/** Webhooks that run until they are stopped. */
export interface WebhookWorker {
  /** Starts nothing new, and waits for requests that are under way. */
  readonly stop: () => Promise<void>;
}

/** Poll interval, for retries that become due and for commits of other processes. Unit: ms. */
const POLL_MS = 1_000;
/** Poll interval of notifications for people, which nothing wakes. Unit: ms. */
const NOTIFICATIONS_MS = 5_000;
/** Minimum interval of scans that notifications trigger. Unit: ms. */
const WAKE_EVERY_MS = 50;
/** Notifications within 5 ms are handled together. After an error the database gets 0.3 s of rest. */
const REPEAT: RepeatOptions = { gatherMs: 5, failedMs: 300, complaint: 'webhooks have to wait' };

/** The services that webhooks use. */
export type WebhookServices = Pick<Services, 'database' | 'clock' | 'notifier' | 'mode' | 'secrets'>;

/** Starts relay and dispatcher of this process for the accounts of a mode. Several processes may work on one database. */
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
  const sampling = repeat(stopping.signal, log, REPEAT, async () =>
    (await sendSamples(services, log, options)) ? 0 : POLL_MS,
  );
  const notifying = repeat(stopping.signal, log, REPEAT, async () =>
    (await sendNotifications(services, log, options)) ? 0 : NOTIFICATIONS_MS,
  );
  dispatcher.onEnded(dispatching.wake);
  /** The sandbox clock may have moved, or a redelivery or a test was requested: something may be due now. */
  const poll = atMostEvery(WAKE_EVERY_MS, () => {
    dispatching.wake();
    sampling.wake();
  });
  const modeOf = modeFinder(services.database);
  /** Accounts of the other mode have webhooks of their own; an unknown account is checked later. */
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
      await dispatcher.idle();
      ending.abort();
      await tending.done;
    },
  };
}

async function dispatch(dispatcher: Dispatcher): Promise<number> {
  return (await dispatcher.cycle()) ? 0 : POLL_MS;
}

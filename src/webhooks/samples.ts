/**
 * Sends sample events for tests of an endpoint, each once and marked as a test. Samples are independent of the order of
 * events; accounts take turns, so that no account waits for the receivers of another.
 */
import type { Logger } from 'pino';
import { sampleWebhookId } from '../events/webhook-id.ts';
import type { Services } from '../resolvers/services/context.ts';
import { type ClaimedSample, claimSamples, endSample } from '../store/webhooks/samples.ts';
import { attemptApart } from './attempt-apart.ts';
import type { DispatcherOptions } from './dispatcher.ts';

type SampleServices = Pick<Services, 'database' | 'clock' | 'mode' | 'secrets'>;

/** Sends waiting sample events. */
export interface Sampler {
  /** Starts as many waiting events as fit. @returns whether any were found; if so, more may wait. */
  readonly cycle: () => Promise<boolean>;
  /** Sets a listener that is called when an attempt ends, because another event may have waited for its slot. */
  readonly onEnded: (listener: () => void) => void;
  /** Waits until all running attempts have ended. */
  readonly idle: () => Promise<void>;
}

/** Number of sample events that one process sends in parallel. */
const RUNNING_MAX = 32;

/** @returns a sender of sample events; it sends nothing before its first cycle. */
export function createSampler(
  services: SampleServices,
  log: Logger,
  options: Pick<DispatcherOptions, 'allowsLoopback' | 'timeoutMs'>,
): Sampler {
  const { database, clock, mode } = services;
  const running = new Map<Promise<void>, bigint>();
  let ended = () => {};
  const send = async (sample: ClaimedSample): Promise<void> => {
    const id = sampleWebhookId(sample.token);
    const headers = { 'crossramp-test': 'true' };
    const webhook = { ...sample, id, body: sample.payload, attempt: 1, headers };
    await endSample(database, sample, await attemptApart(services, webhook, options));
  };
  return {
    cycle: async () => {
      const room = RUNNING_MAX - running.size;
      if (room === 0) return false;
      const sending = [...running.values()];
      const claimed = await claimSamples(database, mode, new Date(await clock.nowMs()), { room, sending });
      for (const sample of claimed) {
        const work = send(sample)
          .catch((error) => log.warn({ err: error }, 'the outcome of a webhook test could not be stored'))
          .finally(() => {
            running.delete(work);
            ended();
          });
        running.set(work, sample.accountId);
      }
      return claimed.length > 0;
    },
    onEnded: (listener) => {
      ended = listener;
    },
    idle: async () => {
      await Promise.all(running.keys());
    },
  };
}

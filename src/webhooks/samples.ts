/**
 * Sends sample events for tests of an endpoint, each once and marked as a test. Samples are independent of the order of
 * events; accounts take turns, so that no account waits for the receivers of another.
 */
import type { Logger } from 'pino';
import { sampleWebhookId } from '../events/webhook-id.ts';
import type { Services } from '../resolvers/services/context.ts';
import { type ClaimedSample, claimSamples, endSample } from '../store/webhooks/samples.ts';
import { type ApartSender, createApartSender } from './apart-sender.ts';
import { attemptApart } from './attempt-apart.ts';
import type { DispatcherOptions } from './dispatcher.ts';

/** @returns a sender of sample events. */
export function createSampler(
  services: Pick<Services, 'database' | 'clock' | 'mode' | 'secrets'>,
  log: Pick<Logger, 'warn'>,
  options: Pick<DispatcherOptions, 'allowsLoopback' | 'timeoutMs'>,
): ApartSender {
  const { database, clock, mode } = services;
  return createApartSender<ClaimedSample>(
    {
      claim: async ({ room, sending }) =>
        claimSamples(database, mode, new Date(await clock.nowMs()), {
          room,
          sending: sending.map(({ accountId }) => accountId),
        }),
      send: async (sample) => {
        const id = sampleWebhookId(sample.token);
        const headers = { 'crossramp-test': 'true' };
        const webhook = { ...sample, id, body: sample.payload, attempt: 1, headers };
        await endSample(database, sample, await attemptApart(services, webhook, options));
      },
      complaint: 'the outcome of a webhook test could not be stored',
    },
    log,
  );
}

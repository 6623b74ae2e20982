/** Sends made-up events, each once, marked as tests. They are in no queue: nothing waits for them, and they wait for nothing. */
import type { Logger } from 'pino';
import { sampleWebhookId } from '../events/webhook-id.ts';
import type { Services } from '../resolvers/services/context.ts';
import { claimSamples, endSample } from '../store/webhooks/samples.ts';
import { attemptApart } from './attempt-apart.ts';
import type { DispatcherOptions } from './dispatcher.ts';

type SampleServices = Pick<Services, 'database' | 'clock' | 'mode' | 'secrets'>;

/** Sends the made-up events that wait. @returns whether there were any, so that more may wait. */
export async function sendSamples(
  services: SampleServices,
  log: Logger,
  options: Pick<DispatcherOptions, 'allowsLoopback' | 'timeoutMs'>,
): Promise<boolean> {
  const { database, clock, mode } = services;
  const claimed = await claimSamples(database, mode, new Date(await clock.nowMs()));
  const ended = claimed.map(async (sample) => {
    const id = sampleWebhookId(sample.token);
    const webhook = {
      ...sample,
      id,
      body: sample.payload,
      attempt: 1,
      headers: { 'crossramp-test': 'true' },
    };
    await endSample(database, sample, await attemptApart(services, webhook, options));
  });
  for (const each of await Promise.allSettled(ended))
    if (each.status === 'rejected')
      log.warn({ err: each.reason }, 'the outcome of a webhook test could not be stored');
  return claimed.length > 0;
}

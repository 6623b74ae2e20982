/** Sends made-up events, each once, marked as tests. They are in no queue: nothing waits for them, and they wait for nothing. */
import type { Logger } from 'pino';
import { SecretKeyError } from '../base/access/secret-box.ts';
import { sampleWebhookId } from '../events/webhook-id.ts';
import type { Services } from '../resolvers/services/context.ts';
import {
  type ClaimedSample,
  claimSamples,
  endSample,
  type SampleOutcome,
} from '../store/webhooks/samples.ts';
import { secretOwner } from '../store/webhooks/sealed-secrets.ts';
import type { DispatcherOptions } from './dispatcher.ts';
import { sendWebhook } from './send.ts';
import { webhookHeaders } from './sign.ts';

type SampleServices = Pick<Services, 'database' | 'clock' | 'mode' | 'secrets'>;

/** Sends the made-up events that wait. @returns whether there were any, so that more may wait. */
export async function sendSamples(
  services: SampleServices,
  log: Logger,
  options: Pick<DispatcherOptions, 'allowsLoopback' | 'timeoutMs'>,
): Promise<boolean> {
  const { database, clock, mode } = services;
  const claimed = await claimSamples(database, mode, new Date(await clock.nowMs()));
  const ended = claimed.map(async (sample) =>
    endSample(database, sample, await attempt(services, sample, options)),
  );
  for (const each of await Promise.allSettled(ended))
    if (each.status === 'rejected') log.warn({ err: each.reason }, 'a test of a webhook could not be ended');
  return claimed.length > 0;
}

async function attempt(
  { secrets: box, database }: SampleServices,
  sample: ClaimedSample,
  { allowsLoopback: rule, timeoutMs }: Pick<DispatcherOptions, 'allowsLoopback' | 'timeoutMs'>,
): Promise<SampleOutcome> {
  const { accountId, endpointId, secretsId, signingKey, payload: body } = sample;
  try {
    const headers = webhookHeaders({
      id: sampleWebhookId(sample.token),
      at: new Date(database.nowMs()),
      secrets: sample.secrets.map((secret) => box.open(secret, secretOwner(accountId, secretsId))),
      signingKey: signingKey === null ? undefined : box.open(signingKey, secretOwner(accountId, endpointId)),
      ...{ body, eventName: sample.eventName, sequence: 1, attempt: 1 },
    });
    return await sendWebhook({
      url: sample.url,
      headers: { ...headers, 'crossramp-test': 'true' },
      body,
      ...(timeoutMs !== undefined && { timeoutMs }),
      allowsLoopback: typeof rule === 'boolean' ? rule : await rule(),
    });
  } catch (error) {
    if (error instanceof SecretKeyError) throw error;
    return { durationMs: 0, status: null, error: `FAILED: ${(error as Error).message}`, answer: null };
  }
}

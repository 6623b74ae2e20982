/**
 * One attempt to send a webhook without a delivery row: a sample event or a notification. Such webhooks are signed and
 * guarded like all others.
 */
import { SecretKeyError } from '../base/access/secret-box.ts';
import type { Services } from '../resolvers/services/context.ts';
import { secretOwner } from '../store/webhooks/sealed-secrets.ts';
import type { DispatcherOptions } from './dispatcher.ts';
import { sendWebhook, type WebhookOutcome } from './send.ts';
import { webhookHeaders } from './sign.ts';

/** Content and receiver. */
export interface ApartWebhook {
  /** Id for receivers; the same for each attempt. */
  readonly id: string;
  readonly eventName: string;
  readonly body: string;
  readonly attempt: number;
  readonly accountId: bigint;
  readonly endpointId: string;
  readonly url: string;
  /** Secret form of the Ed25519 key, sealed; null if the endpoint has none. */
  readonly signingKey: string | null;
  /** Id under which the secrets of the endpoint are stored. */
  readonly secretsId: string;
  /** Sealed secrets of the endpoint, the newest first. */
  readonly secrets: readonly string[];
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the outcome. @throws {SecretKeyError} where the key of the secrets is missing. */
export async function attemptApart(
  { secrets: box, database }: Pick<Services, 'database' | 'secrets'>,
  { id, eventName, body, attempt, accountId, endpointId, ...webhook }: ApartWebhook,
  { allowsLoopback: rule, timeoutMs }: Pick<DispatcherOptions, 'allowsLoopback' | 'timeoutMs'>,
): Promise<WebhookOutcome> {
  const { url, signingKey, secretsId, secrets, headers: further = {} } = webhook;
  try {
    const headers = webhookHeaders({
      ...{ id, body, eventName, attempt, sequence: 1 },
      at: new Date(database.nowMs()),
      secrets: secrets.map((secret) => box.open(secret, secretOwner(accountId, secretsId))),
      signingKey: signingKey === null ? undefined : box.open(signingKey, secretOwner(accountId, endpointId)),
    });
    return await sendWebhook({
      ...{ url, body, headers: { ...headers, ...further } },
      ...(timeoutMs !== undefined && { timeoutMs }),
      allowsLoopback: typeof rule === 'boolean' ? rule : await rule(),
    });
  } catch (error) {
    if (error instanceof SecretKeyError) throw error;
    const failure = `FAILED: ${(error as Error).message}`;
    return { durationMs: 0, status: null, error: failure, answer: null, retryAfter: null };
  }
}

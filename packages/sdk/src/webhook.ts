/** Signatures of webhooks (Standard Webhooks), checked with WebCrypto. */
import type { EventName, GatewayEvent } from './event.ts';
import { parseExact } from './exact.ts';
import type { NotificationName } from './generated/rest.ts';
import { CrossrampError } from './refusal.ts';

interface Delivery {
  /** The same for every attempt of one event: store it, and process it once. */
  readonly id: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Whether it was sent as a test. */
  readonly isTest: boolean;
}

/** A webhook whose signature is right. */
export type WebhookEvent<Name extends EventName = EventName> = {
  readonly [Each in Name]: Pick<GatewayEvent<Each>, 'name' | 'sequence' | 'transaction'> & Delivery;
}[Name];

/** A notification of the account, for endpoints whose `event_names` name it: it has no transaction. */
export interface WebhookNotification extends Delivery {
  readonly name: NotificationName;
  readonly sequence: 1;
  readonly notification: {
    readonly event: NotificationName;
    readonly account: { readonly id: string; readonly name: string };
    /** Id or name of the object that it is about. */
    readonly subject: string;
    /** Name of the key, or host of the endpoint; null for other kinds. */
    readonly name: string | null;
    /** Counts are decimal text. */
    readonly facts: Readonly<Record<string, string>>;
    readonly created_at: string;
  };
}

/** Header fields as `fetch`, Node and frameworks have them. */
export type WebhookHeaders =
  | Iterable<[name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request as it came. */
export interface WebhookRequest {
  /** `whsec_…` of the endpoint, or its public key `whpk_…`; several where one is being replaced. */
  readonly secret: string | readonly string[];
  readonly headers: WebhookHeaders;
  /** The bytes as they came, before any parser. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** Longest difference from the clock here. Default: five minutes. */
  readonly toleranceSeconds?: number | undefined;
  /** Seconds since 1970, instead of the clock. */
  readonly nowSeconds?: number | undefined;
}

/** The request is not authentic: answer 400, and do nothing. */
export class WebhookRefused extends CrossrampError {
  override readonly name = 'WebhookRefused';
}

/**
 * @typeParam Webhook - `WebhookEvent | WebhookNotification` for an endpoint that gets notifications; others get events only.
 * @returns the event. Its sequence and attempt, and the name of an event, come from header fields, which the signature
 *   does not cover; id, transaction and notification are signed.
 * @throws {WebhookRefused} when no secret signed the request, or when it is too old.
 */
export async function verifyWebhook<Webhook extends WebhookEvent | WebhookNotification = WebhookEvent>(
  request: WebhookRequest,
): Promise<Webhook> {
  const { secret, body, toleranceSeconds = 300, nowSeconds = Date.now() / 1_000 } = request;
  const header = readerOf(request.headers);
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  if (!/^\d+$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds)
    throw new WebhookRefused('the timestamp is too old or new');
  const part = body as BlobPart;
  const signed = await new Blob([`${id}.${timestamp}.`, part]).arrayBuffer();
  const signatures = header('webhook-signature').split(' ');
  for (const each of [secret].flat())
    if (await isSignedBy(each, signatures, signed)) {
      const value = parseExact(await new Blob([part]).text()) as { readonly event?: string };
      return {
        id,
        name: value.event ?? header('crossramp-event'),
        sequence: Number(header('crossramp-sequence')),
        attempt: Number(header('crossramp-attempt')),
        isTest: header('crossramp-test') === 'true',
        // A notification names itself.
        ['event' in value ? 'notification' : 'transaction']: value,
      } as never;
    }
  throw new WebhookRefused('no signature of the secret');
}

async function isSignedBy(
  secret: string,
  signatures: readonly string[],
  signed: ArrayBuffer,
): Promise<boolean> {
  const [, kind, text = ''] = /^(whsec|whpk)_(.+)$/.exec(secret) ?? [];
  if (!kind) throw new TypeError('a secret is whsec_… or whpk_…');
  const [version, algorithm] =
    kind === 'whsec' ? (['v1', { name: 'HMAC', hash: 'SHA-256' }] as const) : (['v1a', 'Ed25519'] as const);
  const key = await crypto.subtle.importKey('raw', bytesOf(text), algorithm, false, ['verify']);
  for (const each of signatures) {
    const [scheme, base64 = ''] = each.split(',');
    if (scheme === version && (await crypto.subtle.verify(algorithm, key, bytesOf(base64), signed)))
      return true;
  }
  return false;
}

/** @returns the bytes; none where it is no base64, which no signature and no key is. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function readerOf(headers: WebhookHeaders): (name: string) => string {
  const fields = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const values = new Map(fields.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => [values.get(name) ?? ''].flat()[0] ?? '';
}

/**
 * Signatures of webhooks by Standard Webhooks 1.0.0 (C-60): an HMAC-SHA256 of `id.timestamp.body` (`v1`) and, for
 * endpoints with a signing key, an Ed25519 signature (`v1a`). Error messages never contain secrets.
 */
import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { assert } from '../base/errors/assert.ts';

export { newSecret, newSigningKey, type SigningKey } from '../base/access/webhook-keys.ts';

/** Signed content. */
export interface Signed {
  /**
   * Id, the same for all attempts of an event. Contains no full stop, because full stops separate the signed parts.
   */
  readonly id: string;
  /** Time of this attempt, in whole seconds since 1970. */
  readonly timestampSeconds: number;
  /** The body exactly as sent; a string is sent as UTF-8. */
  readonly body: string | Buffer;
}

const SECRET_PREFIX = 'whsec_';
const SIGNING_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
/** Standard Webhooks allows secrets of 24 to 64 bytes. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
const ED25519_BYTES = 32;

const ID = /^[0-9A-Za-z_-]{1,128}$/;
/** Words separated by full stops, as in Standard Webhooks. Excludes characters that could end a header field. */
const EVENT_NAME = /^\w+(\.\w+)*$/;

/**
 * @returns the bytes of the secret, 24 to 64.
 * @throws {RangeError} unless the text is `whsec_` and padded standard base64 of 24 to 64 bytes.
 */
export function secretBytes(secret: string): Buffer {
  const bytes = decode(SECRET_PREFIX, secret);
  if (!bytes || bytes.length < SECRET_BYTES_MIN || bytes.length > SECRET_BYTES_MAX) {
    throw new RangeError(`expected ${SECRET_PREFIX} and the base64 of 24 to 64 bytes`);
  }
  return bytes;
}

/**
 * @returns the signature, `v1,` and base64.
 * @throws {RangeError} when the secret is malformed.
 */
export function signV1(secret: string, id: string, timestampSeconds: number, body: string | Buffer): string {
  const head = signedHead({ id, timestampSeconds, body });
  return `v1,${createHmac('sha256', secretBytes(secret)).update(head).update(body).digest('base64')}`;
}

/**
 * @param signingKey - the secret form, `whsk_…`.
 * @returns the public form, `whpk_…`.
 * @throws {RangeError} when the key is malformed, or its public half does not match its seed.
 */
export function publicKeyOf(signingKey: string): string {
  const { point } = readSigningKey(signingKey);
  return PUBLIC_PREFIX + point.toString('base64');
}

/**
 * @param signingKey - the secret form, `whsk_…`.
 * @returns the signature, `v1a,` and base64.
 * @throws {RangeError} when the key is malformed, or its public half does not match its seed.
 */
export function signV1a(
  signingKey: string,
  id: string,
  timestampSeconds: number,
  body: string | Buffer,
): string {
  const content = Buffer.concat([signedHead({ id, timestampSeconds, body }), Buffer.from(body)]);
  return `v1a,${sign(null, content, readSigningKey(signingKey).key).toString('base64')}`;
}

/**
 * Signs with every valid secret, so that receivers can switch to the new secret at any time during a rotation.
 *
 * @param secrets - at least one; the newest first.
 * @param signingKey - adds a `v1a` signature at the end.
 * @returns the value of `webhook-signature`: signatures separated by spaces.
 * @throws {RangeError} when a secret or the key is malformed.
 */
export function signatureHeader(secrets: readonly string[], signed: Signed, signingKey?: string): string {
  assert(secrets.length > 0, 'a webhook is signed under at least one secret');
  const { id, timestampSeconds, body } = signed;
  const signatures = secrets.map((secret) => signV1(secret, id, timestampSeconds, body));
  if (signingKey !== undefined) signatures.push(signV1a(signingKey, id, timestampSeconds, body));
  return signatures.join(' ');
}

/**
 * @param delivery - `at`: time of this attempt; `sequence`: position of the event in its transaction; `attempt`: number of the
 *   attempt, from 1; secrets and key as for signatureHeader.
 * @returns the header fields of the request, in lower case.
 * @throws {RangeError} when a secret or the key is malformed.
 */
export function webhookHeaders(delivery: {
  readonly id: string;
  readonly at: Date;
  readonly secrets: readonly string[];
  readonly signingKey?: string | undefined;
  readonly body: string | Buffer;
  readonly eventName: string;
  readonly sequence: number;
  readonly attempt: number;
}): Record<string, string> {
  const { id, at, secrets, signingKey, body, eventName, sequence, attempt } = delivery;
  assert(EVENT_NAME.test(eventName), 'the name of an event is words separated by full stops');
  const timestampSeconds = Math.floor(at.getTime() / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Crossramp-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatureHeader(secrets, { id, timestampSeconds, body }, signingKey),
    'crossramp-event': eventName,
    'crossramp-sequence': String(sequence),
    'crossramp-attempt': String(attempt),
  };
}

/**
 * @returns the signed content before the body. The id has no full stop; otherwise another id and time could give the
 *   same text.
 */
function signedHead({ id, timestampSeconds }: Signed): Buffer {
  assert(ID.test(id), 'the id of a webhook is letters, digits, hyphens and underscores');
  assert(Number.isSafeInteger(timestampSeconds) && timestampSeconds >= 0, 'a timestamp is whole seconds');
  return Buffer.from(`${id}.${timestampSeconds}.`);
}

function readSigningKey(signingKey: string): { key: KeyObject; point: Buffer } {
  const bytes = decode(SIGNING_PREFIX, signingKey);
  if (bytes?.length !== 2 * ED25519_BYTES) {
    throw new RangeError(`expected ${SIGNING_PREFIX} and the base64 of 64 bytes`);
  }
  const point = bytes.subarray(ED25519_BYTES);
  const d = bytes.subarray(0, ED25519_BYTES).toString('base64url');
  const key = createPrivateKey({
    key: { kty: 'OKP', crv: 'Ed25519', d, x: point.toString('base64url') },
    format: 'jwk',
  });
  // Node ignores a wrong public half and signs with the seed, so receivers would get a public key that never verifies.
  if (key.export({ format: 'jwk' }).x !== point.toString('base64url')) {
    throw new RangeError('the public half of the signing key does not belong to its seed');
  }
  return { key, point };
}

/** Node decodes base64 leniently. Only its own spelling is accepted, so that every secret has exactly one. */
function decode(prefix: string, text: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const bytes = Buffer.from(text.slice(prefix.length), 'base64');
  return bytes.toString('base64') === text.slice(prefix.length) ? bytes : undefined;
}

/** Signatures of callbacks: HMAC of the body, or of a timestamp and the body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Settings } from './settings.ts';

/** Hash functions of HMAC. */
export const ALGORITHMS = ['sha256', 'sha512', 'sha1'] as const;
/** One of ALGORITHMS. */
export type Algorithm = (typeof ALGORITHMS)[number];

/** Form of a signature. */
export interface SignatureForm {
  readonly secret: string;
  /** Name of the header, lower case. */
  readonly header: string;
  readonly algorithm: Algorithm;
  readonly encoding: 'hex' | 'base64';
  /**
   * Header with the time in seconds since 1970. The signed text is then the time, a full stop and the body; if
   * undefined, the body alone.
   */
  readonly timestampHeader?: string | undefined;
  /** Maximum difference between the timestamp and the gateway's clock. Unit: ms. */
  readonly toleranceMs: number;
}

/** Form of the name of a header. */
export const HEADER_NAME = /^[A-Za-z0-9-]{1,80}$/;

/** Reads the form of a signature from the settings of callbacks. @throws {SettingsError} naming the member and the accepted form. */
export function readSignatureForm(settings: Settings): SignatureForm {
  const header = (name: string) => settings.match(name, HEADER_NAME, 'the name of a header').toLowerCase();
  const isTimed = settings.choice('signed', ['body', 'timestamp.body'] as const, 'body') !== 'body';
  return {
    secret: settings.contents('secretFile'),
    header: header('header'),
    algorithm: settings.choice('algorithm', ALGORITHMS, 'sha256'),
    encoding: settings.choice('encoding', ['hex', 'base64'] as const, 'hex'),
    timestampHeader: isTimed ? header('timestampHeader') : undefined,
    toleranceMs: settings.seconds('toleranceSeconds', { min: 10, max: 86_400, fallback: 300 }),
  };
}

/** @returns the reason of a refusal; undefined for a valid signature. */
export function signatureProblem(
  { secret, header, algorithm, encoding, timestampHeader, toleranceMs }: SignatureForm,
  headers: IncomingHttpHeaders,
  body: Buffer,
  nowMs: number,
): string | undefined {
  const signature = headers[header];
  if (typeof signature !== 'string') return `the header ${header} is missing`;
  const hmac = createHmac(algorithm, secret);
  if (timestampHeader !== undefined) {
    const at = headers[timestampHeader];
    if (typeof at !== 'string' || !/^\d{1,13}$/.test(at)) return `the header ${timestampHeader} is missing`;
    if (Math.abs(nowMs - Number(at) * 1_000) > toleranceMs) return 'the callback is too old';
    hmac.update(`${at}.`);
  }
  const expected = hmac.update(body).digest();
  const found = Buffer.from(signature.replace(/^sha(?:1|256|512)=/, ''), encoding);
  const isRight = found.length === expected.length && timingSafeEqual(found, expected);
  return isRight ? undefined : 'the signature is wrong';
}

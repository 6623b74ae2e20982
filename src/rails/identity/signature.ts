/** Signatures of callbacks: HMAC of the body, or of a time and the body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

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
  /** Header with the time in seconds since 1970, which is signed with a point before the body; undefined: the body alone is. */
  readonly timestampHeader?: string | undefined;
  /** Maximum difference between the time of the message and ours. Unit: ms. */
  readonly toleranceMs: number;
}

/** @returns the reason for which the signature is refused; undefined where it is right. */
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

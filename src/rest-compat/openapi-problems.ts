/** Problems in the OpenAPI document: an answer for each status, with the codes that it may have (C-50, C-51). */
import { ERRORS, type ErrorCode } from '../base/errors/errors.ts';
import { type HEADERS, headersNamed } from './openapi-body.ts';

type Schema = Record<string, unknown>;

/** Refusals that every operation has. */
export const REFUSALS: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_ACCEPTABLE',
  'REQUEST_TIMEOUT',
  'URI_TOO_LONG',
  'EXPECTATION_FAILED',
  'MISDIRECTED',
  'UPGRADE_UNSUPPORTED',
  'HEADERS_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
];
/** Header fields of problems by status, in addition to the id of the request. */
const FIELDS: Readonly<Record<number, readonly (keyof typeof HEADERS)[]>> = {
  401: ['WwwAuthenticate'],
  409: ['RetryAfter'],
  415: ['AcceptEncoding'],
  422: ['IdempotentReplayed'],
  426: ['Upgrade'],
  429: ['RetryAfter', 'RateLimit', 'RateLimitPolicy'],
  503: ['RetryAfter'],
};

/** @returns the statuses of the codes, each once. */
export function statusesOf(codes: readonly ErrorCode[]): number[] {
  return [...new Set(codes.map((code) => ERRORS[code].status))];
}

/**
 * @returns an answer for each status that an operation can have, named `Problem<status>`. A method that is not allowed
 * is no operation.
 */
export function problemResponses(): Record<string, Schema> {
  const byStatus = Map.groupBy(Object.entries(ERRORS), ([, { status }]) => status);
  byStatus.delete(ERRORS.METHOD_NOT_ALLOWED.status);
  return Object.fromEntries(
    [...byStatus].map(([status, errors]) => [
      `Problem${status}`,
      {
        description: errors.map(([code, { title }]) => `\`${code}\`: ${title}`).join('. '),
        headers: headersNamed('RequestId', ...(FIELDS[status] ?? [])),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

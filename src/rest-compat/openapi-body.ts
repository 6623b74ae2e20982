/** OpenAPI of requests that write: bodies, `Idempotency-Key`, and error answers. */
import type { ErrorCode } from '../base/errors/errors.ts';
import { KEY_LENGTH_MAX } from '../resolvers/checks/once.ts';
import type { BodyShape } from './input.ts';
import type { BodyNeeds, Route } from './route.ts';

type Schema = Record<string, unknown>;

/** Error answers that only writes have. */
export const WRITE_REFUSALS: readonly ErrorCode[] = [
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'STEP_CONFLICT',
  'LIMIT_EXCEEDED',
];

/** The header of C-52. */
export const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'For 24 hours, the same key with the same body returns the stored answer (C-52).',
  schema: { type: 'string', minLength: 1, maxLength: KEY_LENGTH_MAX },
};

/** Header field in which a client names the answer that it already has. */
export const IF_NONE_MATCH: Schema = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier answer: 304 while the answer is the same.',
  schema: { type: 'string' },
};

/** Header field in which a client names the version that it has seen (docs/scaling.md). */
export const SEEN_VERSION: Schema = {
  name: 'Crossramp-Version',
  in: 'header',
  required: false,
  description:
    'The largest `Crossramp-Version` of earlier answers: no standby answers with older data. Ignored by a gateway without standbys.',
  schema: { type: 'string', pattern: '^[0-9]{19}$' },
};

const header = (description: string): Schema => ({ description, schema: { type: 'string' } });

/** Header fields of answers. */
export const HEADERS = {
  RequestId: header('Id of the request, yours or a new one; the log has the request under it.'),
  RateLimit: header(
    'Requests that are left to the key, and seconds until the bucket is full: `"default";r=1999;t=1`.',
  ),
  RateLimitPolicy: header('Requests per second of the key: `"default";q=1000;w=1`.'),
  IgnoredParameters: header('Names of unknown query parameters, which were ignored (C-13).'),
  IdempotentReplayed: header('`true` where the answer is the stored one of an earlier request (C-52).'),
  ETag: header('Strong: the same for the same bytes.'),
  Version: header(
    'Version of the account, 19 digits: the answer shows nothing newer. Only where the gateway reads from standbys.',
  ),
  RetryAfter: header('Seconds after which another attempt makes sense.'),
  WwwAuthenticate: header('`Bearer`, with `error="invalid_token"` where a key was sent (C-41).'),
  AcceptEncoding: header('`identity`, where the body was compressed: it must not be.'),
  Upgrade: header('The protocol that is spoken: `HTTP/1.1`.'),
} as const satisfies Record<string, Schema>;

const FIELDS: Readonly<Record<keyof typeof HEADERS, string>> = {
  RequestId: 'X-Request-Id',
  RateLimit: 'RateLimit',
  RateLimitPolicy: 'RateLimit-Policy',
  IgnoredParameters: 'Crossramp-Ignored-Parameters',
  IdempotentReplayed: 'Idempotent-Replayed',
  ETag: 'ETag',
  Version: 'Crossramp-Version',
  RetryAfter: 'Retry-After',
  WwwAuthenticate: 'WWW-Authenticate',
  AcceptEncoding: 'Accept-Encoding',
  Upgrade: 'Upgrade',
};

/** @returns references to header fields, by their names on the wire. */
export function headersNamed(...names: readonly (keyof typeof HEADERS)[]): Schema {
  return Object.fromEntries(names.map((name) => [FIELDS[name], { $ref: `#/components/headers/${name}` }]));
}

/** @returns the header fields of a successful answer. */
export function answerHeaders({ isProved }: Pick<Route, 'isProved'>, isOnce: boolean): Schema {
  return headersNamed(
    ...(['RequestId', 'RateLimit', 'RateLimitPolicy', 'IgnoredParameters', 'Version'] as const),
    ...(isOnce ? (['IdempotentReplayed'] as const) : []),
    ...(isProved ? (['ETag'] as const) : []),
  );
}

/** A header field of a webhook. */
type WebhookHeader = Schema & { readonly name: string; readonly required: boolean };

const webhookHeader =
  (required: boolean) =>
  ([name = '', description]: readonly string[]): WebhookHeader => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });

/** Header fields of a webhook (C-60). */
export const WEBHOOK_HEADERS: readonly WebhookHeader[] = [
  ...[
    [
      'webhook-id',
      'Id of the event, the same for every attempt: `evt_<number in the account>_<random>`; `ntf_<number>` of a notification.',
    ],
    ['webhook-timestamp', 'Time of the attempt, seconds since 1970.'],
    [
      'webhook-signature',
      '`v1,<base64>` of HMAC-SHA256 over `id.timestamp.body`, one for each valid secret; also `v1a,<base64>` by Ed25519 if the endpoint has a signing key.',
    ],
    [
      'crossramp-event',
      '`<template>.<component>.<state>` in lower case (C-61), or the name of a notification.',
    ],
    ['crossramp-sequence', 'Position of the event in its transaction, from 1; 1 of a notification.'],
    ['crossramp-attempt', 'Number of the attempt, from 1.'],
  ].map(webhookHeader(true)),
  ...[
    ['crossramp-test', '`true` for a test or a sample, absent otherwise.'],
    ['traceparent', 'Trace of the attempt (W3C Trace Context), where the gateway records traces.'],
  ].map(webhookHeader(false)),
];

/** @returns the request body of a route: required members, no unknown ones, and a valid example. */
export function requestBody(
  shape: BodyShape,
  { all, oneOf = [], atMostOneOf = [], shown = [] }: BodyNeeds,
): Schema {
  const properties = Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema]));
  const needed = [...oneOf.slice(0, 1), ...atMostOneOf.slice(0, 1), ...all];
  return {
    required: needed.length > 0,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties,
          required: all,
          ...(oneOf.length > 0 && { oneOf: oneOf.map((name) => ({ required: [name] })) }),
          ...(atMostOneOf.length > 0 && { not: { required: atMostOneOf } }),
          additionalProperties: false,
        },
        example: Object.fromEntries([...needed, ...shown].map((name) => [name, shape[name]?.example])),
      },
    },
  };
}

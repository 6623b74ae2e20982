/** OpenAPI of requests that write: bodies, `Idempotency-Key`, and error answers. */
import type { ErrorCode } from '../base/errors.ts';
import { PIX_KEY_TYPES } from '../base/pix-key.ts';
import { EXPIRES_IN } from '../resolvers/checks/check-creation.ts';
import { PLAIN_MEMBERS } from '../resolvers/checks/plain-members.ts';
import type { BodyShape } from './input.ts';
import { plainSchemas } from './plain-members.ts';
import type { BodyNeeds } from './route.ts';

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
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** Header fields of a webhook (C-60). */
export const WEBHOOK_HEADERS: readonly (Schema & { readonly name: string })[] = [
  ['webhook-id', 'Id of the event, the same for every attempt: `evt_<number in the account>_<random>`.'],
  ['webhook-timestamp', 'Time of the attempt, seconds since 1970.'],
  ['webhook-signature', '`v1,<base64>` of HMAC-SHA256 over `id.timestamp.body`, one for each valid secret.'],
  ['crossramp-event', '`<template>.<component>.<state>` in lower case (C-61).'],
  ['crossramp-sequence', 'Position of the event in its transaction, from 1.'],
  ['crossramp-attempt', 'Number of the attempt, from 1.'],
].map(([name = '', description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

const AMOUNT = {
  type: ['number', 'string'],
  description: 'Above zero, with no more decimals than the currency has.',
};
const CURRENCY = {
  type: 'string',
  description: 'Raw code, display name, or an asset that exists on one network only (C-6).',
};

const MEMBERS: Readonly<Record<string, Schema>> = {
  ...Object.assign({}, ...PLAIN_MEMBERS.map(plainSchemas)),
  amount: AMOUNT,
  amount_payment: AMOUNT,
  amount_received: AMOUNT,
  amount_paid: AMOUNT,
  amount_sent: AMOUNT,
  currency: CURRENCY,
  currency_exit_received_code: CURRENCY,
  currency_entry_paid_code: CURRENCY,
  currency_receive_code: CURRENCY,
  client_name: { type: 'string', minLength: 1, maxLength: 140 },
  client_tax_id: { type: 'string', description: 'CPF or CNPJ, with or without punctuation.' },
  wallet: {
    type: 'string',
    description:
      'Destination address. With it, the crypto is delivered there instead of credited to the balance.',
  },
  expires_in: {
    type: ['integer', 'string'],
    description: `Seconds, ${EXPIRES_IN.min} to ${EXPIRES_IN.max}, default ${EXPIRES_IN.default}.`,
  },
  pix_key: { type: 'string', description: 'PIX key of the payee.' },
  pix_key_type: { type: 'string', enum: PIX_KEY_TYPES },
  from: { type: 'string', enum: ['balance', 'external'], default: 'balance' },
  group_id: { type: 'string', description: 'Whitelist group.' },
  address: { type: 'string', description: 'Destination. Required when the group has several.' },
  action: { type: 'string', enum: ['keep', 'refund', 'requote'] },
  scenario: { type: 'string', description: 'Name of a scenario; docs/sandbox.md lists them.' },
  end2end: { type: 'string', description: 'The transaction that the scenario happens to.' },
  advance: { type: 'string', description: 'A duration such as 90s, 30m, 2h or 1d.' },
};

/** Example value of each member. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  amount: '100.00',
  amount_payment: '550.00',
  amount_received: '100',
  amount_paid: '100',
  currency: 'USDT_TRX',
  currency_exit_received_code: 'USDT_TRX',
  currency_entry_paid_code: 'USDT_TRX',
  currency_receive_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
  pix_key: 'ana@example.com',
  pix_key_type: 'email',
  group_id: 'grp_treasury',
  action: 'keep',
  scenario: 'pay',
  end2end: 'CRX01KQJ1A72GFRM9067ZF35B7ZCN',
  advance: '30m',
};

/** @returns the request body of a route: required members, no others, and a valid example. */
export function requestBody(shape: BodyShape, { all, oneOf = [], atMostOneOf = [] }: BodyNeeds): Schema {
  const properties = Object.fromEntries(Object.keys(shape).map((name) => [name, MEMBERS[name] ?? {}]));
  const shown = [...oneOf.slice(0, 1), ...atMostOneOf.slice(0, 1), ...all];
  return {
    required: shown.length > 0,
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
        example: Object.fromEntries(shown.map((name) => [name, EXAMPLES[name]])),
      },
    },
  };
}

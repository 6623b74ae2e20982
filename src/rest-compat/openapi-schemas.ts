/** Schemas of the bodies of `/v2`, for OpenAPI and AsyncAPI. */
import { PLATFORM_SCOPES, SCOPES } from '../base/access/api-key.ts';
import { ERRORS, LIMIT_KINDS, REFUSED_ACTIONS } from '../base/errors/errors.ts';
import { VIOLATIONS_MAX } from '../base/errors/violations.ts';
import { NOTIFICATION_NAMES } from '../events/notification-names.ts';
import { EFFECT_KINDS } from '../templates/action-effects.ts';
import { CALLER_ACTIONS } from '../templates/caller-actions.ts';
import type { Template } from '../templates/define.ts';
import { KINDS } from '../templates/kinds.ts';
import type { Registry } from '../templates/registry.ts';
import type { AnswerShape, RestPolicy } from './route.ts';

type Schema = Record<string, unknown>;

/** Schema of a number of records. */
export const COUNT = { type: 'integer', minimum: 0 };
/** Any text. */
export const TEXT = { type: 'string' };
const VIOLATION = object({ parameter: TEXT, message: TEXT });
const NUMBER = { type: 'number', description: 'Exact decimal.' };

/** Schema of an object without additional members; all members are required, except the optional ones. */
export function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

/** @returns a reference to a schema of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

const LABELS = {
  status: ref('Label'),
  substatus: ref('Label'),
  message: ref('Label'),
  error_message: ref('Label'),
};
const TIMES = {
  created_at: { type: 'string', format: 'date-time' },
  updated_at: { type: 'string', format: 'date-time' },
};

const LABEL = object({ en: TEXT, pt: TEXT });

/** Body of a notification to an endpoint (decision 0094). */
export const NOTIFICATION: Schema = object({
  event: { type: 'string', enum: NOTIFICATION_NAMES, description: 'Name of the notification.' },
  account: object({ id: TEXT, name: TEXT }),
  subject: {
    type: 'string',
    description:
      'Id of the key, person, transaction (`end2end`) or endpoint, name of the setting, or day of a digest.',
  },
  name: {
    type: ['string', 'null'],
    description: 'Name of the key, or origin of the URL of the endpoint; null for other kinds.',
  },
  facts: {
    type: 'object',
    additionalProperties: { type: ['string', 'integer'] },
    description:
      '`effectiveAt` with `.protection`: when the change takes effect. `state` with `.endpoint`: `failing` or `disabled`. With `.waiting`, counts of items by kind. Empty for others, and in a sample.',
  },
  created_at: { type: 'string', format: 'date-time' },
});

/** Schemas that do not follow from templates. */
export const SHARED_SCHEMAS: Record<string, Schema> = {
  Notification: NOTIFICATION,
  Problem: {
    ...object(
      {
        type: { type: 'string', format: 'uri' },
        title: TEXT,
        status: { type: 'integer' },
        detail: TEXT,
        code: { type: 'string', enum: Object.keys(ERRORS) },
        action: {
          type: 'string',
          enum: Object.keys(REFUSED_ACTIONS),
          description: `Next action: ${Object.entries(REFUSED_ACTIONS)
            .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
            .join(' ')}`,
        },
        next: { type: 'string', description: 'The next step in a sentence, for people and agents.' },
        request_id: TEXT,
        trace_id: {
          type: 'string',
          description: 'Trace of the request (W3C Trace Context), where the gateway records traces.',
        },
        violations: { type: 'array', maxItems: VIOLATIONS_MAX, items: VIOLATION },
        earliest: { type: 'string', description: 'With `CURSOR_EXPIRED`: continues with the oldest event.' },
        latest: { type: 'string', description: 'With `CURSOR_EXPIRED`: continues with the next event.' },
        address: {
          type: 'string',
          description: 'With `MISDIRECTED`: base URL of the gateway that serves the request, if it is known.',
        },
        scope: {
          type: 'string',
          enum: [...SCOPES, ...PLATFORM_SCOPES],
          description: 'With `FORBIDDEN`: scope that the caller lacks.',
        },
        possible_actions: {
          type: 'array',
          items: { type: 'string', enum: Object.keys(CALLER_ACTIONS) },
          description: 'With `STEP_CONFLICT`: actions that the caller can perform on the transaction now.',
        },
        limit: {
          ...object(
            {
              kind: {
                type: 'string',
                enum: Object.keys(LIMIT_KINDS),
                description: Object.entries(LIMIT_KINDS)
                  .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
                  .join(' '),
              },
              minimum: { type: 'number', description: 'Smallest amount that is allowed now. Exact decimal.' },
              maximum: { type: 'number', description: 'Largest amount that is allowed now. Exact decimal.' },
              currency: { type: 'string', description: 'Currency code with its network.' },
            },
            ['minimum', 'maximum', 'currency'],
          ),
          description:
            'With `LIMIT_EXCEEDED` and `INSUFFICIENT_BALANCE`: the limit that the amount violates.',
        },
      },
      [
        ...['trace_id', 'violations', 'earliest', 'latest', 'address'],
        ...['scope', 'possible_actions', 'limit'],
      ],
    ),
  },
  LedgerAccount: object({
    id: { type: 'integer' },
    name: TEXT,
    code: TEXT,
    currency: TEXT,
    currency_pretty_name: TEXT,
  }),
  StatementEntry: object({
    id: { type: 'integer' },
    date: { type: 'string', format: 'date-time' },
    account: ref('LedgerAccount'),
    debit: NUMBER,
    credit: NUMBER,
    previous_balance: NUMBER,
    balance: NUMBER,
    transaction: { oneOf: [ref('EmbeddedTransaction'), { type: 'null' }] },
  }),
  Statement: object({
    total: COUNT,
    limit: COUNT,
    offset: COUNT,
    entries: { type: 'array', items: ref('StatementEntry') },
  }),
  Balance: object({
    calculated_BRL_total_balance: NUMBER,
    balances: {
      type: 'object',
      description: 'By asset, then by display name.',
      additionalProperties: {
        type: 'object',
        description:
          '`calculated_BRL_balance` is the value of the asset in BRL, or null when no rate is known; every other member is a balance.',
        required: ['calculated_BRL_balance'],
        // There is no typed member next to additional ones of another type: TypeScript generators would create a
        // contradicting index signature.
        additionalProperties: { oneOf: [ref('CurrencyBalance'), { type: ['number', 'null'] }] },
      },
    },
  }),
  CurrencyBalance: object({
    calculated_BRL_balance: {
      type: ['number', 'null'],
      description: 'Value of the available part in BRL; null when no rate is known.',
    },
    available: NUMBER,
    in_transit: NUMBER,
    to_receive: NUMBER,
    blocked: NUMBER,
  }),
};

/** Answer of `GET /v2/…/{id}/actions`. */
const ACTIONS: Schema = object({
  results: {
    type: 'array',
    items: object({
      action: { type: 'string', enum: Object.keys(CALLER_ACTIONS), description: 'Name of the action.' },
      path: {
        type: ['string', 'null'],
        description: 'Path to which its POST goes; null where GraphQL alone performs it.',
      },
      body: {
        type: 'object',
        additionalProperties: TEXT,
        description: 'Members of the body with the values that this action requires.',
      },
      required: {
        type: 'array',
        items: TEXT,
        description: 'Further required members of the body; you choose their values.',
      },
      mutation: { type: 'string', description: 'The mutation of GraphQL that performs it.' },
      effects: {
        type: 'array',
        description: 'Amounts that it moves with its default body.',
        items: object({
          kind: { type: 'string', enum: Object.keys(EFFECT_KINDS) },
          account_type: {
            type: ['string', 'null'],
            description: 'Sub-account of a credit or a debit; null for others.',
          },
          currency: { type: 'string', description: 'Currency code with its network.' },
          amount: {
            type: ['number', 'null'],
            description: 'Null if the action makes a price when it is performed.',
          },
        }),
      },
    }),
  },
});

/** @returns the single-record body of each template, with the schemas that it refers to. */
export function bodySchemas(
  registry: Registry,
  policy: Pick<RestPolicy, 'exactIntegers'>,
): Record<string, Schema> {
  const schemas = registry.templates.flatMap((template) => [
    [`${template.typeName}Attributes`, attributesSchema(template, policy)],
    [template.typeName, object(envelopeMembers(template))],
  ]);
  return { Label: LABEL, ...Object.fromEntries(schemas) };
}

/** @returns the bodies of the templates, of events, and of what statement entries embed. */
export function templateSchemas(
  registry: Registry,
  policy: Pick<RestPolicy, 'exactIntegers'>,
): Record<string, Schema> {
  const embedded = {
    oneOf: registry.templates.map((template) =>
      object({
        end2end: TEXT,
        template: { const: template.name },
        ...TIMES,
        ...LABELS,
        attributes: ref(`${template.typeName}Attributes`),
      }),
    ),
  };
  const event = object({
    cursor: TEXT,
    name: { type: 'string', description: '`<template>.<component>.<state>` in lower case (C-61).' },
    sequence: { type: 'integer', minimum: 1, description: 'Position in the transaction.' },
    occurred_at: { type: 'string', format: 'date-time' },
    transaction: { oneOf: registry.templates.map((template) => ref(template.typeName)) },
  });
  const page = object({ events: { type: 'array', items: event }, next: TEXT });
  return {
    ...bodySchemas(registry, policy),
    EmbeddedTransaction: embedded,
    EventPage: page,
    Actions: ACTIONS,
  };
}

function envelopeMembers(template: Template): Record<string, Schema> {
  return {
    end2end: TEXT,
    component: TEXT,
    state: {
      type: 'string',
      description:
        'State of the component; several components are `DONE` before the end. `status.en` is `Success` at a good end.',
    },
    template: { const: template.name },
    ...TIMES,
    ...LABELS,
    attributes: ref(`${template.typeName}Attributes`),
  };
}

/** The envelope with the further members of a creation's answer. */
export function createdSchema(
  template: Template,
  { extras, optional = [] }: Extract<AnswerShape, { kind: 'created' }>,
): Schema {
  const members = Object.fromEntries(extras.map((name) => [name, TEXT]));
  return object({ ...envelopeMembers(template), ...members }, optional);
}

function attributesSchema(template: Template, policy: Pick<RestPolicy, 'exactIntegers'>): Schema {
  const properties = template.attributes.map(({ name, kind, doc }) => {
    const { wire } = KINDS[kind];
    if (wire === 'string') return [name, { type: wire, description: doc }];
    return [name, { type: [policy.exactIntegers ? 'number' : wire, 'null'], description: doc }];
  });
  const optional = template.attributes
    .filter((attribute) => attribute.optional)
    .map((attribute) => attribute.name);
  return object(Object.fromEntries(properties), optional);
}

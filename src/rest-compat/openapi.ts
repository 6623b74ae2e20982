/** The OpenAPI 3.1 document of `/v2`, generated from the route table and the templates. */
import { ERRORS, type ErrorCode } from '../base/errors.ts';
import { LONGEST_TEXT, VIOLATIONS_MAX } from '../base/violations.ts';
import { SUB_ACCOUNTS } from '../ledger/chart.ts';
import type { Template } from '../templates/define.ts';
import { KINDS } from '../templates/kinds.ts';
import type { Registry } from '../templates/registry.ts';
import type { RestFamily } from './families.ts';
import { LIMIT_MAX } from './input.ts';
import {
  ETAG_HEADERS,
  IDEMPOTENCY_KEY,
  IF_NONE_MATCH,
  requestBody,
  WEBHOOK_HEADERS,
  WRITE_REFUSALS,
} from './openapi-body.ts';
import { TAGS, tagOf } from './openapi-tags.ts';
import { webhooksOf } from './openapi-webhooks.ts';
import type { AnswerShape, RestPolicy, Route, RouteTable } from './route.ts';

type Schema = Record<string, unknown>;

/**
 * @param publicUrl - base URL of the instance.
 * @param policy - whether the integers of the offramps are printed exactly (C-4).
 * @returns the document, as plain data.
 */
export function openApiDocument(
  registry: Registry,
  routes: RouteTable,
  publicUrl: string,
  policy: Pick<RestPolicy, 'exactIntegers'> = { exactIntegers: false },
): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crossramp Gateway',
      version: 'v2',
      description:
        'Ramps, checkouts, withdrawals and the account statement. Rules are cited as in docs/rest-v2.md.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }],
    paths: pathsOf(registry, routes),
    tags: TAGS,
    webhooks: webhooksOf(registry),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, `crx_test_…` or `crx_live_…` (C-40).',
        },
      },
      schemas: { ...SHARED_SCHEMAS, ...templateSchemas(registry, policy) },
      parameters: Object.fromEntries(WEBHOOK_HEADERS.map((header) => [header.name, header])),
      responses: problemResponses(),
    },
  };
}

function pathsOf(registry: Registry, routes: RouteTable): Schema {
  const byPath = Map.groupBy(routes.values(), ({ path }) => path);
  const operations = (of: readonly Route[]) =>
    Object.fromEntries(of.map((route) => [route.method.toLowerCase(), operation(registry, route)]));
  return Object.fromEntries([...byPath].map(([path, of]) => [path, operations(of)]));
}

function operation(registry: Registry, route: Route): Schema {
  const path = route.path.includes('{id}')
    ? [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The `end2end` identifier.',
          schema: { type: 'string' },
        },
      ]
    : [];
  const refusals = [
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'NOT_ACCEPTABLE',
    'RATE_LIMITED',
    'UNAVAILABLE',
  ] as const;
  const codes: readonly ErrorCode[] = [
    ...refusals,
    ...(path.length > 0 ? (['NOT_FOUND'] as const) : []),
    ...(route.answer.kind === 'events' ? (['CURSOR_EXPIRED'] as const) : []),
    ...(route.method === 'POST' ? WRITE_REFUSALS : []),
  ];
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary: route.summary,
    description: `Needs a key with the scope \`${route.scope}\`.`,
    parameters: [
      ...path,
      ...route.parameters.map(queryParameter),
      ...(isOnce(route) ? [IDEMPOTENCY_KEY] : []),
      ...(route.isProved ? [IF_NONE_MATCH] : []),
    ],
    ...(route.body && { requestBody: requestBody(route.body, route.needs ?? { all: [] }) }),
    responses: {
      [route.status]: {
        description: 'The answer.',
        ...(route.isProved && { headers: ETAG_HEADERS }),
        content: { 'application/json': { schema: answerSchema(registry, route.answer) } },
      },
      ...(route.isProved && { 304: { description: 'The answer is the one that the client has.' } }),
      ...Object.fromEntries(
        codes.map((code) => [ERRORS[code].status, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

function operationId({ method, path, answer }: Route): string {
  switch (answer.kind) {
    case 'transaction':
      return method === 'GET'
        ? `get_${answer.family.single}`
        : `${path.slice(path.lastIndexOf('/') + 1)}_${answer.family.single}`;
    case 'created':
      return `create_${answer.family.single}`;
    case 'anyTransaction':
      return 'sandbox_trigger';
    case 'sandbox':
      return `sandbox_${answer.name}`;
    case 'list':
      return `list_${answer.family.list}`;
    default:
      return `get_${answer.kind}`;
  }
}

/** Whether a route stores its answer under an `Idempotency-Key`. */
function isOnce({ method, answer }: Route): boolean {
  return method === 'POST' && answer.kind !== 'sandbox' && answer.kind !== 'anyTransaction';
}

/** Of a text that is looked up. */
const LOOKED_UP = { type: 'string', maxLength: LONGEST_TEXT };

const QUERY_PARAMETERS: Readonly<Record<string, Schema>> = {
  after: {
    description: 'Cursor of the last event that you have seen. Default: from the oldest event that is kept.',
    schema: LOOKED_UP,
  },
  wait: {
    description: 'Seconds to wait for the next event if there is none yet.',
    schema: { type: 'integer', minimum: 0, maximum: 30, default: 0 },
  },
  limit: {
    description: `Page size. A value above ${LIMIT_MAX} counts as ${LIMIT_MAX} (C-12).`,
    schema: { type: 'integer', minimum: 1, default: 20 },
  },
  offset: { description: 'Records to skip.', schema: { type: 'integer', minimum: 0, default: 0 } },
  pix_e2e: { description: 'PIX end-to-end id.', schema: LOOKED_UP },
  client_tax_id: { description: 'CPF or CNPJ, with or without punctuation.', schema: LOOKED_UP },
  wallet: {
    description: 'Destination wallet of an onramp, or the address that a deposit came from (C-14).',
    schema: LOOKED_UP,
  },
  address: { description: 'Destination address.', schema: LOOKED_UP },
  group_id: { description: 'Whitelist group.', schema: LOOKED_UP },
  external_code: {
    description: 'The merchant’s own reference, exactly as given.',
    schema: LOOKED_UP,
  },
  receive_currency_code: {
    description: 'Raw code, display name, or an asset that exists on one network only (C-6).',
    schema: LOOKED_UP,
  },
  currency: {
    description: 'Raw code, display name, or an asset that exists on one network only (C-6).',
    schema: LOOKED_UP,
  },
  account_type: { description: 'Sub-account.', schema: { type: 'string', enum: Object.keys(SUB_ACCOUNTS) } },
  date_from: { description: 'UTC day, inclusive (C-11).', schema: { type: 'string', format: 'date' } },
  date_to: { description: 'UTC day, inclusive (C-11).', schema: { type: 'string', format: 'date' } },
};

function queryParameter(name: string): Schema {
  return { name, in: 'query', required: false, ...QUERY_PARAMETERS[name] };
}

function answerSchema(registry: Registry, answer: AnswerShape): Schema {
  switch (answer.kind) {
    case 'transaction':
      return transactionOf(registry, answer.family);
    case 'created':
      return oneOf(
        registry.ofFamily(answer.family.family).map((template) => createdSchema(template, answer.extras)),
      );
    case 'anyTransaction':
      return oneOf(registry.templates.map((template) => ref(template.typeName)));
    case 'sandbox':
      return object(Object.fromEntries(answer.members.map((name) => [name, TEXT])));
    case 'list':
      return {
        ...object({
          version: { const: answer.family.version },
          total: COUNT,
          limit: COUNT,
          offset: COUNT,
          results: { type: 'array', items: transactionOf(registry, answer.family) },
        }),
      };
    case 'statement':
      return ref('Statement');
    case 'balance':
      return ref('Balance');
    case 'events':
      return ref('EventPage');
  }
}

function transactionOf(registry: Registry, { family }: RestFamily): Schema {
  return oneOf(registry.ofFamily(family).map((template) => ref(template.typeName)));
}

function oneOf(schemas: readonly Schema[]): Schema {
  return schemas.length === 1 ? (schemas[0] as Schema) : { oneOf: schemas };
}

const COUNT = { type: 'integer', minimum: 0 };
const TEXT = { type: 'string' };
const VIOLATION = object({ parameter: TEXT, message: TEXT });
const NUMBER = { type: 'number', description: 'Exact decimal.' };

/** An object without other members; all members are required, except the optional ones. */
function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

function ref(name: string): Schema {
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

const SHARED_SCHEMAS: Record<string, Schema> = {
  Label: object({ en: TEXT, pt: TEXT }),
  Problem: {
    ...object(
      {
        type: { type: 'string', format: 'uri' },
        title: TEXT,
        status: { type: 'integer' },
        detail: TEXT,
        code: { type: 'string', enum: Object.keys(ERRORS) },
        request_id: TEXT,
        violations: { type: 'array', maxItems: VIOLATIONS_MAX, items: VIOLATION },
        earliest: { type: 'string', description: 'With `CURSOR_EXPIRED`: continues with the oldest event.' },
        latest: { type: 'string', description: 'With `CURSOR_EXPIRED`: continues with the next event.' },
      },
      ['violations', 'earliest', 'latest'],
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
        properties: { calculated_BRL_balance: { type: ['number', 'null'] } },
        required: ['calculated_BRL_balance'],
        additionalProperties: ref('CurrencyBalance'),
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

/** Of each template: the attributes, and the single-record body. And what events and statement entries embed. */
function templateSchemas(
  registry: Registry,
  policy: Pick<RestPolicy, 'exactIntegers'>,
): Record<string, Schema> {
  const schemas = Object.fromEntries(
    registry.templates.flatMap((template) => [
      [`${template.typeName}Attributes`, attributesSchema(template, policy)],
      [template.typeName, object(envelopeMembers(template))],
    ]),
  );
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
    transaction: oneOf(registry.templates.map((template) => ref(template.typeName))),
  });
  const page = object({ events: { type: 'array', items: event }, next: TEXT });
  return { ...schemas, EmbeddedTransaction: embedded, EventPage: page };
}

function envelopeMembers(template: Template): Record<string, Schema> {
  return {
    end2end: TEXT,
    component: TEXT,
    state: TEXT,
    template: { const: template.name },
    ...TIMES,
    ...LABELS,
    attributes: ref(`${template.typeName}Attributes`),
  };
}

/** The envelope with what a creation answers beside it; a payment link is there only where there is something to pay. */
function createdSchema(template: Template, extras: readonly string[]): Schema {
  const members = Object.fromEntries(extras.map((name) => [name, TEXT]));
  return object({ ...envelopeMembers(template), ...members }, extras);
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

function problemResponses(): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([code, { title }]) => [
      code,
      { description: title, content: { 'application/problem+json': { schema: ref('Problem') } } },
    ]),
  );
}

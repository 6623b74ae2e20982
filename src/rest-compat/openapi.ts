/** The OpenAPI 3.1 document of `/v2`, generated from the route table and the templates. */
import { ACTIONS } from '../base/access/actions.ts';
import { known } from '../base/errors/assert.ts';
import type { ErrorCode } from '../base/errors/errors.ts';
import { LONGEST_TEXT } from '../base/errors/violations.ts';
import { VERSION } from '../base/process/version.ts';
import { SUB_ACCOUNTS } from '../ledger/chart.ts';
import { CURRENCY_FILTER_FORMS } from '../resolvers/checks/creation-members.ts';
import { FILTERS, type FilterKind } from '../store/engine/transaction-filters.ts';
import { DELIVERY_STATES } from '../store/webhooks/delivery-list.ts';
import type { Registry } from '../templates/registry.ts';
import type { RestFamily } from './families.ts';
import { LIMIT_MAX } from './input.ts';
import {
  answerHeaders,
  HEADERS,
  IDEMPOTENCY_KEY,
  IF_NONE_MATCH,
  requestBody,
  SEEN_VERSION,
  WEBHOOK_HEADERS,
  WRITE_REFUSALS,
} from './openapi-body.ts';
import { problemResponses, REFUSALS, statusesOf } from './openapi-problems.ts';
import {
  COUNT,
  createdSchema,
  object,
  ref,
  SHARED_SCHEMAS,
  TEXT,
  templateSchemas,
} from './openapi-schemas.ts';
import { TAGS, tagOf } from './openapi-tags.ts';
import { webhooksOf } from './openapi-webhooks.ts';
import { recordSchemas } from './record-routes.ts';
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
      version: VERSION,
      description:
        'Ramps, checkouts, withdrawals and the account statement. Rules are cited as in docs/rest-v2.md. GraphQL alone (`/graphql`) administers branding, settings and people.',
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
      schemas: { ...SHARED_SCHEMAS, ...templateSchemas(registry, policy), ...recordSchemas() },
      parameters: Object.fromEntries(WEBHOOK_HEADERS.map((header) => [header.name, header])),
      headers: HEADERS,
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
          description: (route.answer.kind === 'record' && route.answer.id) || 'The `end2end` identifier.',
          schema: { type: 'string' },
        },
      ]
    : [];
  const codes: readonly ErrorCode[] = [
    ...REFUSALS,
    ...(path.length > 0 || namesRecord(route) ? (['NOT_FOUND'] as const) : []),
    ...(route.answer.kind === 'events' ? (['CURSOR_EXPIRED'] as const) : []),
    ...(route.method === 'POST' ? WRITE_REFUSALS : []),
  ];
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary: route.summary,
    description: `Needs a key with the scope \`${route.scope}\`${route.otherAction ? `, or for some bodies \`${ACTIONS[route.otherAction].scope}\` instead` : ''}.`,
    parameters: [
      ...path,
      ...route.parameters.map(queryParameter),
      ...(isOnce(route) ? [IDEMPOTENCY_KEY] : []),
      ...(route.isProved ? [IF_NONE_MATCH] : []),
      ...(route.method === 'GET' ? [SEEN_VERSION] : []),
    ],
    ...(route.body && { requestBody: requestBody(route.body, route.needs ?? { all: [] }) }),
    responses: {
      [route.status]: successSchema(registry, route, 'The answer.'),
      ...(route.heldStatus && {
        [route.heldStatus]: successSchema(
          registry,
          route,
          'The same answer where the money out waits for approval (C-25).',
        ),
      }),
      ...(route.isProved && {
        304: {
          description: 'The client already has this answer.',
          headers: answerHeaders(route, false),
        },
      }),
      ...Object.fromEntries(
        statusesOf(codes).map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
      ),
    },
  };
}

/** Members of bodies that name a record. */
const RECORD_MEMBER = /^end2end$|(?<!tax)_id$/;

/** Whether the body of a route names a record, which may be missing. A creation refuses such members in another way. */
function namesRecord({ answer, body = {} }: Route): boolean {
  const isCreation = answer.kind === 'created';
  return !isCreation && Object.keys(body).some((member) => RECORD_MEMBER.test(member));
}

function successSchema(registry: Registry, route: Route, description: string): Schema {
  return {
    description,
    headers: answerHeaders(route, isOnce(route)),
    content: { 'application/json': { schema: answerSchema(registry, route.answer) } },
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
    case 'record':
      return answer.operation;
    case 'actions':
      return `get_${answer.family.single}_actions`;
    default:
      return `get_${answer.kind}`;
  }
}

/** Whether a route stores its answer under an `Idempotency-Key`. */
function isOnce({ method, answer }: Route): boolean {
  return method === 'POST' && answer.kind !== 'anyTransaction';
}

/** Length limits of a searched text. */
const LOOKUP_KEY = { type: 'string', maxLength: LONGEST_TEXT };

const QUERY_PARAMETERS: Readonly<Record<string, Schema>> = {
  after: {
    description: 'Cursor of the last event that you have seen. Default: from the oldest stored event.',
    schema: LOOKUP_KEY,
  },
  wait: {
    description: 'Seconds to wait for the next event if there is none yet.',
    schema: { type: 'integer', minimum: 0, maximum: 30, default: 0 },
  },
  limit: {
    description: `Page size. A value above ${LIMIT_MAX} counts as ${LIMIT_MAX} (C-12).`,
    schema: { type: 'integer', minimum: 1, default: 20 },
  },
  before: {
    description: 'Only records older than this one: `next` of the previous page.',
    schema: LOOKUP_KEY,
  },
  endpoint_id: { description: 'Only deliveries to this endpoint, `whe_…`.', schema: LOOKUP_KEY },
  state: { description: 'Only deliveries in this state.', schema: { type: 'string', enum: DELIVERY_STATES } },
  offset: { description: 'Records to skip.', schema: { type: 'integer', minimum: 0, default: 0 } },
  ...filterParameters(),
  currency: {
    description: CURRENCY_FILTER_FORMS,
    schema: LOOKUP_KEY,
  },
  account_type: { description: 'Sub-account.', schema: { type: 'string', enum: Object.keys(SUB_ACCOUNTS) } },
};

/** The parameters of the filters of lists. Parameters of the statement that have the same name have the same meaning. */
function filterParameters(): Readonly<Record<string, Schema>> {
  const forms: { readonly [Kind in FilterKind]?: (doc: string) => Schema } = {
    text: (description) => ({ description, schema: LOOKUP_KEY }),
    currency: () => ({ description: CURRENCY_FILTER_FORMS, schema: LOOKUP_KEY }),
    day: (description) => ({ description, schema: { type: 'string', format: 'date' } }),
  };
  return Object.fromEntries(
    FILTERS.flatMap(([, { kind, parameters = [] }]) =>
      parameters.map(({ name, doc }) => [name, known(forms[kind], `a form of ${kind}`)(doc)]),
    ),
  );
}

function queryParameter(name: string): Schema {
  return { name, in: 'query', required: false, ...QUERY_PARAMETERS[name] };
}

function answerSchema(registry: Registry, answer: AnswerShape): Schema {
  switch (answer.kind) {
    case 'transaction':
      return transactionOf(registry, answer.family);
    case 'created':
      return oneOf(
        registry.ofFamily(answer.family.family).map((template) => createdSchema(template, answer)),
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
    case 'record':
      return answer.schema;
    case 'actions':
      return ref('Actions');
  }
}

function transactionOf(registry: Registry, { family }: RestFamily): Schema {
  return oneOf(registry.ofFamily(family).map((template) => ref(template.typeName)));
}

function oneOf(schemas: readonly Schema[]): Schema {
  return schemas.length === 1 ? (schemas[0] as Schema) : { oneOf: schemas };
}

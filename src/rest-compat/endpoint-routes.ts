/** Webhook endpoints and their secrets in `/v2` (C-60 to C-64). */

import type { CreationChecks } from '../resolvers/checks/check-creation.ts';
import { EVENT_NAMES_MAX } from '../resolvers/checks/check-event-names.ts';
import { bounded, inProse, REFERENCE_LENGTH_MAX, URL_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Context } from '../resolvers/services/context.ts';
import {
  CONCURRENCY_MAX,
  createEndpoint,
  ENDPOINTS_MAX,
  type EndpointInput,
  listWebhookSecrets,
  OVERLAP_SECONDS,
  PER_SECOND_MAX,
  pauseWebhookEndpoint,
  removeWebhookEndpoint,
  resumeWebhookEndpoint,
  rotateWebhookSecret,
  SECRETS_MAX,
  updateEndpoint,
} from '../resolvers/webhooks/manage-webhooks.ts';
import {
  listWebhookEndpoints,
  type ReadableEndpoint,
  readWebhookEndpoint,
} from '../resolvers/webhooks/read-webhooks.ts';
import type { SecretRow } from '../store/webhooks/webhooks.ts';
import { type Body, type BodyShape, parseInteger } from './input.ts';
import { flag, text, texts, whole } from './members.ts';
import { listSchema, oneSchema, type RecordRead, type RecordWrite } from './record-route.ts';
import { membersOf, type RecordShape, recordJson } from './record-shape.ts';

const ORDERS = ['transaction', 'account', 'parallel'] as const;
const endpoint = membersOf<ReadableEndpoint>();
const secret = membersOf<SecretRow>();

/** Endpoints. */
export const ENDPOINT: RecordShape<ReadableEndpoint> = {
  name: 'WebhookEndpoint',
  members: {
    id: endpoint.text('Identifier, `whe_…`.', ({ id }) => id),
    url: endpoint.text('URL that receives the requests.', ({ url }) => url),
    description: endpoint.textOrNull('Your own description.', ({ description }) => description),
    kind: endpoint.text(
      'Transactions that it is for: those created with its URL as `webhook`, those of its template, or all others.',
      ({ kind }) => kind,
      { enum: ['transaction', 'template', 'general'] },
    ),
    template: endpoint.textOrNull('Template of the kind `template`.', ({ template }) => template),
    event_names: endpoint.texts('Names of the events to send; empty: all.', ({ eventNames }) => eventNames),
    order: endpoint.text('Deliveries that wait for others.', ({ orderMode }) => orderMode, { enum: ORDERS }),
    max_concurrency: endpoint.count('Most deliveries at once.', ({ maxConcurrency }) => maxConcurrency),
    max_per_second: endpoint.countOrNull(
      'Most deliveries in a second; null: no limit.',
      ({ maxPerSecond }) => maxPerSecond,
    ),
    public_key: endpoint.textOrNull(
      'Public key of the signatures `v1a`, `whpk_…`; null without them.',
      ({ publicKey }) => publicKey,
    ),
    state: endpoint.text('Whether events are sent.', ({ state }) => state, {
      enum: ['enabled', 'paused', 'disabled'],
    }),
    disabled_reason: endpoint.textOrNull('Why it was disabled last.', ({ disabledReason }) => disabledReason),
    disabled_at: endpoint.timeOrNull('When it was disabled last.', ({ disabledAt }) => disabledAt),
    is_recoverable: endpoint.flag(
      'Whether it missed events while it was disabled; `recover` sends them.',
      ({ isRecoverable }) => isRecoverable,
    ),
    failing_since: endpoint.timeOrNull(
      'Time since which every delivery has failed; after 5 days it is disabled.',
      ({ failingSince }) => failingSince,
    ),
    failures: endpoint.count(
      'Attempts that failed since the last success.',
      ({ consecutiveFailures }) => consecutiveFailures,
    ),
    blocked_until: endpoint.timeOrNull(
      'Nothing is sent before this time: it failed often, or its `Retry-After` asked for it.',
      ({ blockedUntil }) => blockedUntil,
    ),
    created_at: endpoint.time('When it was created.', ({ createdAt }) => createdAt),
    removed_at: endpoint.timeOrNull('When it was removed.', ({ removedAt }) => removedAt),
  },
};

/** Signing secrets. */
export const SECRET: RecordShape<SecretRow> = {
  name: 'WebhookSecret',
  members: {
    secret: secret.text('In the form of Standard Webhooks, `whsec_…`.', (row) => row.secret),
    created_at: secret.time('When it was created.', ({ createdAt }) => createdAt),
    valid_until: secret.timeOrNull(
      'When it stops being valid; null for the present one.',
      ({ validUntil }) => validUntil,
    ),
  },
};

const TAG = 'webhooks';
const ID = 'The endpoint, `whe_…`.';
const SECRETS = listSchema(SECRET.name);
const OF_TRANSACTIONS = 'shared by all endpoints that came with transactions';

/** Members for creating and changing an endpoint. */
const SETTINGS: BodyShape = {
  description: text(bounded('Your own description.', REFERENCE_LENGTH_MAX)),
  event_names: texts(
    'Names of the events to send, such as `onramp.depositpix.*`; `*` stands for any part. Empty: all events.',
    { maxItems: EVENT_NAMES_MAX },
  ),
  order: text(
    'Deliveries that wait for others: those of the same transaction (default), all of the account, none.',
    { enum: ORDERS },
  ),
  max_concurrency: whole('Most deliveries at once.', { minimum: 1, maximum: CONCURRENCY_MAX, default: 20 }),
  max_per_second: whole('Most deliveries in a second. Default: no limit.', {
    minimum: 1,
    maximum: PER_SECOND_MAX,
  }),
  is_signed_by_key: flag(
    'Whether requests are also signed by a public key (`v1a`, Ed25519). Default: false.',
  ),
};
const OVERLAP: BodyShape = {
  overlap_seconds: whole(
    `Time for which the old secret stays valid, in seconds: 0 to ${inProse(OVERLAP_SECONDS.max)}. Only 0 while ${SECRETS_MAX} secrets are valid.`,
    { minimum: 0, maximum: OVERLAP_SECONDS.max, default: OVERLAP_SECONDS.default },
  ),
};
const URL_MEMBER = text(
  bounded(
    'https URL without user name or password; in a sandbox also http to this machine (C-63).',
    URL_LENGTH_MAX,
  ),
  { example: 'https://shop.example/webhooks', maxLength: URL_LENGTH_MAX },
);

function inputOf(body: Body, checks: CreationChecks): EndpointInput {
  const number = (name: string, max: number) => {
    const value = parseInteger(body.get(name), 1, max, checks);
    return value === undefined ? undefined : { name, value };
  };
  const order = body.get('order');
  const orderMode = ORDERS.find((each) => each === order?.value);
  if (order && !orderMode)
    checks.add({ parameter: order.name, message: `must be one of ${ORDERS.join(', ')}` });
  return {
    url: body.get('url'),
    description: body.isCleared('description') ? null : body.get('description'),
    eventNames: body.list('event_names'),
    orderMode,
    maxConcurrency: number('max_concurrency', CONCURRENCY_MAX),
    maxPerSecond: body.isCleared('max_per_second') ? null : number('max_per_second', PER_SECOND_MAX),
    isSignedByKey: body.flag('is_signed_by_key'),
  };
}

async function one(context: Context, id: string) {
  return { answer: recordJson(ENDPOINT, await readWebhookEndpoint(context, id), context) };
}

async function secretsOf(context: Context, id: string | undefined) {
  return allSecrets(context, await listWebhookSecrets(context, id));
}

function allSecrets(context: Context, rows: readonly SecretRow[]) {
  return { results: rows.map((row) => recordJson(SECRET, row, context)) };
}

/** Routes for reading. */
export const ENDPOINT_READS: readonly RecordRead[] = [
  {
    path: '/v2/webhook_endpoints',
    ...{ tag: TAG, operation: 'list_webhook_endpoints', schema: listSchema(ENDPOINT.name) },
    summary: 'Lists the webhook endpoints without removed ones, oldest first',
    respond: async (context, _request, violations) => {
      violations.refuse();
      const rows = await listWebhookEndpoints(context);
      return { results: rows.map((row) => recordJson(ENDPOINT, row, context)) };
    },
  },
  {
    path: '/v2/webhook_endpoint/{id}',
    ...{ tag: TAG, operation: 'get_webhook_endpoint', schema: oneSchema(ENDPOINT.name), id: ID },
    summary: 'Reads a webhook endpoint',
    respond: async (context, { id }, violations) => {
      violations.refuse();
      return (await one(context, id)).answer;
    },
  },
  {
    path: '/v2/webhook_endpoint/{id}/secrets',
    ...{ tag: TAG, operation: 'list_webhook_endpoint_secrets', schema: SECRETS, id: ID },
    summary: 'Lists the valid signing secrets of an endpoint, newest first',
    scope: 'admin',
    respond: async (context, { id }, violations) => {
      violations.refuse();
      return secretsOf(context, id);
    },
  },
  {
    path: '/v2/webhook_secrets',
    ...{ tag: TAG, operation: 'list_webhook_secrets', schema: SECRETS },
    summary: `Lists the valid signing secrets ${OF_TRANSACTIONS}, newest first`,
    scope: 'admin',
    respond: async (context, _request, violations) => {
      violations.refuse();
      return secretsOf(context, undefined);
    },
  },
];

/** An action on an endpoint, without a body. */
function stateRoute(
  name: string,
  action: RecordWrite['action'],
  summary: string,
  perform: (context: Context, id: string) => Promise<void>,
): RecordWrite {
  return {
    path: `/v2/webhook_endpoint/{id}/${name}`,
    ...{ tag: TAG, operation: `${name}_webhook_endpoint`, schema: oneSchema(ENDPOINT.name), id: ID },
    ...{ action, summary },
    perform: async (context, _attempt, { id, checks }) => {
      checks.refuse();
      await perform(context, id);
      return one(context, id);
    },
  };
}

function rotation(path: RecordWrite['path'], operation: string, of: string): RecordWrite {
  const isOne = path.includes('{id}');
  return {
    ...{ path, tag: TAG, operation, schema: SECRETS, ...(isOne && { id: ID }), shape: OVERLAP },
    action: 'webhook.rotate_secret',
    summary: `Creates a new signing secret ${of}; both sign until the old one ends. Answers with the valid ones, the new one first`,
    perform: async (context, { made, bind }, { id, body, checks }) => {
      const name = 'overlap_seconds';
      const seconds = parseInteger(body.get(name), 0, OVERLAP_SECONDS.max, checks);
      checks.refuse();
      const endpointId = isOne ? id : undefined;
      const overlap = { name, value: seconds ?? OVERLAP_SECONDS.default };
      const answer = made
        ? await secretsOf(context, endpointId)
        : allSecrets(context, await rotateWebhookSecret(context, endpointId, overlap, { bind }));
      return { answer, stored: {} };
    },
    again: (context, _stored, id) => secretsOf(context, isOne ? id : undefined),
  };
}

/** Routes for writing. */
export const ENDPOINT_WRITES: readonly RecordWrite[] = [
  {
    path: '/v2/webhook_endpoint',
    ...{ tag: TAG, operation: 'create_webhook_endpoint', schema: oneSchema(ENDPOINT.name) },
    action: 'webhook.create',
    summary: `Creates a webhook endpoint with its own signing secret, for events from now on. An account can have ${ENDPOINTS_MAX}`,
    status: 201,
    shape: {
      url: URL_MEMBER,
      template: text('Template that it is for. Default: all.'),
      ...SETTINGS,
    },
    needs: { all: ['url'] },
    perform: async (context, attempt, { body, checks }) => {
      const names = context.registry.templates.map(({ name }) => name);
      const template = body.get('template');
      const isKnown = names.some((name) => name === template?.value);
      if (template && !isKnown)
        checks.add({ parameter: template.name, message: `must be one of ${names.join(', ')}` });
      const input = { ...inputOf(body, checks), template: isKnown ? template?.value : undefined };
      const id = attempt.made ?? (await createEndpoint(context, input, checks, 'url', attempt));
      return one(context, id);
    },
  },
  {
    path: '/v2/webhook_endpoint/{id}/update',
    ...{ tag: TAG, operation: 'update_webhook_endpoint', schema: oneSchema(ENDPOINT.name), id: ID },
    action: 'webhook.update',
    summary:
      'Changes a webhook endpoint. Members that are not given stay; null clears `description` and `max_per_second`',
    shape: { url: URL_MEMBER, ...SETTINGS },
    perform: async (context, _attempt, { id, body, checks }) => {
      const input = inputOf(body, checks);
      checks.refuse();
      await updateEndpoint(context, id, input, checks);
      return one(context, id);
    },
  },
  stateRoute(
    'remove',
    'webhook.remove',
    'Removes a webhook endpoint and skips its pending deliveries',
    removeWebhookEndpoint,
  ),
  stateRoute(
    'pause',
    'webhook.pause',
    'Pauses a webhook endpoint: its deliveries wait',
    pauseWebhookEndpoint,
  ),
  stateRoute(
    'resume',
    'webhook.resume',
    'Resumes a webhook endpoint: a paused one with its waiting deliveries, a disabled one with events from now on',
    resumeWebhookEndpoint,
  ),
  rotation('/v2/webhook_endpoint/{id}/rotate_secret', 'rotate_webhook_endpoint_secret', 'of an endpoint'),
  rotation('/v2/webhook_secrets/rotate', 'rotate_webhook_secret', OF_TRANSACTIONS),
];

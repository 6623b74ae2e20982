/** Deliveries of webhooks in `/v2`, and the routes that send them again (C-64). */
import { parseInstant } from '../base/time/instant.ts';
import { encodeEventCursor } from '../events/cursor.ts';
import type { CreationChecks } from '../resolvers/checks/check-creation.ts';
import { EVENT_NAMES_MAX } from '../resolvers/checks/check-event-names.ts';
import type { Context } from '../resolvers/services/context.ts';
import { listWebhookDeliveries, readWebhookDelivery } from '../resolvers/webhooks/read-webhooks.ts';
import {
  type EndedState,
  recoverWebhookEndpoint,
  redeliverWebhook,
  redeliverWebhooks,
  sendTestWebhook,
} from '../resolvers/webhooks/redeliver-webhooks.ts';
import { type AttemptRecord, DELIVERY_STATES, type ListedDelivery } from '../store/webhooks/delivery-list.ts';
import type { Redelivered } from '../store/webhooks/redeliveries.ts';
import { type Body, parsePage } from './input.ts';
import { flag, text, texts } from './members.ts';
import { listSchema, oneSchema, type RecordRead, type RecordWrite } from './record-route.ts';
import { membersOf, type RecordShape, recordJson } from './record-shape.ts';

const delivery = membersOf<ListedDelivery>();
const attempt = membersOf<AttemptRecord>();
const redelivery = membersOf<Redelivered>();

/** Deliveries: an event to an endpoint. */
export const DELIVERY: RecordShape<ListedDelivery> = {
  name: 'WebhookDelivery',
  members: {
    id: delivery.text('Identifier of the delivery.', ({ id }) => String(id)),
    endpoint_id: delivery.text('Endpoint that it is sent to.', ({ endpointId }) => endpointId),
    event: delivery.textOrNull('Name of the event; null when it is no longer kept.', ({ event }) => event),
    end2end: delivery.textOrNull('Transaction of the event.', ({ end2end }) => end2end),
    state: delivery.text('State of the delivery.', ({ state }) => state, { enum: DELIVERY_STATES }),
    round: delivery.count(
      '0 for the first delivery of the event, 1 and higher for redeliveries, below 0 for tests.',
      ({ round }) => round,
    ),
    attempts: delivery.count('Attempts so far.', ({ attempts }) => attempts),
    status: delivery.countOrNull('HTTP status of the last answer.', ({ status }) => status),
    error: delivery.textOrNull('Why no complete answer came last.', ({ error }) => error),
    next_attempt_at: delivery.timeOrNull(
      'When the next attempt is due, unless deliveries before it hold it back; null when it has ended.',
      ({ dueAt }) => dueAt,
    ),
    created_at: delivery.time('When it was created.', ({ createdAt }) => createdAt),
    ended_at: delivery.timeOrNull('When it was delivered, given up or skipped.', ({ endedAt }) => endedAt),
  },
};

/** Attempts of a delivery. */
export const ATTEMPT: RecordShape<AttemptRecord> = {
  name: 'WebhookAttempt',
  members: {
    attempt: attempt.count('Number of the attempt, from 1.', (row) => row.attempt),
    at: attempt.time('When it began.', ({ at }) => at),
    duration_ms: attempt.count('Duration, milliseconds.', ({ durationMs }) => durationMs),
    status: attempt.countOrNull('HTTP status of the answer; null when none came.', ({ status }) => status),
    error: attempt.textOrNull('Why no complete answer came.', ({ error }) => error),
    answer: attempt.textOrNull('First 4 KiB of the answer.', ({ answer }) => answer),
  },
};

/** Outcome of a redelivery. */
export const REDELIVERY: RecordShape<Redelivered> = {
  name: 'WebhookRedelivery',
  members: {
    matched: redelivery.count('Deliveries, or missed events, that match.', ({ matched }) => matched),
    redelivered: redelivery.count(
      'How many are sent again, the oldest first: at most 10,000, and 0 in a dry run.',
      (row) => row.redelivered,
    ),
    last_cursor: redelivery.textOrNull(
      'Cursor of the last event that is sent again: give it as `after` to go on.',
      ({ lastSeq, lastToken }, { caller }) =>
        lastSeq === null
          ? null
          : encodeEventCursor(caller.accountId, { seq: lastSeq, token: lastToken ?? '' }),
    ),
  },
};

const TAG = 'webhooks';
const ID = 'The delivery.';
const ENDED: readonly EndedState[] = ['delivered', 'dead', 'skipped'];

async function one(context: Context, id: string) {
  const found = await readWebhookDelivery(context, id);
  return {
    ...(recordJson(DELIVERY, found.delivery, context) as object),
    attempt_log: found.attempts.map((each) => recordJson(ATTEMPT, each, context)),
  };
}

/** A single delivery also has its attempts. */
const WITH_ATTEMPTS = {
  type: 'object',
  properties: {
    ...Object.fromEntries(Object.entries(DELIVERY.members).map(([name, { schema }]) => [name, schema])),
    attempt_log: {
      type: 'array',
      description: 'All attempts in order, at most 10.',
      items: oneSchema(ATTEMPT.name),
    },
  },
  required: [...Object.keys(DELIVERY.members), 'attempt_log'],
  additionalProperties: false,
};

/** Routes for reading. */
export const DELIVERY_READS: readonly RecordRead[] = [
  {
    path: '/v2/webhook_deliveries',
    ...{ tag: TAG, operation: 'list_webhook_deliveries', schema: listSchema(DELIVERY.name, true) },
    summary: 'Lists webhook deliveries, newest first',
    parameters: ['limit', 'before', 'endpoint_id', 'state'],
    respond: async (context, { query, policy }, violations) => {
      const { limit } = parsePage(query, policy, violations);
      const which = {
        ...{ endpointId: query.get('endpoint_id'), state: query.get('state'), before: query.get('before') },
        limit,
      };
      const { deliveries, next } = await listWebhookDeliveries(context, which, violations);
      const results = deliveries.map((row) => recordJson(DELIVERY, row, context));
      return { results, next: next === null ? null : String(next) };
    },
  },
  {
    path: '/v2/webhook_delivery/{id}',
    ...{ tag: TAG, operation: 'get_webhook_delivery', schema: WITH_ATTEMPTS, id: ID },
    summary: 'Reads a webhook delivery with its attempts',
    respond: (context, { id }, violations) => {
      violations.refuse();
      return one(context, id);
    },
  },
];

/** Filter of a redelivery in a body. */
function filterOf(body: Body, checks: CreationChecks) {
  const states = body.list('states');
  const odd = states?.values.find((each) => !ENDED.some((state) => state === each));
  if (states && odd !== undefined)
    checks.add({ parameter: states.name, message: `must be one of ${ENDED.join(', ')}` });
  const from = body.get('since');
  const since = from && parseInstant(from.value);
  if (from && !since)
    checks.add({ parameter: from.name, message: 'must be a time such as 2026-05-01T12:00:00Z' });
  return {
    endpointId: checks.text(body.get('endpoint_id')),
    states: states && ENDED.filter((state) => states.values.includes(state)),
    since,
    after: body.get('after'),
    eventNames: body.list('event_names'),
  };
}

/** Routes for writing. */
export const DELIVERY_WRITES: readonly RecordWrite[] = [
  {
    path: '/v2/webhook_delivery/{id}/redeliver',
    ...{ tag: TAG, operation: 'redeliver_webhook', schema: WITH_ATTEMPTS, id: ID },
    action: 'webhook.redeliver',
    summary:
      'Sends the event of a delivery again, as a new delivery; a pending one is attempted at once instead',
    perform: async (context, attempt, { id, checks }) => {
      checks.refuse();
      const made = attempt.made ?? String(await redeliverWebhook(context, id, attempt));
      return { answer: await one(context, made) };
    },
  },
  {
    path: '/v2/webhook_endpoint/{id}/test',
    ...{ tag: TAG, operation: 'test_webhook_endpoint', schema: WITH_ATTEMPTS, id: 'The endpoint, `whe_…`.' },
    action: 'webhook.test',
    summary:
      'Sends the newest event of the account to an endpoint as a test, once, with the header `crossramp-test: true`',
    perform: async (context, attempt, { id, checks }) => {
      checks.refuse();
      const made = attempt.made ?? String(await sendTestWebhook(context, id, attempt));
      return { answer: await one(context, made) };
    },
  },
  {
    path: '/v2/webhook_endpoint/{id}/recover',
    ...{ tag: TAG, operation: 'recover_webhook_endpoint', id: 'The endpoint, `whe_…`.' },
    schema: oneSchema(REDELIVERY.name),
    action: 'webhook.recover',
    summary:
      'Enables a disabled endpoint and sends it the events that it missed, 10,000 at once: repeat for the rest',
    perform: async (context, attempt, { id, checks }) => {
      checks.refuse();
      return { answer: recordJson(REDELIVERY, await recoverWebhookEndpoint(context, id, attempt), context) };
    },
  },
  {
    path: '/v2/webhook_deliveries/redeliver',
    ...{ tag: TAG, operation: 'redeliver_webhooks', schema: oneSchema(REDELIVERY.name) },
    action: 'webhook.redeliver',
    summary: 'Sends the events of a filter again, the oldest 10,000; all members that are given must hold',
    shape: {
      endpoint_id: text('Only deliveries to this endpoint, `whe_…`.'),
      states: texts('Only deliveries in these states. Default: dead and skipped.', {
        ...{ maxItems: ENDED.length, of: { enum: ENDED } },
      }),
      since: text('Only events that occurred then or later.', { format: 'date-time' }),
      after: text('Only events after this cursor of the event log.'),
      event_names: texts('Only events with these names; `*` stands for any part.', {
        maxItems: EVENT_NAMES_MAX,
      }),
      dry_run: flag('Only count: nothing is sent. Default: false.'),
    },
    perform: async (context, attempt, { body, checks }) => {
      const options = { isDryRun: body.flag('dry_run') ?? false, attempt };
      const found = await redeliverWebhooks(context, filterOf(body, checks), checks, options);
      return { answer: recordJson(REDELIVERY, found, context) };
    },
  },
];

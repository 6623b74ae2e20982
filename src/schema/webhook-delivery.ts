/** Deliveries of webhooks and their attempts, and the mutations that send events again (C-64). */

import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { encodeEventCursor } from '../events/cursor.ts';
import { checksOf } from '../resolvers/check-creation.ts';
import { Violations } from '../resolvers/check-filter.ts';
import {
  recoverWebhookEndpoint,
  redeliverWebhook,
  redeliverWebhooks,
  sendTestWebhook,
} from '../resolvers/redeliver-webhooks.ts';
import type { Redelivered } from '../store/redeliveries.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import type { EventLogRefs } from './event-log.ts';
import { isoOf } from './moment.ts';
import { named } from './named.ts';
import { badCursor, connectionOf, decodeCursor, FIRST_DEFAULT, pageSize } from './pagination.ts';
import type { TransactionRef } from './transaction.ts';
import type { AccountRef } from './viewer.ts';
import type { EndpointRef } from './webhook.ts';

/** Types that deliveries are reached from, or lead to. */
interface Refs {
  readonly account: AccountRef;
  readonly transaction: TransactionRef;
  readonly endpoint: EndpointRef;
  readonly event: EventLogRefs['event'];
}

/** A transaction has a delivery for each of its few events and endpoints, and what was sent again. */
const OF_TRANSACTION_MAX = 100;

/** Defines `WebhookDelivery`, the lists of them, and the mutations that send again. */
export function defineDeliveries(builder: Builder, refs: Refs): void {
  const delivery = defineDelivery(builder, refs);
  builder.prismaInterfaceField(refs.transaction, 'deliveries', (t) =>
    t.prismaField({
      type: [delivery],
      description: `Webhooks of its events, the oldest first; ${OF_TRANSACTION_MAX} at most.`,
      resolve: (query, { accountId, id }, _args, { database }) =>
        database.prisma.webhookDelivery.findMany({
          ...query,
          where: { accountId, transactionId: id },
          orderBy: { id: 'asc' },
          take: OF_TRANSACTION_MAX,
        }),
    }),
  );
  const state = defineList(builder, refs.account, delivery);
  defineSingle(builder, delivery);
  defineMany(builder, state);
}

function defineDelivery(builder: Builder, { endpoint, transaction, event }: Refs) {
  const attempt = builder.prismaObject('WebhookAttempt', {
    description: 'One try to deliver.',
    fields: (t) => ({
      attempt: t.exposeInt('attempt', { description: 'From 1.' }),
      at: t.field({ type: 'DateTime', resolve: (row) => isoOf(row.at) }),
      durationMs: t.exposeInt('durationMs'),
      status: t.exposeInt('status', { nullable: true, description: 'Of the answer; null when none came.' }),
      error: t.exposeString('error', { nullable: true, description: 'Why there was no whole answer.' }),
      answer: t.exposeString('answer', { nullable: true, description: 'Its first 4 KiB.' }),
    }),
  });
  return builder.prismaObject('WebhookDelivery', {
    description: 'One event on its way to one endpoint.',
    fields: (t) => ({
      id: t.string({ resolve: ({ id }) => String(id) }),
      eventCursor: t.string({
        description: 'Cursor of its event in the event log.',
        resolve: ({ accountId, eventSeq }) => encodeEventCursor(accountId, eventSeq),
      }),
      event: t.field({
        type: event,
        nullable: true,
        description: 'The event with the body that is sent; null when it is not kept any more.',
        resolve: async ({ accountId, eventSeq }, _args, { loaders }) => {
          const found = await loaders.event.load(eventSeq);
          return (
            found && { kind: 'event' as const, cursor: encodeEventCursor(accountId, eventSeq), event: found }
          );
        },
      }),
      state: t.exposeString('state', {
        description:
          '`pending`; `delivered`; `dead` after the last try; `skipped` because its endpoint was disabled or removed, or the event is not kept any more.',
      }),
      round: t.exposeInt('round', {
        description: '0 at first, higher for each time that it was asked for again; below 0 for a test.',
      }),
      endpoint: t.relation('endpoint', { type: endpoint }),
      transaction: t.field({
        type: transaction,
        resolve: async ({ transactionId }, _args, { loaders }) =>
          (await loaders.transaction.load(transactionId)) as never,
      }),
      attempts: t.relation('attemptLog', {
        type: attempt,
        description: 'All tries, in order.',
        query: { orderBy: { attempt: 'asc' } },
      }),
      nextAttemptAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it is tried next, unless it has to wait for others; null when it has ended.',
        resolve: ({ state, dueAt }) => (state === 'pending' ? isoOf(dueAt) : null),
      }),
      createdAt: t.field({ type: 'DateTime', resolve: (row) => isoOf(row.createdAt) }),
      endedAt: t.field({
        type: 'DateTime',
        nullable: true,
        resolve: ({ endedAt }) => endedAt && isoOf(endedAt),
      }),
    }),
  });
}

type DeliveryRef = ReturnType<typeof defineDelivery>;

function defineList(builder: Builder, account: AccountRef, delivery: DeliveryRef) {
  const state = builder.enumType('WebhookDeliveryState', {
    description: 'Where a delivery stands.',
    values: {
      PENDING: { value: 'pending' },
      DELIVERED: { value: 'delivered' },
      DEAD: { value: 'dead', description: 'The last try failed too.' },
      SKIPPED: {
        value: 'skipped',
        description: 'Its endpoint was disabled or removed, or its event is not kept any more.',
      },
    } as const,
  });
  const connection = builder.connectionObject(
    { type: delivery, name: 'WebhookDeliveryConnection' },
    { name: 'WebhookDeliveryEdge' },
  );
  builder.prismaObjectField(account, 'webhookDeliveries', (t) =>
    t.field({
      type: connection,
      description: 'Webhooks of the account, the newest first.',
      args: {
        endpointId: t.arg.string(),
        states: t.arg({ type: [state] }),
        first: t.arg.int({ defaultValue: FIRST_DEFAULT }),
        after: t.arg.string(),
      },
      complexity: (args) => ({ field: 1, multiplier: args.first ?? FIRST_DEFAULT }),
      resolve: async (_account, args, context, info) => (await readPage(context, args, info)) as never,
    }),
  );
  return state;
}

interface ListArgs {
  readonly endpointId?: string | null | undefined;
  readonly states?: readonly string[] | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

async function readPage(
  context: GraphqlContext,
  { endpointId, states, first, after }: ListArgs,
  info: GraphQLResolveInfo,
) {
  const size = pageSize(first);
  const before = after == null ? undefined : idOf(after);
  const violations = new Violations();
  violations.text(named('endpointId', endpointId));
  violations.refuse();
  const query: object = queryFromInfo({
    context,
    info,
    path: ['edges', 'node'],
    typeName: 'WebhookDelivery',
  });
  const rows = await context.database.prisma.webhookDelivery.findMany({
    ...query,
    where: {
      accountId: context.caller.accountId,
      ...(before !== undefined && { id: { lt: before } }),
      ...(endpointId != null && { endpointId }),
      ...(states && { state: { in: [...new Set(states)] } }),
    },
    orderBy: { id: 'desc' },
    take: size + 1,
  });
  return connectionOf(rows, size, {
    after,
    totalCount: () => rows.length,
    keyOf: ({ id }) => String(id),
  });
}

function idOf(cursor: string): bigint {
  const key = decodeCursor(cursor);
  if (!/^[1-9]\d{0,17}$/.test(key)) throw badCursor();
  return BigInt(key);
}

function defineSingle(builder: Builder, delivery: DeliveryRef): void {
  const acts = {
    redeliverWebhook: {
      perform: redeliverWebhook,
      description:
        'Sends the event of a delivery once more to its endpoint, as a delivery of its own; one that still waits is tried at once instead. Neither waits for an open breaker. An endpoint that is disabled or was removed is a STEP_CONFLICT.',
      argument: 'Of a delivery.',
    },
    sendTestWebhook: {
      perform: sendTestWebhook,
      description:
        'Sends the newest event of the account to an endpoint with the header `crossramp-test: true`: tried once, out of turn, also while the breaker is open, and not held against the endpoint. A disabled endpoint is a STEP_CONFLICT.',
      argument: 'Of an endpoint.',
    },
  };
  for (const [name, { perform, description, argument }] of Object.entries(acts)) {
    builder.mutationField(name, (t) =>
      t.prismaField({
        type: delivery,
        description: `${description} Needs the scope \`admin\`.`,
        args: { id: t.arg.string({ required: true, description: argument }) },
        resolve: async (query, _root, args, context) => {
          const id = await perform(context, args.id);
          const where = { accountId_id: { accountId: context.caller.accountId, id } };
          return context.database.prisma.webhookDelivery.findUniqueOrThrow({ ...query, where });
        },
      }),
    );
  }
}

type StateRef = ReturnType<typeof defineList>;

function defineMany(builder: Builder, state: StateRef): void {
  const payload = builder.objectRef<Redelivered & { readonly accountId: bigint }>('WebhookRedelivery');
  payload.implement({
    description: 'What is sent again.',
    fields: (t) => ({
      matched: t.exposeInt('matched', { description: 'Deliveries, or missed events, that were found.' }),
      redelivered: t.exposeInt('redelivered', {
        description: 'Those that are sent again, the oldest events first: 10,000 at most, none in a dry run.',
      }),
      lastCursor: t.string({
        nullable: true,
        description: 'Of the last event that is sent again: what was too much follows after it.',
        resolve: ({ accountId, lastSeq }) =>
          lastSeq === null ? null : encodeEventCursor(accountId, lastSeq),
      }),
    }),
  });
  const filter = builder.inputType('WebhookRedeliveryFilter', {
    description: 'All that are given must hold, of the last time that an event was sent to an endpoint.',
    fields: (t) => ({
      endpointId: t.string(),
      states: t.field({
        type: [state],
        description: 'Default `DEAD` and `SKIPPED`; what is pending is sent anyway.',
      }),
      since: t.field({ type: 'DateTime', description: 'Events that occurred then or later.' }),
      after: t.string({ description: 'Cursor of the event log: events after it.' }),
      eventNames: t.stringList({ description: 'Such as `onramp.payment.*`.' }),
    }),
  });
  builder.mutationField('redeliverWebhooks', (t) =>
    t.field({
      type: payload,
      description: 'Sends events again to the endpoints that they were for. Needs the scope `admin`.',
      args: {
        filter: t.arg({ type: filter, required: true }),
        dryRun: t.arg.boolean({ required: true, defaultValue: false, description: 'Counts them only.' }),
      },
      resolve: async (_root, { filter: given, dryRun }, context) => {
        const { endpointId, states, since, after, eventNames } = given;
        const input = {
          endpointId: endpointId ?? undefined,
          states: states ? [...new Set(states)].filter((each) => each !== 'pending') : undefined,
          since: since ?? undefined,
          after: named('filter.after', after),
          eventNames: eventNames ? { name: 'filter.eventNames', values: eventNames } : undefined,
        };
        const done = await redeliverWebhooks(context, input, checksOf(context), { isDryRun: dryRun });
        return { ...done, accountId: context.caller.accountId };
      },
    }),
  );
  builder.mutationField('recoverWebhookEndpoint', (t) =>
    t.field({
      type: payload,
      description:
        'Enables a disabled endpoint again and sends what it missed by that, 10,000 events at once: again for the rest. Needs the scope `admin`.',
      args: { id: t.arg.string({ required: true }) },
      resolve: async (_root, { id }, context) => ({
        ...(await recoverWebhookEndpoint(context, id)),
        accountId: context.caller.accountId,
      }),
    }),
  );
}

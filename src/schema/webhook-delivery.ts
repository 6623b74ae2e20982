/** Deliveries of webhooks and their attempts (C-64). */

import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { LONGEST_TEXT, Violations } from '../base/errors/violations.ts';
import { encodeEventCursor } from '../events/cursor.ts';
import { webhookId } from '../events/webhook-id.ts';
import { bounded, LISTED_MAX } from '../resolvers/checks/lengths.ts';
import { requireScope } from '../resolvers/services/context.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { EventLogRefs } from './event-log.ts';
import { isoOf } from './iso-of.ts';
import { named } from './named.ts';
import { nodeType, numberOf } from './node.ts';
import {
  type Connection,
  connectionOf,
  countedArguments,
  countedComplexity,
  countedSlice,
  decodeNumber,
  encodeCursor,
  type PositionedArgs,
  searchedComplexity,
} from './pagination.ts';
import { selects } from './selection.ts';
import type { TransactionRef } from './transaction.ts';
import type { AccountRef } from './viewer.ts';
import type { EndpointRef } from './webhook.ts';

/** The type `WebhookDelivery`, and the enum of its states. */
export type DeliveryRefs = ReturnType<typeof defineDeliveries>;

/** Types that deliveries are reached from, or lead to. */
interface Refs {
  readonly account: AccountRef;
  readonly transaction: TransactionRef;
  readonly endpoint: EndpointRef;
  readonly event: EventLogRefs['event'];
}

/** Maximum number: a transaction has few events and endpoints, and some redeliveries. */
const OF_TRANSACTION_MAX = 100;

/**
 * Defines `WebhookDelivery` and its lists.
 *
 * @returns the type, and the enum of its states.
 */
export function defineDeliveries(builder: Builder, refs: Refs) {
  const state = defineState(builder);
  const delivery = defineDelivery(builder, refs, state);
  builder.prismaInterfaceField(refs.transaction, 'deliveries', (t) =>
    t.prismaField({
      type: [delivery],
      description: `Webhook deliveries of its events, oldest first; at most ${OF_TRANSACTION_MAX}.`,
      resolve: (query, { accountId, id }, _args, { database }) =>
        prismaOf(database).webhookDelivery.findMany({
          ...query,
          where: { accountId, transactionId: id },
          orderBy: { id: 'asc' },
          take: OF_TRANSACTION_MAX,
        }),
    }),
  );
  defineWebhookId(builder, delivery);
  defineList(builder, refs.account, delivery, state);
  return { delivery, state };
}

function defineWebhookId(builder: Builder, delivery: ReturnType<typeof defineDelivery>): void {
  builder.prismaObjectFields(delivery, (t) => ({
    webhookId: t.string({
      nullable: true,
      description:
        'Value of the header `webhook-id`, the same for each attempt; null when the event is no longer kept.',
      resolve: async ({ accountId, eventSeq: seq }, _args, { database }) => {
        const where = { accountId, seq };
        const found = await prismaOf(database).event.findFirst({ where, select: { token: true } });
        return found && webhookId(seq, found.token);
      },
    }),
  }));
}

function defineAttempt(builder: Builder) {
  return builder.prismaObject('WebhookAttempt', {
    description: 'One attempt to deliver a webhook.',
    fields: (t) => ({
      attempt: t.exposeInt('attempt', { description: 'Number of the attempt, from 1.' }),
      at: t.field({ type: 'DateTime', description: 'When it began.', resolve: (row) => isoOf(row.at) }),
      durationMs: t.exposeInt('durationMs', { description: 'Duration, milliseconds.' }),
      status: t.exposeInt('status', {
        nullable: true,
        description: 'HTTP status of the answer; null without an answer.',
      }),
      error: t.exposeString('error', {
        nullable: true,
        description: 'Reason for which no complete answer came; null when one did.',
      }),
      answer: t.exposeString('answer', { nullable: true, description: 'First 4 KiB of the answer.' }),
    }),
  });
}

function nodeOfWebhookDelivery(builder: Builder) {
  return nodeType<{ id: bigint }>(builder, 'WebhookDelivery', {
    rawId: ({ id }) => String(id),
    read: async (context, rawId) => {
      requireScope(context, 'read');
      const id = numberOf(rawId);
      if (id === undefined) return null;
      const where = { accountId_id: { accountId: context.caller.accountId, id } };
      return prismaOf(context.database).webhookDelivery.findUnique({ where });
    },
  });
}

function defineDelivery(builder: Builder, { endpoint, transaction, event }: Refs, state: StateRef) {
  const attempt = defineAttempt(builder);
  return builder.prismaObject('WebhookDelivery', {
    description: 'One event that is delivered to one endpoint.',
    interfaces: [nodeOfWebhookDelivery(builder)],
    fields: (t) => ({
      deliveryId: t.string({
        description: 'Identifier of the delivery.',
        resolve: ({ id }) => String(id),
      }),
      eventCursor: t.string({
        description: 'Cursor of its event in the event log.',
        resolve: async ({ accountId, eventSeq: seq }, _args, { loaders }) => {
          const found = await loaders.event.load({ accountId, id: seq });
          return encodeEventCursor(accountId, found ?? { seq, token: '' });
        },
      }),
      event: t.field({
        type: event,
        nullable: true,
        description: 'The event, with the body that is sent; null when it is no longer kept.',
        resolve: async ({ accountId, eventSeq }, _args, { loaders }) => {
          const found = await loaders.event.load({ accountId, id: eventSeq });
          return (
            found && { kind: 'event' as const, cursor: encodeEventCursor(accountId, found), event: found }
          );
        },
      }),
      state: t.field({
        type: state,
        description: 'State of the delivery.',
        resolve: (row) => row.state as 'pending',
      }),
      round: t.exposeInt('round', {
        description:
          '0 for the first delivery of the event, 1 and higher for redeliveries, below 0 for tests.',
      }),
      endpoint: t.relation('endpoint', { type: endpoint, description: 'The endpoint that it is sent to.' }),
      transaction: t.field({
        type: transaction,
        description: 'The transaction of the event.',
        resolve: async ({ accountId, transactionId }, _args, { loaders }) =>
          (await loaders.transaction.load({ accountId, id: transactionId })) as never,
      }),
      attempts: t.relation('attemptLog', {
        type: attempt,
        description: 'All attempts, in order; at most 10.',
        query: { orderBy: { attempt: 'asc' } },
      }),
      nextAttemptAt: t.field({
        type: 'DateTime',
        nullable: true,
        description:
          'When the next attempt is due, unless earlier deliveries hold it back; null after the end.',
        resolve: ({ state, dueAt }) => (state === 'pending' ? isoOf(dueAt) : null),
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: DESCRIPTIONS.createdAt,
        resolve: (row) => isoOf(row.createdAt),
      }),
      endedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was delivered, given up or skipped; null while it is pending.',
        resolve: ({ endedAt }) => endedAt && isoOf(endedAt),
      }),
    }),
  });
}

type DeliveryRef = ReturnType<typeof defineDelivery>;

function defineState(builder: Builder) {
  return builder.enumType('WebhookDeliveryState', {
    description: 'State of a delivery.',
    values: {
      PENDING: { value: 'pending', description: 'Further attempts are due.' },
      DELIVERED: { value: 'delivered', description: 'The endpoint answered 2xx.' },
      DEAD: { value: 'dead', description: 'The last attempt failed, too. It can be redelivered.' },
      SKIPPED: {
        value: 'skipped',
        description: 'Not sent: its endpoint was disabled or removed, or its event is no longer stored.',
      },
    } as const,
  });
}

type StateRef = ReturnType<typeof defineState>;

function defineList(builder: Builder, account: AccountRef, delivery: DeliveryRef, state: StateRef): void {
  const connection = builder.connectionObject(
    {
      type: delivery,
      name: 'WebhookDeliveryConnection',
      description: 'A page of the deliveries.',
      fields: (t) => ({
        totalCount: t.int({
          nullable: true,
          description: `Number of all deliveries that match, not only of this page. Exact up to ${COUNT_MAX.toLocaleString('en')}; null when there are more.`,
          complexity: 100,
          resolve: (page) => (page as unknown as Connection<unknown>).totalCount(),
        }),
      }),
    },
    { name: 'WebhookDeliveryEdge', description: 'A delivery and its cursor.' },
  );
  builder.prismaObjectField(account, 'webhookDelivery', (t) =>
    t.prismaField({
      type: delivery,
      nullable: true,
      description: 'One delivery of the account; null where it has none of this id.',
      args: { deliveryId: t.arg.string({ required: true, description: 'Identifier of the delivery.' }) },
      resolve: (query, { id: accountId }, { deliveryId }, { database }) => {
        const id = numberOf(deliveryId);
        return id === undefined
          ? null
          : prismaOf(database).webhookDelivery.findFirst({ ...query, where: { accountId, id } });
      },
    }),
  );
  builder.prismaObjectField(account, 'webhookDeliveries', (t) =>
    t.field({
      type: connection,
      description: 'The webhook deliveries of the account, newest first.',
      args: {
        endpointId: t.arg.string({
          description: bounded('Only deliveries to this endpoint, `whe_…`.', LONGEST_TEXT),
        }),
        states: t.arg({
          type: [state],
          description: bounded('Only deliveries in one of these states; default: all.', LISTED_MAX, 'states'),
        }),
        ...countedArguments(t.arg, COUNT_MAX),
      },
      // No index serves these filters.
      complexity: ({ endpointId, states, ...page }) =>
        endpointId == null && states == null ? countedComplexity(page) : searchedComplexity(page),
      resolve: async (_account, args, context, info) => (await readPage(context, args, info)) as never,
    }),
  );
}

interface ListArgs extends PositionedArgs {
  readonly endpointId?: string | null | undefined;
  readonly states?: readonly string[] | null | undefined;
}

/** Counting stops at this number: deliveries have no dense numbers. */
const COUNT_MAX = 100_000;

async function readPage(
  context: GraphqlContext,
  { endpointId, states, ...args }: ListArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<{ readonly id: bigint }>> {
  const violations = new Violations();
  violations.text(named('endpointId', endpointId));
  if (states) violations.atMost('states', states, LISTED_MAX, 'states');
  violations.refuse();
  const slice = countedSlice(args, decodeNumber, COUNT_MAX);
  const { webhookDelivery } = prismaOf(context.database);
  const where = {
    accountId: context.caller.accountId,
    ...(endpointId != null && { endpointId }),
    ...(states && { state: { in: [...new Set(states)] } }),
  };
  const paths = [['edges', 'node'], ['nodes']];
  const query: object = queryFromInfo({ context, info, paths, typeName: 'WebhookDelivery' });
  // Newest first: deliveries after a cursor have smaller ids.
  const rows = await webhookDelivery.findMany({
    ...query,
    where: {
      ...where,
      id: {
        ...(slice.after !== undefined && { lt: slice.after }),
        ...(slice.before !== undefined && { gt: slice.before }),
      },
    },
    orderBy: { id: slice.isBackward ? 'asc' : 'desc' },
    take: slice.size + 1,
    skip: slice.skip,
  });
  const isFound = async (id: object | undefined) =>
    id !== undefined &&
    (await webhookDelivery.findFirst({ where: { ...where, id }, select: { id: true } })) !== null;
  const isRequested = selects(info, 'pageInfo');
  return connectionOf(rows, slice, {
    totalCount: async () => {
      const count = await webhookDelivery.count({ where, take: COUNT_MAX + 1 });
      return count > COUNT_MAX ? null : count;
    },
    cursorOf: ({ id }) => encodeCursor(String(id)),
    isPreceded:
      isRequested &&
      (await isFound(slice.after === undefined ? (slice.skip > 0 ? {} : undefined) : { gte: slice.after })),
    isFollowed:
      isRequested && (await isFound(slice.before === undefined ? undefined : { lte: slice.before })),
  });
}

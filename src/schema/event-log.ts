/** The event log: its types, and `Query.events` for those who poll. */
import { readEventPage } from '../resolvers/read-events.ts';
import { type EventFrame, templateOf } from '../resolvers/watch-events.ts';
import type { EventRow } from '../store/events.ts';
import type { TransactionRow } from '../templates/facts.ts';
import type { Registry } from '../templates/registry.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import type { LabelRef } from './label.ts';
import { isoOf } from './moment.ts';
import { type Connection, FIRST_DEFAULT, pageSize } from './pagination.ts';
import type { TransactionRef } from './transaction.ts';

/** What resolvers of a `TransactionEvent` are given. */
export interface EventParent {
  readonly kind: 'event';
  readonly cursor: string;
  readonly event: EventRow;
}

/** Defines `EventItem` and its types, and `Query.events`. */
export function defineEventLog(
  builder: Builder,
  registry: Registry,
  refs: { readonly label: LabelRef; readonly transaction: TransactionRef },
) {
  const item = defineItem(builder);
  const event = defineTransactionEvent(builder, registry, refs, item);
  const connection = builder.connectionObject(
    { type: event, name: 'EventConnection' },
    { name: 'EventEdge' },
  );
  builder.queryField('events', (t) =>
    t.field({
      type: connection,
      description:
        'Events of the account, oldest first: after a cursor, or from the oldest that is kept. `CURSOR_EXPIRED` with `earliest` in the extensions where events after the cursor are not kept any more.',
      args: {
        after: t.arg.string(),
        first: t.arg.int({ defaultValue: FIRST_DEFAULT }),
      },
      complexity: (args) => ({ field: 1, multiplier: args.first ?? FIRST_DEFAULT }),
      resolve: async (_root, args, context) => (await readPage(context, args)) as never,
    }),
  );
  return { item, event };
}

/** The types of the event log. */
export type EventLogRefs = ReturnType<typeof defineEventLog>;

/** @returns the transaction as it stands now. */
export async function presentTransaction(
  context: GraphqlContext,
  transactionId: bigint,
  row: TransactionRow | null,
): Promise<never> {
  return (row ?? (await context.loaders.transaction.load(transactionId))) as never;
}

const ITEM_TYPES = { event: 'TransactionEvent', heartbeat: 'Heartbeat', expired: 'CursorExpired' } as const;

function defineItem(builder: Builder) {
  const item = builder.interfaceRef<EventFrame | EventParent>('EventItem').implement({
    description: 'What comes on the stream of events.',
    resolveType: ({ kind }) => ITEM_TYPES[kind],
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'Where to go on after it: for `after`, for `Last-Event-ID`, and for `GET /v2/events`.',
      }),
    }),
  });
  builder.objectRef<Extract<EventFrame, { kind: 'heartbeat' }>>('Heartbeat').implement({
    description: 'Says that the stream lives; its cursor is past the events that were not asked for.',
    interfaces: [item],
    fields: (t) => ({ at: t.expose('at', { type: 'DateTime' }) }),
  });
  builder.objectRef<Extract<EventFrame, { kind: 'expired' }>>('CursorExpired').implement({
    description: 'Events after the cursor that was given are not kept any more. The stream ends after it.',
    interfaces: [item],
    fields: (t) => ({
      earliest: t.exposeString('earliest', { description: 'Goes on with the oldest event that is kept.' }),
      latest: t.exposeString('latest', { description: 'Goes on with what comes next.' }),
    }),
  });
  return item;
}

function defineTransactionEvent(
  builder: Builder,
  registry: Registry,
  { label, transaction }: { readonly label: LabelRef; readonly transaction: TransactionRef },
  item: ReturnType<typeof defineItem>,
) {
  const stepOf = ({ event }: EventParent) =>
    registry.stepOf(templateOf(registry, event)?.name ?? '', event.component, event.state);
  return builder.objectRef<EventParent>('TransactionEvent').implement({
    description: 'One change of (component, state) of a transaction.',
    interfaces: [item],
    fields: (t) => ({
      name: t.string({
        description: '`<template>.<component>.<state>` in lower case.',
        resolve: ({ event }) => event.name,
      }),
      sequence: t.int({
        description: 'Position in the transaction, from 1.',
        resolve: ({ event }) => event.sequence,
      }),
      component: t.string({ resolve: ({ event }) => event.component }),
      state: t.string({ resolve: ({ event }) => event.state }),
      occurredAt: t.field({ type: 'DateTime', resolve: ({ event }) => isoOf(event.occurredAt) }),
      status: t.field({ type: label, resolve: (parent) => stepOf(parent).status }),
      substatus: t.field({ type: label, resolve: (parent) => stepOf(parent).substatus }),
      body: t.string({
        description: 'What `/v2` gave for the transaction at that moment, and webhooks carry: JSON text.',
        resolve: ({ event }) => event.payload,
      }),
      transaction: t.field({
        type: transaction,
        description: 'The transaction as it stands when it is read.',
        resolve: ({ event }, _args, context) => presentTransaction(context, event.transactionId, null),
      }),
    }),
  });
}

async function readPage(
  context: GraphqlContext,
  {
    after,
    first,
  }: { readonly after?: string | null | undefined; readonly first?: number | null | undefined },
): Promise<Omit<Connection<EventParent>, 'totalCount'>> {
  const limit = pageSize(first);
  const page = await readEventPage(context, { after, limit, waitMs: 0 });
  const edges = page.events.map(({ cursor, event }) => ({
    cursor,
    node: { kind: 'event' as const, cursor, event },
  }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.hasMore,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      // Also of an empty page: it is the cursor to ask again with.
      endCursor: page.next,
    },
  };
}

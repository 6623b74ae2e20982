/** The event log: its types, and `Query.events` for polling clients. */
import { encodeEventCursor } from '../events/cursor.ts';
import { readEventSlice } from '../resolvers/events/read-events.ts';
import { type EventFrame, templateOf } from '../resolvers/events/watch-events.ts';
import type { EventRow } from '../store/events/events.ts';
import type { Registry } from '../templates/registry.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import type { LabelRef } from './label.ts';
import {
  type Connection,
  connectionOf,
  exactConnection,
  offsetOf,
  type PositionedArgs,
  pageArguments,
  pageComplexity,
  sliceOf,
} from './pagination.ts';
import type { TransactionRef } from './transaction.ts';

/** Parent value of a `TransactionEvent`'s resolvers. */
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
  const connection = exactConnection(builder, event, {
    name: 'Event',
    page: 'A page of the event log.',
    edge: 'An event and its cursor, the same as on streams.',
    total: 'Number of all events that are kept, not only of this page. Exact.',
  });
  builder.queryField('events', (t) =>
    t.field({
      type: connection,
      description:
        'The event log of the account, oldest first. Error `CURSOR_EXPIRED` when events after `after` are no longer stored; its extension `earliest` is the cursor to continue from.',
      args: {
        ...pageArguments(t.arg),
        offset: t.arg.int({
          description:
            'Number of nodes that the page leaves out: at the start of the list, with `last` at its end. The page is as fast as the first one, at any offset. Not together with `after` or `before`.',
        }),
      },
      complexity: pageComplexity,
      resolve: async (_root, args, context) => (await readPage(context, args)) as never,
    }),
  );
  return { item, event };
}

/** The types of the event log. */
export type EventLogRefs = ReturnType<typeof defineEventLog>;

const ITEM_TYPES = { event: 'TransactionEvent', heartbeat: 'Heartbeat', expired: 'CursorExpired' } as const;

function defineItem(builder: Builder) {
  const item = builder.interfaceRef<EventFrame | EventParent>('EventItem').implement({
    description: 'A frame of the event stream.',
    resolveType: ({ kind }) => ITEM_TYPES[kind],
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description:
          'Cursor to continue with after this frame: for `after`, for `Last-Event-ID`, and for `GET /v2/events`.',
      }),
    }),
  });
  builder.objectRef<Extract<EventFrame, { kind: 'heartbeat' }>>('Heartbeat').implement({
    description: 'Sign that the stream is alive. Its cursor is after the events that the filter left out.',
    interfaces: [item],
    fields: (t) => ({ at: t.expose('at', { type: 'DateTime', description: 'When it was sent.' }) }),
  });
  builder.objectRef<Extract<EventFrame, { kind: 'expired' }>>('CursorExpired').implement({
    description: 'Events after the given cursor are no longer stored. The stream ends after this frame.',
    interfaces: [item],
    fields: (t) => ({
      earliest: t.exposeString('earliest', {
        description: 'Cursor to continue with the oldest stored event.',
      }),
      latest: t.exposeString('latest', { description: 'Cursor to continue with the next new event.' }),
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
    description: 'One change of component or state of a transaction, as a frame of the event stream.',
    interfaces: [item],
    fields: (t) => ({
      name: t.string({
        description: 'Name of the event: `<template>.<component>.<state>` in lower case.',
        resolve: ({ event }) => event.name,
      }),
      sequence: t.int({
        description: 'Position in the transaction, from 1.',
        resolve: ({ event }) => event.sequence,
      }),
      component: t.string({ description: DESCRIPTIONS.step, resolve: ({ event }) => event.component }),
      state: t.string({ description: DESCRIPTIONS.state, resolve: ({ event }) => event.state }),
      occurredAt: t.field({
        type: 'DateTime',
        description: 'When the change was committed.',
        resolve: ({ event }) => isoOf(event.occurredAt),
      }),
      status: t.field({
        type: label,
        description: DESCRIPTIONS.status,
        resolve: (parent) => stepOf(parent).status,
      }),
      substatus: t.field({
        type: label,
        description: DESCRIPTIONS.substatus,
        resolve: (parent) => stepOf(parent).substatus,
      }),
      legacyBody: t.string({
        description: 'JSON text: the `/v2` body of the transaction at that time, as in webhooks.',
        resolve: ({ event }) => event.payload,
      }),
      transaction: t.field({
        type: transaction,
        description: 'The current state of the transaction.',
        resolve: async ({ event: { accountId, transactionId } }, _args, { loaders }) =>
          (await loaders.transaction.load({ accountId, id: transactionId })) as never,
      }),
    }),
  });
}

async function readPage(
  context: GraphqlContext,
  { offset, ...args }: PositionedArgs,
): Promise<Connection<EventParent>> {
  // The log has cursors of its own.
  const slice = sliceOf(args, (cursor) => cursor);
  const { size, ...bounds } = slice;
  const skip = offsetOf(offset, slice);
  const found = await readEventSlice(context, { limit: size + 1, ...bounds, skip });
  const events = found.events.map((event) => ({
    kind: 'event' as const,
    cursor: encodeEventCursor(context.caller.accountId, event),
    event,
  }));
  const page = connectionOf(events, slice, {
    totalCount: () => Number(found.total),
    cursorOf: ({ cursor }) => cursor,
    isPreceded: found.hasOlder,
    isFollowed: found.hasNewer,
  });
  // An empty page also has one: the cursor of the next request.
  const endCursor = page.pageInfo.endCursor ?? (slice.isBackward ? null : found.start);
  return { ...page, pageInfo: { ...page.pageInfo, endCursor } };
}

/** Subscriptions: what there is first, then what comes, a cursor on every frame. */

import {
  type ChangeFrame,
  type EventFrame,
  watchEvents,
  watchTransaction,
} from '../resolvers/watch-events.ts';
import type { BalanceFrame, LineFrame } from '../resolvers/watch-ledger.ts';
import { watchBalances, watchStatement } from '../resolvers/watch-ledger.ts';
import type { BalanceRef } from './balance.ts';
import type { Builder } from './builder.ts';
import { type EventLogRefs, presentTransaction } from './event-log.ts';
import type { LedgerRefs } from './ledger-line.ts';
import type { FamilyRef, TransactionRef } from './transaction.ts';

interface Refs extends EventLogRefs, Pick<LedgerRefs, 'ledgerLine'> {
  readonly transaction: TransactionRef;
  readonly family: FamilyRef;
  readonly balance: BalanceRef;
}

const CURSOR = 'Where to go on after this frame; also the `id` of the frame as a server-sent event.';

/** Defines `Subscription`. */
export function defineSubscriptions(builder: Builder, refs: Refs): void {
  builder.subscriptionType({
    description: 'Over server-sent events: `POST /graphql` with `Accept: text/event-stream`.',
  });
  defineEvents(builder, refs);
  defineTransactionChanged(builder, refs);
  defineBalanceChanged(builder, refs);
  defineStatementEntryAdded(builder, refs);
}

function defineEvents(builder: Builder, { item, family }: Refs): void {
  builder.subscriptionField('events', (t) =>
    t.field({
      type: item,
      description:
        'Events after a cursor, or from now on, in their order. A `Heartbeat` comes every 20 seconds; a stream from now on begins with one, so that the client has a cursor at once. `CursorExpired` comes where events after the cursor are not kept any more.',
      args: {
        after: t.arg.string({ description: 'Cursor of the last event that was seen.' }),
        families: t.arg({ type: [family], required: false, description: 'Only events of these lists.' }),
        end2end: t.arg.string({ description: 'Only events of this transaction.' }),
      },
      subscribe: (_root, args, context) => watchEvents(context, args as never, context.stream),
      resolve: (frame) => frame as EventFrame,
    }),
  );
}

function defineTransactionChanged(builder: Builder, { event, transaction }: Refs): void {
  const change = builder.objectRef<ChangeFrame>('TransactionChange').implement({
    description: 'A state of a transaction.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: CURSOR }),
      event: t.field({
        type: event,
        nullable: true,
        description: 'The change; null for the state that there was at the beginning.',
        resolve: ({ cursor, event: row }) => row && { kind: 'event' as const, cursor, event: row },
      }),
      transaction: t.field({
        type: transaction,
        description: 'The transaction as it stands when it is read: `event` says what it was.',
        resolve: ({ transactionId, row }, _args, context) => presentTransaction(context, transactionId, row),
      }),
    }),
  });
  builder.subscriptionField('transactionChanged', (t) =>
    t.field({
      type: change,
      description: 'A transaction as it stands, then every change of its state.',
      args: {
        end2end: t.arg.string({ required: true }),
        after: t.arg.string({
          description: 'Cursor of the last frame that was seen: only changes since then come.',
        }),
      },
      subscribe: (_root, args, context) => watchTransaction(context, args, context.stream),
      resolve: (frame) => frame as ChangeFrame,
    }),
  );
}

function defineBalanceChanged(builder: Builder, { balance }: Refs): void {
  const change = builder.objectRef<BalanceFrame>('BalanceChange').implement({
    description: 'The balances of the account at a moment.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Newest event of the account at that moment.' }),
      balances: t.field({ type: [balance], resolve: (frame) => [...frame.balances] }),
    }),
  });
  builder.subscriptionField('balanceChanged', (t) =>
    t.field({
      type: change,
      description: 'All balances as they stand, then again whenever the ledger of the account moved.',
      subscribe: (_root, _args, context) => watchBalances(context, context.stream),
      resolve: (frame) => frame as BalanceFrame,
    }),
  );
}

function defineStatementEntryAdded(builder: Builder, { ledgerLine }: Refs): void {
  const added = builder.objectRef<LineFrame>('StatementEntryAdded').implement({
    description: 'A line that was posted.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Number of the line, for `after`.' }),
      entry: t.field({
        type: ledgerLine,
        nullable: true,
        description:
          'The line; null in the first frame of a stream from now on, whose cursor is that of the newest line there was.',
        resolve: ({ line }) => line as never,
      }),
    }),
  });
  builder.subscriptionField('statementEntryAdded', (t) =>
    t.field({
      type: added,
      description: 'Statement lines after a given one, or from now on, in their order.',
      args: { after: t.arg.string({ description: 'Number of the last line that was seen.' }) },
      subscribe: (_root, args, context) => watchStatement(context, args, context.stream),
      resolve: (frame) => frame as LineFrame,
    }),
  );
}

/** Subscriptions: existing events first, then new ones, with a cursor on every frame. */

import { bounded, LISTED_MAX } from '../resolvers/checks/lengths.ts';
import {
  type ChangeFrame,
  type EventFrame,
  watchEvents,
  watchTransaction,
} from '../resolvers/events/watch-events.ts';
import type { BalanceFrame, LineFrame } from '../resolvers/events/watch-ledger.ts';
import { watchBalances, watchStatement } from '../resolvers/events/watch-ledger.ts';
import type { BalanceRef } from './balance.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { EventLogRefs } from './event-log.ts';
import type { LedgerRefs } from './ledger-line.ts';
import type { TransactionRef } from './transaction.ts';
import type { FamilyRef } from './transaction-queries.ts';

interface Refs extends EventLogRefs, Pick<LedgerRefs, 'ledgerLine'> {
  readonly transaction: TransactionRef;
  readonly family: FamilyRef;
  readonly balance: BalanceRef;
}

const CURSOR = 'Cursor to go on with after this frame; also the `id` of the server-sent event.';

/** Defines `Subscription`. */
export function defineSubscriptions(builder: Builder, refs: Refs): void {
  builder.subscriptionType({
    description:
      'Streams over server-sent events: `POST /graphql` with `Accept: text/event-stream`. Each needs the scope `read` unless its description names another.',
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
        'Events of the account in their order, after a cursor or from now on. Without a cursor, the stream begins with a `Heartbeat`, so that the client has a cursor immediately; another comes every 20 seconds. `CursorExpired` comes, and the stream ends, if events after the cursor are no longer stored.',
      args: {
        after: t.arg.string({
          description:
            'Cursor of the last event that you have seen; an empty text begins with the oldest event that is kept. Default: from now on.',
        }),
        families: t.arg({
          type: [family],
          required: false,
          description: bounded(
            'Only events of transactions in these lists; default: all.',
            LISTED_MAX,
            'names',
          ),
        }),
        end2end: t.arg.string({ description: 'Only events of this transaction, `CRX…`.' }),
      },
      subscribe: (_root, args, context) => watchEvents(context, args as never, context.stream),
      resolve: (frame) => frame as EventFrame,
    }),
  );
}

function defineTransactionChanged(builder: Builder, { event, transaction }: Refs): void {
  const change = builder.objectRef<ChangeFrame>('TransactionChange').implement({
    description: 'A transaction after a change of its state.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: CURSOR }),
      event: t.field({
        type: event,
        nullable: true,
        description: 'The change; null in the first frame, which shows the present state.',
        resolve: ({ cursor, event: row }) => row && { kind: 'event' as const, cursor, event: row },
      }),
      transaction: t.field({
        type: transaction,
        description: 'The current state of the transaction, which can be later than `event`.',
        resolve: async ({ transactionId, row }, _args, { caller: { accountId }, loaders }) =>
          (row ?? (await loaders.transaction.load({ accountId, id: transactionId }))) as never,
      }),
    }),
  });
  builder.subscriptionField('transactionChanged', (t) =>
    t.field({
      type: change,
      description: 'The current state of a transaction, then every change of it.',
      args: {
        end2end: t.arg.string({ required: true, description: DESCRIPTIONS.end2end }),
        after: t.arg.string({
          description: 'Cursor of the last frame that you have seen: only later changes come.',
        }),
      },
      subscribe: (_root, args, context) => watchTransaction(context, args, context.stream),
      resolve: (frame) => frame as ChangeFrame,
    }),
  );
}

function defineBalanceChanged(builder: Builder, { balance }: Refs): void {
  const change = builder.objectRef<BalanceFrame>('BalanceChange').implement({
    description: 'All balances of the account at one time.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'Cursor of the newest event of the account at that time.',
      }),
      balances: t.field({
        type: [balance],
        description: 'The balances.',
        resolve: (frame) => [...frame.balances],
      }),
    }),
  });
  builder.subscriptionField('balanceChanged', (t) =>
    t.field({
      type: change,
      description: 'All current balances, then again after every movement of the ledger.',
      subscribe: (_root, _args, context) => watchBalances(context, context.stream),
      resolve: (frame) => frame as BalanceFrame,
    }),
  );
}

function defineStatementEntryAdded(builder: Builder, { ledgerLine }: Refs): void {
  const added = builder.objectRef<LineFrame>('StatementEntryAdded').implement({
    description: 'A line that was posted to the statement.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: CURSOR }),
      entry: t.field({
        type: ledgerLine,
        nullable: true,
        description:
          'The line. Null in the first frame of a stream without `after`, whose cursor is that of the newest line.',
        resolve: ({ line }) => line as never,
      }),
    }),
  });
  builder.subscriptionField('statementEntryAdded', (t) =>
    t.field({
      type: added,
      description:
        'Statement lines in their order, after a cursor or from now on. Error `CURSOR_EXPIRED` when the statement no longer has the line of the cursor, because the database was restored from a backup; its extensions `earliest` and `latest` are cursors to go on with.',
      args: {
        after: t.arg.string({
          description: 'Cursor of the last line that you have seen. Default: from now on.',
        }),
      },
      subscribe: (_root, args, context) => watchStatement(context, args, context.stream),
      resolve: (frame) => frame as LineFrame,
    }),
  );
}

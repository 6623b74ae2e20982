/** The statement: `Query.statement`, and the relation from a line to its transaction. */
import type { GraphQLResolveInfo } from 'graphql';
import { LONGEST_TEXT } from '../base/errors/violations.ts';
import { bounded } from '../resolvers/checks/lengths.ts';
import { findLine, readStatement, type StatementFilterInput } from '../resolvers/ledger/read-statement.ts';
import type { Context } from '../resolvers/services/context.ts';
import { type LedgerLineRow, readStatementLines } from '../store/ledger/ledger.ts';
import type { Builder } from './builder.ts';
import type { CalendarZoneRef } from './calendar-zone.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { LedgerRefs } from './ledger-line.ts';
import type { Loaders } from './loaders.ts';
import { namedMembers } from './named.ts';
import {
  type Connection,
  connectionOf,
  decodeNumber,
  encodeCursor,
  exactConnection,
  type PositionedArgs,
  pageComplexity,
  positionedArguments,
  positionedSlice,
} from './pagination.ts';
import { nodesToRead, selects } from './selection.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines `LedgerLine.transaction` and `Query.statement`. */
export function defineStatement(
  builder: Builder,
  { ledgerLine, subAccount }: LedgerRefs,
  transaction: TransactionRef,
  zone: CalendarZoneRef,
): void {
  builder.prismaObjectField(ledgerLine, 'transaction', (t) =>
    t.field({
      type: transaction,
      nullable: true,
      description: 'The transaction that moved the balance; null for an adjustment.',
      resolve: (line, _args, { loaders }) => transactionOf(line, loaders) as never,
    }),
  );
  const filter = builder.inputType('StatementFilter', {
    description: 'Filters of the statement. A line must meet all given ones.',
    fields: (t) => ({
      currency: t.string({
        description: bounded(`Currency of the ledger account. ${DESCRIPTIONS.currencyFilter}`, LONGEST_TEXT),
      }),
      subAccount: t.field({
        type: subAccount,
        description: 'Part of the balance that the ledger account holds.',
      }),
      dateFrom: t.field({ type: 'Date', description: 'First day of the journal, in `zone`, inclusive.' }),
      dateTo: t.field({ type: 'Date', description: 'Last day of the journal, in `zone`, inclusive.' }),
      zone: t.field({ type: zone, description: 'Zone of both days. Default: `UTC`.' }),
    }),
  });

  const connection = exactConnection(builder, ledgerLine, {
    name: 'Statement',
    page: 'A page of the statement.',
    edge: 'A line and its cursor.',
    total: 'Number of all lines that match, not only of this page. Exact.',
  });
  builder.queryField('statement', (t) =>
    t.field({
      type: connection,
      description: 'The account statement, newest line first.',
      args: {
        filter: t.arg({ type: filter, description: 'Only lines that meet all conditions; default: all.' }),
        ...positionedArguments(t.arg),
      },
      complexity: pageComplexity,
      resolve: async (_root, args, context, info) => (await readPage(context, args, info)) as never,
    }),
  );
}

interface StatementArgs extends PositionedArgs {
  readonly filter?: Readonly<Record<string, string | null | undefined>> | null | undefined;
}

/** A line of a statement page includes its transaction; others are looked up together. */
function transactionOf(
  {
    accountId,
    transactionId,
    transaction,
  }: Pick<LedgerLineRow, 'accountId' | 'transactionId' | 'transaction'>,
  loaders: Loaders,
) {
  if (transaction !== undefined || transactionId === null) return transaction ?? null;
  return loaders.transaction.load({ accountId, id: transactionId });
}

async function readPage(
  context: Context,
  { filter, ...args }: StatementArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<LedgerLineRow>> {
  const filters = namedMembers<StatementFilterInput>('filter', filter);
  const slice = await positionedSlice(args, decodeNumber, (number) => findLine(context, filters, number));
  // Newest first: lines after a cursor have smaller ids.
  const found = await readStatement(context, readStatementLines, filters, {
    limit: nodesToRead(info, slice.size),
    below: slice.after,
    above: slice.before,
    isBackward: slice.isBackward,
    withTransactions: selects(info, 'edges', 'node', 'transaction') || selects(info, 'nodes', 'transaction'),
  });
  return connectionOf(found.lines, slice, {
    totalCount: () => Number(found.total),
    cursorOf: ({ id }) => encodeCursor(String(id)),
    isPreceded: found.hasNewer,
    isFollowed: found.hasOlder,
  });
}

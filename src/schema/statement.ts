/** The statement: `Query.statement`, and the way from a line to its transaction. */
import type { Context } from '../resolvers/context.ts';
import { readStatement, type StatementFilterInput } from '../resolvers/read-statement.ts';
import { type LedgerLineRow, readStatementLines } from '../store/ledger.ts';
import type { Builder } from './builder.ts';
import type { LedgerRefs } from './ledger-line.ts';
import { namedMembers } from './named.ts';
import {
  badCursor,
  type Connection,
  connectionOf,
  decodeCursor,
  FIRST_DEFAULT,
  pageSize,
} from './pagination.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines `LedgerLine.transaction` and `Query.statement`. */
export function defineStatement(
  builder: Builder,
  { ledgerLine, subAccount }: LedgerRefs,
  transaction: TransactionRef,
): void {
  builder.prismaObjectField(ledgerLine, 'transaction', (t) =>
    t.field({
      type: transaction,
      nullable: true,
      description: 'The transaction that moved the balance; null for an adjustment.',
      resolve: async ({ transactionId }, _args, { loaders }) =>
        transactionId === null ? null : ((await loaders.transaction.load(transactionId)) as never),
    }),
  );
  const filter = builder.inputType('StatementFilter', {
    description: 'All that are given must hold.',
    fields: (t) => ({
      currency: t.string({
        description: 'Raw code (`USDT_TRX`), display name, or an asset of one network (C-6).',
      }),
      subAccount: t.field({ type: subAccount }),
      dateFrom: t.string({ description: 'UTC day, `YYYY-MM-DD`, inclusive.' }),
      dateTo: t.string({ description: 'UTC day, `YYYY-MM-DD`, inclusive.' }),
    }),
  });

  const connection = builder.connectionObject(
    {
      type: ledgerLine,
      name: 'StatementConnection',
      fields: (t) => ({
        totalCount: t.int({
          description: 'All lines that match, exactly.',
          resolve: (page) => (page as unknown as Connection<LedgerLineRow>).totalCount(),
        }),
      }),
    },
    { name: 'StatementEdge' },
  );
  builder.queryField('statement', (t) =>
    t.field({
      type: connection,
      description: 'The account statement, newest line first.',
      args: {
        filter: t.arg({ type: filter }),
        first: t.arg.int({ defaultValue: FIRST_DEFAULT }),
        after: t.arg.string(),
      },
      complexity: (args) => ({ field: 1, multiplier: args.first ?? FIRST_DEFAULT }),
      resolve: async (_root, args, context) => (await readPage(context, args)) as never,
    }),
  );
}

interface StatementArgs {
  readonly filter?: Readonly<Record<string, string | null | undefined>> | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

async function readPage(
  context: Context,
  { filter, first, after }: StatementArgs,
): Promise<Connection<LedgerLineRow>> {
  const size = pageSize(first);
  const window =
    after == null ? { limit: size + 1, offset: 0 } : { limit: size + 1, before: lineIdOf(after) };
  const filters = namedMembers<StatementFilterInput>('filter', filter);
  const { total, lines } = await readStatement(context, readStatementLines, filters, window);
  return connectionOf(lines, size, {
    after,
    totalCount: () => Number(total),
    keyOf: (line) => String(line.id),
  });
}

function lineIdOf(cursor: string): bigint {
  const key = decodeCursor(cursor);
  if (!/^[1-9]\d{0,17}$/.test(key)) throw badCursor();
  return BigInt(key);
}

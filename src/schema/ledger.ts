/** Ledger lines, the statement, and balances. */
import { type Currency, currencyOfHistory } from '../base/currency.ts';
import { type Instant, isoMillis } from '../base/instant.ts';
import { trimDecimal } from '../base/money.ts';
import { SUB_ACCOUNTS, type SubAccount } from '../ledger/chart.ts';
import type { Context } from '../resolvers/context.ts';
import { type Balance, readBalances } from '../resolvers/read-balances.ts';
import { readStatement, type StatementFilterInput } from '../resolvers/read-statement.ts';
import { type LedgerAccountRow, type LedgerLineRow, readStatementLines } from '../store/ledger.ts';
import { lineAmounts } from '../wire/statement.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { namedFilters } from './filters.ts';
import {
  badCursor,
  type Connection,
  connectionOf,
  decodeCursor,
  FIRST_DEFAULT,
  pageSize,
} from './pagination.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines `LedgerAccount` and `LedgerLine`; a line's transaction is added once its type exists. */
export function defineLedgerLine(builder: Builder, { currency }: CurrencyRefs) {
  const subAccount = builder.enumType('SubAccount', {
    description: 'What part of a balance a ledger account is (`service.md` 2.8).',
    values: Object.keys(SUB_ACCOUNTS) as SubAccount[],
  });
  const ledgerAccount = builder.prismaObject('LedgerAccount', {
    description: 'A sub-account of the account holder, in one currency.',
    fields: (t) => ({
      number: t.string({
        description: 'Id of the ledger account on `/v2`.',
        resolve: ({ id }) => String(id),
      }),
      name: t.exposeString('name'),
      code: t.exposeString('code', { description: 'Double-entry account code.' }),
      currencyPrettyName: t.exposeString('prettyName'),
      currency: t.field({ type: currency, resolve: (account) => currencyHeld(account.currency) }),
      subAccount: t.field({ type: subAccount, resolve: (account) => subAccountName(account.subAccount) }),
    }),
  });
  const amount = (description: string, key: keyof ReturnType<typeof lineAmounts>) => ({ description, key });
  const amounts = {
    debit: amount('Amount debited from the account.', 'debit'),
    credit: amount('Amount credited to the account.', 'credit'),
    previousBalance: amount('Balance before this line.', 'previousBalance'),
    balance: amount('Balance after this line.', 'balance'),
  };
  const ledgerLine = builder.prismaObject('LedgerLine', {
    description: 'One movement of one ledger account: a statement entry.',
    include: { ledgerAccount: true },
    fields: (t) => ({
      number: t.string({
        description: 'Id of the line on `/v2`; rises with time.',
        resolve: ({ id }) => String(id),
      }),
      date: t.field({
        type: 'DateTime',
        description: 'Time of the journal.',
        resolve: (line) => isoOf(line.postedAt),
      }),
      ...Object.fromEntries(
        Object.entries(amounts).map(([name, { description, key }]) => [
          name,
          t.field({ type: 'Decimal', description, resolve: (line) => amountsOf(line as never)[key] }),
        ]),
      ),
      ledgerAccount: t.field({ type: ledgerAccount, resolve: (line) => line.ledgerAccount }),
    }),
  });
  return { ledgerLine, subAccount };
}

/** The types of the ledger. */
export type LedgerRefs = ReturnType<typeof defineLedgerLine>;

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

/** Defines `Query.balances`. */
export function defineBalances(builder: Builder, { currency }: CurrencyRefs): void {
  const balance = builder.objectRef<Balance>('Balance').implement({
    description: 'What the account holds in one currency.',
    fields: (t) => ({
      currency: t.field({ type: currency, resolve: (held) => currencyHeld(held.currency) }),
      available: t.expose('available', { type: 'Decimal', description: 'Immediately withdrawable.' }),
      inTransit: t.expose('inTransit', { type: 'Decimal', description: 'Sent; awaiting confirmation.' }),
      toReceive: t.expose('toReceive', { type: 'Decimal', description: 'Pending inbound.' }),
      blocked: t.expose('blocked', { type: 'Decimal', description: 'Frozen for compliance or dispute.' }),
      calculatedBrl: t.expose('calculatedBrl', {
        type: 'Decimal',
        nullable: true,
        description: 'The available part in BRL at the last known mid-market rate; null when none is known.',
      }),
    }),
  });
  builder.queryField('balances', (t) =>
    t.field({
      type: [balance],
      description: 'Balances of every currency that the account has a ledger account in.',
      args: {
        at: t.arg({ type: 'DateTime', description: 'The balances of a past moment; now when not given.' }),
      },
      resolve: async (_root, { at }, context) => [...(await readBalances(context, at ?? undefined)).balances],
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
  const filters = namedFilters<StatementFilterInput>(filter);
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

/** Lines come from prepared SQL with text, or from Prisma's relations with Decimal and Date objects. */
function amountsOf(line: {
  delta: unknown;
  balanceBefore: unknown;
  balanceAfter: unknown;
  ledgerAccount: LedgerAccountRow;
}) {
  const facts = {
    delta: textOf(line.delta),
    balanceBefore: textOf(line.balanceBefore),
    balanceAfter: textOf(line.balanceAfter),
  };
  return lineAmounts(facts, line.ledgerAccount.scale);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : trimDecimal((value as { toFixed: () => string }).toFixed());
}

/** @returns the moment, whether Prisma read it or a prepared statement. */
export function isoOf(value: Date | Instant): string {
  return value instanceof Date ? value.toISOString() : isoMillis(value);
}

function currencyHeld(code: string): Currency {
  return (
    currencyOfHistory(code) ?? {
      code,
      asset: code,
      network: '',
      decimals: 0,
      displayName: code,
      segments: [0, 0],
    }
  );
}

function subAccountName(number: number): SubAccount {
  return (
    (Object.keys(SUB_ACCOUNTS) as SubAccount[]).find((name) => SUB_ACCOUNTS[name] === number) ?? 'available'
  );
}

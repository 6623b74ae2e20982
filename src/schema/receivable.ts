/** Receivables from account holders after lost disputes and dropped deposits: `Query.receivables`. */
import { currencyOfLedger } from '../base/money/currency.ts';
import { fromMinor } from '../base/money/money.ts';
import { listReceivables } from '../resolvers/ledger/list-receivables.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { Receivable, ReceivableKey } from '../store/ledger/house.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import {
  type Connection,
  connectionOf,
  countedArguments,
  countedComplexity,
  countedSlice,
  decodeCursor,
  encodeCursor,
  exactConnection,
  type PositionedArgs,
} from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

/** Defines `Receivable` and `Query.receivables`. */
export function defineReceivables(builder: Builder, { currency }: CurrencyRefs): void {
  const receivable = builder.objectRef<Receivable>('Receivable').implement({
    description:
      'Receivable from an account holder in one currency, after lost disputes and dropped deposits.',
    fields: (t) => ({
      account: t.string({
        description: 'Identifier of the account.',
        resolve: ({ accountId }) => String(accountId),
      }),
      accountName: t.exposeString('accountName', { description: 'Name of the account holder.' }),
      currency: t.field({
        type: currency,
        description: 'Currency of the receivable.',
        resolve: (row) => currencyOfLedger(row.currency),
      }),
      amount: t.field({
        type: 'Decimal',
        description: 'Amount of the receivable.',
        resolve: receivableAmount,
      }),
    }),
  });
  const connection = exactConnection(builder, receivable, {
    name: 'Receivable',
    page: 'A page of what account holders owe the house.',
    edge: 'A receivable and its cursor.',
    total: 'Number of all receivables, not only of this page. Exact.',
  });
  builder.queryField('receivables', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: connection,
      description:
        'Receivables from account holders of your mode after lost disputes and dropped deposits, by account and currency; `settleReceivable` settles them. Needs the scope `platform:books`.',
      args: countedArguments(t.arg),
      complexity: countedComplexity,
      resolve: async (_root, args, context) => (await readPage(context, args)) as never,
    }),
  );
}

function receivableAmount({ amountMinor, currency }: Receivable): string {
  return fromMinor(amountMinor, currencyOfLedger(currency).decimals);
}

async function readPage(context: Context, args: PositionedArgs): Promise<Connection<Receivable>> {
  const slice = countedSlice(args, decodeKey);
  const found = await listReceivables(context, { ...slice, limit: slice.size + 1 });
  return connectionOf(found.rows, slice, {
    totalCount: () => Number(found.total),
    cursorOf: ({ accountId, currency }) => encodeCursor(`${accountId} ${currency}`),
    isPreceded: found.isPreceded || (slice.skip > 0 && found.total > 0n),
    isFollowed: found.isFollowed,
  });
}

function decodeKey(cursor: string): ReceivableKey | undefined {
  const [, accountId, currency] = /^([1-9]\d{0,17}) (\w+)$/.exec(decodeCursor(cursor) ?? '') ?? [];
  return accountId && currency ? { accountId: BigInt(accountId), currency } : undefined;
}

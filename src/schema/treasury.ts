/** The books of the house: `Query.treasury`, `Query.trialBalance` and `Query.profitAndLoss`. */
import { currencyOfLedger } from '../base/money/currency.ts';
import { HOUSE_ACCOUNTS } from '../ledger/chart.ts';
import {
  type BookKind,
  type PeriodInput,
  type ProfitAndLoss,
  profitAndLoss,
  type ResultLine,
  readTreasury,
  type TreasuryLine,
  type TrialBalance,
  type TrialLine,
  trialBalance,
} from '../resolvers/ledger/read-books.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import type { LedgerRefs } from './ledger-line.ts';
import { COUNT_POINTS } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

/** An amount of a currency in the books. */
interface BookAmount {
  readonly currency: string;
  readonly amount: string;
}

interface Period {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  readonly account?: string | null | undefined;
}

const HOLDERS = 'what account holders have';
const SIDE =
  'Positive on the normal side of the class: debits for assets and expenses, credits for the others.';
const SCOPE = 'Needs the scope `platform:books`.';
/** Cost of a list of lines: one per kind of ledger account and currency. */
const LINES = { field: 1, multiplier: 50 };
/** Reading a period sums all its ledger lines, even if few of its kinds are selected. */
const PERIOD = { field: COUNT_POINTS, multiplier: 1 };

/** Defines the three queries and their types. */
export function defineTreasury(builder: Builder, currencies: CurrencyRefs, ledger: LedgerRefs): void {
  const kinds = defineKind(builder, currencies, ledger);
  defineTreasuryLines(builder, kinds);
  defineTrialBalance(builder, kinds);
  defineProfitAndLoss(builder, kinds, defineAmount(builder, currencies));
}

/** Common fields of the lines of the books. */
function defineKind(builder: Builder, { currency }: CurrencyRefs, { accountClass }: LedgerRefs) {
  return builder.interfaceRef<BookKind>('BookLine').implement({
    description: 'A kind of ledger account of the house in one currency, or the holdings of account holders.',
    fields: (t) => ({
      account: t.string({
        nullable: true,
        description:
          'Its name in the chart of accounts (docs/ledger.md), such as `A.pix`; null for holdings of account holders.',
        resolve: ({ house }) => house,
      }),
      meaning: t.string({
        description: 'Name of the kind, in words.',
        resolve: ({ house }) => (house === null ? HOLDERS : HOUSE_ACCOUNTS[house].meaning),
      }),
      class: t.field({ type: accountClass, description: 'Its class.', resolve: (row) => row.class }),
      currency: t.field({
        type: currency,
        description: 'Its currency, including the network.',
        resolve: (row) => currencyOfLedger(row.currency),
      }),
    }),
  });
}

function defineAmount(builder: Builder, currencies: CurrencyRefs) {
  return builder.objectRef<BookAmount>('BookAmount').implement({
    description: 'An amount of a currency in the books of the house.',
    fields: (t) => ({
      currency: t.field({
        type: currencies.currency,
        description: 'The currency.',
        resolve: (row) => currencyOfLedger(row.currency),
      }),
      amount: t.field({ type: 'Decimal', description: 'The amount.', resolve: (row) => row.amount }),
    }),
  });
}

type KindRef = ReturnType<typeof defineKind>;

function defineTreasuryLines(builder: Builder, kind: KindRef): void {
  const line = builder.objectRef<TreasuryLine>('TreasuryLine').implement({
    description: 'Current assets, liabilities and earnings of the house.',
    interfaces: [kind],
    fields: (t) => ({
      balance: t.field({
        type: 'Decimal',
        description: `The balance. ${SIDE}`,
        resolve: (row) => row.balance,
      }),
      calculatedBrl: t.field({
        type: 'Decimal',
        nullable: true,
        description: 'Its value in BRL at the newest rate, rounded to cents; null where there is no rate.',
        resolve: (row) => row.calculatedBrl,
      }),
    }),
  });
  builder.queryField('treasury', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [line],
      description: `Custody by network, the balance at the provider of PIX, positions, fees, gas, capital, receivables and suspense, and what is owed to account holders: all kinds of ledger accounts that are not zero, over all accounts of your mode or one. Exact. ${SCOPE}`,
      args: { account: t.arg.string({ description: 'Identifier of one account. Default: all of them.' }) },
      complexity: LINES,
      resolve: (_root, { account }, context) => readTreasury(context, namedOf('account', account)),
    }),
  );
}

function defineTrialBalance(builder: Builder, kind: KindRef): void {
  const trialLine = builder.objectRef<TrialLine>('TrialLine').implement({
    description: 'Movements of a kind of ledger account in a period.',
    interfaces: [kind],
    fields: (t) => ({
      opening: t.field({
        type: 'Decimal',
        description: `Balance before the period. ${SIDE}`,
        resolve: (row) => row.opening,
      }),
      debits: t.field({ type: 'Decimal', description: 'Sum of all debits.', resolve: (row) => row.debits }),
      credits: t.field({
        type: 'Decimal',
        description: 'Sum of all credits.',
        resolve: (row) => row.credits,
      }),
      closing: t.field({
        type: 'Decimal',
        description: `Balance after the period. ${SIDE}`,
        resolve: (row) => row.closing,
      }),
      calculatedBrl: t.field({
        type: 'Decimal',
        nullable: true,
        description:
          'Value of `closing` in BRL at the newest rate, not at that of the period, rounded to cents; null where there is no rate.',
        resolve: (row) => row.calculatedBrl,
      }),
    }),
  });
  const trial = builder.objectRef<TrialBalance>('TrialBalance').implement({
    description:
      'The trial balance of a period. In each currency the sum of all debits equals that of all credits.',
    fields: (t) => ({
      from: t.field({
        type: 'Date',
        description: 'First day, in Brasília.',
        resolve: ({ from }) => from,
      }),
      to: t.field({
        type: 'Date',
        description: 'Last day, in Brasília.',
        resolve: ({ to }) => to,
      }),
      lines: t.field({
        type: [trialLine],
        complexity: LINES,
        description: 'All ledger accounts that are or were not zero.',
        resolve: (row) => row.lines,
      }),
    }),
  });
  builder.queryField('trialBalance', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: trial,
      description: `Balances before a period, debits, credits and balances after it, over all accounts of your mode or one. ${SCOPE}`,
      args: periodArguments(t.arg),
      complexity: PERIOD,
      resolve: (_root, args, context) => trialBalance(context, periodOf(args)),
    }),
  );
}

function defineProfitAndLoss(builder: Builder, kind: KindRef, amount: ReturnType<typeof defineAmount>): void {
  const resultLine = builder.objectRef<ResultLine>('ResultLine').implement({
    description: 'Earnings and expenses of a period.',
    interfaces: [kind],
    fields: (t) => ({
      amount: t.field({
        type: 'Decimal',
        description: 'Positive for amounts that the house earned, negative for amounts that it spent.',
        resolve: (row) => row.amount,
      }),
      calculatedBrl: t.field({
        type: 'Decimal',
        nullable: true,
        description:
          'Its value in BRL at the newest rate, not at those of the period, rounded to cents; null without a rate.',
        resolve: (row) => row.calculatedBrl,
      }),
    }),
  });
  const result = builder.objectRef<ProfitAndLoss>('ProfitAndLoss').implement({
    description: 'Revenue and expenses of a period, in the currency of each.',
    fields: (t) => ({
      from: t.field({
        type: 'Date',
        description: 'First day, in Brasília.',
        resolve: ({ from }) => from,
      }),
      to: t.field({
        type: 'Date',
        description: 'Last day, in Brasília.',
        resolve: ({ to }) => to,
      }),
      lines: t.field({
        type: [resultLine],
        complexity: LINES,
        description: 'Revenue and expenses, by kind.',
        resolve: (row) => row.lines,
      }),
      net: t.field({
        type: [amount],
        description: 'Revenue less expenses, by currency.',
        resolve: (row) => row.net,
      }),
      position: t.field({
        type: [amount],
        description:
          'Change of the open position in foreign exchange, by currency: positive for amounts that the house received. Its value, which includes the spread, depends on the rate at which the position is valued.',
        resolve: (row) => row.position,
      }),
    }),
  });
  builder.queryField('profitAndLoss', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: result,
      description: `Earnings and expenses of the house in a period, over all accounts of your mode or one. ${SCOPE}`,
      args: periodArguments(t.arg),
      complexity: PERIOD,
      resolve: (_root, args, context) => profitAndLoss(context, periodOf(args)),
    }),
  );
}

type ArgumentFields = Parameters<Parameters<Builder['queryField']>[1]>[0]['arg'];

/** @returns the arguments of a period: days and account. */
export function periodArguments(t: ArgumentFields) {
  return {
    from: t({
      type: 'Date',
      description: 'First day, in Brasília. Default: the first of the month of `to`.',
    }),
    to: t({ type: 'Date', description: 'Last day, in Brasília. Default: today.' }),
    account: t.string({ description: 'Identifier of one account. Default: all of your mode.' }),
  };
}

/** @returns the period that the arguments name. */
export function periodOf({ from, to, account }: Period): PeriodInput {
  return { from: namedOf('from', from), to: namedOf('to', to), account: namedOf('account', account) };
}

function namedOf(name: string, value: string | null | undefined) {
  return value == null ? undefined : { name, value };
}

/** LedgerAccount and LedgerLine. Rows come from prepared SQL, or from Prisma through the relations of a transaction. */
import { assert } from '../base/assert.ts';
import { currencyOfLedger } from '../base/currency.ts';
import { trimDecimal } from '../base/money.ts';
import { SUB_ACCOUNTS, type SubAccount } from '../ledger/chart.ts';
import { lineAmounts } from '../wire/statement.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { isoOf } from './moment.ts';

/** Defines `SubAccount`, `LedgerAccount` and `LedgerLine`; a line's transaction is added once its type exists. */
export function defineLedgerLine(builder: Builder, currencies: CurrencyRefs) {
  const subAccount = defineSubAccount(builder);
  const ledgerAccount = defineLedgerAccount(builder, currencies, subAccount);
  const ledgerLine = builder.prismaObject('LedgerLine', {
    description: 'One movement of one ledger account: a statement entry.',
    include: { ledgerAccount: true },
    fields: (t) => {
      const amount = (name: keyof ReturnType<typeof lineAmounts>, description: string) =>
        t.field({ type: 'Decimal', description, resolve: (line) => amountsOf(line)[name] });
      return {
        number: t.string({
          description: 'Id of the line on `/v2`; rises with time.',
          resolve: ({ id }) => String(id),
        }),
        date: t.field({
          type: 'DateTime',
          description: 'Time of the journal.',
          resolve: (line) => isoOf(line.postedAt),
        }),
        debit: amount('debit', 'Amount debited from the account.'),
        credit: amount('credit', 'Amount credited to the account.'),
        previousBalance: amount('previousBalance', 'Balance before this line.'),
        balance: amount('balance', 'Balance after this line.'),
        ledgerAccount: t.field({ type: ledgerAccount, resolve: (line) => line.ledgerAccount }),
      };
    },
  });
  return { ledgerLine, subAccount };
}

/** The types of the ledger. */
export type LedgerRefs = ReturnType<typeof defineLedgerLine>;

function defineSubAccount(builder: Builder) {
  return builder.enumType('SubAccount', {
    description: 'What part of a balance a ledger account is (`service.md` 2.8).',
    values: Object.keys(SUB_ACCOUNTS) as SubAccount[],
  });
}

function defineLedgerAccount(
  builder: Builder,
  { currency }: CurrencyRefs,
  subAccount: ReturnType<typeof defineSubAccount>,
) {
  return builder.prismaObject('LedgerAccount', {
    description: 'A sub-account of the account holder, in one currency.',
    fields: (t) => ({
      number: t.string({
        description: 'Id of the ledger account on `/v2`.',
        resolve: ({ id }) => String(id),
      }),
      name: t.exposeString('name'),
      code: t.exposeString('code', { description: 'Double-entry account code.' }),
      currencyPrettyName: t.exposeString('prettyName'),
      currency: t.field({ type: currency, resolve: (account) => currencyOfLedger(account.currency) }),
      subAccount: t.field({ type: subAccount, resolve: (account) => subAccountName(account.subAccount) }),
    }),
  });
}

interface Line {
  readonly delta: unknown;
  readonly balanceBefore: unknown;
  readonly balanceAfter: unknown;
  readonly ledgerAccount: { readonly scale: number };
}

function amountsOf({ delta, balanceBefore, balanceAfter, ledgerAccount }: Line) {
  const facts = {
    delta: textOf(delta),
    balanceBefore: textOf(balanceBefore),
    balanceAfter: textOf(balanceAfter),
  };
  return lineAmounts(facts, ledgerAccount.scale);
}

/** Minor units: text of a prepared statement, or a Decimal of Prisma. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : trimDecimal((value as { toFixed: () => string }).toFixed());
}

function subAccountName(number: number): SubAccount {
  const name = (Object.keys(SUB_ACCOUNTS) as SubAccount[]).find((each) => SUB_ACCOUNTS[each] === number);
  assert(name, 'lines of house accounts are never shown');
  return name;
}

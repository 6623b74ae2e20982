/** LedgerAccount and LedgerLine. Rows come from prepared SQL, or from Prisma through the relations of a transaction. */
import { currencyOfLedger } from '../base/money/currency.ts';
import { fromMinor, trimDecimal } from '../base/money/money.ts';
import { sidesOf } from '../wire/statement.ts';
import type { Builder } from './builder.ts';
import { defineAccountClass, defineCounterpart, defineSubAccount, subAccountName } from './counterpart.ts';
import type { CurrencyRefs } from './currency.ts';
import { isoOf } from './iso-of.ts';

/** Defines `SubAccount`, `LedgerAccount`, `LedgerAccountClass` and `LedgerLine`; a line's transaction is added once its type exists. */
export function defineLedgerLine(builder: Builder, currencies: CurrencyRefs) {
  const subAccount = defineSubAccount(builder);
  const ledgerAccount = defineLedgerAccount(builder, currencies, subAccount);
  const accountClass = defineAccountClass(builder);
  const counterpart = defineCounterpart(builder, currencies, { subAccount, accountClass });
  const ledgerLine = builder.prismaObject('LedgerLine', {
    description: 'One movement of one ledger account: an entry of the statement. It never changes.',
    include: { ledgerAccount: true },
    fields: (t) => {
      const amount = (description: string, resolve: (line: Line) => string) =>
        t.field({ type: 'Decimal', description, resolve });
      const side = (name: 'debit' | 'credit') => (line: Line) =>
        sidesOf(textOf(line.delta), line.ledgerAccount.scale)[name];
      const balance = (name: 'balanceBefore' | 'balanceAfter') => (line: Line) =>
        fromMinor(textOf(line[name]), line.ledgerAccount.scale);
      return {
        number: t.string({
          description: 'Id of the line, as on `/v2`. Ids rise with time within the account.',
          resolve: ({ id }) => String(id),
        }),
        date: t.field({
          type: 'DateTime',
          description: 'When the journal was posted.',
          resolve: (line) => isoOf(line.postedAt),
        }),
        debit: amount('Amount debited from the ledger account; 0 for a credit.', side('debit')),
        credit: amount('Amount credited to the ledger account; 0 for a debit.', side('credit')),
        previousBalance: amount('Balance before this line.', balance('balanceBefore')),
        balance: amount('Balance after this line.', balance('balanceAfter')),
        ledgerAccount: t.field({
          type: ledgerAccount,
          description: 'The ledger account of the movement.',
          resolve: (line) => line.ledgerAccount,
        }),
        journalId: t.string({
          description:
            'Number of the journal that the line belongs to: all lines of one change of the books have the same one.',
          resolve: ({ journalId }) => String(journalId),
        }),
        counterparts: t.field({
          type: [counterpart],
          description:
            'The other lines of its journal, so that double entry can be followed. House accounts appear only by their class.',
          resolve: async ({ accountId, id, journalId }, _args, { loaders }) => {
            const lines = await loaders.postings.load({ accountId, id: journalId });
            return lines.filter(({ lineId }) => lineId !== id);
          },
        }),
      };
    },
  });
  return { ledgerLine, subAccount, accountClass };
}

/** The types of the ledger. */
export type LedgerRefs = ReturnType<typeof defineLedgerLine>;

function defineLedgerAccount(
  builder: Builder,
  { currency }: CurrencyRefs,
  subAccount: ReturnType<typeof defineSubAccount>,
) {
  return builder.prismaObject('LedgerAccount', {
    description: 'One part of the balance in one currency, as an account of the double-entry ledger.',
    fields: (t) => ({
      number: t.string({
        description: 'Id of the ledger account, as on `/v2`.',
        resolve: ({ id }) => String(id),
      }),
      name: t.exposeString('name', {
        description: 'Name shown to people: `<ASSET> (<NETWORK>) <sub-account>`.',
      }),
      code: t.exposeString('code', {
        description:
          'Code in the chart of accounts: numbers separated by dots. The last one is the sub-account.',
      }),
      currencyPrettyName: t.exposeString('prettyName', {
        description: 'Name of the currency shown to people, as on `/v2`.',
      }),
      currency: t.field({
        type: currency,
        description: 'Its currency.',
        resolve: (account) => currencyOfLedger(account.currency),
      }),
      subAccount: t.field({
        type: subAccount,
        description: 'Part of the balance.',
        resolve: (account) => subAccountName(account.subAccount),
      }),
    }),
  });
}

interface Line {
  readonly delta: unknown;
  readonly balanceBefore: unknown;
  readonly balanceAfter: unknown;
  readonly ledgerAccount: { readonly scale: number };
}

/** Minor units: text of a prepared statement, or a Decimal of Prisma. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : trimDecimal((value as { toFixed: () => string }).toFixed());
}

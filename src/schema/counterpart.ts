/** The other side of a statement line: house accounts by their class alone. */
import { assert } from '../base/errors/assert.ts';
import { currencyOfLedger } from '../base/money/currency.ts';
import { type LedgerAccountClass, SUB_ACCOUNTS, type SubAccount } from '../ledger/chart.ts';
import type { PostingRow } from '../store/ledger/journals.ts';
import { sidesOf } from '../wire/statement.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';

const CLASS_VALUES = {
  HOLDER: { description: 'Your own: one of the parts of a balance.' },
  HOUSE_ASSET: { description: 'Assets of the house: bank, wallets, deposits under way.' },
  HOUSE_LIABILITY: { description: 'Debts of the house to others than you: payers, payouts under way.' },
  HOUSE_EQUITY: { description: 'Conversions between currencies, capital, and opening balances.' },
  HOUSE_REVENUE: { description: 'Fees that the house earned.' },
  HOUSE_EXPENSE: { description: 'Network fees that the house paid, and losses.' },
} as const satisfies Record<LedgerAccountClass, { description: string }>;

const SUB_ACCOUNT_VALUES = {
  available: { value: 'available', description: 'Can be spent or withdrawn now.' },
  in_transit: { value: 'in_transit', description: 'Reserved for or sent by transactions under way.' },
  to_receive: { value: 'to_receive', description: 'Expected, not yet settled.' },
  blocked: {
    value: 'blocked',
    description: 'Held by compliance, a dispute, or a deposit of a wrong amount.',
  },
} as const satisfies Record<SubAccount, { value: SubAccount; description: string }>;

/** Defines `SubAccount`. */
export function defineSubAccount(builder: Builder) {
  return builder.enumType('SubAccount', {
    description: 'The parts of a balance, by their published names.',
    values: SUB_ACCOUNT_VALUES,
  });
}

/** @returns the published name of a part of the balance by its number. */
export function subAccountName(number: number): SubAccount {
  const name = (Object.keys(SUB_ACCOUNTS) as SubAccount[]).find((each) => SUB_ACCOUNTS[each] === number);
  assert(name, 'lines of house accounts are never shown');
  return name;
}

/** Defines `LedgerAccountClass`. */
export function defineAccountClass(builder: Builder) {
  return builder.enumType('LedgerAccountClass', {
    description: 'Class of a ledger account in the chart of accounts.',
    values: CLASS_VALUES,
  });
}

/** Reference to `LedgerAccountClass`. */
export type AccountClassRef = ReturnType<typeof defineAccountClass>;

/** Defines `Counterpart`. */
export function defineCounterpart(
  builder: Builder,
  { currency }: CurrencyRefs,
  {
    subAccount,
    accountClass,
  }: { subAccount: ReturnType<typeof defineSubAccount>; accountClass: AccountClassRef },
) {
  return builder.objectRef<PostingRow>('Counterpart').implement({
    description:
      'Another line of the same journal. Debits and credits of a line and its counterparts are equal in each currency.',
    fields: (t) => ({
      accountClass: t.field({
        type: accountClass,
        description: 'Class of the ledger account of the other line.',
        resolve: (posting) => posting.accountClass,
      }),
      subAccount: t.field({
        type: subAccount,
        nullable: true,
        description: 'Part of your balance; null for the house.',
        resolve: (posting) => (posting.subAccount === 0 ? null : subAccountName(posting.subAccount)),
      }),
      currency: t.field({
        type: currency,
        description: 'Its currency.',
        resolve: (posting) => currencyOfLedger(posting.currency),
      }),
      debit: t.field({
        type: 'Decimal',
        description: 'Amount debited there; 0 for a credit.',
        resolve: ({ delta, scale }) => sidesOf(delta, scale).debit,
      }),
      credit: t.field({
        type: 'Decimal',
        description: 'Amount credited there; 0 for a debit.',
        resolve: ({ delta, scale }) => sidesOf(delta, scale).credit,
      }),
    }),
  });
}

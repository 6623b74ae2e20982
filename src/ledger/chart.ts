/** The chart of accounts: sub-accounts of the account holder, and the holder's house accounts (docs/ledger.md). */
import type { Currency } from '../base/money/currency.ts';

/** Sub-accounts by name; the number is the last segment of the account code (`service.md` 2.8). */
export const SUB_ACCOUNTS = { available: 1, in_transit: 2, to_receive: 3, blocked: 4 } as const;
/** Name of a sub-account. */
export type SubAccount = keyof typeof SUB_ACCOUNTS;

/** House accounts: code prefix and meaning. docs/ledger.md lists those that may have a balance on either side of zero. */
export const HOUSE_ACCOUNTS = {
  'A.pix': { prefix: '1.1.1', meaning: 'BRL at the settlement bank' },
  'A.custody': { prefix: '1.2.1', meaning: 'coins in wallets that the operator controls' },
  'A.inbound': { prefix: '1.3.1', meaning: 'deposits seen, not final' },
  'A.recv': { prefix: '1.4.1', meaning: 'owed to the house by the account holder' },
  'L.payer': { prefix: '2.2.1', meaning: 'paid-in BRL not yet converted or owed back' },
  'L.payout': { prefix: '2.3.1', meaning: 'PIX payouts in flight' },
  'L.suspense': { prefix: '2.4.1', meaning: 'money that came and that no transaction took' },
  'C.clearing': { prefix: '2.5.1', meaning: 'between account holders; zero over all of them' },
  'E.fx': { prefix: '3.1.1', meaning: 'foreign exchange clearing: the open position' },
  'E.capital': { prefix: '3.2.1', meaning: 'house inventory' },
  'E.opening': { prefix: '3.3.1', meaning: 'other side of imported history' },
  'R.fee': { prefix: '4.1.1', meaning: 'fees' },
  'R.netfee': { prefix: '4.2.1', meaning: 'network fees charged' },
  'R.dust': { prefix: '4.3.1', meaning: 'suffixes of exact amounts' },
  'X.gas': { prefix: '5.1.1', meaning: 'network fees paid' },
  'X.loss': { prefix: '5.2.1', meaning: 'write-offs' },
} as const;
/** Short name of a house account. */
export type HouseAccount = keyof typeof HOUSE_ACCOUNTS;

/** House accounts that together are the house's own holding of a currency; without imported history. */
export const OWN_FUNDS: readonly HouseAccount[] = [
  'E.fx',
  'E.capital',
  'R.fee',
  'R.netfee',
  'R.dust',
  'X.gas',
  'X.loss',
];

/**
 * Class of a ledger account in the books of the house, by the first digit of its code; a sub-account belongs to its
 * holder.
 */
const HOUSE_CLASSES = {
  1: 'HOUSE_ASSET',
  2: 'HOUSE_LIABILITY',
  3: 'HOUSE_EQUITY',
  4: 'HOUSE_REVENUE',
  5: 'HOUSE_EXPENSE',
} as const;
/** Class of a ledger account, which is all that account holders see of a house account. */
export type LedgerAccountClass = 'HOLDER' | (typeof HOUSE_CLASSES)[keyof typeof HOUSE_CLASSES];

/** The classes of house accounts. */
export const HOUSE_ACCOUNT_CLASSES = Object.values(HOUSE_CLASSES);

/** Name of the sub-accounts of all account holders together, in books by kind of ledger account. */
export const HOLDERS = 'account holders';

const HOLDER_PREFIX = '2.1.1';

/** Properties with which a ledger account is opened. */
export interface AccountSheet {
  readonly code: string;
  readonly name: string;
  /** Raw ledger code. */
  readonly currency: string;
  readonly prettyName: string;
  /** Number of decimals of the minor unit of its lines. */
  readonly scale: number;
  /** 1 available, 2 in_transit, 3 to_receive, 4 blocked; 0 for a house account. */
  readonly subAccount: number;
  readonly house: HouseAccount | null;
}

/** @returns the class of a house account, or of a sub-account of the holder (null). */
export function classOf(house: HouseAccount | null): LedgerAccountClass {
  if (house === null) return 'HOLDER';
  return HOUSE_CLASSES[HOUSE_ACCOUNTS[house].prefix[0] as unknown as keyof typeof HOUSE_CLASSES];
}

/** @returns the sheet of a holder's sub-account: code `2.1.1.<account>.<asset>.<network>.<sub-account>`. */
export function subAccountSheet(accountId: bigint, currency: Currency, name: SubAccount): AccountSheet {
  const subAccount = SUB_ACCOUNTS[name];
  return {
    ...inCurrency(currency),
    code: `${HOLDER_PREFIX}.${accountId}.${currency.segments.join('.')}.${subAccount}`,
    name: `${currency.displayName} ${name}`,
    subAccount,
    house: null,
  };
}

/** @returns the sheet of one of the holder's house accounts: code `<prefix>.<account>.<asset>.<network>`. */
export function houseSheet(accountId: bigint, currency: Currency, house: HouseAccount): AccountSheet {
  return {
    ...inCurrency(currency),
    code: `${HOUSE_ACCOUNTS[house].prefix}.${accountId}.${currency.segments.join('.')}`,
    name: `${currency.displayName} ${house}`,
    subAccount: 0,
    house,
  };
}

function inCurrency(currency: Currency) {
  return { currency: currency.code, prettyName: currency.displayName, scale: currency.decimals };
}

/**
 * A journal in the format of hledger (hledger.org), from the view of the account holder: the sub-accounts are assets,
 * and each class of house accounts is a counterpart. Incoming money is therefore positive.
 */
import { CURRENCIES } from '../base/money/currency.ts';
import { fromMinor, withDecimals } from '../base/money/money.ts';
import { HOUSE_ACCOUNT_CLASSES, type LedgerAccountClass, SUB_ACCOUNTS } from '../ledger/chart.ts';

/** One line of a journal. */
export interface HledgerPosting {
  readonly accountClass: LedgerAccountClass;
  /** Number of the sub-account; 0 for the house. */
  readonly subAccount: number;
  readonly currency: string;
  readonly scale: number;
  /** Minor units; a credit is positive. */
  readonly delta: string;
}

/** Balance of a sub-account. */
export interface HledgerBalance {
  readonly subAccount: number;
  readonly currency: string;
  readonly scale: number;
  /** Minor units. */
  readonly balance: string;
}

const OPENING = 'equity:opening balances';

/**
 * @param others - all currencies of the journals, including those of house accounts (gas).
 * @returns declarations of all accounts and commodities, which `hledger check --strict` requires.
 */
export function hledgerHead(
  others: readonly { readonly currency: string; readonly scale: number }[],
): string {
  const known = new Map(CURRENCIES.map(({ code, decimals }) => [code, decimals]));
  for (const { currency, scale } of others) known.set(currency, scale);
  const accounts = [
    ...Object.values(SUB_ACCOUNTS).map((number) => `${assetAccount(number)}  ; type: A`),
    ...HOUSE_ACCOUNT_CLASSES.map((each) => `${counterpart(each)}  ; type: L`),
    `${OPENING}  ; type: E`,
  ];
  return [
    'decimal-mark .',
    ...[...known].map(
      ([code, decimals]) =>
        `commodity ${withDecimals('1000', decimals)}${decimals === 0 ? '.' : ''} ${commodity(code)}`,
    ),
    ...accounts.map((account) => `account ${account}`),
    '',
    '',
  ].join('\n');
}

/** @returns the opening balances of the journals. */
export function hledgerOpening(day: string, balances: readonly HledgerBalance[]): string {
  const held = balances.filter(({ balance }) => BigInt(balance) !== 0n);
  if (held.length === 0) return '';
  const lines = held.map(
    ({ subAccount, currency, scale, balance }) =>
      `    ${assetAccount(subAccount)}  ${amountOf(balance, scale, currency)}`,
  );
  return `${day} * opening balances\n${lines.join('\n')}\n    ${OPENING}\n\n`;
}

/** @returns a journal with the postings of both sides. */
export function hledgerJournal(
  journal: {
    readonly id: bigint;
    readonly name: string;
    readonly day: string;
    readonly end2end: string | null;
  },
  postings: readonly HledgerPosting[],
): string {
  const code = journal.end2end === null ? '' : `(${journal.end2end.replace(/[()\s;]/g, '_')}) `;
  const lines = postings.map(
    ({ accountClass, subAccount, currency, scale, delta }) =>
      `    ${subAccount === 0 ? counterpart(accountClass) : assetAccount(subAccount)}  ${amountOf(delta, scale, currency)}`,
  );
  return `${journal.day} * ${code}${journal.name}  ; journal:${journal.id}\n${lines.join('\n')}\n\n`;
}

/** @returns a balance assertion: hledger refuses the file if the journals do not lead to these closing balances. */
export function hledgerClosing(day: string, balances: readonly HledgerBalance[]): string {
  if (balances.length === 0) return '';
  const lines = balances.map(
    ({ subAccount, currency, scale, balance }) =>
      `    ${assetAccount(subAccount)}  0 ${commodity(currency)} = ${amountOf(balance, scale, currency)}`,
  );
  return `${day} * closing balances\n${lines.join('\n')}\n`;
}

function assetAccount(subAccount: number): string {
  const name = Object.entries(SUB_ACCOUNTS).find(([, number]) => number === subAccount)?.[0] ?? 'other';
  return `assets:crossramp:${name.replaceAll('_', ' ')}`;
}

function counterpart(accountClass: LedgerAccountClass): string {
  return `crossramp:${accountClass.toLowerCase().replaceAll('_', ' ')}`;
}

function amountOf(minor: string, scale: number, currency: string): string {
  return `${fromMinor(minor, scale)} ${commodity(currency)}`;
}

/** Quotes a name that contains digits or signs. */
function commodity(code: string): string {
  return /^[A-Za-z]+$/.test(code) ? code : `"${code.replaceAll('"', '')}"`;
}

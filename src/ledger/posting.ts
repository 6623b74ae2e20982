/** Postings and journals as data: debits and credits of ledger accounts, in minor units. */
import { createHash } from 'node:crypto';
import { assert } from '../base/errors/assert.ts';
import type { Currency } from '../base/money/currency.ts';
import {
  type AccountSheet,
  type HouseAccount,
  houseSheet,
  type SubAccount,
  subAccountSheet,
} from './chart.ts';

/** An account of the book by its short name: `M.available` is the holder's sub-account, `A.pix` a house account. */
export type AccountRole = `M.${SubAccount}` | HouseAccount;

/** One side of a journal: an amount in minor units of the currency, credits positive, debits negative. */
export interface Posting {
  readonly role: AccountRole;
  readonly currency: Currency;
  readonly deltaMinor: bigint;
}

/** The postings of one transition, balanced per currency. */
export interface Journal {
  /** Name in the chart of journals (`L1` …), or `adjustment`. */
  readonly name: string;
  readonly postings: readonly Posting[];
}

/** @returns a debit. */
export function debit(role: AccountRole, currency: Currency, amountMinor: bigint): Posting {
  return { role, currency, deltaMinor: -amountMinor };
}

/** @returns a credit. */
export function credit(role: AccountRole, currency: Currency, amountMinor: bigint): Posting {
  return { role, currency, deltaMinor: amountMinor };
}

/** @returns the journal of these postings, without zero ones (a fee of zero has no line). */
export function journal(name: string, ...postings: readonly Posting[]): Journal {
  const moved = postings.filter(({ deltaMinor }) => deltaMinor !== 0n);
  for (const code of new Set(moved.map(({ currency }) => currency.code))) {
    const sum = moved.reduce(
      (total, { currency, deltaMinor }) => (currency.code === code ? total + deltaMinor : total),
      0n,
    );
    assert(sum === 0n, `journal ${name} balances in ${code}`);
  }
  return { name, postings: moved };
}

/** @returns the properties with which the ledger account of a posting is opened. */
export function sheetOf(accountId: bigint, { role, currency }: Posting): AccountSheet {
  return role.startsWith('M.')
    ? subAccountSheet(accountId, currency, role.slice(2) as SubAccount)
    : houseSheet(accountId, currency, role as HouseAccount);
}

/** @returns a hash that distinguishes journals under the same ref: equal postings have equal hashes. */
export function journalHash({ name, postings }: Journal): Buffer {
  const text = postings
    .map(({ role, currency, deltaMinor }) => `${role} ${currency.code} ${deltaMinor}`)
    .join('\n');
  return createHash('sha256').update(`${name}\n${text}`).digest();
}

/** Reads the journals behind a line of the books: the lines of a kind of ledger account in one currency, of a period. */
import { invalidParameters } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { currencyOfHistory } from '../../base/money/currency.ts';
import { isoMillis } from '../../base/time/instant.ts';
import { HOUSE_ACCOUNTS, type HouseAccount } from '../../ledger/chart.ts';
import { readBookEntries } from '../../store/ledger/book-entries.ts';
import type { Context } from '../services/context.ts';
import { boundsOf, type PeriodInput, periodOfBooks, sided } from './read-books.ts';

/** Maximum number of lines that are read: the newest. */
export const BOOK_ENTRIES_MAX = 100;

/** A line of a journal on a house account. */
export interface BookEntry {
  readonly accountId: bigint;
  readonly journalId: bigint;
  readonly end2end: string | null;
  /** ISO 8601. */
  readonly postedAt: string;
  /** Decimal text, positive on the normal side of the class of the ledger account. */
  readonly amount: string;
}

/** Name of the ledger account in the chart, raw code of the currency, days and account. */
export interface EntriesInput extends PeriodInput {
  readonly ledgerAccount: Named;
  readonly currency: Named;
}

/**
 * @param input - days as for `trialBalance`.
 * @returns the newest lines, the last one first.
 * @throws {GatewayError} as `trialBalance`; `INVALID_PARAMETER` for an unknown ledger account or currency.
 */
export async function bookEntries(context: Context, input: EntriesInput): Promise<readonly BookEntry[]> {
  const { books, from, to } = await periodOfBooks(context, input);
  const house = houseOf(input.ledgerAccount);
  const currency = currencyOf(input.currency);
  const filter = { ...books, ...boundsOf(from, to), house, currency, limit: BOOK_ENTRIES_MAX };
  const rows = await readBookEntries(context.database, filter);
  return rows.map(({ delta, scale, postedAt, ...row }) => ({
    ...row,
    postedAt: isoMillis(postedAt),
    amount: sided(house, delta, scale),
  }));
}

function houseOf({ name, value }: Named): HouseAccount {
  if (Object.hasOwn(HOUSE_ACCOUNTS, value)) return value as HouseAccount;
  const message = `must be one of ${Object.keys(HOUSE_ACCOUNTS).join(', ')}`;
  throw invalidParameters([{ parameter: name, message }]);
}

function currencyOf({ name, value }: Named): string {
  const found = currencyOfHistory(value);
  if (found) return found.code;
  throw invalidParameters([
    { parameter: name, message: 'must be the raw code of a currency, such as USDT_TRX' },
  ]);
}

/** Reads the books of the house: the treasury now, the trial balance and the profit and loss of a period. */

import { notFound } from '../../base/errors/errors.ts';
import { type Named, Violations } from '../../base/errors/violations.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, multiply, roundHalfUp } from '../../base/money/money.ts';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../base/time/brasilia-day.ts';
import { classOf, type HouseAccount, type LedgerAccountClass } from '../../ledger/chart.ts';
import { readHolder } from '../../store/account/accounts.ts';
import { readRates } from '../../store/engine/pricing.ts';
import { type BooksOf, readBooks, readTrialBalance, type TrialRow } from '../../store/ledger/books.ts';
import { type Context, requireScope } from '../services/context.ts';

/** A kind of ledger account in one currency. */
export interface BookKind {
  /** Null for the holdings of account holders. */
  readonly house: HouseAccount | null;
  readonly class: LedgerAccountClass;
  /** Raw ledger code. */
  readonly currency: string;
}

/** Present balance: decimal text, positive on the normal side of the class: assets and expenses are debits. */
export interface TreasuryLine extends BookKind {
  readonly balance: string;
  /** At the newest rate; null if there is none. */
  readonly calculatedBrl: string | null;
}

/** Movements of a period. Balances are positive on the normal side of the class; decimal text. */
export interface TrialLine extends BookKind {
  readonly opening: string;
  readonly debits: string;
  readonly credits: string;
  readonly closing: string;
  /** Value of `closing` at the newest rate; null if there is none. */
  readonly calculatedBrl: string | null;
}

/** Brasília days, both included, and their movements. */
export interface TrialBalance {
  readonly from: string;
  readonly to: string;
  readonly lines: readonly TrialLine[];
}

/** Earnings and expenses of a period; decimal text, positive for earnings of the house. */
export interface ResultLine extends BookKind {
  readonly amount: string;
  /** At the newest rate; null if there is none. */
  readonly calculatedBrl: string | null;
}

/**
 * Revenue less expenses of a period, by currency; and amounts bought and sold, which have no value of their own until a rate
 * is given.
 */
export interface ProfitAndLoss {
  readonly from: string;
  readonly to: string;
  readonly lines: readonly ResultLine[];
  readonly net: readonly { readonly currency: string; readonly amount: string }[];
  /** Change of the open position: above zero if the house has more of it. */
  readonly position: readonly { readonly currency: string; readonly amount: string }[];
}

/** Days as callers write them, and an account or all of them. */
export interface PeriodInput {
  readonly from: Named | undefined;
  readonly to: Named | undefined;
  readonly account: Named | undefined;
}

const DEBIT_CLASSES: readonly LedgerAccountClass[] = ['HOUSE_ASSET', 'HOUSE_EXPENSE'];
/** Years have four digits: no later day exists, and nothing is booked on it. */
const LAST_DAY = '9999-12-31';
const ID = /^[1-9]\d{0,17}$/;

/**
 * @param account - undefined for all accounts of the caller's mode.
 * @returns assets, debts and earnings of the house, by kind and currency.
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND` unless the account exists in the caller's mode.
 */
export async function readTreasury(
  context: Context,
  account: Named | undefined,
): Promise<readonly TreasuryLine[]> {
  const books = await booksOf(context, account);
  const [rows, rates] = await Promise.all([
    readBooks(context.database, books),
    readRates(context.database, context.mode),
  ]);
  return rows.map((row) => {
    const balance = sided(row.house, row.balance, row.scale);
    return { ...kindOf(row), balance, calculatedBrl: worthOf(row.currency, balance, rates) };
  });
}

/**
 * @param input - `from` by default the first day of the month of `to`, `to` by default today; days in Brasília time.
 * @returns balances before, debits, credits and balances after; all debits equal all credits in each currency.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `NOT_FOUND` unless the account exists in the caller's
 *   mode.
 */
export async function trialBalance(context: Context, input: PeriodInput): Promise<TrialBalance> {
  const { from, to, rows } = await readPeriod(context, input);
  const rates = await readRates(context.database, context.mode);
  const lines = rows.map((row) => {
    const closing = sided(row.house, row.closing, row.scale);
    return {
      ...kindOf(row),
      opening: sided(row.house, row.opening, row.scale),
      debits: fromMinor(row.debits, row.scale),
      credits: fromMinor(row.credits, row.scale),
      closing,
      calculatedBrl: worthOf(row.currency, closing, rates),
    };
  });
  return { from, to, lines };
}

/** @returns as `trialBalance`, revenue, expenses, amounts bought and sold. @throws {GatewayError} as `trialBalance`. */
export async function profitAndLoss(context: Context, input: PeriodInput): Promise<ProfitAndLoss> {
  const { from, to, rows } = await readPeriod(context, input);
  const moved = rows.filter(({ debits, credits }) => debits !== '0' || credits !== '0');
  const earned = moved.filter(({ house }) => ['HOUSE_REVENUE', 'HOUSE_EXPENSE'].includes(classOf(house)));
  const rates = await readRates(context.database, context.mode);
  const lines = earned.map((row) => {
    const amount = fromMinor(changeOf(row), row.scale);
    return { ...kindOf(row), amount, calculatedBrl: worthOf(row.currency, amount, rates) };
  });
  // Amounts that the house received in exchange are credits there, and amounts that it paid are debits.
  const position = moved
    .filter(({ house }) => house === 'E.fx')
    .map((row) => ({ currency: row.currency, amount: fromMinor(changeOf(row), row.scale) }));
  return { from, to, lines, net: netOf(earned), position };
}

function worthOf(currency: string, amount: string, rates: ReadonlyMap<string, string>): string | null {
  const rate = rates.get(currencyOfLedger(currency).asset);
  return rate === undefined ? null : roundHalfUp(multiply(amount, rate), 2);
}

/** @throws {GatewayError} `NOT_FOUND` unless the account exists in the caller's mode. */
async function booksOf(context: Context, account: Named | undefined): Promise<BooksOf> {
  requireScope(context, 'platform:books');
  const { database, mode } = context;
  if (!account) return { mode };
  const accountId = ID.test(account.value) ? BigInt(account.value) : undefined;
  const holder = accountId && (await readHolder(database, accountId));
  if (!holder || holder.mode !== mode) throw notFound();
  return { mode, accountId };
}

/** @returns the books and the days that a caller means. @throws {GatewayError} as `trialBalance`. */
export async function periodOfBooks(
  context: Context,
  input: PeriodInput,
): Promise<{ readonly books: BooksOf; readonly from: string; readonly to: string }> {
  const books = await booksOf(context, input.account);
  const violations = new Violations();
  const days = violations.days(input.from, input.to);
  violations.refuse();
  const to = days.dateTo ?? brasiliaDay(await context.clock.nowMs());
  return { books, from: days.dateFrom ?? `${to.slice(0, 7)}-01`, to };
}

async function readPeriod(
  context: Context,
  input: PeriodInput,
): Promise<{ from: string; to: string; rows: readonly TrialRow[] }> {
  const { books, from, to } = await periodOfBooks(context, input);
  const rows = await readTrialBalance(context.database, books, boundsOf(from, to));
  return { from, to, rows };
}

/** @returns the first instant of the first of these Brasília days, and the first instant after the last. */
export function boundsOf(from: string, to: string = from): { readonly from: Date; readonly to: Date } {
  const end = to < LAST_DAY ? dayAfter(to) : to;
  return { from: new Date(brasiliaMidnight(from)), to: new Date(brasiliaMidnight(end)) };
}

function kindOf({ house, currency }: Pick<TrialRow, 'house' | 'currency'>): BookKind {
  return { house, class: classOf(house), currency };
}

/** @returns the decimal of minor units on the normal side of the class: the ledger has credits above zero. */
export function sided(house: HouseAccount | null, minor: string, scale: number): string {
  return fromMinor(DEBIT_CLASSES.includes(classOf(house)) ? -BigInt(minor) : BigInt(minor), scale);
}

function changeOf({ credits, debits }: TrialRow): bigint {
  return BigInt(credits) - BigInt(debits);
}

function netOf(rows: readonly TrialRow[]): ProfitAndLoss['net'] {
  const byCurrency = Map.groupBy(rows, ({ currency }) => currency);
  return [...byCurrency].map(([currency, all]) => ({
    currency,
    amount: fromMinor(
      all.reduce((sum, row) => sum + changeOf(row), 0n),
      all[0]?.scale ?? 0,
    ),
  }));
}

/** Takings of an account: PIX payments by payers, by Brasília day, with the same number of days before. */
import { sum } from '../../base/money/money.ts';
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { type Days, daysOf, sameDaysBefore } from '../../base/time/period.ts';
import { readTakings, type TakingsRow } from '../../store/engine/takings.ts';
import type { Family } from '../../templates/define.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Payments of one day; BRL as decimal text. */
export interface TakingsDay {
  /** `YYYY-MM-DD` in Brasília. */
  readonly day: string;
  readonly amount: string;
  readonly payments: number;
  readonly ended: number;
}

/** Payments of the days that end today, and of the days with which they are compared. */
export interface TakingsPeriod {
  readonly amount: string;
  readonly amountBefore: string;
  readonly payments: number;
  readonly paymentsBefore: number;
  /** Transactions of the period that have ended, whether they were paid or not. */
  readonly ended: number;
}

/** Takings by day, oldest first, and by period; times in ms. */
export interface Takings {
  readonly days: readonly TakingsDay[];
  readonly today: TakingsPeriod;
  readonly week: TakingsPeriod;
  readonly month: TakingsPeriod;
  readonly calendarMonth: TakingsPeriod;
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** Days of the longest period. Twice as many days are read: the days before are shown for comparison. */
export const TAKINGS_DAYS = 30;
const WEEK_DAYS = 7;

/** Families whose payers pay BRL. */
const PAID_BY_PIX = (Object.keys(FAMILY_TRAITS) as Family[]).filter(
  (family) => FAMILY_TRAITS[family].flow === 'in',
);

/**
 * @returns the takings of the account as of now, on its clock; null if it has too many transactions in that time to add them
 * up.
 * @throws {GatewayError} `FORBIDDEN` without `read`.
 */
export async function readAccountTakings(context: Context): Promise<Takings | null> {
  requireScope(context, 'read');
  const { database, caller, clock } = context;
  const today = brasiliaDay(await clock.nowMs());
  const thisMonth = daysOf('this_month', today);
  const before = sameDaysBefore(today);
  const first = dayAfter(today, 1 - 2 * TAKINGS_DAYS);
  const from = first < before.from ? first : before.from;
  const recent = dayAfter(today, 1 - TAKINGS_DAYS);
  const rows = await readTakings(database, caller.accountId, { families: PAID_BY_PIX, from, recent });
  if (!rows) return null;
  const days = everyDay(rows, { from, to: today });
  const all = rows.find(({ day }) => day === null);
  return {
    days: days.slice(-2 * TAKINGS_DAYS),
    today: lastDays(days, 1),
    week: lastDays(days, WEEK_DAYS),
    month: lastDays(days, TAKINGS_DAYS),
    calendarMonth: periodOf(within(days, thisMonth), within(days, before)),
    medianMs: all?.medianMs ?? null,
    p95Ms: all?.p95Ms ?? null,
  };
}

/** Every day has its row, including one without a payment. */
function everyDay(rows: readonly TakingsRow[], { from, to }: Days): readonly TakingsDay[] {
  const known = new Map(rows.map((row) => [row.day, row]));
  const days: TakingsDay[] = [];
  for (let day = from; day <= to; day = dayAfter(day)) {
    const { amount = '0', payments = 0, ended = 0 } = known.get(day) ?? {};
    days.push({ day, amount, payments, ended });
  }
  return days;
}

function within(days: readonly TakingsDay[], { from, to }: Days): readonly TakingsDay[] {
  return days.filter(({ day }) => day >= from && day <= to);
}

function lastDays(days: readonly TakingsDay[], length: number): TakingsPeriod {
  return periodOf(days.slice(-length), days.slice(-2 * length, -length));
}

function periodOf(now: readonly TakingsDay[], before: readonly TakingsDay[]): TakingsPeriod {
  const amountOf = (part: readonly TakingsDay[]) => sum(part.map(({ amount }) => amount));
  const paymentsOf = (part: readonly TakingsDay[]) => part.reduce((all, { payments }) => all + payments, 0);
  return {
    amount: amountOf(now),
    amountBefore: amountOf(before),
    payments: paymentsOf(now),
    paymentsBefore: paymentsOf(before),
    ended: now.reduce((all, { ended }) => all + ended, 0),
  };
}

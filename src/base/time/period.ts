/** Named periods of days: of exports, whose link is the file of each month, and of the console's filters. */
import { dayAfter } from './brasilia-day.ts';

/** Names of periods. */
export const PERIODS = ['yesterday', 'this_month', 'previous_month'] as const;
/** A member of PERIODS. */
export type Period = (typeof PERIODS)[number];

/** Days of a period, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** @returns the days of a period on a day. */
export function daysOf(period: Period, today: string): Days {
  const yesterday = dayAfter(today, -1);
  if (period === 'yesterday') return { from: yesterday, to: yesterday };
  if (period === 'this_month') return { from: firstOfMonth(today), to: today };
  const last = dayAfter(firstOfMonth(today), -1);
  return { from: firstOfMonth(last), to: last };
}

/** @returns the days of the previous month up to the same day of the month; of a shorter month, all of its days. */
export function sameDaysBefore(today: string): Days {
  const { from, to } = daysOf('previous_month', today);
  const same = `${to.slice(0, 8)}${today.slice(8)}`;
  return { from, to: same < to ? same : to };
}

function firstOfMonth(day: string): string {
  return `${day.slice(0, 8)}01`;
}

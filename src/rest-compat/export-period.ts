/** Periods of exports that move with time, so that one link is the export of each month. */
import type { Named, Violations } from '../base/errors/violations.ts';
import { dayAfter } from '../base/time/brasilia-day.ts';
import { instantOf } from '../base/time/instant.ts';
import { dayIn, type Zone } from '../base/time/zone.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { Query } from './input.ts';

/** Names of periods. */
export const PERIODS = ['yesterday', 'this_month', 'previous_month'] as const;
/** A member of PERIODS. */
export type Period = (typeof PERIODS)[number];

/** Days of a period, both included. */
interface Days {
  readonly from: string;
  readonly to: string;
}

/** @returns the days of a period on a day. */
export function daysOf(period: Period, today: string): Days {
  const firstOf = (day: string) => `${day.slice(0, 8)}01`;
  const yesterday = dayAfter(today, -1);
  if (period === 'yesterday') return { from: yesterday, to: yesterday };
  if (period === 'this_month') return { from: firstOf(today), to: today };
  const last = dayAfter(firstOf(today), -1);
  return { from: firstOf(last), to: last };
}

/** @returns the period of a query; undefined without one. Days given in addition to it are noted in `violations`. */
export function readPeriod(
  query: Query,
  oneOf: (input: Named | undefined) => Period | undefined,
  violations: Violations,
): Period | undefined {
  const input = query.get('period');
  if (input && (query.get('date_from') ?? query.get('date_to')))
    violations.add({ parameter: 'period', message: 'must stand without date_from and date_to' });
  return oneOf(input);
}

/**
 * @param exportOf - the export of given days, or of the days that the caller named.
 * @returns the export of a period as of now.
 */
export async function* exportOfPeriod(
  context: Context,
  { period, zone }: { readonly period: Period | undefined; readonly zone: Zone },
  exportOf: (days: { readonly from: Named; readonly to: Named } | undefined) => AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (period === undefined) return yield* exportOf(undefined);
  const { from, to } = daysOf(period, dayIn(zone, instantOf(new Date(await context.clock.nowMs()))));
  const named = (value: string): Named => ({ name: 'period', value });
  yield* exportOf({ from: named(from), to: named(to) });
}

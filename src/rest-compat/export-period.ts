/** Periods of exports that move with time, so that one link is the export of each month. */
import type { Named, Violations } from '../base/errors/violations.ts';
import { instantOf } from '../base/time/instant.ts';
import { daysOf, type Period } from '../base/time/period.ts';
import { dayIn, type Zone } from '../base/time/zone.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { Query } from './input.ts';

/** @returns the period of a query; undefined without one. Days in addition to it are collected in `violations`. */
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
 * @param exportOf - returns the export of given days, or of the days that the caller named.
 * @returns the current export of a period.
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

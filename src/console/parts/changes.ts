/** Changes of figures as text; and durations in everyday units. */
import { changeOf } from '../../ui/chart.ts';
import type { ScreenContext } from '../context.ts';
import type { Word } from '../words.ts';
import { inBrl } from './figures.ts';
import { count } from './lists.ts';

/** Texts that name the previous period. */
export type WhenBefore = 'whenYesterday' | 'when7' | 'when30' | 'whenLastMonth';

/** Growth in percent from which it is told as a multiple. */
const TIMES_FROM = 900;

/** @returns the change of an amount in BRL from the previous period, as a sentence without its full stop. */
export function changeText(
  { translate, language }: Pick<ScreenContext, 'translate' | 'language'>,
  amount: string,
  before: string,
  when: WhenBefore,
): string {
  const change = changeOf(amount, before);
  const at = translate(when);
  if (change === null) return translate('nothingBefore', { when: at });
  const { percent, isMore } = change;
  const values = { before: inBrl(before, language), when: at };
  if (isMore && Number(percent) >= TIMES_FROM) {
    const times = Math.round(Number(percent) / 100) + 1;
    return translate('timesBefore', { ...values, times: count(times, language) });
  }
  if (percent === '0') return translate('sameAsBefore', { when: at });
  return translate(isMore ? 'moreThanBefore' : 'lessThanBefore', {
    ...values,
    percent: count(Number(percent), language),
  });
}

const UNITS: readonly (readonly [word: Word, ms: number, below: number])[] = [
  ['millis', 1, 1_000],
  ['seconds', 1_000, 120_000],
  ['minutes', 60_000, 7_200_000],
  ['hours', 3_600_000, Number.POSITIVE_INFINITY],
];

/** @returns a duration in its everyday unit, rounded; null if unknown. */
export function timeSpan(
  { translate, language }: Pick<ScreenContext, 'translate' | 'language'>,
  ms: number | null,
): string | null {
  if (ms === null) return null;
  const [word, unit] = UNITS.find(([, , below]) => ms < below) ?? (UNITS[3] as (typeof UNITS)[number]);
  return translate(word, { n: count(Math.round(ms / unit), language) });
}

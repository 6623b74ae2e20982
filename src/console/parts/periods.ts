/** Periods of days, each in one click: the months that accountants close, and yesterday. */
import { daysOf, PERIODS } from '../../base/time/period.ts';
import type { Html } from '../../ui/html.ts';
import { segments } from '../../ui/parts.ts';
import { type ScreenContext, sameWith } from '../context.ts';
import { NO_PAGE } from './lists.ts';

/** @returns links that set both days of a list, and one that sets none; `today` is a day in the zone of the list. */
export function periodLinks(context: ScreenContext, today: string): Html {
  const { translate, query } = context;
  const [from, to] = [query.get('dateFrom') || null, query.get('dateTo') || null];
  const whole = { word: translate('period_all'), from: null, to: null };
  const periods = PERIODS.map((name) => ({ word: translate(`period_${name}`), ...daysOf(name, today) }));
  const links = [whole, ...periods].map((each) => ({
    href: sameWith(context, { ...NO_PAGE, dateFrom: each.from, dateTo: each.to }),
    word: each.word,
    isCurrent: from === each.from && to === each.to,
  }));
  return segments(translate('period'), links);
}

/** Periods of days, each in one click: the months that accountants close, and yesterday. */
import { type Days, daysOf, PERIODS } from '../../base/time/period.ts';
import type { Html } from '../../ui/html.ts';
import { segments } from '../../ui/parts.ts';
import { type ScreenContext, sameWith } from '../context.ts';
import { NO_PAGE } from './lists.ts';

/** @returns links that set both days of a list, and one that sets none; `today` is a day in the zone of the list. */
export function periodLinks(context: ScreenContext, today: string): Html {
  const { translate, query } = context;
  const shown = { from: query.get('dateFrom') || null, to: query.get('dateTo') || null };
  const whole = { word: translate('period_all'), from: null, to: null };
  return linksTo(context, [whole, ...periodsOn(context, today)], shown, ({ from, to }) => ({
    ...NO_PAGE,
    ...{ dateFrom: from, dateTo: to },
  }));
}

/** @returns links that set both days of a screen of one period. */
export function bookPeriodLinks(context: ScreenContext, today: string, shown: Days): Html {
  return linksTo(context, periodsOn(context, today), shown, ({ from, to }) => ({ from, to, done: null }));
}

/** Days of a link; null in place of both for all days. */
type LinkDays = { readonly from: string | null; readonly to: string | null };

function periodsOn({ translate }: ScreenContext, today: string): readonly (Days & { word: string })[] {
  return PERIODS.map((name) => ({ word: translate(`period_${name}`), ...daysOf(name, today) }));
}

function linksTo(
  context: ScreenContext,
  periods: readonly (LinkDays & { readonly word: string })[],
  shown: LinkDays,
  changesOf: (days: LinkDays) => Readonly<Record<string, string | null>>,
): Html {
  const links = periods.map((each) => ({
    href: sameWith(context, changesOf(each)),
    word: each.word,
    isCurrent: shown.from === each.from && shown.to === each.to,
  }));
  return segments(context.translate('period'), links);
}

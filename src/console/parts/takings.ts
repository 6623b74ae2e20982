/** Takings on Home: today, 7 and 30 days, the calendar month, bars of the days, success rate and time to settle. */
import { barChart } from '../../ui/chart.ts';
import { type Html, html } from '../../ui/html.ts';
import { empty, keyValues, pair } from '../../ui/parts.ts';
import { nearText } from '../../ui/times.ts';
import type { ScreenContext } from '../context.ts';
import type { TodayQuery } from '../generated/graphql.ts';
import type { Word } from '../words.ts';
import { changeText, timeSpan, type WhenBefore } from './changes.ts';
import { inBrl } from './figures.ts';
import { count } from './lists.ts';

type Takings = NonNullable<TodayQuery['takings']>;

const PERIODS = [
  ['today', 'takingsToday', 'whenYesterday'],
  ['week', 'takingsWeek', 'when7'],
  ['month', 'takingsMonth', 'when30'],
  ['calendarMonth', 'takingsCalendarMonth', 'whenLastMonth'],
] as const satisfies readonly (readonly [keyof Takings, Word, WhenBefore])[];

/** @returns the figures and their chart; a text if there are too many payments to add up. */
export function takingsCard(context: ScreenContext, takings: TodayQuery['takings']): Html {
  const { translate, language } = context;
  if (!takings) return empty('activity', translate('takingsAway'));
  const { month } = takings;
  const figures = PERIODS.map(([name, word, when]) => {
    const { amount, amountBefore, payments } = takings[name];
    const number =
      payments === 1
        ? translate('paymentCount')
        : translate('paymentsCount', { n: count(payments, language) });
    return html`<div><dt>${translate(word)}</dt><dd><b class="figure num">${inBrl(amount, language)}</b><small>${number}. ${changeText(context, amount, amountBefore, when)}.</small></dd></div>`;
  });
  const times = keyValues(
    [
      pair(translate('successRate'), month.ended > 0 && rate(context, month)),
      pair(translate('timeToSettle'), settled(context, takings)),
    ],
    true,
  );
  return html`<dl class="sums">${figures}</dl><div class="in">${chart(context, takings)}${times}<p class="small soft">${translate('takingsHow')}</p></div>`;
}

function chart(context: ScreenContext, { days, month }: Takings): Html {
  const { translate, language } = context;
  const half = days.length / 2;
  const name = (day: string) => nearText(Date.parse(`${day}T12:00:00-03:00`), language, 'day');
  const points = days.slice(half).map(({ day, amount }, at) => ({
    name: name(day),
    value: amount,
    before: days[at]?.amount,
  }));
  const change = changeText(context, month.amount, month.amountBefore, 'when30');
  return barChart({
    points,
    sentence: translate('chartTakings', { amount: inBrl(month.amount, language), change }),
    words: {
      open: translate('chartTable'),
      name: translate('day'),
      value: translate('inThePeriod'),
      before: translate('daysBefore'),
    },
    show: (value) => inBrl(value, language),
  });
}

function rate({ translate, language }: ScreenContext, { payments, ended }: Takings['month']): Html {
  const percent = Math.round((100 * payments) / ended);
  const of = translate('successOf', { paid: count(payments, language), ended: count(ended, language) });
  return html`${percent}% <small>${of}</small>`;
}

function settled(context: ScreenContext, { medianMs, p95Ms }: Takings): Html | null {
  const median = timeSpan(context, medianMs ?? null);
  return median === null
    ? null
    : html`${median} <small>${context.translate('timeToSettleP95')} ${timeSpan(context, p95Ms ?? null)}</small>`;
}

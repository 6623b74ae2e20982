/** Volume, margin and float of the house on the operator's Home. */
import { sum } from '../../base/money/money.ts';
import { barChart, lineChart, type Point } from '../../ui/chart.ts';
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { nearText } from '../../ui/times.ts';
import type { ScreenContext } from '../context.ts';
import type { PlatformTodayQuery } from '../generated/graphql.ts';
import type { Word } from '../words.ts';
import { changeText } from './changes.ts';
import { BRL, figure, inBrl } from './figures.ts';
import { section } from './lists.ts';

type Day = NonNullable<PlatformTodayQuery['houseDays']>[number];
type Line = NonNullable<PlatformTodayQuery['treasury']>[number];

/** @returns figures of today and 30 days with their charts; a text if there are too many records to add up. */
export function houseVolume(context: ScreenContext, all: PlatformTodayQuery['houseDays']): Html {
  const { translate, language } = context;
  if (!all) return empty('activity', translate('volumeAway'));
  const half = all.length / 2;
  const [before, month] = [all.slice(0, half), all.slice(half)];
  const today = month.slice(-1);
  const total = (days: readonly Day[], member: 'pixIn' | 'pixOut') => sum(days.map((day) => day[member]));
  const shown = (word: Word, value: string | null) =>
    html`<div><dt>${translate(word)}</dt><dd><b class="figure num">${value === null ? '–' : inBrl(value, language)}</b>${value === null && html`<small>${translate('marginUnknown')}</small>`}</dd></div>`;
  const figures = [
    shown('pixInToday', total(today, 'pixIn')),
    shown('pixOutToday', total(today, 'pixOut')),
    shown('marginToday', marginOf(today)),
    shown('pixIn30', total(month, 'pixIn')),
    shown('pixOut30', total(month, 'pixOut')),
    shown('margin30', marginOf(month)),
  ];
  return html`<dl class="sums">${figures}</dl><div class="in">${volumeChart(context, month, before)}${marginChart(context, month)}</div>`;
}

/** Null if the margin of a day is unknown. */
function marginOf(days: readonly Day[]): string | null {
  const known = days.flatMap(({ margin }) => margin ?? []);
  return known.length < days.length ? null : sum(known);
}

function volumeChart(context: ScreenContext, month: readonly Day[], before: readonly Day[]): Html {
  const { translate, language } = context;
  const total = (days: readonly Day[]) => sum(days.map(({ pixIn }) => pixIn));
  const change = changeText(context, total(month), total(before), 'when30');
  return barChart({
    points: month.map(({ day, pixIn }, at) => ({
      name: dayName(context, day),
      value: pixIn,
      before: before[at]?.pixIn,
    })),
    sentence: translate('chartVolume', { amount: inBrl(total(month), language), change }),
    words: {
      open: translate('chartTable'),
      name: translate('day'),
      value: translate('inThePeriod'),
      before: translate('daysBefore'),
    },
    show: (value) => inBrl(value, language),
  });
}

function marginChart(context: ScreenContext, month: readonly Day[]): Html | null {
  const { translate, language } = context;
  const margin = marginOf(month);
  if (margin === null) return null;
  const points: Point[] = month.map((each) => ({
    name: dayName(context, each.day),
    value: each.margin ?? '0',
  }));
  return lineChart({
    points,
    sentence: translate('chartMargin', { amount: inBrl(margin, language) }),
    words: { open: translate('chartTable'), name: translate('day'), value: translate('inThePeriod') },
    show: (value) => inBrl(value, language),
  });
}

function dayName({ language }: ScreenContext, day: string): string {
  return nearText(Date.parse(`${day}T12:00:00-03:00`), language, 'day');
}

/** Accounts with money of the house, and its position in each currency. */
const FLOAT: readonly (string | null)[] = ['A.pix', 'A.custody', 'E.fx'];

/** @returns the bank, the wallets and the open position by currency, with the worth of each; nothing if there is none. */
export function floatList(context: ScreenContext, lines: readonly Line[]): Html | null {
  const { translate, language } = context;
  const rows = lines.filter(({ account }) => FLOAT.includes(account));
  if (rows.length === 0) return null;
  const columns: readonly Column<Line>[] = [
    {
      name: translate('ledgerAccount'),
      isRowHead: true,
      cell: ({ account }) => translate(`book_${account}` as Word),
    },
    { name: translate('currency'), cell: ({ currency }) => currency.displayName },
    {
      name: translate('balance'),
      isFigure: true,
      cell: ({ balance, currency }) => figure(balance, currency, language),
    },
    {
      name: translate('inBrl'),
      isFigure: true,
      cell: ({ calculatedBrl }) =>
        calculatedBrl === null ? translate('notValued') : figure(calculatedBrl, BRL, language),
    },
  ];
  const caption = translate('exposure');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('float', caption, scrolled(translate('tableOf', { name: caption }), shown));
}

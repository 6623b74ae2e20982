/**
 * Charts that the server draws: bars of days next to those of the previous period, and a line. A chart reserves its
 * height before it is drawn, has a sentence that describes the change, and its figures as a table, for screen readers.
 */
import { divide, isMore, sum } from '../base/money/money.ts';
import { attributes, type Html, type HtmlValue, html } from './html.ts';
import { more } from './parts.ts';
import { type Column, table } from './table.ts';

/** A point of a chart. */
export interface Point {
  /** Label of the point, such as a day. */
  readonly name: string;
  /** Decimal text. */
  readonly value: string;
  /** Value at the same point of the previous period; decimal text. */
  readonly before?: string | undefined;
  /** Number of failures, drawn on top of the value; decimal text. */
  readonly failed?: string;
}

/** A chart. */
export interface ChartParts {
  readonly points: readonly Point[];
  /** Sentence that describes the chart and the change. */
  readonly sentence: HtmlValue;
  /**
   * Texts of the table: its caption, and the heads of its columns; the last two if points have such a value.
   */
  readonly words: {
    readonly open: string;
    readonly name: string;
    readonly value: string;
    readonly before?: string;
    readonly failed?: string;
  };
  readonly show: (value: string) => HtmlValue;
}

const HEIGHT = 48;
/** Units of a point: two bars and the gap after them. */
const TICK = 10;

/**
 * @returns the points as bars, each before a faint bar of the previous period; the last bar is marked as the unfinished
 * one.
 */
export function barChart(parts: ChartParts): Html {
  const { points } = parts;
  const top = topOf(points);
  const hasBefore = points.some(({ before }) => before !== undefined);
  const width = hasBefore ? 5 : 7;
  const bar = (at: number, shift: number, value: string | undefined, base = 0) => {
    const height = heightOf(value, top);
    const x = TICK * at + shift;
    return height > 0 ? `M${x} ${HEIGHT - base}v-${height}h${width}v${height}z` : '';
  };
  const before = points.map((point, at) => bar(at, 0, point.before)).join('');
  const now = points.map(({ value }, at) => bar(at, hasBefore ? 3 : 0, value)).join('');
  const failed = points.map((point, at) => bar(at, 0, point.failed, heightOf(point.value, top))).join('');
  const drawn = html`${before !== '' && html`<path opacity=".3" d="${before}"/>`}<path d="${now}"/>${failed !== '' && html`<path class="bad" d="${failed}"/>`}`;
  return figureOf(parts, drawn, TICK * points.length);
}

/** @returns the points as a line, from the first to the last; values below zero are under its middle. */
export function lineChart(parts: ChartParts): Html {
  const { points } = parts;
  const values = points.map(({ value }) => value);
  const top = topOf(points);
  const isBelow = values.some((value) => value.startsWith('-'));
  const y = (value: string) => {
    const height = heightOf(value, top) * (isBelow ? 0.5 : 1);
    const base = isBelow ? HEIGHT / 2 : HEIGHT;
    return base - (value.startsWith('-') ? -height : height);
  };
  const path = values.map((value, at) => `${at === 0 ? 'M' : 'L'}${TICK * at} ${y(value)}`).join('');
  const width = Math.max(1, TICK * (points.length - 1));
  const zero = isBelow && html`<path class="stroke" opacity=".3" d="M0 ${HEIGHT / 2}H${width}"/>`;
  return figureOf(parts, html`${zero}<path class="stroke" d="${path}"/>`, width);
}

function figureOf({ points, sentence, words, show }: ChartParts, drawn: Html, width: number): Html {
  const [first, last] = [points[0], points.at(-1)];
  const { before: beforeHead, failed: failedHead } = words;
  const figures = table({
    caption: sentence,
    isCaptionUnseen: true,
    rows: points.toReversed(),
    columns: [
      { name: words.name, isRowHead: true, cell: ({ name }) => name },
      { name: words.value, isFigure: true, cell: ({ value }) => show(value) },
      ...furtherColumn(beforeHead, ({ before }) => before, show),
      ...furtherColumn(failedHead, ({ failed }) => failed, show),
    ],
  });
  const box = { class: 'bars', viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: 'none' };
  return html`<figure class="chart"><svg${attributes(box)} aria-hidden="true">${drawn}</svg>
<p class="ends num" aria-hidden="true"><span>${first?.name}</span><span>${last?.name}</span></p>
<figcaption>${sentence}</figcaption>${more(words.open, html`<div class="scroll figures" tabindex="0" role="region" aria-label="${words.open}">${figures}</div>`)}</figure>`;
}

/** The column is missing without a heading. */
function furtherColumn(
  name: string | undefined,
  memberOf: (point: Point) => string | undefined,
  show: ChartParts['show'],
): readonly Column<Point>[] {
  if (name === undefined) return [];
  const cell = (point: Point) => {
    const value = memberOf(point);
    return value !== undefined && show(value);
  };
  return [{ name, isFigure: true, cell }];
}

/** The largest value of both periods, without its sign; failures are drawn on top of their value. */
function topOf(points: readonly Point[]): string {
  const all = points
    .flatMap(({ value, before, failed }) => [failed ? sum([value, failed]) : value, before ?? '0'])
    .map(unsigned);
  return all.reduce((top, each) => (isMore(each, top) ? each : top), '0');
}

/** Height of a value in units of the picture: a value above zero is always visible. */
function heightOf(value: string | undefined, top: string): number {
  if (value === undefined || !/[1-9]/.test(value)) return 0;
  return Math.max(1, Math.round(Number(divide(unsigned(value), top, 4)) * HEIGHT));
}

function unsigned(value: string): string {
  return value.startsWith('-') ? value.slice(1) : value;
}

/** Change of a value. */
export interface Change {
  /** Whole number of percent, without its sign. */
  readonly percent: string;
  readonly isMore: boolean;
}

/**
 * @returns the change of a value from the one before: a whole number of percent without its sign; null without a
 *   value before, or when one of them is negative.
 */
export function changeOf(value: string, before: string): Change | null {
  if (!/[1-9]/.test(before) || value.startsWith('-') || before.startsWith('-')) return null;
  const share = Number(divide(value, before, 4));
  const percent = Math.round((share - 1) * 100);
  return { percent: String(Math.abs(percent)), isMore: percent > 0 };
}

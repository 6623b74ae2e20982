/** What lists share: filters in words, pages, the empty state, parts of a page. */
import { showFigure } from '../../ui/figures.ts';
import { type Html, type HtmlValue, html } from '../../ui/html.ts';
import type { Language } from '../../ui/language.ts';
import { chip } from '../../ui/parts.ts';
import { type Desk, sameWith } from '../desk.ts';

/** Rows of a page: so many fit a laptop. */
export const PAGE_ROWS = 25;

/** A filter that is set. */
export interface Chip {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

/** Members of a query that say which page of a list is shown. */
export const PAGE_NAMES = ['after', 'before', 'at'] as const;

const NO_PAGE = { after: null, before: null, at: null, done: null } as const;

/** @returns each filter in words with its way out. */
export function chips(desk: Desk, given: readonly Chip[]): readonly Html[] {
  return given.map(({ name, label, value }) =>
    chip(
      html`<span class="soft">${label}</span> ${value}`,
      sameWith(desk, { ...NO_PAGE, [name]: null }),
      desk.say('remove', { what: `${label} ${value}` }),
    ),
  );
}

/** Where a page of a list begins and ends. */
export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage?: boolean;
  readonly startCursor?: string | null | undefined;
  readonly endCursor?: string | null | undefined;
}

/** The arguments of a connection for the page that the query asks for. */
export function pageVariables({ query }: Desk, size = PAGE_ROWS): Readonly<Record<string, unknown>> {
  const before = query.get('before');
  if (before !== null) return { last: size, before };
  const after = query.get('after');
  return after === null ? { first: size } : { first: size, after };
}

/** @returns links to the pages beside this one, and which rows it has; nothing of an empty list. `at` of the query counts the rows before it. */
export function pager(
  desk: Desk,
  info: PageInfo,
  rows: number,
  total: number | null,
  size = PAGE_ROWS,
): Html | null {
  if (rows === 0 && !info.hasPreviousPage && !info.hasNextPage) return null;
  const { say, language, query } = desk;
  const skipped = Math.max(0, Number.parseInt(query.get('at') ?? '0', 10) || 0);
  const shown = (value: number) => count(value, language);
  const range = { from: shown(Math.min(skipped + 1, skipped + rows)), to: shown(skipped + rows) };
  const later = { ...NO_PAGE, after: info.endCursor ?? null, at: String(skipped + rows) };
  const before = Math.max(0, skipped - size);
  const earlier = { ...NO_PAGE, before: info.startCursor ?? null, at: before > 0 ? String(before) : null };
  return html`<nav class="row push" aria-label="${say('pages')}"><span class="soft num small">${total === null ? say('rangeOpen', range) : say('range', { ...range, total: shown(total) })}</span>
${skipped > 0 && html`<a class="btn pill quiet" href="${sameWith(desk, NO_PAGE)}">${say('first')}</a>`}
${info.hasPreviousPage && info.startCursor && html`<a class="btn pill" rel="prev" href="${sameWith(desk, earlier)}">${say('previous')}</a>`}
${info.hasNextPage && info.endCursor && html`<a class="btn pill" rel="next" href="${sameWith(desk, later)}">${say('next')}</a>`}</nav>`;
}

/** @returns a whole number with the separators of the language. */
export function count(value: number, language: Language): string {
  return showFigure(String(value), language, 0);
}

/** @returns a part of a page with its heading. */
export function section(id: string, title: string, content: HtmlValue, aside?: HtmlValue, kind = ''): Html {
  return html`<section class="card phone-full ${kind}" aria-labelledby="${id}"><header><h2 id="${id}">${title}</h2>${aside && html`<span class="push small soft">${aside}</span>`}</header>${content}</section>`;
}

/** @returns a word for readers of the screen alone. */
export function unseen(word: string): Html {
  return html`<span class="unseen">${word}</span>`;
}

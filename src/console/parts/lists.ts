/** Shared parts of lists: filters as text, pages, the empty state, parts of a page. */
import { invalidParameters } from '../../base/errors/errors.ts';
import { showFigure } from '../../ui/figures.ts';
import { type Html, type HtmlValue, html } from '../../ui/html.ts';
import type { Language } from '../../ui/language.ts';
import { chip, empty } from '../../ui/parts.ts';
import { type ScreenContext, sameWith } from '../context.ts';

/** Number of rows of a page: they fit a laptop. */
export const PAGE_ROWS = 25;

/** An active filter. */
export interface Chip {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

/** Members of a query that select the page of a list. */
export const PAGE_NAMES = ['after', 'before', 'at', 'page'] as const;

/** Changes of a query that lead to the first page of another list. */
export const NO_PAGE = { after: null, before: null, at: null, page: null, done: null } as const;

/**
 * @returns the query's value of a name, in letters of either case; undefined without one.
 * @throws {GatewayError} `INVALID_PARAMETER` for an unknown value: ignoring it would show everything.
 */
export function chosen<Choice extends string>(
  { query }: Pick<ScreenContext, 'query'>,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = query.get(name)?.trim();
  return text ? choiceOf(name, text, choices) : undefined;
}

/** @returns the choice that a text names. @throws {GatewayError} `INVALID_PARAMETER` if it names none. */
export function choiceOf<Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((each) => each.toUpperCase() === text.trim().toUpperCase());
  if (found === undefined)
    throw invalidParameters([{ parameter: name, message: `must be one of ${choices.join(', ')}` }]);
  return found;
}

/** @returns each filter as text with a link that removes it. */
export function chips(context: ScreenContext, all: readonly Chip[]): readonly Html[] {
  return all.map(({ name, label, value }) =>
    chip(
      html`<span class="soft">${label}</span> ${value}`,
      sameWith(context, { ...NO_PAGE, [name]: null }),
      context.translate('remove', { what: `${label} ${value}` }),
    ),
  );
}

/** Range of a list's page. */
export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage?: boolean;
  readonly startCursor?: string | null | undefined;
  readonly endCursor?: string | null | undefined;
}

/**
 * @param name - the query's name of the list: a screen can have several.
 * @returns the requested page number; undefined without one.
 * @throws {GatewayError} `INVALID_PARAMETER` for a malformed number.
 */
export function requestedPage({ query }: ScreenContext, name = 'page'): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw invalidParameters([{ parameter: name, message: 'must be a whole number from 1 on' }]);
}

/** The arguments of a connection. */
export type PageVariables = {
  readonly first?: number;
  readonly after?: string;
  readonly last?: number;
  readonly before?: string;
  readonly offset?: number;
};

/**
 * The arguments of a connection for the page that the query names.
 *
 * @throws {GatewayError} `INVALID_PARAMETER` for a page that has no such number.
 */
export function pageVariables(context: ScreenContext, size = PAGE_ROWS): PageVariables {
  const { query } = context;
  const page = requestedPage(context);
  if (page !== undefined) return { first: size, offset: (page - 1) * size };
  const before = query.get('before');
  if (before !== null) return { last: size, before };
  const after = query.get('after');
  return after === null ? { first: size } : { first: size, after };
}

/** Number of rows before the shown ones; `at` of the query counts them from page to page. */
function skippedRows(context: ScreenContext, size: number): number {
  const page = requestedPage(context);
  if (page !== undefined) return (page - 1) * size;
  return Math.max(0, Number.parseInt(context.query.get('at') ?? '0', 10) || 0);
}

/** @returns links to other pages of the list, and the numbers of the shown rows; null for an empty list. */
export function pager(
  context: ScreenContext,
  info: PageInfo,
  rows: number,
  total: number | null,
  size = PAGE_ROWS,
): Html | null {
  if (rows === 0 && !info.hasPreviousPage && !info.hasNextPage) return null;
  const { translate, language } = context;
  const skipped = skippedRows(context, size);
  const shown = (value: number) => count(value, language);
  const range = { from: shown(skipped + 1), to: shown(skipped + rows) };
  const which =
    total === null ? translate('rangeOpen', range) : translate('range', { ...range, total: shown(total) });
  const later = { ...NO_PAGE, after: info.endCursor ?? null, at: String(skipped + rows) };
  const before = Math.max(0, skipped - size);
  const earlier = { ...NO_PAGE, before: info.startCursor ?? null, at: before > 0 ? String(before) : null };
  const hasNumbers = total !== null && total > size;
  return html`<nav class="row push" aria-label="${translate('pages')}">${rows > 0 && html`<span class="soft num small">${which}</span>`}
${!hasNumbers && skipped > 0 && html`<a class="btn pill quiet" href="${sameWith(context, NO_PAGE)}">${translate('first')}</a>`}
${info.hasPreviousPage && info.startCursor && html`<a class="btn pill" rel="prev" href="${sameWith(context, earlier)}">${translate('previous')}</a>`}
${hasNumbers && numbers(context, Math.floor(skipped / size) + 1, Math.ceil(total / size))}
${info.hasNextPage && info.endCursor && html`<a class="btn pill" rel="next" href="${sameWith(context, later)}">${translate('next')}</a>`}</nav>`;
}

/**
 * @returns the rows of a page, or a text in their place; for a page after the last one, a text that the list ends
 * before it.
 */
export function pageOf(
  { query, translate }: ScreenContext,
  rows: number,
  total: number | null,
  content: Html,
): Html {
  const isAfterEnd = rows === 0 && total !== 0 && Boolean(query.get('page'));
  return isAfterEnd ? empty('search', translate('listEnded')) : content;
}

/**
 * Links to the first page, the last, and those around this one; and a field for any other page, which is the only link
 * on a phone.
 */
function numbers(context: ScreenContext, now: number, pages: number): Html {
  const { translate, language } = context;
  const near = [1, now - 1, now, now + 1, pages].filter((page) => page >= 1 && page <= pages);
  const links = [...new Set(near)].map((page, index, all) => {
    const to = sameWith(context, { ...NO_PAGE, page: page > 1 ? String(page) : null });
    const gap = index > 0 && page - (all[index - 1] as number) > 1 && html`<span class="soft">…</span>`;
    return html`${gap}<a href="${to}"${page === now && html` aria-current="page"`} aria-label="${translate('pageNumber', { page: count(page, language) })}">${count(page, language)}</a>`;
  });
  const remaining = [...context.query].filter(([name]) => !Object.hasOwn(NO_PAGE, name));
  const hidden = remaining.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const field = html`<input type="number" name="page" min="1" max="${pages}" value="${Math.min(now, pages)}" required inputmode="numeric" aria-label="${translate('goToPage')}">`;
  return html`<span class="seg num wide">${links}</span><form method="get" class="row go-to">${hidden}${field}<span class="soft small narrow">${translate('ofPages', { pages: count(pages, language) })}</span><button class="pill">${translate('goToPage')}</button></form>`;
}

/** @returns a whole number with the separators of the language. */
export function count(value: number, language: Language): string {
  return showFigure(String(value), language, 0);
}

/** @returns a part of a page with its heading. */
export function section(id: string, title: string, content: HtmlValue, aside?: HtmlValue, kind = ''): Html {
  return html`<section class="card phone-full ${kind}" aria-labelledby="${id}"><header><h2 id="${id}">${title}</h2>${aside && html`<span class="push small soft">${aside}</span>`}</header>${content}</section>`;
}

/** @returns a text for screen readers only. */
export function unseen(word: string): Html {
  return html`<span class="unseen">${word}</span>`;
}

/** Journals behind a line of the books: the newest of a ledger account of the house in one currency. */
import { typedCurrency } from '../../base/money/currency.ts';
import { html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { BookEntriesQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { decimal, listTime } from '../parts/figures.ts';
import { count, section } from '../parts/lists.ts';
import { translateName } from '../words.ts';

type Entry = BookEntriesQuery['bookEntries'][number];

const PERIOD = ['from', 'to', 'account'] as const;
/** Number of lines that the query returns at most. */
const SHOWN_MAX = 100;

/** The screen. */
export const BOOK_ENTRIES = screenOf<BookEntriesQuery>({
  path: '/books/entries',
  operation: operationNamed('BookEntries'),
  scope: 'platform:books',
  variables: (context) => ({ ...lineOf(context), ...periodOf(context) }),
  view: ({ bookEntries: rows }, context) => {
    const { translate, language } = context;
    const { ledgerAccount, currency } = lineOf(context);
    const title = `${translateName(translate, `book_${ledgerAccount}`)}, ${currency}`;
    const caption = translate('bookEntries');
    const shown = table({ caption, isCaptionUnseen: true, rows, columns: columns(context) });
    const list =
      rows.length > 0
        ? scrolled(translate('tableOf', { name: caption }), shown)
        : empty('receipt', translate('noBookEntries'));
    const some =
      rows.length === SHOWN_MAX && translate('someBookEntries', { count: count(SHOWN_MAX, language) });
    const main = html`<nav class="small" aria-label="${translate('youAreHere')}"><a class="go" href="${pathTo('/books', periodOf(context))}">${translate('books')}</a></nav>
<div class="top"><h1>${title}</h1><p class="soft mono">${ledgerAccount}</p></div>
${section('entries', caption, html`${list}${some && html`<p class="in small">${some}</p>`}`)}`;
    return { title, main };
  },
});

function lineOf({ query }: ScreenContext) {
  const ledgerAccount = query.get('ledgerAccount')?.trim() ?? '';
  return { ledgerAccount, currency: typedCurrency(query.get('currency') ?? '') };
}

function periodOf({ query }: ScreenContext): Readonly<Record<string, string>> {
  return Object.fromEntries(
    PERIOD.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  );
}

function columns({ translate, language }: ScreenContext): readonly Column<Entry>[] {
  return [
    {
      name: translate('time'),
      isRowHead: true,
      cell: ({ postedAt }) => listTime(postedAt, language, 'second'),
    },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ amount }) => decimal(amount, Math.max(2, amount.split('.')[1]?.length ?? 0), language),
    },
    { name: translate('journalNumber'), isFigure: true, cell: ({ journalId }) => journalId },
    {
      name: translate('account'),
      cell: ({ account }) => html`<a href="${pathTo(`/accounts/${account}`)}">${account}</a>`,
    },
    { name: translate('reference'), style: 'mono', cell: ({ end2end }) => end2end },
  ];
}

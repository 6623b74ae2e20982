/** Search: one text finds transactions by any of their numbers and names, and destinations. */
import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { isDecimal } from '../../base/money/money.ts';
import { readBrl } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty } from '../../ui/parts.ts';
import { may, pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { SearchQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { inBrl } from '../parts/figures.ts';
import { transactionTable } from '../parts/transaction-table.ts';

/** A whole number, or digits with cents; longer numbers are of another kind, such as a CPF. */
const AMOUNT = /^(\d{1,9}|\d[\d.,]{0,12}[.,]\d{2})$/;

/** The screen. */
export const SEARCH = screenOf<SearchQuery>({
  path: '/search',
  operation: operationNamed('Search'),
  variables: (context) => ({ text: searchText(context) || '-', isAsked: searchText(context) !== '' }),
  view: ({ search }, context) => {
    const { translate } = context;
    const main = html`<div class="top"><h1>${translate('search')}</h1></div>
<form method="get" role="search" class="row card in"><input type="search" name="q" value="${searchText(context)}" aria-label="${translate('searchFor')}" maxlength="200" required autofocus><button class="primary">${icon('search')} ${translate('search')}</button></form>
<p class="soft">${translate('searchHow')}</p>${amountLink(context)}${search && found(context, search)}`;
    return { title: translate('search'), main };
  },
});

/** Search finds texts alone; an amount leads to the list with a filter by it. */
function amountLink(context: ScreenContext): Html | null {
  const { translate, language } = context;
  const amount = searchText(context).replace(/^R\$\s*/i, '');
  const plain = AMOUNT.test(amount) ? readBrl(amount, language) : '';
  if (!isDecimal(plain)) return null;
  const href = pathTo('/transactions', { amountMin: amount, amountMax: amount });
  return html`<p><a class="go" href="${href}">${translate('transactionsOf', { amount: inBrl(plain, language) })}</a></p>`;
}

function searchText({ query }: ScreenContext): string {
  return (query.get('q') ?? '').trim();
}

function found(context: ScreenContext, hits: NonNullable<SearchQuery['search']>): Html {
  const { translate } = context;
  if (hits.length === 0) {
    const where = may(context, PLATFORM_SCOPES) ? translate('platformOnly') : undefined;
    return html`<div class="card">${empty('search', translate('nothingFound'), where)}</div>`;
  }
  const rows = hits.flatMap(({ transaction }) => (transaction ? [transaction] : []));
  const entries = hits.flatMap(({ whitelistEntry }) => (whitelistEntry ? [whitelistEntry] : []));
  return html`${rows.length > 0 && html`<div class="card rows phone-full">${transactionTable(context, rows, translate('transactions'))}</div>`}
${entries.length > 0 && html`<div class="card in"><ul class="stack tight">${entries.map(({ label, target }) => html`<li data-hit><a class="go" href="${pathTo('/whitelist')}">${label}</a> <code>${target}</code></li>`)}</ul></div>`}`;
}

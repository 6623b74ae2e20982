/** Search: one text finds transactions by any of their numbers and names, and destinations. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty } from '../../ui/parts.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { SearchQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { transactionTable } from '../parts/transaction-table.ts';

/** The screen. */
export const SEARCH = screenOf<SearchQuery>({
  path: '/search',
  operation: operationNamed('Search'),
  variables: (context) => ({ text: askedOf(context) || '-', isAsked: askedOf(context) !== '' }),
  view: ({ search }, context) => {
    const { say } = context;
    const main = html`<div class="top"><h1>${say('search')}</h1></div>
<form method="get" role="search" class="row card in"><input type="search" name="q" value="${askedOf(context)}" aria-label="${say('searchFor')}" maxlength="200" required autofocus><button class="primary">${icon('search')} ${say('search')}</button></form>
<p class="soft">${say('searchHow')}</p>${search && found(context, search)}`;
    return { title: say('search'), main };
  },
});

function askedOf({ query }: ScreenContext): string {
  return (query.get('q') ?? '').trim();
}

function found(context: ScreenContext, hits: NonNullable<SearchQuery['search']>): Html {
  const { say } = context;
  if (hits.length === 0) return html`<div class="card">${empty('search', say('nothingFound'))}</div>`;
  const rows = hits.flatMap(({ transaction }) => (transaction ? [transaction] : []));
  const entries = hits.flatMap(({ whitelistEntry }) => (whitelistEntry ? [whitelistEntry] : []));
  return html`${rows.length > 0 && html`<div class="card rows phone-full">${transactionTable(context, rows, say('transactions'))}</div>`}
${entries.length > 0 && html`<div class="card in"><ul class="stack tight">${entries.map(({ label, target }) => html`<li data-hit><a class="go" href="${pathTo('/whitelist')}">${label}</a> <code>${target}</code></li>`)}</ul></div>`}`;
}

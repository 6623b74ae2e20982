/** The list of transactions: every filter is in its address and in words above the table. */
import { GatewayError } from '../../base/errors.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty, segments } from '../../ui/parts.ts';
import { type Desk, mayDo, pathTo, sameWith, screenOf } from '../desk.ts';
import type { TransactionsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { field, queryForm } from '../parts/form.ts';
import { chips, count, PAGE_NAMES, pager, pageVariables } from '../parts/lists.ts';
import { transactionTable } from '../parts/transaction-table.ts';

const FAMILIES = ['CHECKOUTS', 'ONRAMPS', 'OFFRAMPS', 'WITHDRAWALS'] as const;
type Family = (typeof FAMILIES)[number];
/** Filters of the list, as they stand in its address and in the schema. */
const FILTERS = [
  'externalCode',
  'clientTaxId',
  'pixE2e',
  'address',
  'targetCurrency',
  'dateFrom',
  'dateTo',
] as const;

/** The screen. */
export const TRANSACTIONS = screenOf<TransactionsQuery>({
  path: '/transactions',
  operation: operationNamed('Transactions'),
  variables: (desk) => {
    const filter = Object.fromEntries(given(desk).map(({ name, value }) => [name, value]));
    return { family: familyOf(desk), filter, ...pageVariables(desk) };
  },
  view: ({ transactions }, desk) => {
    const { say, language } = desk;
    const family = familyOf(desk);
    const { nodes, totalCount, pageInfo } = transactions;
    const main = html`<div class="top"><h1>${say('transactions')}</h1><p><b class="num">${count(totalCount, language)}</b> <span class="soft">${say('match')}</span></p>
<div class="row push">${mayDo(desk, 'createCheckout') && html`<a class="btn primary" href="${pathTo('/new')}">${icon('plus')} ${say('newPayment')}</a>`}</div></div>
${segments(
  say('whichList'),
  FAMILIES.map((each) => ({
    href: sameWith(desk, { ...NO_PAGE, done: null, family: each }),
    word: say(each),
    isCurrent: each === family,
  })),
)}
${filterRow(desk)}
<div class="card rows phone-full" data-live="rows">${nodes.length > 0 ? transactionTable(desk, nodes, say('listCaption', { list: say(family) })) : nothing(desk)}</div>
<div class="row">${keysHint(desk)}${pager(desk, pageInfo, nodes.length, totalCount)}</div>`;
    return { title: say('transactions'), main };
  },
});

const NO_PAGE = Object.fromEntries(PAGE_NAMES.map((name) => [name, null]));

function familyOf({ query }: Desk): Family {
  const asked = query.get('family') ?? 'CHECKOUTS';
  const found = FAMILIES.find((each) => each === asked.toUpperCase());
  if (!found) throw new GatewayError('INVALID_PARAMETER', `family: must be one of ${FAMILIES.join(', ')}`);
  return found;
}

function given({ query, say }: Desk) {
  return FILTERS.flatMap((name) => {
    const value = query.get(name)?.trim();
    return value ? [{ name, label: say(name), value }] : [];
  });
}

function filterRow(desk: Desk): Html {
  const { say, query } = desk;
  const filters = given(desk);
  const dropped = [...FILTERS, ...PAGE_NAMES, 'done'];
  const cleared = sameWith(desk, Object.fromEntries(dropped.map((name) => [name, null])));
  const fields = FILTERS.map((name) =>
    field(desk, 'filter', {
      name,
      label: say(name),
      value: query.get(name),
      type: name.startsWith('date') ? 'date' : 'text',
    }),
  );
  return html`<div class="row" role="group" aria-label="${say('filters')}">${chips(desk, filters)}
<button class="btn pill quiet" type="button" popovertarget="filter" data-key="f">${icon('plus')} ${say('filter')}</button>
<div id="filter" class="menu sheet" popover>${queryForm(desk, html`${fields}`, say('apply'), dropped)}</div>
${filters.length > 0 && html`<a class="btn pill quiet" href="${cleared}">${say('clear')}</a>`}
<a class="btn pill fresh push" href="${sameWith(desk, NO_PAGE)}" data-fresh hidden>${icon('up')} <span></span></a></div>`;
}

function nothing(desk: Desk): Html {
  const { say } = desk;
  if (given(desk).length > 0) return empty('search', say('nothingMatches'), say('nothingMatchesHow'));
  return empty('convert', say('nothing'), say('nothingHow'));
}

/** What the keyboard does here; it needs script, which shows it. */
function keysHint({ say }: Desk): Html {
  const key = (name: string) => html`<kbd>${name}</kbd>`;
  return html`<p class="keys" data-script hidden><span>${key('j')} ${key('k')} ${say('keysMove')}</span><span>${key('o')} ${say('keysOpen')}</span><span>${key('/')} ${say('keysSearch')}</span><span>${key('f')} ${say('keysFilter')}</span><span>${key('?')} ${say('keysAll')}</span></p>`;
}

/** The list of transactions: every filter is in its address and as text above the table. */

import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { typedCurrency } from '../../base/money/currency.ts';
import { BRASILIA } from '../../base/time/zone.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import type { Language } from '../../ui/language.ts';
import { empty, segments } from '../../ui/parts.ts';
import { dayText } from '../../ui/times.ts';
import { decimalOf } from '../action.ts';
import { may, mayDo, pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { TransactionsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { exportMenu } from '../parts/exports.ts';
import { decimal, money, STATUSES } from '../parts/figures.ts';
import { field, queryForm } from '../parts/form.ts';
import {
  chips,
  choiceOf,
  chosen,
  count,
  NO_PAGE,
  PAGE_NAMES,
  pageOf,
  pager,
  pageVariables,
} from '../parts/lists.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import { viewMenu } from '../parts/views.ts';
import { translateName, type Word } from '../words.ts';

/** Statuses that have other names elsewhere: of deliveries, of returns. */
const STATUS_WORDS: Readonly<Record<string, Word>> = { PENDING: 'status_PENDING', FAILED: 'status_FAILED' };
const FAMILIES = ['CHECKOUTS', 'ONRAMPS', 'OFFRAMPS', 'WITHDRAWALS'] as const;

/** A filter: its name in the address and in the schema, its label, its choices. */
interface Filter {
  readonly name: string;
  readonly word: Word;
  readonly choices?: readonly string[];
  readonly type?: 'date';
  /** Whether several can be chosen, with a comma between them. */
  readonly isList?: boolean;
  /** Whether it is an amount, written as the language writes it. */
  readonly isAmount?: boolean;
  /** Converts a text of the address to the schema's value; the text itself by default. */
  readonly convert?: (text: string) => unknown;
  readonly member?: string;
}

const FILTERS: readonly Filter[] = [
  { name: 'text', word: 'text' },
  {
    name: 'status',
    word: 'listStatus',
    choices: STATUSES,
    isList: true,
    member: 'statusCodes',
    convert: (text) => text.split(','),
  },
  { name: 'direction', word: 'direction', choices: ['IN', 'OUT'] },
  { name: 'currency', word: 'currencyFilter', convert: typedCurrency },
  { name: 'amountMin', word: 'amountMin', isAmount: true },
  { name: 'amountMax', word: 'amountMax', isAmount: true },
  { name: 'dateFrom', word: 'dateFrom', type: 'date' },
  { name: 'dateTo', word: 'dateTo', type: 'date' },
  { name: 'externalCode', word: 'externalCode' },
  { name: 'clientTaxId', word: 'clientTaxId' },
  { name: 'pixE2e', word: 'pixE2e' },
  { name: 'address', word: 'address' },
  { name: 'state', word: 'stateName' },
  { name: 'awaitingMe', word: 'awaitingMe', choices: ['yes'], convert: () => true },
  {
    name: 'waitsFor',
    word: 'waitsForWhat',
    choices: ['HELD_DEPOSIT', 'HOLD', 'STEP_UP', 'FAILED_REFUND', 'FAILED_JOB'],
  },
];

/** The screen. */
export const TRANSACTIONS = screenOf<TransactionsQuery>({
  path: '/transactions',
  operation: operationNamed('Transactions'),
  variables: (context) => {
    const family = familyOf(context);
    const filter = activeFilters(context).map(({ filter: { name, member, convert }, value }) => [
      member ?? name,
      convert ? convert(value) : value,
    ]);
    return {
      ...(family && { families: [family] }),
      ...(filter.length > 0 && { filter: { ...Object.fromEntries(filter), ...zoneOf(context, 'BRASILIA') } }),
      ...pageVariables(context),
    };
  },
  view: ({ transactions, viewer }, context) => {
    const { translate } = context;
    const family = familyOf(context);
    const { nodes, totalCount, totalIsExact, endsEarly, pageInfo } = transactions;
    const views = [null, ...FAMILIES].map((each) => ({
      href: sameWith(context, { ...NO_PAGE, family: each }),
      word: translate(each ?? 'ALL'),
      isCurrent: each === family,
    }));
    const list = translate(family ?? 'transactions');
    const rows =
      nodes.length > 0
        ? transactionTable(context, nodes, translate('listCaption', { list }))
        : nothing(context);
    // A scan that ended early may leave older ones.
    const shown = endsEarly ? rows : pageOf(context, nodes.length, totalCount, rows);
    const main = html`<div class="top"><h1>${translate('transactions')}</h1>${totals(context, transactions)}
<div class="row push">${exportMenu(context, 'transactions', exportedFilters(context))}${mayDo(context, 'createCheckout') && html`<a class="btn primary" href="${pathTo('/new')}">${icon('plus')} ${translate('newPayment')}</a>`}</div></div>
${filterRow(context, segments(translate('whichList'), views), viewMenu(context, viewer))}
<div class="card rows phone-full" data-live="rows">${shown}${endsEarly && html`<p class="in soft">${translate('endsEarly')}</p>`}</div>
<div class="row">${keysHint(context)}${pager(context, pageInfo, nodes.length, totalIsExact ? totalCount : null)}</div>`;
    return { title: translate('transactions'), main };
  },
});

/** The days of this list are those of Brasília: in a file, too, whatever its format. */
function exportedFilters(context: ScreenContext): Readonly<Record<string, string | null>> {
  const filters = Object.fromEntries(
    activeFilters(context).map(({ filter: { name }, value }) => [name, value]),
  );
  return { family: familyOf(context), ...filters, ...zoneOf(context, BRASILIA) };
}

/** @returns the zone of the days, if the list has any. */
function zoneOf<Name>(context: ScreenContext, zone: Name): { readonly zone?: Name } {
  const hasDays = activeFilters(context).some(({ filter: { type } }) => type === 'date');
  return hasDays ? { zone } : {};
}

type Found = TransactionsQuery['transactions'];

/** Number of matches, and their sums where known. */
function totals({ translate, language }: ScreenContext, { totalCount, totalIsExact, sums }: Found): Html {
  const shown = count(totalCount, language);
  const number = totalIsExact ? shown : translate('atLeast', { count: shown });
  const amounts = (sums ?? []).flatMap(({ currency, succeeded, failed, ...created }) => {
    if (!currency) return [];
    const sumOf = (word: 'sumIn' | 'sumOut', side: 'source' | 'target') => {
      const written = (amount: string | null) => money({ amount: amount ?? '0', currency }, language);
      const parts = { created: created[side], paid: succeeded[side], failed: failed[side] };
      const values = Object.entries(parts).map(([name, amount]) => [name, written(amount)]);
      return created[side] === null ? [] : [translate(word, Object.fromEntries(values))];
    };
    return [...sumOf('sumIn', 'source'), ...sumOf('sumOut', 'target')];
  });
  return html`<p data-live="totals"><b class="num">${number}</b> <span class="soft">${translate(totalCount === 1 ? 'matchOne' : 'match')}</span>${amounts.map((each) => html`<span class="small soft"> · ${each}</span>`)}</p>`;
}

/** The choice as text, each value separately. */
function choiceText(translate: ScreenContext['translate'], chosen: string): string {
  return chosen
    .split(',')
    .map((each) => translateName(translate, STATUS_WORDS[each] ?? each))
    .join(', ');
}

function familyOf(context: ScreenContext): (typeof FAMILIES)[number] | null {
  return chosen(context, 'family', FAMILIES) ?? null;
}

/** The filters that are set, each with its value as the schema writes it. */
function activeFilters({
  query,
  language,
}: ScreenContext): readonly { readonly filter: Filter; readonly value: string }[] {
  return FILTERS.flatMap((filter) => {
    const text = query.get(filter.name)?.trim();
    return text ? [{ filter, value: writtenAs(filter, text, language) }] : [];
  });
}

function writtenAs({ name, choices, isList, isAmount }: Filter, text: string, language: Language): string {
  if (isAmount) return decimalOf(name, text, language);
  if (!choices) return text;
  const parts = isList ? text.split(',') : [text];
  return parts.map((each) => choiceOf(name, each, choices)).join(',');
}

function filterRow(context: ScreenContext, families: Html, menu: Html | null): Html {
  const { translate, query, language } = context;
  const all = activeFilters(context);
  const filters = all.map(({ filter: { name, word, choices, isAmount, type }, value }) => ({
    name,
    label: translate(word),
    value: choices
      ? choiceText(translate, value)
      : isAmount
        ? decimal(value, 2, language)
        : type === 'date'
          ? dayText(value, language)
          : value,
  }));
  // Several values of a filter, such as two statuses, are one additional choice of the form.
  const valueFor = (wanted: string) => all.find(({ filter: { name } }) => name === wanted)?.value ?? '';
  const optionsOf = ({ name, choices = [] }: Filter) =>
    [...new Set(['', ...choices, valueFor(name)])].map(
      (each) => [each, each === '' ? translate('all') : choiceText(translate, each)] as const,
    );
  const dropped = [...FILTERS.map(({ name }) => name), ...PAGE_NAMES, 'done'];
  const cleared = sameWith(context, Object.fromEntries(dropped.map((name) => [name, null])));
  const fields = FILTERS.map((filter) =>
    field(context, 'filter', {
      name: filter.name,
      label: translate(filter.word),
      value: filter.choices ? valueFor(filter.name) : query.get(filter.name),
      ...(filter.type && { type: filter.type }),
      ...(filter.choices && { options: optionsOf(filter) }),
    }),
  );
  return html`<div class="row">${families}<div class="row" role="group" aria-label="${translate('filters')}">${chips(context, filters)}
<button class="btn pill quiet" type="button" popovertarget="filter" data-key="f">${icon('plus')} ${translate('filter')}</button>
<div id="filter" class="menu sheet" popover>${queryForm(context, html`${fields}`, translate('apply'), dropped)}</div>
${filters.length > 0 && html`<a class="btn pill quiet" href="${cleared}">${translate('clear')}</a>`}${menu}
<a class="btn pill fresh push" href="${sameWith(context, NO_PAGE)}" data-fresh hidden>${icon('up')} <span></span></a></div></div>`;
}

function nothing(context: ScreenContext): Html {
  const { translate } = context;
  if (activeFilters(context).length > 0)
    return empty('search', translate('nothingMatches'), translate('nothingMatchesHow'));
  const how = may(context, PLATFORM_SCOPES) ? 'platformOnly' : 'nothingHow';
  return empty('convert', translate('nothing'), translate(how));
}

/** Keyboard shortcuts of the list; the script shows them. */
function keysHint({ translate }: ScreenContext): Html {
  const key = (name: string) => html`<kbd>${name}</kbd>`;
  return html`<p class="keys" data-script hidden><span>${key('j')} ${key('k')} ${translate('keysMove')}</span><span>${key('o')} ${translate('keysOpen')}</span><span>${key('/')} ${translate('keysSearch')}</span><span>${key('f')} ${translate('keysFilter')}</span><span>${key('?')} ${translate('keysAll')}</span></p>`;
}

/** The review queue: everything that waits for a person, most urgent first, with filters by kind, assignee and age. */

import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { CaseRowFragment as Case, ReviewQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { aboutText, assigneeText, assignForm, caseHref, dueText, kindText } from '../parts/cases.ts';
import { ago, inBrl, money } from '../parts/figures.ts';
import { field, queryForm } from '../parts/form.ts';
import {
  chips,
  chosen,
  count,
  NO_PAGE,
  PAGE_NAMES,
  pageOf,
  pager,
  pageVariables,
  unseen,
} from '../parts/lists.ts';
import { cellSection, hasCells } from '../parts/over-cells.ts';

const KINDS = [
  'HOLD',
  'STEP_UP',
  'CUSTOMER_CASE',
  'SCREENING_HIT',
  'DISPUTE',
  'MED_CASE',
  'FAILED_REFUND',
  'HELD_DEPOSIT',
  'SUSPENSE',
  'OUTFLOW_CEILING',
  'APPROVAL',
  'FAILING_ENDPOINT',
  'JOURNAL',
  'PRICE_PROPOSAL',
  'UNCLOSED_DAY',
  'OPEN_RECONCILIATION',
  'BOOK_DEFECT',
  'UNKNOWN_PAYMENT',
  'UNDECIDED_ORDER',
  'PAUSED_NETWORK',
] as const satisfies readonly Case['kind'][];
const ASSIGNEES = ['ME', 'NO_ONE'] as const;
const HOURS = ['4', '24', '72', '168'] as const;

/** The screen. */
export const REVIEW = screenOf<ReviewQuery>({
  path: '/review',
  operation: operationNamed('Review'),
  variables: (context) => {
    const { kind, assignee, hours } = filtersOf(context);
    return {
      ...(kind && { kinds: [kind] }),
      ...(assignee && { assignee }),
      ...(hours && { waitingHours: Number(hours) }),
      ...pageVariables(context),
      ...(hasCells(context) && may(context, PLATFORM_SCOPES) && { hasCells: true }),
    };
  },
  view: ({ reviewCounts, reviewQueue, viewer, overCells }, context) => {
    const { translate } = context;
    const { nodes, pageInfo, totalCount } = reviewQueue;
    const caption = translate('reviewCaption');
    const columns = columnsOf(context, viewer.account.now, nodes);
    const list = table({
      caption,
      isCaptionUnseen: true,
      rows: nodes,
      columns,
      rowAttributes: ({ caseKey }) => ({ 'data-row': caseKey }),
    });
    const rows =
      nodes.length > 0
        ? scrolled(translate('tableOf', { name: translate('reviewQueue') }), list)
        : empty('done', translate('reviewEmpty'), translate('reviewEmptyHow'));
    const main = html`<div class="top"><h1>${translate('reviewQueue')}</h1><p class="soft">${translate('reviewWhy')}</p></div>
${kindLinks(context, reviewCounts)}${filterRow(context)}
<div class="card phone-full" data-live="rows">${pageOf(context, nodes.length, totalCount, rows)}</div>
<div class="row">${pager(context, pageInfo, nodes.length, totalCount)}</div>
${cellSection(context, 'reviewQueue', overCells)}`;
    return { title: translate('reviewQueue'), main };
  },
});

/** @throws {GatewayError} `INVALID_PARAMETER` for a filter that is not understood. */
function filtersOf(context: ScreenContext) {
  return {
    kind: chosen(context, 'kind', KINDS),
    assignee: chosen(context, 'assignee', ASSIGNEES),
    hours: chosen(context, 'hours', HOURS),
  };
}

/** Kinds with waiting cases, each with their number. */
function kindLinks(context: ScreenContext, counts: ReviewQuery['reviewCounts']): Html {
  const { translate, language } = context;
  const { kind: shown } = filtersOf(context);
  const waiting = counts.filter(({ kind, count: number }) => number > 0 || kind === shown);
  const total = counts.reduce((all, { count: number }) => all + number, 0);
  const link = (kind: Case['kind'] | null, word: string, number: number) => ({
    href: sameWith(context, { ...NO_PAGE, kind }),
    word: html`${word}\u00a0<span class="count">${count(number, language)}</span>`,
    isCurrent: (shown ?? null) === kind,
  });
  return segments(translate('whichList'), [
    link(null, translate('everyKind'), total),
    ...waiting.map(({ kind, count: number }) => link(kind, kindText(context, kind), number)),
  ]);
}

function filterRow(context: ScreenContext): Html {
  const { translate } = context;
  const { assignee, hours } = filtersOf(context);
  const set = [
    ...(assignee
      ? [{ name: 'assignee', label: translate('assignee'), value: translate(`assignee_${assignee}`) }]
      : []),
    ...(hours
      ? [{ name: 'hours', label: translate('waitingHours'), value: translate(`hours_${hours}`) }]
      : []),
  ];
  const all = ['', translate('all')] as const;
  const assignees = [all, ...ASSIGNEES.map((each) => [each, translate(`assignee_${each}`)] as const)];
  const ages = [all, ...HOURS.map((each) => [each, translate(`hours_${each}`)] as const)];
  const fields = html`${field(context, 'filter', { name: 'assignee', label: translate('assignee'), value: assignee ?? '', options: assignees })}${field(context, 'filter', { name: 'hours', label: translate('waitingHours'), value: hours ?? '', options: ages })}`;
  const form = queryForm(context, fields, translate('apply'), ['assignee', 'hours', ...PAGE_NAMES, 'done']);
  return html`<div class="row" role="group" aria-label="${translate('filters')}">${chips(context, set)}
<button class="btn pill quiet" type="button" popovertarget="filter" data-key="f">${icon('plus')} ${translate('filter')}</button>
<div id="filter" class="menu sheet" popover>${form}</div></div>`;
}

function columnsOf(context: ScreenContext, now: string, rows: readonly Case[]): readonly Column<Case>[] {
  const { translate, language } = context;
  const isOfSeveral = new Set(rows.map(({ account }) => account)).size > 1;
  const account: Column<Case> = { name: translate('account'), cell: ({ accountName }) => accountName };
  return [
    {
      name: translate('caseKind'),
      isRowHead: true,
      cell: (row) => html`<a href="${caseHref(row.caseKey)}">${kindText(context, row.kind)}</a>`,
    },
    { name: translate('caseAbout'), cell: (row) => aboutText(context, row) },
    ...(isOfSeveral ? [account] : []),
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ brl, money: amount }) => (brl ? inBrl(brl, language) : amount && money(amount, language)),
    },
    {
      name: translate('age'),
      cell: ({ since, dueAt }) => {
        const due = dueText(context, dueAt ?? null, now);
        return html`${ago(since, language)}${due && html`<br><small>${translate('dueAt')}: ${due}</small>`}`;
      },
    },
    { name: translate('assignee'), cell: (row) => assigneeText(context, row) },
    { name: unseen(translate('actsHere')), isActions: true, cell: (row) => assignForm(context, row) },
  ];
}

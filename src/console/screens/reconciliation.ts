/** Reconciliation: the reports, and the findings of one of them with the possible actions. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { dayText } from '../../ui/times.ts';
import { may, pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { ReconciliationQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { decimal, listTime } from '../parts/figures.ts';
import { count, pageOf, pager, pageVariables, section } from '../parts/lists.ts';
import { cellSection, hasCells } from '../parts/over-cells.ts';
import { railName } from '../parts/rail-name.ts';
import { findingReason } from '../words/finding-reasons.ts';
import { translateName } from '../words.ts';
import { RAILS } from './rails.ts';

type Report = ReconciliationQuery['reconciliations']['nodes'][number];
type Shown = ReconciliationQuery['shown']['nodes'][number];
type Finding = Shown['findings'][number];
type Balance = Shown['balances'][number];

/** Maximum number of shown findings: more would make the page heavy; the command prints them all. */
const FINDINGS_SHOWN = 50;
const FILTERS = ['rail', 'day'] as const;

/** The screen. */
export const RECONCILIATION = screenOf<ReconciliationQuery>({
  path: '/reconciliation',
  operation: operationNamed('Reconciliation'),
  scope: 'platform:books',
  variables: (context) => {
    const { query } = context;
    const filters = FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)?.trim()]] : []));
    return {
      ...Object.fromEntries(filters),
      ...pageVariables(context),
      ...(hasCells(context) && { hasCells: true }),
    };
  },
  view: (
    {
      reconciliations,
      shown: {
        nodes: [shown],
      },
      overCells,
    },
    context,
  ) => {
    const { translate } = context;
    const main = html`<div class="top"><h1>${translate('reconciliation')}</h1><p class="soft">${translate('reconciliationWhy')}</p></div>
<p class="small soft">${translate('bankFileHow')} <a href="/docs/operations#reconciliation">${translate('bankFileMore')}</a></p>
${shown && details(context, shown)}${reports(context, reconciliations)}${cellSection(context, 'reconciliation', overCells)}`;
    return { title: translate('reconciliation'), main };
  },
});

function stateOf({ translate }: ScreenContext, { isOpen }: Report): Html {
  return isOpen ? badge('warn', translate('isOpenReport')) : badge('good', translate('isClosedReport'));
}

function openOf(report: Report): number {
  const { missingHere, missingThere, amountDiffers, detailsDiffer, balancesDiffer, inSuspense } = report;
  return missingHere + missingThere + amountDiffers + detailsDiffer + balancesDiffer + inSuspense;
}

function reports(
  context: ScreenContext,
  { nodes: rows, pageInfo, totalCount }: ReconciliationQuery['reconciliations'],
): Html {
  const { translate, language } = context;
  const caption = translate('reports');
  if (totalCount === 0)
    return section('reports', caption, empty('done', translate('noReports'), translate('noReportsWhy')));
  const columns: readonly Column<Report>[] = [
    {
      name: translate('day'),
      isRowHead: true,
      cell: ({ rail, day }) =>
        html`<a href="${sameWith(context, { rail, day })}">${dayText(day, language)}</a>`,
    },
    { name: translate('rail'), cell: ({ rail }) => railName(context, rail) },
    { name: translate('status'), cell: (report) => stateOf(context, report) },
    {
      name: translate('matched'),
      isFigure: true,
      style: 'wide',
      cell: ({ matched }) => count(matched, language),
    },
    { name: translate('openFindings'), isFigure: true, cell: (report) => count(openOf(report), language) },
    { name: translate('who'), style: 'wide', cell: ({ madeBy, madeByName }) => madeByName ?? madeBy },
    { name: translate('time'), style: 'wide', cell: ({ madeAt }) => listTime(madeAt, language) },
  ];
  const shown = table({ caption, isCaptionUnseen: true, rows, columns, isOfLinks: true });
  const page = pageOf(
    context,
    rows.length,
    totalCount,
    scrolled(translate('tableOf', { name: caption }), shown),
  );
  return html`${section('reports', caption, page)}
<div class="row">${pager(context, pageInfo, rows.length, totalCount)}</div>`;
}

function details(context: ScreenContext, report: Shown): Html {
  const { translate, language } = context;
  const { rail, day, findings, balances, inSuspense } = report;
  const rows = findings.slice(0, FINDINGS_SHOWN);
  const some =
    findings.length > rows.length && translate('someFindings', { count: count(rows.length, language) });
  const caption = translate('findings');
  const shown =
    rows.length > 0
      ? scrolled(
          translate('tableOf', { name: caption }),
          table({ caption, isCaptionUnseen: true, rows, columns: findingColumns(context) }),
        )
      : empty('done', translate('noFindings'), inSuspense > 0 ? translate('onlySuspense') : undefined);
  const suspense =
    inSuspense > 0 &&
    html`<p class="in small"><a class="go" href="${pathTo('/operator')}">${translate('suspenseToo', { count: count(inSuspense, language) })}</a></p>`;
  const isForOthers = !mayOpenRails(context) && rows.some(({ finding }) => finding === 'MISSING_HERE');
  const deciders =
    isForOthers &&
    html`<p class="in small">${translate('todo_MISSING_HERE')}: <span class="soft">${translate('decidedByRisk')}</span></p>`;
  const title = translate('reportOf', { rail: railName(context, rail), day: dayText(day, language) });
  return html`${section('findings', title, html`${shown}${some && html`<p class="in small">${some}</p>`}${deciders}${suspense}`, stateOf(context, report))}${balances.length > 0 && balanceSection(context, balances)}`;
}

function findingColumns(context: ScreenContext): readonly Column<Finding>[] {
  const { translate, language } = context;
  return [
    { name: translate('time'), cell: ({ at }) => listTime(at, language, 'second') },
    {
      name: translate('findings'),
      isRowHead: true,
      cell: ({ finding }) => translateName(translate, `finding_${finding}`),
    },
    { name: translate('what'), cell: ({ kind }) => translateName(translate, `entry_${kind}`) },
    { name: translate('currency'), cell: ({ currency }) => currency },
    {
      name: translate('amountThere'),
      isFigure: true,
      cell: ({ amountThere }) => amountOf(context, amountThere),
    },
    {
      name: translate('amountHere'),
      isFigure: true,
      cell: ({ amountHere }) => amountOf(context, amountHere),
    },
    {
      name: translate('account'),
      style: 'wide',
      cell: ({ account }) => account && html`<a href="${pathTo(`/accounts/${account}`)}">${account}</a>`,
    },
    { name: translate('reference'), style: 'mono cut', cell: ({ transaction, id }) => transaction ?? id },
    {
      name: translate('todo'),
      cell: ({ finding, why }) => html`${todo(context, finding)}<br>${reason(context, why)}`,
    },
  ];
}

/** An amount missing in the books may be among the unsettled events, which the keepers of the books do not decide. */
function todo(context: ScreenContext, finding: Finding['finding']): Html {
  const words = translateName(context.translate, `todo_${finding}`);
  return finding === 'MISSING_HERE' && mayOpenRails(context)
    ? html`<a href="${pathTo('/rails')}">${words}</a>`
    : html`${words}`;
}

function mayOpenRails(context: ScreenContext): boolean {
  return may(context, RAILS.scope ?? 'read');
}

/** A text of another version stays as it was published. */
function reason({ language }: ScreenContext, why: string): Html {
  const shown = findingReason(why, language);
  return shown === undefined
    ? html`<small class="soft" lang="en">${why}</small>`
    : html`<small class="soft">${shown}</small>`;
}

function balanceSection(context: ScreenContext, rows: readonly Balance[]): Html {
  const { translate } = context;
  const caption = translate('balancesInAll');
  const columns: readonly Column<Balance>[] = [
    { name: translate('currency'), isRowHead: true, cell: ({ currency }) => currency },
    { name: translate('amountThere'), isFigure: true, cell: ({ there }) => amountOf(context, there) },
    { name: translate('amountHere'), isFigure: true, cell: ({ here }) => amountOf(context, here) },
    { name: translate('inFlight'), isFigure: true, cell: ({ inFlight }) => amountOf(context, inFlight) },
    {
      name: translate('status'),
      cell: ({ agrees }) =>
        agrees
          ? badge('good', translate('isClosedReport'))
          : badge('warn', translate('finding_BALANCE_DIFFERS')),
    },
  ];
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('balances', caption, scrolled(translate('tableOf', { name: caption }), shown));
}

/** With all its decimals, at least two. */
function amountOf({ language }: ScreenContext, text: string | null): string | null {
  if (text === null) return null;
  return decimal(text, Math.max(2, text.split('.')[1]?.length ?? 0), language);
}

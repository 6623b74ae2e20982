/** Reconciliation: the reports, and what one of them found, with what to do about it. */
import { type Html, html } from '../../ui/html.ts';
import { dayText } from '../../ui/moments.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { ReconciliationQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { decimal, moment } from '../parts/figures.ts';
import { count, pageOf, pager, pageVariables, section } from '../parts/lists.ts';
import { sayNamed } from '../words.ts';

type Report = ReconciliationQuery['reconciliations']['nodes'][number];
type Shown = ReconciliationQuery['shown']['nodes'][number];
type Finding = Shown['findings'][number];
type Balance = Shown['balances'][number];

/** More would make the page heavy; the command prints them. */
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
    return { ...Object.fromEntries(filters), ...pageVariables(context) };
  },
  view: (
    {
      reconciliations,
      shown: {
        nodes: [shown],
      },
    },
    context,
  ) => {
    const { say } = context;
    const main = html`<div class="top"><h1>${say('reconciliation')}</h1><p class="soft">${say('reconciliationWhy')}</p></div>
${shown && details(context, shown)}${reports(context, reconciliations)}`;
    return { title: say('reconciliation'), main };
  },
});

function stateOf({ say }: ScreenContext, { isOpen }: Report): Html {
  return isOpen ? badge('warn', say('isOpenReport')) : badge('good', say('isClosedReport'));
}

function openOf(report: Report): number {
  const { missingHere, missingThere, amountDiffers, detailsDiffer, balancesDiffer, inSuspense } = report;
  return missingHere + missingThere + amountDiffers + detailsDiffer + balancesDiffer + inSuspense;
}

/** Networks and banks have the names that the operator gave them. */
function railName({ say }: ScreenContext, rail: string): string {
  return rail === 'pix' ? say('PIX') : rail;
}

function reports(
  context: ScreenContext,
  { nodes: rows, pageInfo, totalCount }: ReconciliationQuery['reconciliations'],
): Html {
  const { say, language } = context;
  const caption = say('reports');
  if (totalCount === 0)
    return section('reports', caption, empty('done', say('noReports'), say('noReportsWhy')));
  const columns: readonly Column<Report>[] = [
    {
      name: say('day'),
      isRowHead: true,
      cell: ({ rail, day }) =>
        html`<a href="${sameWith(context, { rail, day })}">${dayText(day, language)}</a>`,
    },
    { name: say('rail'), cell: ({ rail }) => railName(context, rail) },
    { name: say('status'), cell: (report) => stateOf(context, report) },
    { name: say('matched'), isFigure: true, look: 'wide', cell: ({ matched }) => count(matched, language) },
    { name: say('openFindings'), isFigure: true, cell: (report) => count(openOf(report), language) },
    { name: say('who'), look: 'wide', cell: ({ madeBy }) => madeBy },
    { name: say('time'), look: 'wide', cell: ({ madeAt }) => moment(madeAt, language) },
  ];
  const shown = table({ caption, isCaptionUnseen: true, rows, columns, isOfLinks: true });
  const page = pageOf(context, rows.length, totalCount, scrolled(say('tableOf', { name: caption }), shown));
  return html`${section('reports', caption, page)}
<div class="row">${pager(context, pageInfo, rows.length, totalCount)}</div>`;
}

function details(context: ScreenContext, report: Shown): Html {
  const { say, language } = context;
  const { rail, day, findings, balances, inSuspense } = report;
  const rows = findings.slice(0, FINDINGS_SHOWN);
  const some = findings.length > rows.length && say('someFindings', { count: count(rows.length, language) });
  const caption = say('findings');
  const shown =
    rows.length > 0
      ? scrolled(
          say('tableOf', { name: caption }),
          table({ caption, isCaptionUnseen: true, rows, columns: findingColumns(context) }),
        )
      : empty('done', say('noFindings'));
  const suspense =
    inSuspense > 0 &&
    html`<p class="in small"><a class="go" href="${pathTo('/operator')}">${say('suspenseToo', { count: count(inSuspense, language) })}</a></p>`;
  const title = say('reportOf', { rail: railName(context, rail), day: dayText(day, language) });
  return html`${section('findings', title, html`${shown}${some && html`<p class="in small">${some}</p>`}${suspense}`, stateOf(context, report))}${balances.length > 0 && balanceSection(context, balances)}`;
}

function findingColumns(context: ScreenContext): readonly Column<Finding>[] {
  const { say, language } = context;
  return [
    { name: say('time'), cell: ({ at }) => moment(at, language, 'second') },
    { name: say('findings'), isRowHead: true, cell: ({ finding }) => sayNamed(say, `finding_${finding}`) },
    { name: say('what'), cell: ({ kind }) => sayNamed(say, `entry_${kind}`) },
    { name: say('currency'), cell: ({ currency }) => currency },
    { name: say('amountThere'), isFigure: true, cell: ({ amountThere }) => amountOf(context, amountThere) },
    { name: say('amountHere'), isFigure: true, cell: ({ amountHere }) => amountOf(context, amountHere) },
    {
      name: say('account'),
      look: 'wide',
      cell: ({ account }) => account && html`<a href="${pathTo(`/accounts/${account}`)}">${account}</a>`,
    },
    { name: say('reference'), look: 'mono cut', cell: ({ transaction, id }) => transaction ?? id },
    {
      name: say('todo'),
      cell: ({ finding, why }) =>
        html`${todo(context, finding)}<br><small class="soft" lang="en">${why}</small>`,
    },
  ];
}

/** An amount missing in the books may be among the unsettled events. */
function todo({ say }: ScreenContext, finding: Finding['finding']): Html {
  const words = sayNamed(say, `todo_${finding}`);
  return finding === 'MISSING_HERE' ? html`<a href="${pathTo('/rails')}">${words}</a>` : html`${words}`;
}

function balanceSection(context: ScreenContext, rows: readonly Balance[]): Html {
  const { say } = context;
  const caption = say('balancesInAll');
  const columns: readonly Column<Balance>[] = [
    { name: say('currency'), isRowHead: true, cell: ({ currency }) => currency },
    { name: say('amountThere'), isFigure: true, cell: ({ there }) => amountOf(context, there) },
    { name: say('amountHere'), isFigure: true, cell: ({ here }) => amountOf(context, here) },
    { name: say('inFlight'), isFigure: true, cell: ({ inFlight }) => amountOf(context, inFlight) },
    {
      name: say('status'),
      cell: ({ agrees }) =>
        agrees ? badge('good', say('isClosedReport')) : badge('warn', say('finding_BALANCE_DIFFERS')),
    },
  ];
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('balances', caption, scrolled(say('tableOf', { name: caption }), shown));
}

/** With as many decimals as it has, two at least. */
function amountOf({ language }: ScreenContext, text: string | null): string | null {
  if (text === null) return null;
  return decimal(text, Math.max(2, text.split('.')[1]?.length ?? 0), language);
}

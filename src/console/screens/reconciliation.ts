/** Reconciliation: the reports, and what one of them found, with what to do about it. */
import { type Html, html } from '../../ui/html.ts';
import { dayText } from '../../ui/moments.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type Desk, pathTo, sameWith, screenOf } from '../desk.ts';
import type { ReconciliationQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { decimal, moment } from '../parts/figures.ts';
import { count, section } from '../parts/lists.ts';
import { sayNamed } from '../words.ts';

type Report = ReconciliationQuery['reconciliations'][number];
type Shown = ReconciliationQuery['shown'][number];
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
  variables: ({ query }) =>
    Object.fromEntries(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)?.trim()]] : []))),
  view: ({ reconciliations, shown: [shown] }, desk) => {
    const { say } = desk;
    const main = html`<div class="top"><h1>${say('reconciliation')}</h1><p class="soft">${say('reconciliationWhy')}</p></div>
${shown && details(desk, shown)}${reports(desk, reconciliations)}`;
    return { title: say('reconciliation'), main };
  },
});

function stateOf({ say }: Desk, { isOpen }: Report): Html {
  return isOpen ? badge('warn', say('isOpenReport')) : badge('good', say('isClosedReport'));
}

function openOf(report: Report): number {
  const { missingHere, missingThere, amountDiffers, detailsDiffer, balancesDiffer, inSuspense } = report;
  return missingHere + missingThere + amountDiffers + detailsDiffer + balancesDiffer + inSuspense;
}

/** Networks and banks have the names that the operator gave them. */
function railName({ say }: Desk, rail: string): string {
  return rail === 'pix' ? say('PIX') : rail;
}

function reports(desk: Desk, rows: readonly Report[]): Html {
  const { say, language } = desk;
  const caption = say('reports');
  if (rows.length === 0)
    return section('reports', caption, empty('done', say('noReports'), say('noReportsWhy')));
  const columns: readonly Column<Report>[] = [
    {
      name: say('day'),
      isRowHead: true,
      cell: ({ rail, day }) => html`<a href="${sameWith(desk, { rail, day })}">${dayText(day, language)}</a>`,
    },
    { name: say('rail'), cell: ({ rail }) => railName(desk, rail) },
    { name: say('status'), cell: (report) => stateOf(desk, report) },
    { name: say('matched'), isFigure: true, look: 'wide', cell: ({ matched }) => count(matched, language) },
    { name: say('openFindings'), isFigure: true, cell: (report) => count(openOf(report), language) },
    { name: say('who'), look: 'wide', cell: ({ madeBy }) => madeBy },
    { name: say('time'), look: 'wide', cell: ({ madeAt }) => moment(madeAt, language) },
  ];
  const shown = table({ caption, isCaptionUnseen: true, rows, columns, isOfLinks: true });
  return section('reports', caption, scrolled(say('tableOf', { name: caption }), shown));
}

function details(desk: Desk, report: Shown): Html {
  const { say, language } = desk;
  const { rail, day, findings, balances, inSuspense } = report;
  const rows = findings.slice(0, FINDINGS_SHOWN);
  const some = findings.length > rows.length && say('someFindings', { count: count(rows.length, language) });
  const caption = say('findings');
  const shown =
    rows.length > 0
      ? scrolled(
          say('tableOf', { name: caption }),
          table({ caption, isCaptionUnseen: true, rows, columns: findingColumns(desk) }),
        )
      : empty('done', say('noFindings'));
  const suspense =
    inSuspense > 0 &&
    html`<p class="in small"><a class="go" href="${pathTo('/operator')}">${say('suspenseToo', { count: count(inSuspense, language) })}</a></p>`;
  const title = say('reportOf', { rail: railName(desk, rail), day: dayText(day, language) });
  return html`${section('findings', title, html`${shown}${some && html`<p class="in small">${some}</p>`}${suspense}`, stateOf(desk, report))}${balances.length > 0 && balanceSection(desk, balances)}`;
}

function findingColumns(desk: Desk): readonly Column<Finding>[] {
  const { say, language } = desk;
  return [
    { name: say('time'), cell: ({ at }) => moment(at, language, 'second') },
    { name: say('findings'), isRowHead: true, cell: ({ finding }) => sayNamed(say, `finding_${finding}`) },
    { name: say('what'), cell: ({ kind }) => sayNamed(say, `entry_${kind}`) },
    { name: say('currency'), cell: ({ currency }) => currency },
    { name: say('amountThere'), isFigure: true, cell: ({ amountThere }) => amountOf(desk, amountThere) },
    { name: say('amountHere'), isFigure: true, cell: ({ amountHere }) => amountOf(desk, amountHere) },
    {
      name: say('account'),
      look: 'wide',
      cell: ({ account }) => account && html`<a href="${pathTo(`/accounts/${account}`)}">${account}</a>`,
    },
    { name: say('reference'), look: 'mono cut', cell: ({ transaction, id }) => transaction ?? id },
    {
      name: say('todo'),
      cell: ({ finding, why }) =>
        html`${todo(desk, finding)}<br><small class="soft" lang="en">${why}</small>`,
    },
  ];
}

/** What is not in the books may be among the news that is not settled. */
function todo({ say }: Desk, finding: Finding['finding']): Html {
  const words = sayNamed(say, `todo_${finding}`);
  return finding === 'MISSING_HERE' ? html`<a href="${pathTo('/rails')}">${words}</a>` : html`${words}`;
}

function balanceSection(desk: Desk, rows: readonly Balance[]): Html {
  const { say } = desk;
  const caption = say('balancesInAll');
  const columns: readonly Column<Balance>[] = [
    { name: say('currency'), isRowHead: true, cell: ({ currency }) => currency },
    { name: say('amountThere'), isFigure: true, cell: ({ there }) => amountOf(desk, there) },
    { name: say('amountHere'), isFigure: true, cell: ({ here }) => amountOf(desk, here) },
    { name: say('inFlight'), isFigure: true, cell: ({ inFlight }) => amountOf(desk, inFlight) },
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
function amountOf({ language }: Desk, text: string | null): string | null {
  if (text === null) return null;
  return decimal(text, Math.max(2, text.split('.')[1]?.length ?? 0), language);
}

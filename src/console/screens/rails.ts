/** Rails: their status, and their unsettled events. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { RailsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { listTime } from '../parts/figures.ts';
import { actionForm, disclosedForm, field } from '../parts/form.ts';
import { chosen, NO_PAGE, pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { pausedTable, pauseForm } from '../parts/network-sending.ts';
import { ordersSection } from '../parts/pix-orders.ts';
import { railTable } from '../parts/rail-health.ts';
import { checksSection, operationSection, ratesSection } from '../parts/rates.ts';

type RailMessage = RailsQuery['railEvents']['nodes'][number];

const STATES = ['FAILED', 'PENDING', 'REPORTED', 'CLOSED'] as const;
const TONES = { FAILED: 'bad', PENDING: 'info', REPORTED: 'warn', CLOSED: 'idle' } as const;

/** The screen. */
export const RAILS = screenOf<RailsQuery>({
  path: '/rails',
  operation: operationNamed('Rails'),
  scope: ['platform:risk', 'platform:rails'],
  variables: (context) => {
    const state = chosen(context, 'state', STATES);
    return { ...(state && { state }), ...pageVariables(context) };
  },
  view: ({ railHealth, pausedNetworks, operationChecks, rateFeeds, openPixOrders, railEvents }, context) => {
    const checks = railHealth.flatMap((rail) => rail.checks);
    const { translate } = context;
    const main = html`<div class="top"><h1>${translate('rails')}</h1></div>
${section('health', translate('railHealth'), html`${railTable(context, railHealth)}${pauseForm(context)}`)}${pausedTable(context, pausedNetworks)}${checksSection(context, checks)}${operationSection(context, operationChecks)}${ratesSection(context, rateFeeds)}${ordersSection(context, openPixOrders)}${messageList(context, railEvents)}`;
    return { title: translate('rails'), main };
  },
});

function messageList(
  context: ScreenContext,
  { nodes, pageInfo, totalCount }: RailsQuery['railEvents'],
): Html {
  const { translate } = context;
  const caption = translate('railEvents');
  const chosenState = chosen(context, 'state', STATES) ?? null;
  const views = [null, ...STATES].map((state) => ({
    href: sameWith(context, { ...NO_PAGE, state }),
    word: state === null ? translate('all') : translate(`railEvent_${state}`),
    isCurrent: state === chosenState,
  }));
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns: columns(context) });
  const content =
    nodes.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('done', translate('noRailEvents'));
  return section(
    'rail-events',
    caption,
    html`<div class="in-x">${segments(caption, views)}</div>${pageOf(context, nodes.length, totalCount, content)}<div class="row in-x">${pager(context, pageInfo, nodes.length, totalCount)}</div>`,
  );
}

function columns(context: ScreenContext): readonly Column<RailMessage>[] {
  const { translate, language } = context;
  return [
    { name: translate('time'), cell: ({ seenAt }) => listTime(seenAt, language, 'second') },
    { name: translate('rail'), cell: ({ rail }) => rail },
    { name: translate('what'), cell: ({ kind }) => html`<code>${kind}</code>` },
    { name: translate('account'), style: 'wide', cell: ({ account }) => account },
    { name: translate('reference'), style: 'mono wide', cell: ({ end2end }) => end2end },
    { name: translate('tries'), style: 'wide', isFigure: true, cell: ({ tries: attempts }) => attempts },
    {
      name: translate('nextTry'),
      style: 'wider',
      cell: ({ nextTryAt }) => nextTryAt && listTime(nextTryAt, language, 'second'),
    },
    { name: translate('status'), cell: ({ state }) => badge(TONES[state], translate(`railEvent_${state}`)) },
    { name: translate('told'), cell: whole },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (message) => isOpen(message) && decisions(context, message),
    },
  ];

  function whole({ key, body: message, lastError, closeReason, closedBy, closedByName }: RailMessage): Html {
    const closed =
      closeReason && translate('closedFor', { reason: closeReason, actor: closedByName ?? closedBy ?? '' });
    return html`<details class="ask"><summary class="btn pill">${translate('show')}</summary><div class="card in stack tight">${[closed, lastError].map((each) => each && html`<p class="small">${each}</p>`)}<p class="small mono">${key}</p><pre class="small" tabindex="0">${JSON.stringify(message, null, 2)}</pre></div></details>`;
  }
}

/** An unsettled event can be decided; a report of fraud is only read. */
function isOpen({ state }: RailMessage): boolean {
  return state === 'FAILED' || state === 'PENDING';
}

function decisions(context: ScreenContext, { railEventId: id }: RailMessage): Html {
  const { translate } = context;
  const preset = { id };
  const reason = { name: 'reason', label: translate('closeReason'), isRequired: true };
  const close = disclosedForm(context, {
    action: 'CloseRailEvent',
    preset,
    open: translate('closeRailEvent'),
    what: translate('closeRailEventWhat'),
    button: translate('closeRailEventYes'),
    fields: field(context, 'CloseRailEvent', reason, preset),
  });
  const retry = actionForm(context, {
    action: 'RetryRailEvent',
    preset,
    button: translate('retryRailEvent'),
    kind: 'pill',
  });
  return html`<div class="row">${retry}${close}</div>`;
}

/** Rails: their status, and their unsettled events. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { RailsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { moment } from '../parts/figures.ts';
import { actForm, askedForm, field } from '../parts/form.ts';
import { chosen, NO_PAGE, pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { ordersSection } from '../parts/pix-orders.ts';
import { railTable } from '../parts/rail-health.ts';
import { checksSection, ratesSection } from '../parts/rates.ts';

type News = RailsQuery['railNews']['nodes'][number];

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
  view: ({ railHealth, rateFeeds, openPixOrders, railNews }, context) => {
    const checks = railHealth.flatMap((rail) => rail.checks);
    const { say } = context;
    const main = html`<div class="top"><h1>${say('rails')}</h1></div>
${section('health', say('railHealth'), railTable(context, railHealth))}${checksSection(context, checks)}${ratesSection(context, rateFeeds)}${ordersSection(context, openPixOrders)}${newsList(context, railNews)}`;
    return { title: say('rails'), main };
  },
});

function newsList(context: ScreenContext, { nodes, pageInfo, totalCount }: RailsQuery['railNews']): Html {
  const { say } = context;
  const caption = say('news');
  const asked = chosen(context, 'state', STATES) ?? null;
  const views = [null, ...STATES].map((state) => ({
    href: sameWith(context, { ...NO_PAGE, state }),
    word: state === null ? say('all') : say(`news_${state}`),
    isCurrent: state === asked,
  }));
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns: columns(context) });
  const content =
    nodes.length > 0 ? scrolled(say('tableOf', { name: caption }), shown) : empty('done', say('noNews'));
  return section(
    'news',
    caption,
    html`<div class="in-x">${segments(caption, views)}</div>${pageOf(context, nodes.length, totalCount, content)}<div class="row in-x">${pager(context, pageInfo, nodes.length, totalCount)}</div>`,
  );
}

function columns(context: ScreenContext): readonly Column<News>[] {
  const { say, language } = context;
  return [
    { name: say('time'), cell: ({ seenAt }) => moment(seenAt, language, 'second') },
    { name: say('rail'), cell: ({ rail }) => rail },
    { name: say('what'), cell: ({ kind }) => html`<code>${kind}</code>` },
    { name: say('account'), look: 'wide', cell: ({ account }) => account },
    { name: say('reference'), look: 'mono wide', cell: ({ end2end }) => end2end },
    { name: say('tries'), look: 'wide', isFigure: true, cell: ({ tries }) => tries },
    {
      name: say('nextTry'),
      look: 'wider',
      cell: ({ nextTryAt }) => nextTryAt && moment(nextTryAt, language, 'second'),
    },
    { name: say('status'), cell: ({ state }) => badge(TONES[state], say(`news_${state}`)) },
    { name: say('told'), cell: whole },
    { name: unseen(say('actsHere')), isActs: true, cell: (news) => isOpen(news) && decisions(context, news) },
  ];

  function whole({ key, news, lastError, closeReason, closedBy }: News): Html {
    const closed = closeReason && say('closedFor', { reason: closeReason, actor: closedBy ?? '' });
    return html`<details class="ask"><summary class="btn pill">${say('show')}</summary><div class="card in stack tight">${[closed, lastError].map((each) => each && html`<p class="small">${each}</p>`)}<p class="small mono">${key}</p><pre class="small" tabindex="0">${JSON.stringify(news, null, 2)}</pre></div></details>`;
  }
}

/** An unsettled event can be decided; a report of fraud is only read. */
function isOpen({ state }: News): boolean {
  return state === 'FAILED' || state === 'PENDING';
}

function decisions(context: ScreenContext, { newsId: id }: News): Html {
  const { say } = context;
  const given = { id };
  const reason = { name: 'reason', label: say('closeReason'), isRequired: true };
  const close = askedForm(context, {
    act: 'CloseRailNews',
    given,
    open: say('closeNews'),
    what: say('closeNewsWhat'),
    button: say('closeNewsYes'),
    fields: field(context, 'CloseRailNews', reason, given),
  });
  const retry = actForm(context, { act: 'RetryRailNews', given, button: say('retryNews'), kind: 'pill' });
  return html`<div class="row">${retry}${close}</div>`;
}

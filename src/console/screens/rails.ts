/** Rails: how they are doing, and what they told that is not settled. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type Desk, sameWith, screenOf } from '../desk.ts';
import type { RailsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { moment } from '../parts/figures.ts';
import { pager, pageVariables, section } from '../parts/lists.ts';
import { railTable } from '../parts/rail-health.ts';

type News = RailsQuery['railNews']['nodes'][number];

const STATES = ['FAILED', 'PENDING', 'REPORTED', 'CLOSED'] as const;
const TONES = { FAILED: 'bad', PENDING: 'info', REPORTED: 'warn', CLOSED: 'idle' } as const;

/** The screen. */
export const RAILS = screenOf<RailsQuery>({
  path: '/rails',
  operation: operationNamed('Rails'),
  scope: ['platform:risk', 'platform:rails'],
  variables: (desk) => {
    const state = STATES.find((each) => each === desk.query.get('state'));
    return { ...(state && { state }), ...pageVariables(desk) };
  },
  view: ({ railHealth, railNews }, desk) => {
    const { say } = desk;
    const main = html`<div class="top"><h1>${say('rails')}</h1></div>
${section('health', say('railHealth'), railTable(desk, railHealth))}${newsList(desk, railNews)}`;
    return { title: say('rails'), main };
  },
});

function newsList(desk: Desk, { nodes, pageInfo, totalCount }: RailsQuery['railNews']): Html {
  const { say, query } = desk;
  const caption = say('news');
  const views = [null, ...STATES].map((state) => ({
    href: sameWith(desk, { state, after: null, before: null, at: null, done: null }),
    word: state === null ? say('all') : say(`news_${state}`),
    isCurrent: query.get('state') === state,
  }));
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns: columns(desk) });
  const content =
    nodes.length > 0 ? scrolled(say('tableOf', { name: caption }), shown) : empty('done', say('noNews'));
  return section(
    'news',
    caption,
    html`<div class="in-x">${segments(caption, views)}</div>${content}<div class="row in-x">${pager(desk, pageInfo, nodes.length, totalCount)}</div>`,
  );
}

function columns(desk: Desk): readonly Column<News>[] {
  const { say, language } = desk;
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
  ];

  function whole({ key, news, lastError }: News): Html {
    return html`<details class="ask"><summary class="btn pill">${say('show')}</summary><div class="card in stack tight">${lastError && html`<p class="small">${lastError}</p>`}<p class="small mono">${key}</p><pre class="small" tabindex="0">${indented(news)}</pre></div></details>`;
  }
}

/** JSON text with a member in each line; the text itself where it is none. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

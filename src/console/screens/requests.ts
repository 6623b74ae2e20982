/** The request log: calls of the API, their callers and responses. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { RequestsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { moment } from '../parts/figures.ts';
import { chips, chosen, NO_PAGE, pageOf, pager, pageVariables } from '../parts/lists.ts';
import { sayNamed } from '../words.ts';

type Entry = RequestsQuery['requestLog']['nodes'][number];

const FILTERS = ['actorId', 'requestId', 'end2end'] as const;
const CLASSES = ['SUCCESSFUL', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR'] as const;

/** The screen. */
export const REQUESTS = screenOf<RequestsQuery>({
  path: '/requests',
  operation: operationNamed('Requests'),
  scope: 'admin',
  variables: (context) => {
    const { query } = context;
    const statusClass = chosen(context, 'status', CLASSES);
    const given = FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []));
    return { ...Object.fromEntries(given), ...(statusClass && { statusClass }), ...pageVariables(context) };
  },
  view: ({ requestLog: { nodes, pageInfo, totalCount } }, context) => {
    const { say, query } = context;
    const labels = { actorId: say('who'), requestId: say('reference'), end2end: say('transactions') };
    const given = FILTERS.flatMap((name) => {
      const value = query.get(name);
      return value ? [{ name, label: labels[name], value }] : [];
    });
    const caption = say('requests');
    const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns: columns(context) });
    const list =
      nodes.length > 0
        ? scrolled(say('tableOf', { name: caption }), shown)
        : empty('activity', say('noRequests'));
    const main = html`<nav class="small" aria-label="${say('youAreHere')}"><a class="go" href="${pathTo('/developers')}">${say('developers')}</a></nav>
<div class="top"><h1>${caption}</h1><p class="soft">${say('requestsWhy')}</p></div>
${statusLinks(context)}<div class="row" role="group" aria-label="${say('filters')}">${chips(context, given)}</div>
<div class="card phone-full">${pageOf(context, nodes.length, totalCount ?? null, list)}</div>
<div class="row">${pager(context, pageInfo, nodes.length, totalCount ?? null)}</div>`;
    return { title: caption, main };
  },
});

function statusLinks(context: ScreenContext): Html {
  const { say } = context;
  const asked = chosen(context, 'status', CLASSES) ?? null;
  const views = [null, ...CLASSES].map((status) => ({
    href: sameWith(context, { ...NO_PAGE, status }),
    word: say(status ?? 'all'),
    isCurrent: status === asked,
  }));
  return segments(say('status'), views);
}

function columns(context: ScreenContext): readonly Column<Entry>[] {
  const { say, language } = context;
  const only = (name: string, value: string) => sameWith(context, { ...NO_PAGE, [name]: value });
  return [
    { name: say('time'), cell: ({ at }) => moment(at, language, 'second') },
    {
      name: say('request'),
      isRowHead: true,
      cell: ({ method, route, operationName }) =>
        html`<code>${method} ${route}</code> <small>${operationName}</small>`,
    },
    {
      name: say('status'),
      cell: ({ status, errorCode }) =>
        html`${badge(toneOfStatus(status), String(status))} <small>${errorCode}</small>`,
    },
    { name: say('durationMs'), isFigure: true, look: 'wide', cell: ({ durationMs }) => durationMs },
    {
      name: say('who'),
      cell: ({ actorKind, actorId, actorName }) =>
        html`<a href="${only('actorId', actorId)}">${sayNamed(say, actorKind, { id: actorName ?? actorId })}</a>`,
    },
    {
      name: say('transactions'),
      look: 'mono wide',
      cell: ({ end2end }) =>
        end2end &&
        html`<a href="${pathTo(`/transactions/${end2end}`, { show: 'calls' })}">…${end2end.slice(-6)}</a>`,
    },
    {
      name: say('reference'),
      look: 'mono soft wider',
      cell: ({ requestId }) => html`<a href="${only('requestId', requestId)}">${requestId}</a>`,
    },
  ];
}

/** @returns the tone of a status: done, elsewhere, refused, failed. */
function toneOfStatus(status: number): 'good' | 'info' | 'warn' | 'bad' {
  if (status >= 500) return 'bad';
  if (status >= 400) return 'warn';
  return status >= 300 ? 'info' : 'good';
}

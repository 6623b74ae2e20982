/** The request log: calls of the API, their callers and responses. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { RequestsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { listTime } from '../parts/figures.ts';
import { chips, chosen, NO_PAGE, pageOf, pager, pageVariables } from '../parts/lists.ts';
import { translateName } from '../words.ts';

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
    const active = FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []));
    return { ...Object.fromEntries(active), ...(statusClass && { statusClass }), ...pageVariables(context) };
  },
  view: ({ requestLog: { nodes, pageInfo, totalCount } }, context) => {
    const { translate, query } = context;
    const labels = {
      actorId: translate('who'),
      requestId: translate('reference'),
      end2end: translate('oneTransaction'),
    };
    const active = FILTERS.flatMap((name) => {
      const value = query.get(name);
      return value ? [{ name, label: labels[name], value }] : [];
    });
    const caption = translate('requests');
    const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns: columns(context) });
    const list =
      nodes.length > 0
        ? scrolled(translate('tableOf', { name: caption }), shown)
        : empty('activity', translate('noRequests'));
    const main = html`<nav class="small" aria-label="${translate('youAreHere')}"><a class="go" href="${pathTo('/developers')}">${translate('developers')}</a></nav>
<div class="top"><h1>${caption}</h1><p class="soft">${translate('requestsWhy')}</p></div>
${statusLinks(context)}<div class="row" role="group" aria-label="${translate('filters')}">${chips(context, active)}</div>
<div class="card phone-full">${pageOf(context, nodes.length, totalCount ?? null, list)}</div>
<div class="row">${pager(context, pageInfo, nodes.length, totalCount ?? null)}</div>`;
    return { title: caption, main };
  },
});

function statusLinks(context: ScreenContext): Html {
  const { translate } = context;
  const chosenClass = chosen(context, 'status', CLASSES) ?? null;
  const views = [null, ...CLASSES].map((status) => ({
    href: sameWith(context, { ...NO_PAGE, status }),
    word: translate(status ?? 'all'),
    isCurrent: status === chosenClass,
  }));
  return segments(translate('status'), views);
}

function columns(context: ScreenContext): readonly Column<Entry>[] {
  const { translate, language } = context;
  const only = (name: string, value: string) => sameWith(context, { ...NO_PAGE, [name]: value });
  return [
    { name: translate('time'), cell: ({ at }) => listTime(at, language, 'second') },
    {
      name: translate('request'),
      isRowHead: true,
      cell: ({ method, route, operationName }) =>
        html`<code>${method} ${route}</code> <small>${operationName}</small>`,
    },
    {
      name: translate('status'),
      cell: ({ status, errorCode }) =>
        html`${badge(toneOfStatus(status), String(status))} <small>${errorCode}</small>`,
    },
    { name: translate('durationMs'), isFigure: true, style: 'wide', cell: ({ durationMs }) => durationMs },
    {
      name: translate('who'),
      cell: ({ actorKind, actorId, actorName }) =>
        html`<a href="${only('actorId', actorId)}">${translateName(translate, actorKind, { id: actorName ?? actorId })}</a>`,
    },
    {
      name: translate('oneTransaction'),
      style: 'mono wide',
      cell: ({ end2end }) =>
        end2end &&
        html`<a href="${pathTo(`/transactions/${end2end}`, { show: 'calls' })}">…${end2end.slice(-6)}</a>`,
    },
    {
      name: translate('reference'),
      style: 'mono soft wider',
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

/** The event log: changes of all transactions, newest first. */
import { html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, screenOf } from '../context.ts';
import type { EventsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { listTime } from '../parts/figures.ts';
import { pageOf, pager, pageVariables } from '../parts/lists.ts';

type Event = EventsQuery['events']['nodes'][number];

/** The screen. */
export const EVENTS = screenOf<EventsQuery>({
  path: '/events',
  operation: operationNamed('Events'),
  // The log is in order of time: its end is shown first, in reverse.
  variables: (context) => {
    const { first, after, last, before, offset } = pageVariables(context);
    return { last: first, before: after, first: last, after: before, offset };
  },
  view: ({ events: { nodes, pageInfo, totalCount } }, context) => {
    const { translate, language } = context;
    const columns: readonly Column<Event>[] = [
      { name: translate('time'), cell: ({ occurredAt }) => listTime(occurredAt, language, 'millis') },
      { name: translate('event'), cell: ({ name }) => html`<code>${name}</code>` },
      {
        name: translate('oneTransaction'),
        style: 'mono',
        cell: ({ transaction: { end2end } }) =>
          html`<a href="${pathTo(`/transactions/${end2end}`)}">…${end2end.slice(-6)}</a>`,
      },
      { name: '#', isFigure: true, cell: ({ sequence }) => sequence },
    ];
    const caption = translate('events');
    const rows = [...nodes].reverse();
    const shown = table({
      caption,
      isCaptionUnseen: true,
      rows,
      columns,
      rowAttributes: ({ cursor }) => ({ 'data-row': cursor }),
    });
    const turned = {
      hasNextPage: pageInfo.hasPreviousPage,
      endCursor: pageInfo.startCursor,
      hasPreviousPage: pageInfo.hasNextPage,
      startCursor: pageInfo.endCursor,
    };
    const list =
      rows.length > 0
        ? scrolled(translate('tableOf', { name: caption }), shown)
        : empty('bolt', translate('noEvents'));
    const main = html`<div class="top"><h1>${caption}</h1><p class="soft">${translate('eventsWhy')}</p></div>
<div class="card phone-full rows" data-live="rows">${pageOf(context, rows.length, totalCount, list)}</div>
<div class="row">${pager(context, turned, rows.length, totalCount)}</div>`;
    return { title: caption, main };
  },
});

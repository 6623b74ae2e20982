/** Deliveries of webhooks: the outcome of each, and the forms that redeliver one or many. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, note, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, sameWith } from '../context.ts';
import type { DevelopersQuery } from '../generated/graphql.ts';
import { sayNamed } from '../words.ts';
import { moment } from './figures.ts';
import { actForm, addForm, field } from './form.ts';
import { chosen, count, NO_PAGE, pageOf, pager, section, unseen } from './lists.ts';

type Account = DevelopersQuery['viewer']['account'];
type Delivery = NonNullable<Account['webhookDeliveries']>['nodes'][number];
type Endpoint = NonNullable<Account['webhookEndpoints']>[number];

/** States of a delivery. */
export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'DEAD', 'SKIPPED'] as const;
const TONES = { DELIVERED: 'good', PENDING: 'info', DEAD: 'bad', SKIPPED: 'idle' } as const;
/** Fields of a form for many deliveries; its confirmation sends the same. */
const ASKED = ['endpointId', 'since', 'states'] as const;

/**
 * @returns the deliveries with their states, and the form that redelivers many; null when the session may not see
 *   them.
 */
export function deliveries(
  context: ScreenContext,
  { webhookDeliveries, webhookEndpoints }: Account,
): Html | null {
  if (!webhookDeliveries) return null;
  const { say, language } = context;
  const asked = chosen(context, 'state', DELIVERY_STATES) ?? null;
  const { nodes, pageInfo, totalCount } = webhookDeliveries;
  const views = [null, ...DELIVERY_STATES].map((state) => ({
    href: sameWith(context, { ...NO_PAGE, state }),
    word: state === null ? say('all') : say(state),
    isCurrent: state === asked,
  }));
  const last = ({ attempts }: Delivery) => attempts.at(-1);
  const columns: readonly Column<Delivery>[] = [
    { name: say('time'), cell: ({ createdAt }) => moment(createdAt, language, 'second') },
    { name: say('event'), cell: ({ event }) => html`<code>${event?.name}</code>` },
    {
      name: say('transactions'),
      look: 'mono',
      cell: ({ transaction: { end2end } }) =>
        html`<a href="${pathTo(`/transactions/${end2end}`, { show: 'webhooks' })}">…${end2end.slice(-6)}</a>`,
    },
    { name: say('endpoint'), look: 'wider', cell: ({ endpoint: { url } }) => url },
    { name: say('tries'), isFigure: true, cell: ({ attempts }) => attempts.length },
    {
      name: say('status'),
      cell: (delivery) =>
        html`${badge(TONES[delivery.state], sayNamed(say, delivery.state))} <small>${last(delivery)?.status ?? last(delivery)?.error}</small>`,
    },
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: ({ deliveryId: id }) =>
        actForm(context, { act: 'RedeliverWebhook', given: { id }, button: say('redeliver'), kind: 'pill' }),
    },
  ];
  const caption = say('deliveries');
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns });
  const list =
    nodes.length > 0
      ? scrolled(say('tableOf', { name: caption }), shown)
      : empty('bolt', say('noDeliveries'));
  return section(
    'deliveries',
    caption,
    html`<div class="in-x">${segments(caption, views)}</div>${pageOf(context, nodes.length, totalCount ?? null, list)}<div class="row in-x">${pager(context, pageInfo, nodes.length, totalCount ?? null)}</div>${redelivery(context, webhookEndpoints ?? [])}`,
  );
}

/** Many at once: counted first, sent by a second form that has the same filter. */
function redelivery(context: ScreenContext, endpoints: readonly Endpoint[]): Html | null {
  const { say } = context;
  const act = 'RedeliverWebhooks';
  const states = (['DEAD', 'SKIPPED', 'DELIVERED'] as const).map((each) => [each, say(each)] as const);
  const fields = html`${field(context, act, {
    name: 'endpointId',
    label: say('endpoint'),
    options: [['', say('all')], ...endpoints.map(({ endpointId: id, url }) => [id, url] as const)],
  })}${field(context, act, { name: 'since', label: say('happenedSince'), type: 'datetime-local' })}${field(
    context,
    act,
    {
      name: 'states',
      label: say('status'),
      options: [['', say('deadOrSkipped')], ...states],
    },
  )}`;
  const open = say('sendMany');
  const form = addForm(context, { act, given: { dryRun: 'true' }, open, button: say('countThem'), fields });
  return html`${form}${confirmation(context, act)}`;
}

function confirmation(context: ScreenContext, act: string): Html | null {
  const { say, language, preview } = context;
  if (preview?.act !== act) return null;
  const { matched, values } = preview;
  if (matched === 0) return html`<div class="in">${note('info', say('nothingToSend'))}</div>`;
  const asked = ASKED.map((name) => [name, values.get(name) ?? ''] as const).filter(([, value]) => value);
  const given = { dryRun: 'false', ...Object.fromEntries(asked) };
  const button = say('sendThem', { count: count(matched, language) });
  return html`<div class="in" role="status">${note('info', say('wouldSend', { count: count(matched, language) }))}${actForm(context, { act, given, button, kind: 'primary' })}</div>`;
}

/** Deliveries of webhooks: the outcome of each, and the forms that redeliver one or many. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, note, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, sameWith } from '../context.ts';
import type { DeliveryPageFragment, DevelopersQuery } from '../generated/graphql.ts';
import { sayNamed } from '../words.ts';
import { moment } from './figures.ts';
import { actForm, addForm, field } from './form.ts';
import { chosen, count, NO_PAGE, pageOf, pager, section, unseen } from './lists.ts';

type Account = DevelopersQuery['viewer']['account'];
type Delivery = DeliveryPageFragment['nodes'][number];
type Progress = NonNullable<Account['webhookRedeliveries']>[number];
type Endpoint = NonNullable<Account['webhookEndpoints']>[number];

/** States of a delivery. */
export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'DEAD', 'SKIPPED'] as const;
/** Tones of their states. */
export const DELIVERY_TONES = { DELIVERED: 'good', PENDING: 'info', DEAD: 'bad', SKIPPED: 'idle' } as const;
/** Tones of states of endpoints. */
export const ENDPOINT_TONES = { ENABLED: 'good', PAUSED: 'idle', DISABLED: 'bad' } as const;
/** Fields of a form for many deliveries; its confirmation sends the same. */
const ASKED = ['endpointId', 'since', 'until', 'states'] as const;

/**
 * @returns the deliveries with their states, and the form that redelivers many; null when the session may not see
 *   them.
 */
export function deliveries(context: ScreenContext, account: Account): Html | null {
  const { webhookDeliveries, webhookEndpoints, webhookRedeliveries } = account;
  if (!webhookDeliveries) return null;
  const many = redelivery(context, webhookEndpoints ?? []);
  return html`${deliveryList(context, webhookDeliveries, many)}${redeliveryProgress(context, webhookRedeliveries ?? [])}`;
}

/** @param below - further content of the section. @returns a page of deliveries with their states. */
export function deliveryList(context: ScreenContext, page: DeliveryPageFragment, below?: Html | null): Html {
  const { say, language } = context;
  const asked = chosen(context, 'state', DELIVERY_STATES) ?? null;
  const { nodes, pageInfo, totalCount } = page;
  const views = [null, ...DELIVERY_STATES].map((state) => ({
    href: sameWith(context, { ...NO_PAGE, state }),
    word: state === null ? say('all') : say(state),
    isCurrent: state === asked,
  }));
  const last = ({ attempts }: Delivery) => attempts.at(-1);
  const columns: readonly Column<Delivery>[] = [
    { name: say('time'), cell: ({ createdAt }) => moment(createdAt, language, 'second') },
    {
      name: say('event'),
      cell: ({ event, deliveryId }) =>
        html`<a href="${pathTo(`/webhook-deliveries/${deliveryId}`)}"><code>${event?.name ?? say('details')}</code></a>`,
    },
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
        html`${badge(DELIVERY_TONES[delivery.state], sayNamed(say, delivery.state))} <small>${last(delivery)?.status ?? last(delivery)?.error}</small>`,
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
    html`<div class="in-x">${segments(caption, views)}</div>${pageOf(context, nodes.length, totalCount ?? null, list)}<div class="row in-x">${pager(context, pageInfo, nodes.length, totalCount ?? null)}</div>${below}`,
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
  })}${field(context, act, { name: 'since', label: say('happenedSince'), type: 'datetime-local' })}${field(context, act, { name: 'until', label: say('until'), type: 'datetime-local' })}${field(
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

/** Redeliveries of many events and how far each has come; null where there was none. */
function redeliveryProgress(context: ScreenContext, all: readonly Progress[]): Html | null {
  if (all.length === 0) return null;
  const { say, language } = context;
  const shown = (value: number) => count(value, language);
  const endedOf = ({ redelivered, pending }: Progress) => redelivered - pending;
  const columns: readonly Column<Progress>[] = [
    {
      name: say('time'),
      isRowHead: true,
      cell: ({ requestedAt }) => moment(requestedAt, language, 'second'),
    },
    {
      name: say('progress'),
      cell: (each) =>
        html`<progress max="${each.redelivered}" value="${endedOf(each)}" aria-label="${say('progress')}"></progress> <span class="num">${say('progressOf', { ended: shown(endedOf(each)), all: shown(each.redelivered) })}</span>${each.matched > each.redelivered && html` <small>${say('sendNext', { count: shown(each.matched - each.redelivered) })}</small>`}`,
    },
    { name: say('DELIVERED'), isFigure: true, cell: ({ delivered }) => shown(delivered) },
    { name: say('DEAD'), isFigure: true, cell: ({ dead }) => shown(dead) },
    { name: say('SKIPPED'), look: 'wide', isFigure: true, cell: ({ skipped }) => shown(skipped) },
  ];
  const caption = say('redeliveries');
  const rows = table({ caption, isCaptionUnseen: true, rows: all, columns });
  return section('redeliveries', caption, scrolled(say('tableOf', { name: caption }), rows));
}

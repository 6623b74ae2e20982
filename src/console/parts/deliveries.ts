/** Deliveries of webhooks: the outcome of each, and the forms that redeliver one or many. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, note, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, sameWith } from '../context.ts';
import type { DeliveryPageFragment, DevelopersQuery } from '../generated/graphql.ts';
import { translateName } from '../words.ts';
import { listTime } from './figures.ts';
import { actionForm, addForm, field } from './form.ts';
import { chosen, count, NO_PAGE, pageOf, pager, section, unseen } from './lists.ts';

type Account = DevelopersQuery['viewer']['account'];
type Delivery = DeliveryPageFragment['nodes'][number];
type Progress = NonNullable<Account['webhookRedeliveries']>[number];
type Endpoint = NonNullable<Account['webhookEndpoints']>[number];

/** States of a delivery. */
export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'DEAD', 'SKIPPED'] as const;
/** Tones of delivery states. */
export const DELIVERY_TONES = { DELIVERED: 'good', PENDING: 'info', DEAD: 'bad', SKIPPED: 'idle' } as const;
/** Tones of states of endpoints. */
export const ENDPOINT_TONES = { ENABLED: 'good', PAUSED: 'idle', DISABLED: 'bad' } as const;
/** Fields of a form for many deliveries; its confirmation sends the same. */
const FILTER_FIELDS = ['endpointId', 'since', 'until', 'states'] as const;

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
  const { translate, language } = context;
  const chosenState = chosen(context, 'state', DELIVERY_STATES) ?? null;
  const { nodes, pageInfo, totalCount } = page;
  const views = [null, ...DELIVERY_STATES].map((state) => ({
    href: sameWith(context, { ...NO_PAGE, state }),
    word: state === null ? translate('all') : translate(state),
    isCurrent: state === chosenState,
  }));
  const last = ({ attempts }: Delivery) => attempts.at(-1);
  const columns: readonly Column<Delivery>[] = [
    { name: translate('time'), cell: ({ createdAt }) => listTime(createdAt, language, 'second') },
    {
      name: translate('event'),
      cell: ({ event, deliveryId }) =>
        html`<a href="${pathTo(`/webhook-deliveries/${deliveryId}`)}"><code>${event?.name ?? translate('details')}</code></a>`,
    },
    {
      name: translate('oneTransaction'),
      style: 'mono',
      cell: ({ transaction: { end2end } }) =>
        html`<a href="${pathTo(`/transactions/${end2end}`, { show: 'webhooks' })}">…${end2end.slice(-6)}</a>`,
    },
    { name: translate('endpoint'), style: 'wider', cell: ({ endpoint: { url } }) => url },
    { name: translate('tries'), isFigure: true, cell: ({ attempts }) => attempts.length },
    {
      name: translate('status'),
      cell: (delivery) =>
        html`${badge(DELIVERY_TONES[delivery.state], translateName(translate, delivery.state))} <small>${last(delivery)?.status ?? last(delivery)?.error}</small>`,
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: ({ deliveryId: id }) =>
        actionForm(context, {
          action: 'RedeliverWebhook',
          preset: { id },
          button: translate('redeliver'),
          kind: 'pill',
        }),
    },
  ];
  const caption = translate('deliveries');
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns });
  const list =
    nodes.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('bolt', translate('noDeliveries'));
  return section(
    'deliveries',
    caption,
    html`<div class="in-x">${segments(caption, views)}</div>${pageOf(context, nodes.length, totalCount ?? null, list)}<div class="row in-x">${pager(context, pageInfo, nodes.length, totalCount ?? null)}</div>${below}`,
  );
}

/** Redelivery of many: counted first, sent by a second form that has the same filter. */
function redelivery(context: ScreenContext, endpoints: readonly Endpoint[]): Html | null {
  const { translate } = context;
  const action = 'RedeliverWebhooks';
  const states = (['DEAD', 'SKIPPED', 'DELIVERED'] as const).map((each) => [each, translate(each)] as const);
  const fields = html`${field(context, action, {
    name: 'endpointId',
    label: translate('endpoint'),
    options: [['', translate('all')], ...endpoints.map(({ endpointId: id, url }) => [id, url] as const)],
  })}${field(context, action, { name: 'since', label: translate('happenedSince'), type: 'datetime-local' })}${field(context, action, { name: 'until', label: translate('until'), type: 'datetime-local' })}${field(
    context,
    action,
    {
      name: 'states',
      label: translate('status'),
      options: [['', translate('deadOrSkipped')], ...states],
    },
  )}`;
  const open = translate('sendMany');
  const form = addForm(context, {
    action,
    preset: { dryRun: 'true' },
    open,
    button: translate('countThem'),
    fields,
  });
  return html`${form}${confirmation(context, action)}`;
}

function confirmation(context: ScreenContext, action: string): Html | null {
  const { translate, language, preview } = context;
  if (preview?.action !== action) return null;
  const { matched, values } = preview;
  if (matched === 0) return html`<div class="in">${note('info', translate('nothingToSend'))}</div>`;
  const chosenState = FILTER_FIELDS.map((name) => [name, values.get(name) ?? ''] as const).filter(
    ([, value]) => value,
  );
  const preset = { dryRun: 'false', ...Object.fromEntries(chosenState) };
  const button = translate('sendThem', { count: count(matched, language) });
  return html`<div class="in" role="status">${note('info', translate('wouldSend', { count: count(matched, language) }))}${actionForm(context, { action, preset, button, kind: 'primary' })}</div>`;
}

/** Redeliveries of many events and the progress of each; null if there was none. */
function redeliveryProgress(context: ScreenContext, all: readonly Progress[]): Html | null {
  if (all.length === 0) return null;
  const { translate, language } = context;
  const shown = (value: number) => count(value, language);
  const endedOf = ({ redelivered, pending }: Progress) => redelivered - pending;
  const columns: readonly Column<Progress>[] = [
    {
      name: translate('time'),
      isRowHead: true,
      cell: ({ requestedAt }) => listTime(requestedAt, language, 'second'),
    },
    {
      name: translate('progress'),
      cell: (each) =>
        html`<progress max="${each.redelivered}" value="${endedOf(each)}" aria-label="${translate('progress')}"></progress> <span class="num">${translate('progressOf', { ended: shown(endedOf(each)), all: shown(each.redelivered) })}</span>${each.matched > each.redelivered && html` <small>${translate('sendNext', { count: shown(each.matched - each.redelivered) })}</small>`}`,
    },
    { name: translate('DELIVERED'), isFigure: true, cell: ({ delivered }) => shown(delivered) },
    { name: translate('DEAD'), isFigure: true, cell: ({ dead }) => shown(dead) },
    { name: translate('SKIPPED'), style: 'wide', isFigure: true, cell: ({ skipped }) => shown(skipped) },
  ];
  const caption = translate('redeliveries');
  const rows = table({ caption, isCaptionUnseen: true, rows: all, columns });
  return section('redeliveries', caption, scrolled(translate('tableOf', { name: caption }), rows));
}

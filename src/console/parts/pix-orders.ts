/** Open orders to the PIX provider, and the form that settles one by hand; null without any. */
import { type Html, html } from '../../ui/html.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, type ScreenContext } from '../context.ts';
import type { RailsQuery } from '../generated/graphql.ts';
import { decimal, moment } from './figures.ts';
import { askedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';

type Order = RailsQuery['openPixOrders'][number];

/** @returns the orders, the oldest first. */
export function ordersSection(context: ScreenContext, rows: readonly Order[]): Html {
  const { say, language } = context;
  const caption = say('openOrders');
  const columns: readonly Column<Order>[] = [
    { name: say('time'), cell: ({ placedAt }) => moment(placedAt, language, 'second') },
    { name: say('what'), cell: ({ kind }) => say(`order_${kind}`) },
    { name: say('amount'), isFigure: true, cell: ({ amount }) => decimal(amount, 2, language) },
    { name: say('account'), look: 'wide', cell: ({ account }) => account },
    { name: say('reference'), look: 'mono wide', cell: ({ key }) => key },
    { name: unseen(say('actsHere')), isActs: true, cell: (order) => settling(context, order) },
  ];
  if (rows.length === 0) return html``;
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('orders', caption, scrolled(say('tableOf', { name: caption }), shown));
}

function settling(context: ScreenContext, { key }: Order): Html | null {
  const { say } = context;
  if (!may(context, 'platform:risk')) return null;
  const act = 'SettlePixOrder';
  const given = { key };
  const outcomes = [
    ['DONE', say('orderDone')],
    ['NOT_DONE', say('orderNotDone')],
  ] as const;
  const outcome = { name: 'outcome', label: say('status'), options: outcomes, isRequired: true };
  const evidence = { name: 'evidence', label: say('orderEvidence'), isRequired: true };
  return askedForm(context, {
    act,
    given,
    open: say('settleOrder'),
    what: say('settleOrderWhat'),
    button: say('settleOrderYes'),
    fields: html`${field(context, act, outcome, given)}${field(context, act, evidence, given)}`,
  });
}

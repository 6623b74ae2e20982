/** Open orders to the PIX provider, and the form that settles one by hand; null without any. */
import { type Html, html } from '../../ui/html.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, type ScreenContext } from '../context.ts';
import type { RailsQuery } from '../generated/graphql.ts';
import { decimal, listTime } from './figures.ts';
import { disclosedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';

type Order = RailsQuery['openPixOrders'][number];

/** @returns the orders, the oldest first. */
export function ordersSection(context: ScreenContext, rows: readonly Order[]): Html {
  const { translate, language } = context;
  const caption = translate('openOrders');
  const columns: readonly Column<Order>[] = [
    { name: translate('time'), cell: ({ placedAt }) => listTime(placedAt, language, 'second') },
    { name: translate('what'), cell: ({ kind }) => translate(`order_${kind}`) },
    { name: translate('amount'), isFigure: true, cell: ({ amount }) => decimal(amount, 2, language) },
    { name: translate('account'), style: 'wide', cell: ({ account }) => account },
    { name: translate('reference'), style: 'mono wide', cell: ({ key }) => key },
    { name: unseen(translate('actsHere')), isActions: true, cell: (order) => settling(context, order) },
  ];
  if (rows.length === 0) return html``;
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('orders', caption, scrolled(translate('tableOf', { name: caption }), shown));
}

function settling(context: ScreenContext, { key }: Order): Html | null {
  const { translate } = context;
  if (!may(context, 'platform:risk')) return null;
  const action = 'SettlePixOrder';
  const preset = { key };
  const outcomes = [
    ['DONE', translate('orderDone')],
    ['NOT_DONE', translate('orderNotDone')],
  ] as const;
  const outcome = { name: 'outcome', label: translate('status'), options: outcomes, isRequired: true };
  const evidence = { name: 'evidence', label: translate('orderEvidence'), isRequired: true };
  return disclosedForm(context, {
    action,
    preset,
    open: translate('settleOrder'),
    what: translate('settleOrderWhat'),
    button: translate('settleOrderYes'),
    fields: html`${field(context, action, outcome, preset)}${field(context, action, evidence, preset)}`,
  });
}

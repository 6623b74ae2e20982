/** Customers and payees that wait for extra verification, each with the link to its case. */
import type { Html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { OperatorQuery } from '../generated/graphql.ts';
import { decideLink } from './cases.ts';
import { ago, money } from './figures.ts';
import { section, unseen } from './lists.ts';

type StepUp = NonNullable<OperatorQuery['stepUps']>[number];

/** @returns the list. */
export function stepUpList(context: ScreenContext, rows: readonly StepUp[]): Html {
  const { translate, language } = context;
  const columns: readonly Column<StepUp>[] = [
    {
      name: translate('payerOrPayee'),
      isRowHead: true,
      cell: ({ transaction }) => transaction.clientName ?? translate('unknown'),
    },
    { name: translate('opened'), cell: ({ since }) => ago(since, language) },
    { name: translate('account'), cell: ({ account }) => account },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ transaction: { source } }) => source && money(source, language),
    },
    { name: translate('reference'), style: 'mono wide', cell: ({ transaction: { end2end } }) => end2end },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: ({ account, transaction }) => decideLink(context, 'STEP_UP', account, transaction),
    },
  ];
  const caption = translate('stepUps');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  const content =
    rows.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('held', translate('noStepUps'));
  return section('step-ups', caption, content, translate('stepUpsWhy'));
}

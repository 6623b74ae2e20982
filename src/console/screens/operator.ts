/**
 * Work that waits for the operator: holds, step-ups and failed returns, which are decided in their cases; debts to the house
 * and money in suspense, with the actions on each.
 */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { OperatorQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { decideLink } from '../parts/cases.ts';
import { ago, money } from '../parts/figures.ts';
import { chosen, NO_PAGE, pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { positionList } from '../parts/positions.ts';
import { receivableList, receivablesVariables, refundList } from '../parts/receivables.ts';
import { stepUpList } from '../parts/step-ups.ts';
import { suspenseActions } from '../parts/suspense-actions.ts';
import { translateName } from '../words.ts';

type Suspense = NonNullable<OperatorQuery['suspense']>;
type Entry = Suspense['nodes'][number];
const STATES = ['OPEN', 'ASSIGNED', 'RETURNING', 'RETURNED', 'DROPPED'] as const;

/** The screen. */
export const OPERATOR = screenOf<OperatorQuery>({
  path: '/operator',
  operation: operationNamed('Operator'),
  scope: ['platform:risk', 'platform:books'],
  variables: (context) => ({
    state: stateOf(context),
    hasBooks: may(context, 'platform:books'),
    hasRisk: may(context, 'platform:risk'),
    ...receivablesVariables(context),
    ...pageVariables(context),
  }),
  view: ({ suspense, holds, stepUps, openRefunds, receivables, positions }, context) => {
    const { translate } = context;
    const main = html`<div class="top"><h1>${translate('operator')}</h1></div>
${holds && holdList(context, holds)}${stepUps && stepUpList(context, stepUps)}${openRefunds && refundList(context, openRefunds)}${receivables && receivableList(context, receivables)}${positions && positionList(context, positions)}${suspense && suspenseList(context, suspense)}`;
    return { title: translate('operator'), main };
  },
});

function suspenseList(context: ScreenContext, { nodes, pageInfo, totalCount }: Suspense): Html {
  const { translate } = context;
  const caption = translate('suspense');
  const views = STATES.map((each) => ({
    href: sameWith(context, { ...NO_PAGE, state: each }),
    word: translateName(translate, each),
    isCurrent: each === stateOf(context),
  }));
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns: columns(context) });
  const content =
    nodes.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('activity', translate('noSuspense'));
  return section(
    'suspense',
    caption,
    html`<div class="in-x">${segments(caption, views)}</div>${pageOf(context, nodes.length, totalCount, content)}<div class="row in-x">${pager(context, pageInfo, nodes.length, totalCount)}</div>`,
    translate('suspenseWhy'),
  );
}

function stateOf(context: ScreenContext): (typeof STATES)[number] {
  return chosen(context, 'state', STATES) ?? 'OPEN';
}

function columns(context: ScreenContext): readonly Column<Entry>[] {
  const { translate, language } = context;
  return [
    { name: translate('opened'), cell: ({ openedAt }) => ago(openedAt, language) },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ amount, currency }) => money({ amount, currency }, language),
    },
    { name: translate('reason'), cell: ({ reason }) => translateName(translate, reason) },
    { name: translate('reference'), style: 'mono wide', cell: ({ end2end }) => end2end },
    {
      name: translate('status'),
      cell: ({ state, isStuck, proposedTo, proposedBy, proposedByName }) =>
        html`${isStuck ? badge('bad', translate('returnFailed')) : badge(state === 'OPEN' ? 'warn' : 'good', translateName(translate, state))}${proposedTo && html`<br>${translate('proposedTo', { account: proposedTo, who: proposedByName ?? proposedBy ?? '' })}`}`,
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (entry) => suspenseActions(context, entry),
    },
  ];
}

type Hold = NonNullable<OperatorQuery['holds']>[number];

function holdList(context: ScreenContext, holds: readonly Hold[]): Html {
  const { translate, language } = context;
  const columns: readonly Column<Hold>[] = [
    {
      name: translate('payerOrPayee'),
      isRowHead: true,
      cell: ({ transaction }) => transaction.clientName ?? translate('unknown'),
    },
    { name: translate('heldSince'), cell: ({ heldSince }) => ago(heldSince, language) },
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
      cell: ({ account, transaction }) => decideLink(context, 'HOLD', account, transaction),
    },
  ];
  const caption = translate('holds');
  const shown = table({ caption, isCaptionUnseen: true, rows: holds, columns });
  const content =
    holds.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('held', translate('noHolds'));
  return section('holds', caption, content);
}

/**
 * Work that waits for the operator: holds, step-ups, failed returns, debts to the house, money in suspense; and the
 * actions on each.
 */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { OperatorQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { ago, money } from '../parts/figures.ts';
import { disclosedForm, field, type PresetValues } from '../parts/form.ts';
import { chosen, NO_PAGE, pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { positionList } from '../parts/positions.ts';
import { receivableList, receivablesVariables, refundList } from '../parts/receivables.ts';
import { stepUpList } from '../parts/step-ups.ts';
import { suspenseActions } from '../parts/suspense-actions.ts';
import { effectList, releaseMeaning } from '../parts/transaction-actions.ts';
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
      cell: ({ state, isStuck, proposedTo, proposedBy }) =>
        html`${isStuck ? badge('bad', translate('returnFailed')) : badge(state === 'OPEN' ? 'warn' : 'good', translateName(translate, state))}${proposedTo && html`<br>${translate('proposedTo', { account: proposedTo, who: proposedBy ?? '' })}`}`,
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (entry) => suspenseActions(context, entry),
    },
  ];
}

type Hold = NonNullable<OperatorQuery['holds']>[number];

/** The required reason for releasing frozen money; null for other holds. */
function releaseReason(
  context: ScreenContext,
  { arguments: accepted }: Hold['transaction']['release'][number],
  preset: PresetValues,
): Html | null {
  const reason = accepted.find(({ name }) => name === 'reason');
  if (!reason) return null;
  const label = context.translate('decisionReason');
  return field(context, 'ReleaseHold', { name: 'reason', label, isRequired: reason.isRequired }, preset);
}

function holdList(context: ScreenContext, holds: readonly Hold[]): Html {
  const { translate, language } = context;
  const decide = ({ account, transaction: { end2end, release: releases, reject: rejects } }: Hold) => {
    const preset = { account, end2end };
    const [release] = releases;
    const [reject] = rejects;
    const releasing = release && {
      open: translate('release'),
      what: translate(releaseMeaning(release) ?? 'releaseWhat'),
      button: translate('releaseYes'),
      fields: html`${effectList(context, release)}${releaseReason(context, release, preset)}`,
    };
    const rejecting = reject && {
      open: translate('rejectHold'),
      what: translate('rejectHoldWhat'),
      button: translate('rejectHoldYes'),
      fields: effectList(context, reject),
    };
    return html`<div class="row">${releasing && disclosedForm(context, { action: 'ReleaseHold', preset, ...releasing })}${rejecting && disclosedForm(context, { action: 'RejectHold', preset, ...rejecting, kind: 'danger' })}</div>`;
  };
  const columns: readonly Column<Hold>[] = [
    { name: translate('heldSince'), cell: ({ heldSince }) => ago(heldSince, language) },
    { name: translate('account'), cell: ({ account }) => account },
    { name: translate('payerOrPayee'), style: 'wide', cell: ({ transaction }) => transaction.clientName },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ transaction: { source } }) => source && money(source, language),
    },
    { name: translate('reference'), style: 'mono wide', cell: ({ transaction: { end2end } }) => end2end },
    { name: unseen(translate('actsHere')), isActions: true, cell: decide },
  ];
  const caption = translate('holds');
  const shown = table({ caption, isCaptionUnseen: true, rows: holds, columns });
  const content =
    holds.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('held', translate('noHolds'));
  return section('holds', caption, content);
}

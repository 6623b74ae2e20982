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
import { askedForm, field, type Given } from '../parts/form.ts';
import { chosen, NO_PAGE, pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { owedVariables, receivableList, refundList } from '../parts/owed.ts';
import { positionList } from '../parts/positions.ts';
import { stepUpList } from '../parts/step-ups.ts';
import { suspenseActs } from '../parts/suspense-acts.ts';
import { effectList, releaseMeaning } from '../parts/transaction-acts.ts';
import { sayNamed } from '../words.ts';

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
    ...owedVariables(context),
    ...pageVariables(context),
  }),
  view: ({ suspense, holds, stepUps, openRefunds, receivables, positions }, context) => {
    const { say } = context;
    const main = html`<div class="top"><h1>${say('operator')}</h1></div>
${holds && holdList(context, holds)}${stepUps && stepUpList(context, stepUps)}${openRefunds && refundList(context, openRefunds)}${receivables && receivableList(context, receivables)}${positions && positionList(context, positions)}${suspense && suspenseList(context, suspense)}`;
    return { title: say('operator'), main };
  },
});

function suspenseList(context: ScreenContext, { nodes, pageInfo, totalCount }: Suspense): Html {
  const { say } = context;
  const caption = say('suspense');
  const views = STATES.map((each) => ({
    href: sameWith(context, { ...NO_PAGE, state: each }),
    word: sayNamed(say, each),
    isCurrent: each === stateOf(context),
  }));
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns: columns(context) });
  const content =
    nodes.length > 0
      ? scrolled(say('tableOf', { name: caption }), shown)
      : empty('activity', say('noSuspense'));
  return section(
    'suspense',
    caption,
    html`<div class="in-x">${segments(caption, views)}</div>${pageOf(context, nodes.length, totalCount, content)}<div class="row in-x">${pager(context, pageInfo, nodes.length, totalCount)}</div>`,
    say('suspenseWhy'),
  );
}

function stateOf(context: ScreenContext): (typeof STATES)[number] {
  return chosen(context, 'state', STATES) ?? 'OPEN';
}

function columns(context: ScreenContext): readonly Column<Entry>[] {
  const { say, language } = context;
  return [
    { name: say('opened'), cell: ({ openedAt }) => ago(openedAt, language) },
    {
      name: say('amount'),
      isFigure: true,
      cell: ({ amount, currency }) => money({ amount, currency }, language),
    },
    { name: say('reason'), cell: ({ reason }) => sayNamed(say, reason) },
    { name: say('reference'), look: 'mono wide', cell: ({ end2end }) => end2end },
    {
      name: say('status'),
      cell: ({ state, isStuck, proposedTo, proposedBy }) =>
        html`${isStuck ? badge('bad', say('returnFailed')) : badge(state === 'OPEN' ? 'warn' : 'good', sayNamed(say, state))}${proposedTo && html`<br>${say('proposedTo', { account: proposedTo, who: proposedBy ?? '' })}`}`,
    },
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: (entry) => suspenseActs(context, entry),
    },
  ];
}

type Hold = NonNullable<OperatorQuery['holds']>[number];

/** The reason that the release of frozen money takes; null for other holds. */
function releaseReason(
  context: ScreenContext,
  { arguments: taken }: Hold['transaction']['release'][number],
  given: Given,
): Html | null {
  const reason = taken.find(({ name }) => name === 'reason');
  if (!reason) return null;
  const label = context.say('decisionReason');
  return field(context, 'ReleaseHold', { name: 'reason', label, isRequired: reason.isRequired }, given);
}

function holdList(context: ScreenContext, holds: readonly Hold[]): Html {
  const { say, language } = context;
  const decide = ({ account, transaction: { end2end, release: releases, reject: rejects } }: Hold) => {
    const given = { account, end2end };
    const [release] = releases;
    const [reject] = rejects;
    const releasing = release && {
      open: say('release'),
      what: say(releaseMeaning(release) ?? 'releaseWhat'),
      button: say('releaseYes'),
      fields: html`${effectList(context, release)}${releaseReason(context, release, given)}`,
    };
    const rejecting = reject && {
      open: say('rejectHold'),
      what: say('rejectHoldWhat'),
      button: say('rejectHoldYes'),
      fields: effectList(context, reject),
    };
    return html`<div class="row">${releasing && askedForm(context, { act: 'ReleaseHold', given, ...releasing })}${rejecting && askedForm(context, { act: 'RejectHold', given, ...rejecting, kind: 'danger' })}</div>`;
  };
  const columns: readonly Column<Hold>[] = [
    { name: say('heldSince'), cell: ({ heldSince }) => ago(heldSince, language) },
    { name: say('account'), cell: ({ account }) => account },
    { name: say('payerOrPayee'), look: 'wide', cell: ({ transaction }) => transaction.clientName },
    {
      name: say('amount'),
      isFigure: true,
      cell: ({ transaction: { source } }) => source && money(source, language),
    },
    { name: say('reference'), look: 'mono wide', cell: ({ transaction: { end2end } }) => end2end },
    { name: unseen(say('actsHere')), isActs: true, cell: decide },
  ];
  const caption = say('holds');
  const shown = table({ caption, isCaptionUnseen: true, rows: holds, columns });
  const content =
    holds.length > 0 ? scrolled(say('tableOf', { name: caption }), shown) : empty('held', say('noHolds'));
  return section('holds', caption, content);
}

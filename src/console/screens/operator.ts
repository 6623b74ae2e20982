/** What waits for the operator: holds, returns that failed, debts to the house, money in suspense; and what to do with each. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, segments } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { type Desk, may, sameWith, screenOf } from '../desk.ts';
import type { OperatorQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { ago, money } from '../parts/figures.ts';
import { askedForm, field } from '../parts/form.ts';
import { chosen, NO_PAGE, pageOf, pager, pageVariables, section, unseen } from '../parts/lists.ts';
import { receivableList, refundList } from '../parts/owed.ts';
import { positionList } from '../parts/positions.ts';
import { sayNamed } from '../words.ts';

type Suspense = NonNullable<OperatorQuery['suspense']>;
type Entry = Suspense['nodes'][number];
const STATES = ['OPEN', 'ASSIGNED', 'RETURNING', 'RETURNED', 'DROPPED'] as const;

/** The screen. */
export const OPERATOR = screenOf<OperatorQuery>({
  path: '/operator',
  operation: operationNamed('Operator'),
  scope: ['platform:risk', 'platform:books'],
  variables: (desk) => ({
    state: stateOf(desk),
    hasBooks: may(desk, 'platform:books'),
    hasRisk: may(desk, 'platform:risk'),
    ...pageVariables(desk),
  }),
  view: ({ suspense, holds, openRefunds, receivables, positions }, desk) => {
    const { say } = desk;
    const main = html`<div class="top"><h1>${say('operator')}</h1></div>
${holds && holdList(desk, holds)}${openRefunds && refundList(desk, openRefunds)}${receivables && receivableList(desk, receivables.nodes)}${positions && positionList(desk, positions)}${suspense && suspenseList(desk, suspense)}`;
    return { title: say('operator'), main };
  },
});

function suspenseList(desk: Desk, { nodes, pageInfo, totalCount }: Suspense): Html {
  const { say } = desk;
  const caption = say('suspense');
  const views = STATES.map((each) => ({
    href: sameWith(desk, { ...NO_PAGE, state: each }),
    word: sayNamed(say, each),
    isCurrent: each === stateOf(desk),
  }));
  const shown = table({ caption, isCaptionUnseen: true, rows: nodes, columns: columns(desk) });
  const content =
    nodes.length > 0
      ? scrolled(say('tableOf', { name: caption }), shown)
      : empty('activity', say('noSuspense'));
  return section(
    'suspense',
    caption,
    html`<div class="in-x">${segments(caption, views)}</div>${pageOf(desk, nodes.length, totalCount, content)}<div class="row in-x">${pager(desk, pageInfo, nodes.length, totalCount)}</div>`,
    say('suspenseWhy'),
  );
}

function stateOf(desk: Desk): (typeof STATES)[number] {
  return chosen(desk, 'state', STATES) ?? 'OPEN';
}

function columns(desk: Desk): readonly Column<Entry>[] {
  const { say, language } = desk;
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
      cell: ({ state }) => badge(state === 'OPEN' ? 'warn' : 'good', sayNamed(say, state)),
    },
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: (entry) => entry.state === 'OPEN' && decisions(desk, entry),
    },
  ];
}

function decisions(desk: Desk, { id }: Entry): Html {
  const { say } = desk;
  const given = { id };
  const assign = askedForm(desk, {
    act: 'AssignSuspense',
    given,
    open: say('assign'),
    what: say('assignWhat'),
    button: say('assignYes'),
    fields: field(
      desk,
      'AssignSuspense',
      { name: 'account', label: say('accountNumber'), isRequired: true },
      given,
    ),
  });
  const back = askedForm(desk, {
    act: 'ReturnSuspense',
    given,
    open: say('sendBack'),
    what: say('sendBackWhat'),
    button: say('sendBackYes'),
    kind: 'danger',
  });
  return html`<div class="row">${assign}${back}</div>`;
}

type Hold = NonNullable<OperatorQuery['holds']>[number];

function holdList(desk: Desk, holds: readonly Hold[]): Html {
  const { say, language } = desk;
  const decide = ({ account, transaction: { end2end } }: Hold) => {
    const given = { account, end2end };
    const release = { open: say('release'), what: say('releaseWhat'), button: say('releaseYes') };
    const reject = { open: say('rejectHold'), what: say('rejectHoldWhat'), button: say('rejectHoldYes') };
    return html`<div class="row">${askedForm(desk, { act: 'ReleaseHold', given, ...release })}${askedForm(desk, { act: 'RejectHold', given, ...reject, kind: 'danger' })}</div>`;
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

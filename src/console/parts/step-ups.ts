/** Customers and payees that wait for extra verification, and the decision about each. */
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { OperatorQuery } from '../generated/graphql.ts';
import { ago, money } from './figures.ts';
import { askedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';
import { effectList } from './transaction-acts.ts';

type StepUp = NonNullable<OperatorQuery['stepUps']>[number];

/** @returns the list, with the forms that decide. */
export function stepUpList(context: ScreenContext, rows: readonly StepUp[]): Html {
  const { say, language } = context;
  const columns: readonly Column<StepUp>[] = [
    { name: say('opened'), cell: ({ since }) => ago(since, language) },
    { name: say('account'), cell: ({ account }) => account },
    { name: say('payerOrPayee'), look: 'wide', cell: ({ transaction }) => transaction.clientName },
    {
      name: say('amount'),
      isFigure: true,
      cell: ({ transaction: { source } }) => source && money(source, language),
    },
    { name: say('reference'), look: 'mono wide', cell: ({ transaction: { end2end } }) => end2end },
    { name: unseen(say('actsHere')), isActs: true, cell: (row) => decisions(context, row) },
  ];
  const caption = say('stepUps');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  const content =
    rows.length > 0 ? scrolled(say('tableOf', { name: caption }), shown) : empty('held', say('noStepUps'));
  return section('step-ups', caption, content, say('stepUpsWhy'));
}

function decisions(context: ScreenContext, { account, transaction }: StepUp): Html {
  const { say } = context;
  const { end2end, possibleActions } = transaction;
  const moved = (name: string) => {
    const action = possibleActions.find((each) => each.action === name);
    return action && effectList(context, action);
  };
  const given = { account, end2end };
  const reason = { name: 'reason', label: say('decisionReason'), isRequired: true };
  const approve = askedForm(context, {
    act: 'ApproveStepUp',
    given,
    open: say('approveStepUp'),
    what: say('approveStepUpWhat'),
    button: say('approveStepUpYes'),
    fields: html`${moved('APPROVE_STEP_UP')}${field(context, 'ApproveStepUp', reason, given)}`,
  });
  const deny = askedForm(context, {
    act: 'DenyStepUp',
    given,
    open: say('denyStepUp'),
    what: say('denyStepUpWhat'),
    button: say('denyStepUpYes'),
    fields: html`${moved('DENY_STEP_UP')}${field(context, 'DenyStepUp', reason, given)}`,
    kind: 'danger',
  });
  return html`<div class="row">${approve}${deny}</div>`;
}

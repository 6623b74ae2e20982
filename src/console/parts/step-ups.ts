/** Customers and payees that wait for extra verification, and the decision about each. */
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { OperatorQuery } from '../generated/graphql.ts';
import { ago, money } from './figures.ts';
import { disclosedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';
import { effectList } from './transaction-actions.ts';

type StepUp = NonNullable<OperatorQuery['stepUps']>[number];

/** @returns the list, with the forms that decide. */
export function stepUpList(context: ScreenContext, rows: readonly StepUp[]): Html {
  const { translate, language } = context;
  const columns: readonly Column<StepUp>[] = [
    { name: translate('opened'), cell: ({ since }) => ago(since, language) },
    { name: translate('account'), cell: ({ account }) => account },
    { name: translate('payerOrPayee'), style: 'wide', cell: ({ transaction }) => transaction.clientName },
    {
      name: translate('amount'),
      isFigure: true,
      cell: ({ transaction: { source } }) => source && money(source, language),
    },
    { name: translate('reference'), style: 'mono wide', cell: ({ transaction: { end2end } }) => end2end },
    { name: unseen(translate('actsHere')), isActions: true, cell: (row) => decisions(context, row) },
  ];
  const caption = translate('stepUps');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  const content =
    rows.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('held', translate('noStepUps'));
  return section('step-ups', caption, content, translate('stepUpsWhy'));
}

function decisions(context: ScreenContext, { account, transaction }: StepUp): Html {
  const { translate } = context;
  const { end2end, possibleActions } = transaction;
  const moved = (name: string) => {
    const action = possibleActions.find((each) => each.action === name);
    return action && effectList(context, action);
  };
  const preset = { account, end2end };
  const reason = { name: 'reason', label: translate('decisionReason'), isRequired: true };
  const approve = disclosedForm(context, {
    action: 'ApproveStepUp',
    preset,
    open: translate('approveStepUp'),
    what: translate('approveStepUpWhat'),
    button: translate('approveStepUpYes'),
    fields: html`${moved('APPROVE_STEP_UP')}${field(context, 'ApproveStepUp', reason, preset)}`,
  });
  const deny = disclosedForm(context, {
    action: 'DenyStepUp',
    preset,
    open: translate('denyStepUp'),
    what: translate('denyStepUpWhat'),
    button: translate('denyStepUpYes'),
    fields: html`${moved('DENY_STEP_UP')}${field(context, 'DenyStepUp', reason, preset)}`,
    kind: 'danger',
  });
  return html`<div class="row">${approve}${deny}</div>`;
}

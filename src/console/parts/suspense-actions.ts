/** Actions on money in suspense. */
import { type Html, html } from '../../ui/html.ts';
import type { ScreenContext } from '../context.ts';
import type { SuspenseToDecideFragment as Entry } from '../generated/graphql.ts';
import { isBrl, money } from './figures.ts';
import { disclosedForm, field, reasonField } from './form.ts';
import { secondPersonNote } from './second-person.ts';

/** @returns the forms that decide about an entry; null when it is decided. */
export function suspenseActions(context: ScreenContext, entry: Entry): Html | null {
  if (entry.state === 'OPEN') return decisions(context, entry);
  return entry.isStuck ? returnAgain(context, entry) : null;
}

/** Approving names the account that the person read, so a newer proposal is not approved with it. */
function secondPerson(
  context: ScreenContext,
  { suspenseId: id, amount, currency, secondPersonBar }: Entry,
  account: string,
): Html {
  const { translate, language } = context;
  const waits = secondPersonNote(context, secondPersonBar);
  const approve = disclosedForm(context, {
    action: 'ApproveSuspense',
    preset: { id, account },
    open: translate('approveSuspense'),
    what: translate('approveSuspenseWhat', { amount: money({ amount, currency }, language), account }),
    button: translate('approveSuspenseYes'),
    fields: reasonField(context, 'ApproveSuspense', { id, account }),
  });
  const reject = disclosedForm(context, {
    action: 'RejectSuspense',
    preset: { id },
    open: translate('rejectSuspense'),
    what: translate('rejectSuspenseWhat'),
    button: translate('rejectSuspenseYes'),
    kind: 'danger',
    fields: reasonField(context, 'RejectSuspense', { id }),
  });
  return waits
    ? html`${waits}<div class="row">${reject}</div>`
    : html`<div class="row">${approve}${reject}</div>`;
}

function decisions(context: ScreenContext, entry: Entry): Html {
  const { suspenseId: id, amount, currency, proposedTo, reason } = entry;
  if (proposedTo !== null) return secondPerson(context, entry, proposedTo);
  const { translate, language } = context;
  const sum = money({ amount, currency }, language);
  const preset = { id };
  const assign = disclosedForm(context, {
    action: 'AssignSuspense',
    preset,
    open: translate('assign'),
    what: translate('assignWhat', { amount: sum }),
    button: translate('assignYes'),
    fields: html`${field(
      context,
      'AssignSuspense',
      { name: 'account', label: translate('accountToBook'), isRequired: true },
      preset,
    )}${reasonField(context, 'AssignSuspense', preset)}`,
  });
  // A payout that came back has no sender to return it to.
  const back =
    reason !== 'PAYOUT_RETURNED' &&
    disclosedForm(context, {
      action: 'ReturnSuspense',
      preset,
      open: translate('sendBack'),
      what: translate(isBrl({ amount, currency }) ? 'sendBackWhat' : 'sendBackOnChainWhat', { amount: sum }),
      button: translate('sendBackYes'),
      kind: 'danger',
      fields: reasonField(context, 'ReturnSuspense', preset),
    });
  return html`<div class="row">${assign}${back}</div>`;
}

function returnAgain(context: ScreenContext, { suspenseId: id, amount, currency }: Entry): Html {
  const { translate, language } = context;
  const what = translate('returnAgainWhat', { amount: money({ amount, currency }, language) });
  const form = disclosedForm(context, {
    action: 'ReturnSuspense',
    preset: { id },
    open: translate('returnAgain'),
    what,
    button: translate('returnAgainYes'),
    fields: reasonField(context, 'ReturnSuspense', { id }),
  });
  return html`<div class="row">${form}</div>`;
}

/** Actions on money in suspense. */
import { type Html, html } from '../../ui/html.ts';
import type { ScreenContext } from '../context.ts';
import type { SuspenseToDecideFragment as Entry } from '../generated/graphql.ts';
import { isBrl, money } from './figures.ts';
import { actForm, askedForm, field } from './form.ts';

/** @returns the forms that decide about an entry; null when it is decided. */
export function suspenseActs(context: ScreenContext, entry: Entry): Html | null {
  if (entry.state === 'OPEN') return decisions(context, entry);
  return entry.isStuck ? returnAgain(context, entry) : null;
}

/** Approving names the account that was read: another proposal meanwhile is not approved with it. */
function secondPerson(
  context: ScreenContext,
  { suspenseId: id, amount, currency }: Entry,
  account: string,
): Html {
  const { say, language } = context;
  const approve = askedForm(context, {
    act: 'ApproveSuspense',
    given: { id, account },
    open: say('approveSuspense'),
    what: say('approveSuspenseWhat', { amount: money({ amount, currency }, language), account }),
    button: say('approveSuspenseYes'),
  });
  const reject = actForm(context, {
    act: 'RejectSuspense',
    given: { id },
    button: say('rejectSuspense'),
    kind: 'pill',
  });
  return html`<div class="row">${approve}${reject}</div>`;
}

function decisions(context: ScreenContext, entry: Entry): Html {
  const { suspenseId: id, amount, currency, proposedTo, reason } = entry;
  if (proposedTo !== null) return secondPerson(context, entry, proposedTo);
  const { say, language } = context;
  const sum = money({ amount, currency }, language);
  const given = { id };
  const assign = askedForm(context, {
    act: 'AssignSuspense',
    given,
    open: say('assign'),
    what: say('assignWhat', { amount: sum }),
    button: say('assignYes'),
    fields: field(
      context,
      'AssignSuspense',
      { name: 'account', label: say('accountNumber'), isRequired: true },
      given,
    ),
  });
  // A payout that came back has no sender to go back to.
  const back =
    reason !== 'PAYOUT_RETURNED' &&
    askedForm(context, {
      act: 'ReturnSuspense',
      given,
      open: say('sendBack'),
      what: say(isBrl({ amount, currency }) ? 'sendBackWhat' : 'sendBackOnChainWhat', { amount: sum }),
      button: say('sendBackYes'),
      kind: 'danger',
    });
  return html`<div class="row">${assign}${back}</div>`;
}

function returnAgain(context: ScreenContext, { suspenseId: id, amount, currency }: Entry): Html {
  const { say, language } = context;
  const what = say('returnAgainWhat', { amount: money({ amount, currency }, language) });
  const [open, button] = [say('returnAgain'), say('returnAgainYes')];
  return html`<div class="row">${askedForm(context, { act: 'ReturnSuspense', given: { id }, open, what, button })}</div>`;
}

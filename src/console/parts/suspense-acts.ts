/** What can be done with money in suspense. */
import { type Html, html } from '../../ui/html.ts';
import type { ScreenContext } from '../context.ts';
import type { SuspenseToDecideFragment as Entry } from '../generated/graphql.ts';
import { actForm, askedForm, field } from './form.ts';

/** @returns the forms that decide about an entry; nothing where it is decided. */
export function suspenseActs(context: ScreenContext, entry: Entry): Html | null {
  if (entry.state === 'OPEN') return decisions(context, entry);
  return entry.isStuck ? returnAgain(context, entry) : null;
}

/** Approving names the account that was read: another proposal meanwhile is not approved with it. */
function secondPerson(context: ScreenContext, id: string, account: string): Html {
  const { say } = context;
  const approve = askedForm(context, {
    act: 'ApproveSuspense',
    given: { id, account },
    open: say('approveSuspense'),
    what: say('approveSuspenseWhat', { account }),
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

function decisions(context: ScreenContext, { id, proposedTo, reason }: Entry): Html {
  if (proposedTo !== null) return secondPerson(context, id, proposedTo);
  const { say } = context;
  const given = { id };
  const assign = askedForm(context, {
    act: 'AssignSuspense',
    given,
    open: say('assign'),
    what: say('assignWhat'),
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
      what: say('sendBackWhat'),
      button: say('sendBackYes'),
      kind: 'danger',
    });
  return html`<div class="row">${assign}${back}</div>`;
}

function returnAgain(context: ScreenContext, { id }: Entry): Html {
  const { say } = context;
  const [open, what, button] = [say('returnAgain'), say('returnAgainWhat'), say('returnAgainYes')];
  return html`<div class="row">${askedForm(context, { act: 'ReturnSuspense', given: { id }, open, what, button })}</div>`;
}

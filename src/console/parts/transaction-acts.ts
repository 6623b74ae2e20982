/** What can be done with a transaction at its present step, and what the sandbox can play on it. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { type Desk, mayDo } from '../desk.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import { actForm, askedForm, field } from './form.ts';

type Found = NonNullable<TransactionQuery['transaction']>;

/** Steps at which money has come in, so that nobody can cancel any more. */
const HAS_MONEY = /^(PAID|UNDERPAID|OVERPAID|LATE|DETECTED|DROPPED|UNCOMPLIANT)$/;
/** Kinds that are paid by PIX. */
const PAID_BY_PIX = ['CrossrampCheckout', 'Onramp', 'OnrampInstant'];

/** @returns the forms of what can be done now; the server refuses what somebody made impossible meanwhile. */
export function actsNow(desk: Desk, found: Found): Html | null {
  const { say } = desk;
  const { end2end, component, state } = found;
  const given = { end2end };
  const isOpen = found.status.en === 'Created' || found.status.en === 'Pending';
  const waitsForApproval = component.startsWith('approval') && state === 'PENDING';
  const forms = [
    component === 'quote' &&
      state === 'QUOTE' &&
      actForm(desk, { act: 'AcceptQuote', given, button: say('acceptQuote'), kind: 'primary' }),
    waitsForApproval &&
      actForm(desk, { act: 'ApproveWithdrawal', given, button: say('approve'), kind: 'primary' }),
    waitsForApproval && rejectForm(desk, end2end),
    component === 'success' && PAID_BY_PIX.includes(found.__typename) && refundForm(desk, end2end),
    isOpen && !HAS_MONEY.test(state) && cancelForm(desk, end2end),
  ].filter((form) => form);
  if (forms.length === 0) return null;
  return html`<section class="card in stack tight"><h2>${say('actsHere')}</h2><div class="row">${forms}</div></section>`;
}

/** @returns the form that declines a withdrawal. */
export function rejectForm(desk: Desk, end2end: string): Html | null {
  const { say } = desk;
  return askedForm(desk, {
    act: 'RejectWithdrawal',
    given: { end2end },
    open: say('reject'),
    what: say('rejectWhat'),
    button: say('rejectYes'),
    kind: 'danger',
  });
}

function cancelForm(desk: Desk, end2end: string): Html | null {
  const { say } = desk;
  return askedForm(desk, {
    act: 'CancelTransaction',
    given: { end2end },
    open: say('cancel'),
    what: say('cancelWhat'),
    button: say('cancelYes'),
    kind: 'danger',
  });
}

function refundForm(desk: Desk, end2end: string): Html | null {
  const { say } = desk;
  return askedForm(desk, {
    act: 'RefundPayment',
    given: { end2end },
    open: say('refund'),
    what: say('refundWhat'),
    button: say('refundYes'),
    kind: 'danger',
    fields: field(desk, 'RefundPayment', {
      name: 'amount',
      label: say('refundAmount'),
      inputmode: 'decimal',
    }),
  });
}

/** @returns what the sandbox can play on a transaction; nothing for live accounts. */
export function scenarios(
  desk: Desk,
  { end2end }: Found,
  all: NonNullable<TransactionQuery['sandboxScenarios']>,
): Html | null {
  const { say } = desk;
  if (all.length === 0 || !mayDo(desk, 'sandboxTrigger')) return null;
  const options = all.map(({ name, doc }) => [name, `${name.toLowerCase()}: ${doc}`] as const);
  const fields = field(desk, 'SandboxTrigger', { name: 'scenario', label: say('scenario'), options });
  return html`<section class="card in stack tight"><h2 class="row">${icon('flask')} ${say('playSandbox')}</h2>${actForm(desk, { act: 'SandboxTrigger', given: { end2end }, button: say('play'), fields })}</section>`;
}

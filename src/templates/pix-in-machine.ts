/** The machine of the templates that begin with a PIX payment, up to the conversion. */

import { known } from '../base/errors/assert.ts';
import { cellOf } from '../base/ids/cell.ts';
import { type StepName, stepNameOf } from '../base/ids/step-name.ts';
import { fromMinor } from '../base/money/money.ts';
import { txidOf } from '../base/pix/end-to-end-id.ts';
import { namedTaxId } from '../base/pix/tax-id.ts';
import { isSameName } from '../base/text/same-name.ts';
import * as journals from '../ledger/journals.ts';
import type { Journal } from '../ledger/posting.ts';
import { acceptance, admitOnce, isAdmitted, overLimit, unpaidExpiry, withinLimit } from './admission.ts';
import { cents, conversionIn } from './amounts.ts';
import type { Step } from './define.ts';
import { disputeTransitions } from './dispute-machine.ts';
import type { EffectName } from './effects.ts';
import type { ProcessRow } from './facts.ts';
import { firstRelease, freeze, freezeFrom, isNotFrozen, mayRelease, reviewed, thaw } from './freezing.ts';
import { expiry, isImpossible, isTooLate } from './lateness.ts';
import { medTransitions } from './med-machine.ts';
import { returnPayment, returnTransitions } from './pix-return-machine.ts';
import { REFUND_DISPUTE_TRANSITIONS } from './refund-dispute-machine.ts';
import { withReturn } from './returns.ts';
import { type Change, type Entering, type Transition, type View, when } from './transition.ts';

/** Component names that differ between the templates. */
export interface PixInComponents {
  readonly identity: string;
  readonly deposit: string;
  readonly swap: string;
}

type Payment = View<'pix_received'>;

/** @returns the transitions up to the conversion. */
export function pixInTransitions(names: PixInComponents): readonly Transition[] {
  return [
    ...quoteTransitions(names),
    ...identityTransitions(names),
    ...chargeTransitions(names),
    ...paymentTransitions(names),
    ...swapTransitions(names),
    ...freezingTransitions(names),
  ].map(atPossibleTime);
}

/** No step accepts a payment of an impossible time: its money goes to suspense (C-36). */
function atPossibleTime(transition: Transition): Transition {
  if (transition.on !== 'pix_received') return transition;
  const isAccepted = (view: View) => {
    const { settledAt } = (view as Payment).trigger;
    return !isImpossible(view, settledAt) && transition.when?.(view) !== false;
  };
  return { ...transition, when: isAccepted };
}

/** Steps after the final conversion of a payment: it may be disputed or refunded, as long as some of it is left. */
const FINISHED: readonly StepName[] = [
  'success/DONE',
  'partial_success/DONE',
  'dispute/REJECTED',
  'dispute/ACCEPTED',
];

/**
 * @param steps - all steps of the template.
 * @returns the transitions after a payment: refunds to the payer, and disputes.
 */
export function paidTransitions(steps: readonly Step[]): readonly Transition[] {
  const all = steps.map(({ component, state }): StepName => `${component}/${state}`);
  const finished = all.filter((name) => FINISHED.includes(name));
  return [
    ...REFUND_DISPUTE_TRANSITIONS,
    ...returnTransitions(finished, all),
    ...disputeTransitions(finished, all),
    ...medTransitions(all),
  ];
}

/** @returns the effects of reaching these steps. */
export function pixInEntering({ identity, deposit, swap }: PixInComponents): Entering {
  const entering: { [name: string]: readonly EffectName[] } = {
    'quote/QUOTE': ['expire'],
    [`${identity}/INITIAL`]: ['check_identity'],
    [`${identity}/PENDING`]: ['deny_step_up'],
    [`${identity}/REVIEW`]: ['deny_step_up'],
    [`${deposit}/QRCODE`]: ['expire_payable'],
    [`${deposit}/PAID`]: ['screen'],
    [`${deposit}/OVERPAID`]: ['order_returns', 'screen'],
    [`${deposit}/UNDERPAID`]: ['return_payment'],
    [`${deposit}/LATE`]: ['return_payment'],
    [`${deposit}/DIVERGENT`]: ['return_payment'],
    [`${swap}/INITIAL`]: ['swap'],
    [`${swap}/ERROR`]: ['return_payment'],
    'refund/INITIAL': ['order_returns'],
  };
  // The compiler does not treat composed names as literals; `defineTemplate` checks them.
  return entering as Entering;
}

const isPaid = ({ process }: View) => process.paid !== undefined;
const isUnpaid = (view: View) => !isPaid(view);
const isHeldStill = ({ process }: View) => process.isTurnedDown !== true;

/**
 * The gateway chooses the txid before the charge is ordered, so a payment finds its transaction even if the answer to
 * the order is lost. The txid carries the cell of the session. The txid has an index: a later step would write it
 * again, together with all others of its row.
 */
export function nameCharge({ row }: View): Change {
  return { process: { txid: txidOf(row.end2end, cellOf(row.process?.session ?? '')) } };
}

function quoteTransitions({ identity }: PixInComponents): Transition[] {
  const collecting: StepName[] = ['pre_kyc/INFO', 'pre_kyc/CONFIRM'];
  return [
    when('quote_failed', 'start', 'quote/ERROR'),
    when('created', 'start', 'quote/QUOTE', {
      when: ({ row }) => row.sourceAmount !== null,
      set: nameCharge,
    }),
    when('accepted', 'quote/QUOTE', 'quote/ACCEPTED', acceptance),
    when('reached', 'quote/QUOTE', 'quote/ACCEPTED', { when: ({ process }) => process.isAccepted === true }),
    when('reached', 'quote/ACCEPTED', 'pre_kyc/INFO', { when: ({ row }) => row.clientTaxId === null }),
    when('reached', 'quote/ACCEPTED', `${identity}/INITIAL`),
    when('identity_given', 'pre_kyc/INFO', 'pre_kyc/CONFIRM', { set: noteIdentity }),
    when('identity_given', 'pre_kyc/CONFIRM', 'stay', {
      set: ({ trigger: { clientName, clientTaxId } }) => ({
        process: { correction: { clientName, clientTaxId } },
      }),
    }),
    when('identity_confirmed', 'pre_kyc/CONFIRM', `${identity}/INITIAL`, {
      // A body changes only with its step (C-9), so corrected names are published now.
      set: ({ process }) => ({ facts: { ...process.correction } }),
    }),
    when('limit_exceeded', collecting, 'pre_kyc/LIMIT'),
    when('expired', ['quote/QUOTE', 'quote/ACCEPTED', ...collecting], 'quote/EXPIRED', unpaidExpiry),
    when('cancelled', ['quote/QUOTE', 'quote/ACCEPTED', ...collecting], 'quote/CANCELLED'),
  ];
}

function identityTransitions({ identity, deposit, swap }: PixInComponents): Transition[] {
  const initial: StepName = `${identity}/INITIAL`;
  const pending: StepName = `${identity}/PENDING`;
  const review: StepName = `${identity}/REVIEW`;
  const undecided: StepName[] = [initial, pending, review];
  // Orders of versions in which the creation did not name it are named here.
  const admitted = {
    when: admitOnce.when,
    set: (view: View) => ({ process: { ...admitOnce.set().process, ...nameCharge(view).process } }),
    effects: ['create_charge'],
  } as const;
  return [
    // Later steps apply if the customer's case was decided: no volume of the customer required extra verification.
    when('identity_passed', undecided, 'stay', admitted),
    when('identity_irregular', initial, `${identity}/IRREGULAR`),
    when('step_up_required', [initial, `${deposit}/PAID`, `${deposit}/OVERPAID`], pending),
    when('review_required', [initial, pending], review),
    when('step_up_approved', [pending, review], `${swap}/INITIAL`, { when: isPaid, post: convert }),
    when('step_up_approved', [pending, review], 'stay', {
      ...admitted,
      set: (view) => ({
        process: { ...admitted.set(view).process, ...(stepNameOf(view.row) === review && reviewed(view)) },
      }),
    }),
    when('step_up_denied', [pending, review], `${identity}/DENIED`, {
      // An approved customer waits here for the charge: the decision is made.
      when: (view) => isUnpaid(view) && !isAdmitted(view),
    }),
    when('step_up_denied', [pending, review], `${identity}/DENIED`, {
      when: isPaid,
      effects: ['return_payment'],
    }),
    when('identity_revoked', undecided, `${identity}/DENIED`, { when: isUnpaid }),
    when('identity_revoked', `${deposit}/QRCODE`, `${identity}/DENIED`, { effects: ['cancel_charge'] }),
    when(
      'identity_revoked',
      [pending, review, `${deposit}/PAID`, `${deposit}/OVERPAID`],
      `${identity}/DENIED`,
      {
        when: isPaid,
        effects: ['return_payment'],
      },
    ),
    when('refund_requested', `${identity}/DENIED`, 'refund/INITIAL', {
      moneyOut: 'fixed',
      when: isPaid,
      set: returnPayment,
    }),
    when('charge_created', undecided, `${deposit}/QRCODE`, {
      when: (view) => isUnpaid(view) && isAdmitted(view),
      set: ({ trigger: { txid, brCode }, nowMs }) => ({
        process: { txid, brCode, chargedAt: new Date(nowMs).toISOString() },
      }),
    }),
    // The charge was paid before it was reported, which proves that it exists.
    when('pix_received', undecided, `${deposit}/QRCODE`, {
      when: (view) => isUnpaid(view) && isAdmitted(view),
      again: true,
    }),
    // A charge ordered before the end of the session and created after it, which can no longer be paid.
    when('charge_created', ['quote/CANCELLED', `${identity}/DENIED`], 'stay', {
      parallel: true,
      when: isUnpaid,
      effects: ['cancel_charge'],
    }),
    when('charge_failed', undecided, `${deposit}/ERROR`, { when: isUnpaid }),
    when('cancelled', undecided, 'quote/CANCELLED', { when: isUnpaid }),
  ];
}

function chargeTransitions({ deposit }: PixInComponents): Transition[] {
  const charge: StepName = `${deposit}/QRCODE`;
  return [
    when('expired', charge, `${deposit}/EXPIRED`, expiry),
    when('charge_failed', charge, `${deposit}/ERROR`),
    when('cancelled', charge, 'quote/CANCELLED', { effects: ['cancel_charge'] }),
  ];
}

function paymentTransitions({ deposit }: PixInComponents): Transition[] {
  const charge: StepName = `${deposit}/QRCODE`;
  const ended: StepName = `${deposit}/EXPIRED`;
  const payable: StepName[] = [charge, ended];
  const received = { set: notePayment, post: paymentReceived } as const;
  return [
    // A payment that settled in time counts even if it is reported late (C-32).
    when('pix_received', charge, ended, { when: isLate, again: true }),
    when('pix_received', ended, `${deposit}/LATE`, { ...received, when: isLate }),
    when('pix_received', payable, `${deposit}/DIVERGENT`, { ...received, when: isDivergent }),
    when('pix_received', payable, `${deposit}/UNDERPAID`, {
      ...received,
      when: (view) => excessOf(view) < 0n,
    }),
    when('pix_received', payable, `${deposit}/OVERPAID`, {
      setsPrice: true,
      moneyOut: 'fixed',
      when: (view) => excessOf(view) > 0n,
      set: noteOverpayment,
      post: paymentReceived,
    }),
    when('pix_received', payable, `${deposit}/PAID`, {
      ...received,
      setsPrice: true,
      set: noteFullPayment,
    }),
    when(
      'refund_requested',
      [`${deposit}/UNDERPAID`, `${deposit}/LATE`, `${deposit}/DIVERGENT`],
      'refund/INITIAL',
      { moneyOut: 'fixed', set: returnPayment },
    ),
  ];
}

function swapTransitions({ deposit, swap }: PixInComponents): Transition[] {
  const paid: StepName[] = [`${deposit}/PAID`, `${deposit}/OVERPAID`];
  return [
    when('cleared', paid, `${swap}/INITIAL`, { post: convert }),
    when('held', paid, 'compliance/UNCOMPLIANT'),
    when('limit_exceeded', paid, 'compliance/UNCOMPLIANT', overLimit),
    firstRelease('compliance/UNCOMPLIANT'),
    // Money that was frozen during its refund continues to its payer.
    when('released', 'compliance/UNCOMPLIANT', 'refund/INITIAL', {
      moneyOut: 'fixed',
      when: (view) => isHeldStill(view) && mayRelease(view) && view.process.stoppedAt !== undefined,
      set: (view) => ({ process: { ...returnPayment(view).process, ...thaw(view).process } }),
    }),
    when('released', 'compliance/UNCOMPLIANT', `${swap}/INITIAL`, {
      when: (view) => isHeldStill(view) && mayRelease(view),
      set: (view) => ({ process: { ...withinLimit().process, ...thaw(view).process } }),
      post: convert,
    }),
    when('hold_rejected', 'compliance/UNCOMPLIANT', 'stay', {
      when: (view) => isHeldStill(view) && isNotFrozen(view),
      set: () => ({ process: { isTurnedDown: true } }),
      effects: ['return_payment'],
    }),
    when('swap_failed', `${swap}/INITIAL`, `${swap}/ERROR`, {
      post: ({ row }) => [journals.swapInReversed(conversionIn(row))],
    }),
    when('refund_requested', [`${swap}/ERROR`, 'compliance/UNCOMPLIANT'], 'refund/INITIAL', {
      moneyOut: 'fixed',
      when: isNotFrozen,
      set: returnPayment,
    }),
  ];
}

/** Money of a sanctioned payer stays in place, even if it would otherwise be refunded. */
function freezingTransitions({ identity, deposit, swap }: PixInComponents): Transition[] {
  const goingBack: StepName[] = [
    `${deposit}/UNDERPAID`,
    `${deposit}/LATE`,
    `${deposit}/DIVERGENT`,
    `${swap}/ERROR`,
    `${identity}/DENIED`,
  ];
  return [
    when('frozen', [`${deposit}/PAID`, `${deposit}/OVERPAID`], 'compliance/UNCOMPLIANT', { set: freeze }),
    when('frozen', goingBack, 'compliance/UNCOMPLIANT', { when: isPaid, set: freezeFrom }),
    when('frozen', 'compliance/UNCOMPLIANT', 'stay', {
      set: (view) => ({ process: { ...freezeFrom(view).process, isTurnedDown: false } }),
    }),
  ];
}

function isLate(view: Payment): boolean {
  return isTooLate(view, view.trigger.settledAt);
}

/** If the rail does not name the payer, the match with the customer cannot be checked. */
function isDivergent({ row: { clientTaxId }, trigger }: Payment): boolean {
  const payer = namedTaxId(trigger.payerTaxId, clientTaxId);
  return payer !== null && payer !== clientTaxId;
}

function excessOf({ row, trigger }: Payment): bigint {
  return cents(trigger.amount) - cents(row.sourceAmount);
}

function noteIdentity({ trigger: { clientName, clientTaxId } }: View<'identity_given'>) {
  return { facts: { clientName, clientTaxId } };
}

function notePayment({ row, trigger }: Payment) {
  const { payerName } = trigger;
  const payerTaxId = namedTaxId(trigger.payerTaxId, row.clientTaxId);
  return {
    facts: { pixE2e: trigger.endToEndId },
    process: {
      paid: trigger.amount,
      payerTaxId,
      ...(payerName && !isSameName(payerName, row.clientName) && { payerName }),
      paidAt: trigger.settledAt,
    },
  };
}

/** A payment that is converted; after the lock, at the price of its arrival. */
function noteFullPayment(view: Payment) {
  const { facts, process } = notePayment(view);
  return { facts: { ...facts, ...view.trigger.price }, process };
}

function noteOverpayment(view: Payment) {
  const { facts, process } = noteFullPayment(view);
  const excess = fromMinor(excessOf(view), 2);
  return {
    facts,
    process: {
      ...process,
      paid: known(view.row.sourceAmount, 'a price'),
      excess,
      returns: withReturn(view, { kind: 'excess', amount: excess }),
    },
  };
}

function paymentReceived({ trigger }: Payment): Journal[] {
  return [journals.pixPaid(cents(trigger.amount))];
}

function convert({ row }: { row: ProcessRow }): Journal[] {
  return [journals.swapIn(conversionIn(row))];
}

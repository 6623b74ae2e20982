/** The machine of the templates that begin with a PIX payment, up to the conversion; and what may follow it. */
import { currencyOf } from '../base/currency.ts';
import { fromMinor } from '../base/money.ts';
import * as journals from '../ledger/journals.ts';
import type { Journal } from '../ledger/posting.ts';
import { acceptance, admitOnce, isAdmitted, overLimit, unpaidExpiry, withinLimit } from './admission.ts';
import { cents, conversionIn, known } from './amounts.ts';
import type { EffectName } from './effects.ts';
import type { ProcessRow } from './facts.ts';
import { expiry, isDisputable, isTooLate } from './lateness.ts';
import { type Entering, type StepName, type Transition, type View, when } from './transition.ts';

/** Component names that differ between the templates. */
export interface PixInComponents {
  readonly identity: string;
  readonly deposit: string;
  readonly swap: string;
}

type Payment = View<'pix_received'>;

/** @returns the transitions up to the conversion, those of refunds and of disputes. */
export function pixInTransitions(names: PixInComponents): readonly Transition[] {
  return [
    ...quoteTransitions(names),
    ...identityTransitions(names),
    ...chargeTransitions(names),
    ...paymentTransitions(names),
    ...swapTransitions(names),
    ...REFUND_TRANSITIONS,
    ...DISPUTE_TRANSITIONS,
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
    [`${deposit}/OVERPAID`]: ['return_excess', 'screen'],
    [`${deposit}/UNDERPAID`]: ['return_payment'],
    [`${deposit}/LATE`]: ['return_payment'],
    [`${deposit}/DIVERGENT`]: ['return_payment'],
    [`${swap}/INITIAL`]: ['swap'],
    [`${swap}/ERROR`]: ['return_payment'],
  };
  // Names that are put together are no literals to the compiler; `defineTemplate` checks them.
  return entering as Entering;
}

const isPaid = ({ process }: View) => process.paid !== undefined;
const isUnpaid = (view: View) => !isPaid(view);
const isHeldStill = ({ process }: View) => process.isTurnedDown !== true;

function quoteTransitions({ identity }: PixInComponents): Transition[] {
  const collecting: StepName[] = ['pre_kyc/INFO', 'pre_kyc/CONFIRM'];
  return [
    when('quote_failed', 'start', 'quote/ERROR'),
    when('created', 'start', 'quote/QUOTE', { when: ({ row }) => row.sourceAmount !== null }),
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
      // A body changes with its step only (C-9): who was named again is published now.
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
  const admitted = { ...admitOnce, effects: ['create_charge'] } as const;
  return [
    when('identity_passed', initial, 'stay', admitted),
    when('identity_irregular', initial, `${identity}/IRREGULAR`),
    when('step_up_required', [initial, `${deposit}/PAID`, `${deposit}/OVERPAID`], pending),
    when('review_required', [initial, pending], review),
    when('step_up_approved', [pending, review], `${swap}/INITIAL`, { when: isPaid, post: convert }),
    when('step_up_approved', [pending, review], 'stay', admitted),
    when('step_up_denied', [pending, review], `${identity}/DENIED`, { when: isUnpaid }),
    when('step_up_denied', [pending, review], `${identity}/DENIED`, { effects: ['return_payment'] }),
    when('refund_requested', `${identity}/DENIED`, 'refund/INITIAL', { when: isPaid }),
    when('charge_created', undecided, `${deposit}/QRCODE`, {
      when: (view) => isUnpaid(view) && isAdmitted(view),
      set: ({ trigger: { txid, brCode } }) => ({ process: { txid, brCode } }),
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
    // A payment that settled in time counts also when it is heard of late (C-32).
    when('pix_received', charge, ended, { when: isLate, again: true }),
    when('pix_received', ended, `${deposit}/LATE`, { ...received, when: isLate }),
    when('pix_received', payable, `${deposit}/DIVERGENT`, { ...received, when: isDivergent }),
    when('pix_received', payable, `${deposit}/UNDERPAID`, {
      ...received,
      when: (view) => excessOf(view) < 0n,
    }),
    when('pix_received', payable, `${deposit}/OVERPAID`, {
      takesPrice: true,
      when: (view) => excessOf(view) > 0n,
      set: noteOverpayment,
      post: ({ trigger, process }) => [
        journals.pixPaid(cents(trigger.amount)),
        journals.excessReturned(cents(process.excess)),
      ],
    }),
    when('pix_received', payable, `${deposit}/PAID`, {
      ...received,
      takesPrice: true,
      set: noteFullPayment,
    }),
    when(
      'refund_requested',
      [`${deposit}/UNDERPAID`, `${deposit}/LATE`, `${deposit}/DIVERGENT`],
      'refund/INITIAL',
    ),
  ];
}

function swapTransitions({ deposit, swap }: PixInComponents): Transition[] {
  const paid: StepName[] = [`${deposit}/PAID`, `${deposit}/OVERPAID`];
  return [
    when('cleared', paid, `${swap}/INITIAL`, { post: convert }),
    when('held', paid, 'compliance/UNCOMPLIANT'),
    when('limit_exceeded', paid, 'compliance/UNCOMPLIANT', overLimit),
    when('released', 'compliance/UNCOMPLIANT', `${swap}/INITIAL`, {
      when: isHeldStill,
      set: withinLimit,
      post: convert,
    }),
    when('hold_rejected', 'compliance/UNCOMPLIANT', 'stay', {
      when: isHeldStill,
      set: () => ({ process: { isTurnedDown: true } }),
      effects: ['return_payment'],
    }),
    when('swap_failed', `${swap}/INITIAL`, `${swap}/ERROR`, {
      post: ({ row }) => [journals.swapInReversed(conversionIn(row))],
    }),
    when('refund_requested', [`${swap}/ERROR`, 'compliance/UNCOMPLIANT'], 'refund/INITIAL'),
  ];
}

const REFUND_TRANSITIONS: readonly Transition[] = [
  when('refund_settled', 'refund/INITIAL', 'refund/DONE', {
    post: ({ process }) => [journals.pixRefunded(cents(process.paid))],
  }),
  when('refund_failed', 'refund/INITIAL', 'refund/ERROR'),
];

const DISPUTE_TRANSITIONS: readonly Transition[] = [
  when('dispute_opened', 'success/DONE', 'dispute/OPEN', {
    when: isDisputable,
    set: (view) => ({ process: { disputed: coveredBy(view) } }),
    post: ({ row, process }) => {
      const { currency } = conversionIn(row);
      return [journals.holdCredited(currency, BigInt(known(process.disputed, 'what is held')))];
    },
  }),
  when('dispute_accepted', 'dispute/OPEN', 'dispute/ACCEPTED', { post: unwindDisputed }),
  when('dispute_rejected', 'dispute/OPEN', 'dispute/REJECTED', {
    post: ({ row, process }) => {
      const { currency } = conversionIn(row);
      return [journals.releaseHold(currency, BigInt(known(process.disputed, 'what is held')))];
    },
  }),
];

function isLate(view: Payment): boolean {
  return isTooLate(view, view.trigger.settledAt);
}

/** Where the rail does not tell who paid, titularity cannot be judged. */
function isDivergent({ row, trigger }: Payment): boolean {
  return trigger.payerTaxId !== null && trigger.payerTaxId !== row.clientTaxId;
}

function excessOf({ row, trigger }: Payment): bigint {
  return cents(trigger.amount) - cents(row.sourceAmount);
}

function noteIdentity({ trigger: { clientName, clientTaxId } }: View<'identity_given'>) {
  return { facts: { clientName, clientTaxId } };
}

function notePayment({ trigger }: Payment) {
  return {
    facts: { pixE2e: trigger.endToEndId },
    process: { paid: trigger.amount, payerTaxId: trigger.payerTaxId },
  };
}

/** A payment that is converted; after the lock at the price of its arrival. */
function noteFullPayment(view: Payment) {
  const { facts, process } = notePayment(view);
  return {
    facts: { ...facts, ...view.trigger.price },
    process: { ...process, paidAt: view.trigger.settledAt },
  };
}

function noteOverpayment(view: Payment) {
  const { facts, process } = noteFullPayment(view);
  return {
    facts,
    process: {
      ...process,
      paid: known(view.row.sourceAmount, 'a price'),
      excess: fromMinor(excessOf(view), 2),
    },
  };
}

function paymentReceived({ trigger }: Payment): Journal[] {
  return [journals.pixPaid(cents(trigger.amount))];
}

function convert({ row }: { row: ProcessRow }): Journal[] {
  return [journals.swapIn(conversionIn(row))];
}

/** What a dispute can hold: at most what is there (domain.md 3.6: MED returns only what is there). */
function coveredBy({ row, available }: View): string {
  const { crypto, currency } = conversionIn(row);
  const there = available(currency.code);
  return String(there < crypto ? there : crypto);
}

/** The payment goes back whole: out of what is held, and for the rest the account holder owes the house. */
function unwindDisputed({ row, process }: View): Journal[] {
  const whole = conversionIn(row);
  const held = BigInt(known(process.disputed, 'what is held'));
  const covered = {
    ...whole,
    crypto: held,
    brl: (whole.brl * held) / whole.crypto,
    fee: (whole.fee * held) / whole.crypto,
  };
  const rest = {
    ...whole,
    crypto: whole.crypto - held,
    brl: whole.brl - covered.brl,
    fee: whole.fee - covered.fee,
  };
  return [journals.disputeAccepted(covered), journals.disputeAcceptedUncovered(rest)];
}

/** @returns the journal of what the network charged the house, where its coin is in the catalogue. */
export function gasJournals({ trigger: { gas } }: View<'delivery_broadcast'>): Journal[] {
  const currency = gas && currencyOf(gas.currency);
  return currency ? [journals.gasSpent(currency, BigInt(gas.amountMinor))] : [];
}

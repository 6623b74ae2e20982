/** The machine of offramps from an external address: a deposit of an exact amount, converted and paid out. */

import { known } from '../base/errors/assert.ts';
import { type StepName, stepNameOf } from '../base/ids/step-name.ts';
import { toMinor, trimDecimal } from '../base/money/money.ts';
import * as journals from '../ledger/journals.ts';
import type { Journal } from '../ledger/posting.ts';
import { admitOnce, isAdmitted, overLimit, paidNow } from './admission.ts';
import { cents, conversionOfDeposit, conversionOut, depositOf } from './amounts.ts';
import type { Process, ProcessRow } from './facts.ts';
import { firstRelease, freeze, isNotFrozen, mayRelease, thaw } from './freezing.ts';
import { gasJournals } from './gas.ts';
import { expiry, isTooLate } from './lateness.ts';
import { PAYEE_STEPS, PIX_OUT_ENTERING, payeePassed, payeeTransitions } from './pix-out-machine.ts';
import { ofDeposit } from './post-moves.ts';
import { type Change, type Entering, type Transition, type View, when } from './transition.ts';

const WAITING: StepName = 'crypto_deposit/WAITING_DEPOSIT';
const DETECTED: StepName = 'crypto_deposit/DETECTED';
const DROPPED: StepName = 'crypto_deposit/DROPPED';
const EXPIRED: StepName = 'crypto_deposit/EXPIRED';
const CONFIRMED: StepName = 'crypto_deposit/DONE';
/** A deposit of a wrong amount, or after the session; its account decides about it. */
export const WRONG: readonly StepName[] = [
  'crypto_deposit/UNDERPAID',
  'crypto_deposit/OVERPAID',
  'crypto_deposit/LATE',
];
const HELD: StepName = 'compliance/UNCOMPLIANT';
const SWAPPING: StepName = 'swap_transfer/INITIAL';
const REJECTED: StepName = 'pix_out/REJECTED';
const SWAP_FAILED: StepName = 'swap_transfer/ERROR';
/** Steps at which the deposit is in the blocked sub-account. */
const BLOCKED: readonly StepName[] = [...WRONG, REJECTED, SWAP_FAILED];
const GOING_BACK: StepName = 'refund/INITIAL';

/** Steps from the given one on, at which the deposit is final. */
const FINAL: readonly StepName[] = [
  CONFIRMED,
  ...BLOCKED,
  HELD,
  SWAPPING,
  'pix_out/SENDING',
  'success/DONE',
  'partial_success/DONE',
  GOING_BACK,
  'refund/DONE',
];

type Seen = View<'deposit_seen'>;

/** Facts of a return that is no longer under way. */
const NOT_SENT_BACK = { refundAddress: undefined, refundWorth: undefined, heldAt: undefined } as const;

const bookAndHold = ofDeposit(journals.depositSeen, journals.depositConfirmed, journals.depositHeld);
const lose = ofDeposit(journals.creditedDropped);
const creditDeposit = ofDeposit(journals.depositCredited);
const creditAndReserve = ofDeposit(journals.depositCredited, journals.reserve);
const holdAgain = ofDeposit(journals.reservationHeld);

const depositTransitions: readonly Transition[] = [
  when('deposit_ready', PAYEE_STEPS, WAITING, {
    when: isAdmitted,
    set: ({ trigger: { address, exactAmount } }) => ({
      facts: { depositAddress: address, exactDepositAmount: exactAmount },
    }),
  }),
  when('deposit_seen', [WAITING, DROPPED], EXPIRED, { when: isLate, again: true }),
  when('deposit_seen', [WAITING, DROPPED, EXPIRED], DETECTED, {
    when: (view) => isExact(view) && !isLate(view),
    setsPrice: true,
    set: acceptDeposit,
    post: ofDeposit(journals.depositSeen),
  }),
  // The amount or the time is wrong: label and booking wait until the network has confirmed the deposit.
  when('deposit_seen', [WAITING, DROPPED, EXPIRED], 'stay', { when: isFirst, set: noteDeposit }),
  when('deposit_confirmed', DETECTED, CONFIRMED, {
    when: isSameDeposit,
    set: paidNow,
    post: ofDeposit(journals.depositConfirmed),
  }),
  when('deposit_confirmed', EXPIRED, 'crypto_deposit/LATE', {
    when: (view) => isSameDeposit(view) && view.process.deposit?.isLate === true,
    set: publishDeposit,
    post: bookAndHold,
  }),
  when('deposit_confirmed', [WAITING, DROPPED, EXPIRED], 'crypto_deposit/UNDERPAID', {
    when: (view) => isSameDeposit(view) && differenceOf(view) < 0n,
    set: publishDeposit,
    post: bookAndHold,
  }),
  when('deposit_confirmed', [WAITING, DROPPED, EXPIRED], 'crypto_deposit/OVERPAID', {
    when: (view) => isSameDeposit(view) && differenceOf(view) > 0n,
    set: publishDeposit,
    post: bookAndHold,
  }),
  when('deposit_dropped', DETECTED, DROPPED, {
    when: isSameDeposit,
    set: () => ({ facts: { txHash: null } }),
    post: ofDeposit(journals.depositDropped),
  }),
  when('deposit_dropped', [WAITING, DROPPED, EXPIRED], 'stay', {
    when: isSameDeposit,
    set: () => ({ process: { deposit: null } }),
  }),
  // The deposit was dropped after it was final: the transaction continues, and the account holder owes the amount to
  // the house (domain.md 2.3: reorg after crediting).
  when('deposit_dropped', FINAL, 'stay', {
    parallel: true,
    when: (view) => isSameDeposit(view) && isThere(view),
    set: ({ process }) => ({
      process: { deposit: { ...known(process.deposit, 'a deposit'), isLost: true } },
    }),
    post: lose,
  }),
  when('expired', [WAITING, DROPPED], EXPIRED, expiry),
  when('cancelled', WAITING, 'quote/CANCELLED', { when: ({ process }) => !process.deposit }),
];

const swapTransitions: readonly Transition[] = [
  when('cleared', CONFIRMED, HELD, { when: isLost, post: ofDeposit(journals.depositHeld) }),
  when('cleared', CONFIRMED, SWAPPING, {
    post: ({ row }) => [journals.depositSwapped(conversionOfDeposit(row))],
  }),
  when('held', CONFIRMED, HELD, { post: ofDeposit(journals.depositHeld) }),
  when('frozen', CONFIRMED, HELD, { set: freeze, post: ofDeposit(journals.depositHeld) }),
  when('limit_exceeded', CONFIRMED, HELD, { ...overLimit, post: ofDeposit(journals.depositHeld) }),
  when('swap_settled', SWAPPING, 'pix_out/SENDING', { moneyOut: 'fixed' }),
  when('swap_failed', SWAPPING, SWAP_FAILED, { post: unwind }),
  when('payout_settled', 'pix_out/SENDING', 'success/DONE', {
    set: ({ trigger }) => ({ facts: { pixE2e: trigger.endToEndId } }),
    post: ({ row }) => [journals.payoutSettled(cents(row.targetAmount))],
  }),
  when('payout_rejected', 'pix_out/SENDING', REJECTED, { post: unwind }),
];

/** A blocked deposit is not moved, so nothing is posted. */
const screeningTransitions: readonly Transition[] = [
  when('cleared', WRONG, 'stay', { when: isUnscreened, set: screened }),
  when('held', WRONG, HELD, { when: isUnscreened, set: (view) => stopAt(stepNameOf(view.row)) }),
  when('frozen', WRONG, HELD, {
    when: isUnscreened,
    set: (view) => ({ process: { ...freeze().process, ...stopAt(stepNameOf(view.row)).process } }),
  }),
  when('frozen', GOING_BACK, HELD, {
    set: (view) => ({
      process: { ...freeze().process, ...NOT_SENT_BACK, ...stopAt(heldAt(view.process)).process },
    }),
  }),
  firstRelease(HELD),
  ...BLOCKED.map((step) =>
    when('released', HELD, step, {
      when: (view) => mayRelease(view) && view.process.stoppedAt === step,
      set: thaw,
    }),
  ),
];

const resolutionTransitions: readonly Transition[] = [
  when('kept', BLOCKED, 'partial_success/DONE', { when: isScreened, post: creditDeposit }),
  // Deposits that screening releases from a hold are credited: the price lock has expired (postings.json, L33 → L35).
  when('released', HELD, 'partial_success/DONE', { when: mayRelease, set: thaw, post: creditDeposit }),
  when('refund_ordered', BLOCKED, GOING_BACK, {
    moneyOut: 'redirect',
    when: (view) => isThere(view) && isScreened(view) && view.trigger.address !== view.row.depositFrom,
    set: ({ row, trigger: { address, worth } }) => sendBack(row, address, worth),
  }),
  when('refund_ordered', BLOCKED, GOING_BACK, {
    moneyOut: 'fixed',
    when: (view) => isThere(view) && isScreened(view),
    set: ({ row, trigger: { address } }) => sendBack(row, address),
  }),
  when('hold_rejected', HELD, GOING_BACK, {
    moneyOut: 'fixed',
    when: (view) => isThere(view) && isNotFrozen(view),
    set: ({ row }) => sendBack(row, known(row.depositFrom, 'the sender of the deposit')),
  }),
  ...[...BLOCKED, HELD].map((step) =>
    when('return_failed', GOING_BACK, step, {
      when: ({ process }) => heldAt(process) === step,
      set: () => ({ process: NOT_SENT_BACK }),
    }),
  ),
  when('return_confirmed', GOING_BACK, 'refund/DONE', {
    set: ({ trigger: { txHash } }) => (txHash ? { process: { refundTxHash: txHash } } : {}),
    post: (view) => {
      const { currency, amount } = depositOf(view.row);
      const networkFee = toMinor(view.trigger.networkFee, currency.decimals);
      return [journals.depositReturned(currency, { amount, networkFee }), ...gasJournals(view)];
    },
  }),
  // The amount is debited from the balance again, for the payee that the payer named.
  when('requoted', WRONG, SWAPPING, {
    moneyOut: 'fixed',
    when: (view) => isThere(view) && isScreened(view),
    set: (view) => ({
      facts: view.trigger.price,
      process: { ...paidNow(view).process, isRequoted: true },
    }),
    post: (view) => [...creditAndReserve(view), journals.swapOut(conversionOut(view.row))],
  }),
];

/** Transitions of an offramp from an external address. */
export const DEPOSIT_TRANSITIONS: readonly Transition[] = [
  ...payeeTransitions({ afterPayee: 'kyc_payee/INITIAL' }),
  ...payeePassed('stay', { ...admitOnce, effects: ['allocate_deposit'] }),
  ...depositTransitions,
  ...swapTransitions,
  ...screeningTransitions,
  ...resolutionTransitions,
];

/** Effects of reaching its steps. */
export const DEPOSIT_ENTERING: Entering = {
  ...PIX_OUT_ENTERING,
  [WAITING]: ['expire_payable'],
  [DROPPED]: ['expire_payable'],
  [CONFIRMED]: ['screen'],
  'crypto_deposit/UNDERPAID': ['screen'],
  'crypto_deposit/OVERPAID': ['screen'],
  'crypto_deposit/LATE': ['screen'],
  [GOING_BACK]: ['send_back'],
};

/** Stages of a deposit that is paid out: seen, converted, sent, received. */
export const DEPOSIT_STAGES: readonly (readonly StepName[])[] = [
  [DETECTED],
  [CONFIRMED, HELD, SWAPPING, SWAP_FAILED],
  ['pix_out/SENDING', REJECTED],
  ['success/DONE'],
];

/** @returns whether the deposit was final at the transaction's step. */
export function isDepositFinal(row: Pick<ProcessRow, 'component' | 'state'>): boolean {
  return FINAL.includes(stepNameOf(row));
}

/** @returns whether the account decides about the deposit: it has another amount, or is late. */
export function awaitsResolution(row: Pick<ProcessRow, 'component' | 'state'>): boolean {
  return WRONG.includes(stepNameOf(row));
}

/** A deposit that its network dropped after it was final is neither converted nor sent back. */
function isLost({ process }: View): boolean {
  return process.deposit?.isLost === true;
}

function isThere(view: View): boolean {
  return !isLost(view);
}

function isLate(view: Seen): boolean {
  return isTooLate(view, view.trigger.seenAt);
}

function isExact({ row, trigger }: Seen): boolean {
  return trimDecimal(trigger.amount) === trimDecimal(known(row.exactDepositAmount, 'an exact amount'));
}

/** Difference to the exact amount, minor units; negative when less arrived. */
function differenceOf({ row }: View): bigint {
  const { currency, amount } = depositOf(row);
  return amount - toMinor(known(row.exactDepositAmount, 'an exact amount'), currency.decimals);
}

function isSameDeposit({ process, trigger }: View<'deposit_confirmed' | 'deposit_dropped'>): boolean {
  const { txHash, logIndex = process.deposit?.logIndex } = trigger;
  return process.deposit?.txHash === txHash && process.deposit.logIndex === logIndex;
}

/** Deposits are processed one at a time; after a dropped one, the next follows. */
function isFirst({ row, process, trigger }: Seen): boolean {
  return !process.deposit || stepNameOf(row) === DROPPED || process.deposit.txHash === trigger.txHash;
}

/** Facts of a deposit are published with its step, because a body changes only with its step (C-9). */
function noteDeposit(view: Seen): Change {
  const { txHash, logIndex, amount, from } = view.trigger;
  return { process: { deposit: { txHash, logIndex, amount, from, isLate: isLate(view) } } };
}

function acceptDeposit(view: Seen): Change {
  const { txHash, from, price } = view.trigger;
  return { ...noteDeposit(view), facts: { txHash, depositFrom: from, ...price } };
}

function publishDeposit({ process, screensSenders }: View): Change {
  const { txHash, from } = known(process.deposit, 'a deposit');
  return {
    facts: { txHash, depositFrom: from },
    ...(screensSenders && { process: { awaitsScreening: true } }),
  };
}

/** The sender is screened before anyone decides about the deposit. */
function isUnscreened({ process }: View): boolean {
  return process.awaitsScreening === true;
}

function isScreened(view: View): boolean {
  return !isUnscreened(view);
}

function screened(): Change {
  return { process: { awaitsScreening: false } };
}

/** Stores the step from which it continues after its release. */
function stopAt(stoppedAt: StepName): Change {
  return { process: { stoppedAt, awaitsScreening: false } };
}

function sendBack(row: ProcessRow, refundAddress: string, refundWorth?: string): Change {
  return { process: { refundAddress, refundWorth, heldAt: stepNameOf(row) } };
}

/**
 * Step at which a deposit that could not be sent back is held again: the operator's step if the step of the hold was
 * not stored yet.
 */
function heldAt(process: Process): StepName {
  return process.heldAt ?? HELD;
}

/** The conversion is reversed at its locked rate and the deposit held, whatever step it was converted at. */
function unwind(view: View): Journal[] {
  const { row, process } = view;
  if (!process.isRequoted) return [journals.depositSwapReversed(conversionOfDeposit(row))];
  return [journals.swapOutReversed(conversionOut(row)), ...holdAgain(view)];
}

/**
 * Disputes (MED) about a payment that is being refunded whole. Its money was already debited from the account holder
 * and is owed to the payer, so nothing is held. When the dispute is accepted and the refund has failed, the bank has
 * paid the payer, so the refund is never ordered again. Amounts that the payer got twice are owed to the house in BRL,
 * because the refund unwound the conversion.
 */

import { known } from '../base/errors/assert.ts';
import { type StepName, stepNameOf } from '../base/ids/step-name.ts';
import * as journals from '../ledger/journals.ts';
import { cents } from './amounts.ts';
import { overtakenReturn, unheld, withReturns } from './dispute-claims.ts';
import { rejectedOf } from './dispute-machine.ts';
import { mayRetry } from './effects.ts';
import type { DisputeClaim, PixReturn, ProcessRow } from './facts.ts';
import { isDisputable } from './lateness.ts';
import {
  brlText,
  byDispute,
  ended,
  isOfStep,
  partOf,
  type ReturnEnd,
  returnOfStep,
  returnsOf,
  settledByDispute,
  storedPart,
  sumOf,
  unpaidReturns,
  withReturn,
} from './returns.ts';
import { type Change, type PostView, type Transition, type View, when } from './transition.ts';

const REFUND_STARTED: StepName = 'refund/INITIAL';
const FAILED: StepName = 'refund/ERROR';
const DONE: StepName = 'refund/DONE';
const ALL = [REFUND_STARTED, FAILED, DONE];

/**
 * @returns whether a dispute prevents a failed refund from being ordered again: its bank may pay the payer the same
 * money.
 */
export function isHeldByDispute(row: Pick<ProcessRow, 'component' | 'state' | 'process'>): boolean {
  return row.process?.refundDispute !== undefined && stepNameOf(row) !== DONE;
}

/** Transitions that are checked before those of refunds. */
export const REFUND_DISPUTE_TRANSITIONS: readonly Transition[] = [
  when('dispute_opened', ALL, 'stay', {
    parallel: true,
    when: (view) => isFree(view) && isDisputable(view) && (stepNameOf(view.row) !== DONE || isRefunded(view)),
    set: ({ trigger }) => ({
      process: {
        refundDispute: {
          id: trigger.disputeId,
          ...(trigger.amount !== undefined && { claim: String(cents(trigger.amount)) }),
        },
      },
    }),
  }),
  when('dispute_rejected', FAILED, 'stay', {
    parallel: true,
    when: (view) => isSame(view) && mayRetry(view.process),
    set: reject,
    effects: ['retry_returns'],
  }),
  when('dispute_rejected', ALL, 'stay', { parallel: true, when: isSame, set: reject }),
  when('dispute_accepted', FAILED, DONE, {
    parallel: true,
    when: (view) => leftAfter(view) === 0n,
    set: settle,
    post: paid,
  }),
  when('dispute_accepted', FAILED, 'stay', {
    parallel: true,
    when: (view) => (leftAfter(view) ?? 0n) > 0n,
    set: settle,
    post: paid,
  }),
  when('dispute_accepted', [REFUND_STARTED, DONE], 'stay', {
    parallel: true,
    when: (view) => disputeOf(view) !== undefined,
    set: (view) => ({ process: { refundDispute: { ...disputeOf(view), isAccepted: true } } }),
  }),
  when('refund_failed', REFUND_STARTED, DONE, {
    when: (view) => isOfStep(view) && leftOfStep(view) === 0n,
    set: settleFailed,
    post: paid,
  }),
  when('refund_failed', REFUND_STARTED, FAILED, {
    when: (view) => isOfStep(view) && (leftOfStep(view) ?? 0n) > 0n,
    set: settleFailed,
    post: paid,
  }),
  // While the dispute is open, the refund is not ordered again automatically.
  when('refund_failed', REFUND_STARTED, FAILED, {
    when: (view) => isOfStep(view) && view.process.refundDispute !== undefined,
    set: (view) => ({ process: { returns: failedStep(view) } }),
  }),
  // The bank reports that the dispute returned the money, although the refund has been under way for long.
  when('dispute_returned', REFUND_STARTED, DONE, {
    parallel: true,
    when: (view) =>
      view.process.refundDispute !== undefined && cents(view.trigger.amount) === receivableOfStep(view),
    set: overtake,
    post: paid,
  }),
  when('dispute_returned', DONE, 'stay', {
    parallel: true,
    moneyOut: 'demanded',
    when: (view) => view.process.refundDispute !== undefined && isRefunded(view),
    set: payTwice,
    post: paidTwice,
  }),
  when('refund_failed', DONE, 'stay', {
    parallel: true,
    when: isOvertaken,
    set: (view) => ({
      process: { returns: ended(view, [overtaken(view)], { state: 'paid_by_hand', isOvertaken: undefined }) },
    }),
  }),
  when('refund_settled', DONE, 'stay', {
    parallel: true,
    when: (view) => isOvertaken(view) && overtaken(view).part !== undefined,
    set: settleTwice,
    post: paidTwice,
  }),
];

function isFree({ process }: View<'dispute_opened'>): boolean {
  return process.refundDispute === undefined;
}

function isSame({ process, trigger }: View<'dispute_accepted' | 'dispute_rejected'>): boolean {
  const { refundDispute } = process;
  if (!refundDispute) return false;
  return (
    trigger.disputeId === undefined ||
    refundDispute.id === undefined ||
    trigger.disputeId === refundDispute.id
  );
}

/** The dispute that is accepted: the open one, or one that was rejected before. */
function disputeOf(view: View<'dispute_accepted'>): DisputeClaim | undefined {
  const { refundDispute } = view.process;
  if (refundDispute) return isSame(view) ? refundDispute : undefined;
  return rejectedOf(view);
}

function reject({ process }: View<'dispute_rejected'>): Change {
  const { refundDispute, rejectedDisputes = [] } = process;
  return {
    process: {
      refundDispute: undefined,
      rejectedDisputes:
        refundDispute?.id === undefined ? rejectedDisputes : [...rejectedDisputes, refundDispute],
    },
  };
}

/** Cents that are still owed to the payer after the dispute; undefined if the dispute is unknown. */
function leftAfter(view: View<'dispute_accepted'>): bigint | undefined {
  const dispute = disputeOf(view);
  const receivable = unpaidReturns(view);
  if (!dispute || receivable.length === 0) return undefined;
  const left = leftOver(dispute, sumOf(receivable));
  // Refunds stored before they had ids are settled whole or by hand.
  return left > 0n && receivable.some(({ returnId }) => returnId === undefined) ? undefined : left;
}

function leftOver({ claim }: DisputeClaim, receivable: bigint): bigint {
  const covered = claim === undefined || BigInt(claim) > receivable ? receivable : BigInt(claim);
  return receivable - covered;
}

function settle(view: View<'dispute_accepted'>): Change {
  const dispute = known(disputeOf(view), 'a dispute');
  return { process: { refundDispute: undefined, returns: settledByDispute(view, dispute) } };
}

function receivableOfStep({ process }: Pick<View, 'process'>): bigint | undefined {
  const found = returnOfStep(process);
  return found && cents(found.amount);
}

/** Cents that are still owed when the refund of the step has failed; undefined without an accepted dispute. */
function leftOfStep({ process }: ReturnEnd): bigint | undefined {
  const receivable = receivableOfStep({ process });
  const { refundDispute } = process;
  return refundDispute?.isAccepted && receivable !== undefined
    ? leftOver(refundDispute, receivable)
    : undefined;
}

function settleFailed(view: ReturnEnd): Change {
  const returns = failedStep(view);
  const failed = { ...view, process: { ...view.process, returns } };
  const dispute = known(view.process.refundDispute, 'a dispute');
  return { process: { refundDispute: undefined, returns: settledByDispute(failed, dispute) } };
}

function failedStep(view: ReturnEnd): readonly PixReturn[] {
  const found = returnOfStep(view.process);
  return found ? ended(view, [found], { state: 'failed' }) : returnsOf(view.process);
}

function overtake(view: View<'dispute_returned'>): Change {
  const found = known(returnOfStep(view.process), 'a return');
  const { id } = known(view.process.refundDispute, 'a dispute');
  const end = { ...byDispute(id), isOvertaken: true } as const;
  return { process: { returns: ended(view, [found], end) } };
}

/** Part of the owed amount that a dispute paid to the payer. */
function paid({ process, before }: PostView) {
  const settled = (of: PostView['before']) =>
    sumOf(returnsOf(of).filter(({ dispute }) => dispute !== undefined));
  return [journals.payerPaidManually(settled(process) - settled(before))];
}

/** Whether the account holder's refund returned the payment, and no dispute has settled it. */
function isRefunded({ process }: Pick<View, 'process'>): boolean {
  return returnsOf(process).some(
    ({ kind, state, dispute }) =>
      kind === 'refund' && (state === 'done' || (state === 'paid_by_hand' && dispute === undefined)),
  );
}

function payTwice(view: View<'dispute_returned'>): Change {
  const brl = cents(view.trigger.amount);
  const part = storedPart(partOf(view.row, brl));
  const added = { kind: 'dispute', amount: brlText(brl), part, state: 'done' } as const;
  return { process: { refundDispute: undefined, returns: withReturn(view, added) } };
}

function paidTwice({ row, process }: PostView) {
  return returnsOf(process)
    .slice(-1)
    .flatMap((each) => unheld(row, each));
}

function overtaken({ process, trigger }: ReturnEnd): PixReturn {
  return known(overtakenReturn(process, trigger.returnId), 'a return');
}

function isOvertaken({ process, trigger }: ReturnEnd): boolean {
  return overtakenReturn(process, trigger.returnId) !== undefined;
}

/** A refund that a dispute had overtaken was executed nevertheless, so each is listed separately. */
function settleTwice(view: ReturnEnd): Change {
  const { amount } = overtaken(view);
  const end = { state: 'done', dispute: undefined, isOvertaken: undefined, reference: undefined } as const;
  const returns = ended(view, [overtaken(view)], end);
  const part = storedPart(partOf(withReturns(view.row, returns), cents(amount)));
  const both = { ...view, process: { ...view.process, returns } };
  return { process: { returns: withReturn(both, { kind: 'dispute', amount, part, state: 'done' }) } };
}

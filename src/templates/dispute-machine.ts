/**
 * Disputes (MED) about a converted payment: about the whole remainder or a part, one at a time. The available amount is
 * held at the locked rate. When the dispute is accepted, the conversion is reversed with its fee in proportion, and the
 * account holder owes the house the missing amount.
 */

import { known } from '../base/errors/assert.ts';
import type { StepName } from '../base/ids/step-name.ts';
import * as journals from '../ledger/journals.ts';
import type { Journal } from '../ledger/posting.ts';
import { cents, conversionIn } from './amounts.ts';
import {
  claimant,
  claimOf,
  confirmed,
  confirmedJournals,
  OPEN,
  overtakenReturn,
  unheld,
  unwound,
} from './dispute-claims.ts';
import type { DisputeClaim, PixReturn, Process } from './facts.ts';
import { isDisputable } from './lateness.ts';
import {
  brlText,
  ended,
  leftOf,
  partOf,
  type ReturnEnd,
  read,
  returnsOf,
  storedPart,
  withReturn,
} from './returns.ts';
import { type Change, type PostView, type Transition, type View, when } from './transition.ts';

/**
 * @param finished - steps at which a payment is finished.
 * @param all - every step: the end of a refund that a dispute has overtaken is accepted at any step.
 * @returns the transitions of its disputes.
 */
export function disputeTransitions(
  finished: readonly StepName[],
  all: readonly StepName[],
): readonly Transition[] {
  return [
    when('dispute_opened', finished, OPEN, {
      moneyOut: 'demanded',
      when: (view) => isDisputable(view) && disputed(view, amountOf(view)) > 0n,
      set: (view) => open(view, { id: view.trigger.disputeId, claim: textOf(amountOf(view)) }),
      post: hold,
    }),
    // A bank may accept a dispute that it rejected before, under the same name; then it takes the money.
    when('dispute_accepted', finished, OPEN, {
      parallel: true,
      moneyOut: 'demanded',
      when: (view) => rejectedOf(view) !== undefined && leftOf(view.row) > 0n,
      set: (view) => open(view, known(rejectedOf(view), 'a rejected dispute')),
      post: hold,
      again: true,
    }),
    when('dispute_accepted', OPEN, 'dispute/ACCEPTED', {
      moneyOut: 'demanded',
      when: isSameDispute,
      set: (view) => {
        const { part } = disputeOf(view);
        const amount = brlText(part.brl);
        const { disputeClaim: claim } = view.process;
        const accepted = { kind: 'dispute', amount, part: storedPart(part), state: 'done' } as const;
        return {
          process: {
            disputeClaim: undefined,
            returns: withReturn(view, { ...accepted, ...(claim && { claim }) }),
          },
        };
      },
      post: ({ row, before }) => {
        const { part, held } = disputeOf({ row, process: before });
        return unwound(part, held);
      },
    }),
    when('dispute_rejected', OPEN, 'dispute/REJECTED', {
      when: isSameDispute,
      set: ({ process }) => ({ process: { disputeClaim: undefined, ...withRejected(process) } }),
      post: ({ row, process }) => [journals.releaseHold(conversionIn(row).currency, heldOf(process))],
    }),
    when('dispute_returned', finished, 'stay', {
      parallel: true,
      moneyOut: 'demanded',
      when: (view) => claimant(view, cents(view.trigger.amount)) !== undefined,
      set: confirmed,
      post: confirmedJournals,
    }),
    ...overtakenTransitions(all),
  ];
}

/**
 * End of a partial refund that a dispute has overtaken: if it is returned nevertheless, the payer was paid twice, and
 * the account holder owes the house.
 */
function overtakenTransitions(all: readonly StepName[]): readonly Transition[] {
  const isPart = (view: ReturnEnd) => overtakenReturn(view.process, view.trigger.returnId)?.kind === 'part';
  const overtaken = ({ process, trigger }: ReturnEnd) =>
    known(overtakenReturn(process, trigger.returnId), 'a return');
  const end = (view: ReturnEnd, how: Pick<PixReturn, 'state' | 'part'>): Change => ({
    process: { returns: ended(view, [overtaken(view)], { ...how, isOvertaken: undefined }) },
  });
  return [
    when('refund_failed', all, 'stay', {
      parallel: true,
      when: isPart,
      set: (view) => end(view, { state: 'credited_back' }),
    }),
    when('refund_settled', all, 'stay', {
      parallel: true,
      when: isPart,
      set: (view) => {
        const part = storedPart(partOf(view.row, cents(overtaken(view).amount)));
        return end(view, { state: 'done', part });
      },
      post: ({ row, process, trigger }) =>
        returnsOf(process)
          .filter(({ returnId }) => returnId === trigger.returnId)
          .flatMap((each) => unheld(row, each)),
      event: 'partial_refund.done',
    }),
  ];
}

/** A dispute ends under the name with which it was opened. */
function isSameDispute({ process, trigger }: View<'dispute_accepted' | 'dispute_rejected'>): boolean {
  const { disputeId = process.disputeId } = trigger;
  return process.disputeId === undefined || process.disputeId === disputeId;
}

/** @returns the rejected dispute of this name; for earlier versions, the last rejected one is known. */
export function rejectedOf({ row, process, trigger }: View<'dispute_accepted'>): DisputeClaim | undefined {
  const { disputeId } = trigger;
  if (disputeId === undefined) return undefined;
  const { rejectedDisputes = [], disputeId: last, dispute } = process;
  const listed = rejectedDisputes.find(({ id }) => id === disputeId);
  const isLast = row.component === 'dispute' && row.state === 'REJECTED' && last === disputeId;
  return listed ?? (isLast ? { id: disputeId, claim: dispute?.brl } : undefined);
}

/** A dispute without a name cannot be accepted later: it could not be identified. */
function withRejected(process: Process): Partial<Process> {
  const { disputeId: id, disputeClaim, dispute, rejectedDisputes = [] } = process;
  return id === undefined
    ? {}
    : { rejectedDisputes: [...rejectedDisputes, { id, claim: disputeClaim ?? dispute?.brl }] };
}

function amountOf({ trigger }: View<'dispute_opened'>): bigint | undefined {
  return trigger.amount === undefined ? undefined : cents(trigger.amount);
}

/** A dispute takes at most the remainder of the payment. */
function disputed({ row }: Pick<View, 'row'>, amount: bigint | undefined): bigint {
  const [left, claim] = [leftOf(row), claimOf(row, amount)];
  return claim < left ? claim : left;
}

/** Amount that a dispute can hold: at most the available one (domain.md 3.6: MED returns only available money). */
function open(view: View<'dispute_opened' | 'dispute_accepted'>, { id, claim }: DisputeClaim): Change {
  const { row, process } = view;
  const claimed = claim === undefined ? undefined : BigInt(claim);
  const brl = disputed(view, claimed);
  const whole = claimOf(row, claimed);
  const part = partOf(row, brl);
  const there = view.available(part.currency.code);
  return {
    process: {
      dispute: storedPart(part),
      disputeId: id,
      disputeClaim: whole > brl ? String(whole) : undefined,
      disputed: String(there < part.crypto ? there : part.crypto),
      finishedAt: process.finishedAt ?? row.updatedAt,
      ...(process.rejectedDisputes && {
        rejectedDisputes: process.rejectedDisputes.filter((each) => each.id !== id),
      }),
    },
  };
}

function hold({ row, process }: PostView): Journal[] {
  return [journals.holdCredited(conversionIn(row).currency, heldOf(process))];
}

function heldOf({ disputed: held }: View['process']): bigint {
  return BigInt(known(held, 'the held amount'));
}

function disputeOf({ row, process }: Pick<View, 'row' | 'process'>) {
  const whole = conversionIn(row);
  return { part: process.dispute ? read(process.dispute, whole.currency) : whole, held: heldOf(process) };
}

function textOf(amount: bigint | undefined): string | undefined {
  return amount === undefined ? undefined : String(amount);
}

/**
 * Disputes (MED) about a payment that was converted: about all that is left of it or a part, one after the other. What is
 * there is held at the locked rate; when the dispute is accepted it is unwound with its fee in proportion, and what was not
 * there is owed to the house.
 */

import { known } from '../base/assert.ts';
import { type StepName, stepNameOf } from '../base/step-name.ts';
import * as journals from '../ledger/journals.ts';
import type { Journal } from '../ledger/posting.ts';
import { conversionIn } from './amounts.ts';
import type { ProcessRow } from './facts.ts';
import { isDisputable } from './lateness.ts';
import { askedOrLeft, brlText, kept, leftOf, partOf, read, withReturn } from './returns.ts';
import { type Change, type PostView, type Transition, type View, when } from './transition.ts';

const OPEN: StepName = 'dispute/OPEN';

/** @returns whether a dispute is open: another one about the same payment has to wait until it ends. */
export function isDisputed(row: Pick<ProcessRow, 'component' | 'state'>): boolean {
  return stepNameOf(row) === OPEN;
}

/** @param finished - steps at which a payment is finished. @returns the transitions of disputes about it. */
export function disputeTransitions(finished: readonly StepName[]): readonly Transition[] {
  return [
    when('dispute_opened', finished, OPEN, {
      when: (view) => isDisputable(view) && disputed(view) > 0n,
      set: open,
      post: ({ row, process }) => [journals.holdCredited(conversionIn(row).currency, heldOf(process))],
    }),
    when('dispute_accepted', OPEN, 'dispute/ACCEPTED', {
      when: isSameDispute,
      set: (view) => {
        const { part } = disputeOf(view);
        const amount = brlText(part.brl);
        return {
          process: {
            returns: withReturn(view, { kind: 'dispute', amount, part: kept(part), state: 'done' }),
          },
        };
      },
      post: unwind,
    }),
    when('dispute_rejected', OPEN, 'dispute/REJECTED', {
      when: isSameDispute,
      post: ({ row, process }) => [journals.releaseHold(conversionIn(row).currency, heldOf(process))],
    }),
  ];
}

/** A dispute that was opened under a name is ended under that name. */
function isSameDispute({ process, trigger }: View<'dispute_accepted' | 'dispute_rejected'>): boolean {
  const { disputeId = process.disputeId } = trigger;
  return process.disputeId === undefined || process.disputeId === disputeId;
}

/** A dispute gives back at most what is left of the payment. */
function disputed({ row, trigger }: View<'dispute_opened'>): bigint {
  const left = leftOf(row);
  const asked = askedOrLeft(row, trigger.amount);
  return asked < left ? asked : left;
}

/** What a dispute can hold: at most what is there (domain.md 3.6: MED returns only what is there). */
function open(view: View<'dispute_opened'>): Change {
  const part = partOf(view.row, disputed(view));
  const there = view.available(part.currency.code);
  return {
    process: {
      dispute: kept(part),
      disputeId: view.trigger.disputeId,
      disputed: String(there < part.crypto ? there : part.crypto),
      finishedAt: view.process.finishedAt ?? view.row.updatedAt,
    },
  };
}

function heldOf({ disputed: held }: View['process']): bigint {
  return BigInt(known(held, 'what is held'));
}

function disputeOf({ row, process }: Pick<View, 'row' | 'process'>) {
  const whole = conversionIn(row);
  return { part: process.dispute ? read(process.dispute, whole.currency) : whole, held: heldOf(process) };
}

/** The disputed part goes back: out of what is held, and for the rest the account holder owes the house. */
function unwind({ row, before }: PostView): Journal[] {
  const { part, held } = disputeOf({ row, process: before });
  const share = (amount: bigint) => (part.crypto === 0n ? amount : (amount * held) / part.crypto);
  const covered = { ...part, crypto: held, brl: share(part.brl), fee: share(part.fee) };
  const rest = {
    ...part,
    crypto: part.crypto - held,
    brl: part.brl - covered.brl,
    fee: part.fee - covered.fee,
  };
  return [journals.disputeAccepted(covered), journals.disputeAcceptedUncovered(rest)];
}

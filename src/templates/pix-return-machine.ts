/**
 * Returns of a PIX to its payer: the whole payment, the excess over the price, and refunds by the account holder out
 * of the balance, at the locked rate with the fee in proportion (C-35). A return is booked only when the rail reports
 * it. A failed one stays owed to the payer, or is credited back to the balance that it was taken from.
 */
import type { StepName } from '../base/ids/step-name.ts';
import * as journals from '../ledger/journals.ts';
import { cents, conversionIn } from './amounts.ts';
import { partFailed, takenByDispute } from './dispute-claims.ts';
import { mayRetry } from './effects.ts';
import type { PixReturn, Process, ReturnKind } from './facts.ts';
import { isRefundable } from './lateness.ts';
import { isHeldByDispute } from './refund-dispute-machine.ts';
import {
  askedOrLeft,
  brlText,
  ended,
  isOfStep,
  kept,
  leftOf,
  PARTS_MAX,
  paidByHand,
  partOf,
  partsOf,
  type ReturnEnd,
  read,
  returnOfStep,
  returnsOf,
  returnsOwed,
  returnUnderWay,
  sumOf,
  withReturn,
} from './returns.ts';
import { type Change, type PostView, type Transition, type View, when } from './transition.ts';

type Refund = View<'payment_refunded'>;

/** @returns the change that orders the return of a payment that is not converted. */
export function returnPayment(view: View): Change {
  const amount = brlText(cents(view.process.paid));
  return { process: { returns: withReturn(view, { kind: 'payment', amount }) } };
}

/**
 * @param finished - steps at which a payment is finished, and can be refunded.
 * @param all - every step: parts, and what was paid beyond the price, go back whatever the step.
 * @returns the transitions of everything that goes back.
 */
export function returnTransitions(
  finished: readonly StepName[],
  all: readonly StepName[],
): readonly Transition[] {
  return [
    ...STEP_TRANSITIONS,
    ...besideTransitions(all),
    ...owedTransitions(all),
    ...refundTransitions(finished),
  ];
}

/** The return that the step waits for. */
const STEP_TRANSITIONS: readonly Transition[] = [
  when('refund_settled', 'refund/INITIAL', 'refund/DONE', {
    when: isOfStep,
    set: (view) => end(view, returnOfStep(view.process), 'done'),
    post: ({ before }) => [journals.pixRefunded(cents(returnOfStep(before)?.amount ?? before.paid))],
  }),
  when('refund_failed', 'refund/INITIAL', 'refund/ERROR', {
    when: (view) => isOfStep(view) && mayRetry(view.process),
    set: (view) => end(view, returnOfStep(view.process), 'failed'),
    effects: ['retry_returns'],
  }),
  when('refund_failed', 'refund/INITIAL', 'refund/ERROR', {
    when: isOfStep,
    set: (view) => end(view, returnOfStep(view.process), 'failed'),
  }),
];

/** Returns beside the steps. */
function besideTransitions(all: readonly StepName[]): readonly Transition[] {
  return [
    when('refund_settled', all, 'stay', {
      beside: true,
      when: isUnderWay('excess'),
      set: (view) => end(view, told(view), 'done'),
      post: ({ before, trigger }) => [journals.excessReturned(sumOf(toldOf(before, trigger.returnId)))],
    }),
    when('refund_failed', all, 'stay', {
      beside: true,
      when: (view) => isUnderWay('excess')(view) && mayRetry(view.process),
      set: (view) => end(view, told(view), 'failed'),
      effects: ['retry_returns'],
    }),
    when('refund_failed', all, 'stay', {
      beside: true,
      when: isUnderWay('excess'),
      set: (view) => end(view, told(view), 'failed'),
    }),
    when('refund_settled', all, 'stay', {
      beside: true,
      when: isUnderWay('part'),
      set: (view) => end(view, told(view), 'done'),
      post: ({ before, trigger }) => [journals.pixRefunded(sumOf(toldOf(before, trigger.returnId)))],
      event: 'partial_refund.done',
    }),
    when('refund_failed', all, 'stay', {
      beside: true,
      when: isUnderWay('part'),
      set: (view) => partFailed(view, told(view)),
      post: (view) => {
        const { row, before, trigger } = view;
        return toldOf(before, trigger.returnId).flatMap(({ part }) =>
          part
            ? [
                journals.refundReversed(read(part, conversionIn(row).currency)),
                ...takenByDispute(view, BigInt(part.crypto)),
              ]
            : [],
        );
      },
      event: 'partial_refund.failed',
    }),
  ];
}

/** Failed returns that are still owed: ordered again under a new id, or paid by hand. */
function owedTransitions(all: readonly StepName[]): readonly Transition[] {
  const isOwed = (view: View) => returnsOwed(view).length > 0;
  const mayOrder = (view: View) => isOwed(view) && !isHeldByDispute(view.row);
  const again = { moneyOut: 'fixed', when: mayOrder, set: retry } as const;
  const byHand = {
    when: isOwed,
    set: (view: View<'refund_paid_by_hand'>): Change => ({
      process: { returns: paidByHand(view, view.trigger.reference) },
    }),
    post: ({ row, before }: PostView) => [
      journals.payerPaidByHand(sumOf(returnsOwed({ row, process: before }))),
    ],
  };
  return [
    when('refund_retried', 'refund/ERROR', 'refund/INITIAL', again),
    when('refund_retried', all, 'stay', { ...again, effects: ['order_returns'] }),
    when('refund_paid_by_hand', 'refund/ERROR', 'refund/DONE', byHand),
    when('refund_paid_by_hand', all, 'stay', byHand),
  ];
}

/** Refunds by the account holder: the whole remainder ends the transaction, a part leaves the step unchanged. */
function refundTransitions(finished: readonly StepName[]): readonly Transition[] {
  const taking = {
    post: ({ row, before, trigger }: PostView<'payment_refunded'>) => {
      const paid = { ...row, process: before };
      return [journals.refundTaken(partOf(paid, askedOrLeft(paid, trigger.amount)))];
    },
    shortfall: 'refused',
    moneyOut: 'refund',
  } as const;
  return [
    when('payment_refunded', finished, 'refund/INITIAL', {
      ...taking,
      when: (view) =>
        mayBeRefunded(view) &&
        askedOrLeft(view.row, view.trigger.amount) === leftOf(view.row) &&
        !returnsOf(view.process).some(({ kind, state }) => kind === 'part' && state === 'requested'),
      set: (view) => orderRefund(view, 'refund'),
    }),
    when('payment_refunded', finished, 'stay', {
      ...taking,
      when: (view) =>
        mayBeRefunded(view) &&
        askedOrLeft(view.row, view.trigger.amount) < leftOf(view.row) &&
        partsOf(view.process) < PARTS_MAX,
      set: (view) => orderRefund(view, 'part'),
      effects: ['order_returns'],
      event: 'partial_refund.requested',
    }),
  ];
}

function mayBeRefunded(view: Refund): boolean {
  return isRefundable(view) && leftOf(view.row) > 0n && askedOrLeft(view.row, view.trigger.amount) > 0n;
}

function orderRefund(view: Refund, kind: 'refund' | 'part'): Change {
  const brl = askedOrLeft(view.row, view.trigger.amount);
  const part = kept(partOf(view.row, brl));
  const finishedAt = view.process.finishedAt ?? view.row.updatedAt;
  return { process: { finishedAt, returns: withReturn(view, { kind, amount: brlText(brl), part }) } };
}

/** A failed return is retried as a new return: for a rail the old one has failed finally. */
function retry(view: View): Change {
  const owed = returnsOwed(view);
  const returns = owed.reduce(
    (list, { kind, amount, part }) =>
      withReturn(
        { ...view, process: { ...view.process, returns: list } },
        { kind, amount, ...(part && { part }) },
      ),
    ended(view, owed, { state: 'retried' }),
  );
  return { process: { returns } };
}

function isUnderWay(kind: ReturnKind) {
  return (view: ReturnEnd) => told(view)?.kind === kind;
}

function told({ process, trigger }: ReturnEnd): PixReturn | undefined {
  return returnUnderWay(process, trigger.returnId);
}

function toldOf(process: Process, returnId: string | undefined): readonly PixReturn[] {
  const found = returnUnderWay(process, returnId);
  return found ? [found] : [];
}

function end(view: ReturnEnd, which: PixReturn | undefined, state: 'done' | 'failed'): Change {
  return which ? { process: { returns: ended(view, [which], { state }) } } : {};
}

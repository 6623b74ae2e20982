/**
 * Refunds of a PIX to its payer: the whole payment, the excess over the price, and refunds by the account holder from
 * the balance, at the locked rate with the fee in proportion (C-35). A refund is booked only when the rail reports it.
 * A failed refund stays owed to the payer, or is credited back to its balance.
 */
import type { StepName } from '../base/ids/step-name.ts';
import * as journals from '../ledger/journals.ts';
import { cents, conversionIn } from './amounts.ts';
import { claimedByDispute, partFailed } from './dispute-claims.ts';
import { mayRetry } from './effects.ts';
import type { PixReturn, Process, ReturnKind } from './facts.ts';
import { isRefundable } from './lateness.ts';
import { isHeldByDispute } from './refund-dispute-machine.ts';
import {
  brlText,
  ended,
  hasPendingPart,
  isOfStep,
  leftOf,
  PARTS_MAX,
  paidManually,
  partOf,
  partsOf,
  pendingReturn,
  type ReturnEnd,
  read,
  requestedOrLeft,
  returnOfStep,
  storedPart,
  sumOf,
  unpaidReturns,
  withReturn,
} from './returns.ts';
import { type Change, type PostView, type Transition, type View, when } from './transition.ts';

type Refund = View<'payment_refunded'>;

/** @returns the change that orders the refund of a payment that is not converted. */
export function returnPayment(view: View): Change {
  const amount = brlText(cents(view.process.paid));
  return { process: { returns: withReturn(view, { kind: 'payment', amount }) } };
}

/**
 * @param finished - steps at which a payment is finished, and can be refunded.
 * @param all - every step: parts, and an excess over the price, are refunded at any step.
 * @returns the transitions of all refunds.
 */
export function returnTransitions(
  finished: readonly StepName[],
  all: readonly StepName[],
): readonly Transition[] {
  return [
    ...STEP_TRANSITIONS,
    ...parallelTransitions(all),
    ...receivableTransitions(all),
    ...refundTransitions(finished),
  ];
}

/** The refund that the step waits for. */
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

/** Refunds in parallel to the steps. */
function parallelTransitions(all: readonly StepName[]): readonly Transition[] {
  return [
    when('refund_settled', all, 'stay', {
      parallel: true,
      when: isPending('excess'),
      set: (view) => end(view, reportedReturn(view), 'done'),
      post: ({ before, trigger }) => [
        journals.excessReturned(sumOf(reportedReturns(before, trigger.returnId))),
      ],
    }),
    when('refund_failed', all, 'stay', {
      parallel: true,
      when: (view) => isPending('excess')(view) && mayRetry(view.process),
      set: (view) => end(view, reportedReturn(view), 'failed'),
      effects: ['retry_returns'],
    }),
    when('refund_failed', all, 'stay', {
      parallel: true,
      when: isPending('excess'),
      set: (view) => end(view, reportedReturn(view), 'failed'),
    }),
    when('refund_settled', all, 'stay', {
      parallel: true,
      when: isPending('part'),
      set: (view) => end(view, reportedReturn(view), 'done'),
      post: ({ before, trigger }) => [journals.pixRefunded(sumOf(reportedReturns(before, trigger.returnId)))],
      event: 'partial_refund.done',
    }),
    when('refund_failed', all, 'stay', {
      parallel: true,
      when: isPending('part'),
      set: (view) => partFailed(view, reportedReturn(view)),
      post: (view) => {
        const { row, before, trigger } = view;
        return reportedReturns(before, trigger.returnId).flatMap(({ part }) =>
          part
            ? [
                journals.refundReversed(read(part, conversionIn(row).currency)),
                ...claimedByDispute(view, BigInt(part.crypto)),
              ]
            : [],
        );
      },
      event: 'partial_refund.failed',
    }),
  ];
}

/** Failed refunds that are still owed: ordered again under a new id, or paid by hand. */
function receivableTransitions(all: readonly StepName[]): readonly Transition[] {
  const hasReceivable = (view: View) => unpaidReturns(view).length > 0;
  const mayOrder = (view: View) => hasReceivable(view) && !isHeldByDispute(view.row);
  const again = { moneyOut: 'fixed', when: mayOrder, set: retry } as const;
  const manual = {
    when: hasReceivable,
    set: (view: View<'refund_paid_by_hand'>): Change => ({
      process: { returns: paidManually(view, view.trigger.reference) },
    }),
    post: ({ row, before }: PostView) => [
      journals.payerPaidManually(sumOf(unpaidReturns({ row, process: before }))),
    ],
  };
  return [
    when('refund_retried', 'refund/ERROR', 'refund/INITIAL', again),
    when('refund_retried', all, 'stay', { ...again, effects: ['order_returns'] }),
    when('refund_paid_by_hand', 'refund/ERROR', 'refund/DONE', manual),
    when('refund_paid_by_hand', all, 'stay', manual),
  ];
}

/** Refunds by the account holder: the whole remainder ends the transaction, a part leaves the step unchanged. */
function refundTransitions(finished: readonly StepName[]): readonly Transition[] {
  const payingAgain = {
    post: ({ row, before, trigger }: PostView<'payment_refunded'>) => {
      const paid = { ...row, process: before };
      return [journals.refundDebited(partOf(paid, requestedOrLeft(paid, trigger.amount)))];
    },
    shortfall: 'refused',
    moneyOut: 'refund',
  } as const;
  return [
    when('payment_refunded', finished, 'refund/INITIAL', {
      ...payingAgain,
      when: (view) =>
        mayBeRefunded(view) &&
        requestedOrLeft(view.row, view.trigger.amount) === leftOf(view.row) &&
        !hasPendingPart(view.process),
      set: (view) => orderRefund(view, 'refund'),
    }),
    when('payment_refunded', finished, 'stay', {
      ...payingAgain,
      when: (view) =>
        mayBeRefunded(view) &&
        requestedOrLeft(view.row, view.trigger.amount) < leftOf(view.row) &&
        partsOf(view.process) < PARTS_MAX,
      set: (view) => orderRefund(view, 'part'),
      effects: ['order_returns'],
      event: 'partial_refund.requested',
    }),
  ];
}

function mayBeRefunded(view: Refund): boolean {
  return isRefundable(view) && leftOf(view.row) > 0n && requestedOrLeft(view.row, view.trigger.amount) > 0n;
}

function orderRefund(view: Refund, kind: 'refund' | 'part'): Change {
  const brl = requestedOrLeft(view.row, view.trigger.amount);
  const part = storedPart(partOf(view.row, brl));
  const finishedAt = view.process.finishedAt ?? view.row.updatedAt;
  return { process: { finishedAt, returns: withReturn(view, { kind, amount: brlText(brl), part }) } };
}

/** A failed refund is retried as a new one, because the old one has finally failed for the rail. */
function retry(view: View): Change {
  const receivable = unpaidReturns(view);
  const returns = receivable.reduce(
    (list, { kind, amount, part }) =>
      withReturn(
        { ...view, process: { ...view.process, returns: list } },
        { kind, amount, ...(part && { part }) },
      ),
    ended(view, receivable, { state: 'retried' }),
  );
  return { process: { returns } };
}

function isPending(kind: ReturnKind) {
  return (view: ReturnEnd) => reportedReturn(view)?.kind === kind;
}

function reportedReturn({ process, trigger }: ReturnEnd): PixReturn | undefined {
  return pendingReturn(process, trigger.returnId);
}

function reportedReturns(process: Process, returnId: string | undefined): readonly PixReturn[] {
  const found = pendingReturn(process, returnId);
  return found ? [found] : [];
}

function end(view: ReturnEnd, which: PixReturn | undefined, state: 'done' | 'failed'): Change {
  return which ? { process: { returns: ended(view, [which], { state }) } } : {};
}

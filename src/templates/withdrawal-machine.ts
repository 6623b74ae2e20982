/** The machine of withdrawals: reserved, approved where it must be, screened, sent. */
import { BRL } from '../base/currency.ts';
import * as journals from '../ledger/journals.ts';
import { networkFeeOf, sourceOf } from './amounts.ts';
import { gasJournals } from './pix-in-machine.ts';
import { type Entering, type StepName, type Transition, type View, when } from './transition.ts';

const REQUESTED: StepName = 'request_withdrawl_dash/INITIAL';
const APPROVING: StepName = 'approval_withdrawl_dash/PENDING';
const HELD: StepName = 'compliance/UNCOMPLIANT';
const SENDING: StepName = 'send_withdrawl_dash/SENDING';
const BROADCAST: StepName = 'send_withdrawl_dash/BROADCAST';
const FAILED: StepName = 'send_withdrawl_dash/ERROR';
const DONE: StepName = 'success_withdrawl_dash/DONE';

const reserve = ({ row }: View) => {
  const { currency, amount } = sourceOf(row);
  return [journals.reserve(currency, amount)];
};
const release = ({ row }: View) => {
  const { currency, amount } = sourceOf(row);
  return [journals.releaseReservation(currency, amount)];
};
const releaseHeld = ({ row }: View) => {
  const { currency, amount } = sourceOf(row);
  return [journals.releaseHold(currency, amount)];
};
/** What is on its way: the amount less the fee that the network took already. */
const sent = ({ row }: View) => {
  const { currency, amount } = sourceOf(row);
  return { currency, amount: amount - networkFeeOf(row, currency) };
};
const isBrl = ({ row }: View) => row.sourceCurrency === BRL.code;
const isCrypto = (view: View) => !isBrl(view);
const needsApproval = ({ process }: View) => process.needsApproval === true;
const isUndecided = ({ process }: View) => process.isApproved !== true;
const mayBeSent = (view: View) => !needsApproval(view) || !isUndecided(view);
const reserving = { post: reserve, shortfall: 'request_withdrawl_dash/ERROR' } as const;

/** Transitions of a withdrawal. */
export const WITHDRAWAL_TRANSITIONS: readonly Transition[] = [
  when('created', 'start', REQUESTED, { ...reserving, when: needsApproval }),
  when('created', 'start', REQUESTED, { ...reserving, effects: ['screen'] }),
  when('reached', REQUESTED, APPROVING, { when: needsApproval }),
  when('approved', APPROVING, 'stay', {
    when: isUndecided,
    set: () => ({ process: { isApproved: true } }),
    effects: ['screen'],
  }),
  when('rejected', APPROVING, 'approval_withdrawl_dash/REJECTED', { when: isUndecided, post: release }),
  when('cancelled', [REQUESTED, APPROVING], 'approval_withdrawl_dash/CANCELLED', { post: release }),
  when('cancelled', HELD, 'approval_withdrawl_dash/CANCELLED', { post: releaseHeld }),
  when('cleared', [REQUESTED, APPROVING], SENDING, { when: mayBeSent }),
  when('held', [REQUESTED, APPROVING], HELD, {
    when: mayBeSent,
    post: ({ row }) => {
      const { currency, amount } = sourceOf(row);
      return [journals.reservationHeld(currency, amount)];
    },
  }),
  when('released', HELD, SENDING, {
    post: ({ row }) => {
      const { currency, amount } = sourceOf(row);
      return [journals.reservationResumed(currency, amount)];
    },
  }),
  when('hold_rejected', HELD, 'approval_withdrawl_dash/REJECTED', { post: releaseHeld }),
  when('delivery_broadcast', SENDING, BROADCAST, {
    when: isCrypto,
    set: ({ trigger: { txHash } }) => ({ facts: { txHash } }),
    post: (view) => {
      const { currency } = sourceOf(view.row);
      const fee = networkFeeOf(view.row, currency);
      return [...(fee > 0n ? [journals.withdrawalBroadcast(currency, fee)] : []), ...gasJournals(view)];
    },
  }),
  when('delivery_confirmed', BROADCAST, DONE, {
    post: (view) => {
      const { currency, amount } = sent(view);
      return [journals.withdrawalConfirmed(currency, amount)];
    },
  }),
  when('delivery_failed', SENDING, FAILED, { when: isCrypto, post: release }),
  when('delivery_failed', BROADCAST, FAILED, {
    post: (view) => {
      const { currency, amount } = sent(view);
      return [journals.withdrawalReverted(currency, amount)];
    },
  }),
  when('payout_settled', SENDING, DONE, {
    when: isBrl,
    set: ({ trigger }) => ({ facts: { pixE2e: trigger.endToEndId } }),
    post: ({ row }) => [journals.brlWithdrawalSettled(sourceOf(row).amount)],
  }),
  when('payout_rejected', SENDING, FAILED, { when: isBrl, post: release }),
  when('payout_returned', DONE, 'success_withdrawl_dash/RETURNED', {
    when: isBrl,
    post: ({ row }) => [journals.payoutReturned(sourceOf(row).amount)],
  }),
];

/** Effects of reaching steps of a withdrawal. */
export const WITHDRAWAL_ENTERING: Entering = {
  [APPROVING]: ['reject_approval'],
  [SENDING]: ['send_funds'],
};

/** The machine of withdrawals: reserved, approved if required, screened, sent. */

import type { StepName } from '../base/ids/step-name.ts';
import { BRL } from '../base/money/currency.ts';
import * as journals from '../ledger/journals.ts';
import { networkFeeOf, sourceOf } from './amounts.ts';
import { firstRelease, freeze, mayRelease, thaw } from './freezing.ts';
import { gasJournals } from './gas.ts';
import { cameBackWhole } from './pix-out-machine.ts';
import { movesOf, ofSource } from './post-moves.ts';
import { type Entering, type Transition, type View, when } from './transition.ts';

const REQUESTED: StepName = 'request_withdrawl_dash/INITIAL';
const APPROVING: StepName = 'approval_withdrawl_dash/PENDING';
const HELD: StepName = 'compliance/UNCOMPLIANT';
const SENDING: StepName = 'send_withdrawl_dash/SENDING';
const BROADCAST: StepName = 'send_withdrawl_dash/BROADCAST';
const FAILED: StepName = 'send_withdrawl_dash/ERROR';
const DONE: StepName = 'success_withdrawl_dash/DONE';

const release = ofSource(journals.releaseReservation);
const releaseHeld = ofSource(journals.releaseHold);
/** Journals of the amount under way, which excludes the fee that the network has already taken. */
const ofSent = movesOf((row) => {
  const { currency, amount } = sourceOf(row);
  return { currency, amount: amount - networkFeeOf(row, currency) };
});
const isBrl = ({ row }: View) => row.sourceCurrency === BRL.code;
const isCrypto = (view: View) => !isBrl(view);
const needsApproval = ({ process }: View) => process.needsApproval === true;
const isUndecided = ({ process }: View) => process.isApproved !== true;
const mayBeSent = (view: View) => !needsApproval(view) || !isUndecided(view);
const reserving = {
  post: ofSource(journals.reserve),
  shortfall: 'request_withdrawl_dash/ERROR',
  moneyOut: 'withdrawal',
} as const;
const sending = { moneyOut: 'reserved' } as const;

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
  when('cleared', [REQUESTED, APPROVING], SENDING, { ...sending, when: mayBeSent }),
  when('held', [REQUESTED, APPROVING], HELD, {
    when: mayBeSent,
    post: ofSource(journals.reservationHeld),
  }),
  when('frozen', [REQUESTED, APPROVING], HELD, {
    when: mayBeSent,
    set: freeze,
    post: ofSource(journals.reservationHeld),
  }),
  firstRelease(HELD),
  when('released', HELD, SENDING, {
    ...sending,
    when: mayRelease,
    set: thaw,
    post: ofSource(journals.reservationResumed),
  }),
  when('hold_rejected', HELD, 'approval_withdrawl_dash/REJECTED', { post: releaseHeld }),
  when('delivery_broadcast', SENDING, BROADCAST, {
    when: isCrypto,
    set: ({ trigger: { txHash } }) => ({ facts: { txHash } }),
    post: (view) => {
      const { currency } = sourceOf(view.row);
      const fee = networkFeeOf(view.row, currency);
      return [journals.withdrawalBroadcast(currency, fee), ...gasJournals(view)];
    },
  }),
  when('delivery_confirmed', BROADCAST, DONE, { post: ofSent(journals.withdrawalConfirmed) }),
  when('delivery_failed', SENDING, FAILED, { when: isCrypto, post: release }),
  when('delivery_failed', BROADCAST, FAILED, { post: ofSent(journals.withdrawalReverted) }),
  when('payout_settled', SENDING, DONE, {
    when: isBrl,
    set: ({ trigger }) => ({ facts: { pixE2e: trigger.endToEndId } }),
    post: ({ row }) => [journals.brlWithdrawalSettled(sourceOf(row).amount)],
  }),
  when('payout_rejected', SENDING, FAILED, { when: isBrl, post: release }),
  when('payout_returned', DONE, 'success_withdrawl_dash/RETURNED', {
    when: (view) => isBrl(view) && cameBackWhole(view),
    post: ({ row }) => [journals.payoutReturned(sourceOf(row).amount)],
  }),
];

/** Effects of reaching steps of a withdrawal. */
export const WITHDRAWAL_ENTERING: Entering = {
  [APPROVING]: ['reject_approval'],
  [SENDING]: ['send_funds'],
};

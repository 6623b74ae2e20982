/** The common beginning of the templates that end with a PIX payout: the quote and the payee. */

import type { StepName } from '../base/ids/step-name.ts';
import type { Journal } from '../ledger/posting.ts';
import { acceptance, isAdmitted, unpaidExpiry } from './admission.ts';
import { cents } from './amounts.ts';
import { isPriceLocked } from './lateness.ts';
import type { OutKind } from './out-kinds.ts';
import { type Entering, type Transition, type View, when } from './transition.ts';

/** Steps at which the payee is checked. */
export const PAYEE_STEPS: readonly StepName[] = [
  'kyc_payee/INITIAL',
  'kyc_payee/PENDING',
  'kyc_payee/REVIEW',
];

/** Differences: the target of an accepted quote with a named payee, and the steps that release a reservation. */
export interface PayoutNames {
  readonly afterPayee: StepName;
  readonly shortfall?: StepName;
  readonly reserve?: (view: View) => readonly Journal[];
  readonly release?: (view: View) => readonly Journal[];
}

/** Effects of the steps that both templates have. */
export const PIX_OUT_ENTERING: Entering = {
  'quote/QUOTE': ['expire'],
  'kyc_payee/INITIAL': ['check_payee'],
  'kyc_payee/PENDING': ['deny_step_up'],
  'kyc_payee/REVIEW': ['deny_step_up'],
  'swap_transfer/INITIAL': ['swap'],
  'pix_out/SENDING': ['send_funds'],
};

/** @returns the transitions from the quote to an admitted payee. */
export function payeeTransitions({
  afterPayee,
  shortfall,
  reserve,
  release,
}: PayoutNames): readonly Transition[] {
  const collecting: StepName[] = ['pre_kyc/INFO'];
  // The payee of a deposit is named before its payer sees the deposit address.
  const moneyOut: OutKind = reserve ? 'payout' : 'fixed';
  const reserving = { ...(reserve && { post: reserve, moneyOut }), ...(shortfall && { shortfall }) };
  const releasing = release ? { post: release } : {};
  return [
    when('quote_failed', 'start', 'quote/ERROR'),
    when('created', 'start', 'quote/QUOTE'),
    when('accepted', 'quote/QUOTE', 'quote/ACCEPTED', acceptance),
    when('reached', 'quote/QUOTE', 'quote/ACCEPTED', { when: ({ process }) => process.isAccepted === true }),
    when('reached', 'quote/ACCEPTED', 'pre_kyc/INFO', { when: ({ row }) => row.pixKey === null }),
    when('reached', 'quote/ACCEPTED', afterPayee, reserving),
    when('identity_given', collecting, afterPayee, {
      ...reserving,
      moneyOut,
      ...(reserve && { when: isPriceLocked }),
      set: ({ trigger: { clientName, clientTaxId, payout } }) => ({
        facts: { clientName, clientTaxId, ...payout },
      }),
    }),
    when('limit_exceeded', collecting, 'pre_kyc/LIMIT'),
    when('expired', ['quote/QUOTE', 'quote/ACCEPTED', ...collecting], 'quote/EXPIRED', unpaidExpiry),
    when('cancelled', ['quote/QUOTE', 'quote/ACCEPTED', ...collecting], 'quote/CANCELLED'),
    when('cancelled', PAYEE_STEPS, 'quote/CANCELLED', releasing),
    when('step_up_required', 'kyc_payee/INITIAL', 'kyc_payee/PENDING'),
    when('review_required', ['kyc_payee/INITIAL', 'kyc_payee/PENDING'], 'kyc_payee/REVIEW'),
    when('step_up_denied', ['kyc_payee/PENDING', 'kyc_payee/REVIEW'], 'kyc_payee/DENIED', {
      ...releasing,
      when: (view) => !isAdmitted(view),
    }),
    when('identity_irregular', 'kyc_payee/INITIAL', 'kyc_payee/DENIED', releasing),
    when('identity_revoked', PAYEE_STEPS, 'kyc_payee/DENIED', releasing),
    when('key_divergent', PAYEE_STEPS, 'kyc_payee/DIVERGENT', releasing),
  ];
}

/** @returns the two transitions that admit a payee: directly, or after extra verification. */
export function payeePassed(
  to: StepName | 'stay',
  rest: Pick<Transition<'identity_passed'>, 'when' | 'set' | 'post' | 'effects'>,
): readonly Transition[] {
  return [
    when('identity_passed', PAYEE_STEPS, to, rest),
    when<'identity_passed' | 'step_up_approved'>(
      'step_up_approved',
      ['kyc_payee/PENDING', 'kyc_payee/REVIEW'],
      to,
      rest as never,
    ),
  ];
}

/** @returns whether all of a payout came back; no step accepts a partial return. */
export function cameBackWhole({ row, trigger: { amount } }: View<'payout_returned'>): boolean {
  return amount === undefined || cents(amount) === cents(row.targetAmount);
}

/** Orders that money in suspense may be for, over all accounts of the operator, with the reasons of each. */
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { type CandidateRow, readPaymentCandidates } from '../../store/engine/payment-candidates.ts';
import type { Family } from '../../templates/define.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import type { Context } from '../services/context.ts';
import { payerOf } from './payer-of-case.ts';
import type { Subject } from './read-subject.ts';

/** Days within which an order was created that is still compared. */
export const CANDIDATE_DAYS = 7;
const DAY_MS = 86_400_000;
/** Nobody pays for a withdrawal. */
const PAID_FAMILIES = (Object.keys(FAMILY_TRAITS) as Family[]).filter(
  (family) => FAMILY_TRAITS[family].flow !== 'withdrawal',
);

/** @returns candidates, the best first; none without `platform:risk`, and for a payout that came back. */
export async function candidatesFor(context: Context, subject: Subject): Promise<readonly CandidateRow[]> {
  const { accountId, suspense } = subject;
  const isForOrder = suspense !== null && suspense.reason !== 'payout_returned';
  if (accountId === null || !isForOrder || !context.caller.scopes.includes('platform:risk')) return [];
  const { database, mode, clock } = context;
  const { currency, amountMinor } = suspense;
  return readPaymentCandidates(database, {
    ...payerOf(subject),
    mode,
    accountId,
    families: PAID_FAMILIES,
    since: new Date((await clock.nowMs()) - CANDIDATE_DAYS * DAY_MS),
    currency,
    amount: fromMinor(amountMinor, currencyOfLedger(currency).decimals),
  });
}

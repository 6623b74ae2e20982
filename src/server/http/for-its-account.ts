/** Requests run on behalf of their account, which has a share of the database (decision 0053). */
import { onBehalf } from '../../base/concurrency/on-behalf.ts';
import type { Exchange } from './http.ts';

/**
 * From the time when the account is known, the request counts for it, whichever of its keys, people, payers or streams
 * sent it. Finding the caller counts for no account.
 * @param answer - admits and answers the request.
 */
export function forItsAccount(
  exchange: Exchange,
  answer: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  return onBehalf(
    () => exchange.accountId,
    () => answer(exchange),
  );
}

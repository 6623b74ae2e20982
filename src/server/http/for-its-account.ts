/** Requests are answered on behalf of their account, which has a share of the database (decision 0053). */
import { onBehalf } from '../../base/concurrency/on-behalf.ts';
import type { Exchange } from './http.ts';

/**
 * From when it is known on, its account counts: whichever of its keys, people, payers and streams asks. To find out who asks is nobody's.
 *
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

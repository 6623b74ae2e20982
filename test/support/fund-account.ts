/** Gives an account of a test an amount: the adjustment of the sandbox, without its lock and its audit log. */
import { type Funding, postFunding } from '../../src/resolvers/sandbox/fund-account.ts';
import type { Database } from '../../src/store/connection/database.ts';

/** @param nowMs - time of the journal; now when not given. */
export function fundAccount(
  database: Database,
  accountId: bigint,
  given: { readonly currency: string; readonly amount: string },
  nowMs = Date.now(),
): Promise<Funding> {
  return database.withTx((tx) => postFunding(tx, accountId, given, nowMs));
}

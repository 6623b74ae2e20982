/** Transactions by the time at which they were completed. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A completed transaction. */
export interface Completed {
  readonly id: bigint;
  readonly completedAt: Instant;
  /** Worth of a withdrawal in BRL, decimal text; null if one side is BRL. */
  readonly worth: string | null;
}

/** Range of time, the start included and the end excluded. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

// A transaction that was refunded or disputed later was completed at the time in its process.
const COMPLETED: Statement = {
  name: 'transactions_completed',
  text: `select t.id, c.at as "completedAt", t.process ->> 'worth' as worth from transaction t
    cross join lateral (select coalesce((t.process ->> 'finishedAt')::timestamptz(3),
      case when t.outcome in ('SUCCESS', 'PARTIAL_SUCCESS') then t.updated_at end) as at) c
    where t.account_id = $1 and t.id < $2 and t.created_at < $4 and t.updated_at >= $3 and c.at >= $3 and c.at < $4
    order by t.id desc limit $5`,
};
/** Greater than any id. */
const TOP = 2n ** 63n - 1n;

/** @returns transactions completed in a period, newest first: those before `before`, at most `limit`. */
export function readCompleted(
  tx: Tx,
  accountId: bigint,
  { from, to }: Period,
  { before = TOP, limit }: { readonly before: bigint | undefined; readonly limit: number },
): Promise<Completed[]> {
  return tx.query<Completed>(COMPLETED, [accountId, before, from, to, limit]);
}

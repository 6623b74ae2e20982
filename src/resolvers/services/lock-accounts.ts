/** Locks accounts and then reads the time, in this order: whoever waited for a lock is judged by the time at which it has it. */
import type { AccountMode } from '../../base/account-mode.ts';
import { type Instant, instantOf } from '../../base/instant.ts';
import type { Tx } from '../../store/database.ts';
import { type Head, lockHeads } from '../../store/engine/processes.ts';
import type { Clock } from './clock.ts';

/** Accounts that a database transaction has locked. */
export interface Locked {
  /** Their counters, by account; none of an account of another mode. */
  readonly heads: Map<bigint, Head>;
  /** Now, by their clock: not before anything that was done under the locks before. Milliseconds since 1970. */
  readonly nowMs: number;
  /** The same moment. */
  readonly at: Instant;
}

/**
 * Locks accounts until the database transaction ends, always in the same order.
 *
 * @param accountIds - each once or more.
 */
export async function lockAccounts(
  tx: Tx,
  { mode, clock }: { readonly mode: AccountMode; readonly clock: Clock },
  accountIds: Iterable<bigint>,
): Promise<Locked> {
  const heads = await lockHeads(tx, [...new Set(accountIds)], mode);
  const nowMs = await clock.nowMs(tx);
  return { heads, nowMs, at: instantOf(new Date(nowMs)) };
}

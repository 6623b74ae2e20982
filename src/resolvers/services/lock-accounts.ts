/**
 * Locks accounts and then reads the time, in this order: after a wait for a lock, the time at which it was granted counts.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { onNobodysBehalf } from '../../base/concurrency/on-behalf.ts';
import { type Serialize, serializeByKey } from '../../base/concurrency/serialize-by-key.ts';
import { instantOf } from '../../base/time/instant.ts';
import type { Database, Tx } from '../../store/connection/database.ts';
import { LOCK_MAX_MS, LockWaitError } from '../../store/connection/database-error.ts';
import type { AuditTime } from '../../store/engine/audit.ts';
import { type Head, lockHeads } from '../../store/engine/processes.ts';
import type { Clock } from './clock.ts';

/** Accounts that a database transaction has locked. */
export interface Locked extends AuditTime {
  /** Their counters, by account; without accounts of another mode. */
  readonly heads: Map<bigint, Head>;
  /** The present time by their clock: not before anything that was done under the locks earlier. Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Locks accounts. */
export interface Locking {
  readonly mode: AccountMode;
  readonly clock: Clock;
  readonly database: Database;
}

/** By database: the process waits for an account once, for all its requests. */
const queues = new WeakMap<Database, Serialize<bigint>>();

/**
 * Does work in a database transaction that has accounts locked. At most one connection of the process waits for an account:
 * otherwise the actions on one account that is locked for long would use all connections, and block everything. A turn
 * never waits behind reads of its caller, because others may wait for the turn.
 *
 * @param accountIds - each once or more.
 * @throws {LockWaitError} after 5 seconds behind others of the process, for each account; the driver's error after 5
 *   seconds behind another process. `isLockTimeout` is true for both.
 */
export function withAccounts<Result>(
  locking: Locking,
  accountIds: readonly bigint[],
  work: (tx: Tx, locked: Locked) => Promise<Result>,
): Promise<Result> {
  const { database } = locking;
  const serialize = queues.get(database) ?? serializeByKey(LOCK_MAX_MS, () => new LockWaitError());
  queues.set(database, serialize);
  // Always in the same order, like the locks: no deadlock.
  const inOrder = [...new Set(accountIds)].sort((one, other) => (one < other ? -1 : 1));
  const begin = () =>
    onNobodysBehalf(() => database.withTx(async (tx) => work(tx, await lockAccounts(tx, locking, inOrder))));
  return inOrder.reduceRight<() => Promise<Result>>((inner, each) => () => serialize(each, inner), begin)();
}

/**
 * Locks accounts until the database transaction ends, always in the same order.
 *
 * @param accountIds - each once or more.
 */
export async function lockAccounts(
  tx: Tx,
  { mode, clock, database }: Locking,
  accountIds: Iterable<bigint>,
): Promise<Locked> {
  const heads = await lockHeads(tx, [...new Set(accountIds)], mode);
  const nowMs = await clock.nowMs(tx);
  return { heads, nowMs, at: instantOf(new Date(nowMs)), machineMs: database.nowMs() };
}

/** A standby for a gateway that answers only reads (decision 0088): its account versions, and its lag behind the primary. */
import { setImmediate } from 'node:timers/promises';
import { readManyTogether } from '../../base/concurrency/read-together.ts';
import type { Database, Statement } from '../connection/database.ts';

/** A standby that lags more answers nothing, because it would still accept a key that was revoked since. Unit: ms. */
const BEHIND_MAX_MS = 5_000;
/**
 * Largest difference between the clocks of both servers: the lag of a standby whose mark is further in the future
 * cannot be measured. Unit: ms.
 */
const CLOCKS_MAX_MS = 500;

/** Gateways that monitor standbys write these times twice a second (read-replicas.ts). */
const READ: Statement = {
  name: 'standby_read',
  isQuick: true,
  isGathered: true,
  text: `select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs",
      (select floor(extract(epoch from max(probed_at)) * 1000)::bigint from readiness_probe) as "markedMs", a.id as "accountId", h.version
    from unnest($1::bigint[]) a(id) left join account_head h on h.account_id = a.id`,
};

/** Age and version of an account's data on a standby. */
export interface StandbyState {
  /** Clock time of the standby. */
  readonly nowMs: bigint;
  /** Newest mark, by the clock of the primary; null without one. */
  readonly markedMs: bigint | null;
  /** Version of the account; null without such an account. */
  readonly version: bigint | null;
}

interface ReadRow extends StandbyState {
  readonly accountId: bigint;
}

/**
 * @returns a function that reads the state for an account; calls at about the same time share a statement, which begins
 * after them.
 */
export function standbyReader(
  database: Pick<Database, 'query'>,
): (accountId: bigint) => Promise<StandbyState> {
  return readManyTogether(
    async (requested: readonly bigint[]) => {
      const rows = await database.query<ReadRow>(READ, [[...new Set(requested)]]);
      const states = new Map(rows.map((row) => [row.accountId, row]));
      return requested.map((accountId) => states.get(accountId) as StandbyState);
    },
    () => setImmediate(),
  );
}

/** @returns the age of the newest mark on the standby; null without one. Unit: ms. */
export async function standbyBehindMs(database: Pick<Database, 'query'>): Promise<number | null> {
  const [row] = await database.query<ReadRow>(READ, [[0n]]);
  return row ? behindMsOf(row) : null;
}

/** @returns the age of the newest mark on the standby; null without one. Unit: ms. */
export function behindMsOf({ nowMs, markedMs }: StandbyState): number | null {
  return markedMs === null ? null : Number(nowMs - markedMs);
}

/**
 * @returns whether a standby whose newest mark is of this age may answer. The age is unknown without a mark, or with
 * one in the future.
 */
export function isCloseBehind(behindMs: number | null): boolean {
  return behindMs !== null && behindMs >= -CLOCKS_MAX_MS && behindMs <= BEHIND_MAX_MS;
}

/** @returns whether a standby has, in the later state, everything that was committed before the earlier one was read. */
export function hasAllBefore(later: StandbyState, { nowMs }: StandbyState): boolean {
  return later.markedMs !== null && later.markedMs >= nowMs + BigInt(CLOCKS_MAX_MS);
}

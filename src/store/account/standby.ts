/** A standby that a gateway for reads alone works on (decision 0088): its account versions, and how far it is behind the primary. */
import { setImmediate } from 'node:timers/promises';
import { readManyTogether } from '../../base/concurrency/read-together.ts';
import type { Database, Statement } from '../connection/database.ts';

/** A standby that is further behind answers nothing: a key that was revoked since would still open it. Unit: ms. */
export const BEHIND_MAX_MS = 5_000;

/** Gateways that follow standbys write these times twice a second (read-replicas.ts). */
const BEHIND = `(select floor(extract(epoch from clock_timestamp() - max(probed_at)) * 1000)::bigint from readiness_probe)`;
const READ: Statement = {
  name: 'standby_read',
  isQuick: true,
  isGathered: true,
  text: `select ${BEHIND} as "behindMs", a.id as "accountId", h.version
    from unnest($1::bigint[]) a(id) left join account_head h on h.account_id = a.id`,
};

/** Age and version of an account's data on a standby. */
export interface StandbyState {
  readonly behindMs: bigint;
  /** Null without such an account. */
  readonly version: bigint | null;
}

interface ReadRow extends StandbyState {
  readonly accountId: bigint;
}

/** @returns a read of the state for an account, which begins after the call; calls of about the same time share a statement. */
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

/** @returns the age of the newest mark on the standby. Unit: ms. */
export async function standbyBehindMs(database: Pick<Database, 'query'>): Promise<number> {
  const [row] = await database.query<ReadRow>(READ, [[0n]]);
  return Number(row?.behindMs);
}

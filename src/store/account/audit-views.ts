/** Finds out which records a person or key looked at lately. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A look at a record, as the audit log has it. */
export interface ViewKey {
  readonly accountId: bigint;
  readonly action: string;
  readonly objectId: string;
}

const VIEWED: Statement = {
  name: 'audit_viewed',
  text: `select exists (select from audit_entry e where e.account_id = v.account_id and e.object_id = v.object_id
        and e.act = v.act and e.actor_id = $4 and e.at >= $5::timestamptz) as "isViewed"
    from unnest($1::bigint[], $2::text[], $3::text[]) with ordinality v(account_id, act, object_id, n) order by v.n`,
};

/** @returns for each record whether it was looked at since. */
export async function readViewed(
  tx: Tx,
  { actorId, since }: { readonly actorId: string; readonly since: Instant },
  keys: readonly ViewKey[],
): Promise<readonly boolean[]> {
  const columns = [
    keys.map(({ accountId }) => accountId),
    keys.map(({ action }) => action),
    keys.map(({ objectId }) => objectId),
  ];
  const rows = await tx.query<{ isViewed: boolean }>(VIEWED, [...columns, actorId, since]);
  return rows.map(({ isViewed }) => isViewed);
}

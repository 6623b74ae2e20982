/** Changes of settings that loosen a protection: they wait until the cooling time that was in force is over (C-40). */
import type { Statement, Tx } from '../database.ts';

/** The settings that protect an account's money. */
export const PROTECTIONS = ['whitelistCoolingSeconds', 'approvalAbove'] as const;
/** One of them. */
export type Protection = (typeof PROTECTIONS)[number];

/** A change that waits, or has become due. */
export interface SettingChange {
  readonly name: Protection;
  /** The value then; null for none. */
  readonly value: string | null;
  readonly askedAt: string;
  /** The key that asked for it. */
  readonly askedBy: string;
  readonly effectiveAt: string;
}

const READ: Statement = {
  name: 'setting_changes',
  text: `select name, value, asked_at as "askedAt", asked_by as "askedBy", effective_at as "effectiveAt"
    from setting_change where account_id = $1 order by effective_at, name`,
};
const PUT: Statement = {
  name: 'setting_change_put',
  text: `insert into setting_change (account_id, name, value, asked_at, asked_by, effective_at) values ($1, $2, $3, $4, $5, $6)
    on conflict (account_id, name) do update set value = excluded.value, asked_at = excluded.asked_at,
      asked_by = excluded.asked_by, effective_at = excluded.effective_at`,
};
const DROP: Statement = {
  name: 'setting_change_drop',
  text: `delete from setting_change where account_id = $1 and name = $2 returning name`,
};

/** @returns the changes of an account that are not in its settings yet, the first to take effect first. */
export function readSettingChanges(database: Tx, accountId: bigint): Promise<SettingChange[]> {
  return database.query<SettingChange>(READ, [accountId]);
}

/** Notes a change, in the place of one of the same setting. */
export async function putSettingChange(
  tx: Tx,
  accountId: bigint,
  change: Pick<SettingChange, 'name' | 'value' | 'askedBy'> & {
    readonly askedAt: Date;
    readonly effectiveAt: Date;
  },
): Promise<void> {
  const { name, value, askedAt, askedBy, effectiveAt } = change;
  await tx.query(PUT, [accountId, name, value, askedAt, askedBy, effectiveAt]);
}

/** Takes a change away. @returns whether there was one. */
export async function dropSettingChange(tx: Tx, accountId: bigint, name: Protection): Promise<boolean> {
  return (await tx.query(DROP, [accountId, name])).length > 0;
}

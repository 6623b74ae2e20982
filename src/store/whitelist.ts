/** Whom withdrawals may go to: groups of addresses and PIX keys (C-22). */
import type { Database, Statement } from './database.ts';

/** A destination of a group. */
export interface WhitelistEntryRow {
  readonly id: string;
  readonly groupId: string;
  readonly network: string | null;
  readonly pixKeyType: string | null;
  readonly target: string;
  readonly usableAt: string;
}

const ENTRIES: Statement = {
  name: 'whitelist_entries',
  text: `select id, group_id as "groupId", network, pix_key_type as "pixKeyType", target, usable_at as "usableAt"
    from whitelist_entry where account_id = $1 and group_id = $2 and removed_at is null order by created_at, id`,
};

/** @returns the present entries of a group; none when there is no such group. */
export function readEntries(
  database: Database,
  accountId: bigint,
  groupId: string,
): Promise<WhitelistEntryRow[]> {
  return database.query<WhitelistEntryRow>(ENTRIES, [accountId, groupId]);
}

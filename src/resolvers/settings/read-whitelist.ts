/**
 * Reads the whitelist of the caller's account. The entry points check the scope: the result of an action is read with
 * the scope of that action.
 */
import { notFound } from '../../base/errors/errors.ts';
import {
  type EntryRecord,
  type GroupRecord,
  readEntryRecord,
  readEntryRecords,
  readGroups,
} from '../../store/account/whitelist.ts';
import type { Context } from '../services/context.ts';

/** A group with its present entries. */
export interface GroupWithEntries extends GroupRecord {
  readonly entries: readonly EntryRecord[];
}

/** @returns all groups, the oldest first. */
export async function listWhitelistGroups({ database, caller }: Context): Promise<GroupWithEntries[]> {
  const groups = await readGroups(database, caller.accountId, null);
  const entries = Map.groupBy(
    await readEntryRecords(database, caller.accountId, null),
    ({ groupId }) => groupId,
  );
  return groups.map((group) => ({ ...group, entries: entries.get(group.id) ?? [] }));
}

/** @returns the group. @throws {GatewayError} `NOT_FOUND`. */
export async function readWhitelistGroup(
  { database, caller }: Context,
  id: string,
): Promise<GroupWithEntries> {
  const [group] = await readGroups(database, caller.accountId, id);
  if (!group) throw notFound();
  return { ...group, entries: await readEntryRecords(database, caller.accountId, id) };
}

/** @returns the entry, also a removed one. @throws {GatewayError} `NOT_FOUND`. */
export async function readWhitelistEntry({ database, caller }: Context, id: string): Promise<EntryRecord> {
  const entry = await readEntryRecord(database, caller.accountId, id);
  if (!entry) throw notFound();
  return entry;
}

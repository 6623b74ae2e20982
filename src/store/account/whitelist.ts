/** The whitelist: groups of addresses and PIX keys for withdrawals (C-22). */
import type { Instant } from '../../base/time/instant.ts';
import type { WhitelistProof } from '../../chains/whitelist-proof.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A destination of a group. */
export interface WhitelistEntryRow {
  readonly id: string;
  readonly groupId: string;
  readonly network: string | null;
  readonly pixKeyType: string | null;
  readonly target: string;
  readonly usableAt: string;
}

/** An entry, present or removed. */
export interface StoredEntry extends WhitelistEntryRow {
  readonly isRemoved: boolean;
  /** Id of its proof, or name of the key that made the proof; null without one. */
  readonly proof: string | null;
  /** Expiry of its proof. */
  readonly provenUntil: string | null;
}

/** A destination to be added; an address has a network, a PIX key its type. */
export interface NewWhitelistEntry {
  readonly id: string;
  readonly groupId: string;
  readonly label: string | null;
  readonly network: string | null;
  readonly pixKeyType: string | null;
  /** Canonical. */
  readonly target: string;
  readonly createdAt: Date;
  readonly usableAt: Date;
  /** Proof for the signer of networks; null without one. */
  readonly proof: WhitelistProof | null;
}

const ENTRIES: Statement = {
  name: 'whitelist_entries',
  text: `select id, group_id as "groupId", network, pix_key_type as "pixKeyType", target, usable_at as "usableAt"
    from whitelist_entry where account_id = $1 and group_id = $2 and removed_at is null order by created_at, id`,
};
const LIST: Statement = {
  name: 'whitelist_list',
  text: `select id, group_id as "groupId", network, pix_key_type as "pixKeyType", target, usable_at as "usableAt", label,
    proof is not null as "isProven" from whitelist_entry where account_id = $1 and removed_at is null order by created_at, id`,
};
/** Current entries of all groups or of one; the entry with an id also when it was removed. */
const RECORDS: Statement = {
  name: 'whitelist_records',
  text: `select id, group_id as "groupId", network, pix_key_type as "pixKeyType", target, usable_at as "usableAt", label,
      created_at as "createdAt", removed_at as "removedAt", proof is not null as "isProven", proof ->> 'expiresAt' as "provenUntil"
    from whitelist_entry where account_id = $1 and ($2::text is null or group_id = $2) and ($3::text is null or id = $3)
      and (removed_at is null or id = $3) order by created_at, id`,
};
const GROUPS: Statement = {
  name: 'whitelist_groups',
  text: `select id, name, created_at as "createdAt" from whitelist_group
    where account_id = $1 and ($2::text is null or id = $2) order by created_at, id`,
};
const ADD_GROUP: Statement = {
  name: 'whitelist_add_group',
  text: `insert into whitelist_group (account_id, id, name, created_at) values ($1, $2, $3, $4)`,
};
const HAS_GROUP: Statement = {
  name: 'whitelist_has_group',
  text: `select id from whitelist_group where account_id = $1 and id = $2`,
};
const ADD_ENTRY: Statement = {
  name: 'whitelist_add_entry',
  text: `insert into whitelist_entry (account_id, id, group_id, label, network, pix_key_type, target, created_at, usable_at, proof)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb)
    on conflict (account_id, group_id, coalesce(network, pix_key_type), target) where removed_at is null do nothing
    returning id`,
};
const ENTRY: Statement = {
  name: 'whitelist_entry',
  text: `select id, group_id as "groupId", network, pix_key_type as "pixKeyType", target, usable_at as "usableAt",
      removed_at is not null as "isRemoved", proof ->> 'id' as "proof", proof ->> 'expiresAt' as "provenUntil"
    from whitelist_entry where account_id = $1 and id = $2`,
};
const PROOF: Statement = {
  name: 'whitelist_proof',
  text: `select proof from whitelist_entry where account_id = $1 and network = $2 and target = $3 and proof is not null
    order by proof ->> 'expiresAt' desc, created_at desc limit 1`,
};
const PROVEN: Statement = {
  name: 'whitelist_proven',
  text: `select id from whitelist_entry where account_id = $1 and network = $2 and target = $3 and proof is not null order by id`,
};
const STORE_PROOF: Statement = {
  name: 'whitelist_keep_proof',
  text: `update whitelist_entry set proof = $3::jsonb where account_id = $1 and id = $2`,
};
const DROP_PROOFS: Statement = {
  name: 'whitelist_drop_proofs',
  text: `update whitelist_entry set proof = null where account_id = $1 and network = $2 and target = $3 and proof is not null`,
};
const REMOVE_ENTRY: Statement = {
  name: 'whitelist_remove_entry',
  text: `update whitelist_entry set removed_at = coalesce(removed_at, $3) where account_id = $1 and id = $2 returning id`,
};

const COUNTS: Statement = {
  name: 'whitelist_counts',
  text: `select (select count(*)::int from whitelist_group where account_id = $1) as groups,
      (select count(*)::int from whitelist_entry where account_id = $1 and removed_at is null) as entries`,
};
const DESTINATIONS: Statement = {
  name: 'whitelist_destinations',
  text: `select id from whitelist_entry where account_id = $1 and removed_at is null
      and (address_key(target) = address_key($2::text) or starts_with(lower(label), lower($2::text)))
    order by created_at desc, id limit $3`,
};

/** @returns the number of groups of the account, and of destinations in all of them. */
export async function countWhitelist(
  database: Tx,
  accountId: bigint,
): Promise<{ readonly groups: number; readonly entries: number }> {
  const [row] = await database.query<{ groups: number; entries: number }>(COUNTS, [accountId]);
  return row ?? { groups: 0, entries: 0 };
}

/** @returns ids of current entries whose target is the text, or whose label begins with it; newest first. */
export async function findDestinations(
  database: Tx,
  accountId: bigint,
  text: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(DESTINATIONS, [accountId, text, limit]);
  return rows.map(({ id }) => id);
}

/** @returns the current entries of a group; an empty list when there is no such group. */
export function readEntries(database: Tx, accountId: bigint, groupId: string): Promise<WhitelistEntryRow[]> {
  return database.query<WhitelistEntryRow>(ENTRIES, [accountId, groupId]);
}

/** An entry of a list, with its proof. */
export interface ListedEntry extends WhitelistEntryRow {
  readonly label: string | null;
  readonly isProven: boolean;
}

/** @returns the current entries of all groups, the oldest first. */
export function listEntries(database: Tx, accountId: bigint): Promise<ListedEntry[]> {
  return database.query<ListedEntry>(LIST, [accountId]);
}

/** An entry with all members that its account may read. */
export interface EntryRecord extends ListedEntry {
  readonly createdAt: Instant;
  readonly removedAt: Instant | null;
  /** Expiry of its proof; null without one. */
  readonly provenUntil: string | null;
}

/** @returns the current entries of a group, or of all groups, the oldest first. */
export function readEntryRecords(
  database: Tx,
  accountId: bigint,
  groupId: string | null,
): Promise<EntryRecord[]> {
  return database.query<EntryRecord>(RECORDS, [accountId, groupId, null]);
}

/** @returns an entry, including a removed one; undefined if the account has none with this id. */
export async function readEntryRecord(
  database: Tx,
  accountId: bigint,
  id: string,
): Promise<EntryRecord | undefined> {
  const [row] = await database.query<EntryRecord>(RECORDS, [accountId, null, id]);
  return row;
}

/** A group without its entries. */
export interface GroupRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Instant;
}

/** @returns all groups of the account, oldest first, or the group with an id. */
export function readGroups(database: Tx, accountId: bigint, id: string | null): Promise<GroupRecord[]> {
  return database.query<GroupRecord>(GROUPS, [accountId, id]);
}

/** @returns an entry of the account, including one that was removed from its group. */
export async function findEntry(
  database: Tx,
  accountId: bigint,
  id: string,
): Promise<StoredEntry | undefined> {
  const [row] = await database.query<StoredEntry>(ENTRY, [accountId, id]);
  return row;
}

/** @returns the proof of an address that expires last, including one of a removed entry; null if there is none. */
export async function readProof(
  database: Tx,
  accountId: bigint,
  network: string,
  target: string,
): Promise<WhitelistProof | null> {
  const [row] = await database.query<{ proof: WhitelistProof }>(PROOF, [accountId, network, target]);
  return row?.proof ?? null;
}

/** Stores the proof of an entry; it replaces an earlier one. */
export async function storeProof(
  database: Tx,
  accountId: bigint,
  id: string,
  proof: WhitelistProof,
): Promise<void> {
  await database.query(STORE_PROOF, [accountId, id, JSON.stringify(proof)]);
}

/** Deletes every proof of an address, including those of removed entries. */
export async function dropProofs(
  database: Tx,
  accountId: bigint,
  network: string,
  target: string,
): Promise<void> {
  await database.query(DROP_PROOFS, [accountId, network, target]);
}

/** @returns the ids of the entries with a proof of an address, including removed ones. */
export async function readProvenEntries(
  database: Tx,
  accountId: bigint,
  network: string,
  target: string,
): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(PROVEN, [accountId, network, target]);
  return rows.map(({ id }) => id);
}

/** Adds a group without entries. */
export async function addGroup(
  database: Tx,
  accountId: bigint,
  group: { readonly id: string; readonly name: string; readonly createdAt: Date },
): Promise<void> {
  await database.query(ADD_GROUP, [accountId, group.id, group.name, group.createdAt]);
}

/** @returns whether the account has a group with this id. */
export async function hasGroup(database: Tx, accountId: bigint, id: string): Promise<boolean> {
  return (await database.query(HAS_GROUP, [accountId, id])).length > 0;
}

/** Adds an entry to an existing group. @returns whether it was added: false if its target is already in the group. */
export async function addEntry(database: Tx, accountId: bigint, entry: NewWhitelistEntry): Promise<boolean> {
  const added = await database.query(ADD_ENTRY, [
    accountId,
    entry.id,
    entry.groupId,
    entry.label,
    entry.network,
    entry.pixKeyType,
    entry.target,
    entry.createdAt,
    entry.usableAt,
    entry.proof && JSON.stringify(entry.proof),
  ]);
  return added.length > 0;
}

/** Removes an entry from its group; a repetition changes nothing. @returns whether the account has the entry. */
export async function removeEntry(database: Tx, accountId: bigint, id: string, at: Date): Promise<boolean> {
  return (await database.query(REMOVE_ENTRY, [accountId, id, at])).length > 0;
}

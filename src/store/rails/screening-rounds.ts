/**
 * Rounds in which all active customers and whitelisted addresses are compared with the lists: the progress of each, and the
 * next subjects.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Parts of a round, in their order. */
export const ROUND_PARTS = ['customers', 'addresses', 'companies'] as const;
/** One of ROUND_PARTS. */
export type RoundPart = (typeof ROUND_PARTS)[number];

/** A round. */
export interface ScreeningRound {
  /** Versions of the lists used by the round, in one text; empty before the first round. */
  readonly versions: string;
  readonly beganAt: Instant | null;
  /** End of the round; null while it runs, and before the first. */
  readonly endedAt: Instant | null;
  readonly part: RoundPart;
  readonly atAccount: bigint;
  readonly atRecord: string;
  readonly compared: bigint;
}

/** A compared customer, address, company or owner of a company. */
export interface RoundRecord {
  readonly accountId: bigint;
  /** Tax id of a customer, a company or an owner, id of a whitelist entry. */
  readonly record: string;
  /** Newest last. */
  readonly names: readonly string[];
  readonly address: string | null;
}

const COLUMNS = `versions, began_at as "beganAt", ended_at as "endedAt", part, at_account as "atAccount", at_record as "atRecord", compared`;
const READ: Statement = {
  name: 'screening_round_read',
  text: `select ${COLUMNS} from screening_round where mode = $1`,
};
const CLAIM: Statement = {
  name: 'screening_round_take',
  text: `update screening_round set leased_until = $3 where mode = $1 and leased_until <= $2 returning ${COLUMNS}`,
};
const NOTE_LISTS: Statement = {
  name: 'screening_list_note',
  text: `insert into screening_list (mode, seen_at, list, version, entries, file_at, refusal)
    select $1, $2, n.* from unnest($3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::text[]) as n
    on conflict (mode, list) do update set seen_at = excluded.seen_at, version = excluded.version, entries = excluded.entries,
      file_at = excluded.file_at, refusal = excluded.refusal`,
};
const RELEASE: Statement = {
  name: 'screening_round_give_back',
  text: `update screening_round set leased_until = '-infinity' where mode = $1`,
};
const BEGIN: Statement = {
  name: 'screening_round_begin',
  text: `update screening_round set versions = $2, began_at = $3, ended_at = null, part = 'customers', at_account = 0, at_record = '',
      compared = 0 where mode = $1 returning ${COLUMNS}`,
};
const ADVANCE: Statement = {
  name: 'screening_round_advance',
  text: `update screening_round set part = $2, at_account = $3, at_record = $4, compared = compared + $5, ended_at = $6 where mode = $1`,
};
const CUSTOMERS: Statement = {
  name: 'screening_round_customers',
  text: `select c.account_id as "accountId", c.tax_id as record, c.names, null::text as address from customer c
    join account a on a.id = c.account_id
    where (c.account_id, c.tax_id) > ($2::bigint, $3::text) and a.mode = $1::text
      and exists (select from volume_day v where v.account_id = c.account_id and v.subject = c.tax_id and v.day >= $4::date)
    order by c.account_id, c.tax_id limit $5`,
};
const ADDRESSES: Statement = {
  name: 'screening_round_addresses',
  text: `select w.account_id as "accountId", w.id as record, '{}'::text[] as names, w.target as address from whitelist_entry w
    join account a on a.id = w.account_id
    where (w.account_id, w.id) > ($2::bigint, $3::text) and a.mode = $1::text
      and w.network is not null and w.removed_at is null and $4::date is not null
    order by w.account_id, w.id limit $5`,
};

/** An owner of two companies is compared for each; a company that owns itself is compared once. */
const COMPANIES: Statement = {
  name: 'screening_round_companies',
  text: `select p.account_id as "accountId", p.tax_id as record, array[min(p.name)] as names, null::text as address from (
      select account_id, tax_id, legal_name as name from account_company
      union all select account_id, tax_id, name from account_owner) p
    join account a on a.id = p.account_id
    where (p.account_id, p.tax_id) > ($2::bigint, $3::text) and a.mode = $1::text and $4::date is not null
    group by 1, 2 order by 1, 2 limit $5`,
};

/** @returns the round of a mode. */
export async function readRound(tx: Tx, mode: AccountMode): Promise<ScreeningRound | undefined> {
  const [row] = await tx.query<ScreeningRound>(READ, [mode]);
  return row;
}

/** Claims the round for one process. @returns undefined while another process has the round. */
export async function claimRound(
  tx: Tx,
  mode: AccountMode,
  { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
): Promise<ScreeningRound | undefined> {
  const [row] = await tx.query<ScreeningRound>(CLAIM, [mode, new Date(nowMs), new Date(untilMs)]);
  return row;
}

/** A list in the state in which a process found it. */
export interface ListSeen {
  readonly list: string;
  readonly version: string | null;
  readonly entries: number;
  /** ISO 8601. */
  readonly fileAt: string | null;
  readonly refusal: string | null;
}

/** Stores the current state of the lists. */
export async function noteLists(
  tx: Tx,
  mode: AccountMode,
  lists: readonly ListSeen[],
  at: Date,
): Promise<void> {
  const column = (name: keyof ListSeen) => lists.map((list) => list[name]);
  const columns = (['list', 'version', 'entries', 'fileAt', 'refusal'] as const).map(column);
  await tx.query(NOTE_LISTS, [mode, at, ...columns]);
}

/** Releases the round to other processes. */
export async function releaseRound(tx: Tx, mode: AccountMode): Promise<void> {
  await tx.query(RELEASE, [mode]);
}

/** Restarts a round. */
export async function beginRound(
  tx: Tx,
  mode: AccountMode,
  versions: string,
  at: Date,
): Promise<ScreeningRound> {
  const [row] = await tx.query<ScreeningRound>(BEGIN, [mode, versions, at]);
  return row as ScreeningRound;
}

/** @param since - `YYYY-MM-DD`: customers without a transaction from that day on are left out. @returns the next records, in order. */
export function nextOfRound(
  tx: Tx,
  mode: AccountMode,
  { part, atAccount, atRecord }: Pick<ScreeningRound, 'part' | 'atAccount' | 'atRecord'>,
  { since, limit }: { readonly since: string; readonly limit: number },
): Promise<readonly RoundRecord[]> {
  const values = [mode, atAccount, atRecord, since, limit];
  switch (part) {
    case 'customers':
      return tx.query<RoundRecord>(CUSTOMERS, values);
    case 'addresses':
      return tx.query<RoundRecord>(ADDRESSES, values);
    case 'companies':
      return tx.query<RoundRecord>(COMPANIES, values);
  }
}

/** Stores the progress of the round. `endedAt`: time of its end. */
export async function advanceRound(
  tx: Tx,
  mode: AccountMode,
  { part, atAccount, atRecord }: Pick<ScreeningRound, 'part' | 'atAccount' | 'atRecord'>,
  { compared, endedAt }: { readonly compared: number; readonly endedAt: Date | null },
): Promise<void> {
  await tx.query(ADVANCE, [mode, part, atAccount, atRecord, compared, endedAt]);
}

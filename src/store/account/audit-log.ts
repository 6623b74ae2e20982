/** Reads the audit log of an account: the newest or the oldest entries of a filter, beginning at a position. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { AUDIT_COLUMNS, type AuditEntry } from '../engine/audit.ts';

/** Filter of entries; an entry has to match all given members. */
export interface AuditFilter {
  readonly acts: readonly string[] | null;
  readonly actorId: string | null;
  readonly objectId: string | null;
  /** Range of time, the start included and the end excluded. */
  readonly since: Instant | null;
  readonly until: Instant | null;
}

/** An entry with its number. */
export interface LoggedEntry extends AuditEntry {
  readonly seq: bigint;
  /** Hexadecimal. */
  readonly hash: string;
}

/** Slice of the records that a filter finds. */
export interface AuditSlice {
  readonly after: bigint | null;
  readonly before: bigint | null;
  readonly isNewestFirst: boolean;
  readonly limit: number;
}

const MATCHES = `account_id = $1 and ($2::text[] is null or act = any ($2)) and ($3::text is null or actor_id = $3)
  and ($4::text is null or object_id = $4) and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)`;

const page = (name: string, order: 'asc' | 'desc'): Statement => ({
  name,
  text: `select seq, encode(hash, 'hex') as hash, ${AUDIT_COLUMNS} from audit_entry e
    where ${MATCHES} and ($7::bigint is null or seq > $7) and ($8::bigint is null or seq < $8) order by e.seq ${order} limit $9`,
});
const OLDEST = page('audit_oldest', 'asc');
const NEWEST = page('audit_newest', 'desc');
const COUNT: Statement = {
  name: 'audit_count',
  text: `select count(*)::int as count from audit_entry where ${MATCHES}`,
};

/** @returns the entries of a slice. */
export function readAudit(
  database: Tx,
  accountId: bigint,
  filter: AuditFilter,
  { after, before, isNewestFirst, limit }: AuditSlice,
): Promise<LoggedEntry[]> {
  const statement = isNewestFirst ? NEWEST : OLDEST;
  return database.query<LoggedEntry>(statement, [...valuesOf(accountId, filter), after, before, limit]);
}

const NTH: Statement = {
  name: 'audit_nth',
  text: `select seq from audit_entry where ${MATCHES} order by seq desc limit 1 offset $7`,
};

/** @returns the number of the entry at a position, counted from 1 with the newest; undefined if there are fewer. */
export async function findNthAudit(
  database: Tx,
  accountId: bigint,
  filter: AuditFilter,
  position: number,
): Promise<bigint | undefined> {
  if (isOfAll(filter)) {
    const seq = (await countAudit(database, accountId, filter)) - position + 1;
    return seq > 0 ? BigInt(seq) : undefined;
  }
  const [row] = await database.query<{ seq: bigint }>(NTH, [...valuesOf(accountId, filter), position - 1]);
  return row?.seq;
}

const LENGTH: Statement = {
  name: 'audit_length',
  text: `select audit_seq::int as count from account_head where account_id = $1`,
};

/** @returns the number of entries that match a filter; without a filter, the length of the chain. */
export async function countAudit(database: Tx, accountId: bigint, filter: AuditFilter): Promise<number> {
  if (isOfAll(filter)) {
    const [head] = await database.query<{ count: number }>(LENGTH, [accountId]);
    return head?.count ?? 0;
  }
  const [row] = await database.query<{ count: number }>(COUNT, valuesOf(accountId, filter));
  return row?.count ?? 0;
}

/** Entries have numbers without gaps, so that all of them can be counted without reading them. */
function isOfAll(filter: AuditFilter): boolean {
  return Object.values(filter).every((each) => each === null);
}

function valuesOf(accountId: bigint, filter: AuditFilter): unknown[] {
  return [accountId, filter.acts, filter.actorId, filter.objectId, filter.since, filter.until];
}

/**
 * The audit log: one entry for each action that is not a read, written in the database transaction of the action. The
 * entries of an account are a chain: each hash covers the one before and every byte of its entry. The writer locks
 * `account_head`, which holds the number of entries and the last hash, so changed, added, removed and moved entries are
 * found (docs/decisions/0022).
 */
import { createHash } from 'node:crypto';
import { type Instant, instantOf, isoMillis, millisOf } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/**
 * Kinds of authors: an API key, a signed-in person, an operator by the CLI, a payer by the link of a session, or the
 * gateway itself.
 */
export const ACTOR_KINDS = ['KEY', 'PERSON', 'OPERATOR', 'PAYER', 'SYSTEM'] as const;
/** A member of ACTOR_KINDS. */
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Content of an entry. */
export interface AuditEntry {
  readonly at: Instant;
  /** Time on the database's clock, if that of the account differs by more than a minute; null otherwise. */
  readonly machineAt: Instant | null;
  readonly actorKind: ActorKind;
  readonly actorId: string;
  readonly scope: string;
  readonly act: string;
  readonly objectKind: string;
  readonly objectId: string;
  /** JSON text, without secrets; null without details. */
  readonly before: string | null;
  readonly after: string | null;
  /** For an approval: the requester of the approved action. */
  readonly maker: string | null;
  readonly requestId: string | null;
  readonly address: string | null;
}

/** Author and act. */
export type Author = Pick<
  AuditEntry,
  'actorKind' | 'actorId' | 'scope' | 'act' | 'maker' | 'requestId' | 'address'
>;

/** Kinds of objects of actions. */
export const AUDIT_OBJECT_KINDS = [
  'account',
  'book_day',
  'customer',
  'customer_case',
  'key',
  'link',
  'manual_journal',
  'med_case',
  'network',
  'passkey',
  'person',
  'pix_order',
  'quote',
  'rail',
  'rail_news',
  'review_case',
  'sandbox_clock',
  'screening_hit',
  'session',
  'suspense_entry',
  'template',
  'transaction',
  'unknown_payment',
  'view',
  'webhook_delivery',
  'webhook_endpoint',
  'whitelist_entry',
  'whitelist_group',
] as const;

/** Object of the action, by its kind and its public id. */
export interface AuditObject {
  readonly kind: (typeof AUDIT_OBJECT_KINDS)[number];
  readonly id: string;
}

/** @returns an account as the audit log names it. */
export function accountObject(accountId: bigint): AuditObject {
  return { kind: 'account', id: String(accountId) };
}

/** Logged facts of an object before and after an action: no secrets, and people only in their masked form. */
export interface AuditFacts {
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** @returns the members that differ, before and after; undefined without a difference. A missing member is null. */
export function difference(before: object, after: object): AuditFacts | undefined {
  const [was, is] = [before, after].map((each) => new Map<string, unknown>(Object.entries(each)));
  const names = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
  const changed = names.filter((name) => JSON.stringify(was?.get(name)) !== JSON.stringify(is?.get(name)));
  if (changed.length === 0) return undefined;
  const pick = (facts: Map<string, unknown> | undefined) =>
    Object.fromEntries(changed.map((name) => [name, facts?.get(name) ?? null]));
  return { before: pick(was), after: pick(is) };
}

/** Difference up to which two clocks count as one that was read at two times. Unit: ms. */
const SAME_MS = 60_000;

/** Time of an action. */
export interface AuditTime {
  /** Time by the account's clock. */
  readonly at: Instant;
  /** Time by the database's clock, milliseconds since 1970. */
  readonly machineMs: number;
}

/** @returns the entry of an action. */
export function auditEntry(
  author: Author,
  { kind, id }: AuditObject,
  { at, machineMs }: AuditTime,
  { before, after }: AuditFacts,
): AuditEntry {
  const isOff = Math.abs(machineMs - millisOf(at)) > SAME_MS;
  return {
    ...author,
    at,
    machineAt: isOff ? instantOf(new Date(machineMs)) : null,
    objectKind: kind,
    objectId: id,
    before: before ? JSON.stringify(before) : null,
    after: after ? JSON.stringify(after) : null,
  };
}

/** An entry at its position in the chain of its account. */
export interface AuditRow extends AuditEntry {
  readonly accountId: bigint;
  readonly seq: bigint;
  readonly hash: Buffer;
}

/** End of an account's chain. */
export interface ChainEnd {
  readonly accountId: bigint;
  readonly auditSeq: bigint;
  readonly auditHash: Buffer;
}

/** Names of members with their columns, in the order in which they are hashed. */
const MEMBERS: Readonly<Record<keyof AuditEntry, string>> = {
  at: 'at',
  actorKind: 'actor_kind',
  actorId: 'actor_id',
  scope: 'scope',
  act: 'act',
  objectKind: 'object_kind',
  objectId: 'object_id',
  before: 'before',
  after: 'after',
  maker: 'maker',
  requestId: 'request_id',
  address: 'address',
  machineAt: 'machine_at',
};
const NAMES = Object.keys(MEMBERS) as (keyof AuditEntry)[];
const COLUMNS = Object.values(MEMBERS);
const TIMES: readonly string[] = [MEMBERS.at, MEMBERS.machineAt];

/** The columns of an entry as text, under the names of `AuditEntry`. */
export const AUDIT_COLUMNS = NAMES.map((name) => `${MEMBERS[name]}::text as "${name}"`).join(', ');

/** @returns SQL that adds the entries of `auditRecords`, given as this parameter. */
export function insertAudit(parameter: string): string {
  const types = COLUMNS.map((column) => `${column} ${TIMES.includes(column) ? 'timestamptz' : 'text'}`);
  const values = COLUMNS.map((column) =>
    column === 'before' || column === 'after' ? `a.${column}::json` : `a.${column}`,
  );
  return `insert into audit_entry (account_id, seq, ${COLUMNS.join(', ')}, hash)
    select a.account_id, a.seq, ${values.join(', ')}, decode(a.hash, 'hex')
      from jsonb_to_recordset(${parameter}::jsonb) a(account_id bigint, seq bigint, ${types.join(', ')}, hash text)`;
}

const APPEND: Statement = {
  name: 'audit_append',
  text: `with entered as (${insertAudit('$4')})
    update account_head set audit_seq = $2, audit_hash = $3 where account_id = $1`,
};

/** @returns the hash of an entry in the chain: SHA-256 of the previous hash, and of the entry as a JSON array. */
export function chainHash(before: Buffer, accountId: bigint, seq: bigint, entry: AuditEntry): Buffer {
  // The database prints instants without zeros at the end.
  const { machineAt } = entry;
  const shown = { ...entry, at: isoMillis(entry.at), machineAt: machineAt && isoMillis(machineAt) };
  // Entries without the machine's time have the same hash as before that member existed.
  const names = machineAt === null ? NAMES.filter((name) => name !== 'machineAt') : NAMES;
  const text = JSON.stringify([String(accountId), String(seq), ...names.map((name) => shown[name])]);
  return createHash('sha256').update(before).update(text).digest();
}

/** @returns the entries of one account with their positions after the end of its chain, and the new end. */
export function chain<End extends ChainEnd>(
  end: End,
  entries: readonly AuditEntry[],
): { readonly rows: readonly AuditRow[]; readonly end: End } {
  const { accountId } = end;
  let { auditSeq, auditHash } = end;
  const rows = entries.map((entry) => {
    auditSeq += 1n;
    auditHash = chainHash(auditHash, accountId, auditSeq, entry);
    return { ...entry, accountId, seq: auditSeq, hash: auditHash };
  });
  return { rows, end: { ...end, auditSeq, auditHash } };
}

/** @returns the rows in the form that `insertAudit` accepts. */
export function auditRecords(rows: readonly AuditRow[]): string {
  return JSON.stringify(
    rows.map((row) => ({
      ...Object.fromEntries(NAMES.map((name) => [MEMBERS[name], row[name]])),
      account_id: String(row.accountId),
      seq: String(row.seq),
      hash: row.hash.toString('hex'),
    })),
  );
}

/** Appends to the log of an account, whose head is locked. */
export async function appendAudit(tx: Tx, head: ChainEnd, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { rows, end } = chain(head, entries);
  await tx.query(APPEND, [end.accountId, end.auditSeq, end.auditHash, auditRecords(rows)]);
}

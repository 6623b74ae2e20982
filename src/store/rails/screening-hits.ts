/** Hits of screening: raised once for a subject, an entry and a transaction, and decided by a person. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { type IdPart, type IdSlice, idList } from '../connection/id-list.ts';

/** States of a hit, with their meaning. */
export const HIT_STATES = {
  open: 'Nobody has decided about it.',
  dismissed: 'It is somebody else: it does not stop the same subject for the same entry again.',
  confirmed: 'It is the person or the address of the list.',
} as const;
/** State of a hit. */
export type HitState = keyof typeof HIT_STATES;

/** A match from which a hit is raised. */
export interface NewHit {
  readonly role: string;
  /** Text that is constant for a person or an address. */
  readonly subject: string;
  readonly subjectName: string | null;
  readonly taxId: string | null;
  readonly address: string | null;
  readonly list: string;
  readonly entry: string;
  readonly entryName: string;
  /** Decimal text. */
  readonly score: string;
  readonly strength: string;
  readonly answer: 'held' | 'frozen';
  readonly version: string;
}

/** Account and transaction of a match. */
export interface HitSubject {
  readonly mode: AccountMode;
  readonly accountId: bigint;
  /** Null outside of a transaction. */
  readonly transactionId: bigint | null;
}

/** A hit. */
export interface HitRow extends Omit<NewHit, 'version'> {
  readonly id: bigint;
  readonly accountId: bigint;
  readonly transactionId: bigint | null;
  /** Id of the transaction as callers know it. */
  readonly end2end: string | null;
  readonly version: string;
  readonly state: HitState;
  readonly raisedAt: Instant;
  readonly decidedAt: Instant | null;
  readonly decidedBy: string | null;
  readonly reason: string | null;
}

/** Filter of hits. */
export interface HitFilter {
  readonly mode: AccountMode;
  readonly state: HitState | null;
  /** Null means all accounts. */
  readonly accountId: bigint | null;
  readonly transactionId: bigint | null;
}

/** Arrays of subjects, lists and entries, in $2 to $4. */
const NAMED = `unnest($2::text[], $3::text[], $4::text[])`;
const DISMISSED: Statement = {
  name: 'screening_hit_dismissed',
  text: `select distinct h.subject, h.list, h.entry from ${NAMED} as n(subject, list, entry)
    join screening_hit h on h.mode = $1 and h.subject = n.subject and h.list = n.list and h.entry = n.entry and h.state = 'dismissed'`,
};
const RAISE: Statement = {
  name: 'screening_hit_raise',
  text: `insert into screening_hit (mode, account_id, transaction_id, raised_at, subject, list, entry, role, subject_name, tax_id, address,
      entry_name, score, strength, answer, list_version)
    select $1, $5, $6, $7, n.* from unnest($2::text[], $3::text[], $4::text[], $8::text[], $9::text[], $10::text[], $11::text[],
      $12::text[], $13::numeric[], $14::text[], $15::text[], $16::text[]) as n
    on conflict do nothing returning id`,
};
const COLUMNS = `h.id, h.account_id as "accountId", h.transaction_id as "transactionId", t.end2end, h.role, h.subject,
  h.subject_name as "subjectName", h.tax_id as "taxId", h.address, h.list, h.entry, h.entry_name as "entryName",
  trim_scale(h.score)::text as score, h.strength, h.answer, h.list_version as version, h.state, h.raised_at as "raisedAt",
  h.decided_at as "decidedAt", h.decided_by as "decidedBy", h.reason`;
const FROM =
  'screening_hit h left join transaction t on t.account_id = h.account_id and t.id = h.transaction_id';
const SHAPE = {
  ...{ id: 'h.id', columns: COLUMNS, from: FROM, countedFrom: 'screening_hit h', filters: 4 },
} as const;
const SUBJECT = `($3::bigint is null or h.account_id = $3) and ($4::bigint is null or h.transaction_id = $4)`;
const ALL = idList<HitRow>({
  ...SHAPE,
  name: 'screening_hits',
  where: `h.mode = $1 and ($2::text is null or h.state = $2) and ${SUBJECT}`,
});
/** List with an index of its own. */
const OPEN = idList<HitRow>({
  ...SHAPE,
  name: 'screening_hits_open',
  where: `h.mode = $1 and h.state = 'open' and h.state = $2 and ${SUBJECT}`,
});
const OPEN_SUBJECTS: Statement = {
  name: 'screening_hit_open_subjects',
  text: `select ${COLUMNS}, s.brl from (
      select min(o.id) as id,
        sum(case 'BRL' when p.source_currency then p.source_amount when p.target_currency then p.target_amount end)::text as brl
      from screening_hit o left join transaction p on p.account_id = o.account_id and p.id = o.transaction_id
      where o.mode = $1 and o.state = 'open' group by o.subject, o.list, o.entry order by min(o.id) limit $2) s
    join (${FROM}) on h.id = s.id order by h.id`,
};
const FIRST_OPEN: Statement = {
  name: 'screening_hit_first_open',
  text: `select id, account_id as "accountId" from screening_hit
    where mode = $1 and subject = $2 and list = $3 and entry = $4 and state = 'open' order by id limit 1`,
};
const FIND: Statement = {
  name: 'screening_hit_find',
  text: `select ${COLUMNS} from ${FROM} where h.id = $1 and h.mode = $2`,
};
const DECIDE: Statement = {
  name: 'screening_hit_decide',
  text: `update screening_hit h set state = $3, decided_at = $4, decided_by = $5, reason = $6
    from screening_hit one where one.id = $1 and one.mode = $2 and one.state = 'open'
      and h.mode = one.mode and h.subject = one.subject and h.list = one.list and h.entry = one.entry and h.state = 'open'
    returning h.id, h.account_id as "accountId", h.transaction_id as "transactionId"`,
};
const RAISED_BEFORE: Statement = {
  name: 'screening_hit_raised_before',
  text: `select subject, list, entry from screening_hit
    where mode = $1 and account_id = $2 and transaction_id = $3 and raised_at <= $4::timestamptz`,
};
const WAKE: Statement = {
  name: 'screening_hit_wake_jobs',
  text: `update job j set due_at = $3 from unnest($1::bigint[], $2::bigint[]) as p(account_id, transaction_id)
    where j.account_id = p.account_id and j.transaction_id = p.transaction_id and j.last_error is not null and j.due_at > $3`,
};

/** A decision about a hit. */
export interface HitDecision {
  readonly state: Exclude<HitState, 'open'>;
  readonly by: string;
  readonly reason: string;
  readonly at: Instant;
}

/** @returns matches that were not dismissed for their subject. */
export async function withoutDismissed<Match extends Pick<NewHit, 'subject' | 'list' | 'entry'>>(
  tx: Tx,
  mode: AccountMode,
  matches: readonly Match[],
): Promise<readonly Match[]> {
  if (matches.length === 0) return [];
  const rows = await tx.query<Pick<NewHit, 'subject' | 'list' | 'entry'>>(DISMISSED, [
    mode,
    ...namesOf(matches),
  ]);
  const dismissed = new Set(rows.map(keyOf));
  return matches.filter((match) => !dismissed.has(keyOf(match)));
}

/**
 * Raises hits; an existing one stays unchanged.
 *
 * @returns the number of new hits.
 */
export async function raiseHits(
  tx: Tx,
  { mode, accountId, transactionId }: HitSubject,
  hits: readonly NewHit[],
  at: Date,
): Promise<number> {
  if (hits.length === 0) return 0;
  const column = (name: keyof NewHit) => hits.map((hit) => hit[name]);
  const rows = await tx.query(RAISE, [
    ...[mode, ...namesOf(hits), accountId, transactionId, at],
    ...(
      [
        'role',
        'subjectName',
        'taxId',
        'address',
        'entryName',
        'score',
        'strength',
        'answer',
        'version',
      ] as const
    ).map(column),
  ]);
  return rows.length;
}

/** @param at - ISO 8601. @returns whether a hit of the transaction was raised by then. */
export async function raisedBefore(
  tx: Tx,
  { mode, accountId, transactionId }: HitSubject,
  at: string,
): Promise<(hit: Pick<NewHit, 'subject' | 'list' | 'entry'>) => boolean> {
  const rows = await tx.query<Pick<NewHit, 'subject' | 'list' | 'entry'>>(RAISED_BEFORE, [
    ...[mode, accountId, transactionId, at],
  ]);
  const raised = new Set(rows.map(keyOf));
  return (hit) => raised.has(keyOf(hit));
}

/** Retries failed jobs of transactions that depend on a decision. `nowMs`: by the clock of their accounts. */
export async function wakeJobs(
  tx: Tx,
  subjects: readonly Pick<HitRow, 'accountId' | 'transactionId'>[],
  nowMs: number,
): Promise<void> {
  const column = (name: 'accountId' | 'transactionId') => subjects.map((position) => position[name]);
  await tx.query(WAKE, [column('accountId'), column('transactionId'), new Date(nowMs)]);
}

/** @returns a slice of the list. */
export function readHits(
  database: Tx,
  { mode, state, accountId, transactionId }: HitFilter,
  slice: IdSlice,
): Promise<IdPart<HitRow>> {
  return (state === 'open' ? OPEN : ALL)(database, [mode, state, accountId, transactionId], slice);
}

/** Open hits of one subject and entry: the first of them, and the BRL of their transactions, decimal text. */
export interface OpenSubject extends HitRow {
  /** Null if no transaction has an amount in BRL. */
  readonly brl: string | null;
}

/** @returns the subjects and entries with open hits, the first raised first. */
export function readOpenSubjects(tx: Tx, mode: AccountMode, limit: number): Promise<OpenSubject[]> {
  return tx.query<OpenSubject>(OPEN_SUBJECTS, [mode, limit]);
}

/** @returns the first open hit of the same subject and entry; undefined without one. */
export async function firstOpenHit(
  tx: Tx,
  mode: AccountMode,
  { subject, list, entry }: Pick<HitRow, 'subject' | 'list' | 'entry'>,
): Promise<Pick<HitRow, 'id' | 'accountId'> | undefined> {
  const [row] = await tx.query<Pick<HitRow, 'id' | 'accountId'>>(FIRST_OPEN, [mode, subject, list, entry]);
  return row;
}

/** @returns a hit of the mode. */
export async function findHit(tx: Tx, mode: AccountMode, id: bigint): Promise<HitRow | undefined> {
  const [row] = await tx.query<HitRow>(FIND, [id, mode]);
  return row;
}

/**
 * Decides a hit, and every other open hit of the same subject and entry. @returns the positions of the decided hits;
 * empty if the hit is not open.
 */
export async function decideHits(
  tx: Tx,
  mode: AccountMode,
  id: bigint,
  { state, by, reason, at }: HitDecision,
): Promise<readonly Pick<HitRow, 'id' | 'accountId' | 'transactionId'>[]> {
  return tx.query(DECIDE, [id, mode, state, at, by, reason]);
}

function namesOf(matches: readonly Pick<NewHit, 'subject' | 'list' | 'entry'>[]) {
  return (['subject', 'list', 'entry'] as const).map((name) => matches.map((match) => match[name]));
}

function keyOf({ subject, list, entry }: Pick<NewHit, 'subject' | 'list' | 'entry'>): string {
  return JSON.stringify([subject, list, entry]);
}

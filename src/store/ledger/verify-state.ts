/**
 * The state of the continuous verification: the process that holds its lease, and the account that is due for a full
 * check.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A defect in its stored form. */
export type StoredDefect = readonly [defect: string, at: string | null, detail: string];

/** A full check of an account. Times are by the clock of the database. */
export interface Round {
  readonly accountId: bigint;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly defects: readonly StoredDefect[];
}

/** State of the verification. Ages are in seconds; null before the first time. */
export interface VerifyState {
  /** Age of the newest time up to which all postings are checked. */
  readonly newAge: number | null;
  /** Whether a process holds the lease, or held it in the last minute without ending. */
  readonly isLeased: boolean;
  /** Age of the oldest full check of an account, or of an account without one. */
  readonly roundAge: number | null;
  readonly defects: number;
  /** The first defect, as text; null without one. */
  readonly first: string | null;
}

const CLAIM: Statement = {
  name: 'verify_turn_take',
  text: `update verify_turn set holder = $1, leased_until = $3::timestamptz where holder = $1 or leased_until <= $2::timestamptz returning holder`,
};
const RELEASE: Statement = {
  name: 'verify_turn_release',
  text: `update verify_turn set leased_until = '-infinity' where holder = $1`,
};
const NEW_UNTIL: Statement = {
  name: 'verify_turn_new_until',
  text: `update verify_turn set new_until = greatest(new_until, $1::timestamptz)`,
};
const SUMS_DUE: Statement = {
  name: 'verify_turn_sums_due',
  text: `select coalesce(sums_at < $1::timestamptz, true) as "isDue" from verify_turn`,
};
const SUMS: Statement = {
  name: 'verify_turn_sums',
  text: `update verify_turn set sums_at = $1::timestamptz, sums_defects = $2::jsonb`,
};
const DUE: Statement = {
  name: 'verify_round_due',
  text: `select account_id as "accountId" from verify_place where coalesce(round_ended_at, '-infinity') < $1::timestamptz
    order by round_ended_at nulls first, account_id limit 1`,
};
/** Defects found soon after their posting are confirmed by a round that began later; otherwise they were none. */
const FINISH: Statement = {
  name: 'verify_round_finish',
  text: `update verify_place set round_began_at = $2::timestamptz, round_ended_at = $3::timestamptz, round_defects = $4::jsonb,
      new_defects = case when new_defects_at >= $2::timestamptz then new_defects else '[]' end where account_id = $1`,
};
const STATE: Statement = {
  name: 'verify_state',
  text: `with defect as (
      select v.account_id, d.value from verify_place v cross join lateral jsonb_array_elements(v.new_defects || v.round_defects) d
       where v.new_defects <> '[]' or v.round_defects <> '[]'
      union all select 0, d.value from verify_turn t cross join lateral jsonb_array_elements(t.sums_defects) d
    )
    select case when t.new_until is not null then greatest(extract(epoch from clock_timestamp() - t.new_until), 0)::int end as "newAge",
      t.leased_until > clock_timestamp() as "isLeased",
      (select case when count(*) > 0 then greatest(extract(epoch from clock_timestamp() - min(coalesce(round_ended_at, since))), 0)::int end from verify_place) as "roundAge",
      (select count(*)::int from defect) as defects,
      (select case when account_id > 0 then 'account ' || account_id || ': ' else '' end || (value ->> 0) || ': ' || (value ->> 2) from defect order by account_id limit 1) as first
    from verify_turn t`,
};
/** Sums over all accounts have no mode, so that the operators of both modes see them. */
const FOUND: Statement = {
  name: 'verify_found',
  text: `select v.account_id as "accountId", d.value as defect, coalesce(v.round_ended_at, v.new_defects_at, v.since) as "foundAt"
      from verify_place v join account a on a.id = v.account_id
      cross join lateral jsonb_array_elements(v.new_defects || v.round_defects) d
     where a.mode = $1 and (v.new_defects <> '[]' or v.round_defects <> '[]')
    union all select null, d.value, t.sums_at from verify_turn t cross join lateral jsonb_array_elements(t.sums_defects) d
     order by 3, 1 limit $2`,
};

const iso = (ms: number) => new Date(ms).toISOString();

/**
 * Claims or renews the lease of verification.
 *
 * @param times - by the clock of the database: now, and the end of the lease.
 * @returns false while another process has it.
 */
export async function claimVerification(
  tx: Tx,
  holder: string,
  { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
): Promise<boolean> {
  return (await tx.query(CLAIM, [holder, iso(nowMs), iso(untilMs)])).length > 0;
}

/** Releases the lease to other processes. */
export async function releaseVerification(tx: Tx, holder: string): Promise<void> {
  await tx.query(RELEASE, [holder]);
}

/** Stores that all postings before a time were checked. */
export async function noteNewUntil(tx: Tx, ms: number): Promise<void> {
  await tx.query(NEW_UNTIL, [iso(ms)]);
}

/** @returns whether the sums over all accounts were checked before a time, or never. */
export async function areSumsDue(tx: Tx, beforeMs: number): Promise<boolean> {
  const [row] = await tx.query<{ isDue: boolean }>(SUMS_DUE, [iso(beforeMs)]);
  return row?.isDue ?? false;
}

/** Stores the result of the sums over all accounts. */
export async function noteSums(tx: Tx, nowMs: number, defects: readonly StoredDefect[]): Promise<void> {
  await tx.query(SUMS, [iso(nowMs), JSON.stringify(defects)]);
}

/** @returns the account with the oldest full check, if that ended before a given time; undefined if none is due. */
export async function accountDue(tx: Tx, beforeMs: number): Promise<bigint | undefined> {
  const [row] = await tx.query<{ accountId: bigint }>(DUE, [iso(beforeMs)]);
  return row?.accountId;
}

/** Stores a full check of an account. */
export async function finishRound(tx: Tx, { accountId, beganMs, endedMs, defects }: Round): Promise<void> {
  await tx.query(FINISH, [accountId, iso(beganMs), iso(endedMs), JSON.stringify(defects)]);
}

/** A found defect. */
export interface FoundDefect {
  /** Null for the sums over all accounts. */
  readonly accountId: bigint | null;
  readonly defect: StoredDefect;
  readonly foundAt: Instant;
}

/** @returns the defects of the accounts of a mode and of the sums over all accounts, the oldest first. */
export function readFoundDefects(tx: Tx, mode: AccountMode, limit: number): Promise<FoundDefect[]> {
  return tx.query<FoundDefect>(FOUND, [mode, limit]);
}

/** @returns the state of the verification of all accounts. */
export async function readVerifyState(tx: Tx): Promise<VerifyState> {
  const [row] = await tx.query<VerifyState>(STATE, []);
  return row as VerifyState;
}

/** Day that the nightly reconciliation of each rail has reached, and the process that works on it. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A rail of a mode. */
export interface NightlyRunKey {
  readonly mode: AccountMode;
  readonly rail: string;
}

/** State of a rail's nightly reconciliation. */
export interface NightlyRun {
  /** In Brasília. */
  readonly day: string;
  readonly isDone: boolean;
  /** Reason why the last attempt produced no report. */
  readonly trouble: string | null;
}

const READ: Statement = {
  name: 'reconciliation_night',
  text: `select day::text as day, is_done as "isDone", trouble from reconciliation_night where mode = $1 and rail = $2`,
};
const BEGIN: Statement = {
  name: 'reconciliation_night_begin',
  text: `insert into reconciliation_night (mode, rail, day, is_done, leased_until) values ($1, $2, $3, true, $4) on conflict do nothing`,
};
const CLAIM: Statement = {
  name: 'reconciliation_night_take',
  text: `update reconciliation_night set day = $3, is_done = false, leased_until = $5,
      trouble = case when day = $3::date then trouble end
    where mode = $1 and rail = $2 and (day < $3::date and is_done or day <= $3::date and not is_done and leased_until <= $4) returning rail`,
};
const EXTEND: Statement = {
  name: 'reconciliation_night_extend',
  text: `update reconciliation_night set leased_until = $4 where mode = $1 and rail = $2 and day = $3 and not is_done`,
};
const FINISH: Statement = {
  name: 'reconciliation_night_finish',
  text: `update reconciliation_night set is_done = true, trouble = null where mode = $1 and rail = $2 and day = $3`,
};
const FAIL: Statement = {
  name: 'reconciliation_night_fail',
  text: `update reconciliation_night set leased_until = $4, trouble = $5 where mode = $1 and rail = $2 and day = $3 and not is_done`,
};

/** @returns undefined for an unknown rail. */
export async function readNightlyRun(tx: Tx, { mode, rail }: NightlyRunKey): Promise<NightlyRun | undefined> {
  const [row] = await tx.query<NightlyRun>(READ, [mode, rail]);
  return row;
}

/** Stores the first day of a rail: days up to this one are not reconciled automatically. */
export async function beginNightlyRuns(
  tx: Tx,
  { mode, rail }: NightlyRunKey,
  day: string,
  nowMs: number,
): Promise<void> {
  await tx.query(BEGIN, [mode, rail, day, timeOf(nowMs)]);
}

/**
 * Claims a day of a rail for one process.
 * @param untilMs - time from which another process may claim it, on the clock of the database, like `nowMs`.
 * @returns whether the caller has the claim.
 */
export async function claimNightlyRun(
  tx: Tx,
  { mode, rail }: NightlyRunKey,
  day: string,
  { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
): Promise<boolean> {
  return (await tx.query(CLAIM, [mode, rail, day, timeOf(nowMs), timeOf(untilMs)])).length > 0;
}

/** Extends the claim of the day. */
export async function extendNightlyRun(
  tx: Tx,
  { mode, rail }: NightlyRunKey,
  day: string,
  untilMs: number,
): Promise<void> {
  await tx.query(EXTEND, [mode, rail, day, timeOf(untilMs)]);
}

/** Stores that a day has its report, in the transaction that stores the report. */
export async function finishNightlyRun(tx: Tx, { mode, rail }: NightlyRunKey, day: string): Promise<void> {
  await tx.query(FINISH, [mode, rail, day]);
}

/** Stores why there is no report yet; the next attempt follows after `againMs`. */
export async function failNightlyRun(
  tx: Tx,
  { mode, rail }: NightlyRunKey,
  day: string,
  { trouble, againMs }: { readonly trouble: string; readonly againMs: number },
): Promise<void> {
  await tx.query(FAIL, [mode, rail, day, timeOf(againMs), trouble.slice(0, 500)]);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Reconciliations under way, with their progress: a person follows them from any process. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Progress of a reconciliation. */
export interface RunProgress {
  /** Reading rows of a statement or blocks of a network, or comparing rows with the ledger. */
  readonly phase: 'rows' | 'blocks' | 'comparing';
  readonly done: number;
  /** Null while it is not known. */
  readonly total: number | null;
}

/** A run by its rail and day, with an id of its own. */
export interface RunKey {
  readonly mode: AccountMode;
  readonly rail: string;
  /** In Brasília. */
  readonly day: string;
  readonly id: string;
}

/** Age from which a run counts as that of a dead process. Runs are renewed every second. Unit: ms. */
const DEAD_MS = 30_000;

const BEGIN: Statement = {
  name: 'reconciliation_run_begin',
  text: `insert into reconciliation_run (mode, rail, day, id, phase, seen_at) values ($1, $2, $3, $4, 'rows', $5)
    on conflict (mode, day, rail) do update set id = excluded.id, phase = excluded.phase, done = 0, total = null, seen_at = excluded.seen_at`,
};
const RENEW: Statement = {
  name: 'reconciliation_run_renew',
  text: `update reconciliation_run set phase = $5, done = $6, total = $7, seen_at = $8
    where mode = $1 and rail = $2 and day = $3 and id = $4`,
};
const END: Statement = {
  name: 'reconciliation_run_end',
  text: `delete from reconciliation_run where mode = $1 and rail = $2 and day = $3 and id = $4`,
};
const OF_DAY: Statement = {
  name: 'reconciliation_runs',
  text: `select rail, phase, done, total from reconciliation_run where mode = $1 and day = $2 and seen_at > $3`,
};

/** Stores that a run has begun. @param nowMs - on the clock of the machine. */
export async function beginRun(tx: Tx, key: RunKey, nowMs: number): Promise<void> {
  await tx.query(BEGIN, [...valuesOf(key), timeOf(nowMs)]);
}

/** Stores the progress of a run; nothing once it has ended, or another has begun. */
export async function renewRun(tx: Tx, key: RunKey, progress: RunProgress, nowMs: number): Promise<void> {
  const { phase, done, total } = progress;
  await tx.query(RENEW, [...valuesOf(key), phase, done, total, timeOf(nowMs)]);
}

/** Removes a run. */
export async function endRun(tx: Tx, key: RunKey): Promise<void> {
  await tx.query(END, valuesOf(key));
}

/** @returns the progress of the runs of a day, by rail. */
export async function readRuns(
  tx: Tx,
  { mode, day }: Pick<RunKey, 'mode' | 'day'>,
  nowMs: number,
): Promise<ReadonlyMap<string, RunProgress>> {
  const rows = await tx.query<RunProgress & { rail: string }>(OF_DAY, [mode, day, timeOf(nowMs - DEAD_MS)]);
  return new Map(rows.map(({ rail, ...progress }) => [rail, progress]));
}

function valuesOf({ mode, rail, day, id }: RunKey): readonly string[] {
  return [mode, rail, day, id];
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Jobs as operators see them: due or failed ones, the obstacle of each, and immediate retries. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { type JobKey, NEVER, NO_TRANSACTION } from './jobs.ts';

/** A job with its progress so far. */
export interface ListedJob {
  readonly id: bigint;
  readonly accountId: bigint;
  /** Null for a job without a transaction. */
  readonly transactionId: bigint | null;
  readonly end2end: string | null;
  readonly kind: string;
  /** Time on the clock of its mode; null for a job that waits until a person retries it. */
  readonly dueAt: Instant | null;
  /** Number of attempts. */
  readonly attempts: number;
  /** Reason of the last failure; null without one. */
  readonly lastError: string | null;
  /** Whether a worker currently has it. */
  readonly isRunning: boolean;
  /** Whether its transaction has ended. */
  readonly isTransactionEnded: boolean;
}

/** Filter of listed jobs: those of one mode that are due or whose last attempt failed. */
export interface JobFilter {
  readonly mode: AccountMode;
  /** Only jobs of this kind; null for all. */
  readonly kind: string | null;
  /** Only jobs whose last attempt failed. */
  readonly isFailed: boolean;
  /** Current time, on the clock of the mode. Unit: ms. */
  readonly nowMs: number;
  /** Maximum number of due jobs, and of failed jobs that wait. */
  readonly limit: number;
}

const JOB = `j.id, j.account_id as "accountId", nullif(j.transaction_id, ${NO_TRANSACTION}) as "transactionId", t.end2end, j.kind, case when isfinite(j.due_at) then j.due_at end as "dueAt",
      j.attempts, j.last_error as "lastError", coalesce(j.leased_until > clock_timestamp(), false) as "isRunning",
      coalesce(t.outcome <> 'OPEN', false) as "isTransactionEnded"`;
const TRANSACTION = 'left join transaction t on t.account_id = j.account_id and t.id = j.transaction_id';
/**
 * Each part is in the order of its index, so that jobs that wait for their time are never read, however many there are.
 */
const LIST: Statement = {
  name: 'job_list',
  text: `select ${JOB} from (
      (select * from job d where d.is_live = $1 and d.due_at <= $4::timestamptz and not $3::boolean
          and ($2::text is null or d.kind = $2) order by d.due_at, d.id limit $5)
      union all
      (select * from job f where f.is_live = $1 and f.last_error is not null and ($3::boolean or f.due_at > $4::timestamptz)
          and ($2::text is null or f.kind = $2) order by f.account_id limit $5)) j ${TRANSACTION}
     order by j.due_at, j.id`,
};
const WAITING: Statement = {
  name: 'job_waiting',
  text: `select ${JOB} from (select * from job w where w.is_live = $1 and w.due_at = '${NEVER}' and ($2::text is null or w.kind = $2)
      and w.id > $3::bigint order by w.id limit $4) j ${TRANSACTION} order by j.id`,
};
/** Reads the whole table, which has as many rows as there are timers; operators do this rarely. */
const FIND: Statement = {
  name: 'job_find',
  text: `select ${JOB} from job j ${TRANSACTION} where j.id = $1 and j.is_live = $2`,
};
const FIND_AGAIN: Statement = {
  name: 'job_find_again',
  text: `select ${JOB} from job j ${TRANSACTION} where j.account_id = $1 and j.transaction_id = coalesce($2::bigint, ${NO_TRANSACTION}) and j.id = $3`,
};
/** A worker that has claimed it meanwhile keeps it. */
const HURRY: Statement = {
  name: 'job_hurry',
  text: `update job set due_at = least(due_at, $4::timestamptz), leased_by = null, leased_until = null,
      attempts = case when last_error is null then attempts else 0 end
     where account_id = $1 and transaction_id = coalesce($2::bigint, ${NO_TRANSACTION}) and id = $3
       and (leased_until is null or leased_until <= $5::timestamptz)
     returning id`,
};

/** Jobs that a worker has claimed stay with it. */
const CANCEL: Statement = {
  name: 'job_cancel',
  text: `delete from job where account_id = $1 and transaction_id = coalesce($2::bigint, ${NO_TRANSACTION}) and id = $3
      and (leased_until is null or leased_until <= $4::timestamptz)
     returning id`,
};

/** @returns the jobs, longest due first. */
export function listedJobs(tx: Tx, { mode, kind, isFailed, nowMs, limit }: JobFilter): Promise<ListedJob[]> {
  return tx.query<ListedJob>(LIST, [mode === 'live', kind, isFailed, isoOf(nowMs), limit]);
}

/**
 * @returns jobs of one mode that wait for a person, with ids above `afterId`, in order of id; `kind` null returns all
 * kinds.
 */
export function waitingJobs(
  tx: Tx,
  { mode, kind, afterId, limit }: Pick<JobFilter, 'mode' | 'kind' | 'limit'> & { readonly afterId: bigint },
): Promise<ListedJob[]> {
  return tx.query<ListedJob>(WAITING, [mode === 'live', kind, afterId, limit]);
}

/** @returns the job; undefined if it does not exist or is of the other mode. */
export async function findJob(tx: Tx, id: bigint, mode: AccountMode): Promise<ListedJob | undefined> {
  const [job] = await tx.query<ListedJob>(FIND, [id, mode === 'live']);
  return job;
}

/** @returns the current state of the job; undefined after its end. */
export async function findJobAgain(tx: Tx, key: JobKey): Promise<ListedJob | undefined> {
  const [job] = await tx.query<ListedJob>(FIND_AGAIN, [key.accountId, key.transactionId, key.id]);
  return job;
}

/**
 * Makes a job due now at the latest, and restarts the count of failed attempts.
 * @param now - by the clock of its mode and by the database's, read when its account was locked.
 * @returns false if it is done, or a worker has it.
 */
export async function hurryJob(
  tx: Tx,
  { accountId, transactionId, id }: JobKey,
  { nowMs, machineMs }: { readonly nowMs: number; readonly machineMs: number },
): Promise<boolean> {
  const values = [accountId, transactionId, id, isoOf(nowMs), isoOf(machineMs)];
  return (await tx.query<{ id: bigint }>(HURRY, values)).length > 0;
}

/**
 * Deletes an unfinished job.
 * @param machineMs - by the clock of the database.
 * @returns false if it is done, or a worker has it.
 */
export async function cancelJob(
  tx: Tx,
  { accountId, transactionId, id }: JobKey,
  machineMs: number,
): Promise<boolean> {
  const values = [accountId, transactionId, id, isoOf(machineMs)];
  return (await tx.query<{ id: bigint }>(CANCEL, values)).length > 0;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Jobs: work that is due after a commit or at a later time. A job is stored by the database transaction that causes it. */
import type { AccountMode, Times } from '../../base/account-mode.ts';
import type { Database, Statement, Tx } from '../database.ts';

/** A job to be written. */
export interface NewJob {
  readonly accountId: bigint;
  /** Null for one that is about no transaction. */
  readonly transactionId: bigint | null;
  readonly kind: string;
  readonly payload: unknown;
  /** On the process clock (virtual in the sandbox). Unit: ms. */
  readonly dueMs: number;
}

/** A job that a worker has leased. */
export interface Job {
  readonly accountId: bigint;
  readonly id: bigint;
  readonly transactionId: bigint | null;
  readonly kind: string;
  readonly payload: unknown;
  /** Number of this attempt, from 1. */
  readonly attempts: number;
  /** The lease holder; null for a claim without one. */
  readonly leasedBy: string | null;
}

/** The jobs of one transaction. */
export interface TransactionJobs {
  readonly accountId: bigint;
  readonly transactionId: bigint;
}

/** Which jobs are wanted. */
export interface JobClaim {
  /** On the clock of each mode. */
  readonly now: Times;
  readonly limit: number;
  /** The worker whose own jobs are taken at once. Jobs of other workers are taken when they have been due for half a second. */
  readonly worker: number | null;
  /** Only jobs of this transaction, of any worker. */
  readonly only?: TransactionJobs | undefined;
  /** Only jobs of accounts of this mode. */
  readonly mode?: AccountMode | undefined;
  /** The lease holder, for `renewLeases` and `giveBackUnknownJobs`. */
  readonly leasedBy?: string | undefined;
}

/** The key of a job. */
export type JobKey = Pick<Job, 'accountId' | 'id'>;

/** Short, so that jobs of a dead worker are soon free. A worker renews the leases of longer work. */
const LEASE_SECONDS = 6;
/** A job that has been due for this long is taken by any worker: its own is gone or busy. */
const OWN_SECONDS = 0.5;

/** Time of the sandbox, `$1`, and of live accounts, `$2`. The index is divided by clock, too. */
const CLOCKS = `(values (false, $1::timestamptz), (true, $2::timestamptz)) c(is_live, now)`;
const IS_DUE = `(not d.is_live and d.due_at <= $1::timestamptz or d.is_live and d.due_at <= $2::timestamptz)`;

const ADD: Statement = {
  name: 'job_add',
  text: `insert into job (account_id, transaction_id, kind, payload, due_at, worker, is_live)
    select account_id, transaction_id, kind, payload, due_at, $2,
        (select mode = 'live' from account where id = j.account_id)
      from jsonb_to_recordset($1::jsonb) j(account_id bigint, transaction_id bigint, kind text, payload jsonb, due_at timestamptz)`,
};
const CLAIM: Statement = {
  name: 'job_claim',
  text: `update job j set leased_until = $2::timestamptz + interval '${LEASE_SECONDS} seconds', attempts = j.attempts + 1,
        leased_by = $7
    from (select d.account_id, d.id from ${CLOCKS} cross join lateral (
            select d.account_id, d.id, d.due_at from job d
             where d.is_live = c.is_live and d.due_at <= c.now and (d.leased_until is null or d.leased_until < $2::timestamptz)
               and ($4::bigint is null or (d.account_id = $4 and d.transaction_id = $5))
               and ($4 is not null or d.worker is null or d.worker = $6
                    or d.due_at + make_interval(secs => ${OWN_SECONDS}) <= c.now)
               and ($8::boolean is null or d.is_live = $8)
               and not exists (select from job e where e.account_id = d.account_id and e.transaction_id = d.transaction_id
                                 and (e.due_at, e.id) < (d.due_at, d.id))
             order by d.due_at, d.id limit $3 for update of d skip locked) d
           order by d.due_at, d.id limit $3) due
    where j.account_id = due.account_id and j.id = due.id
    returning j.account_id as "accountId", j.id, j.transaction_id as "transactionId", j.kind, j.payload, j.attempts,
        j.leased_by as "leasedBy"`,
};
const RENEW: Statement = {
  name: 'job_renew',
  text: `update job j set leased_until = $1::timestamptz + interval '${LEASE_SECONDS} seconds'
    from unnest($3::bigint[], $4::bigint[]) u(account_id, id)
    where j.account_id = u.account_id and j.id = u.id and j.leased_by = $2`,
};
const END: Statement = {
  name: 'job_end',
  text: `delete from job j using unnest($1::bigint[], $2::bigint[]) u(account_id, id) where j.account_id = u.account_id and j.id = u.id`,
};
const POSTPONE: Statement = {
  name: 'job_postpone',
  text: `update job set due_at = $3, leased_until = null, leased_by = null, last_error = $4,
      attempts = attempts - $5::int where account_id = $1 and id = $2 and leased_by is not distinct from $6`,
};
const GIVE_BACK: Statement = {
  name: 'job_give_back',
  text: `update job j set leased_until = null, leased_by = null, attempts = attempts - 1 where leased_by = $1
      and not exists (select from unnest($2::bigint[], $3::bigint[]) u(account_id, id) where u.account_id = j.account_id and u.id = j.id)`,
};
const PENDING: Statement = {
  name: 'job_pending',
  text: `select count(*)::int as pending from job d where (${IS_DUE} or ($5 and d.last_error is not null))
      and ($6::boolean is null or d.is_live = $6) and ($3::bigint is null or (d.account_id = $3 and d.transaction_id = $4))`,
};

/**
 * Stores jobs. They are due when the transaction is committed, or at their time.
 *
 * @param worker - worker of this process, which takes them first; null for any worker.
 */
export async function addJobs(tx: Tx, jobs: readonly NewJob[], worker: number | null): Promise<void> {
  const records = jobs.map((job) => ({
    account_id: String(job.accountId),
    transaction_id: job.transactionId === null ? null : String(job.transactionId),
    kind: job.kind,
    payload: job.payload,
    due_at: new Date(job.dueMs).toISOString(),
  }));
  await tx.query(ADD, [JSON.stringify(records), worker]);
}

/**
 * Leases due jobs for six seconds of the machine's clock, which the holder renews while it works; a worker that dies gives
 * them back by that. Jobs of one transaction are done one after another, in the order in which they became due.
 */
export function claimJobs(
  database: Tx,
  { now, limit, worker, only, mode, leasedBy }: JobClaim,
): Promise<Job[]> {
  return database.query<Job>(CLAIM, [
    ...instantsOf(now),
    limit,
    only?.accountId ?? null,
    only?.transactionId ?? null,
    worker,
    leasedBy ?? null,
    mode === undefined ? null : mode === 'live',
  ]);
}

/**
 * Begins the leases of jobs anew. One that has ended is the holder's again unless another worker has the job by now.
 *
 * @param nowMs - on the machine's clock.
 */
export async function renewLeases(
  database: Database,
  holder: string,
  jobs: readonly JobKey[],
  nowMs: number,
): Promise<void> {
  await database.query(RENEW, [
    new Date(nowMs).toISOString(),
    holder,
    jobs.map(({ accountId }) => accountId),
    jobs.map(({ id }) => id),
  ]);
}

/**
 * Releases jobs that a holder leased without knowing it, because the answer to its claim was lost.
 *
 * @param known - the jobs that it works on.
 */
export async function giveBackUnknownJobs(
  database: Database,
  holder: string,
  known: readonly JobKey[],
): Promise<void> {
  await database.query(GIVE_BACK, [
    holder,
    known.map(({ accountId }) => accountId),
    known.map(({ id }) => id),
  ]);
}

/** Deletes finished jobs, in the transaction that stores their outcome, if there is one. */
export async function endJobs(tx: Tx, jobs: readonly JobKey[]): Promise<void> {
  await tx.query(END, [jobs.map(({ accountId }) => accountId), jobs.map(({ id }) => id)]);
}

/**
 * Gives a job back, to be tried again at a time; unless another worker has it by now.
 *
 * @param isCounted - whether this was a try; one that failed for reasons of ours is none.
 */
export async function postponeJob(
  database: Tx,
  job: JobKey & Pick<Job, 'leasedBy'>,
  {
    dueMs,
    error,
    isCounted,
  }: { readonly dueMs: number; readonly error: string; readonly isCounted: boolean },
): Promise<void> {
  const values = [new Date(dueMs).toISOString(), error.slice(0, 500), isCounted ? 0 : 1, job.leasedBy];
  await database.query(POSTPONE, [job.accountId, job.id, ...values]);
}

/**
 * @param now - on the clock of each mode.
 * @param options - `only`: one transaction; `mode`: accounts of one mode; `withPostponed`: also those that failed and are tried again later.
 * @returns how many jobs are due and not done.
 */
export async function pendingJobs(
  database: Tx,
  now: Times,
  {
    only,
    withPostponed = false,
    mode,
  }: Pick<JobClaim, 'only' | 'mode'> & { readonly withPostponed?: boolean } = {},
): Promise<number> {
  const [row] = await database.query<{ pending: number }>(PENDING, [
    ...instantsOf(now),
    only?.accountId ?? null,
    only?.transactionId ?? null,
    withPostponed,
    mode === undefined ? null : mode === 'live',
  ]);
  return row?.pending ?? 0;
}

function instantsOf({ sandbox, live }: Times): [string, string] {
  return [new Date(sandbox).toISOString(), new Date(live).toISOString()];
}

/** Jobs: work that is due after a commit or at a later time. A job is stored by the database transaction that causes it. */
import { type AccountMode, instantsOf, type Times } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';

/** A job to store. */
export interface NewJob {
  readonly accountId: bigint;
  /** Null for a job without a transaction. */
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
  /** On the process clock. */
  readonly dueAt: Instant;
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

/** Filter of jobs. */
export interface JobClaim {
  /** On the clock of each mode. */
  readonly now: Times;
  readonly limit: number;
  /**
   * The worker that claims its own jobs immediately. It claims jobs of other workers when they have been due for half a
   * second.
   */
  readonly worker: number | null;
  /** Only jobs of this transaction, of any worker. */
  readonly only?: TransactionJobs | undefined;
  /** Only jobs of accounts of this mode. */
  readonly mode?: AccountMode | undefined;
  /** The lease holder, for `renewLeases` and `releaseUnknownJobs`. */
  readonly leasedBy?: string | undefined;
  /** Only jobs that have become due since then, on the clock of each mode. */
  readonly since?: Times | undefined;
  /** Accounts whose jobs are left out. */
  readonly except?: readonly bigint[] | undefined;
}

/** The key of a job. */
export type JobKey = Pick<Job, 'accountId' | 'transactionId' | 'id'>;

/** Short, so that jobs of a dead worker become free soon. A worker renews the leases of longer work. */
const LEASE_SECONDS = 6;
/** Time after which any worker claims a due job, because its own worker is gone or busy. */
const OWN_SECONDS = 0.5;

/** Time of the sandbox, `$1` and `$9`, and of live accounts, `$2` and `$10`. The index is divided by clock, too. */
const CLOCKS = `(values (false, $1::timestamptz, $9::timestamptz), (true, $2::timestamptz, $10::timestamptz)) c(is_live, now, since)`;
const IS_DUE = `(not d.is_live and d.due_at <= $1::timestamptz or d.is_live and d.due_at <= $2::timestamptz)`;

/** Transaction id of a job without a transaction: it is part of the job's key, and finds such jobs. */
export const NO_TRANSACTION = 0n;

/** A job of table alias `n`. */
const JOB = `n.account_id as "accountId", n.id, nullif(n.transaction_id, ${NO_TRANSACTION}) as "transactionId", n.kind, n.payload,
        n.due_at as "dueAt", n.attempts, n.leased_by as "leasedBy"`;
/** The members of `jobRecord`, with their types. */
export const JOB_RECORD =
  'account_id bigint, transaction_id bigint, kind text, payload jsonb, due_at timestamptz';

/**
 * @param from - SQL that returns the members of `jobRecord` as columns.
 * @param worker - parameter with the worker that claims them first.
 * @returns SQL that stores these jobs.
 */
export function insertJobs(from: string, worker: string): string {
  return `insert into job (account_id, transaction_id, kind, payload, due_at, worker, is_live)
      select account_id, coalesce(transaction_id, ${NO_TRANSACTION}), kind, payload, due_at, ${worker}::int,
          (select mode = 'live' from account where id = j.account_id)
        from (${from}) j`;
}

const ADD: Statement = {
  name: 'job_add',
  text: insertJobs(`select * from jsonb_to_recordset($1::jsonb) r(${JOB_RECORD})`, '$2'),
};
/** Dispatched jobs are leased when they are stored, unless another job of their transaction comes first. */
const ADD_HANDED: Statement = {
  name: 'job_add_handed',
  text: `insert into job as n (account_id, transaction_id, kind, payload, due_at, worker, is_live, leased_by, leased_until, attempts)
      select account_id, coalesce(transaction_id, ${NO_TRANSACTION}), kind, payload, due_at, $2::int,
          (select mode = 'live' from account where id = j.account_id), case when is_handed then $3::text end,
          case when is_handed then $4::timestamptz + interval '${LEASE_SECONDS} seconds' end, is_handed::int
        from (select r.*, r.handed and not exists (select from job e where e.account_id = r.account_id
                 and e.transaction_id = r.transaction_id and e.due_at <= r.due_at) as is_handed
                from jsonb_to_recordset($1::jsonb) r(${JOB_RECORD}, handed boolean)) j
    returning ${JOB}`,
};
const CLAIM: Statement = {
  name: 'job_claim',
  text: `update job j set leased_until = $2::timestamptz + interval '${LEASE_SECONDS} seconds', attempts = j.attempts + 1,
        leased_by = $7
    from (select d.account_id, d.transaction_id, d.id from ${CLOCKS} cross join lateral (
            select d.account_id, d.transaction_id, d.id, d.due_at from job d
             where d.is_live = c.is_live and d.due_at <= c.now
               and d.due_at >= c.since and (d.leased_until is null or d.leased_until < $2::timestamptz)
               and ($4::bigint is null or (d.account_id = $4 and d.transaction_id = $5))
               and ($4 is not null or d.worker is null or d.worker = $6
                    or d.due_at + make_interval(secs => ${OWN_SECONDS}) <= c.now)
               and ($8::boolean is null or d.is_live = $8) and d.account_id <> all ($11::bigint[])
               and not exists (select from job e where e.account_id = d.account_id
                                 and e.transaction_id = nullif(d.transaction_id, ${NO_TRANSACTION}) and (e.due_at, e.id) < (d.due_at, d.id))
             order by d.due_at, d.id limit $3 for update of d skip locked) d
           order by d.due_at, d.id limit $3) due
    where j.account_id = due.account_id and j.transaction_id = due.transaction_id and j.id = due.id
    returning ${JOB.replaceAll('n.', 'j.')}`,
};
/** A locked job is being ended: waiting for it while holding other locks would be a deadlock. */
const RENEW: Statement = {
  name: 'job_renew',
  text: `update job j set leased_until = $1::timestamptz + interval '${LEASE_SECONDS} seconds'
    from (
      select m.account_id, m.transaction_id, m.id from unnest($3::bigint[], $4::bigint[], $5::bigint[]) u(account_id, transaction_id, id)
        join job m on m.account_id = u.account_id and m.transaction_id = u.transaction_id and m.id = u.id and m.leased_by = $2
         for no key update of m skip locked) mine
    where j.account_id = mine.account_id and j.transaction_id = mine.transaction_id and j.id = mine.id`,
};
const END: Statement = {
  name: 'job_end',
  text: `with ended as (
      delete from job j
        using unnest($1::bigint[], $2::bigint[], $3::bigint[]) u(account_id, transaction_id, id)
       where j.account_id = u.account_id and j.transaction_id = u.transaction_id and j.id = u.id
      returning j.account_id, j.transaction_id, j.id
    )
    select exists (select from ended e join job o
        on o.account_id = e.account_id and o.transaction_id = nullif(e.transaction_id, ${NO_TRANSACTION})
      where o.id <> e.id and o.due_at <= $4::timestamptz) as "areOthersDue"`,
};
const POSTPONE: Statement = {
  name: 'job_postpone',
  text: `update job set due_at = $4, leased_until = null, leased_by = null, last_error = $5,
      attempts = attempts - $6::int where account_id = $1 and transaction_id = $2 and id = $3
      and leased_by is not distinct from $7 and due_at = $8::timestamptz and attempts = $9`,
};
const RELEASE: Statement = {
  name: 'job_give_back',
  text: `update job j set leased_until = null, leased_by = null, attempts = attempts - 1 where leased_by = $1
      and not exists (select from unnest($2::bigint[], $3::bigint[], $4::bigint[]) u(account_id, transaction_id, id)
        where u.account_id = j.account_id and u.transaction_id = j.transaction_id and u.id = j.id)`,
};
const PENDING: Statement = {
  name: 'job_pending',
  text: `select count(*)::int as pending from job d where ${IS_DUE}
      and ($5::boolean is null or d.is_live = $5) and ($3::bigint is null or (d.account_id = $3 and d.transaction_id = $4))`,
};

const PENDING_OF: Statement = {
  name: 'job_pending_of',
  text: `select (select count(*)::int from job d where d.account_id = w.account_id and d.transaction_id = w.transaction_id
             and (${IS_DUE} or d.last_error is not null)) as pending
      from unnest($3::bigint[], $4::bigint[]) with ordinality as w (account_id, transaction_id, place) order by w.place`,
};

/**
 * Stores jobs. The jobs are due when the transaction is committed, or at their time.
 * @param worker - worker of this process, which claims them first; null for any worker.
 */
export async function addJobs(tx: Tx, jobs: readonly NewJob[], worker: number | null): Promise<void> {
  await tx.query(ADD, [JSON.stringify(jobs.map(jobRecord)), worker]);
}

/** @returns a job as statements take it. */
export function jobRecord({ accountId, transactionId, kind, payload, dueMs }: NewJob): object {
  return {
    account_id: String(accountId),
    transaction_id: transactionId === null ? null : String(transactionId),
    kind,
    payload,
    due_at: new Date(dueMs).toISOString(),
  };
}

/** Jobs that are dispatched to a worker of this process when they are stored. */
export interface HandedJobs {
  readonly jobs: ReadonlySet<NewJob>;
  readonly holder: string;
  /** On the database's clock. */
  readonly nowMs: number;
}

/**
 * Variant of `addJobs`; some of the jobs are leased immediately.
 * @param handed - jobs of different transactions.
 * @returns the leased jobs: a job waits for earlier due jobs of its transaction.
 */
export async function addHandedJobs(
  tx: Tx,
  jobs: readonly NewJob[],
  worker: number | null,
  { jobs: handed, holder, nowMs }: HandedJobs,
): Promise<Job[]> {
  const records = jobs.map((job) => ({ ...jobRecord(job), handed: handed.has(job) }));
  const added = await tx.query<Job>(ADD_HANDED, [
    JSON.stringify(records),
    worker,
    holder,
    new Date(nowMs).toISOString(),
  ]);
  return added.filter(({ leasedBy }) => leasedBy !== null);
}

/**
 * Leases due jobs for six seconds of the database's clock; the holder renews the lease while it works, and a dead
 * worker loses it. Jobs of one transaction run one at a time, in the order in which they became due.
 */
export function claimJobs(
  database: Tx,
  { now, limit, worker, only, mode, leasedBy, since, except = [] }: JobClaim,
): Promise<Job[]> {
  return database.query<Job>(CLAIM, [
    ...instantsOf(now),
    limit,
    only?.accountId ?? null,
    only?.transactionId ?? null,
    worker,
    leasedBy ?? null,
    mode === undefined ? null : mode === 'live',
    ...(since ? instantsOf(since) : ALWAYS),
    except,
  ]);
}

/**
 * Renews the leases of jobs. The holder gets an expired lease back unless another worker has claimed the job.
 * @param nowMs - on the database's clock.
 */
export async function renewLeases(
  database: Database,
  holder: string,
  jobs: readonly JobKey[],
  nowMs: number,
): Promise<void> {
  await database.query(RENEW, [new Date(nowMs).toISOString(), holder, ...keysOf(jobs)]);
}

/**
 * Releases jobs that a holder leased unknowingly, because the answer to its claim was lost.
 * @param known - the jobs that it works on.
 */
export async function releaseUnknownJobs(
  database: Database,
  holder: string,
  known: readonly JobKey[],
): Promise<void> {
  await database.query(RELEASE, [holder, ...keysOf(known)]);
}

/**
 * Deletes finished jobs, in the transaction that stores their outcome, if there is one.
 *
 * @param nowMs - on the clock of their accounts.
 * @returns whether another job of one of their transactions is due.
 */
export async function endJobs(tx: Tx, jobs: readonly JobKey[], nowMs: number): Promise<boolean> {
  const [row] = await tx.query<{ areOthersDue: boolean }>(END, [
    ...keysOf(jobs),
    new Date(nowMs).toISOString(),
  ]);
  return row?.areOthersDue ?? false;
}

/** Due time of a job or an order that waits for a person: never by itself. */
export const NEVER = 'infinity';

/**
 * Releases a job, to be retried at a time, or by a person (`dueMs` null). The call may be repeated after a lost answer,
 * so it names the lease: a claim changes the attempt number, and a postponement the due time. Nothing changes if a
 * worker has claimed the job again.
 * @param isCounted - whether this counts as an attempt; the gateway's own failures do not.
 */
export async function postponeJob(
  database: Tx,
  job: JobKey & Pick<Job, 'leasedBy' | 'dueAt' | 'attempts'>,
  {
    dueMs,
    error,
    isCounted,
  }: { readonly dueMs: number | null; readonly error: string; readonly isCounted: boolean },
): Promise<void> {
  const due = dueMs === null ? NEVER : new Date(dueMs).toISOString();
  const values = [due, error.slice(0, 500), isCounted ? 0 : 1];
  const lease = [job.leasedBy, job.dueAt, job.attempts];
  await database.query(POSTPONE, [
    job.accountId,
    job.transactionId ?? NO_TRANSACTION,
    job.id,
    ...values,
    ...lease,
  ]);
}

/**
 * @param now - on the clock of each mode.
 * @param options - `only`: one transaction; `mode`: accounts of one mode.
 * @returns the number of jobs that are due and not done.
 */
export async function pendingJobs(
  database: Tx,
  now: Times,
  { only, mode }: Pick<JobClaim, 'only' | 'mode'> = {},
): Promise<number> {
  const [row] = await database.query<{ pending: number }>(PENDING, [
    ...instantsOf(now),
    only?.accountId ?? null,
    only?.transactionId ?? null,
    mode === undefined ? null : mode === 'live',
  ]);
  return row?.pending ?? 0;
}

/**
 * @returns the number of jobs per transaction that are due, or failed and will be retried; in the order of the
 *   transactions.
 */
export async function pendingJobsOf(
  database: Tx,
  now: Times,
  transactions: readonly TransactionJobs[],
): Promise<readonly number[]> {
  const rows = await database.query<{ pending: number }>(PENDING_OF, [
    ...instantsOf(now),
    transactions.map(({ accountId }) => accountId),
    transactions.map(({ transactionId }) => transactionId),
  ]);
  return rows.map(({ pending }) => pending);
}

const ALWAYS = ['-infinity', '-infinity'] as const;

/** @returns the keys as arrays of their columns. */
function keysOf(jobs: readonly JobKey[]): [bigint[], bigint[], bigint[]] {
  return [
    jobs.map(({ accountId }) => accountId),
    jobs.map(({ transactionId }) => transactionId ?? NO_TRANSACTION),
    jobs.map(({ id }) => id),
  ];
}

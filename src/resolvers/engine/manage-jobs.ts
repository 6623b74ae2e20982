/**
 * Jobs for the operator: lists due and failed ones, retries one immediately or all that wait for a person, and cancels one
 * that nothing depends on.
 */
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { millisOf } from '../../base/time/instant.ts';
import type { Tx } from '../../store/connection/database.ts';
import { type AuditFacts, accountObject } from '../../store/engine/audit.ts';
import {
  cancelJob,
  findJob,
  findJobAgain,
  hurryJob,
  type ListedJob,
  listedJobs,
  waitingJobs,
} from '../../store/engine/job-list.ts';
import { mayCancelJob } from '../../templates/effects.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Context, onAccount, requirePermission, requireScope } from '../services/context.ts';

/** Waiting jobs that are read at a time. */
const BATCH_MAX = 100;
const ID = /^[1-9]\d{0,17}$/;

/** Filter of listed jobs. */
export interface JobChoice {
  /** Only jobs of this kind. */
  readonly kind?: string | undefined;
  /** Only jobs whose last attempt failed. @default false */
  readonly isFailed?: boolean | undefined;
  readonly limit: number;
}

/**
 * @returns the jobs of the caller's mode that are due or failed, longest due first. A job that waits for its time is not among them.
 * @throws {GatewayError} `FORBIDDEN`.
 */
export async function listJobs(
  context: Context,
  { kind, isFailed = false, limit }: JobChoice,
): Promise<ListedJob[]> {
  requireScope(context, 'platform:risk');
  const { database, mode, clock } = context;
  return listedJobs(database, { mode, kind: kind ?? null, isFailed, nowMs: await clock.nowMs(), limit });
}

/** @returns a job of the caller's mode. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`: also for one that is done. */
export async function readJob(context: Context, id: string): Promise<ListedJob> {
  requireScope(context, 'platform:risk');
  const job = ID.test(id) ? await findJob(context.database, BigInt(id), context.mode) : undefined;
  if (!job) throw notFound();
  return job;
}

/**
 * Retries a job immediately, and restarts its count of attempts. A timer that is not due stays as it is.
 *
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`; `STEP_CONFLICT` while a worker has it, and before its time.
 */
export async function retryJob(context: Context, id: string): Promise<void> {
  requirePermission(context, 'job.retry');
  await retry(context, await readJob(context, id));
}

/**
 * Retries all jobs that wait for a person, as `retryJob` does with one; each has its entry in the audit log.
 *
 * @param kind - only jobs of this kind; default: all.
 * @returns their number, without jobs that another person has retried meanwhile.
 * @throws {GatewayError} `FORBIDDEN`.
 */
export async function retryWaitingJobs(
  context: Context,
  { kind = null }: { readonly kind?: string | null | undefined },
): Promise<number> {
  requirePermission(context, 'job.retry');
  const { database, mode } = context;
  let retried = 0;
  for (let afterId = 0n; ; ) {
    const jobs = await waitingJobs(database, { mode, kind, afterId, limit: BATCH_MAX });
    for (const job of jobs) retried += Number(await isRetried(context, job));
    const last = jobs.at(-1);
    if (!last || jobs.length < BATCH_MAX) return retried;
    afterId = last.id;
  }
}

/** @returns false for a job that is done, or that a worker has. */
async function isRetried(context: Context, job: ListedJob): Promise<boolean> {
  try {
    await retry(context, job);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && ['NOT_FOUND', 'STEP_CONFLICT'].includes(error.code)) return false;
    throw error;
  }
}

/** @throws {GatewayError} as `retryJob`. */
async function retry(context: Context, found: ListedJob): Promise<void> {
  const { id } = found;
  await change(context, 'job.retry', found, async (tx, job, times) => {
    if (job.lastError === null && job.dueAt !== null && millisOf(job.dueAt) > times.nowMs)
      throw new GatewayError('STEP_CONFLICT', `job ${id} has not failed, and is not due yet`);
    if (!(await hurryJob(tx, job, times))) throw beingDone(id);
    return { after: { job: String(id), kind: job.kind, attempts: job.attempts } };
  });
}

/**
 * Gives up a failed job if no money waits for it and no transaction stays open without it.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `NOT_FOUND`; `STEP_CONFLICT` for another job, and while a worker
 * has it.
 */
export async function giveUpJob(
  context: Context,
  id: string,
  input: Named,
  checks: CreationChecks,
): Promise<void> {
  requirePermission(context, 'job.cancel');
  const reason = checks.reasonOf(input);
  await change(context, 'job.cancel', await readJob(context, id), async (tx, job, { machineMs }) => {
    if (job.lastError === null) throw new GatewayError('STEP_CONFLICT', `job ${id} has not failed`);
    if (!mayCancelJob(job.kind, job.isTransactionEnded))
      throw new GatewayError(
        'STEP_CONFLICT',
        `a job of kind ${job.kind} cannot be cancelled: money or an open transaction waits for it`,
      );
    if (!(await cancelJob(tx, job, machineMs))) throw beingDone(job.id);
    const before = { job: id, kind: job.kind, attempts: job.attempts };
    return { before, after: { reason } };
  });
}

function beingDone(id: bigint): GatewayError {
  return new GatewayError('STEP_CONFLICT', `a worker is doing job ${id} now`);
}

/** Changes a job while its account is locked. @param work - returns the facts for the audit log. */
async function change(
  context: Context,
  action: 'job.retry' | 'job.cancel',
  found: ListedJob,
  work: (
    tx: Tx,
    job: ListedJob,
    times: { readonly nowMs: number; readonly machineMs: number },
  ) => Promise<AuditFacts>,
): Promise<void> {
  const { accountId } = found;
  await audited(onAccount(context, accountId), async (tx, writeDown, nowMs) => {
    const job = await findJobAgain(tx, found);
    if (!job) throw notFound();
    const facts = await work(tx, job, { nowMs, machineMs: context.database.nowMs() });
    const object =
      job.end2end === null ? accountObject(accountId) : ({ kind: 'transaction', id: job.end2end } as const);
    writeDown(action, object, facts);
  });
  context.notifier.notify([accountId]);
}

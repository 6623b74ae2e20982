/** The worker: claims due jobs, runs them, and reports their outcomes to the transactions. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AccountMode, Times } from '../../base/access/account-mode.ts';
import { assert } from '../../base/errors/assert.ts';
import { aboutTransaction, noteTransaction } from '../../base/trace/about.ts';
import { traceWork } from '../../base/trace/spans.ts';
import { isDatabaseUnreachable, plainMessage } from '../../store/connection/database-error.ts';
import { PollSchedule } from '../../store/connection/poll-schedule.ts';
import {
  claimJobs,
  endJobs,
  type Job,
  type JobClaim,
  pendingJobs,
  postponeJob,
  releaseUnknownJobs,
  renewLeases,
} from '../../store/engine/jobs.ts';
import { readProcesses } from '../../store/engine/processes.ts';
import { type EffectName, MONEY_OUT_EFFECTS, STEP_EFFECTS } from '../../templates/effects.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';
import type { Receiver } from '../services/local-dispatch.ts';
import type { TransactionKey } from '../services/notifier.ts';
import type { RailEvent } from '../services/rail-event.ts';
import { RailRefused } from '../services/rails.ts';
import { leaseAfterLostAnswers } from './lost-answers.ts';
import { EFFECT_FAILURES, EFFECT_PERFORMERS, type EffectFacts } from './perform-effects.ts';
import { type RepeatOptions, repeat } from './repeat.ts';
import { RunningJobs } from './running-jobs.ts';
import { pauseOf } from './uncounted-failures.ts';

/** Kind of a job whose payload is a rail event, as stored in the table; all other jobs are effects of steps. */
export const RAIL_EVENT_JOB = 'news';

/** A worker that runs until it is stopped. */
export interface Worker {
  /** Claims no more jobs, and waits for the running ones. */
  readonly stop: () => Promise<void>;
}

/**
 * Maximum number of parallel jobs from the queue. Dispatched jobs are not counted: they would delay older ones. Jobs of
 * locked accounts are not counted either.
 */
const BATCH_MAX = 100;
/** The engine dispatches no job while this many are running. */
const RUNNING_MAX = 200;
/** Poll interval, for jobs whose notification was missed: timers, and jobs of other processes. */
const POLL_MS = 150;
const REPEAT: RepeatOptions = { failedMs: POLL_MS, complaint: 'jobs cannot be taken' };
/** Poll interval while other workers have the jobs. */
const POLL_AGAIN_MS = 10;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 6 * 3_600_000;
/** Maximum number of attempts of an effect that can fail permanently (EFFECT_FAILURES). */
const ATTEMPTS_MAX = 5;
/** Maximum number of immediate repetitions of an effect whose facts changed before its outcome was stored. */
const ATTEMPTS_COUNTED_MAX = 5;
/**
 * Maximum number of attempts of an effect that orders money out, over a day: the rail may have received the order, so
 * only a person may decide about it then.
 */
const MONEY_OUT_ATTEMPTS_MAX = 12;
/** A lease lasts six seconds; it is renewed for jobs that have run for a second. */
const RENEWALS: RepeatOptions = { failedMs: 300, complaint: 'leases of jobs cannot be renewed' };
const RENEW_MS = 1_000;
/** Duration and interval of a worker's attempts to release a job while the database is unreachable. */
const RELEASE_MS = 25_000;
const RELEASE_PAUSE_MS = 300;

/** Starts the worker of this process. Several may work on one database. */
export function startWorker(services: Services, log: Logger): Worker {
  const stopping = new AbortController();
  const holder = randomBytes(12).toString('base64url');
  const running = new RunningJobs(services.locked);
  const lease = leaseAfterLostAnswers(() => releaseUnknownJobs(services.database, holder, running.all));
  const schedule = new PollSchedule<Times>(({ sandbox, live }, byMs) => ({
    sandbox: sandbox - byMs,
    live: live - byMs,
  }));
  const claim = async (room: number): Promise<Job[]> => {
    const now = await services.times();
    const since = schedule.begin();
    // While some jobs of a locked account wait, no more of them are claimed.
    const except = running.lockedAccounts;
    const jobs = await lease.lease(() => claimDue(services, room, { now, leasedBy: holder, since, except }));
    schedule.end(now, jobs.length === room);
    return jobs;
  };
  /** Whether jobs may wait for a free slot. */
  let isFull = false;
  const begin = (job: Job, row?: ProcessRow) => {
    // Released in doubt, and claimed again, before the commit that dispatches the job was answered.
    if (running.has(job)) return;
    const work = runJob(services, job, log, { row, stop: stopping.signal }).then((mayFollow) => {
      running.delete(job);
      if (mayFollow || isFull) loop.wake();
    });
    running.add(job, work, { isClaimed: !row });
  };
  const loop = repeat(stopping.signal, log, REPEAT, async () => {
    const room = BATCH_MAX - running.claimedCount;
    isFull = room <= 0;
    if (isFull) return POLL_MS;
    const jobs = await claim(room);
    for (const job of jobs) begin(job);
    return jobs.length < room ? POLL_MS : 0;
  });
  services.notifier.onJobs(loop.wake);
  const receiver: Receiver = {
    holder,
    doubt: lease.doubt,
    room: () => (stopping.signal.aborted ? 0 : Math.max(0, RUNNING_MAX - running.count)),
    begin: ({ job, row }) => begin(job, row),
  };
  services.localDispatch.receiver = receiver;
  const ended = new AbortController();
  let before: ReadonlySet<Job> = new Set();
  const renewing = repeat(ended.signal, log, RENEWALS, async () => {
    const jobs = running.all;
    const lasting = jobs.filter((job) => before.has(job));
    before = new Set(jobs);
    if (lasting.length > 0) await renewLeases(services.database, holder, lasting, services.database.nowMs());
    return RENEW_MS;
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.done;
      // A batch under way may still dispatch jobs.
      await running.ended();
      if (services.localDispatch.receiver === receiver) services.localDispatch.receiver = undefined;
      ended.abort();
      await renewing.done;
    },
  };
}

/**
 * Runs due jobs, and jobs that they make due, until none is left or other workers have them.
 *
 * @param options - `only`: one transaction; `mode`: accounts of one mode; `patienceMs`: maximum wait for other
 *   workers, default 5 seconds.
 */
export async function settle(
  services: Services,
  log: Logger,
  {
    only,
    mode,
    patienceMs = 5_000,
  }: { readonly only?: TransactionKey; readonly mode?: AccountMode; readonly patienceMs?: number } = {},
): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const jobs = await claimDue(services, BATCH_MAX, { now: await services.times(), only, mode });
    await Promise.all(jobs.map((job) => runJob(services, job, log)));
    if (jobs.length > 0) continue;
    const pending = await pendingJobs(services.database, await services.times(), { only, mode });
    if (pending === 0 || performance.now() >= until) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_AGAIN_MS));
  }
}

function claimDue(
  { database, worker }: Services,
  limit: number,
  options: Omit<JobClaim, 'limit' | 'worker'>,
): Promise<Job[]> {
  return claimJobs(database, { limit, worker, ...options });
}

/**
 * @param options - `row`: the transaction as it was when the job was stored; read by default. `stop`: gives up.
 * @returns whether another job may have waited for this one; when the engine ended it, the worker knows already.
 */
async function runJob(services: Services, job: Job, log: Logger, options: RunOptions = {}): Promise<boolean> {
  const attributes = { 'crossramp.job': String(job.id), 'crossramp.account': String(job.accountId) };
  return traceWork(`job ${job.kind}`, attributes, () =>
    aboutTransaction(options.row?.end2end, () => attemptJob(services, job, log, options)),
  );
}

interface RunOptions {
  readonly row?: ProcessRow | undefined;
  readonly stop?: AbortSignal;
}

async function attemptJob(
  services: Services,
  job: Job,
  log: Logger,
  { row, stop }: RunOptions,
): Promise<boolean> {
  try {
    const own = await services.forAccount(job.accountId);
    if (job.kind !== RAIL_EVENT_JOB) return !(await perform(own, job, row));
    await bring(own, job);
  } catch (error) {
    const { kind, id, attempts } = job;
    log.warn({ err: error, job: kind, jobId: String(id), attempts }, 'job failed');
    await releaseInTime(services, job, error, stop).catch((reason) =>
      log.warn({ err: reason, job: job.kind }, 'job cannot be released'),
    );
  }
  return true;
}

/** Releases a job as soon as the database accepts it; after the end of its lease, no release is needed. */
async function releaseInTime(
  services: Services,
  job: Job,
  error: unknown,
  stop: AbortSignal | undefined,
): Promise<void> {
  const untilMs = performance.now() + RELEASE_MS;
  for (;;) {
    try {
      return await release(services, job, error);
    } catch (reason) {
      if (!isDatabaseUnreachable(reason) || stop?.aborted || performance.now() > untilMs) throw reason;
      await sleep(RELEASE_PAUSE_MS);
    }
  }
}

/** An event that cannot be settled now is stored and retried; the job ends. */
async function bring(services: Services, job: Job): Promise<void> {
  await services.receive(job.payload as RailEvent);
  await endJobs(services.database, [job], await services.clock.nowMs());
}

/** @returns whether the engine ended the job, with its outcome. */
async function perform(services: Services, job: Job, known: ProcessRow | undefined): Promise<boolean> {
  const target = targetOf(job);
  const facts = job.payload as EffectFacts;
  const kind = job.kind as EffectName;
  for (let attempt = 0; attempt < ATTEMPTS_COUNTED_MAX; attempt += 1) {
    const row = (attempt === 0 && known) || (await readProcesses(services.database, [target]))[0];
    noteTransaction(row?.end2end);
    const order = row && { key: `${row.end2end}:${job.id}`, row };
    const outcome = order && (await EFFECT_PERFORMERS[kind](services, order, facts));
    if (!outcome) {
      await endJobs(services.database, [job], await services.clock.nowMs());
      return false;
    }
    const sequence = STEP_EFFECTS.includes(kind) ? facts.sequence : undefined;
    // An outcome that no longer fits (a timer of a step that was left) also ends its job.
    const { trigger, holds } = 'trigger' in outcome ? outcome : { trigger: outcome, holds: undefined };
    const { code } = await services.advance({ target, trigger, job, sequence, holds });
    if (code !== 'OUTDATED') return true;
  }
  throw new Error('the facts behind the outcome keep changing');
}

function targetOf({ accountId, transactionId }: Job): TransactionKey {
  assert(transactionId !== null, 'an effect is of a transaction');
  return { accountId, transactionId };
}

async function release(anyServices: Services, job: Job, error: unknown): Promise<void> {
  const services = await anyServices.forAccount(job.accountId);
  const failure = EFFECT_FAILURES[job.kind as EffectName];
  const pauseMs = pauseOf(error);
  const isCounted = pauseMs === undefined;
  if (failure && isCounted && (error instanceof RailRefused || job.attempts >= ATTEMPTS_MAX)) {
    await services.advance({ target: targetOf(job), trigger: failure, job });
    return;
  }
  const isGivenUp =
    isCounted && MONEY_OUT_EFFECTS.includes(job.kind as EffectName) && job.attempts >= MONEY_OUT_ATTEMPTS_MAX;
  const waitMs = pauseMs ?? Math.min(RETRY_FIRST_MS * 4 ** (job.attempts - 1), RETRY_MAX_MS);
  const dueMs = isGivenUp ? null : (await services.clock.nowMs()) + waitMs;
  await postponeJob(services.database, job, { dueMs, error: plainMessage(error), isCounted });
}

/**
 * Reconciles every configured rail once for each day in Brasília, after it is over. One of several processes does the work; a
 * day that failed is retried, and days on which no process ran are done later.
 */
import type { Logger } from 'pino';
import { ACCOUNT_MODES, keyModeOf } from '../../base/access/account-mode.ts';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../base/time/brasilia-day.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import { plainMessage } from '../../store/connection/database-error.ts';
import {
  beginNightlyRuns,
  claimNightlyRun,
  extendNightlyRun,
  failNightlyRun,
  finishNightlyRun,
  readNightlyRun,
} from '../../store/rails/nightly-run.ts';
import { type BackgroundWork, endWithin, repeat } from '../engine/repeat.ts';
import { type Context, GATEWAY, type Services } from '../services/context.ts';
import { countsOf, isOpen, reconcile, statementOf } from './reconcile.ts';

const REPEAT = { failedMs: 60_000, complaint: 'the reconciliation of the night has to wait' };
const EVERY_MS = 60_000;
/** Lease of a report: a process that dies releases it by its expiry; a living one renews it. */
const LEASE_MS = 300_000;
const ALIVE_MS = 60_000;
/** Time for which a shutdown waits for a running report; another process makes it then. */
const STOP_MAX_MS = 5_000;
const AGAIN_MS = 15 * 60_000;
/** Days that are done later if no process ran, or the rail did not report them; older ones are left to a person. */
const LATE_DAYS = 7;

/** @param atMs - time after midnight in Brasília, milliseconds. */
export function startNightlyReconciliation(services: Services, log: Logger, atMs: number): BackgroundWork {
  const stopping = new AbortController();
  const loop = repeat(stopping.signal, log, REPEAT, async () => {
    for (const mode of ACCOUNT_MODES) await reconcileDueDays(services.forMode(mode), log, atMs);
    return EVERY_MS;
  });
  return {
    stop: async () => {
      stopping.abort();
      await endWithin(STOP_MAX_MS, loop.done);
    },
  };
}

/**
 * Reconciles due days of each rail of a mode. Rails played in this process have no other side, and are left out.
 *
 * @param atMs - time after midnight in Brasília, milliseconds.
 */
export async function reconcileDueDays(
  own: Services,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  atMs: number,
): Promise<void> {
  const nowMs = await own.clock.nowMs();
  const today = brasiliaDay(nowMs);
  const last = dayAfter(today, nowMs - brasiliaMidnight(today) < atMs ? -2 : -1);
  for (const { name: rail } of own.railParts)
    if (statementOf(own, rail)) while (await reconcileNextDay(own, log, rail, last));
}

/** @returns whether a day got its report, and another one may be due. */
async function reconcileNextDay(
  own: Services,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  rail: string,
  last: string,
): Promise<boolean> {
  const { database, mode } = own;
  const key = { mode, rail };
  const run = await readNightlyRun(database, key);
  const nowMs = database.nowMs();
  if (!run) {
    // Nothing is known of the days before a rail existed.
    await beginNightlyRuns(database, key, last, nowMs);
    return false;
  }
  const next = run.isDone ? dayAfter(run.day) : run.day;
  const oldest = dayAfter(last, 1 - LATE_DAYS);
  const day = next < oldest ? oldest : next;
  if (day > last) return false;
  if (!(await claimNightlyRun(database, key, day, { nowMs, untilMs: nowMs + LEASE_MS }))) return false;
  if (day > next) {
    const left = { mode, rail, from: next, until: dayAfter(day, -1) };
    log.error(left, 'some days are no longer reconciled automatically: reconcile them by hand');
  }
  const alive = setInterval(() => {
    extendNightlyRun(database, key, day, database.nowMs() + LEASE_MS).catch(() => {});
  }, ALIVE_MS);
  try {
    const input = { rail: { name: 'rail', value: rail }, day: { name: 'day', value: day } };
    const bind = (tx: Parameters<typeof finishNightlyRun>[0]) => finishNightlyRun(tx, key, day);
    const report = await reconcile(await gatewayContext(own), input, { made: null, bind });
    const facts = { mode, rail, day, report: report.id, ...countsOf(report) };
    if (isOpen(report)) log.error(facts, 'reconciliation found differences');
    else log.info(facts, 'reconciliation found no differences');
    return true;
  } catch (error) {
    const trouble = plainMessage(error);
    log.warn({ mode, rail, day, trouble }, 'a day cannot be reconciled now');
    await failNightlyRun(database, key, day, { trouble, againMs: database.nowMs() + AGAIN_MS });
    return false;
  } finally {
    clearInterval(alive);
  }
}

/** The gateway's own context: no key, and the one scope that it needs. */
async function gatewayContext(own: Services): Promise<Context> {
  const caller = {
    accountId: await platformAccount(own.database, own.mode),
    id: 'gateway',
    mode: keyModeOf(own.mode),
    scopes: ['platform:books'] as const,
    allowedCidrs: [],
    allowedOrigins: [],
  };
  return { ...own, caller, origin: GATEWAY };
}

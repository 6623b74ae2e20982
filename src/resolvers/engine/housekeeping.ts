/** Keeps the database small: creates the months of the event log, and deletes records whose retention has ended. */
import type { Logger } from 'pino';
import {
  beginRetention,
  pruneBatch,
  RETAINED_KINDS,
  type RetainedKind,
} from '../../store/account/retention.ts';
import type { Database } from '../../store/connection/database.ts';
import { makeMonths, retireMonths, settleMonths } from '../../store/events/event-log.ts';
import { readAheadMs } from '../../store/rails/sandbox.ts';
import { type BackgroundWork, type RepeatOptions, repeat } from './repeat.ts';
import { isClockOff } from './watch-clock.ts';

/** Lifetime of records in days; null for ever. */
export type Retention = Readonly<Record<RetainedKind | 'events', number | null>>;

const REPEAT: RepeatOptions = { failedMs: 60_000, complaint: 'housekeeping has to wait' };
const EVERY_MS = 3_600_000;
/** Maximum time for the batches of one run; the remaining batches follow in the next run, soon after. */
const BUDGET_MS = 20_000;
const SOON_MS = 60_000;
const DAY_MS = 86_400_000;
/** Months are made ahead, so that an event always has one. */
const AHEAD_DAYS = 62;
/** Events that one statement moves. */
const SETTLE_BATCH = 20_000;

/** One run of the housekeeping. */
interface Cycle {
  /** The time at which ages are computed, default now. */
  readonly now?: Date;
  readonly signal?: AbortSignal;
}

function timeOf(database: Database): Date {
  return new Date(database.nowMs());
}

/** Starts the housekeeping of this process. Several processes may share a database: one of them deletes at a time. */
export function startHousekeeping(database: Database, retention: Retention, log: Logger): BackgroundWork {
  const stopping = new AbortController();
  const loop = repeat(stopping.signal, log, REPEAT, async () => {
    if (isClockOff(database)) {
      log.error('nothing is deleted while the clock of this machine is off');
      return SOON_MS;
    }
    const now = await beginRetention(database);
    const behindMs = database.nowMs() - now.getTime();
    if (behindMs > EVERY_MS)
      log.warn({ asOf: now }, 'retention last ran days ago: it catches up by one day per run');
    const areRotated = await rotateMonths({ database }, retention.events, {
      now,
      signal: stopping.signal,
    }).then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error }, 'the months of the event log cannot be created or dropped now');
        return false;
      },
    );
    const { gone, isDone } = await prune(database, retention, {
      now,
      budgetMs: BUDGET_MS,
      signal: stopping.signal,
    });
    if (Object.keys(gone).length > 0) log.info({ gone }, 'deleted records past their retention');
    return isDone && areRotated ? EVERY_MS : SOON_MS;
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.done;
    },
  };
}

/**
 * Creates the next months of the log, on the clock of the database and on that of the sandbox; drops the months that ended
 * longer ago than the limit, by the clock of the database; and moves events that belong to no month.
 *
 * @param days - age limit; null drops nothing.
 * @param options - `now`: the time by which ages are determined.
 * @throws the driver's error, also while events are read or written for long: the remaining work is done later.
 */
export async function rotateMonths(
  { database }: { readonly database: Database },
  days: number | null,
  { now = timeOf(database), signal }: Cycle = {},
): Promise<void> {
  for (const aheadMs of new Set([0, await readAheadMs(database)])) {
    const from = database.nowMs() + aheadMs;
    await makeMonths(database, new Date(from), new Date(from + AHEAD_DAYS * DAY_MS));
  }
  if (days !== null) await retireMonths(database, new Date(now.getTime() - days * DAY_MS), now);
  const until = performance.now() + BUDGET_MS;
  while (performance.now() < until && !signal?.aborted)
    if ((await settleMonths(database, SETTLE_BATCH)) === 0) break;
}

/**
 * Deletes expired records, batch by batch.
 *
 * @param options - `now`: the time by which ages are determined; `budgetMs`: time after which no batch begins.
 * @returns the number of deleted records of each kind, and whether none is left to this process.
 */
export async function prune(
  database: Database,
  retention: Retention,
  { now = timeOf(database), budgetMs = BUDGET_MS, signal }: Cycle & { readonly budgetMs?: number } = {},
): Promise<{ gone: Partial<Record<RetainedKind, number>>; isDone: boolean }> {
  // One time for all batches: records that expire meanwhile are left to the next run, or a busy table would use all the time.
  const until = performance.now() + budgetMs;
  const gone: Partial<Record<RetainedKind, number>> = {};
  for (const kind of RETAINED_KINDS) {
    const days = retention[kind];
    if (days === null) continue;
    for (let count: number | null = 1; count; ) {
      if (performance.now() > until || signal?.aborted) return { gone, isDone: false };
      count = await pruneBatch(database, { kind, days, now });
      if (count) gone[kind] = (gone[kind] ?? 0) + count;
    }
  }
  return { gone, isDone: true };
}

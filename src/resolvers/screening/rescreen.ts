/**
 * Compares all active customers, whitelisted addresses, and companies with their owners, with new versions of the lists, a slice at a time; of several processes one
 * does it. A round begins when a list has another version, and at least once a day.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ACCOUNT_MODES } from '../../base/access/account-mode.ts';
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { millisOf } from '../../base/time/instant.ts';
import { raiseHits, withoutDismissed } from '../../store/rails/screening-hits.ts';
import {
  advanceRound,
  beginRound,
  claimRound,
  nextOfRound,
  noteLists,
  ROUND_PARTS,
  type RoundPart,
  type RoundRecord,
  releaseRound,
  type ScreeningRound,
} from '../../store/rails/screening-rounds.ts';
import type { Services } from '../services/context.ts';
import { ScreenerUnavailable, type ScreeningSubject } from '../services/rails.ts';
import { hitOf } from './subjects.ts';

/** Rescreening that runs until it is stopped. */
export interface Rescreening {
  /** Begins no further slice, and waits for the running one. */
  readonly stop: () => Promise<void>;
}

/** Records of a slice: about half a second of work. */
const SLICE_MAX = 100;
/** Pause between slices, so that payments come first. */
const PAUSE_MS = 250;
const EVERY_MS = 60_000;
const LEASE_MS = 120_000;
const DAY_MS = 86_400_000;
/** Customers without a transaction for longer are compared again when they return. */
const ACTIVE_DAYS = 365;
/** Maximum number of names of a customer that are compared: the newest. */
const NAMES_MAX = 3;

/** Starts the rescreening of this process, for both modes. */
export function startRescreening(services: Services, log: Pick<Logger, 'info' | 'warn'>): Rescreening {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  const loop = (async () => {
    while (!signal.aborted) {
      let isMore = false;
      for (const mode of ACCOUNT_MODES)
        isMore = (await rescreenInTime(services.forMode(mode), log)) || isMore;
      await pause(isMore ? PAUSE_MS : EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

async function rescreenInTime(own: Services, log: Pick<Logger, 'info' | 'warn'>): Promise<boolean> {
  try {
    return await rescreenSlice(own, log);
  } catch (error) {
    log.warn({ err: error, mode: own.mode }, 'customers cannot be compared with the screening lists now');
    return false;
  }
}

/**
 * Compares the next slice, and raises hits.
 *
 * @returns whether another slice may be due.
 * @throws the driver's error.
 */
export async function rescreenSlice(own: Services, log: Pick<Logger, 'info' | 'warn'>): Promise<boolean> {
  const { database, mode, rails } = own;
  const { lists, matchLists } = rails.screening;
  if (!lists || !matchLists) return false;
  const read = await lists();
  if (read.length === 0) return false;
  await noteLists(database, mode, read, new Date(database.nowMs()));
  if (read.some(({ version }) => version === null)) return false;
  const versions = read.map(({ list, version }) => `${list} ${version}`).join(', ');
  const nowMs = database.nowMs();
  const claimed = await claimRound(database, mode, { nowMs, untilMs: nowMs + LEASE_MS });
  if (!claimed) return false;
  try {
    const round = isDue(claimed, versions, nowMs)
      ? await beginRound(database, mode, versions, new Date(nowMs))
      : claimed;
    if (round.endedAt !== null) return false;
    return await compareNext(own, round, matchLists, log);
  } catch (error) {
    if (!(error instanceof ScreenerUnavailable)) throw error;
    return false;
  } finally {
    await releaseRound(database, mode);
  }
}

function isDue(
  { versions: before, beganAt, endedAt }: ScreeningRound,
  versions: string,
  nowMs: number,
): boolean {
  if (beganAt === null || before !== versions) return true;
  return endedAt !== null && nowMs - millisOf(beganAt) >= DAY_MS;
}

async function compareNext(
  { database, mode }: Services,
  round: ScreeningRound,
  matchLists: NonNullable<Services['rails']['screening']['matchLists']>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<boolean> {
  const now = new Date(database.nowMs());
  const since = dayAfter(brasiliaDay(now.getTime()), -ACTIVE_DAYS);
  const records = await nextOfRound(database, mode, round, { since, limit: SLICE_MAX });
  let raised = 0;
  for (const record of records) {
    const matches = await matchLists(subjectsIn(round.part, record));
    if (matches.length === 0) continue;
    const subject = { mode, accountId: record.accountId, transactionId: null };
    raised += await database.withTx(async (tx) => {
      const hits = await withoutDismissed(tx, mode, matches.map(hitOf));
      return raiseHits(tx, subject, hits, now);
    });
  }
  if (raised > 0) log.warn({ mode, raised }, 'customers or addresses match a screening list');
  const last = records.at(-1);
  const compared = records.length;
  const isPartOver = compared < SLICE_MAX;
  const nextPart = ROUND_PARTS[ROUND_PARTS.indexOf(round.part) + 1];
  const isOver = isPartOver && nextPart === undefined;
  const next = isPartOver
    ? { part: nextPart ?? round.part, atAccount: 0n, atRecord: '' }
    : { part: round.part, atAccount: last?.accountId ?? 0n, atRecord: last?.record ?? '' };
  await advanceRound(database, mode, next, { compared, endedAt: isOver ? now : null });
  return !isOver;
}

function subjectsIn(part: RoundPart, { record, names, address }: RoundRecord): readonly ScreeningSubject[] {
  if (address !== null) return [{ role: 'own_address', address }];
  const newest = names.slice(-NAMES_MAX);
  const role = part === 'companies' ? 'holder' : 'customer';
  if (newest.length === 0) return [{ role, taxId: record }];
  return newest.map((name) => ({ role, name, taxId: record }));
}

/**
 * Reports about PIX that the provider has not confirmed (C-36): rail events of their own kind, polled until it
 * confirms or denies them.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { type RailEventRecord, UNCONFIRMED } from '../engine/rail-events.ts';

/** A report that is due for a poll. */
export interface WaitingReport<Body> {
  readonly key: string;
  readonly body: Body;
  /** Number of polls, including this one. */
  readonly attempts: number;
}

/** Reports that are not booked. */
export interface OpenReports {
  readonly waiting: number;
  readonly denied: number;
  /** Age of the oldest waiting report, seconds; null without one. */
  readonly waitingSeconds: number | null;
}

/** Pauses grow fourfold, from two seconds to an hour. */
const CLAIM: Statement = {
  name: 'pix_reports_claim',
  text: `update rail_news set attempts = attempts + 1,
      due_at = $3::timestamptz + least(interval '1 hour', interval '2 seconds' * 4 ^ least(attempts, 8))
    where id = any (array(select id from rail_news
      where outcome = 'pending' and kind = '${UNCONFIRMED}' and mode = $1 and due_at <= $3
      order by due_at, id limit $2 for update skip locked))
    returning key, body, attempts - 1 as attempts`,
};
const END: Statement = {
  name: 'pix_report_end',
  text: `update rail_news set outcome = $3, due_at = null, last_error = coalesce($4, last_error)
    where mode = $1 and kind = '${UNCONFIRMED}' and key = $2 and outcome = 'pending'`,
};
/** Each outcome is counted up to the limit, so that many denied ones cannot hide waiting ones. */
const OPEN: Statement = {
  name: 'pix_reports_open',
  text: `select w.*, d.* from
    (select count(*)::int as waiting, extract(epoch from now() - min(seen_at))::int as "waitingSeconds" from (select seen_at from rail_news
      where outcome = 'pending' and kind = '${UNCONFIRMED}' and mode = $1 limit $2) waiting) w,
    (select count(*)::int as denied from (select 1 from rail_news
      where outcome = 'failed' and kind = '${UNCONFIRMED}' and mode = $1 limit $2) denied) d`,
};

/** Claims due reports; another process gets them after a growing pause. */
export function claimReports<Body>(
  database: Database,
  mode: AccountMode,
  limit: number,
): Promise<WaitingReport<Body>[]> {
  return database.query<WaitingReport<Body>>(CLAIM, [mode, limit, new Date(database.nowMs())]);
}

/** @param denial - reason of the denial; null if the reported event is booked. */
export async function endReport(
  tx: Tx,
  { mode, key }: Pick<RailEventRecord, 'mode' | 'key'>,
  denial: string | null,
): Promise<void> {
  await tx.query(END, [mode, key, denial === null ? 'noted' : 'failed', denial]);
}

/** @param limit - maximum number of counted reports of each outcome. */
export async function countOpenReports(tx: Tx, mode: AccountMode, limit: number): Promise<OpenReports> {
  const [row] = await tx.query<OpenReports>(OPEN, [mode, limit]);
  return row ?? { waiting: 0, denied: 0, waitingSeconds: null };
}

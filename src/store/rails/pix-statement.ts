/** Position in the statement of a PIX provider, and the number of keys looked up in its directory. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';
import type { RailEventRecord } from '../engine/rail-events.ts';

/** Identity of a rail event. */
export type RailEventName = Pick<RailEventRecord, 'kind' | 'key'>;

/** A statement: its account, provider and key. */
export interface PixStatement {
  readonly mode: AccountMode;
  readonly source: string;
}

/** A lease for reading a statement. */
export interface PixReading {
  /** Time on the clock of the mode before which everything was read; null for the first time. */
  readonly readUntilMs: number | null;
}

const BEGIN: Statement = {
  name: 'pix_cursor_begin',
  text: `insert into pix_cursor as c (mode, source, free_at) values ($1, $2, $4)
    on conflict (mode, source) do update set free_at = excluded.free_at where c.free_at <= $3
    returning (extract(epoch from read_until) * 1000)::bigint as "readUntilMs"`,
};
const FINISH: Statement = {
  name: 'pix_cursor_finish',
  text: `update pix_cursor set read_until = greatest(read_until, $3::timestamptz), read_at = coalesce($4, read_at), free_at = $5
    where mode = $1 and source = $2`,
};
const LAST: Statement = {
  name: 'pix_cursor_last',
  text: `select (extract(epoch from read_at) * 1000)::bigint as "readAtMs" from pix_cursor where mode = $1 and source = $2`,
};
const STORED: Statement = {
  name: 'pix_events_stored',
  text: `select n.kind, n.key from unnest($2::text[], $3::text[]) g(key, kind)
    join rail_news n on n.key = g.key and n.kind = g.kind and n.mode = $1`,
};
/** Time at which all used look-ups are available again; each further one moves it forward, up to the limit. */
const CONSUME_LOOKUPS: Statement = {
  name: 'pix_look_up_take',
  text: `insert into pix_look_up as l (mode, subject, free_at) values ($1, $2, $3::timestamptz + make_interval(secs => $4))
    on conflict (mode, subject) do update set free_at = greatest(l.free_at, $3::timestamptz) + make_interval(secs => $4)
      where greatest(l.free_at, $3::timestamptz) + make_interval(secs => $4) <= $3::timestamptz + make_interval(secs => $5)
    returning subject`,
};
const FORGET: Statement = {
  name: 'pix_look_up_forget',
  text: `delete from pix_look_up where mode = $1 and free_at < $2`,
};

/**
 * Claims the lease for reading a statement.
 * @param turn - on the database's clock; no other process gets the lease before `untilMs`.
 * @returns undefined if it is not due, or another process reads it.
 */
export async function beginReading(
  tx: Tx,
  { mode, source }: PixStatement,
  { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
): Promise<PixReading | undefined> {
  const values = [mode, source, timeOf(nowMs), timeOf(untilMs)];
  const [row] = await tx.query<{ readUntilMs: bigint | null }>(BEGIN, values);
  return row && { readUntilMs: numberOf(row.readUntilMs) };
}

/** End of a lease. */
export interface PixReadingEnd {
  /** Position before which everything was read; on the clock of the mode. */
  readonly readUntilMs: number;
  /** Time of a complete read, on the database's clock; null if it was incomplete. */
  readonly readAtMs: number | null;
  /** Time of the next read, on the database's clock. */
  readonly dueMs: number;
}

/** Stores the position of the read, and the time of the next one. */
export async function finishReading(
  tx: Tx,
  { mode, source }: PixStatement,
  { readUntilMs, readAtMs, dueMs }: PixReadingEnd,
): Promise<void> {
  const readAt = readAtMs === null ? null : timeOf(readAtMs);
  await tx.query(FINISH, [mode, source, timeOf(readUntilMs), readAt, timeOf(dueMs)]);
}

/** @returns the time of the last read, on the database's clock; null before the first. */
export async function lastReading(tx: Tx, { mode, source }: PixStatement): Promise<number | null> {
  const [row] = await tx.query<{ readAtMs: bigint | null }>(LAST, [mode, source]);
  return numberOf(row?.readAtMs ?? null);
}

/** @returns the events that are stored, whatever their outcome: unsettled ones are retried without a new report. */
export function readStoredRailEvents(
  tx: Tx,
  mode: AccountMode,
  events: readonly RailEventName[],
): Promise<RailEventName[]> {
  return tx.query<RailEventName>(STORED, [
    mode,
    events.map(({ key }) => key),
    events.map(({ kind }) => kind),
  ]);
}

/** Cost of a look-up for its subject, and the maximum. Unit: seconds until it is available again. */
export interface LookupCost {
  readonly subject: string;
  readonly costSeconds: number;
  readonly maxSeconds: number;
}

/**
 * Consumes look-ups of a subject's allowance.
 * @returns whether enough were left.
 */
export async function consumeLookups(
  tx: Tx,
  mode: AccountMode,
  { subject, costSeconds, maxSeconds }: LookupCost,
  nowMs: number,
): Promise<boolean> {
  return (
    (await tx.query(CONSUME_LOOKUPS, [mode, subject, timeOf(nowMs), costSeconds, maxSeconds])).length > 0
  );
}

/** Deletes subjects whose whole allowance is available again. */
export async function forgetLookups(tx: Tx, mode: AccountMode, nowMs: number): Promise<void> {
  await tx.query(FORGET, [mode, timeOf(nowMs)]);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function numberOf(ms: bigint | null): number | null {
  return ms === null ? null : Number(ms);
}

/** Restores of this database, and the rails that are cleared after each. Times are on the database's clock. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { PRESENT_SERVER } from '../connection/present-server.ts';

/** A rail of a mode: `pix`, or a network. */
export interface RailKey {
  readonly mode: AccountMode;
  readonly rail: string;
}

/** State of a rail after the last restore. */
export interface RestoredRail {
  readonly restoreId: bigint;
  readonly noticedAtMs: number;
  /** Start of the scan for payments by the rail: the earliest time of all restores after which it was not cleared. */
  readonly sinceMs: number;
  /** Time of clearing; null means that the rail sends nothing. */
  readonly clearedAt: Instant | null;
  /** Person who cleared it; null if a scan did. */
  readonly clearedBy: string | null;
  readonly reason: string | null;
  readonly trouble: string | null;
  /** Number of requested rescans. */
  readonly rescans: number;
  /** Whether the rail has payments that are undecided, or matched with an order. */
  readonly hasPayments: boolean;
}

/** A sign of life may come late, and a payment may have left shortly before it. Unit: ms. */
const MARGIN_MS = 600_000;
/** Maximum length of a stored obstacle. */
const TROUBLE_MAX = 500;

/**
 * The server, and whether the newest point that names a server names this one. With synchronous standbys, a new
 * timeline means a failover that lost nothing.
 */
const SERVER_TEXT = `select s.*, p.system = s.system and p.timeline = s.timeline as "isSame",
    p.system <> s.system or (p.timeline <> s.timeline and current_setting('synchronous_standby_names') = '') as "isRestored"
  from ${PRESENT_SERVER} s
    left join (select system, timeline from restore_point where timeline is not null order by id desc limit 1) p on true`;
const SERVER: Statement = { name: 'restore_server', text: SERVER_TEXT };
const LOCK: Statement = {
  name: 'restore_lock',
  text: `select pg_advisory_xact_lock(hashtext(current_schema() || '.restores'))::text`,
};
const ADD: Statement = {
  name: 'restore_add',
  text: `insert into restore_point (system, timeline, since)
    select $1, $2::int, case when $3::boolean then max(alive_at) - $4::int * interval '1 millisecond' end
      from restore_point where timeline is not null`,
};
const BEGIN: Statement = { name: 'restore_begin', text: 'insert into restore_point (since) values ($1)' };
const ALIVE: Statement = {
  name: 'restore_alive',
  text: `update restore_point p set alive_at = clock_timestamp() from ${PRESENT_SERVER} s
    where p.id = (select max(id) from restore_point where timeline is not null) and p.system = s.system and p.timeline = s.timeline
    returning p.id`,
};
/** A rail after the newest restore, and the earliest time of all restores since it was last cleared. */
const RAIL_TEXT = `select p.id as "restoreId", (extract(epoch from p.noticed_at) * 1000)::bigint as "noticedAtMs",
    (select (extract(epoch from min(o.since)) * 1000)::bigint from restore_point o where o.id > coalesce(
      (select max(c.restore_id) from restored_rail c
        where c.mode = $1 and c.rail = $2 and c.cleared_at is not null and c.restore_id < p.id), 0)) as "sinceMs",
    r.cleared_at as "clearedAt", r.cleared_by as "clearedBy", r.reason, r.trouble, coalesce(r.rescans, 0) as rescans,
    exists (select from unknown_payment u where u.mode = $1 and u.rail = $2 and u.state <> 'dismissed') as "hasPayments"
  from (select * from restore_point where since is not null order by id desc limit 1) p
    left join restored_rail r on r.restore_id = p.id and r.mode = $1 and r.rail = $2`;
const RAIL: Statement = { name: 'restored_rail', text: RAIL_TEXT };
/** Both are in one statement, because every order needs them before it is sent. */
const SERVER_AND_RAIL: Statement = {
  name: 'restored_rail_here',
  text: `select s."isSame", r.* from (${SERVER_TEXT}) s left join (${RAIL_TEXT}) r on true`,
};
/** A cleared rail stays unchanged, and so does one whose rescan was requested meanwhile. */
const STORE_RAIL: Statement = {
  name: 'restored_rail_store',
  text: `insert into restored_rail as r (restore_id, mode, rail, cleared_at, cleared_by, reason, trouble, rescans)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (restore_id, mode, rail) do update set cleared_at = excluded.cleared_at, cleared_by = excluded.cleared_by,
      reason = excluded.reason, trouble = excluded.trouble
      where r.cleared_at is null and r.rescans = excluded.rescans
    returning rail`,
};
const RESCAN: Statement = {
  name: 'restored_rail_rescan',
  text: `insert into restored_rail as r (restore_id, mode, rail, trouble, rescans) values ($1, $2, $3, $4, 1)
    on conflict (restore_id, mode, rail) do update set cleared_at = null, cleared_by = null, reason = null,
      trouble = excluded.trouble, rescans = r.rescans + 1`,
};

/**
 * Detects a restore of this database by the server's identifier and timeline; then all rails have to be cleared. A
 * failover begins a timeline, too, so a server with synchronous standbys, which loses nothing, needs `beginRestore`.
 */
export async function noticeRestore(database: Database): Promise<void> {
  const found = await readServer(database);
  if (!found || found.isSame) return;
  await database.withTx(async (tx) => {
    await tx.query(LOCK, []);
    const server = await readServer(tx);
    if (server && !server.isSame)
      await tx.query(ADD, [server.system, server.timeline, server.isRestored, MARGIN_MS]);
  });
}

/** @returns whether the server discloses its identifier and timeline, by which a restore is detected. */
export async function noticesRestores(tx: Tx): Promise<boolean> {
  return (await readServer(tx)) !== undefined;
}

/** Stores a sign of life, which tells a restored database its time. */
export async function storeAlive(database: Database): Promise<void> {
  await queryOptional<{ id: bigint }>(database, ALIVE);
}

interface Server {
  readonly system: string;
  readonly timeline: number;
  /** False or null: the newest point belongs to another server or timeline, or there is none. */
  readonly isSame: boolean | null;
  readonly isRestored: boolean | null;
}

/** Insufficient privilege, undefined function, feature not supported, object not in prerequisite state. */
const NOT_DISCLOSED = ['42501', '42883', '0A000', '55000'];

async function readServer(tx: Tx): Promise<Server | undefined> {
  const [row] = await queryOptional<Server>(tx, SERVER);
  return row;
}

/** @returns no row if a managed server does not disclose its timeline. */
function queryOptional<Row>(tx: Tx, statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
  return tx.query<Row>(statement, values).catch((error: { readonly code?: unknown }) => {
    if (!NOT_DISCLOSED.includes(String(error.code))) throw error;
    return [];
  });
}

/** Stores that this database was restored: all rails have to be cleared. */
export async function beginRestore(tx: Tx, since: Date): Promise<void> {
  await tx.query(BEGIN, [since.toISOString()]);
}

type RailRow = Omit<RestoredRail, 'noticedAtMs' | 'sinceMs'> & Record<'noticedAtMs' | 'sinceMs', bigint>;

/** Detects a restore while the gateway runs, too. @returns the result of `readRestoredRail`. */
export async function checkRestoredRail(database: Database, key: RailKey): Promise<RestoredRail | undefined> {
  type Row = Pick<Server, 'isSame'> & (RailRow | { readonly restoreId: null });
  const [row] = await queryOptional<Row>(database, SERVER_AND_RAIL, [key.mode, key.rail]);
  if (row?.isSame) return row.restoreId === null ? undefined : railOf(row);
  if (row) await noticeRestore(database);
  return readRestoredRail(database, key);
}

/** @returns undefined if this database was never restored. */
export async function readRestoredRail(tx: Tx, { mode, rail }: RailKey): Promise<RestoredRail | undefined> {
  const [row] = await tx.query<RailRow>(RAIL, [mode, rail]);
  return row && railOf(row);
}

function railOf(row: RailRow): RestoredRail {
  return { ...row, noticedAtMs: Number(row.noticedAtMs), sinceMs: Number(row.sinceMs) };
}

/**
 * Stores the state of a rail after a restore. `by`: the person who clears it; `trouble`: the reason why it is not
 * cleared.
 * @param read - the rail at the start of its scan or of the decision.
 * @returns false if the rail was cleared, or a rescan requested, since then; it stays unchanged.
 */
export async function storeRestoredRail(
  tx: Tx,
  { restoreId, rescans }: Pick<RestoredRail, 'restoreId' | 'rescans'>,
  { mode, rail }: RailKey,
  state: {
    /** Null while the rail is stopped. */
    readonly clearedAtMs: number | null;
    readonly by?: string;
    readonly reason?: string;
    readonly trouble?: string;
  },
): Promise<boolean> {
  const { clearedAtMs, by = null, reason = null, trouble = null } = state;
  const clearedAt = clearedAtMs === null ? null : new Date(clearedAtMs).toISOString();
  const values = [
    restoreId,
    mode,
    rail,
    clearedAt,
    by,
    reason,
    trouble?.slice(0, TROUBLE_MAX) ?? null,
    rescans,
  ];
  return (await tx.query(STORE_RAIL, values)).length > 0;
}

/** Stops a rail until a later scan clears it, even if a person released it. */
export async function storeRescan(
  tx: Tx,
  { restoreId }: Pick<RestoredRail, 'restoreId'>,
  { mode, rail }: RailKey,
  trouble: string,
): Promise<void> {
  await tx.query(RESCAN, [restoreId, mode, rail, trouble.slice(0, TROUBLE_MAX)]);
}

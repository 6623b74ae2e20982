/**
 * Sessions whose connection was lost, perhaps unnoticed by the server. A session in a transaction would hold its locks
 * until an idle timeout, and block all requests of an account; an idle session would occupy a slot of the server. The
 * gateway terminates them as soon as the server is reachable.
 */
import { queryApart } from './probe-server.ts';

/** Time limit of one attempt. Unit: ms. */
const ATTEMPT_MAX_MS = 500;
/** Pauses between two attempts, each of which may use a slot of the server: short ones first. Unit: ms. */
const PAUSES_MS = [250, 250, 500, 1_000] as const;
const PAUSE_MAX_MS = 5_000;

/**
 * A session, identified by a lock that it holds: a pooler, or another server, may give its backend's id to other
 * sessions, too.
 */
export interface Session {
  readonly pid: number;
  readonly token: number;
}

/** First half of the session locks; `token` is the second one. These locks are shared, so they never wait. */
const SESSION_LOCKS = 1_668_444_019;

/** @returns SQL that marks a session with its token. */
export function markSql(token: number): string {
  return `pg_advisory_lock_shared(${SESSION_LOCKS}, ${token})`;
}

/**
 * Terminates sessions that wait for a statement, for the rest of one, for a reader of the answer, or for a lock. A
 * working session may be committing, and is checked again.
 */
const END = `select lost.token,
    case when a.state like 'idle%' or a.wait_event_type in ('Client', 'Lock') then pg_terminate_backend(a.pid) else false end as "isEnded"
  from unnest($1::int[], $2::int[]) lost(pid, token)
  join pg_locks l on l.pid = lost.pid and l.classid = ${SESSION_LOCKS} and l.objid = lost.token::oid and l.locktype = 'advisory'
  join pg_stat_activity a on a.pid = lost.pid`;

interface Lost extends Session {
  /** Time after which a reachable server is no longer queried. Unit: ms, of `performance.now()`. */
  readonly untilMs: number;
}

interface Found {
  readonly token: number;
  readonly isEnded: boolean;
}

/** Lost sessions of a database. */
export interface LostSessions {
  /** Reports a lost session. */
  readonly add: (lost: Session) => void;
  /** The server has just answered, so existing lost sessions are terminated now. */
  readonly retry: () => void;
}

/** @param retryForMs - time for which a reachable server is queried; after that it has ended the statement itself. */
export function lostSessions(url: () => string, retryForMs: number): LostSessions {
  const lost = new Set<Lost>();
  let isRunning = false;
  let attempts = 0;
  let timer: NodeJS.Timeout | undefined;
  const terminateLost = async () => {
    clearTimeout(timer);
    isRunning = true;
    const sessions = [...lost];
    const values = [sessions.map(({ pid }) => pid), sessions.map(({ token }) => token)];
    const found = await queryApart<Found>(url(), ATTEMPT_MAX_MS, END, values).catch(() => undefined);
    const isOver = ({ token, untilMs }: Lost) =>
      found?.find((each) => each.token === token)?.isEnded !== false || performance.now() > untilMs;
    if (found) for (const each of sessions) if (isOver(each)) lost.delete(each);
    isRunning = false;
    attempts = found ? 0 : attempts + 1;
    if (lost.size > 0) timer = setTimeout(terminateLost, PAUSES_MS[attempts] ?? PAUSE_MAX_MS).unref();
  };
  const retry = () => {
    if (lost.size > 0 && !isRunning) void terminateLost();
  };
  return {
    add: (session) => {
      const isFirst = lost.size === 0;
      lost.add({ ...session, untilMs: performance.now() + retryForMs });
      // Whether requests for other sessions are under way or planned.
      if (isFirst) retry();
    },
    retry,
  };
}

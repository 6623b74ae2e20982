/**
 * Transactions whose connection was lost, perhaps without the server: it would keep their locks until they have been idle for
 * too long, and all requests of an account wait for its lock. They are ended as soon as the server can be asked to.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { askBeside } from './look-into-server.ts';

/** Time limit of one try, and the time between two. Unit: ms. */
const TRY_MAX_MS = 500;
const PAUSE_MS = 250;

/** A session, known by a lock that it has while it lasts: a pooler, or another server, gives its backend's id to others too. */
export interface Session {
  readonly pid: number;
  readonly token: number;
}

/** The first half of the locks of sessions; `token` is the other one. They are shared, so nobody ever waits for them. */
const SESSION_LOCKS = 1_668_444_019;

/** @returns SQL that marks a session with its token. */
export function markSql(token: number): string {
  return `pg_advisory_lock_shared(${SESSION_LOCKS}, ${token})`;
}

/**
 * Those that wait for a statement, the rest of one, somebody who takes the answer, or a lock. One that works may store its commit:
 * it is looked at again.
 */
const END = `select lost.token,
    case when a.state like 'idle in transaction%' or a.wait_event_type in ('Client', 'Lock') then pg_terminate_backend(a.pid) else false end as "isEnded"
  from unnest($1::int[], $2::int[]) lost(pid, token)
  join pg_locks l on l.pid = lost.pid and l.classid = ${SESSION_LOCKS} and l.objid = lost.token::oid and l.locktype = 'advisory'
  join pg_stat_activity a on a.pid = lost.pid
  where a.state <> 'idle'`;

interface Lost extends Session {
  /** A server that can be asked is not asked for longer. Unit: ms, of `performance.now()`. */
  readonly untilMs: number;
}

interface Found {
  readonly token: number;
  readonly isEnded: boolean;
}

/** @returns what is told of each lost connection. @param tryForMs - of a server that can be asked; then it has ended the statement itself. */
export function lostTransactions(url: () => string, tryForMs: number): (lost: Session) => void {
  const lost = new Set<Lost>();
  let isTrying = false;
  const tryToEnd = async () => {
    isTrying = true;
    while (lost.size > 0) {
      const sessions = [...lost];
      const values = [sessions.map(({ pid }) => pid), sessions.map(({ token }) => token)];
      const found = await askBeside<Found>(url(), TRY_MAX_MS, END, values).catch(() => undefined);
      const isOver = ({ token, untilMs }: Lost) =>
        found?.find((each) => each.token === token)?.isEnded !== false || performance.now() > untilMs;
      if (found) for (const each of sessions) if (isOver(each)) lost.delete(each);
      if (lost.size > 0) await sleep(PAUSE_MS, undefined, { ref: false });
    }
    isTrying = false;
  };
  return (session) => {
    lost.add({ ...session, untilMs: performance.now() + tryForMs });
    if (!isTrying) void tryToEnd();
  };
}

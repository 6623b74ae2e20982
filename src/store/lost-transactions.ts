/**
 * Transactions whose connection was lost, perhaps without the server: it would keep their locks until they have been idle for
 * too long, and all requests of an account wait for its lock. They are ended as soon as the server can be asked to.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { askBeside } from './look-into-server.ts';

/** Time limit of one try, and the time between two. Unit: ms. */
const TRY_MAX_MS = 500;
const PAUSE_MS = 250;

/** A backend, known by the start of its server too: another server may have one of the same id. */
export interface Backend {
  readonly pid: number;
  readonly server: string;
}

/** SQL for the server of a session, as `Backend` has it. */
export const SERVER = `extract(epoch from pg_postmaster_start_time())::text`;

/** Those that wait for their next statement, or for a lock. One that works may store its commit: it is looked at again. */
const END = `select a.pid,
    case when a.state like 'idle in transaction%' or a.wait_event_type = 'Lock' then pg_terminate_backend(a.pid) else false end as "isEnded"
  from unnest($1::int[], $2::text[]) lost(pid, server) join pg_stat_activity a using (pid)
  where a.usename = session_user and a.state <> 'idle' and lost.server = ${SERVER}`;

interface Lost extends Backend {
  /** Then it is tried no more. Unit: ms, of `performance.now()`. */
  readonly untilMs: number;
}

interface Found {
  readonly pid: number;
  readonly isEnded: boolean;
}

/** @returns what is told of each lost connection. @param tryForMs - then the server ends such a transaction itself. */
export function lostTransactions(url: () => string, tryForMs: number): (lost: Backend) => void {
  const lost = new Set<Lost>();
  let isTrying = false;
  const tryToEnd = async () => {
    isTrying = true;
    while (lost.size > 0) {
      const backends = [...lost];
      const values = [backends.map(({ pid }) => pid), backends.map(({ server }) => server)];
      const found = await askBeside<Found>(url(), TRY_MAX_MS, END, values).catch(() => undefined);
      const isThere = ({ pid }: Backend) => !found || found.some((each) => each.pid === pid && !each.isEnded);
      for (const each of backends) if (!isThere(each) || performance.now() > each.untilMs) lost.delete(each);
      if (lost.size > 0) await sleep(PAUSE_MS, undefined, { ref: false });
    }
    isTrying = false;
  };
  return (backend) => {
    lost.add({ ...backend, untilMs: performance.now() + tryForMs });
    if (!isTrying) void tryToEnd();
  };
}

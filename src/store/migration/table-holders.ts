/**
 * Sessions whose lock on a table keeps the fence of a move away. Those of a gateway that is stopped, or that the network has lost, in the
 * middle of a message are ended: no time limit of PostgreSQL 16 does it (docs/decisions/0112-stopped-writers.md).
 */
import { APPLICATION_NAME } from '../connection/session.ts';
import type { CellServer } from './cell-server.ts';

/** A session that holds a table. */
export interface TableHolder {
  readonly pid: number;
  readonly application: string;
  /** Age of its transaction; null where the owner may not see it. Unit: seconds. */
  readonly age: number | null;
  /** Whether it was ended. */
  readonly isEnded: boolean;
}

/** Time without a word from the client; a gateway pauses only for milliseconds within a transaction. Unit: seconds. */
const SILENT_MAX = 10;
/** Locks of readers, in whose way no fence is raised. */
const READER_LOCKS = ['AccessShareLock', 'RowShareLock'];

/**
 * A statement that the server works on is never ended. The server waits for the client after a statement (`idle in transaction`), and within
 * one while a message is incomplete or nobody reads the answer (`Client`).
 */
const END = `select a.pid, a.application_name as application, extract(epoch from clock_timestamp() - a.xact_start)::int as age,
    case when a.application_name = $3 and (a.state like 'idle in transaction%' or a.wait_event_type = 'Client')
        and a.state_change < clock_timestamp() - make_interval(secs => $4)
        and (pg_has_role(a.usesysid, 'usage') or pg_has_role('pg_signal_backend', 'usage'))
      then pg_terminate_backend(a.pid) else false end as "isEnded"
  from (select distinct l.pid from pg_locks l where l.locktype = 'relation' and l.granted and l.relation = to_regclass($1)
      and l.database = (select oid from pg_database where datname = current_database())
      and l.mode <> all ($2::text[]) and l.pid <> pg_backend_pid()) held
  join pg_stat_activity a on a.pid = held.pid order by a.pid`;

/**
 * Ends sessions of gateways that hold a table while their client is silent.
 * @param options - `spared`: whether readers may hold it.
 * @returns all sessions that held the table.
 */
export function endStopped(
  source: CellServer,
  table: string,
  { spared }: { readonly spared: 'readers' | 'nobody' },
): Promise<TableHolder[]> {
  const modes = spared === 'readers' ? READER_LOCKS : [];
  return source.rows<TableHolder>(END, [table, modes, APPLICATION_NAME, SILENT_MAX]);
}

/** @returns a session in words: its number, its program, and for how long its transaction has been open. */
export function describeHolder({ pid, application, age }: TableHolder): string {
  const open = age === null ? '' : `, in a transaction for ${age} s`;
  return `pid ${pid} (${application || 'no name'}${open})`;
}

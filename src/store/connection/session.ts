/** Sessions of the restricted role: their settings, and the time limits of connections. */
import { LOCK_MAX_MS } from './database-error.ts';

/** The role that can read and post, but not change history (migration `roles`). */
export const APPLICATION_ROLE = 'crossramp_app';
/** Application name of the connections on the server. */
export const APPLICATION_NAME = 'crossramp';
/** Time limit for opening a connection, or for getting one from a pool that has none free. Unit: ms. */
export const CONNECT_MAX_MS = 2_000;
/** Time limit for commands, which delay no other work; less than the time limit of a rail's check. Unit: ms. */
export const PATIENT_CONNECT_MAX_MS = 4_000;
/** Time limit of a statement. Unit: ms. */
export const STATEMENT_MAX_MS = 15_000;
/** Excess of a statement over its limit after which it is given up, whatever the server reports. Unit: ms. */
export const GRACE_MS = 1_000;
/** Time without traffic after which TCP keepalive starts. Unit: ms. */
export const KEEP_ALIVE_MS = 5_000;
/**
 * Idle time of a transaction after which the server ends it. The connection of such a transaction was lost, and its
 * lock on an account blocks all others. The gateway itself pauses only for milliseconds between two statements. Unit:
 * ms.
 */
export const IDLE_MAX_MS = 3_000;
/** SQL of a reading of the server's clock: whole milliseconds since 1970. */
export const SERVER_MS = `floor(extract(epoch from clock_timestamp()) * 1000)::text`;

/**
 * @param statementMaxMs - time limit of a statement; 0 for none, also none on idle transactions.
 * @returns SQL that sets the restricted role and the settings; a pooler may refuse them as connection parameters. More
 * columns may follow in the query.
 */
export function sessionSql(schema: string, statementMaxMs: number): string {
  return settingSql({
    role: APPLICATION_ROLE,
    search_path: `"${schema}"`,
    timezone: 'UTC',
    datestyle: 'ISO',
    lock_timeout: String(LOCK_MAX_MS),
    statement_timeout: String(statementMaxMs),
    idle_in_transaction_session_timeout: String(statementMaxMs > 0 ? IDLE_MAX_MS : 0),
  });
}

/** @returns SQL that makes names without a schema refer to this one. */
export function inSchema(schema: string): string {
  return settingSql({ search_path: `"${schema}"` });
}

function settingSql(settings: Readonly<Record<string, string>>): string {
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${set.join(', ')}`;
}

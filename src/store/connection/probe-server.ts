/** Queries about connections, on a separate connection, because those of the pools may be dead. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isRefused } from './database-error.ts';

/** Time limit of a query. Unit: ms. */
const PROBE_MAX_MS = 2_000;
/** Start times of parallel checks without a result: one check may be lost, and the server reachable again. Unit: ms. */
const PROBES_BEGIN_MS = [0, 600, 1_200] as const;

/** A backend that waits for its client is not working: the statement or the answer was lost on the network. */
const WORKING = `select pid from pg_stat_activity
  where usename = session_user and coalesce(state, '') not like 'idle%' and coalesce(wait_event_type, '') <> 'Client'`;

/** Reads whether the backend with this id is working. */
export type Working = (pid: number) => boolean;

/** @returns the working backends; none when the server is unreachable. */
export async function probeServer(url: string): Promise<Working> {
  const over = new AbortController();
  const probes = PROBES_BEGIN_MS.map(async (afterMs) => {
    if (afterMs > 0) await sleep(afterMs, undefined, { signal: over.signal });
    return probe(url);
  });
  try {
    return await Promise.race(probes);
  } finally {
    over.abort();
  }
}

async function probe(url: string): Promise<Working> {
  try {
    const rows = await queryApart<{ pid: number }>(url, PROBE_MAX_MS, WORKING);
    const pids = new Set(rows.map(({ pid }) => pid));
    return (pid) => pids.has(pid);
  } catch (error) {
    // A server that refuses the check (too many connections) is alive, so the statement waits until its own limit.
    const isAlive = isRefused(error) || (error as { severity?: string }).severity === 'FATAL';
    return () => isAlive;
  }
}

/**
 * @returns the rows of a statement. @param limitMs - time limit for connecting and querying. @throws the driver's
 * error.
 */
export async function queryApart<Row extends pg.QueryResultRow>(
  url: string,
  limitMs: number,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: limitMs });
  client.on('error', () => {});
  const timer = setTimeout(() => destroy(client), limitMs);
  try {
    await client.connect();
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    // The goodbye has the same limit.
    client
      .end()
      .catch(() => {})
      .finally(() => clearTimeout(timer));
  }
}

/** Closes a connection immediately, so that all waiters for its answers fail. */
export function destroy(client: Pick<pg.Client, 'connection'>, error?: Error): void {
  client.connection.stream.destroy(error);
}

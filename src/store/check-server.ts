/** Whether a server of one's own is fit for the gateway: asked before anything is changed or answered. */
import pg from 'pg';
import { APPLICATION_ROLE } from './connection.ts';
import type { Database } from './database.ts';
import { isDatabaseAway } from './database-error.ts';

/** A database that cannot be used; the message is one line and holds no password. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

const OLDEST_VERSION = 160_000;
const CONNECT_MAX_MS = 5_000;
/** How often two connections are compared. */
const COMPARISONS = 3;

/** @throws {StoreError} when the server cannot be reached, is too old, or is behind a pooler that mixes connections up. */
export async function checkServer(url: string): Promise<void> {
  const clients = [newClient(url), newClient(url)] as const;
  try {
    for (const client of clients) await client.connect();
    await refuseOldServer(clients[0]);
    await refuseMixedConnections(clients);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const { host, pathname } = new URL(url);
    const reason = (error as { code?: string }).code ?? (error as Error).message;
    const what = isDatabaseAway(error) ? 'cannot reach' : 'cannot use';
    throw new StoreError(`${what} the database ${pathname.slice(1)} at ${host}: ${reason}`, {
      cause: error,
    });
  } finally {
    for (const client of clients) client.end().catch(() => {});
  }
}

/** @throws {StoreError} when the owner may not work as the restricted role. */
export async function checkRole(database: Database, url: string): Promise<void> {
  try {
    await database.query({ name: '', text: 'select 1' }, []);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const owner = decodeURIComponent(new URL(url).username);
    const advice = `grant ${APPLICATION_ROLE} to "${owner}"`;
    throw new StoreError(
      `cannot work as the role ${APPLICATION_ROLE}: ${(error as Error).message}; run: ${advice}`,
      {
        cause: error,
      },
    );
  }
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MAX_MS });
  // A connection that breaks fails its statement; without a listener it would end the process, with no word to anybody.
  client.on('error', () => {});
  return client;
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select current_setting($1)::int as version', ['server_version_num']);
  const version = rows[0]?.version as number;
  if (version < OLDEST_VERSION)
    throw new StoreError(
      `PostgreSQL 16 or newer is required; the server is version ${Math.floor(version / 10_000)}`,
    );
}

/** Two open connections have a backend each, unless a pooler lends them one after the other. */
async function refuseMixedConnections(clients: readonly [pg.Client, pg.Client]): Promise<void> {
  const pids: [Set<number>, Set<number>] = [new Set(), new Set()];
  for (let n = 0; n < COMPARISONS; n++) {
    for (const [at, client] of clients.entries()) {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      pids[at]?.add(rows[0]?.pid ?? 0);
    }
  }
  const isMixed = pids[0].size > 1 || pids[1].size > 1 || !pids[0].isDisjointFrom(pids[1]);
  if (isMixed)
    throw new StoreError(
      'the database is behind a pooler that gives each transaction another connection (PgBouncer: pool_mode = transaction); use pool_mode = session, or connect directly',
    );
}

/** Checks an external PostgreSQL server before the gateway changes or answers anything. */
import pg from 'pg';
import type { Database } from './database.ts';
import { isDatabaseUnreachable } from './database-error.ts';
import { APPLICATION_ROLE } from './session.ts';

/** The database cannot be used. The message has one line and contains no password. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

const OLDEST_VERSION = 160_000;
const ENCODING = 'UTF8';
/** Time after which a server without an answer counts as unreachable. Unit: ms. */
const ANSWER_MAX_MS = 5_000;
/** Number of comparisons of two connections. */
const COMPARISONS = 3;

/** @throws {StoreError} when the server cannot be reached, is too old, is not in UTF-8, or is behind a pooler in transaction mode. */
export async function checkServer(url: string): Promise<void> {
  const clients = [newClient(url), newClient(url)] as const;
  try {
    for (const client of clients) await client.connect();
    await refuseUnfitServer(clients[0]);
    await refuseMixedConnections(clients);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const { host, pathname } = new URL(url);
    const reason = (error as { code?: string }).code ?? (error as Error).message;
    const what = isDatabaseUnreachable(error) ? 'cannot reach' : 'cannot use';
    throw new StoreError(`${what} the database ${pathname.slice(1)} at ${host}: ${reason}`, {
      cause: error,
    });
  } finally {
    for (const client of clients) client.end().catch(() => {});
  }
}

/** @throws {StoreError} when the user of the URL may not switch to the restricted role. */
export async function checkRole(database: Database, url: string): Promise<void> {
  try {
    await database.query({ name: '', text: 'select 1' }, []);
  } catch (error) {
    if (isDatabaseUnreachable(error)) throw error;
    const advice = `grant ${APPLICATION_ROLE} to "${newClient(url).user}"`;
    throw new StoreError(
      `cannot work as the role ${APPLICATION_ROLE}: ${(error as Error).message}; run: ${advice}`,
      {
        cause: error,
      },
    );
  }
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MAX_MS,
    query_timeout: ANSWER_MAX_MS,
  });
  // A broken connection fails its statement. Without a listener, the error event would end the process.
  client.on('error', () => {});
  return client;
}

async function refuseUnfitServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  );
  const { version, encoding } = rows[0] as { version: number; encoding: string };
  if (version < OLDEST_VERSION)
    throw new StoreError(
      `PostgreSQL 16 or newer is required; the server is version ${Math.floor(version / 10_000)}`,
    );
  // Migrations and names of payers contain characters that other encodings lack.
  if (encoding !== ENCODING)
    throw new StoreError(
      `the database must be encoded in ${ENCODING}, and is in ${encoding}: create it with encoding '${ENCODING}'`,
    );
}

/** Two open connections have different backends, unless a pooler shares one between them. */
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

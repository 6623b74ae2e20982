/**
 * Connections to PostgreSQL: one pool for prepared SQL and for Prisma, as the restricted role `crossramp_app`. Every
 * wait for a connection has a time limit. A network can lose a connection without closing it; then both sides wait for
 * each other. When a connection gets no answer for a second, a second connection checks whether the server is still
 * working on the statement. Otherwise, or if the server is unreachable, the first connection is closed and its
 * statement fails.
 */
import type pg from 'pg';
import { remoteClock } from '../../base/time/remote-clock.ts';
import { traceStatement } from '../../base/trace/spans.ts';
import { CopyRows } from './copy-query.ts';
import { type Database, type DatabaseOptions, DEFAULT_SCHEMA, type Tx } from './database.ts';
import { FullServerPool } from './full-server-pool.ts';
import { idleConnections } from './idle-connections.ts';
import { lostSessions } from './lost-sessions.ts';
import { type Begun, pooledWork, within } from './pooled-work.ts';
import { destroy } from './probe-server.ts';
import { RowsQuery, run, send } from './rows-query.ts';
import {
  APPLICATION_NAME,
  CONNECT_MAX_MS,
  IDLE_MAX_MS,
  PATIENT_CONNECT_MAX_MS,
  STATEMENT_MAX_MS,
} from './session.ts';
import { sharedConnections } from './shared-connections.ts';
import { enterSession, watchedClients } from './watched-client.ts';

/** Pool size above which some connections are shared. */
const SHARED_FROM = 8;
const SHARED_CONNECTIONS = 2;

/**
 * @param url - URL of the database, or a function that returns it for each new connection.
 * @returns the database. Connections are opened on demand; dead ones are noticed.
 */
export function openDatabase(url: string | (() => string), options: DatabaseOptions = {}): Database {
  const schema = options.schema ?? DEFAULT_SCHEMA;
  const connections = options.connections ?? 10;
  const sharedCount = connections >= SHARED_FROM ? SHARED_CONNECTIONS : 0;
  const connectMaxMs = options.patient ? PATIENT_CONNECT_MAX_MS : CONNECT_MAX_MS;
  const source = typeof url === 'string' ? () => url : url;
  const clock = remoteClock();
  const Client = watchedClients({
    url: source,
    schema,
    connectMaxMs,
    statementMaxMs: options.patient ? 0 : STATEMENT_MAX_MS,
    // A network fault breaks several connections at once, each of which would cost its next user another second.
    onDead: (queriedAt) => {
      idle.closeSince(queriedAt);
      shared.closeSince(queriedAt);
    },
    lost: lostSessions(source, STATEMENT_MAX_MS + IDLE_MAX_MS),
    primary: options.primary,
    onClock: clock.note,
  });
  const pool = new FullServerPool({
    Client: Client as new () => pg.Client,
    application_name: APPLICATION_NAME,
    pipeline: true,
    max: connections - sharedCount,
    connectionTimeoutMillis: connectMaxMs,
    onConnect: enterSession,
  });
  const idle = idleConnections(pool);
  const shared = sharedConnections({
    newClient: () => new Client({ application_name: APPLICATION_NAME, pipeline: true }),
    enter: enterSession,
    count: sharedCount,
    pool,
  });
  // The pool replaces a broken connection.
  pool.on('error', () => {});
  return {
    source: { pool, schema },
    cell: options.cell ?? '',
    query: (statement, values) =>
      statement.isQuick && sharedCount > 0
        ? traceStatement(statement.name, shared.query(new RowsQuery(statement, values), statement.isGathered))
        : run(pool, statement, values),
    ...pooledWork(pool, { run, begin, destroy, clock }),
    copyWithin: async (limitMs, text, lines) => {
      await within(pool, { limitMs, destroy }, (client) => send(client, new CopyRows(text, lines)));
    },
    close: async () => {
      await Promise.all([pool.end(), shared.close()]);
    },
  };
}

/** Begins a database transaction: statements sent within one turn of the event loop go out together. */
function begin(client: pg.PoolClient): Begun {
  const { stream } = client.connection;
  let isGathering = false;
  const gather = () => {
    if (isGathering) return;
    isGathering = true;
    stream.cork();
    process.nextTick(() => {
      isGathering = false;
      stream.uncork();
    });
  };
  gather();
  let isBegun = false;
  const begun = client.query('begin').then(() => {
    isBegun = true;
  });
  // The first statement other than a lock or a read reports the failure.
  begun.catch(() => {});
  const query: Tx['query'] = async (statement, values) => {
    if (!statement.opens && !isBegun) await begun;
    gather();
    return run(client, statement, values);
  };
  return { tx: { query }, begun };
}

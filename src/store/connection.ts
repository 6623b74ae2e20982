/**
 * Connections to PostgreSQL that never wait for ever. A network can lose a connection without closing it; then both sides wait
 * for each other. When a connection gets no answer for a second, a second connection asks the server whether it still works
 * on the statement. If it does not, or cannot be reached, the first connection is closed and its statement fails.
 */
import pg from 'pg';
import { isRefused, NoAnswerError } from './database-error.ts';
import { RowConnection } from './row-connection.ts';

/** The role that can read and post, but not change history (migration `roles`). */
export const APPLICATION_ROLE = 'crossramp_app';
/** Time limit for opening a connection, or for getting one from a pool that has none free. Unit: ms. */
export const CONNECT_MAX_MS = 2_000;
/** A connection is checked when a statement has no answer for this long. Unit: ms. */
const SILENT_MS = 1_000;
/** Time limit of that check. Unit: ms. */
const LOOK_MAX_MS = 2_000;
/**
 * The server ends a transaction that is idle for this long. Its connection was lost, and its lock on an account blocks all
 * others. The gateway itself pauses only milliseconds between two statements. Unit: ms.
 */
const IDLE_MAX_MS = 3_000;
/** A statement that runs this much longer than its limit is given up, whatever the server says. Unit: ms. */
const GRACE_MS = 1_000;
/** TCP keepalive starts after this long without traffic. Unit: ms. */
const KEEP_ALIVE_MS = 5_000;

/** Options of connections. */
export interface ConnectionOptions {
  /** URL of the database. Called for each new connection, because an embedded server may restart on another port. */
  readonly url: () => string;
  /** Schema of the tables; only `enterSession` needs it. @default 'public' */
  readonly schema?: string;
  /** Time limit of a statement. 0: no limit, and none on idle transactions either. Unit: ms. */
  readonly statementMaxMs: number;
}

/** Whether the backend with this id is working, as the server reports it. */
type Working = (pid: number) => boolean;

/** @returns a class of watched connections for a pool; `enterSession` has still to be called for each. */
export function watchedClients({
  url,
  schema = 'public',
  statementMaxMs,
}: ConnectionOptions): typeof pg.Client {
  let looking: { readonly begunAt: number; readonly found: Promise<Working> } | undefined;
  /** Shares a look that is under way, unless it began so early that the server may not have had the statement yet. */
  const look = (askedAt: number): Promise<Working> => {
    if (looking && looking.begunAt - askedAt >= SILENT_MS / 2) return looking.found;
    const mine = { begunAt: performance.now(), found: lookIntoServer(url()) };
    looking = mine;
    mine.found.finally(() => {
      if (looking === mine) looking = undefined;
    });
    return mine.found;
  };

  return class WatchedClient extends pg.Client {
    #pid = 0;
    /** When the first statement that has no answer yet was sent, or the last answer came; undefined when all are answered. */
    #askedAt: number | undefined;
    #timer: NodeJS.Timeout | undefined;

    constructor(config: pg.ClientConfig) {
      super({
        ...config,
        connectionString: url(),
        connectionTimeoutMillis: CONNECT_MAX_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      });
      Object.assign(this, { connection: rowConnection(this) });
      // A broken connection fails its statement. Without a listener, the error event would end the process.
      this.on('error', () => {});
      this.connection.on('readyForQuery', () => {
        if (this.#askedAt !== undefined) this.#askedAt = performance.now();
      });
      this.on('drain', () => {
        this.#askedAt = undefined;
      });
      this.on('end', () => clearTimeout(this.#timer));
      const ask = this.query.bind(this) as (...given: unknown[]) => unknown;
      this.query = ((...given: unknown[]) => {
        if (this.#askedAt === undefined) {
          this.#askedAt = performance.now();
          this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#lookInto(), SILENT_MS).unref();
        }
        return ask(...given);
      }) as typeof this.query;
    }

    /** Sets the restricted role and the settings by SQL, because a pooler may refuse them as connection parameters. */
    async enter(): Promise<void> {
      const { rows } = await this.query<{ pid: number }>(
        settingSql({
          role: APPLICATION_ROLE,
          search_path: `"${schema}"`,
          timezone: 'UTC',
          datestyle: 'ISO',
          lock_timeout: '5000',
          statement_timeout: String(statementMaxMs),
          idle_in_transaction_session_timeout: String(statementMaxMs > 0 ? IDLE_MAX_MS : 0),
        }),
      );
      this.#pid = rows[0]?.pid ?? 0;
    }

    async #lookInto(): Promise<void> {
      const askedAt = this.#askedAt;
      if (askedAt === undefined) return;
      // It answers others meanwhile: that is not silence.
      if (performance.now() - askedAt < SILENT_MS / 2) return void this.#timer?.refresh();
      const isOverdue = statementMaxMs > 0 && performance.now() - askedAt > statementMaxMs + GRACE_MS;
      const isWorking = isOverdue ? () => false : await look(askedAt);
      // Answered meanwhile. The next statement has restarted the timer, unless it was sent before that answer.
      if (this.#askedAt === undefined) return;
      if (this.#askedAt !== askedAt || isWorking(this.#pid)) this.#timer?.refresh();
      else destroy(this, new NoAnswerError('the database did not answer'));
    }
  } as typeof pg.Client;
}

/** Prepares a new connection of a pool. @throws the driver's error, for example when the role is refused. */
export function enterSession(client: pg.ClientBase): Promise<void> {
  return (client as pg.ClientBase & { enter: () => Promise<void> }).enter();
}

/** @returns SQL that applies these settings to the session and returns its backend id as `pid`. */
function settingSql(settings: Readonly<Record<string, string>>): string {
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select pg_backend_pid() as pid, ${set.join(', ')}`;
}

/** @returns SQL that has names without a schema mean those of this one. */
export function inSchema(schema: string): string {
  return settingSql({ search_path: `"${schema}"` });
}

/** A backend that waits for its client is not working: the statement or the answer was lost on the network. */
const WORKING = `select pid from pg_stat_activity
  where usename = session_user and coalesce(state, '') not like 'idle%' and coalesce(wait_event_type, '') <> 'Client'`;

async function lookIntoServer(url: string): Promise<Working> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: LOOK_MAX_MS });
  client.on('error', () => {});
  const timer = setTimeout(() => destroy(client), LOOK_MAX_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(WORKING);
    const pids = new Set(rows.map(({ pid }) => pid));
    return (pid) => pids.has(pid);
  } catch (error) {
    // A server that refuses the check (too many connections) is alive: wait until the limit of the statement.
    const isAlive = isRefused(error) || (error as { severity?: string }).severity === 'FATAL';
    return () => isAlive;
  } finally {
    clearTimeout(timer);
    client.end().catch(() => {});
  }
}

function destroy(client: pg.Client, error?: Error): void {
  client.connection.stream.destroy(error);
}

/** What the driver's client makes its connection of. */
interface DriverClient {
  readonly ssl: unknown;
  readonly sslNegotiation: unknown;
}

/** @returns the connection that the client would have made, except that it hands on rows as they came. */
function rowConnection(client: pg.Client): pg.Connection {
  const { ssl, sslNegotiation } = client as unknown as DriverClient;
  return new RowConnection({
    ssl,
    sslNegotiation,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }) as unknown as pg.Connection;
}

/**
 * Connections to PostgreSQL that nobody waits for without end. A network can lose a connection without closing it: both
 * sides then wait for each other. So a connection that is silent for two seconds is looked into: a fresh connection asks
 * the server whether it works for the silent one. If it does not, or cannot be asked either, the silent one is closed, and
 * whoever waits for it is told.
 */
import pg from 'pg';
import { isRefused, NoAnswerError } from './database-error.ts';

/** The role that may read and post, but not change history (migration `roles`). */
export const APPLICATION_ROLE = 'crossramp_app';
/** Most time for making a connection, or for getting one of a pool that has none free. Unit: ms. */
export const CONNECT_MAX_MS = 2_000;
/** A connection is looked into after so long without an answer. Unit: ms. */
const SILENT_MS = 2_000;
/** The server has so long to say what it works on. Unit: ms. */
const LOOK_MAX_MS = 2_000;
/**
 * A transaction that nobody goes on with is ended by the server after so long: its connection was lost on the way, and the
 * lock of an account that it holds keeps everybody else waiting. Between two statements of ours pass milliseconds. Unit: ms.
 */
const IDLE_MAX_MS = 3_000;
/** Beyond its own limit the server is believed no longer. Unit: ms. */
const GRACE_MS = 1_000;
/** After so long without traffic the system asks the other side for a sign of life. Unit: ms. */
const KEEP_ALIVE_MS = 5_000;

/** How connections are used. */
export interface ConnectionOptions {
  /** Of the database; asked for each connection anew, because an embedded server may come back elsewhere. */
  readonly url: () => string;
  /** That holds the tables; needed by `enterSession` only. @default 'public' */
  readonly schema?: string;
  /** A statement that takes longer is given up; 0 for no limit, also on transactions that nobody goes on with. Unit: ms. */
  readonly statementMaxMs: number;
}

/** Backends that work on something, as the server tells it. */
type Working = (pid: number) => boolean;

/** @returns a class of connections, for a pool: looked after, and not yet in a session. */
export function watchedClients({
  url,
  schema = 'public',
  statementMaxMs,
}: ConnectionOptions): typeof pg.Client {
  let looking: Promise<Working> | undefined;
  const look = () => {
    looking ??= lookIntoServer(url()).finally(() => {
      looking = undefined;
    });
    return looking;
  };

  return class WatchedClient extends pg.Client {
    #pid = 0;
    /** When the question was asked that has no answer yet. */
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
      // Whoever uses a connection that breaks hears of it from the statement; without a listener the process would end.
      this.on('error', () => {});
      this.on('drain', () => {
        this.#askedAt = undefined;
      });
      this.on('end', () => clearTimeout(this.#timer));
      const ask = this.query.bind(this) as (...given: unknown[]) => unknown;
      this.query = ((...given: unknown[]) => {
        this.#askedAt = performance.now();
        this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#lookInto(), SILENT_MS).unref();
        return ask(...given);
      }) as typeof this.query;
    }

    /** Takes the restricted role and our settings, by SQL: a pooler between may refuse them at the start of a connection. */
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
      const isOverdue = statementMaxMs > 0 && performance.now() - askedAt > statementMaxMs + GRACE_MS;
      const isWorking = isOverdue ? () => false : await look();
      // Answered meanwhile; a next question has set the timer anew.
      if (this.#askedAt !== askedAt) return;
      if (isWorking(this.#pid)) this.#timer?.refresh();
      else destroy(this, new NoAnswerError('the database did not answer'));
    }
  } as typeof pg.Client;
}

/** Begins the session of a connection that a pool has made. @throws the driver's error; the role may be refused. */
export function enterSession(client: pg.ClientBase): Promise<void> {
  return (client as pg.ClientBase & { enter: () => Promise<void> }).enter();
}

/** @returns SQL that sets these for the session, and gives the number of its backend as `pid`. */
export function settingSql(settings: Readonly<Record<string, string>>): string {
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select pg_backend_pid() as pid, ${set.join(', ')}`;
}

/** A backend that waits for its client does not work: what it waits for was lost, or its answer does not get through. */
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
    // A server that refuses (too many connections) lives: it is believed until its own limit has passed.
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

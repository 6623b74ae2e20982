/**
 * Connections to PostgreSQL: one pool for prepared SQL and for Prisma, as the restricted role `crossramp_app`. None waits for
 * ever. A network can lose a connection without closing it; then both sides wait for each other. When a connection gets no
 * answer for a second, a second connection asks the server whether it still works on the statement. If it does not, or cannot be
 * reached, the first connection is closed and its statement fails.
 */
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { onNobodysBehalf } from '../base/on-behalf.ts';
import { CopyRows } from './copy-rows.ts';
import { type Database, DEFAULT_SCHEMA, type Tx } from './database.ts';
import { CommitUnknownError, isRefused, LOCK_MAX_MS, NoAnswerError } from './database-error.ts';
import { FairPool } from './fair-pool.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { idleConnections } from './idle-connections.ts';
import { destroy, lookIntoServer, type Working } from './look-into-server.ts';
import { lostTransactions, markSql, type Session } from './lost-transactions.ts';
import { Openings } from './openings.ts';
import { RowConnection } from './row-connection.ts';
import { RowsQuery, run, send } from './rows-query.ts';
import { sharedConnections } from './shared-connections.ts';

/** The role that can read and post, but not change history (migration `roles`). */
export const APPLICATION_ROLE = 'crossramp_app';
/** Time limit for opening a connection, or for getting one from a pool that has none free. Unit: ms. */
const CONNECT_MAX_MS = 2_000;
/** A connection is checked when a statement has no answer for this long. Unit: ms. */
const SILENT_MS = 1_000;
/**
 * The server ends a transaction that is idle for this long. Its connection was lost, and its lock on an account blocks all
 * others. The gateway itself pauses only milliseconds between two statements. Unit: ms.
 */
const IDLE_MAX_MS = 3_000;
/** A statement that runs this much longer than its limit is given up, whatever the server says. Unit: ms. */
const GRACE_MS = 1_000;
/** TCP keepalive starts after this long without traffic. Unit: ms. */
const KEEP_ALIVE_MS = 5_000;
/** Time limit of a statement. Unit: ms. */
const STATEMENT_MAX_MS = 15_000;
/** What the server knows the connections by. */
const APPLICATION_NAME = 'crossramp';
/** Of so many connections and more, some are shared. */
const SHARED_FROM = 8;
const SHARED_CONNECTIONS = 2;

/** Options of a database. */
export interface DatabaseOptions {
  /** Maximum number of connections, default 10; of eight and more, two are shared by quick reads. */
  readonly connections?: number;
  /** No time limit for statements, for audits of millions of lines and large imports. Default no. */
  readonly patient?: boolean;
  /** Schema of the tables, default `public`. */
  readonly schema?: string;
}

/**
 * @param url - of the database, or a function that returns it for each new connection.
 * @returns the database. Connections are opened when they are needed; dead ones are noticed.
 */
export function openDatabase(url: string | (() => string), options: DatabaseOptions = {}): Database {
  const schema = options.schema ?? DEFAULT_SCHEMA;
  const connections = options.connections ?? 10;
  const sharedCount = connections >= SHARED_FROM ? SHARED_CONNECTIONS : 0;
  const source = typeof url === 'string' ? () => url : url;
  const Client = watchedClients({
    url: source,
    schema,
    statementMaxMs: options.patient ? 0 : STATEMENT_MAX_MS,
    // A fault of the network takes more than one with it, and each would cost whoever gets it another second.
    onDead: (askedAt) => {
      idle.closeSince(askedAt);
      shared.closeSince(askedAt);
    },
    onLost: lostTransactions(source, STATEMENT_MAX_MS + IDLE_MAX_MS),
  });
  const shared = sharedConnections({
    newClient: () => new Client({ application_name: APPLICATION_NAME, pipeline: true }),
    enter: enterSession,
    count: sharedCount,
  });
  const pool = new FairPool({
    Client: Client as new () => pg.Client,
    application_name: APPLICATION_NAME,
    pipeline: true,
    max: connections - sharedCount,
    connectionTimeoutMillis: CONNECT_MAX_MS,
    onConnect: enterSession,
  });
  const idle = idleConnections(pool);
  // The pool replaces a broken connection.
  pool.on('error', () => {});
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }), errorFormat: 'minimal' });
  return {
    prisma,
    query: (statement, values) =>
      statement.isQuick && sharedCount > 0
        ? shared.query(new RowsQuery(statement, values), statement.isGathered)
        : run(pool, statement, values),
    within: (limitMs, work) =>
      within(pool, limitMs, (client) =>
        work({ query: (statement, values) => run(client, statement, values) }),
      ),
    copyWithin: async (limitMs, text, lines) => {
      await within(pool, limitMs, (client) => send(client, new CopyRows(text, lines)));
    },
    withTx: (work) => transact(pool, work),
    close: async () => {
      await prisma.$disconnect();
      await Promise.all([pool.end(), shared.close()]);
    },
  };
}

async function within<Result>(
  pool: pg.Pool,
  limitMs: number,
  ask: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  // Probes and the request log: no caller waits for them, and no caller may keep them waiting.
  const connecting = onNobodysBehalf(() => pool.connect());
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`no answer within ${limitMs} ms`)), limitMs);
  });
  let client: pg.PoolClient | undefined;
  let failure: Error | undefined;
  try {
    client = await Promise.race([connecting, limit]);
    return await Promise.race([ask(client), limit]);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    clearTimeout(timer);
    // A connection that did not answer in time is closed and not reused. The driver alone would first wait for its answers, and
    // whoever waits for a place in the pool with it.
    if (client && failure) destroy(client);
    if (client) client.release(failure);
    else connecting.then((late) => late.release()).catch(() => {});
  }
}

async function transact<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const { tx, begun } = begin(client);
    // Whoever has a connection never waits in line for another one: those before it may wait for what it has locked.
    const result = await onNobodysBehalf(() => work(tx));
    await begun;
    await commit(client);
    return result;
  } catch (error) {
    await client.query('rollback').catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Begins a database transaction: what is sent to it in one turn of the event loop goes in one piece. */
function begin(client: pg.PoolClient): { readonly tx: Tx; readonly begun: Promise<unknown> } {
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
  // Told to the first statement that does more than to lock or to read.
  begun.catch(() => {});
  const query: Tx['query'] = async (statement, values) => {
    if (!statement.opens && !isBegun) await begun;
    gather();
    return run(client, statement, values);
  };
  return { tx: { query }, begun };
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit').catch((error: unknown) => {
    throw isRefused(error) ? error : new CommitUnknownError('the commit was not answered', { cause: error });
  });
  if (command !== 'COMMIT') throw new Error('a statement failed before the commit, and nothing was kept');
}

/** Options of connections. */
export interface ConnectionOptions {
  /** URL of the database. Called for each new connection, because an embedded server may restart on another port. */
  readonly url: () => string;
  /** Schema of the tables; only `enterSession` needs it. @default 'public' */
  readonly schema?: string;
  /** Time limit of a statement. 0: no limit, and none on idle transactions either. Unit: ms. */
  readonly statementMaxMs: number;
  /** Called when a connection was found dead, with when the wait for its answer began. Unit: ms, of `performance.now()`. */
  readonly onDead?: (askedAt: number) => void;
  /** Called when a connection ended with a transaction open, or with statements that were not answered. */
  readonly onLost?: (session: Session) => void;
}

/** @returns a class of watched connections for a pool; `enterSession` has still to be called for each. */
export function watchedClients({
  url,
  schema = 'public',
  statementMaxMs,
  onDead,
  onLost,
}: ConnectionOptions): typeof pg.Client {
  const openings = new Openings();
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
    #session: Session | undefined;
    /** When the first statement that has no answer yet was sent, or the last answer came; undefined when all are answered. */
    #askedAt: number | undefined;
    #timer: NodeJS.Timeout | undefined;
    /** Bytes that had come from the server when the wait began, or was last looked into. */
    #heard = 0;

    constructor(config: pg.ClientConfig) {
      super({
        ...config,
        connectionString: url(),
        connectionTimeoutMillis: CONNECT_MAX_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      });
      Object.assign(this, { connection: rowConnection(this) });
      openings.begin(this);
      // A broken connection fails its statement. Without a listener, the error event would end the process.
      this.on('error', () => openings.end(this));
      this.connection.on('readyForQuery', () => {
        if (this.#askedAt !== undefined) this.#waitFromNow();
      });
      this.on('drain', () => {
        this.#askedAt = undefined;
      });
      this.on('end', () => {
        openings.end(this);
        clearTimeout(this.#timer);
        const isIdle = this.#askedAt === undefined && this.getTransactionStatus() === 'I';
        // Nothing is waited for any more: a look that is under way says nothing of the other connections.
        this.#askedAt = undefined;
        if (this.#session && !isIdle) onLost?.(this.#session);
      });
      const ask = this.query.bind(this) as (...given: unknown[]) => unknown;
      this.query = ((...given: unknown[]) => {
        if (this.#askedAt === undefined) {
          this.#waitFromNow();
          this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#lookInto(), SILENT_MS).unref();
        }
        return ask(...given);
      }) as typeof this.query;
    }

    /** Sets the restricted role and the settings by SQL, because a pooler may refuse them as connection parameters. */
    async enter(): Promise<void> {
      const token = randomInt(2 ** 31);
      const settings = settingSql({
        role: APPLICATION_ROLE,
        search_path: `"${schema}"`,
        timezone: 'UTC',
        datestyle: 'ISO',
        lock_timeout: String(LOCK_MAX_MS),
        statement_timeout: String(statementMaxMs),
        idle_in_transaction_session_timeout: String(statementMaxMs > 0 ? IDLE_MAX_MS : 0),
      });
      const { rows } = await this.query<{ pid: number }>(
        `${settings}, ${markSql(token)}, pg_backend_pid() as pid`,
      );
      this.#session = rows[0] && { pid: rows[0].pid, token };
      openings.succeed(this);
    }

    async #lookInto(): Promise<void> {
      const askedAt = this.#askedAt;
      if (askedAt === undefined) return;
      // It answers others meanwhile, or a long answer is coming: that is not silence.
      if (performance.now() - askedAt < SILENT_MS / 2 || this.#hears()) return void this.#timer?.refresh();
      const isOverdue = statementMaxMs > 0 && performance.now() - askedAt > statementMaxMs + GRACE_MS;
      const isWorking = isOverdue ? () => false : await look(askedAt);
      // Answered meanwhile. The next statement has restarted the timer, unless it was sent before that answer.
      if (this.#askedAt === undefined) return;
      if (this.#askedAt !== askedAt || this.#hears() || (this.#session && isWorking(this.#session.pid)))
        return void this.#timer?.refresh();
      destroy(this, new NoAnswerError('the database did not answer'));
      onDead?.(askedAt);
    }

    #waitFromNow(): void {
      this.#askedAt = performance.now();
      this.#heard = this.#bytesRead;
    }

    /** How many bytes have come from the server. */
    get #bytesRead(): number {
      return (this.connection.stream as Socket).bytesRead;
    }

    /** @returns whether anything came since this was last asked, or since the wait began. */
    #hears(): boolean {
      const before = this.#heard;
      this.#heard = this.#bytesRead;
      return this.#heard > before;
    }
  } as typeof pg.Client;
}

/** Prepares a new connection of a pool. @throws the driver's error, for example when the role is refused. */
function enterSession(client: pg.ClientBase): Promise<void> {
  return (client as pg.ClientBase & { enter: () => Promise<void> }).enter();
}

/** @returns SQL that applies these settings to the session. */
function settingSql(settings: Readonly<Record<string, string>>): string {
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${set.join(', ')}`;
}

/** @returns SQL that has names without a schema mean those of this one. */
export function inSchema(schema: string): string {
  return settingSql({ search_path: `"${schema}"` });
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

/** Connections that notice when they are dead, and sessions of the restricted role on them. */
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import type { ClockReading } from '../../base/time/remote-clock.ts';
import { NoAnswerError } from './database-error.ts';
import { type LostSessions, markSql, type Session } from './lost-sessions.ts';
import { Openings } from './openings.ts';
import type { Primary } from './primary.ts';
import { destroy, probeServer, type Working } from './probe-server.ts';
import { RowConnection } from './row-connection.ts';
import { CONNECT_MAX_MS, GRACE_MS, KEEP_ALIVE_MS, SERVER_MS, sessionSql } from './session.ts';

/** Time without an answer to a statement after which its connection is checked. Unit: ms. */
const SILENT_MS = 1_000;
/** Time limit for closing a connection that has nothing to answer. Unit: ms. */
const GOODBYE_MAX_MS = 500;
/** Options of connections. */
export interface ConnectionOptions {
  /** URL of the database. Called for each new connection, because an embedded server may restart on another port. */
  readonly url: () => string;
  /** Schema of the tables; only `enterSession` needs it. @default 'public' */
  readonly schema?: string;
  /** Time limit for opening a connection, default 2,000. Unit: ms. */
  readonly connectMaxMs?: number;
  /** Time limit of a statement. 0 means no limit, also none on idle transactions. Unit: ms. */
  readonly statementMaxMs: number;
  /**
   * Called when a connection was found dead, with the start time of the wait for its answer. Unit: ms, of
   * `performance.now()`.
   */
  readonly onDead?: (queriedAt: number) => void;
  /** Sessions whose connection ended unexpectedly. */
  readonly lost?: LostSessions;
  /**
   * Set if the database is on several hosts: receives failures, and closes connections to a host that is no longer the
   * primary.
   */
  readonly primary?: Primary | undefined;
  /** Called with the server's time at the start of each session. */
  readonly onClock?: (reading: ClockReading) => void;
}

/** Shared state of a pool's connections. */
interface Shared {
  readonly options: ConnectionOptions;
  readonly openings: Openings;
  readonly probe: (queriedAt: number) => Promise<Working>;
}

/** @returns a class of watched connections for a pool; each still needs `enterSession`. */
export function watchedClients(options: ConnectionOptions): typeof pg.Client {
  const shared: Shared = { options, openings: new Openings(), probe: sharedProbe(options.url) };
  return class extends WatchedClient {
    constructor(config: pg.ClientConfig) {
      super(config, shared);
    }
  } as typeof pg.Client;
}

/**
 * @returns the result of a probe of the server; shared while it runs, unless it began before the server can have
 * received the statement.
 */
function sharedProbe(url: () => string): Shared['probe'] {
  let probe: { readonly begunAt: number; readonly found: Promise<Working> } | undefined;
  return (queriedAt) => {
    if (probe && probe.begunAt - queriedAt >= SILENT_MS / 2) return probe.found;
    const mine = { begunAt: performance.now(), found: probeServer(url()) };
    probe = mine;
    mine.found.finally(() => {
      if (probe === mine) probe = undefined;
    });
    return mine.found;
  };
}

/** A connection that notices when it is dead. */
class WatchedClient extends pg.Client {
  readonly #shared: Shared;
  #session: Session | undefined;
  /** Time at which the first unanswered statement was sent, or the last answer arrived; undefined when all are answered. */
  #queriedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the end of the session was announced to the server. */
  #isOrdered = false;
  /** Bytes received from the server at the start of the wait, or at the last check. */
  #bytesSeen = 0;

  constructor(config: pg.ClientConfig, shared: Shared) {
    const { url, connectMaxMs = CONNECT_MAX_MS } = shared.options;
    super({
      ...config,
      connectionString: url(),
      connectionTimeoutMillis: connectMaxMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    this.#shared = shared;
    const { openings } = shared;
    const { lost, primary } = shared.options;
    Object.assign(this, { connection: rowConnection(this) });
    primary?.watch(this, (reason) => destroy(this, reason));
    // A broken connection fails its statement. Without a listener, the error event would end the process; the driver has none
    // on the socket of a connection that waits to be opened.
    this.on('error', () => openings.end(this));
    this.connection.stream.on('error', () => {});
    this.connection.on('readyForQuery', () => {
      if (this.#queriedAt !== undefined) this.#waitFromNow();
    });
    this.on('drain', () => {
      this.#queriedAt = undefined;
    });
    this.on('end', () => {
      openings.end(this);
      clearTimeout(this.#timer);
      const isIdle = this.#queriedAt === undefined && this.getTransactionStatus() === 'I';
      // No answer is awaited any more, so a running check says nothing about the other connections.
      this.#queriedAt = undefined;
      if (this.#session && !(isIdle && this.#isOrdered)) lost?.add(this.#session);
      if (!this.#isOrdered) primary?.suspect();
    });
    const runQuery = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => {
      if (this.#queriedAt === undefined) {
        this.#waitFromNow();
        this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#probe(), SILENT_MS).unref();
      }
      return runQuery(...args);
    }) as typeof this.query;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
  /** Opens the connection in its turn. The time limit includes the wait. */
  override connect(
    callback?: (error: Error | null, client?: pg.Client) => void,
  ): Promise<pg.Client> | undefined {
    const opening = this.#open();
    if (!callback) return opening;
    opening.then((client) => callback(null, client), callback);
    return undefined;
  }

  async #open(): Promise<pg.Client> {
    const { options, openings } = this.#shared;
    const limit = setTimeout(() => destroy(this), options.connectMaxMs ?? CONNECT_MAX_MS).unref();
    try {
      await openings.begin(this);
      await super.connect();
      openings.succeed(this);
      options.lost?.retry();
      return this;
    } catch (error) {
      openings.end(this);
      options.primary?.suspect();
      throw error;
    } finally {
      clearTimeout(limit);
    }
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  /**
   * Announces the end to the server. A dead connection never answers, so it is closed after a while, and its session is
   * lost.
   */
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.#isOrdered = !this.connection.stream.destroyed;
    const limit = () => {
      const timer = setTimeout(() => {
        this.#isOrdered = false;
        destroy(this);
      }, GOODBYE_MAX_MS);
      this.connection.once('end', () => clearTimeout(timer));
    };
    if (this.#queriedAt === undefined) limit();
    else this.once('drain', limit);
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  /** Begins the session. */
  async enter(): Promise<void> {
    const { schema = 'public', statementMaxMs, onClock, primary } = this.#shared.options;
    const token = randomInt(2 ** 31);
    const sentAt = performance.now();
    const { rows } = await this.query<{ pid: number; serverMs: string; isStandby: boolean }>(
      `${sessionSql(schema, statementMaxMs)}, ${markSql(token)}, pg_backend_pid() as pid, ${SERVER_MS} as "serverMs",
        pg_is_in_recovery() as "isStandby"`,
    );
    if (primary && rows[0]?.isStandby) {
      primary.suspect();
      throw new NoAnswerError('the server is not the primary');
    }
    onClock?.({ serverMs: Number(rows[0]?.serverMs), sentAt, receivedAt: performance.now() });
    this.#session = rows[0] && { pid: rows[0].pid, token };
  }

  async #probe(): Promise<void> {
    const { options, probe } = this.#shared;
    const { statementMaxMs, onDead } = options;
    const queriedAt = this.#queriedAt;
    if (queriedAt === undefined) return;
    // The server answers other statements meanwhile, or a long answer is arriving, so it is not silent.
    if (performance.now() - queriedAt < SILENT_MS / 2 || this.#isReceiving())
      return void this.#timer?.refresh();
    const isOverdue = statementMaxMs > 0 && performance.now() - queriedAt > statementMaxMs + GRACE_MS;
    const isWorking = isOverdue ? () => false : await probe(queriedAt);
    // Answered meanwhile. The next statement has restarted the timer, unless it was sent before that answer.
    if (this.#queriedAt === undefined) return;
    if (
      this.#queriedAt !== queriedAt ||
      this.#isReceiving() ||
      (this.#session && isWorking(this.#session.pid))
    )
      return void this.#timer?.refresh();
    destroy(this, new NoAnswerError('the database did not answer'));
    onDead?.(queriedAt);
  }

  #waitFromNow(): void {
    this.#queriedAt = performance.now();
    this.#bytesSeen = this.#bytesRead;
  }

  /** Number of bytes received from the server. */
  get #bytesRead(): number {
    return (this.connection.stream as Socket).bytesRead;
  }

  /** @returns whether bytes arrived since the last call, or since the wait began. */
  #isReceiving(): boolean {
    const before = this.#bytesSeen;
    this.#bytesSeen = this.#bytesRead;
    return this.#bytesSeen > before;
  }
}

/** Prepares a new connection of a pool. @throws the driver's error, for example when the role is refused. */
export function enterSession(client: pg.ClientBase): Promise<void> {
  return (client as pg.ClientBase & { enter: () => Promise<void> }).enter();
}

/** Parts from which the driver's client creates its connection. */
interface DriverClient {
  readonly ssl: unknown;
  readonly sslNegotiation: unknown;
}

/** @returns the connection that the client would have created, except that it passes on rows as received. */
function rowConnection(client: pg.Client): pg.Connection {
  const { ssl, sslNegotiation } = client as unknown as DriverClient;
  return new RowConnection({
    ssl,
    sslNegotiation,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }) as unknown as pg.Connection;
}

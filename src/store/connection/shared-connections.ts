/**
 * A few connections for short reads: each statement is sent without waiting for earlier answers (pipelining). That
 * saves work of the pool, and the server reads several statements together. Statements that may take long, wait for
 * locks or belong to a database transaction use separate connections, because answers come in the order of the
 * statements (decision 0066).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isServerFull, isUnprepared, NoAnswerError } from './database-error.ts';
import { closeIdle } from './idle-connections.ts';
import { type RowsQuery, send } from './rows-query.ts';

/** Wait for the opening of a connection after which a statement goes to the pool. Unit: ms. */
const OPENING_WAIT_MS = 500;
/** Pause after a failed opening, during which statements go to the pool. Unit: ms. */
const REOPEN_MS = 500;
/** Number of unanswered statements at which a gathering connection is no longer preferred. */
const GATHERED_MAX = 8;

/** The connections. */
export interface SharedConnections {
  /**
   * Sends a statement on the connection that gathers statements, or on the one with the fewest unanswered ones; on one
   * of the pool if no connection can be opened.
   * @param isImmediate - whether it waits for no other statements.
   * @throws the driver's error.
   */
  readonly query: <Row>(statement: RowsQuery, isImmediate?: boolean) => Promise<Row[]>;
  /**
   * Closes the connections that have no unanswered statement and have answered none since then. Unit: ms, of
   * `performance.now()`.
   */
  readonly closeSince: (atMs: number) => void;
  readonly close: () => Promise<void>;
}

interface Shared {
  readonly opening: Promise<pg.Client>;
  /** Resolves when it is open. */
  client: pg.Client | undefined;
  /** Statements without an answer. */
  waiting: number;
  /** Time of the last answer. */
  answeredAt: number;
  /** Whether newly sent statements wait for earlier ones. */
  isGathering: boolean;
}

/** The selected connections. */
export interface SharedOptions {
  readonly newClient: () => pg.Client;
  /** Prepares a connection that was just opened. */
  readonly enter: (client: pg.Client) => Promise<void>;
  readonly count: number;
  /** Answers while the connections are not open. */
  readonly pool: pg.Pool;
}

/** @returns the connections, each opened when it is first needed, and again after it broke. */
export function sharedConnections({ newClient, enter, count, pool }: SharedOptions): SharedConnections {
  const all: (Shared | undefined)[] = new Array(count).fill(undefined);
  let isClosed = false;
  let openAgainAt = 0;

  const open = (at: number): Shared => {
    const client = newClient();
    const forget = () => {
      if (all[at] === shared) all[at] = undefined;
    };
    const opening = client.connect().then(async () => {
      await enter(client);
      shared.client = client;
      return client;
    });
    const shared: Shared = { opening, client: undefined, waiting: 0, answeredAt: 0, isGathering: false };
    client.on('error', forget);
    client.on('end', forget);
    opening.catch(() => {
      openAgainAt = performance.now() + REOPEN_MS;
      forget();
      client.end().catch(() => {});
    });
    all[at] = shared;
    return shared;
  };
  const least = (): Shared | undefined => {
    if (isClosed) throw new Error('the database is closed');
    const gathering = all.find((each) => each?.isGathering && each.waiting < GATHERED_MAX);
    if (gathering) return gathering;
    const at = leastWaiting(all, performance.now() >= openAgainAt);
    return at === undefined ? undefined : (all[at] ?? open(at));
  };
  return {
    query: async <Row>(statement: RowsQuery, isImmediate = false) => {
      const shared = least();
      if (!shared) return send<Row>(pool, statement);
      shared.waiting += 1;
      try {
        const client = shared.client ?? (await opened(shared, pool));
        if (!client) return await send<Row>(pool, statement);
        if (!isImmediate) gather(shared, client);
        return await send<Row>(client, statement);
      } catch (error) {
        // The previous statement was to prepare it, and waited too long or was ended.
        throw isUnprepared(error)
          ? new NoAnswerError('the statement was not prepared', { cause: error })
          : error;
      } finally {
        shared.waiting -= 1;
        shared.answeredAt = performance.now();
      }
    },
    closeSince: (atMs) => {
      // The connections are removed immediately, so that no statement goes to one of them before its end is reported.
      for (const [at, shared] of all.entries()) if (shared && closeUnused(shared, atMs)) all[at] = undefined;
    },
    close: async () => {
      isClosed = true;
      await Promise.all(all.map((shared) => shared?.opening.then((client) => client.end()).catch(() => {})));
    },
  };
}

/** @returns the slot with the fewest unanswered statements; only open ones, unless `mayOpen`. */
function leastWaiting(all: readonly (Shared | undefined)[], mayOpen: boolean): number | undefined {
  let best: number | undefined;
  for (const [at, shared] of all.entries()) {
    if (!shared && !mayOpen) continue;
    if (best === undefined || (shared?.waiting ?? 0) < (all[best]?.waiting ?? 0)) best = at;
  }
  return best;
}

/** @returns undefined if the connection cannot be opened now, so that the pool has to answer. */
function opened({ opening }: Shared, pool: pg.Pool): Promise<pg.Client | undefined> {
  if (pool.idleCount > 0) return Promise.resolve(undefined);
  const limit = new AbortController();
  const wait = sleep(OPENING_WAIT_MS, undefined, { signal: limit.signal });
  return Promise.race([opening, wait])
    .catch((error: unknown) => {
      if (isServerFull(error)) return undefined;
      throw error;
    })
    .finally(() => limit.abort());
}

/** @returns whether it was closed: it has no unanswered statement, and has answered none since then. */
function closeUnused({ client, waiting, answeredAt }: Shared, sinceMs: number): boolean {
  if (!client || waiting > 0 || answeredAt >= sinceMs) return false;
  closeIdle(client);
  return true;
}

/** Statements of a few turns of the event loop are sent together: sending costs both sides more than answering a read. */
function gather(shared: Shared, { connection: { stream } }: pg.Client): void {
  if (shared.isGathering) return;
  shared.isGathering = true;
  stream.cork();
  const send = () => {
    shared.isGathering = false;
    stream.uncork();
  };
  setImmediate(() => setImmediate(send));
}

/**
 * A few connections for reads that take a moment: each is sent behind the others, without waiting for their answers (pipelining).
 * That saves the pool's work, and the server reads several statements at once. What may take long, waits for locks or belongs to
 * a database transaction has a connection of its own, because answers come in the order of the statements (decision 0046).
 */
import type pg from 'pg';
import { isUnprepared, NoAnswerError } from './database-error.ts';
import { closeIdle } from './idle-connections.ts';
import { type RowsQuery, send } from './rows-query.ts';

/** With so many statements without an answer, a connection that gathers is no longer preferred to another one. */
const GATHERED_MAX = 8;

/** The connections. */
export interface SharedConnections {
  /**
   * Sends a statement on the connection that gathers statements, or has the fewest to answer.
   *
   * @param isAtOnce - whether it waits for no others.
   * @throws the driver's error.
   */
  readonly query: <Row>(statement: RowsQuery, isAtOnce?: boolean) => Promise<Row[]>;
  /** Closes those that have nothing to answer and answered nobody since then. Unit: ms, of `performance.now()`. */
  readonly closeSince: (atMs: number) => void;
  readonly close: () => Promise<void>;
}

interface Shared {
  readonly opening: Promise<pg.Client>;
  /** Once it is open. */
  client: pg.Client | undefined;
  /** Statements without an answer. */
  waiting: number;
  /** When the last one was answered. */
  answeredAt: number;
  /** Whether what is sent now waits for others. */
  isGathering: boolean;
}

/** Which connections. */
export interface SharedOptions {
  readonly newClient: () => pg.Client;
  /** Prepares a connection that was just opened. */
  readonly enter: (client: pg.Client) => Promise<void>;
  readonly count: number;
}

/** @returns so many connections, each opened when it is first needed, and anew when it broke. */
export function sharedConnections({ newClient, enter, count }: SharedOptions): SharedConnections {
  const all: (Shared | undefined)[] = new Array(count).fill(undefined);
  let isClosed = false;

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
      forget();
      client.end().catch(() => {});
    });
    all[at] = shared;
    return shared;
  };
  const least = (): Shared => {
    if (isClosed) throw new Error('the database is closed');
    const gathering = all.find((each) => each?.isGathering && each.waiting < GATHERED_MAX);
    if (gathering) return gathering;
    let best = 0;
    for (let at = 1; at < count; at++) if ((all[at]?.waiting ?? 0) < (all[best]?.waiting ?? 0)) best = at;
    return all[best] ?? open(best);
  };
  return {
    query: async <Row>(statement: RowsQuery, isAtOnce = false) => {
      const shared = least();
      shared.waiting += 1;
      try {
        const client = shared.client ?? (await shared.opening);
        if (!isAtOnce) gather(shared, client);
        return await send<Row>(client, statement);
      } catch (error) {
        // The one before it was to prepare it, and had to wait too long, or was ended.
        throw isUnprepared(error)
          ? new NoAnswerError('the statement was not prepared', { cause: error })
          : error;
      } finally {
        shared.waiting -= 1;
        shared.answeredAt = performance.now();
      }
    },
    closeSince: (atMs) => {
      // Forgotten at once: nobody sends anything on one of them before its end is told.
      for (const [at, shared] of all.entries()) if (shared && closeUnused(shared, atMs)) all[at] = undefined;
    },
    close: async () => {
      isClosed = true;
      await Promise.all(
        all.map((shared) =>
          shared?.opening.then(
            (client) => client.end(),
            () => {},
          ),
        ),
      );
    },
  };
}

/** @returns whether it was closed: it has nothing to answer, and answered nobody since then. */
function closeUnused({ client, waiting, answeredAt }: Shared, sinceMs: number): boolean {
  if (!client || waiting > 0 || answeredAt >= sinceMs) return false;
  closeIdle(client);
  return true;
}

/** What is sent within a few turns of the event loop goes in one piece: to send a piece costs both sides more than to answer a read. */
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

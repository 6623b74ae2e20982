/** Work on a pooled connection: within a time limit, or in one database transaction. */
import type pg from 'pg';
import { onNobodysBehalf } from '../../base/concurrency/on-behalf.ts';
import type { RemoteClock } from '../../base/time/remote-clock.ts';
import { traceStatement } from '../../base/trace/spans.ts';
import type { Database, Statement, Tx } from './database.ts';
import { CommitUnknownError, isRefused, NoAnswerError } from './database-error.ts';
import type { FairPool } from './fair-pool.ts';
import { CONNECT_MAX_MS, SERVER_MS } from './session.ts';

const READ_CLOCK: Statement = { name: 'clock_read', text: `select ${SERVER_MS} as "serverMs"` };

/** A database transaction, and the answer to its `begin`. */
export interface Begun {
  readonly tx: Tx;
  readonly begun: Promise<unknown>;
  /** The answers to all its statements that are not awaited immediately: the end of the transaction waits for them. */
  readonly sent?: () => Promise<unknown>;
}

/** The driver, as used for opening the database. */
export interface DriverUse {
  /** Runs a statement. @throws the driver's error. */
  readonly run: <Row>(
    client: pg.PoolClient,
    statement: Statement,
    values: readonly unknown[],
  ) => Promise<Row[]>;
  readonly begin: (client: pg.PoolClient) => Begun;
  /** Closes a connection immediately; missing if the pool does that on release. */
  readonly destroy?: (client: pg.PoolClient) => void;
  readonly clock: RemoteClock;
}

/** @returns the work of a database on this pool. */
export function pooledWork(
  pool: FairPool,
  { run, begin, clock, ...use }: DriverUse,
): Pick<Database, 'within' | 'withTx' | 'nowMs' | 'wallAheadMs' | 'readClock' | 'poolUse'> {
  return {
    within: (limitMs, work) =>
      within(pool, { ...use, limitMs }, (client) =>
        work({ query: (statement, values) => run(client, statement, values) }),
      ),
    withTx: (work) => transact(pool, begin, work),
    nowMs: clock.nowMs,
    wallAheadMs: clock.wallAheadMs,
    readClock: () =>
      within(pool, { ...use, limitMs: CONNECT_MAX_MS }, async (client) => {
        const sentAt = performance.now();
        const [row] = await run<{ serverMs: string }>(client, READ_CLOCK, []);
        clock.note({ serverMs: Number(row?.serverMs), sentAt, receivedAt: performance.now() });
      }),
    poolUse: () => pool.use(),
  };
}

/** Works on one connection, within a time limit that includes the wait for it. */
export async function within<Result>(
  pool: pg.Pool,
  { limitMs, destroy }: Pick<DriverUse, 'destroy'> & { readonly limitMs: number },
  query: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  // Probes and the request log use it: no caller waits for them, and they may delay no caller.
  const connecting = onNobodysBehalf(() => pool.connect());
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`no answer within ${limitMs} ms`)), limitMs);
  });
  let client: pg.PoolClient | undefined;
  let failure: Error | undefined;
  try {
    client = await Promise.race([connecting, limit]);
    return await Promise.race([query(client), limit]);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    clearTimeout(timer);
    // A connection that did not answer in time is closed and not reused. The driver alone would first wait for its
    // answers, and so would waiters of the pool.
    if (client && failure) destroy?.(client);
    if (client) client.release(failure);
    else connecting.then((late) => late.release()).catch(() => {});
  }
}

async function transact<Result>(
  pool: pg.Pool,
  begin: DriverUse['begin'],
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  let sent: Begun['sent'];
  try {
    const { tx, begun, ...own } = begin(client);
    sent = own.sent;
    // A holder of a connection never queues for another one, because callers before it may wait for its locks.
    const result = await onNobodysBehalf(() => work(tx));
    await begun;
    await sent?.();
    await commit(client);
    return result;
  } catch (error) {
    await sent?.().catch(() => {});
    await client.query('rollback').catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await traceStatement('commit', client.query('commit')).catch((error: unknown) => {
    throw isRefused(error) ? error : new CommitUnknownError('the commit was not answered', { cause: error });
  });
  if (command !== 'COMMIT') throw new Error('a statement failed before the commit, and nothing was stored');
}

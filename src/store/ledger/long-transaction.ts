/** Long database transactions: one that can be cancelled, and one that reads a single snapshot. */
import type { Database, Statement, Tx } from '../connection/database.ts';

const SNAPSHOT: Statement = {
  name: 'snapshot',
  text: 'set transaction isolation level repeatable read, read only',
};
const BACKEND: Statement = { name: 'cancel_backend', text: 'select pg_backend_pid() as pid' };
/** The restricted role may not cancel a backend of the user that it was switched from. */
const LEAVE_ROLE: Statement = { name: 'cancel_leave_role', text: 'set local role none' };
const CANCEL: Statement = { name: 'cancel', text: 'select pg_cancel_backend($1)' };

/**
 * Runs the work in one transaction, as `withTx` does. An abort of the signal cancels the running statement, also on the
 * server.
 */
export function withCancellableTx<Result>(
  database: Database,
  signal: AbortSignal | undefined,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  if (!signal) return database.withTx(work);
  return database.withTx(async (tx) => {
    const [backend] = await tx.query<{ pid: number }>(BACKEND, []);
    let cancelling: Promise<void> | undefined;
    const cancel = () => {
      // While the database is unreachable there is nothing to cancel.
      cancelling = cancelBackend(database, backend?.pid ?? 0).catch(() => {});
    };
    signal.addEventListener('abort', cancel);
    try {
      signal.throwIfAborted();
      return await work(tx);
    } finally {
      signal.removeEventListener('abort', cancel);
      // A cancel request on its way must not hit the next transaction of this connection.
      await cancelling;
    }
  });
}

/** Runs the work in one read-only transaction. All its statements read the same snapshot, however long it takes. */
export function withSnapshot<Result>(database: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return database.withTx(async (tx) => {
    await tx.query(SNAPSHOT, []);
    return work(tx);
  });
}

function cancelBackend(database: Database, pid: number): Promise<void> {
  return database.withTx(async (tx) => {
    await tx.query(LEAVE_ROLE, []);
    await tx.query(CANCEL, [pid]);
  });
}

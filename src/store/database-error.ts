/** What failures of the database mean: for whoever waits, for whoever tries again. */

/** The server did not answer, though the connection seemed to be open; the connection is closed. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly code = 'ETIMEDOUT';
}

/**
 * A COMMIT whose answer did not come: it may have happened or not. Never run the work again because of it; ask the
 * database what became of it, as the same idempotency key does.
 */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
}

/** SQLSTATE of two transactions in each other's way: either of them may be run again. */
const CONFLICT = /^(40001|40P01)$/;
const LOCK_TIMEOUT = '55P03';
/** SQLSTATE, errors of the system and of Prisma that say: out of reach, going down, or too busy. */
const AWAY =
  /^(08|25P03|28|3D000|53|55000|55P03|57014|57P0|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|P1001|P1002|P1008|P1017|P2024|P2028)/;
/** The pool and the driver report these without a code. */
const AWAY_MESSAGE =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed/;

/** @returns whether the database could not be reached, is shutting down, or is too busy to answer. */
export function isDatabaseAway(error: unknown): boolean {
  return isConflict(error) || isOutOfReach(error);
}

/** @returns as `isDatabaseAway`, without conflicts of two transactions: another try at once would fail the same way. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof CommitUnknownError || AWAY.test(codeOf(error)) || AWAY_MESSAGE.test(error.message))
    return true;
  return error.cause !== undefined && isOutOfReach(error.cause);
}

/** @returns whether the server itself refused a statement, and the connection goes on. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && (error as { severity?: unknown }).severity === 'ERROR';
}

/** @returns whether a statement waited for a lock for as long as it may. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === LOCK_TIMEOUT;
}

function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return CONFLICT.test(codeOf(error)) || (error.cause !== undefined && isConflict(error.cause));
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

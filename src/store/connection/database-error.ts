/**
 * Classifies errors of the database: which of them mean that it is unreachable, and which may be retried. Extracts the parts
 * that may be stored.
 */

/** The server did not answer on an open connection. The connection is closed. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly code = 'ETIMEDOUT';
}

/**
 * The answer to a COMMIT was lost: the commit may have happened or not. Never repeat the work because of this error.
 * First query the database for the outcome of the commit, as a request with the same idempotency key does.
 */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
}

/** SQLSTATE of a wait that reached `lock_timeout`. */
const LOCK_TIMEOUT = '55P03';
/** `lock_timeout` of every connection. Unit: ms. */
export const LOCK_MAX_MS = 5_000;

/** Other requests of the process waited for the same lock so long that this one made no attempt. */
export class LockWaitError extends Error {
  override readonly name = 'LockWaitError';
  readonly code = LOCK_TIMEOUT;
  override readonly message = 'others of this process waited too long for the same lock';
}

/** SQLSTATE of a missing privilege. */
const NOT_PERMITTED = '42501';

/** SQLSTATE of a serialization failure and of a deadlock: the transaction may be run again. */
const CONFLICT = /^(40001|40P01)$/;
/**
 * Messages, never translated, of internal errors of the server (XX000) whose cause is another session: it dropped or changed what the
 * statement was about to use, as the end of a move drops the publication. The transaction may be run again.
 */
const CHANGED_MEANWHILE = /^(cache lookup failed for |could not open relation with OID |tuple concurrently )/;
const UNIQUE_VIOLATION = '23505';
/** SQLSTATE of invalid values, whose message usually quotes the value after a colon. */
const DATA_EXCEPTION = /^22/;
/** SQLSTATE of a prepared statement that the connection lacks, or already has. */
const UNPREPARED = /^(26000|42P05)$/;
/** SQLSTATE of a server that has no slot for another connection. */
const SERVER_FULL = '53300';
/**
 * SQLSTATE of a write to a server that only reads: a standby, or a failover under way. Prisma puts it in the message.
 */
const READ_ONLY = '25006';
const READ_ONLY_MESSAGE = `Code: \`${READ_ONLY}\``;
/**
 * SQLSTATE of a missing table or function. The start has checked the migrations, so the gateway has lost its rights on
 * the schema: the cell was moved to another server. Prisma names the schema and the missing privilege in its message.
 */
const SCHEMA_CLOSED = /^(42P01|42883)$/;
const SCHEMA_CLOSED_MESSAGE = `Code: \`${NOT_PERMITTED}\``;
/** SQLSTATE, and codes of Node and Prisma, that mean: unreachable, shutting down, read-only, or too busy. */
const UNREACHABLE =
  /^(08|25P03|28|3D000|53|55000|55P03|57014|57P0|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|P1001|P1002|P1008|P1017|P2024|P2028)/;
/**
 * Messages of the pool and the driver that come without a code. The pool is closed while work still runs after the time
 * limit of the shutdown.
 */
const UNREACHABLE_MESSAGE =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|the database is closed/;

/** @returns whether the database is unreachable, shutting down, or too busy to answer. */
export function isDatabaseUnreachable(error: unknown): boolean {
  return isConflict(error) || isOutOfReach(error);
}

/** @returns the same, except for conflicts with other sessions: an immediate retry would fail again. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof CommitUnknownError || isReadOnly(error) || isSchemaClosed(error)) return true;
  if (UNREACHABLE.test(codeOf(error)) || UNREACHABLE_MESSAGE.test(error.message)) return true;
  return error.cause !== undefined && isOutOfReach(error.cause);
}

/** @returns whether the server refuses the login or has no such database, so that another attempt is useless. */
export function isLoginRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(28|3D000)/.test(codeOf(error)) || isLoginRefused(error.cause);
}

/** @returns whether the login lacks a privilege. */
export function isNotPermitted(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === NOT_PERMITTED;
}

/** @returns whether the server refused the statement and the connection is still usable. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && (error as { severity?: unknown }).severity === 'ERROR';
}

/** @returns whether the server has no slot for another connection. */
export function isServerFull(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === SERVER_FULL;
}

/** @returns whether the server only reads. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && (codeOf(error) === READ_ONLY || error.message.includes(READ_ONLY_MESSAGE));
}

/** @returns whether the gateway may not use the tables of the schema, for example after a move of the cell. */
export function isSchemaClosed(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return SCHEMA_CLOSED.test(codeOf(error)) || error.message.includes(SCHEMA_CLOSED_MESSAGE);
}

/** @returns whether a statement reached `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === LOCK_TIMEOUT;
}

/** @returns whether a row with the same key already exists. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === UNIQUE_VIOLATION;
}

/** @returns whether the server did not execute a statement because it was not prepared as the client expected. */
export function isUnprepared(error: unknown): boolean {
  return error instanceof Error && UNPREPARED.test(codeOf(error));
}

/**
 * @returns the text of an error for logs and storage: its message, without the values that the database quotes in it.
 * Prisma shows the arguments of the call before the last line.
 */
export function plainMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  if (name.startsWith('PrismaClient')) return message.trim().split('\n').at(-1) ?? '';
  if (!DATA_EXCEPTION.test(codeOf(error))) return message;
  return message.replaceAll(/"[^"]*"/g, '"…"').split(': ')[0] ?? '';
}

function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (CONFLICT.test(codeOf(error)) || isChangedMeanwhile(error)) return true;
  return error.cause !== undefined && isConflict(error.cause);
}

function isChangedMeanwhile(error: Error): boolean {
  return codeOf(error) === 'XX000' && CHANGED_MEANWHILE.test(error.message);
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

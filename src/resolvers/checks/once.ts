/** Does something once under the caller's Idempotency-Key, and gives the stored answer afterwards (C-52). */
import { createHash } from 'node:crypto';
import { ERRORS, GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import type { Tx } from '../../store/connection/database.ts';
import {
  bindKey,
  claimKey,
  type KeyUse,
  newAttempt,
  readKey,
  releaseKey,
  storeAnswer,
} from '../../store/engine/idempotency.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Context } from '../services/context.ts';

/** A request under a key; without a key it is simply done. */
export interface OnceRequest {
  readonly key: string | undefined;
  /** The caller's name of the key, for errors. */
  readonly parameter: string;
  /** The operation: the same key on another one is another key. */
  readonly route: string;
  /** Content that must be equal for the same key. */
  readonly body: string;
}

/** Information for the work about its key. */
export interface Attempt {
  /**
   * Result of an earlier attempt under the key, such as the `end2end` of a transaction, to be returned instead of a
   * new one.
   */
  readonly made: string | null;
  /** Binds the key to what is made, in the database transaction that makes it. */
  readonly bind: (tx: Tx, made: string) => Promise<void>;
  /** Keeps what else was said of the transaction, in the same database transaction. */
  readonly store?: (tx: Tx, made: ProcessRow) => Promise<void>;
}

/** Attempt without a key. */
export const UNKEYED: Attempt = { made: null, bind: async () => {} };

/** An answer, and whether it is the stored one. */
export interface Once {
  readonly status: number;
  readonly answer: string;
  readonly isReplayed: boolean;
}

/** Characters of an idempotency key. */
export const KEY_LENGTH_MAX = 255;
const KEY_FORM = new RegExp(`^[\\x21-\\x7e]{1,${KEY_LENGTH_MAX}}$`);
const RETRY_SECONDS = 1;

/**
 * @param work - gives status and answer; a refusal by a rule (422, but not `RAILS_MISSING`) is an answer too and is kept, other errors are not.
 * @throws {GatewayError} `IDEMPOTENCY_MISMATCH`, `IDEMPOTENCY_RUNNING`, `INVALID_PARAMETER` for a key of another form,
 *   and what the work throws.
 */
export async function once(
  { database, caller, lateReleases }: Context,
  request: OnceRequest,
  work: (attempt: Attempt) => Promise<{ status: number; answer: string }>,
): Promise<Once> {
  const { key, parameter, route, body } = request;
  if (key === undefined) return { ...(await work(UNKEYED)), isReplayed: false };
  if (!KEY_FORM.test(key))
    throw invalidParameters([
      { parameter, message: `must be 1 to ${KEY_LENGTH_MAX} printable ASCII characters without spaces` },
    ]);
  const use: KeyUse = { accountId: caller.accountId, route, key };
  const hash = createHash('sha256').update(body).digest();
  const attempt = newAttempt();
  const claimed = await claimKey(database, use, hash, attempt).catch((error) => {
    // The claim may have been stored, and only its answer lost.
    lateReleases.add({ ...use, attempt });
    throw error;
  });
  if (!claimed) {
    const stored = await readKey(database, use, hash);
    if (stored && !stored.isSameRequest)
      throw new GatewayError('IDEMPOTENCY_MISMATCH', 'the key was already used with a different request');
    if (!stored || stored.isRunning || stored.answer === null || stored.status === null) throw running();
    return replay(stored.status, stored.answer);
  }
  const mine = { ...use, attempt: claimed.attempt };
  const bind = async (tx: Tx, end2end: string) => {
    if (!(await bindKey(tx, mine, end2end))) throw running();
  };
  try {
    const done = await work({ made: claimed.end2end, bind });
    await storeAnswer(database, mine, done);
    return { ...done, isReplayed: false };
  } catch (error) {
    if (error instanceof GatewayError && isStored(error)) {
      await storeAnswer(database, mine, { status: 422, answer: JSON.stringify(refusalOf(error)) });
    } else {
      // The caller gets the reason why the work failed.
      await releaseKey(database, mine).catch(() => lateReleases.add(mine));
    }
    throw error;
  }
}

function running(): GatewayError {
  return new GatewayError('IDEMPOTENCY_RUNNING', 'another request with this key is still running', {
    retryAfter: RETRY_SECONDS,
  });
}

/**
 * A refusal by a rule is stored for a day; a refusal for what this gateway cannot do at all depends on no request.
 */
function isStored({ code }: GatewayError): boolean {
  return ERRORS[code].status === 422 && code !== 'RAILS_MISSING';
}

interface Refusal {
  readonly code: GatewayError['code'];
  readonly detail: string;
  readonly violations: GatewayError['violations'];
  readonly facts?: GatewayError['facts'];
}

function refusalOf({ code, message, violations, facts }: GatewayError): Refusal {
  return { code, detail: message, violations, facts };
}

/** A kept refusal is thrown again, as the error that it was. */
function replay(status: number, answer: string): Once {
  if (status !== 422) return { status, answer, isReplayed: true };
  const { code, detail, violations, facts = {} } = JSON.parse(answer) as Refusal;
  const headers = { 'idempotent-replayed': 'true' };
  throw new GatewayError(code, detail, { violations, facts, headers, isReplayed: true });
}

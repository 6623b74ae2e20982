/**
 * Choice of the server that answers a read (decision 0088). A standby answers requests that the version of an account
 * proves, once it has the version that the primary reports now and the version that the caller has seen. The primary
 * answers all other requests, and those that fail on a standby.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../base/concurrency/within.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Services } from '../../resolvers/services/context.ts';
import { versionReader } from '../../store/account/account-version.ts';
import type { ReadReplica, ReadReplicas } from '../../store/account/read-replicas.ts';
import {
  behindMsOf,
  hasAllBefore,
  isCloseBehind,
  type StandbyState,
  standbyReader,
} from '../../store/account/standby.ts';
import type { Database } from '../../store/connection/database.ts';
import { isRefused, NoAnswerError } from '../../store/connection/database-error.ts';
import type { Exchange } from '../http/http.ts';

/** A read that the version of its account proves. */
export interface ProvedRead {
  readonly exchange: Pick<Exchange, 'request'>;
  readonly accountId: bigint;
  /** Version that was read from the primary for this request, if any. */
  readonly version: bigint | undefined;
}

/** Result of a read, with the version of the account afterwards on the server that was read. */
export interface Seen<Result> {
  readonly result: Result;
  readonly version: bigint | undefined;
}

/** Reads by the server that answered. */
export interface ReadCounts {
  primary: number;
  replica: number;
}

/** Choice of the server for reads. */
export interface ReadSource {
  /**
   * Reads from a standby that has the version, or from the primary.
   * @param read - may run twice, also at the same time. @throws {GatewayError} the refusals of the read.
   */
  readonly prove: <Result>(
    requested: ProvedRead,
    read: (database: Database) => Promise<Result>,
  ) => Promise<Seen<Result>>;
  /** @returns whether a response of this version may be sent again: only if its caller has seen nothing newer. */
  readonly mayRepeat: (exchange: Pick<Exchange, 'request'>, version: bigint | undefined) => boolean;
  /**
   * @returns the current version, after the primary has answered or written something; undefined if it is useless or
   * cannot be read.
   */
  readonly presentVersion: (accountId: bigint) => Promise<bigint | undefined>;
  /** @returns the headers of an answer that shows nothing newer than this version. */
  readonly headers: (version: bigint | undefined) => Record<string, string>;
  /**
   * Checks the rights of a request of an account before anything is read. A standby waits for the version that the
   * caller has seen.
   * @param check - check of the caller's rights, which a standby repeats once it has that version.
   * @throws {GatewayError} `UNAVAILABLE` if this database is too old for the version, and the errors of the check.
   */
  readonly admit: (
    exchange: Pick<Exchange, 'request'>,
    accountId: bigint,
    check: () => Promise<unknown>,
  ) => Promise<void>;
  readonly counts: ReadCounts;
}

/**
 * Header with the version: in a request, the version that its caller has seen; in an answer, the newest one that it
 * shows.
 */
export const VERSION_HEADER = 'crossramp-version';
/** Number of digits of every version: their texts sort like the numbers, which exceed those of JavaScript. */
const DIGITS = 19;
const FORM = /^\d{19}$/;
/** Time limit of reading a version from a standby. Unit: ms. */
const VERSION_MAX_MS = 250;
/** Time limit of a read on a standby. Unit: ms. */
const READ_MAX_MS = 1_000;
/** `Retry-After` of a standby that will soon catch up. Unit: seconds. */
const RETRY_SECONDS = 1;
/** A standby can show a commit slightly before its primary, which waits for it. Unit: ms. */
const AHEAD_PAUSE_MS = 20;
const AHEAD_PAUSES = 5;
/**
 * Longest wait for a version on a gateway for reads: longer than the replication of a mark that was written after the
 * request. Unit: ms.
 */
const ADMIT_MAX_MS = 2_500;

/** @returns the source of a gateway: a standby or the primary, with or without standbys for reads. */
export function readSource(
  { database, readsOnly }: Pick<Services, 'database' | 'readsOnly'>,
  replicas: ReadReplicas | undefined,
): ReadSource {
  if (readsOnly) return onStandby(database);
  return replicas ? fromReplicas(database, replicas) : primaryOnly(database);
}

/** The source of a gateway without standbys, which adds no statement. */
function primaryOnly(database: Database): ReadSource {
  return {
    prove: async (_request, read) => ({ result: await read(database), version: undefined }),
    mayRepeat: () => true,
    presentVersion: async () => undefined,
    headers: () => ({}),
    admit: async () => {},
    counts: { primary: 0, replica: 0 },
  };
}

/** The source of a gateway that writes to the primary and reads from standbys. */
function fromReplicas(database: Database, replicas: ReadReplicas): ReadSource {
  const counts = { primary: 0, replica: 0 };
  const presentVersion = presentVersionOf(database);
  return {
    prove: async ({ exchange, accountId, version }, read) => {
      const seen = seenVersion(exchange);
      const present = version ?? (await presentVersion(accountId));
      const replica = present === undefined ? undefined : replicas.next();
      const least = larger(present, seen);
      const found = replica && (await readReplica(replica, { accountId, least }, read));
      if (found) {
        counts.replica += 1;
        return found;
      }
      counts.primary += 1;
      if (least !== present) await untilReached(() => presentVersion(accountId), least);
      return { result: await read(database), version: await presentVersion(accountId) };
    },
    mayRepeat: (exchange, version = 0n) => version >= (seenVersion(exchange) ?? 0n),
    presentVersion,
    headers: versionHeaders,
    admit: async () => {},
    counts,
  };
}

/** The source of a gateway that answers only reads, which uses a standby. */
function onStandby(database: Database): ReadSource {
  const counts = { primary: 0, replica: 0 };
  const presentVersion = presentVersionOf(database);
  const stateOf = standbyReader(database);
  return {
    prove: async ({ accountId }, read) => {
      counts.replica += 1;
      return { result: await read(database), version: await presentVersion(accountId) };
    },
    // The request was admitted because the standby has the version.
    mayRepeat: () => true,
    presentVersion,
    headers: versionHeaders,
    admit: async (exchange, accountId, check) => {
      const seen = seenVersion(exchange);
      const readState = () => stateOf(accountId).then(closeBehind);
      const first = await readState();
      if (seen === undefined) return;
      await untilShown(seen, first, readState);
      await check();
    },
    counts,
  };
}

/** @throws {GatewayError} `UNAVAILABLE` for a standby that is too far behind. */
function closeBehind(state: StandbyState): StandbyState {
  if (isCloseBehind(behindMsOf(state))) return state;
  throw tooOld('the standby is too far behind the primary');
}

/**
 * Waits until a standby has the version, or everything that was committed before the wait: a version that is still
 * missing then was lost by a failover.
 * @throws {GatewayError} `UNAVAILABLE` after the longest wait, and the errors of `readState`.
 */
async function untilShown(
  version: bigint,
  first: StandbyState,
  readState: () => Promise<StandbyState>,
): Promise<void> {
  const until = performance.now() + ADMIT_MAX_MS;
  for (let state = first; (state.version ?? 0n) < version; state = await readState()) {
    if (hasAllBefore(state, first)) return;
    if (performance.now() > until)
      throw tooOld('the standby does not have the version that you have seen yet');
    await sleep(AHEAD_PAUSE_MS);
  }
}

function presentVersionOf(database: Database): ReadSource['presentVersion'] {
  const versionOf = versionReader(database);
  return (accountId) => versionOf(accountId).catch(() => undefined);
}

function versionHeaders(version: bigint | undefined): Record<string, string> {
  return version === undefined ? {} : { [VERSION_HEADER]: String(version).padStart(DIGITS, '0') };
}

function larger(one = 0n, other = 0n): bigint {
  return one > other ? one : other;
}

function tooOld(message: string): GatewayError {
  return new GatewayError('UNAVAILABLE', message, { retryAfter: RETRY_SECONDS });
}

/**
 * @returns the version that the caller has seen; undefined if the request names none.
 * @throws {GatewayError} `BAD_REQUEST` for a text that is not a version.
 */
function seenVersion({ request }: Pick<Exchange, 'request'>): bigint | undefined {
  const input = request.headers[VERSION_HEADER];
  if (input === undefined) return undefined;
  if (typeof input === 'string' && FORM.test(input)) return BigInt(input);
  throw new GatewayError(
    'BAD_REQUEST',
    `${VERSION_HEADER}: expected the ${DIGITS} digits of an earlier answer`,
  );
}

/**
 * @returns undefined if the standby has not reached the version, or does not answer. @throws {GatewayError} refusals of the
 * read.
 */
async function readReplica<Result>(
  replica: ReadReplica,
  { accountId, least }: { readonly accountId: bigint; readonly least: bigint },
  read: (database: Database) => Promise<Result>,
): Promise<Seen<Result> | undefined> {
  try {
    const before = await answerWithin(VERSION_MAX_MS, replica.versionOf(accountId));
    if (before === undefined || before < least) return undefined;
    const result = await answerWithin(READ_MAX_MS, read(replica.database));
    // A caller that has seen these rows never gets older ones: the current version of the standby is the newest that
    // the rows can have.
    return { result, version: await answerWithin(VERSION_MAX_MS, replica.versionOf(accountId)) };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (isUnreachable(error)) replica.setAside();
    return undefined;
  }
}

/**
 * @returns false if the standby refused the statement, or if all connections of the caller are in use: other callers
 * continue there.
 */
function isUnreachable(error: unknown): boolean {
  return !isRefused(error) && (error as { code?: unknown }).code !== undefined;
}

async function untilReached(
  presentVersion: () => Promise<bigint | undefined>,
  version: bigint,
): Promise<void> {
  for (let pauses = 0; pauses < AHEAD_PAUSES; pauses += 1) {
    await sleep(AHEAD_PAUSE_MS);
    if (((await presentVersion()) ?? version) >= version) return;
  }
}

/** @throws {NoAnswerError} at the time limit; the work continues, and its result is dropped. */
function answerWithin<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  return within(limitMs, work, () => new NoAnswerError(`no answer within ${limitMs} ms`));
}

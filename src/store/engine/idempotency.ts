/**
 * Idempotency keys and their stored answers (C-52). Ages use the database's clock, within the statement that claims a
 * key.
 */
import { randomInt } from 'node:crypto';
import type { Database, Statement, Tx } from '../connection/database.ts';

/** A caller's key on a route of an account. */
export interface KeyUse {
  readonly accountId: bigint;
  readonly route: string;
  readonly key: string;
}

/** A key that a request holds. The attempt number shows whether another request has claimed the key since. */
export interface ClaimedKey extends KeyUse {
  readonly attempt: number;
}

/** Stored data of a key. */
export interface StoredAnswer {
  readonly isSameRequest: boolean;
  /** The transaction that the request created, once that is committed. */
  readonly end2end: string | null;
  readonly status: number | null;
  readonly answer: string | null;
  /** Whether a request is currently working on it. */
  readonly isRunning: boolean;
}

/** Time after which an unfinished request has lost its key. */
export const LEASE_SECONDS = 15;
const STORED_HOURS = 24;
/**
 * Upper bound of attempt numbers. An attempt has another number than the previous one; other attempts differ by chance.
 */
const ATTEMPTS_MAX = 2 ** 30;

const CLAIM: Statement = {
  name: 'idempotency_take',
  text: `insert into idempotency_key as k (account_id, route, key, request_hash, attempt, leased_until, created_at)
    values ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), clock_timestamp())
    on conflict (account_id, route, key) do update
      set request_hash = excluded.request_hash, leased_until = excluded.leased_until,
          end2end = case when k.created_at < clock_timestamp() - make_interval(hours => ${STORED_HOURS}) then null else k.end2end end,
          status = null, answer = null,
          attempt = case when k.attempt = excluded.attempt then k.attempt + 1 else excluded.attempt end,
          created_at = case when k.created_at < clock_timestamp() - make_interval(hours => ${STORED_HOURS}) then excluded.created_at else k.created_at end
      where k.created_at < clock_timestamp() - make_interval(hours => ${STORED_HOURS})
         or (k.answer is null and k.leased_until <= clock_timestamp() and k.request_hash = excluded.request_hash)
    returning end2end, attempt`,
};
const READ: Statement = {
  name: 'idempotency_read',
  text: `select request_hash = $4 as "isSameRequest", end2end, status, answer, answer is null as "isRunning"
    from idempotency_key where account_id = $1 and route = $2 and key = $3`,
};
const BIND: Statement = {
  name: 'idempotency_bind',
  text: `update idempotency_key set end2end = $5 where account_id = $1 and route = $2 and key = $3 and attempt = $4 returning attempt`,
};
const STORE: Statement = {
  name: 'idempotency_keep',
  text: `update idempotency_key set status = $5, answer = $6 where account_id = $1 and route = $2 and key = $3 and attempt = $4`,
};
const RELEASE: Statement = {
  name: 'idempotency_release',
  text: `with gone as (delete from idempotency_key where account_id = $1 and route = $2 and key = $3 and attempt = $4 and end2end is null)
    update idempotency_key set leased_until = date_trunc('milliseconds', clock_timestamp()) where account_id = $1 and route = $2 and key = $3 and attempt = $4 and end2end is not null`,
};
/**
 * @returns the number of a new attempt. The caller chooses the number, so that a claim whose answer was lost can be
 * released, too.
 */
export function newAttempt(): number {
  return randomInt(1, ATTEMPTS_MAX);
}

/**
 * Claims a key for a request if it is new, older than a day, or was left by a request that died.
 * @returns the attempt, with the transaction that an earlier attempt created, if any; undefined when the key is in use.
 */
export async function claimKey(
  database: Database,
  { accountId, route, key }: KeyUse,
  hash: Buffer,
  attempt = newAttempt(),
): Promise<{ end2end: string | null; attempt: number } | undefined> {
  const [row] = await database.query<{ end2end: string | null; attempt: number }>(CLAIM, [
    accountId,
    route,
    key,
    hash,
    attempt,
  ]);
  return row;
}

/** @returns the stored data of a key, or undefined. */
export async function readKey(
  database: Database,
  { accountId, route, key }: KeyUse,
  hash: Buffer,
): Promise<StoredAnswer | undefined> {
  const [row] = await database.query<StoredAnswer>(READ, [accountId, route, key, hash]);
  return row;
}

/**
 * Stores the transaction that the request creates, in the database transaction that creates it.
 * @returns whether the request still holds the key; if not, nothing may be created.
 */
export async function bindKey(tx: Tx, claimed: ClaimedKey, end2end: string): Promise<boolean> {
  return (await tx.query(BIND, [...valuesOf(claimed), end2end])).length > 0;
}

/** Stores the answer, unless another request has claimed the key. */
export async function storeAnswer(
  database: Database,
  claimed: ClaimedKey,
  stored: { readonly status: number; readonly answer: string },
): Promise<void> {
  await database.query(STORE, [...valuesOf(claimed), stored.status, stored.answer]);
}

/** Releases a key, unless another request has claimed it. A stored transaction is not removed. */
export async function releaseKey(database: Database, claimed: ClaimedKey): Promise<void> {
  await database.query(RELEASE, valuesOf(claimed));
}

function valuesOf({ accountId, route, key, attempt }: ClaimedKey): unknown[] {
  return [accountId, route, key, attempt];
}

/** Passkeys of people (only public keys), and the challenges that they sign, each of which is answered once. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A passkey as its owner sees it. */
export interface OwnPasskey {
  /** Its credential id, base64url. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
}

/** A passkey with the data that its signatures are checked with. */
export interface StoredPasskey {
  readonly id: string;
  readonly personId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: bigint;
  readonly transports: readonly string[];
}

/** Purpose of a challenge. */
export type Purpose = 'SIGN_IN' | 'REGISTER' | 'CONFIRM';

const OWN: Statement = {
  name: 'passkey_own',
  text: `select id, name, created_at as "createdAt", last_used_at as "lastUsedAt" from passkey
    where person_id = $1 order by created_at, id`,
};
const FIND: Statement = {
  name: 'passkey_find',
  text: `select id, person_id as "personId", public_key as "publicKey", counter, transports from passkey where id = $1`,
};
const ADD: Statement = {
  name: 'passkey_add',
  text: `insert into passkey (id, person_id, name, public_key, counter, transports, created_at)
    values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing returning id`,
};
const USE: Statement = {
  name: 'passkey_use',
  text: `update passkey set counter = $2, last_used_at = $3 where id = $1 returning id`,
};
const REMOVE: Statement = {
  name: 'passkey_remove',
  text: `delete from passkey where person_id = $1 and id = $2 returning id`,
};
const REMOVE_ALL: Statement = {
  name: 'passkey_remove_all',
  text: `delete from passkey where person_id = $1 returning id`,
};
const STORE_CHALLENGE: Statement = {
  name: 'passkey_challenge_ask',
  text: `with gone as (delete from passkey_challenge where expires_at < $4)
    insert into passkey_challenge (challenge, purpose, session_id, expires_at) values ($1, $2, $3, $5)`,
};
const CONSUME: Statement = {
  name: 'passkey_challenge_take',
  text: `delete from passkey_challenge where challenge = $1 and purpose = $2
    and session_id is not distinct from $3 and expires_at > $4 returning challenge`,
};

/** @returns the passkeys of a person, the oldest first. */
export function readOwnPasskeys(tx: Tx, personId: string): Promise<OwnPasskey[]> {
  return tx.query<OwnPasskey>(OWN, [personId]);
}

/** @returns the passkey with this credential id, of any person. */
export async function findPasskey(tx: Tx, id: string): Promise<StoredPasskey | undefined> {
  const [passkey] = await tx.query<StoredPasskey>(FIND, [id]);
  return passkey && { ...passkey, publicKey: new Uint8Array(passkey.publicKey) };
}

/** Adds a passkey. @returns whether it is new. */
export async function addPasskey(
  tx: Tx,
  { id, personId, publicKey, counter, transports }: StoredPasskey,
  name: string,
  at: Date,
): Promise<boolean> {
  const values = [id, personId, name, Buffer.from(publicKey), counter, transports, at];
  return (await tx.query(ADD, values)).length > 0;
}

/** Stores that a passkey signed. @returns whether it is still there. */
export async function usePasskey(tx: Tx, id: string, counter: bigint, at: Date): Promise<boolean> {
  return (await tx.query(USE, [id, counter, at])).length > 0;
}

/** Removes a passkey. @returns whether the person had it. */
export async function removePasskey(tx: Tx, personId: string, id: string): Promise<boolean> {
  return (await tx.query(REMOVE, [personId, id])).length > 0;
}

/**
 * Removes all passkeys of a person.
 *
 * @returns their number.
 */
export async function removePasskeys(tx: Tx, personId: string): Promise<number> {
  return (await tx.query(REMOVE_ALL, [personId])).length;
}

/** Stores a challenge, and removes expired ones. */
export async function storeChallenge(
  tx: Tx,
  challenge: string,
  purpose: Purpose,
  sessionId: string | null,
  { now, expiresAt }: { readonly now: Date; readonly expiresAt: Date },
): Promise<void> {
  await tx.query(STORE_CHALLENGE, [challenge, purpose, sessionId, now, expiresAt]);
}

/** Consumes a challenge. @returns whether it existed, for this purpose and this session. */
export async function consumeChallenge(
  tx: Tx,
  challenge: string,
  purpose: Purpose,
  sessionId: string | null,
  now: Date,
): Promise<boolean> {
  return (await tx.query(CONSUME, [challenge, purpose, sessionId, now])).length > 0;
}

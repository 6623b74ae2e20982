/** API keys: only hashes are stored (C-40). */
import type { KeyMode, Scope } from '../../base/access/api-key.ts';
import type { Role } from '../../base/access/roles.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';

/** Rights of a key, as authentication needs them. */
export interface KeyRecord {
  readonly accountId: bigint;
  readonly id: string;
  readonly mode: KeyMode;
  readonly scopes: readonly Scope[];
  /** Networks from which the key may be used; an empty list allows all. */
  readonly allowedCidrs: readonly string[];
  /** Set where the caller acts on the records of another account: the account to which the key or person belongs. */
  readonly home?: bigint;
  /** Set for the token of a payment session: its transaction, of which it shows only the public side. */
  readonly transactionId?: bigint;
  /** Set for a stream token, which opens only subscriptions. */
  readonly isForStreams?: true;
  /** Set for a signed-in person; `id` is then the person's id. */
  readonly person?: SignedInPerson;
  /** Origins that may use the account's keys in a browser. */
  readonly allowedOrigins: readonly string[];
}

/** Additional data of a person who makes a request. */
export interface SignedInPerson {
  readonly sessionId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Time at which a passkey was last presented in this session; null: not yet. */
  readonly verifiedAt: Date | null;
  readonly hasPasskey: boolean;
  /** Whether the session began, by a link or a provider, within the last ten minutes. */
  readonly hasJustSignedIn: boolean;
  /** Whether the account requires a passkey of this role for every action. */
  readonly needsPasskey: boolean;
}

/** A key to store. */
export interface NewKey
  extends Omit<KeyRecord, 'home' | 'transactionId' | 'isForStreams' | 'person' | 'allowedOrigins'> {
  readonly name: string;
  readonly hash: Buffer;
  /** Its last four characters. */
  readonly hint: string;
  readonly expiresAt: Date | null;
  /** Key that makes it; undefined if a person or the operator makes it. */
  readonly madeBy?: string | undefined;
  /** Person that makes it. */
  readonly madeByPerson?: string | undefined;
  /** The key that it replaces. */
  readonly replaces?: string | undefined;
}

/** A key that is neither revoked nor expired, as managers of keys see it. */
export interface OwnKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly allowedCidrs: readonly string[];
  readonly expiresAt: string | null;
}

const COLUMNS = `k.account_id as "accountId", k.id, k.mode, k.scopes, k.allowed_cidrs as "allowedCidrs",
  a.allowed_origins as "allowedOrigins"`;
const IS_VALID = `k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  and (k.mode = 'live') = (a.mode = 'live')`;
const VALID_BY_HASH: Statement = {
  name: 'api_key_by_hash',
  isQuick: true,
  text: `select ${COLUMNS} from api_key k join account a on a.id = k.account_id where k.hash = $1 and ${IS_VALID}`,
};
const VALID_BY_ID: Statement = {
  name: 'api_key_by_id',
  text: `select ${COLUMNS}, k.hash from api_key k join account a on a.id = k.account_id
    where k.account_id = $1 and k.id = $2 and ${IS_VALID}`,
};
const HOLDER: Statement = {
  name: 'api_key_holder',
  text: `select account_id as "accountId" from api_key where id = $1 and revoked_at is null`,
};
const LISTED = `select account_id as "accountId", id, name, hint, mode, scopes, allowed_cidrs as "allowedCidrs",
    expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt", created_at as "createdAt",
    made_by as "madeBy", made_by_person as "madeByPerson", replaces from api_key`;
const LIST: Statement = {
  name: 'api_key_list',
  text: `${LISTED} where account_id = $1 order by created_at desc, id desc`,
};
const LIST_VALID_FIRST: Statement = {
  name: 'api_key_list_valid_first',
  text: `${LISTED} where account_id = $1 and ($2::text is null or id = $2)
    order by (revoked_at is null and (expires_at is null or expires_at > $3)) desc, created_at desc, id desc limit $4`,
};
const STILL_VALID: Statement = {
  name: 'api_keys_still_valid',
  text: `select k.id from unnest($1::bigint[], $2::text[]) asked (account_id, id) join api_key k using (account_id, id)
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
};
const OWN: Statement = {
  name: 'api_key_own',
  text: `select name, scopes, allowed_cidrs as "allowedCidrs", expires_at as "expiresAt" from api_key
    where account_id = $1 and id = $2 and revoked_at is null and (expires_at is null or expires_at > $3)`,
};
const STORE: Statement = {
  name: 'api_key_store',
  text: `insert into api_key (account_id, id, name, hash, hint, mode, scopes, allowed_cidrs, expires_at, made_by, replaces, made_by_person)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
};
const END_BY: Statement = {
  name: 'api_key_end_by',
  text: `update api_key set expires_at = least(expires_at, $3) where account_id = $1 and id = $2`,
};
const REVOKE: Statement = {
  name: 'api_key_revoke',
  text: `update api_key set revoked_at = coalesce(revoked_at, $3) where account_id = $1 and id = $2 returning id`,
};
const ONE_MAKER: Statement = {
  name: 'api_key_one_maker',
  text: `with recursive bond (one, other) as (
      select id, made_by from api_key where account_id = $1
      union all select id, replaces from api_key where account_id = $1
      union all select id, made_by_person from api_key where account_id = $1
      union all select person_id, maker_id from invitation_maker where account_id = $1 and confirmed_at is null),
    one_maker (id) as (
      select $2::text
      union
      select case when b.one = m.id then b.other else b.one end
        from one_maker m join bond b on m.id in (b.one, b.other))
    select id from one_maker where id is not null`,
};
/** The age of a replacement counts from the creation of the first key in its series. */
const HERE_SINCE: Statement = {
  name: 'api_key_here_since',
  text: `with recursive line (id, at, replaces) as (
      select id, created_at, replaces from api_key where account_id = $1 and id = $2
      union
      select k.id, k.created_at, k.replaces from line l join api_key k on k.account_id = $1 and k.id = l.replaces)
    select min(at) as since from (
      select at from line union all
      select joined_at from membership where account_id = $1 and person_id = $2) here`,
};
/** Time of the statement, not of its database transaction, which began before the wait for the lock. */
const ACCESS: Statement = {
  name: 'api_key_access',
  text: `select c.account_id as "accountId", c.id,
      exists (select from api_key k where k.account_id = c.account_id and k.id = c.id and (k.revoked_at is not null
        or not exists (
          with recursive line (id, is_valid) as (
            select k.id, k.expires_at is null or k.expires_at > statement_timestamp()
            union all
            select r.id, r.revoked_at is null and (r.expires_at is null or r.expires_at > statement_timestamp())
              from line l join api_key r on r.account_id = k.account_id and r.replaces = l.id)
          select from line where is_valid))) as "isEnded",
      p.id is not null as "isPerson", m.role
    from unnest($1::bigint[], $2::text[]) c(account_id, id)
      left join person p on p.id = c.id
      left join membership m on m.account_id = c.account_id and m.person_id = c.id and m.joined_at is not null`,
};
const SUCCESSOR: Statement = {
  name: 'api_key_successor',
  text: `select id from api_key where account_id = $1 and replaces = $2 limit 1`,
};
const COUNT: Statement = {
  name: 'api_key_count',
  text: `select count(*)::int as count from api_key
    where account_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
};
const TOUCH: Statement = {
  name: 'api_key_touch',
  text: `update api_key set last_used_at = $3 where account_id = $1 and id = $2`,
};

/** @returns the key of this hash, unless it is revoked or expired, or its mode is not that of its account. */
export async function findValidKey(database: Database, hash: Buffer): Promise<KeyRecord | undefined> {
  const [key] = await database.query<KeyRecord>(VALID_BY_HASH, [hash]);
  return key;
}

/** @returns the key of this id with its stored data, unless it is revoked or expired. */
export async function findValidKeyById(
  database: Database,
  accountId: bigint,
  id: string,
): Promise<(KeyRecord & { readonly hash: Uint8Array }) | undefined> {
  const [key] = await database.query<KeyRecord & { hash: Uint8Array }>(VALID_BY_ID, [accountId, id]);
  return key;
}

/** @returns the ids of those keys that are neither revoked nor expired. */
export async function findValidKeys(
  database: Database,
  keys: readonly Pick<KeyRecord, 'accountId' | 'id'>[],
): Promise<ReadonlySet<string>> {
  const values = [keys.map(({ accountId }) => accountId), keys.map(({ id }) => id)];
  const rows = await database.query<{ id: string }>(STILL_VALID, values);
  return new Set(rows.map(({ id }) => id));
}

/** Records that the key was used now. */
export async function touchKey(database: Database, key: KeyRecord): Promise<void> {
  await database.query(TOUCH, [key.accountId, key.id, new Date(database.nowMs())]);
}

/** @returns the number of keys of the account that are valid at a time. */
export async function countValidKeys(database: Tx, accountId: bigint, at: Date): Promise<number> {
  const [row] = await database.query<{ count: number }>(COUNT, [accountId, at]);
  return row?.count ?? 0;
}

/** Stores a key. */
export async function storeKey(database: Tx, key: NewKey): Promise<void> {
  await database.query(STORE, [
    key.accountId,
    key.id,
    key.name,
    key.hash,
    key.hint,
    key.mode,
    key.scopes,
    key.allowedCidrs,
    key.expiresAt,
    key.madeBy ?? null,
    key.replaces ?? null,
    key.madeByPerson ?? null,
  ]);
}

/** @returns the account's key of this id, unless it is revoked or expired at that time. */
export async function findOwnKey(
  database: Tx,
  accountId: bigint,
  id: string,
  at: Date,
): Promise<OwnKey | undefined> {
  const [key] = await database.query<OwnKey>(OWN, [accountId, id, at]);
  return key;
}

/** Sets the expiry of a key, unless it expires earlier. */
export async function endKeyBy(tx: Tx, accountId: bigint, id: string, at: Date): Promise<void> {
  await tx.query(END_BY, [accountId, id, at]);
}

/**
 * Ends a key of an account now; a key that is already revoked stays unchanged.
 * @returns whether the account has the key.
 */
export async function revokeOwnKey(database: Tx, accountId: bigint, id: string, at: Date): Promise<boolean> {
  return (await database.query(REVOKE, [accountId, id, at])).length > 0;
}

/** @returns the replacement of this key, valid or not; undefined without one. */
export async function successorOf(tx: Tx, accountId: bigint, id: string): Promise<string | undefined> {
  const [key] = await tx.query<{ id: string }>(SUCCESSOR, [accountId, id]);
  return key?.id;
}

/**
 * @returns the ids of the keys and people that count as one maker with a caller: the caller, and all that created,
 * replaced or invited each other, directly or through others. Removed ones count, too. An invitation counts until
 * another owner has confirmed the person.
 */
export async function readOneMaker(database: Tx, accountId: bigint, id: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>(ONE_MAKER, [accountId, id]);
  return rows.map((row) => row.id);
}

/**
 * @returns the time from which a key or a person can act for the account; undefined for other callers, such as the operator.
 */
export async function hereSince(tx: Tx, accountId: bigint, id: string): Promise<Instant | undefined> {
  const [row] = await tx.query<{ since: Instant | null }>(HERE_SINCE, [accountId, id]);
  return row?.since ?? undefined;
}

/** @returns whether two callers, by the ids of key or person, count as one maker. */
export async function haveOneMaker(
  database: Tx,
  accountId: bigint,
  one: string,
  other: string,
): Promise<boolean> {
  return one === other || (await readOneMaker(database, accountId, one)).includes(other);
}

/** Access of a key or a person to an account now. */
export interface Access extends Pick<KeyRecord, 'accountId' | 'id'> {
  /** Whether it is a key that was revoked or has expired. An expired key has not ended while a key that replaced it is valid. */
  readonly isEnded: boolean;
  readonly isPerson: boolean;
  /** Role of a person there; null without one. */
  readonly role: Role | null;
}

/** @returns the present access of each caller, whether there is such a key or person or not. */
export function readAccess(
  tx: Tx,
  callers: readonly Pick<KeyRecord, 'accountId' | 'id'>[],
): Promise<Access[]> {
  return tx.query(ACCESS, [callers.map(({ accountId }) => accountId), callers.map(({ id }) => id)]);
}

/** @returns the account of a key that is not revoked, for the operator; undefined without such a key. */
export async function accountOfKey(database: Tx, id: string): Promise<bigint | undefined> {
  const [key] = await database.query<{ accountId: bigint }>(HOLDER, [id]);
  return key?.accountId;
}

/** A key as the operator sees it. */
export interface ListedKey {
  readonly accountId: bigint;
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly mode: string;
  readonly scopes: readonly string[];
  readonly allowedCidrs: readonly string[];
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  readonly createdAt: Instant;
  readonly madeBy: string | null;
  readonly madeByPerson: string | null;
  readonly replaces: string | null;
}

/** @returns the account's keys, newest first, without their hashes. */
export function listKeys(database: Tx, accountId: bigint): Promise<ListedKey[]> {
  return database.query(LIST, [accountId]);
}

/**
 * @param at - time for which validity is checked.
 * @returns the account's keys, or the key with an id: valid ones first, each part newest first.
 */
export function listKeysValidFirst(
  database: Tx,
  accountId: bigint,
  { id, at, limit }: { readonly id: string | null; readonly at: Date; readonly limit: number },
): Promise<ListedKey[]> {
  return database.query(LIST_VALID_FIRST, [accountId, id, at, limit]);
}

/** API keys: only hashes are stored (C-40). */
import type { KeyMode, Scope } from '../../base/api-key.ts';
import type { Database, Statement } from '../database.ts';

/** What a key allows, as authentication needs it. */
export interface KeyRecord {
  readonly accountId: bigint;
  readonly id: string;
  readonly mode: KeyMode;
  readonly scopes: readonly Scope[];
  /** Networks that the key may be used from; none means from anywhere. */
  readonly allowedCidrs: readonly string[];
  /** Set where the token of a payment session asks: its transaction, of which the public side is all that it opens. */
  readonly transactionId?: bigint;
  /** Set where a stream token asks: subscriptions are all that it opens. */
  readonly isForStreams?: true;
  /** Origins whose pages may use the account's keys in a browser. */
  readonly allowedOrigins: readonly string[];
}

/** A key to be stored. */
export interface NewKey extends Omit<KeyRecord, 'transactionId' | 'isForStreams' | 'allowedOrigins'> {
  readonly name: string;
  readonly hash: Buffer;
  /** Its last four characters. */
  readonly hint: string;
  readonly expiresAt: Date | null;
}

const COLUMNS = `k.account_id as "accountId", k.id, k.mode, k.scopes, k.allowed_cidrs as "allowedCidrs",
  a.allowed_origins as "allowedOrigins"`;
const IS_VALID = `k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  and (k.mode = 'live') = (a.mode = 'live')`;
const VALID_BY_HASH: Statement = {
  name: 'api_key_by_hash',
  text: `select ${COLUMNS} from api_key k join account a on a.id = k.account_id where k.hash = $1 and ${IS_VALID}`,
};
const VALID_BY_ID: Statement = {
  name: 'api_key_by_id',
  text: `select ${COLUMNS}, k.hash from api_key k join account a on a.id = k.account_id
    where k.account_id = $1 and k.id = $2 and ${IS_VALID}`,
};
const STILL_VALID: Statement = {
  name: 'api_keys_still_valid',
  text: `select k.id from unnest($1::bigint[], $2::text[]) asked (account_id, id) join api_key k using (account_id, id)
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
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

/** @returns the key of this id with what is stored of it, unless it is revoked or expired. */
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

/** Notes that the key was used just now. */
export async function touchKey(database: Database, key: KeyRecord): Promise<void> {
  await database.query(TOUCH, [key.accountId, key.id, new Date()]);
}

/** Stores a key. */
export async function storeKey(database: Database, key: NewKey): Promise<void> {
  await database.prisma.apiKey.create({
    data: {
      ...key,
      hash: new Uint8Array(key.hash),
      scopes: [...key.scopes],
      allowedCidrs: [...key.allowedCidrs],
    },
  });
}

/** @returns the account's keys, newest first, without their hashes. */
export function listKeys(database: Database, accountId: bigint) {
  return database.prisma.apiKey.findMany({
    where: { accountId },
    omit: { hash: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}

/** Ends a key now. @returns whether there was such a key that was not revoked before. */
export async function revokeKey(database: Database, id: string): Promise<boolean> {
  const { count } = await database.prisma.apiKey.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count > 0;
}

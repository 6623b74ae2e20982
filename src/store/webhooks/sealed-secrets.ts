/** The stored secrets of webhooks, for sealing all of them, and the ids of the sealing keys. */
import { SEALED } from '../../base/access/secret-box.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';

/** Keys of one database are registered one at a time. The number is arbitrary. */
const KEY_LOCK = 7_405_212;
const ROWS_MAX = 500;

const LOCK: Statement = { name: 'secret_key_lock', text: `select pg_advisory_xact_lock(${KEY_LOCK})::text` };
const KEYS: Statement = { name: 'secret_key_list', text: 'select id from secret_key' };
const ADD_KEY: Statement = {
  name: 'secret_key_add',
  text: 'insert into secret_key (id) values ($1) on conflict do nothing',
};
const REMOVE_KEYS: Statement = {
  name: 'secret_key_remove',
  text: 'delete from secret_key where id = any($1)',
};

/** A stored secret and its location. */
interface StoredSecret {
  readonly accountId: bigint;
  readonly endpointId: string;
  readonly secret: string;
}

interface Column {
  readonly unsealed: Statement;
  readonly sealedWithOther: Statement;
  readonly replace: Statement;
  /** Secrets after the given account and endpoint. */
  readonly after: Statement;
}

/** Both columns with secrets. The first condition is that of the partial index. */
const COLUMNS: readonly Column[] = [
  column('webhook_secret', 'endpoint_id', 'secret'),
  column('webhook_endpoint', 'id', 'signing_key'),
];

function column(table: string, id: string, name: string): Column {
  const read = `select account_id as "accountId", ${id} as "endpointId", ${name} as secret from ${table}`;
  return {
    unsealed: {
      name: `${table}_unsealed`,
      text: `${read} where ${name} not like '${SEALED}%' order by account_id limit ${ROWS_MAX}`,
    },
    sealedWithOther: {
      name: `${table}_sealed_with_other`,
      text: `${read} where ${name} is not null and not starts_with(${name}, '${SEALED}' || $1 || '.') limit ${ROWS_MAX}`,
    },
    after: {
      name: `${table}_secrets_after`,
      text: `${read} where ${name} is not null and (account_id, ${id}, ${name}) > ($1, $2, $3)
        order by account_id, ${id}, ${name} limit ${ROWS_MAX}`,
    },
    replace: {
      name: `${table}_reseal`,
      text: `update ${table} set ${name} = $4 where account_id = $1 and ${id} = $2 and ${name} = $3`,
    },
  };
}

/** Record name for which a secret of an endpoint is sealed. */
export function secretOwner(accountId: bigint, endpointId: string): string {
  return `webhook ${accountId}/${endpointId}`;
}

/**
 * @returns the ids of the keys that the database knows. No other process registers a key until the transaction ends.
 */
export async function lockSecretKeys(tx: Tx): Promise<readonly string[]> {
  await tx.query(LOCK, []);
  return readSecretKeys(tx);
}

/** @returns the ids of the keys that the database knows; none before it has sealed anything. */
export async function readSecretKeys(database: Tx): Promise<readonly string[]> {
  return (await database.query<{ id: string }>(KEYS, [])).map(({ id }) => id);
}

/**
 * Passes every stored secret to `use`, in batches.
 *
 * @returns their number.
 */
export async function eachSecret(
  database: Tx,
  use: (stored: string, owner: string) => unknown,
): Promise<number> {
  let count = 0;
  for (const { after } of COLUMNS) {
    for (let from: readonly [bigint, string, string] | undefined = [0n, '', '']; from; ) {
      const rows: StoredSecret[] = await database.query(after, from);
      for (const { accountId, endpointId, secret } of rows) use(secret, secretOwner(accountId, endpointId));
      count += rows.length;
      const last = rows.length === ROWS_MAX ? rows.at(-1) : undefined;
      from = last && [last.accountId, last.endpointId, last.secret];
    }
  }
  return count;
}

/** Stores that secrets are sealed with the key. */
export async function addSecretKey(tx: Tx, id: string): Promise<void> {
  await tx.query(ADD_KEY, [id]);
}

/** Deletes keys that no longer seal anything. */
export async function removeSecretKeys(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(REMOVE_KEYS, [ids]);
}

/**
 * Replaces the stored secrets by the results of `reseal`, in batches. A secret that was changed meanwhile is read
 * again.
 * @param keyId - only secrets that are not sealed with this key; without it, unsealed secrets.
 * @returns the number of replaced secrets.
 */
export async function resealSecrets(
  database: Database,
  reseal: (stored: string, owner: string) => string,
  keyId?: string,
): Promise<number> {
  let count = 0;
  for (const { unsealed, sealedWithOther, replace } of COLUMNS) {
    for (;;) {
      const rows =
        keyId === undefined
          ? await database.query<StoredSecret>(unsealed, [])
          : await database.query<StoredSecret>(sealedWithOther, [keyId]);
      if (rows.length === 0) break;
      await database.withTx(async (tx) => {
        for (const { accountId, endpointId, secret } of rows)
          await tx.query(replace, [
            accountId,
            endpointId,
            secret,
            reseal(secret, secretOwner(accountId, endpointId)),
          ]);
      });
      count += rows.length;
    }
  }
  return count;
}

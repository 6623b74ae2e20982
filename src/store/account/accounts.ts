/** Account holders. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { assert } from '../../base/errors/assert.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { type IdPart, type IdSlice, idList } from '../connection/id-list.ts';

/** Handle of the account that the first start provisions. */
export const SANDBOX_HANDLE = 'sandbox';

const HOLDER: Statement = {
  name: 'account_holder',
  text: `select mode, is_platform as "isPlatform" from account where id = $1`,
};
const SET_ORIGINS: Statement = {
  name: 'account_set_origins',
  text: `update account set allowed_origins = $2 where id = $1`,
};
const ORIGINS: Statement = {
  name: 'account_origins',
  text: `select allowed_origins as "allowedOrigins" from account where id = $1`,
};
const PASSKEY_ROLES: Statement = {
  name: 'account_passkey_roles',
  text: `select passkey_roles as "passkeyRoles" from account where id = $1`,
};
const SET_PASSKEY_ROLES: Statement = {
  name: 'account_set_passkey_roles',
  text: 'update account set passkey_roles = $2 where id = $1',
};
const LISTED: Statement = {
  name: 'account_listed_origins',
  text: `select distinct unnest(allowed_origins) as origin from account where allowed_origins <> '{}'`,
};
const PLATFORM: Statement = {
  name: 'account_platform',
  text: `select id from account where mode = $1 and is_platform`,
};
const ADD_PLATFORM: Statement = {
  name: 'account_add_platform',
  text: `with made as (
      insert into account (name, mode, is_platform) values ('Platform', $1, true)
        on conflict (mode) where is_platform do nothing returning id)
    insert into account_head (account_id) select id from made`,
};
const ADD: Statement = {
  name: 'account_add',
  text: `with made as (
      insert into account (name, handle, mode) values ($1, $2, $3) returning id
    ), head as (
      insert into account_head (account_id) select id from made
    ), settings as (
      insert into template_setting (account_id, template) select id, unnest($4::text[]) from made
    )
    select id from made`,
};
const BY_ID: Statement = { name: 'account_by_id', text: `select id from account where id = $1` };
const BY_HANDLE: Statement = { name: 'account_by_handle', text: `select id from account where handle = $1` };
const ALL: Statement = { name: 'account_all', text: `select id from account order by id` };
/** Columns of an `AccountRow`. */
const HOLDER_COLUMNS = 'id, handle, mode, name, created_at as "createdAt"';
const LIST: Statement = {
  name: 'account_list',
  text: `select ${HOLDER_COLUMNS} from account where not is_platform order by id`,
};
const FIND_HOLDER: Statement = {
  name: 'account_find_holder',
  text: `select ${HOLDER_COLUMNS} from account where id = $1 and mode = $2 and not is_platform`,
};
const HAS_LIVE: Statement = {
  name: 'account_has_live',
  text: `select exists (select from account where mode = 'live' and not is_platform) as "hasLive"`,
};
/** Time for which the answer that there is no live account is cached. Unit: ms. */
const NO_LIVE_MS = 1_000;
/** A mode never changes, so it is read once and cached. */
const REMEMBERED_MAX = 100_000;

/**
 * Adds an account with its counters and the default settings of each template.
 *
 * @param options - `templates`: wire names; `handle`: an additional name to find the account by; `mode`: default
 *   `sandbox`.
 * @returns its id.
 */
export async function createAccount(
  database: Tx,
  name: string,
  options: { templates: readonly string[]; handle?: string; mode?: AccountMode },
): Promise<bigint> {
  const values = [name, options.handle ?? null, options.mode ?? 'sandbox', options.templates];
  const [account] = await database.query<{ id: bigint }>(ADD, values);
  assert(account, 'an account that is added has an id');
  return account.id;
}

/** @returns the id of the account with this id or handle, or undefined. */
export async function findAccount(database: Tx, idOrHandle: string): Promise<bigint | undefined> {
  const [account] = /^[1-9]\d{0,17}$/.test(idOrHandle)
    ? await database.query<{ id: bigint }>(BY_ID, [idOrHandle])
    : await database.query<{ id: bigint }>(BY_HANDLE, [idOrHandle]);
  return account?.id;
}

/**
 * @returns the account of a mode that owns money without an owner and the operator's keys. The first request makes it;
 * parallel requests all get the same one.
 */
export async function platformAccount(database: Tx, mode: AccountMode): Promise<bigint> {
  const [known] = await database.query<{ id: bigint }>(PLATFORM, [mode]);
  if (known) return known.id;
  await database.query(ADD_PLATFORM, [mode]);
  const [made] = await database.query<{ id: bigint }>(PLATFORM, [mode]);
  assert(made, 'the second caller waits for the first');
  return made.id;
}

/** Kind of an account. */
export interface Holder {
  readonly mode: AccountMode;
  /** Whether it is the account of the platform. */
  readonly isPlatform: boolean;
}

/** @returns the kind of the account with this id, or undefined. */
export async function readHolder(database: Tx, accountId: bigint): Promise<Holder | undefined> {
  const [row] = await database.query<Holder>(HOLDER, [accountId]);
  return row;
}

/** @returns the mode of the account with this id, or undefined. */
export async function readMode(database: Tx, accountId: bigint): Promise<AccountMode | undefined> {
  return (await readHolder(database, accountId))?.mode;
}

/** @returns a function that finds the mode of an existing account, and caches the answer. */
export function modeFinder(database: Database): (accountId: bigint) => Promise<AccountMode> {
  const remembered = new Map<bigint, AccountMode>();
  return async (accountId) => {
    const known = remembered.get(accountId);
    if (known) return known;
    const mode = await readMode(database, accountId);
    assert(mode, 'the account of a maker exists');
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(accountId, mode);
    return mode;
  };
}

/** @returns whether the database has an account holder of mode live. */
export async function hasLiveAccount(database: Tx): Promise<boolean> {
  const [row] = await database.query<{ hasLive: boolean }>(HAS_LIVE, []);
  return row?.hasLive === true;
}

/**
 * @returns a check that caches its result until the first live account is created: the database is queried at most once a
 * second, and never after that.
 */
export function whileNoLiveAccount(database: Tx): () => Promise<boolean> {
  let hasLive = false;
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!hasLive && performance.now() - readAt >= NO_LIVE_MS) {
      hasLive = await hasLiveAccount(database);
      readAt = performance.now();
    }
    return !hasLive;
  };
}

/** @returns the ids of all accounts, including those of the platform. */
export async function allAccounts(database: Tx): Promise<bigint[]> {
  const accounts = await database.query<{ id: bigint }>(ALL, []);
  return accounts.map((account) => account.id);
}

/** An account holder. */
export interface AccountRow {
  readonly id: bigint;
  readonly handle: string | null;
  readonly mode: string;
  readonly name: string;
  readonly createdAt: Instant;
}

/** @returns all account holders, oldest first, without the accounts of the platform. */
export function listAccounts(database: Tx): Promise<AccountRow[]> {
  return database.query(LIST, []);
}

/** @returns the account holder with this id in a mode; not the account of the platform. */
export async function findHolder(database: Tx, mode: AccountMode, id: bigint): Promise<AccountRow | null> {
  const [row] = await database.query<AccountRow>(FIND_HOLDER, [id, mode]);
  return row ?? null;
}

/** @returns the origins that may use the account's keys in a browser. */
export async function readAllowedOrigins(tx: Tx, accountId: bigint): Promise<readonly string[]> {
  const [row] = await tx.query<{ allowedOrigins: readonly string[] }>(ORIGINS, [accountId]);
  return row?.allowedOrigins ?? [];
}

/** Sets the origins that may use the account's keys in a browser. */
export async function setAllowedOrigins(
  database: Tx,
  accountId: bigint,
  origins: readonly string[],
): Promise<void> {
  await database.query(SET_ORIGINS, [accountId, origins]);
}

/** @returns the roles whose people can act only with a fresh passkey. */
export async function readPasskeyRoles(tx: Tx, accountId: bigint): Promise<readonly string[]> {
  const [row] = await tx.query<{ passkeyRoles: readonly string[] }>(PASSKEY_ROLES, [accountId]);
  return row?.passkeyRoles ?? [];
}

/** Sets the roles whose people can act only with a fresh passkey. */
export async function setPasskeyRoles(tx: Tx, accountId: bigint, roles: readonly string[]): Promise<void> {
  await tx.query(SET_PASSKEY_ROLES, [accountId, roles]);
}

/** @returns the origins that any account lists. */
export async function listedOrigins(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ origin: string }>(LISTED, []);
  return new Set(rows.map(({ origin }) => origin));
}

/** Condition for the account holders of a mode: `$1`. */
const HOLDERS = idList<AccountRow>({
  name: 'account_holders',
  id: 'id',
  columns: HOLDER_COLUMNS,
  from: 'account',
  where: 'mode = $1 and not is_platform',
  filters: 1,
});

/** @returns a slice of the account holders of a mode. */
export function readHolders(database: Tx, mode: AccountMode, slice: IdSlice): Promise<IdPart<AccountRow>> {
  return HOLDERS(database, [mode], slice);
}

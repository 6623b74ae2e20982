/** Opens the database for a command. */

import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { keyModeOf } from '../base/access/account-mode.ts';
import { PLATFORM_SCOPES, SCOPES } from '../base/access/api-key.ts';
import { openStore, type Store } from '../compose/open-store.ts';
import { type CellConfigs, type Config, ConfigError, readCellConfigs, readConfig } from '../config.ts';
import type { Context, Origin, Services } from '../resolvers/services/context.ts';
import { findAccount, platformAccount } from '../store/account/accounts.ts';
import { StoreError } from '../store/connection/check-server.ts';
import type { Database } from '../store/connection/database.ts';

/** Number of connections: small, because a command does one thing at a time and the gateway needs the others. */
const CONNECTIONS = 4;

/** Opens the database of the environment, or of the given settings, runs the work, and closes the database. */
export async function withStore<Result>(
  work: (store: Store) => Promise<Result>,
  config: Config = readConfig(process.env),
): Promise<Result> {
  const store = await openStore({
    ...config,
    databaseConnections: CONNECTIONS,
    patient: true,
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Runs the work with the services of a gateway. @param wrap - wraps the database for the services. */
export function withServices<Result>(
  work: (services: Services) => Promise<Result>,
  wrap: (database: Database) => Database = (database) => database,
): Promise<Result> {
  return servicesOn(readConfig(process.env), work, wrap);
}

/** Runs the work with the settings of one of several cells. */
export function servicesOn<Result>(
  config: Config,
  work: (services: Services) => Promise<Result>,
  wrap: (database: Database) => Database = (database) => database,
): Promise<Result> {
  return withStore(async ({ database }) => {
    // Commands that only read the store need no key file.
    const [{ createServices }, { readRailsFile }, { secretsOfCommand }, { REGISTRY }] = await Promise.all([
      import('../compose/services.ts'),
      import('../compose/rails-file.ts'),
      import('../compose/secret-keys.ts'),
      import('../templates/index.ts'),
    ]);
    const railsFile = await readRailsFile(config.railsFile);
    const { secrets, register } = await secretsOfCommand(database, config.secretsKeyFile, (file) =>
      process.stderr.write(
        `crossramp: made ${file}, the key file for webhook secrets: back it up, because nothing else opens them; the gateway must be able to read it\n`,
      ),
    );
    const services = createServices({
      database: wrap(database),
      secrets,
      registry: REGISTRY,
      config,
      railsFile,
    });
    return work(services).finally(register);
  }, config);
}

/** @returns the origin of commands for the audit log: the user of the operating system on this host. */
function operatorOrigin(): Origin {
  return { requestId: null, address: hostname(), actor: { kind: 'OPERATOR', id: userName() } };
}

/** @returns the context of the operator on an account: every scope, and no key. */
export async function operatorContext(services: Services, accountId: bigint): Promise<Context> {
  return operatorOn(await services.forAccount(accountId), accountId);
}

/**
 * @param named - an account's id, or `sandbox`.
 * @throws {StoreError} when there is no such account.
 */
export async function accountNamed(database: Database, named: string): Promise<bigint> {
  const id = await findAccount(database, named);
  if (id === undefined) throw new StoreError(`there is no account ${named}`);
  return id;
}

/** @returns the account with this id or handle; `platform` is the account of the operator's keys, one for each mode. */
export function accountOrPlatform(
  database: Database,
  { account = 'platform', live }: AccountOptions,
): Promise<bigint> {
  if (account === 'platform') return platformAccount(database, live ? 'live' : 'sandbox');
  return accountNamed(database, account);
}

/** Options that name the account on which a command works. */
export interface AccountOptions {
  readonly account?: string | undefined;
  readonly live?: boolean | undefined;
}

/**
 * Runs the work as the operator, with every scope, on the named account; with `live`, or without a name, on the
 * platform.
 */
export function asOperator<Result>(
  { account, live = false }: AccountOptions,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  return withServices(async (services) => {
    const { database } = services;
    const mode = live ? 'live' : 'sandbox';
    const isNamed = account !== undefined && !live;
    const id = isNamed ? await accountNamed(database, account) : await platformAccount(database, mode);
    return work(await operatorContext(services, id));
  });
}

/** Runs the work on the platform of a mode, whatever account is named. */
export function asPlatform<Result>(
  { live }: AccountOptions,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  return asOperator({ live }, work);
}

/** Runs the work on the named account, which may be `platform`. */
export function asHolder<Result>(
  options: AccountOptions,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  return onServices(options, async (services) =>
    work(await operatorContext(services, await accountOrPlatform(services.database, options))),
  );
}

/** Runs the work without an account. */
export function onServices<Result>(
  _options: AccountOptions,
  work: (services: Services) => Promise<Result>,
): Promise<Result> {
  return withServices(work);
}

/** Reads the database only, at half the cost of opening its services. */
export function onStore<Result>(
  _options: AccountOptions,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  return withStore(({ database }) => work(database));
}

/** @returns the operator's context on the services for accounts of its mode, also for an account that is being made. */
export function operatorOn(own: Services, accountId: bigint): Context {
  const caller = {
    accountId,
    id: 'operator',
    mode: keyModeOf(own.mode),
    scopes: [...SCOPES, ...PLATFORM_SCOPES],
    allowedCidrs: [],
    allowedOrigins: [],
  };
  return { ...own, caller, origin: operatorOrigin() };
}

/** A user in a container may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/**
 * @param code - undefined: the cell of the environment. @returns the settings of a cell, from `CELLS_FILE` if there is
 * one.
 */
export function cellSettings(code: string | undefined): Config {
  if (!process.env.CELLS_FILE || code === undefined) return readConfig(process.env);
  return readConfig({ ...process.env, CELL: code });
}

/** @returns the cells of `CELLS_FILE`, or the only one. @param withoutCell - whether `CELL` is ignored. */
export function allCells({ withoutCell = false } = {}): CellConfigs {
  return readCellConfigs(withoutCell ? { ...process.env, CELL: undefined } : process.env);
}

/** @returns the folder of the gateway's files. */
export function homeFolder(): string {
  return readConfig(process.env).home;
}

/** @returns the file with the keys of secrets in the database. */
export function secretsKeyFile(): string {
  return readConfig(process.env).secretsKeyFile;
}

/**
 * @returns the settings of a command that works on the files of the embedded database.
 * @throws {ConfigError} where the database is a server of the operator's own.
 */
export function embeddedConfig(command: string): Config {
  const config = readConfig(process.env);
  if (config.databaseUrl === undefined) return config;
  throw new ConfigError(
    `${command} works on the embedded database, and DATABASE_URL names a server of your own: use pgBackRest, or the backups of your provider (docs/backup.md)`,
  );
}

/** @returns whether the environment of the command names rails. */
export function hasRailsFile(): boolean {
  return readConfig(process.env).railsFile !== undefined;
}

/** @returns the URL of the gateway: `PUBLIC_URL`, or the URL of the running sandbox, which may have chosen its port. */
export function gatewayUrl(): string {
  const { publicUrl, home } = readConfig(process.env);
  if (process.env.PUBLIC_URL) return publicUrl;
  try {
    const { baseUrl } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
    return typeof baseUrl === 'string' ? baseUrl : publicUrl;
  } catch {
    return publicUrl;
  }
}

/** Opens the database for a command. */

import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { keyModeOf } from '../base/account-mode.ts';
import { PLATFORM_SCOPES, SCOPES } from '../base/api-key.ts';
import { openStore, type Store } from '../compose/open-store.ts';
import { readRailsFile } from '../compose/rails-file.ts';
import { createServices } from '../compose/services.ts';
import { readConfig } from '../config.ts';
import type { Context, Origin, Services } from '../resolvers/services/context.ts';
import { platformAccount } from '../store/account/accounts.ts';
import { REGISTRY } from '../templates/index.ts';

/** Few, because a command does one thing at a time and the gateway needs the others. */
const CONNECTIONS = 4;

/** Opens the database of the environment, runs the work, and closes it. */
export async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore({
    ...readConfig(process.env),
    databaseConnections: CONNECTIONS,
    patient: true,
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The same with the services of a gateway. */
export function withServices<Result>(work: (services: Services) => Promise<Result>): Promise<Result> {
  return withStore(async ({ database }) => {
    const config = readConfig(process.env);
    const railsFile = await readRailsFile(config.railsFile);
    return work(createServices({ database, registry: REGISTRY, config, railsFile }));
  });
}

/** @returns where commands come from, for the audit log: the user of the operating system on this host. */
function operatorOrigin(): Origin {
  return { requestId: null, address: hostname(), actor: { kind: 'OPERATOR', id: userName() } };
}

/** @returns what the operator acts with for an account: every scope, and no key. */
export async function operatorContext(services: Services, accountId: bigint): Promise<Context> {
  return operatorOn(await services.forAccount(accountId), accountId);
}

/** Works as the operator on the account of the platform of a mode. */
export function asPlatform<Result>(
  { live = false }: { readonly live?: boolean },
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  return withServices(async (services) => {
    const platform = await platformAccount(services.database, live ? 'live' : 'sandbox');
    return work(await operatorContext(services, platform));
  });
}

/** The same with the services for accounts of its mode, also for an account that is being made. */
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

/** A container may have users that have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** @returns the folder of the gateway's files. */
export function homeFolder(): string {
  return readConfig(process.env).home;
}

/** @returns whether the environment of the command names rails. */
export function hasRailsFile(): boolean {
  return readConfig(process.env).railsFile !== undefined;
}

/** @returns the URL of the gateway: `PUBLIC_URL`, or that of the running sandbox, which may have chosen its port. */
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

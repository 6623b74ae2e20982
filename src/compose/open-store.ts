/** Opens the database of the settings, upgraded to this version's schema. */

import { acquireEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { checkRole, checkServer, StoreError } from '../store/connection/check-server.ts';
import type { Database } from '../store/connection/database.ts';
import { isDatabaseUnreachable, NoAnswerError } from '../store/connection/database-error.ts';
import { admitLogin, loginOf } from '../store/connection/logins.ts';
import { findPrimary, type Primary } from '../store/connection/primary.ts';
import { addressOf, urlsOfHosts } from '../store/connection/several-hosts.ts';
import { migrate, requireMigrated } from '../store/migration/migrate.ts';
import { settleCell } from '../store/migration/settle-cell.ts';
import { noticeRestore } from '../store/rails/restores.ts';

/** Location of the database. */
export interface StoreSettings {
  /** Folder of the embedded server. */
  readonly home: string;
  /** A server to use instead of the embedded one, for the gateway's login. */
  readonly databaseUrl: string | undefined;
  /** URL of the same database for its owner, who migrates; default: `databaseUrl`. */
  readonly databaseOwnerUrl?: string | undefined;
  /** Schema of the database that holds the tables, default `public`. */
  readonly databaseSchema?: string;
  readonly databaseConnections: number;
  /** Role of the process: with `read`, the server is a standby, which the opening does not change. */
  readonly role?: string;
  /** Whether the database is reached with undocumented parts of the driver (decision 0064), default yes. */
  readonly databaseFastPath?: boolean;
  /** Required code of the cell; undefined accepts the code of the schema. */
  readonly cell?: string | undefined;
  /** See `DatabaseOptions`. */
  readonly patient?: boolean;
}

/** An open database. */
export interface Store {
  readonly database: Database;
  /** Database on the server that currently accepts writes. */
  readonly url: () => string;
  /** Set if `databaseUrl` names several hosts. */
  readonly primary: Primary | undefined;
  /** Migrations that were applied by this opening. */
  readonly applied: readonly string[];
  /** Closes the connections, and stops the embedded server when no other process uses it. */
  readonly close: () => Promise<void>;
}

/**
 * @param options.signal - ends the wait for another process that starts the embedded server or migrates.
 * @param options.report - receives a line before each part that takes seconds; none if the database is up to date.
 * @throws {StoreError} when the server cannot be reached, is older than PostgreSQL 16, is not in UTF-8, or is behind a
 * pooler that gives each transaction another connection; also when the gateway cannot work as its restricted role
 * there, or the cell differs from the settings.
 * @throws {CellAbsentError} when the cell works on another server, or is being copied to this one.
 * @throws {EmbeddedPostgresError} when the embedded server cannot be started.
 * @throws {MigrationError} when the schema cannot be brought up to date.
 */
export async function openStore(
  settings: StoreSettings,
  options: { readonly signal?: AbortSignal; readonly report?: (line: string) => void } = {},
): Promise<Store> {
  const { home } = settings;
  const embedded = settings.databaseUrl ? undefined : await acquireEmbeddedPostgres({ home, ...options });
  const primary = await primaryOf(settings);
  const url = primary?.url() ?? singleUrl(settings.databaseUrl) ?? (embedded?.gatewayUrl as string);
  const owner = settings.role === 'read' ? undefined : settings.databaseOwnerUrl;
  const ownerUrl = embedded?.url ?? ownerUrlAt(owner, url);
  const source = () => embedded?.gatewayUrl ?? primary?.url() ?? url;
  try {
    options.signal?.throwIfAborted();
    if (!embedded) for (const each of new Set([ownerUrl, url])) await checkServer(each);
    const applied =
      settings.role === 'read'
        ? await requireMigrated(url, settings.databaseSchema)
        : await migrate(ownerUrl, settings.databaseSchema, undefined, options);
    if (ownerUrl !== url) await admitLogin(ownerUrl, loginOf(url), embedded !== undefined);
    const open = await opening(settings);
    const database = open(source, {
      primary,
      connections: settings.databaseConnections,
      patient: settings.patient ?? false,
      ...(settings.databaseSchema && { schema: settings.databaseSchema }),
    });
    const close = async () => {
      primary?.close();
      await database.close();
      await embedded?.release();
    };
    try {
      await checkRole(database, url);
      const cell = await settleCell(database, ownerUrl, settings.cell);
      if (settings.role !== 'read') await noticeRestore(database).catch(ifReachable);
      return { database: { ...database, cell }, url: source, primary, applied, close };
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    primary?.close();
    await embedded?.release();
    throw error;
  }
}

/**
 * @returns the function that finds the server that accepts writes; undefined with one host.
 * @throws {StoreError} when none accepts writes.
 */
async function primaryOf({ databaseUrl }: Pick<StoreSettings, 'databaseUrl'>): Promise<Primary | undefined> {
  const urls = databaseUrl === undefined ? [] : (urlsOfHosts(databaseUrl) ?? []);
  if (urls.length < 2) return undefined;
  const primary = await findPrimary(urls);
  if (primary) return primary;
  throw new StoreError(`none of the servers ${urls.map(addressOf).join(', ')} takes writes`, {
    cause: new NoAnswerError('no server is the primary'),
  });
}

/**
 * @returns the URL of the host that accepts writes, of one or several. @throws {StoreError} when none accepts writes.
 */
export async function writingUrl(text: string): Promise<string> {
  const primary = await primaryOf({ databaseUrl: text });
  primary?.close();
  return primary?.url() ?? (singleUrl(text) as string);
}

/** @returns the URL without parameters that the driver does not know. */
function singleUrl(text: string | undefined): string | undefined {
  return text && (urlsOfHosts(text)?.[0] ?? text);
}

/** @returns the owner's URL of the host that the gateway works with, of several. */
function ownerUrlAt(text: string | undefined, url: string): string {
  if (text === undefined) return url;
  const urls = urlsOfHosts(text) ?? [text];
  return urls.find((each) => addressOf(each) === addressOf(url)) ?? (urls[0] as string);
}

/**
 * @returns the function that opens a database. Loads only the needed driver, so that the gateway also runs with one
 * that lacks undocumented parts.
 */
export async function opening({ databaseFastPath = true }: Pick<StoreSettings, 'databaseFastPath'>) {
  if (databaseFastPath) return (await import('../store/connection/connection.ts')).openDatabase;
  return (await import('../store/connection/plain-connection.ts')).openPlainDatabase;
}

/** A database that only reads, or answers too slowly, is queried again before the first order. */
function ifReachable(error: unknown): void {
  if (!isDatabaseUnreachable(error)) throw error;
}

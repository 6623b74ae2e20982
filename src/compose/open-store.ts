/** Opens the database that the settings name, brought to this version's schema. */

import { acquireEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { checkRole, checkServer } from '../store/connection/check-server.ts';
import type { Database } from '../store/connection/database.ts';
import { admitLogin, loginOf } from '../store/connection/logins.ts';
import { migrate } from '../store/migration/migrate.ts';
import { settleCell } from '../store/migration/settle-cell.ts';

/** Location of the database. */
export interface StoreSettings {
  /** Folder of the embedded server. */
  readonly home: string;
  /** A server to use instead of the embedded one, for the gateway's login. */
  readonly databaseUrl: string | undefined;
  /** The same database for its owner, who migrates; `databaseUrl` when not given. */
  readonly databaseOwnerUrl?: string | undefined;
  /** Schema of the database that holds the tables, default `public`. */
  readonly databaseSchema?: string;
  readonly databaseConnections: number;
  /** Whether the database is reached with undocumented parts of the driver (decision 0064), default yes. */
  readonly databaseFastPath?: boolean;
  /** Code of the cell that the schema has to be; undefined for whatever it says itself. */
  readonly cell?: string | undefined;
  /** See `DatabaseOptions`. */
  readonly patient?: boolean;
}

/** An open database. */
export interface Store {
  readonly database: Database;
  /** Migrations that were applied by this opening. */
  readonly applied: readonly string[];
  /** Closes the connections, and stops the embedded server when no other process uses it. */
  readonly close: () => Promise<void>;
}

/**
 * @param signal - ends the wait for another process that starts the embedded server or migrates.
 * @throws {StoreError} when the server cannot be reached, is older than PostgreSQL 16, is not in UTF-8, is behind a pooler that gives each
 *   transaction another connection, does not let the gateway work as its restricted role, or has another cell than the settings name.
 * @throws {CellAbsentError} when the cell works on another server, or is being copied to this one.
 * @throws {EmbeddedPostgresError} when the embedded server cannot be started.
 * @throws {MigrationError} when the schema cannot be brought up to date.
 */
export async function openStore(settings: StoreSettings, signal?: AbortSignal): Promise<Store> {
  const { home } = settings;
  const embedded = settings.databaseUrl ? undefined : await acquireEmbeddedPostgres({ home, signal });
  const url = settings.databaseUrl ?? (embedded?.gatewayUrl as string);
  const ownerUrl = embedded?.url ?? settings.databaseOwnerUrl ?? url;
  try {
    signal?.throwIfAborted();
    if (!embedded) for (const each of new Set([ownerUrl, url])) await checkServer(each);
    const applied = await migrate(ownerUrl, settings.databaseSchema, undefined, signal);
    if (ownerUrl !== url) await admitLogin(ownerUrl, loginOf(url), embedded !== undefined);
    const open = await opening(settings);
    const database = open(() => embedded?.gatewayUrl ?? url, {
      connections: settings.databaseConnections,
      patient: settings.patient ?? false,
      ...(settings.databaseSchema && { schema: settings.databaseSchema }),
    });
    const close = async () => {
      await database.close();
      await embedded?.release();
    };
    try {
      await checkRole(database, url);
      const cell = await settleCell(database, ownerUrl, settings.cell);
      return { database: { ...database, cell }, applied, close };
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    await embedded?.release();
    throw error;
  }
}

/**
 * @returns the function that opens a database. Loads only the needed driver, so that one without undocumented parts
 *   can be used.
 */
async function opening({ databaseFastPath = true }: Pick<StoreSettings, 'databaseFastPath'>) {
  if (databaseFastPath) return (await import('../store/connection/connection.ts')).openDatabase;
  return (await import('../store/connection/plain-connection.ts')).openPlainDatabase;
}

/** Opens the database that the settings name, brought to this version's schema. */

import { acquireEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { checkRole, checkServer } from '../store/check-server.ts';
import { openDatabase } from '../store/connection.ts';
import type { Database } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';

/** Where the database is. */
export interface StoreSettings {
  /** Folder of the embedded server. */
  readonly home: string;
  /** A server to use instead of the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Schema of the database that holds the tables, default `public`. */
  readonly databaseSchema?: string;
  readonly databaseConnections: number;
  /** See `DatabaseOptions`. */
  readonly patient?: boolean;
}

/** An open database. */
export interface Store {
  readonly database: Database;
  /** Migrations that were applied by this opening. */
  readonly applied: readonly string[];
  /** Closes the connections, and stops the embedded server when nobody else uses it. */
  readonly close: () => Promise<void>;
}

/**
 * @param signal - ends the wait for another process that starts the embedded server or migrates.
 * @throws {StoreError} when the server cannot be reached, is older than PostgreSQL 16, is behind a pooler that gives each
 *   transaction another connection, or does not let the gateway work as its restricted role.
 * @throws {EmbeddedPostgresError} when the embedded server cannot be started.
 * @throws {MigrationError} when the schema cannot be brought up to date.
 */
export async function openStore(settings: StoreSettings, signal?: AbortSignal): Promise<Store> {
  const { home } = settings;
  const embedded = settings.databaseUrl ? undefined : await acquireEmbeddedPostgres({ home, signal });
  const url = settings.databaseUrl ?? (embedded?.url as string);
  try {
    signal?.throwIfAborted();
    if (!embedded) await checkServer(url);
    const applied = await migrate(url, settings.databaseSchema, undefined, signal);
    const database = openDatabase(() => embedded?.url ?? url, {
      connections: settings.databaseConnections,
      patient: settings.patient ?? false,
      ...(settings.databaseSchema && { schema: settings.databaseSchema }),
    });
    const close = async () => {
      await database.close();
      await embedded?.release();
    };
    await checkRole(database, url).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    return { database, applied, close };
  } catch (error) {
    await embedded?.release();
    throw error;
  }
}

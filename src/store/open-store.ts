/** Opens the database that the settings name, brought to this version's schema. */
import pg from 'pg';
import { type Database, openDatabase } from './database.ts';
import { isDatabaseAway } from './database-error.ts';
import { acquireEmbeddedPostgres } from './embedded-postgres.ts';
import { migrate } from './migrate.ts';

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

/** A database that cannot be used; the message is one line and holds no password. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

const OLDEST_VERSION = 160_000;

/**
 * @throws {StoreError} when the server cannot be reached or is older than PostgreSQL 16.
 * @throws {EmbeddedPostgresError} when the embedded server cannot be started.
 * @throws {MigrationError} when the schema cannot be brought up to date.
 */
export async function openStore(settings: StoreSettings): Promise<Store> {
  const embedded = settings.databaseUrl ? undefined : await acquireEmbeddedPostgres({ home: settings.home });
  const url = settings.databaseUrl ?? (embedded?.url as string);
  try {
    if (!embedded) await checkServer(url);
    const applied = await migrate(url, settings.databaseSchema);
    const database = openDatabase(url, {
      connections: settings.databaseConnections,
      patient: settings.patient ?? false,
      ...(settings.databaseSchema && { schema: settings.databaseSchema }),
    });
    const close = async () => {
      await database.close();
      await embedded?.release();
    };
    return { database, applied, close };
  } catch (error) {
    await embedded?.release();
    throw error;
  }
}

async function checkServer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A connection that breaks fails its statement; without a listener it would end the process, with no word to anybody.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('select current_setting($1)::int as version', ['server_version_num']);
    const version = rows[0]?.version as number;
    if (version < OLDEST_VERSION)
      throw new StoreError(`PostgreSQL 16 or newer is needed, the server is ${Math.floor(version / 10_000)}`);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const { host, pathname } = new URL(url);
    const reason = (error as { code?: string }).code ?? (error as Error).message;
    const what = isDatabaseAway(error) ? 'cannot reach' : 'cannot use';
    throw new StoreError(`${what} the database ${pathname.slice(1)} at ${host}: ${reason}`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
}

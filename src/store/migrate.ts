/**
 * Applies the migrations of prisma/migrations, as `prisma migrate deploy` does: with the same engine (as WebAssembly, so that
 * no native binary has to be downloaded) and the same table of applied migrations (docs/decisions/0003).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { SchemaEngine } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { settingSql } from './connection.ts';
import { DEFAULT_SCHEMA } from './database.ts';

const PRISMA_FOLDER = new URL('../../prisma/', import.meta.url);
/** Key of the advisory lock under which processes that start together migrate one after the other. Any fixed number. */
const MIGRATION_LOCK = 7_405_211;
const CONNECT_MAX_MS = 10_000;

/** SQLSTATE of PostgreSQL when `lock_timeout` was reached. */
const LOCK_NOT_AVAILABLE = '55P03';

/** How long and how often a migration waits for locks on tables. */
export interface LockPatience {
  /** Longest wait for one lock. Other users of the table wait behind it for as long. Default 1,000 ms. */
  readonly lockMs: number;
  /** Maximum number of attempts for each migration, default 20. */
  readonly tries: number;
  /** Pause between two attempts, default 3,000 ms. */
  readonly pauseMs: number;
}

const PATIENCE: LockPatience = { lockMs: 1_000, tries: 20, pauseMs: 3_000 };

/** A migration failed, was left half applied, or belongs to a newer version of the gateway. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** The server refused a migration and rolled it back. Only its record is left. */
class UndoneError extends MigrationError {}

/** SQLSTATE of a refused statement: any class but 08 and 57, which mean that the connection ended. */
const SERVER_REFUSED = /^(?!08|57)[0-9A-Z]{5}$/;
const FORGET = 'delete from _prisma_migrations where finished_at is null and rolled_back_at is null';

/** @returns the names of the migrations of this version, in the order in which they are applied. */
export function migrationNames(): string[] {
  return readdirSync(new URL('migrations/', PRISMA_FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/**
 * Applies the missing migrations. Each is one database transaction, so a refused migration changes nothing.
 *
 * @param url - of the database, with the user that owns the tables.
 * @param schema - of the tables; it is created when it does not exist.
 * @param patience - limits for waiting for locks, so that one long transaction does not block everybody behind the migration.
 * @returns the names of the migrations that were applied now.
 * @throws {MigrationError} when a migration fails or does not get its locks (then it can be repeated), when an earlier one is
 *   recorded as unfinished, or when the database is ahead of this version.
 */
export async function migrate(
  url: string,
  schema: string = DEFAULT_SCHEMA,
  patience: LockPatience = PATIENCE,
): Promise<string[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crossramp migrate',
    connectionTimeoutMillis: CONNECT_MAX_MS,
  });
  // As in open-store.ts: a broken connection fails its statement, not the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(inSchema(schema));
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await makeSchema(client, schema);
    await refuseUnfit(client);
    return await applyMissing(url, schema, patience);
  } catch (error) {
    // It was rolled back as a whole, so it may be repeated without a repair.
    if (error instanceof UndoneError) await client.query(FORGET);
    throw error;
  } finally {
    await client.end();
  }
}

function inSchema(schema: string): string {
  return settingSql({ search_path: `"${schema}"` });
}

/** Looks first, because creating a schema needs a privilege that looking does not need. */
async function makeSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query('select to_regnamespace($1) is not null as known', [`"${schema}"`]);
  if (!rows[0].known) await client.query(`create schema "${schema}"`);
}

async function refuseUnfit(client: pg.Client): Promise<void> {
  const { rows: found } = await client.query(`select to_regclass('_prisma_migrations') is not null as known`);
  if (!found[0].known) return;
  const { rows } = await client.query<{ name: string; finished: boolean }>(
    `select migration_name as name, finished_at is not null as finished
       from _prisma_migrations where rolled_back_at is null order by started_at`,
  );
  const half = rows.find((row) => !row.finished);
  if (half) {
    throw new MigrationError(
      `migration ${half.name} was begun and not finished: repair the database, delete its row from _prisma_migrations and start again`,
    );
  }
  const known = new Set(migrationNames());
  const newer = rows.find((row) => !known.has(row.name));
  if (newer) {
    throw new MigrationError(`the database has migration ${newer.name}, which this version does not know`);
  }
}

async function applyMissing(url: string, schema: string, patience: LockPatience): Promise<string[]> {
  const script = wholeScriptAdapter(url, schema, patience);
  try {
    const engine = await SchemaEngine.new(
      { datamodels: [['schema.prisma', readFileSync(new URL('schema.prisma', PRISMA_FOLDER), 'utf8')]] },
      () => {},
      bindMigrationAwareSqlAdapterFactory(script.factory),
    );
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir: 'migrations',
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: migrationNames().map((name) => ({
          path: name,
          migrationFile: {
            path: 'migration.sql',
            content: {
              tag: 'ok',
              value: readFileSync(new URL(`migrations/${name}/migration.sql`, PRISMA_FOLDER), 'utf8'),
            },
          },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  } catch (error) {
    // The engine reports only an external error, or several lines. The message of the driver says what happened.
    const failure = script.failure();
    if (failure?.code === LOCK_NOT_AVAILABLE)
      throw new UndoneError(
        `migration failed: after ${patience.tries} tries somebody still uses a table that it changes; end long transactions (pg_stat_activity) and start again`,
      );
    const [said = ''] = (failure ?? (error as Error)).message.split('\n');
    const Failure = SERVER_REFUSED.test(failure?.code ?? '') ? UndoneError : MigrationError;
    throw new Failure(`migration failed: ${said}`);
  } finally {
    await script.close();
  }
}

/**
 * Migrations that must name a schema write `public` in these two forms. `DATABASE_SCHEMA` replaces it when a script is sent,
 * not when it is read: the recorded checksums are those of the files.
 */
const SCHEMA_NAMES = /(?<=\b(?:search_path = |schema ))public\b/g;

/** Prisma's adapter splits scripts at semicolons, which breaks functions. This one sends each script as a whole. */
function wholeScriptAdapter(url: string, schema: string, { lockMs, tries, pauseMs }: LockPatience) {
  const onConnect = (client: pg.ClientBase) => client.query(inSchema(schema));
  const factory = new PrismaPg({ connectionString: url, onConnect }, { schema });
  const opened: Awaited<ReturnType<PrismaPg['connect']>>[] = [];
  let failure: (Error & { code?: string }) | undefined;
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    opened.push(adapter);
    adapter.executeScript = async (script) => {
      // One request is one transaction: a script that reaches its lock timeout changes nothing.
      const text = `set lock_timeout = ${lockMs}; ${script.replace(SCHEMA_NAMES, `"${schema}"`)}`;
      for (let left = tries; ; left--) {
        try {
          await adapter.underlyingDriver().query(text);
          return;
        } catch (error) {
          failure = error as typeof failure;
          if (failure?.code !== LOCK_NOT_AVAILABLE || left <= 1) throw error;
          await sleep(pauseMs);
        }
      }
    };
    return adapter;
  };
  const close = async () => void (await Promise.all(opened.map((adapter) => adapter.dispose())));
  return { factory, failure: () => failure, close };
}

/**
 * Brings a database to the schema of prisma/migrations: the work of `prisma migrate deploy`, with the same
 * engine (as WebAssembly) and the same bookkeeping table, so that no native binary has to be downloaded
 * (docs/decisions/0003).
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
/** Any fixed number: two processes that start at once migrate one after the other. */
const MIGRATION_LOCK = 7_405_211;
const CONNECT_MAX_MS = 10_000;

/** What PostgreSQL answers when a lock was not free in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** How long a migration waits for the tables that it changes. */
export interface LockPatience {
  /** For each lock at each try; as long everybody else queues behind it. Default 1,000 ms. */
  readonly lockMs: number;
  /** Of each migration, default 20. */
  readonly tries: number;
  /** Between two tries, default 3,000 ms. */
  readonly pauseMs: number;
}

const PATIENCE: LockPatience = { lockMs: 1_000, tries: 20, pauseMs: 3_000 };

/** A migration that could not be applied, was left half applied, or belongs to a newer version of the gateway. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A migration that the server refused and took back as a whole: nothing is left but its record. */
class UndoneError extends MigrationError {}

/** SQLSTATE of a statement that the server refused; not of a connection that ended (classes 08 and 57). */
const SERVER_REFUSED = /^(?!08|57)[0-9A-Z]{5}$/;
const FORGET = 'delete from _prisma_migrations where finished_at is null and rolled_back_at is null';

/** @returns the names of the migrations of this version, in order of application. */
export function migrationNames(): string[] {
  return readdirSync(new URL('migrations/', PRISMA_FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/**
 * Applies what is missing. Each migration is one transaction: one that the database refuses leaves no trace.
 *
 * @param url - of the database, as the user that owns its tables.
 * @param schema - that holds the tables; it is created when it does not exist.
 * @param patience - for tables that somebody else uses: who reads one in a long transaction cannot stop all others.
 * @returns the names of the migrations that were applied now.
 * @throws {MigrationError} when one fails, or does not get its locks (it can be tried again then), when an earlier one is recorded as unfinished, or when the database
 *   is ahead of this version.
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
  // As in open-store.ts: a connection that breaks fails its statement, not the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(inSchema(schema));
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await makeSchema(client, schema);
    await refuseUnfit(client);
    return await applyMissing(url, schema, patience);
  } catch (error) {
    // Nothing of it happened: it may be tried again without repairing anything.
    if (error instanceof UndoneError) await client.query(FORGET);
    throw error;
  } finally {
    await client.end();
  }
}

function inSchema(schema: string): string {
  return settingSql({ search_path: `"${schema}"` });
}

/** Creating needs a privilege that looking does not. */
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
    // The engine says no more than that an external error happened, or says it in several lines; the driver's words say what.
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
 * Migrations that have to name a schema say `public`, in these two ways. Another schema takes its place when a script is
 * sent, not when it is read: the recorded checksums are those of the files.
 */
const SCHEMA_NAMES = /(?<=\b(?:search_path = |schema ))public\b/g;

/** Prisma's adapter splits scripts at every semicolon, which breaks functions; this one sends each whole. */
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
      // One request is one transaction: what waits too long for a lock leaves nothing.
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

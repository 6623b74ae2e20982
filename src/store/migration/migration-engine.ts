/**
 * Prisma's migration engine as WebAssembly, over our driver. Loading takes a second, and leaves a timer: only a process with
 * migrations to apply loads it.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { SchemaEngine } from '@prisma/schema-engine-wasm';
import type pg from 'pg';
import { inSchema } from '../connection/session.ts';
import {
  type LockPatience,
  MigrationError,
  migrationNames,
  PRISMA_FOLDER,
  UndoneError,
} from './migrations.ts';

/** SQLSTATE of PostgreSQL when `lock_timeout` was reached. */
const LOCK_NOT_AVAILABLE = '55P03';
/** SQLSTATE of a refused statement: any class but 08 and 57, which mean that the connection ended. */
const SERVER_REFUSED = /^(?!08|57)[0-9A-Z]{5}$/;

/**
 * @param url - URL of the database; no other process applies migrations meanwhile.
 * @returns the names of the migrations that were applied.
 * @throws {MigrationError} the errors of `migrate`.
 */
export async function applyMissing(url: string, schema: string, patience: LockPatience): Promise<string[]> {
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
    // The engine reports only an external error, or several lines. The message of the driver describes the error.
    const failure = script.failure();
    if (failure?.code === LOCK_NOT_AVAILABLE)
      throw new UndoneError(
        `migration failed: after ${patience.attempts} attempts another session still uses a table that it changes; end long transactions (pg_stat_activity) and start again`,
      );
    const [line = ''] = (failure ?? (error as Error)).message.split('\n');
    const Failure = SERVER_REFUSED.test(failure?.code ?? '') ? UndoneError : MigrationError;
    throw new Failure(`migration failed: ${line}`);
  } finally {
    await script.close();
  }
}

/**
 * Migrations that must name a schema write `public` in these two forms. `DATABASE_SCHEMA` replaces it when a script is
 * sent, not when it is read, because the recorded checksums are those of the files.
 */
const SCHEMA_NAMES = /(?<=\b(?:search_path = |schema ))public\b/g;

/**
 * Prisma's adapter splits scripts at semicolons, which breaks functions. This adapter sends each script as a whole.
 */
function wholeScriptAdapter(url: string, schema: string, { lockMs, attempts, pauseMs }: LockPatience) {
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
      for (let left = attempts; ; left--) {
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

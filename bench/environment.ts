/** The PostgreSQL servers of the benchmarks: embedded, with homes of their own. */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { acquireEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { migrate } from '../src/store/migration/migrate.ts';

/** Where the data lies; keep it between runs, and the large account is made once. */
export const BENCH_HOME = process.env.BENCH_HOME || join(tmpdir(), 'crossramp-bench');

/** All data fits into memory; nothing runs by itself while a cell is measured. */
const QUIET = {
  shared_buffers: '4GB',
  effective_cache_size: '12GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  idle_in_transaction_session_timeout: '0',
};
/**
 * For reads, which flush nothing. What is never flushed could not be kept after a crash of the machine, which is of
 * no account here.
 */
const READING = {
  ...QUIET,
  wal_level: 'minimal',
  archive_mode: 'off',
  max_wal_senders: '0',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
};
/** Name of the database that is written to. */
const WRITTEN = 'bench';
/** For writes: every commit is flushed, as in production; segments of the log are used again. */
const WRITING = { ...QUIET, min_wal_size: '8GB', synchronous_commit: 'on' };

/** Starts the server, brings the database to the schema, runs the work, and stops the server whatever happens. */
export async function withBenchServer<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  return withServer(BENCH_HOME, READING, work);
}

/**
 * As `withBenchServer`, for writes: a server of its own with a fresh database, whose data is deleted afterwards. `BENCH_KEEP` leaves the
 * server's folder for the next one, which makes its database as a copy in place of migrating it anew.
 *
 * @param options - `fsync`: false leaves out the flush to disk: a commit costs what it costs without the disk. `settings`: others.
 *   `isEmpty`: the work brings the database to a schema itself.
 */
export async function withWriteServer<Result>(
  options: {
    readonly fsync: boolean;
    readonly settings?: Record<string, string>;
    readonly isEmpty?: boolean;
  },
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const { fsync, settings = {}, isEmpty = false } = options;
  const home = `${BENCH_HOME}-write`;
  const all = { ...WRITING, ...settings, fsync: fsync ? 'on' : 'off' };
  const result = await withServer(home, all, async (url) => work(await freshDatabase(url, isEmpty)));
  if (!process.env.BENCH_KEEP) await rm(home, { recursive: true, force: true });
  return result;
}

/** Lets one customer of each account buy as much as a benchmark wants. */
export async function liftLimits(owner: pg.Client): Promise<void> {
  await owner.query(
    `insert into template_setting (account_id, template, customer_limit_daily, customer_step_up_30d)
       select id, 'onramp', 1e15, 1e15 from account on conflict (account_id, template)
       do update set customer_limit_daily = 1e15, customer_step_up_30d = 1e15`,
  );
}

/** @returns the URL of a new, empty database of the same server. */
export async function newDatabase(url: string, name: string): Promise<string> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`drop database if exists ${name} with (force)`);
  await owner.query(`create database ${name} template template0`);
  await owner.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** @returns a database beside the migrated one, which nobody writes to: a copy of it, or an empty one. */
async function freshDatabase(migratedUrl: string, isEmpty: boolean): Promise<string> {
  const url = new URL(migratedUrl);
  const template = isEmpty ? 'template0' : url.pathname.slice(1);
  url.pathname = '/postgres';
  const owner = new pg.Client({ connectionString: url.href });
  await owner.connect();
  await owner.query(`drop database if exists ${WRITTEN} with (force)`);
  await owner.query(`create database ${WRITTEN} template ${template}`);
  await owner.end();
  url.pathname = `/${WRITTEN}`;
  return url.href;
}

async function withServer<Result>(
  home: string,
  settings: Record<string, string>,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = await acquireEmbeddedPostgres({ home, settings });
  try {
    await migrate(server.url);
    return await work(server.url);
  } finally {
    await server.release();
  }
}

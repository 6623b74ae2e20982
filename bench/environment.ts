/** The PostgreSQL server of the benchmarks: embedded, with a home of its own. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireEmbeddedPostgres } from '../src/store/embedded-postgres.ts';
import { migrate } from '../src/store/migrate.ts';

/** Where the data lies; keep it between runs, and the large account is made once. */
export const BENCH_HOME = process.env.BENCH_HOME || join(tmpdir(), 'crossramp-bench');

/**
 * All data fits into memory; nothing runs by itself while a cell is measured. What is never flushed could not be
 * kept after a crash of the machine, which is of no account here.
 */
const SETTINGS = {
  shared_buffers: '4GB',
  effective_cache_size: '12GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  wal_level: 'minimal',
  max_wal_senders: '0',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  idle_in_transaction_session_timeout: '0',
};

/** Starts the server, brings the database to the schema, runs the work, and stops the server whatever happens. */
export async function withBenchServer<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const server = await acquireEmbeddedPostgres({ home: BENCH_HOME, settings: SETTINGS });
  try {
    await migrate(server.url);
    return await work(server.url);
  } finally {
    await server.release();
  }
}

/**
 * Databases of builds before 1.0. The first migrations of 1.0 create the tables that 121 migrations had created step by
 * step. A database with all of those has the same tables, so only the records are written. An older database is
 * refused.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { MigrationError, migrationNames, PRISMA_FOLDER } from './migrations.ts';

/** Last migration before 1.0, the number of all of them, and the commit whose build applies them. */
const BEFORE = { last: '20261205096000_price_proposals', count: 121, commit: '7b4b5351' };
/** First and last migration of the baseline. Names sort in the order of application. */
const FIRST = '20261206000000_accounts';
const LAST = '20261206000120_roles';

/** @returns whether a migration belongs to a build before 1.0. */
export const isBeforeBaseline = (name: string): boolean => name < FIRST;

/** @throws {MigrationError} when the database has some of the migrations from before 1.0, and not all. */
export function refuseOlder(applied: readonly string[]): void {
  const before = applied.filter(isBeforeBaseline).sort();
  if (before.length === 0 || (before.length === BEFORE.count && before.at(-1) === BEFORE.last)) return;
  throw new MigrationError(
    `the database is older than this version can take over: its last migration is ${before.at(-1)}; apply the others with the build of commit ${BEFORE.commit} (npm run -s crossramp -- migrate), then start this version again`,
  );
}

/**
 * Replaces the records of the migrations from before 1.0 by those of the baseline. The tables stay unchanged.
 * @param client - connection of the owner, under the lock of migrations, on a database that `refuseOlder` has accepted.
 */
export async function adopt(client: pg.ClientBase): Promise<void> {
  const records = migrationNames()
    .filter((name) => name <= LAST)
    .map((name) => {
      const script = readFileSync(new URL(`migrations/${name}/migration.sql`, PRISMA_FOLDER));
      return { id: randomUUID(), name, checksum: createHash('sha256').update(script).digest('hex') };
    });
  // One statement, so that a database always has the records of either. The tables have not changed since the last of
  // the old migrations.
  await client.query(
    `with old as (delete from _prisma_migrations where migration_name < $1 returning finished_at),
          done as (select max(finished_at) as at from old)
     insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       select r ->> 'id', r ->> 'checksum', r ->> 'name', done.at, done.at, 1 from done, json_array_elements($2::json) r`,
    [FIRST, JSON.stringify(records)],
  );
}

/**
 * The fence of a moved cell (docs/decisions/0085-moving-a-cell.md): a trigger on every table that refuses each write. It is
 * put on one table after the other, each under a lock that waits for the writers of that table: once all have it, no write is under way, and
 * none comes after. Without a fence nothing is checked, so it costs nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CellServer, isHeld, MoveError } from './cell-server.ts';

/** Longest wait for one table, in which callers wait behind it; less than the 5 seconds for which they wait. Unit: ms. */
const LOCK_MS = 2_000;
const ATTEMPTS = 30;
/** Minimum and maximum pause between two attempts, in which callers go on. Unit: ms. */
const PAUSE_MS = [500, 1_500] as const;
const TRIGGER = 'cell_fence';

/** Waits for long writers, such as imports, before anything is refused. @throws {MoveError} when one never ends. */
export async function awaitWriters(source: CellServer): Promise<void> {
  await onEach(source, await source.writableTables(), lockOf);
}

/**
 * Notes the fence in the record of the cell and puts it up. Again is the same. A database transaction that has written to one table and comes
 * to one with the fence fails as a whole.
 *
 * @throws {MoveError} when a writer never ends.
 */
export async function raiseFence(source: CellServer, other: string): Promise<void> {
  await source.rows(`update cell set state = 'fenced', other = $1 where state in ('serving', 'fenced')`, [
    other,
  ]);
  // ALWAYS: also in a session that plays a replica, whose other triggers do not fire.
  await onEach(
    source,
    await source.writableTables(),
    (table) => `${lockOf(table)};
      create or replace trigger ${TRIGGER} before insert or update or delete or truncate on ${table}
        for each statement execute function cell_refuse_write();
      alter table ${table} enable always trigger ${TRIGGER}`,
  );
}

/** Takes the fence down, table by table: the cell serves again. Again is the same. */
export async function lowerFence(source: CellServer): Promise<void> {
  const rows = await source.rows<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where t.tgname = $1 and t.tgparentid = 0 and c.relnamespace = current_schema()::regnamespace`,
    [TRIGGER],
  );
  await onEach(
    source,
    rows.map(({ name }) => name),
    (table) => `drop trigger ${TRIGGER} on ${table}`,
  );
  await source.rows(`update cell set state = 'serving', other = null where state = 'fenced'`);
}

/**
 * Records that the cell is served by another database. Gateways can no longer read anything of the schema: their cached data
 * gets older.
 */
export async function retire(source: CellServer): Promise<void> {
  const schema = `"${source.location.schema}"`;
  await source.within(async () => {
    await source.client.query(`update cell set state = 'moved'`);
    await source.client.query(`revoke usage on schema ${schema} from crossramp_app, public`);
  });
}

const lockOf = (table: string) => `lock table ${table} in share row exclusive mode`;

/** Runs statements for each table, in one database transaction and one journey to the server; again while the table is held. */
async function onEach(
  { client }: CellServer,
  tables: readonly string[],
  textOf: (table: string) => string,
): Promise<void> {
  for (const table of tables) {
    const text = `begin; set local lock_timeout = ${LOCK_MS}; ${textOf(table)}; commit`;
    for (let attempts = 1; !(await isDone(client, text)); attempts++) {
      if (attempts === ATTEMPTS)
        throw new MoveError(
          'a writer of the source does not end: end long transactions (pg_stat_activity), such as an import, and run the command again',
        );
      const [least, most] = PAUSE_MS;
      await sleep(least + Math.random() * (most - least));
    }
  }
}

/** @returns false where a lock was not free in time. */
async function isDone(client: CellServer['client'], text: string): Promise<boolean> {
  try {
    await client.query(text);
    return true;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (!isHeld(error)) throw error;
    return false;
  }
}

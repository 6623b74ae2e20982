/**
 * The fence of a moved cell (docs/decisions/0085-moving-a-cell.md): a trigger on every table that refuses each write. The
 * fence is set under a lock that waits for every writer: no write is under way then, and none follows. Without a fence
 * nothing is checked, so it costs nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CellServer, isHeld, MoveError } from './cell-server.ts';

/**
 * Longest wait for one table; callers wait behind it. Shorter than `deadlock_timeout`, so that a deadlock aborts the fence
 * and not a caller. Unit: ms.
 */
const LOCK_MS = 400;
const ATTEMPTS = 100;
/** Minimum and maximum pause between two attempts. Unit: ms. */
const PAUSE_MS = [50, 250] as const;
const TRIGGER = 'cell_fence';

/** Puts up the fence and notes it in the record of the cell. Again is the same. @throws {MoveError} when a writer never ends. */
export async function raiseFence(source: CellServer, other: string): Promise<void> {
  await retrying(source, async () => {
    const tables = await source.writableTables();
    await source.client.query(`lock table ${tables.join(', ')} in share row exclusive mode`);
    const text = tables.flatMap((table) => [
      `drop trigger if exists ${TRIGGER} on ${table}`,
      `create trigger ${TRIGGER} before insert or update or delete or truncate on ${table}
         for each statement execute function cell_refuse_write()`,
      // Also in a session that plays a replica, whose other triggers do not fire.
      `alter table ${table} enable always trigger ${TRIGGER}`,
    ]);
    await source.client.query(text.join(';\n'));
    await source.client.query(
      `update cell set state = 'fenced', other = $1 where state in ('serving', 'fenced')`,
      [other],
    );
  });
}

/** Removes the fence: the cell serves again. Again is the same. */
export async function lowerFence(source: CellServer): Promise<void> {
  await retrying(source, async () => {
    const rows = await source.rows<{ name: string }>(
      `select quote_ident(c.relname) as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where t.tgname = $1 and t.tgparentid = 0 and c.relnamespace = current_schema()::regnamespace`,
      [TRIGGER],
    );
    const text = rows.map(({ name }) => `drop trigger ${TRIGGER} on ${name}`);
    if (text.length > 0) await source.client.query(text.join(';\n'));
    await source.client.query(`update cell set state = 'serving', other = null where state = 'fenced'`);
  });
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

async function retrying(source: CellServer, work: () => Promise<void>): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      await source.within(async () => {
        await source.client.query(`set local lock_timeout = ${LOCK_MS}`);
        await work();
      });
      return;
    } catch (error) {
      if (!isHeld(error)) throw error;
      if (attempts === ATTEMPTS)
        throw new MoveError(
          'a writer of the source is still running: end long transactions (pg_stat_activity), such as an import, and run the command again',
        );
      const [least, most] = PAUSE_MS;
      await sleep(least + Math.random() * (most - least));
    }
  }
}

/**
 * The fence of a moved cell (docs/decisions/0085-moving-a-cell.md): a trigger on every table that refuses each write.
 * The fence is put on one table after the other, each under a lock that waits for the table's writers: after the last
 * one, no write is under way, and none can begin. Tables without a fence have no check, so it costs nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CellServer, isHeld, MoveError } from './cell-server.ts';
import { describeHolder, endStopped, type TableHolder } from './table-holders.ts';

/** Longest wait for one table, during which callers wait, too; less than the 5 seconds of their own limit. Unit: ms. */
const LOCK_MS = 2_000;
const ATTEMPTS = 30;
/** Minimum and maximum pause between two attempts, during which callers continue. Unit: ms. */
const PAUSE_MS = [500, 1_500] as const;
const TRIGGER = 'cell_fence';

/** Called with each session of a stopped gateway that was ended. */
export type OnEnded = (holder: TableHolder) => void;

/** Options of a wait for the holders of tables. */
export interface FenceOptions {
  readonly onEnded: OnEnded;
  /** Number of attempts for each table. */
  readonly attempts?: number;
}

/** Waits for long writers, such as imports, before anything is refused. @throws {MoveError} if a writer never ends. */
export async function awaitWriters(source: CellServer, options: FenceOptions): Promise<void> {
  await onEach(source, await source.writableTables(), { ...options, spared: 'readers', textOf: lockOf });
}

/**
 * Stores the fence in the record of the cell and puts it up. The call can be repeated. A database transaction that has
 * written to one table and then meets the fence at another fails as a whole.
 * @throws {MoveError} if a writer never ends.
 */
export async function raiseFence(source: CellServer, other: string, options: FenceOptions): Promise<void> {
  await source.rows(`update cell set state = 'fenced', other = $1 where state in ('serving', 'fenced')`, [
    other,
  ]);
  // Mode ALWAYS: the trigger also fires in a session in the role of a replica, in which other triggers do not.
  await onEach(source, await source.writableTables(), {
    ...options,
    spared: 'readers',
    textOf: (table) => `${lockOf(table)};
      create or replace trigger ${TRIGGER} before insert or update or delete or truncate on ${table}
        for each statement execute function cell_refuse_write();
      alter table ${table} enable always trigger ${TRIGGER}`,
  });
}

/** Removes the fence, table by table: the cell serves again. The call can be repeated. */
export async function lowerFence(source: CellServer, options: FenceOptions): Promise<void> {
  const rows = await source.rows<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where t.tgname = $1 and t.tgparentid = 0 and c.relnamespace = current_schema()::regnamespace`,
    [TRIGGER],
  );
  await onEach(
    source,
    rows.map(({ name }) => name),
    { ...options, spared: 'nobody', textOf: (table) => `drop trigger ${TRIGGER} on ${table}` },
  );
  await source.rows(`update cell set state = 'serving', other = null where state = 'fenced'`);
}

/**
 * Records that the cell is served by another database. Gateways can no longer read the schema, because their cached
 * data would become stale.
 */
export async function retire(source: CellServer): Promise<void> {
  const schema = `"${source.location.schema}"`;
  await source.within(async () => {
    await source.client.query(`update cell set state = 'moved'`);
    await source.client.query(`revoke usage on schema ${schema} from crossramp_app, public`);
  });
}

const lockOf = (table: string) => `lock table ${table} in share row exclusive mode`;

/**
 * Runs statements for each table, in one database transaction and one round trip; repeats them while the table is
 * locked, and ends stopped gateways that hold it.
 */
async function onEach(
  source: CellServer,
  tables: readonly string[],
  {
    textOf,
    spared,
    onEnded,
    attempts: most = ATTEMPTS,
  }: FenceOptions & { textOf: (table: string) => string; spared: 'readers' | 'nobody' },
): Promise<void> {
  for (const table of tables) {
    const text = `begin; set local lock_timeout = ${LOCK_MS}; ${textOf(table)}; commit`;
    for (let attempts = 1; !(await isDone(source.client, text)); attempts++) {
      const holders = await endStopped(source, table, { spared });
      for (const holder of holders) if (holder.isEnded) onEnded(holder);
      if (attempts === most) throw new MoveError(heldText(table, holders));
      const [least, longest] = PAUSE_MS;
      await sleep(least + Math.random() * (longest - least));
    }
  }
}

function heldText(table: string, holders: readonly TableHolder[]): string {
  const held = holders.length > 0 ? `; ${table} is locked by ${holders.map(describeHolder).join(', ')}` : '';
  return `a writer of the source does not end: end long transactions, such as an import, and run the command again${held}`;
}

/** @returns false if a lock was not free in time. */
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

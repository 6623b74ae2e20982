/**
 * The copy of a cell by PostgreSQL's own replication: a publication and a slot in the source, a subscription in the
 * target. Note that ALWAYS triggers fire while rows are copied, and that sequences are not replicated.
 */
import { numbersBefore } from '../../base/ids/cell.ts';
import { PRESENT_SERVER } from '../connection/present-server.ts';
import { endChanges } from './cell-changes.ts';
import { type CellServer, MoveError } from './cell-server.ts';
import type { CellRecord } from './settle-cell.ts';

/** Progress of a copy. */
export interface CopyState {
  readonly copied: number;
  readonly tables: number;
  /** Log of the source that the target has not confirmed. Unit: bytes. */
  readonly behind: number;
}

/** SQLSTATE of a missing slot, and of one in use. */
const SLOT_CHANGED = /^(42704|55006)$/;
/** Key of the lock of the event log's housekeeping, which moves events in a way that is not replicated. */
const EVENT_LOCK = `hashtext('event_partitions')`;

/** @returns the name of the publication, the slot and the subscription. */
export function linkName({ location }: CellServer): string {
  return `crossramp_move_${location.schema}`;
}

/** Checks the requirements of a move on both servers. @throws {MoveError} naming the missing setting and how to set it. */
export async function checkServers(source: CellServer, target: CellServer): Promise<void> {
  const level = await source.value<string>('show wal_level');
  if (level !== 'logical')
    throw new MoveError(`the source has wal_level = ${level}: set it to logical, and restart the server`);
  const mayReplicate = `select rolsuper or rolreplication from pg_roles where rolname = current_user`;
  if (!(await source.value<boolean>(mayReplicate)))
    throw new MoveError('the login of the source may not replicate: alter role … replication');
  const maySubscribe = `select rolsuper or pg_has_role(current_user, 'pg_create_subscription', 'usage')
    from pg_roles where rolname = current_user`;
  if (!(await target.value<boolean>(maySubscribe)))
    throw new MoveError('the login of the target may not subscribe: grant pg_create_subscription to it');
  const identifier = 'select system_identifier::text from pg_control_system()';
  const [one, other] = [await source.value<string>(identifier), await target.value<string>(identifier)];
  if (one === other)
    throw new MoveError('both are on the same server, where a subscription would wait for itself');
}

/**
 * Empties the target and turns off the triggers that would fire during the copy. No process writes there, because its
 * cell is `arriving`.
 */
export async function prepareTarget(target: CellServer, cell: CellRecord, other: string): Promise<void> {
  const own = await target.cell();
  if (own?.state === 'serving') {
    if (await target.value<boolean>('select exists (select from account)'))
      throw new MoveError(`${target.name} has accounts: expected a schema without any`);
    if (own.code !== cell.code)
      await target.rows('select cell_begin($1, $2)', [cell.code, String(numbersBefore(cell.code))]);
    await target.rows(`update cell set state = 'arriving', epoch = $1, other = $2`, [
      String(cell.epoch),
      other,
    ]);
  } else if (own?.state !== 'arriving' || own.code !== cell.code) {
    throw new MoveError(`${target.name} is the schema of another cell`);
  }
  await target.within(async () => {
    await target.client.query(`create table if not exists cell_move_trigger as
      select c.relname as relation, t.tgname as name, t.tgenabled as mode from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and t.tgenabled in ('A', 'R')`);
    await eachTrigger(target, () => 'disable trigger');
    await target.client.query(`truncate ${(await target.tables()).join(', ')}`);
  });
}

/** Begins the copy. The target connects to the source itself, at `reachedAt`. */
export async function beginCopy(source: CellServer, target: CellServer, reachedAt: string): Promise<void> {
  const name = linkName(source);
  // Held until the connection of the move ends; meanwhile the event log does not change its tables.
  await source.rows(`select pg_advisory_lock(${EVENT_LOCK})`);
  const tables = await source.tables();
  const known = await target.tables();
  const missing = tables.filter((table) => !known.includes(table));
  if (missing.length > 0) throw new MoveError(`the target lacks ${missing.join(', ')}`);
  for (const table of await unidentified(source))
    await source.client.query(`alter table ${table} replica identity full`);
  await source.client.query(
    `create publication ${name} for table ${tables.join(', ')} with (publish_via_partition_root = true)`,
  );
  const connection = `'${reachedAt.replaceAll("'", "''")}'`;
  await target.client.query(`create subscription ${name} connection ${connection} publication ${name}
    with (copy_data = true, create_slot = true, slot_name = '${name}')`);
}

/** @returns tables of which an update or a delete could not be replicated. */
async function unidentified(source: CellServer): Promise<string[]> {
  const rows = await source.rows<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relreplident = 'd'
        and c.relname <> '_prisma_migrations'
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  );
  return rows.map(({ name }) => name);
}

/** @returns the progress of the copy; undefined without one. */
export async function copyState(source: CellServer, target: CellServer): Promise<CopyState | undefined> {
  const name = linkName(source);
  const [rows] = await target.rows<{ copied: number; tables: number }>(
    `select count(*) filter (where r.srsubstate = 'r')::int as copied, count(*)::int as tables
       from pg_subscription s join pg_subscription_rel r on r.srsubid = s.oid
      where s.subname = $1 and s.subdbid = (select oid from pg_database where datname = current_database())`,
    [name],
  );
  const behind = await source.value<string>(
    `select (pg_current_wal_lsn() - confirmed_flush_lsn)::text from pg_replication_slots where slot_name = $1`,
    [name],
  );
  if (!rows || rows.tables === 0 || behind === undefined) return undefined;
  return { ...rows, behind: Number(behind) };
}

/** @returns the current end of the source's log. */
export async function logEnd(source: CellServer): Promise<string> {
  return (await source.value<string>('select pg_current_wal_lsn()::text')) ?? '0/0';
}

/** @returns whether the target has the source's log up to this position. */
export async function hasCaughtUp(source: CellServer, target: CellServer, lsn: string): Promise<boolean> {
  const state = await copyState(source, target);
  const isConfirmed = await source.value<boolean>(
    'select confirmed_flush_lsn >= $2::pg_lsn from pg_replication_slots where slot_name = $1',
    [linkName(source), lsn],
  );
  return state !== undefined && state.copied === state.tables && isConfirmed === true;
}

/** Ends the subscription without contacting the source. The call can be repeated. */
export async function endSubscription(target: CellServer): Promise<void> {
  const rows = await target.rows<{ name: string }>(
    `select quote_ident(subname) as name from pg_subscription
      where subname like 'crossramp\\_move\\_%' and subdbid = (select oid from pg_database where datname = current_database())`,
  );
  for (const { name } of rows) {
    await target.client.query(`alter subscription ${name} disable`);
    await target.client.query(`alter subscription ${name} set (slot_name = none)`);
    await target.client.query(`drop subscription ${name}`);
  }
}

/** Removes the copy's objects in the source. @param wait - pauses between checks of a slot that is still in use. */
export async function endPublication(source: CellServer, wait: () => Promise<unknown>): Promise<void> {
  const name = linkName(source);
  await endChanges(source);
  // Slots of the first copy of tables have names of their own.
  const slots = `select slot_name as slot, active from pg_replication_slots where database = current_database()
    and (slot_name = $1 or slot_name like 'pg\\_%\\_sync\\_%')`;
  for (;;) {
    const left = await source.rows<{ slot: string; active: boolean }>(slots, [name]);
    for (const { slot, active } of left) if (!active) await dropSlot(source, slot);
    if (left.length === 0) break;
    await wait();
  }
  await source.client.query(`drop publication if exists ${name}`);
  await source.rows(`select pg_advisory_unlock(${EVENT_LOCK})`);
}

/** Drops a slot, unless the target has just dropped it itself, or begins to read from it. */
async function dropSlot(source: CellServer, slot: string): Promise<void> {
  try {
    await source.rows('select pg_drop_replication_slot($1)', [slot]);
  } catch (error) {
    if (!SLOT_CHANGED.test(String((error as { code?: unknown }).code ?? ''))) throw error;
  }
}

/**
 * Opens the cell in the target, in one database transaction: the numbers continue where the source stopped, triggers fire
 * again, and the epoch rises by one. The move takes effect here.
 */
export async function openTarget(source: CellServer, target: CellServer): Promise<void> {
  const positions: { name: string; last: string; isCalled: boolean }[] = [];
  for (const name of await source.sequences()) {
    const [row] = await source.rows<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${name}`,
    );
    if (row) positions.push({ name, last: row.last, isCalled: row.called });
  }
  await target.within(async () => {
    await endSubscription(target);
    for (const { name, last, isCalled } of positions)
      await target.rows('select setval($1::regclass, $2, $3)', [name, last, isCalled]);
    await eachTrigger(target, (mode) => (mode === 'A' ? 'enable always trigger' : 'enable replica trigger'));
    await target.client.query('drop table cell_move_trigger');
    await target.client.query(`update cell set state = 'serving', epoch = epoch + 1`);
    // A move loses nothing, so the change of server is no restore.
    await target.client.query(
      `insert into restore_point (system, timeline) select s.system, s.timeline from ${PRESENT_SERVER} s`,
    );
  });
}

/** Restores the ALWAYS or REPLICA mode of each trigger that had it. */
async function eachTrigger(target: CellServer, verbOf: (mode: string) => string): Promise<void> {
  const rows = await target.rows<{ relation: string; name: string; mode: string }>(
    `select quote_ident(m.relation) as relation, quote_ident(m.name) as name, m.mode::text as mode from cell_move_trigger m`,
  );
  const text = rows.map(({ relation, name, mode }) => `alter table only ${relation} ${verbOf(mode)} ${name}`);
  if (text.length > 0) await target.client.query(text.join(';\n'));
}

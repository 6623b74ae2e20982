/**
 * Maintains the monthly partitions of the event log: creates those of the coming months, and drops those past their
 * retention. A lock that is not free within 0.2 s is an error, because all readers and writers of events would wait for
 * it, too.
 */
import type { Statement, Tx } from '../connection/database.ts';

const MAKE: Statement = {
  name: 'event_log_make',
  text: `select event_partitions($1::timestamptz, $2::timestamptz) as made`,
};
const SETTLE: Statement = { name: 'event_log_settle', text: `select event_settle($1::int) as moved` };
const RETIRE: Statement = {
  name: 'event_log_retire',
  text: `select event_retire($1::timestamptz) as dropped`,
};
const SKIP: Statement = {
  name: 'event_log_skip',
  text: `with gone as materialized (
      select d.account_id, d.id from webhook_delivery d join event_floor f on d.account_id = f.account_id and d.event_seq < f.seq
       where d.state = 'pending' order by d.account_id, d.id for no key update of d
    )
    update webhook_delivery d set state = 'skipped', ended_at = $1, leased_until = null, leased_by = null from gone
     where d.account_id = gone.account_id and d.id = gone.id`,
};

/**
 * Creates the partitions of a period.
 *
 * @returns the number of created months.
 */
export async function makeMonths(database: Tx, from: Date, until: Date): Promise<number> {
  const [row] = await database.query<{ made: number }>(MAKE, [from.toISOString(), until.toISOString()]);
  return row?.made ?? 0;
}

/**
 * Moves some events from the default partition into the partition of their month.
 * @param max - maximum number of events.
 * @returns the number of moved events; 0 if none is left, or another process is moving them.
 */
export async function settleMonths(database: Tx, max: number): Promise<number> {
  const [row] = await database.query<{ moved: number }>(SETTLE, [max]);
  return row?.moved ?? 0;
}

/**
 * Drops the partitions that ended before a time, and ends the deliveries of their events. Each month is a database
 * transaction of its own: events cannot be read or written between the drop and its commit.
 * @returns the number of dropped months.
 */
export async function retireMonths(database: Tx, before: Date, now: Date): Promise<number> {
  let count = 0;
  while (await retireMonth(database, before, now)) count += 1;
  return count;
}

async function retireMonth(database: Tx, before: Date, now: Date): Promise<boolean> {
  const [row] = await database.query<{ dropped: number }>(RETIRE, [before.toISOString()]);
  await database.query(SKIP, [now.toISOString()]);
  return row?.dropped === 1;
}

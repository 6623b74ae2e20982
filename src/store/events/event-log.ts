/**
 * Keeps the event log in months: those to come are made, those past their retention are dropped. A lock that is not free soon
 * (0.2 s) is an error of the driver: whoever reads or writes events would queue behind whoever waits for it.
 */
import type { Statement, Tx } from '../database.ts';

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
  text: `update webhook_delivery d set state = 'skipped', ended_at = $1, leased_until = null, leased_by = null from event_floor f
    where d.account_id = f.account_id and d.event_seq < f.seq and d.state = 'pending'`,
};

/** Makes the months from one moment to another. @returns how many there were not. */
export async function makeMonths(database: Tx, from: Date, until: Date): Promise<number> {
  const [row] = await database.query<{ made: number }>(MAKE, [from.toISOString(), until.toISOString()]);
  return row?.made ?? 0;
}

/**
 * Moves some of the events that came outside of every month into the partition of their month.
 *
 * @param max - events at most.
 * @returns how many; 0 when nothing is left to this process.
 */
export async function settleMonths(database: Tx, max: number): Promise<number> {
  const [row] = await database.query<{ moved: number }>(SETTLE, [max]);
  return row?.moved ?? 0;
}

/** Drops the months that ended before a moment, and gives up the deliveries of their events. @returns how many. */
export async function retireMonths(database: Tx, before: Date, now: Date): Promise<number> {
  const [row] = await database.query<{ dropped: number }>(RETIRE, [before.toISOString()]);
  await database.query(SKIP, [now.toISOString()]);
  return row?.dropped ?? 0;
}

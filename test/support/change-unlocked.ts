/** Changes that tests make to rows of a gateway that lives. */
import type pg from 'pg';

/** A table, what is set, and of which rows; SQL, with the parameters of the call. */
export interface Change {
  readonly table: string;
  readonly set: string;
  readonly where: string;
}

/** Changes rows. What the living are about to change is left to them: two who wait for each other's rows would be a deadlock. */
export async function changeUnlocked(
  owner: pg.Pool,
  { table, set, where }: Change,
  values: readonly unknown[] = [],
): Promise<void> {
  await owner.query(
    `update ${table} set ${set} where ctid = any (array(select ctid from ${table} where ${where} for update skip locked))`,
    [...values],
  );
}

/** A table with leases, which of its rows have one, and how long it is. */
type Leases = readonly [table: string, where: string, seconds: number];

/** As if the leases that were taken before a moment had ended: most of those who held them are dead. */
export async function outlast(
  owner: pg.Pool,
  leases: readonly Leases[],
  before: string | Date,
): Promise<void> {
  for (const [table, where, seconds] of leases) {
    const isEarly = 'leased_until < $1::timestamptz + $2::interval';
    const change = { table, set: 'leased_until = clock_timestamp()', where: `${where} and ${isEarly}` };
    await changeUnlocked(owner, change, [before, `${seconds} seconds`]);
  }
}

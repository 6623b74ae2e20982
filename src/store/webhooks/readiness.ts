/** Checks whether the database can be read and written now. */
import { randomInt } from 'node:crypto';
import type { Database, Statement, Tx } from '../database.ts';
import { relayLag } from './relay.ts';

/** The result of the check. */
export interface Readiness {
  readonly reads: boolean;
  readonly writes: boolean;
  /** How far webhooks are behind; undefined when that could not be read in time. */
  readonly webhooks: Awaited<ReturnType<typeof relayLag>> | undefined;
}

/** Time limit. `/readyz` answers within two seconds; half a second is left for everything else. Unit: ms. */
const LIMIT_MS = 1_500;
const SLOTS = 16;

const READ: Statement = {
  name: 'readiness_read',
  text: 'select probed_at from readiness_probe where slot = $1',
};
const WRITE: Statement = {
  name: 'readiness_write',
  text: 'update readiness_probe set probed_at = $2 where slot = $1',
};

/**
 * Reads and writes once, on connections of the common pool.
 *
 * @returns what worked, after at most 1.5 seconds.
 */
export async function probeDatabase(database: Database): Promise<Readiness> {
  const slot = randomInt(SLOTS);
  const within: Tx = {
    query: (statement, values) => database.queryWithin(LIMIT_MS, statement, values),
  };
  const works = (statement: Statement, values: readonly unknown[]) =>
    within.query(statement, values).then(
      () => true,
      () => false,
    );
  const [reads, writes, webhooks] = await Promise.all([
    works(READ, [slot]),
    works(WRITE, [slot, new Date().toISOString()]),
    relayLag(within).catch(() => undefined),
  ]);
  return { reads, writes, webhooks };
}

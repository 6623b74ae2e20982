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
export const PROBE_MAX_MS = 1_500;
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
 * @param readMore - another read that has to work.
 * @returns what worked, after at most 1.5 seconds.
 */
export async function probeDatabase(
  database: Database,
  readMore: () => Promise<unknown>,
): Promise<Readiness> {
  const slot = randomInt(SLOTS);
  const within: Tx = {
    query: (statement, values) => database.queryWithin(PROBE_MAX_MS, statement, values),
  };
  const works = (statement: Statement, values: readonly unknown[]) =>
    within.query(statement, values).then(
      () => true,
      () => false,
    );
  const [reads, readsMore, writes, webhooks] = await Promise.all([
    works(READ, [slot]),
    inTime(readMore()),
    works(WRITE, [slot, new Date().toISOString()]),
    relayLag(within).catch(() => undefined),
  ]);
  return { reads: reads && readsMore, writes, webhooks };
}

/** @returns whether it succeeds in the time of a probe. */
async function inTime(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PROBE_MAX_MS, false);
  });
  const succeeds = work.then(
    () => true,
    () => false,
  );
  return Promise.race([succeeds, limit]).finally(() => clearTimeout(timer));
}

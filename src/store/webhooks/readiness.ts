/** Checks whether the database can be read and written now. */

import { randomInt } from 'node:crypto';
import { within } from '../../base/concurrency/within.ts';
import type { Database, Statement } from '../connection/database.ts';
import { isReadOnly } from '../connection/database-error.ts';
import { relayLag } from './relay.ts';

/** The result of the check. */
export interface Readiness {
  readonly reads: boolean;
  readonly writes: boolean;
  /** Whether the server refused the write because it only reads. */
  readonly isReadOnly: boolean;
  /** Lag of webhooks; undefined if it could not be read in time. */
  readonly webhooks: Awaited<ReturnType<typeof relayLag>> | undefined;
  /** Lag of a standby behind the primary; null if unknown, undefined without a standby. Unit: ms. */
  readonly behindMs?: number | null;
}

/** Additional conditions apart from a read and a write. */
export interface ReadinessNeeds {
  readonly toRead: () => Promise<unknown>;
  readonly toWrite: () => Promise<unknown>;
}

/**
 * Time limit. Time limit of the checks: `/readyz` answers within two seconds, and half a second is left for the rest.
 * Unit: ms.
 */
export const PROBE_MAX_MS = 1_500;
const SLOTS = 16;

const READ: Statement = {
  name: 'readiness_read',
  text: 'select probed_at from readiness_probe where slot = $1',
};
/** Uses the same connections as quick reads of requests: the shared ones, or the pool in their place. */
const QUICK_READ: Statement = { ...READ, name: 'readiness_quick_read', isQuick: true, isGathered: true };
/** As many reads as there are shared connections: each connection in turn has the fewest unanswered statements. */
const QUICK_READS = 2;
const WRITE: Statement = {
  name: 'readiness_write',
  text: 'update readiness_probe set probed_at = clock_timestamp() where slot = $1',
};

/**
 * Reads and writes once on a connection of the common pool, and reads on the shared connections.
 *
 * @returns the successful checks, after at most 1.5 seconds.
 */
export async function probeDatabase(
  database: Database,
  { toRead, toWrite }: ReadinessNeeds,
): Promise<Readiness> {
  const untilMs = performance.now() + PROBE_MAX_MS;
  const slot = randomInt(SLOTS);
  const found: { -readonly [Member in keyof Readiness]: Readiness[Member] } = {
    reads: false,
    writes: false,
    isReadOnly: false,
    webhooks: undefined,
  };
  const quick = Promise.all(Array.from({ length: QUICK_READS }, () => database.query(QUICK_READ, [slot])));
  const probe = database.within(PROBE_MAX_MS, (tx) =>
    Promise.allSettled([
      tx.query(READ, [slot]).then(() => {
        found.reads = true;
      }),
      tx.query(WRITE, [slot]).then(
        () => {
          found.writes = true;
        },
        (error: unknown) => {
          found.isReadOnly = isReadOnly(error);
        },
      ),
      relayLag(tx).then((lag) => {
        found.webhooks = lag;
      }),
    ]),
  );
  const [readsMore, writesMore] = await Promise.all([
    inTime(Promise.all([toRead(), quick]), untilMs),
    inTime(toWrite(), untilMs),
    probe.catch(() => {}),
  ]);
  return { ...found, reads: found.reads && readsMore, writes: found.writes && writesMore };
}

/** @returns whether the check succeeds before that time. */
function inTime(work: Promise<unknown>, untilMs: number): Promise<boolean> {
  return within(untilMs - performance.now(), work, () => new Error('too late')).then(
    () => true,
    () => false,
  );
}

/** Check of `doctor` on the standbys of REPLICA_URLS. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openReplicas } from '../compose/open-replicas.ts';
import type { Config } from '../config.ts';
import type { Check } from '../resolvers/services/rail-part.ts';
import type { ReplicaStatus } from '../store/account/read-replicas.ts';
import type { Database } from '../store/connection/database.ts';

const CONNECTIONS = 2;
const POLL_MS = 100;
/** A standby that does not show the mark by then answers no reads. Unit: ms. */
const PROBE_MAX_MS = 4_000;

/** @returns whether each standby shows the last write of the primary. */
export async function examineReplicas(database: Database, config: Config): Promise<readonly Check[]> {
  const settings = { ...config, databaseConnections: CONNECTIONS };
  const replicas = await openReplicas(settings, { database, url: () => '' });
  if (!replicas) return [];
  try {
    const untilMs = performance.now() + PROBE_MAX_MS;
    while (performance.now() < untilMs && replicas.status().some((each) => !isWell(each)))
      await sleep(POLL_MS);
    return replicas.status().map((each) => ({
      check: `reads on ${each.address}`,
      ok: isWell(each),
      detail: detailOf(each),
    }));
  } finally {
    await replicas.close();
  }
}

/** A server that takes the writes answers reads as the primary. */
function isWell({ isInUse, isPrimary }: ReplicaStatus): boolean {
  return isInUse || isPrimary;
}

function detailOf({ isInUse, isPrimary, behindMs }: ReplicaStatus): string {
  if (isPrimary) return 'takes the writes: it is the primary';
  return isInUse
    ? `shows what was written to the primary ${behindMs} ms ago`
    : 'shows nothing that was written to the primary in the last 3 seconds: it is away or late, or follows another server';
}

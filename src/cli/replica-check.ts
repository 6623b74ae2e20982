/** Check of `doctor` on the standbys of REPLICA_URLS. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openReplicas } from '../compose/open-replicas.ts';
import type { Config } from '../config.ts';
import type { Check } from '../resolvers/services/rail-part.ts';
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
    while (performance.now() < untilMs && replicas.status().some(({ isInUse }) => !isInUse))
      await sleep(POLL_MS);
    return replicas.status().map(({ address, isInUse: ok, behindMs }) => ({
      check: `reads on ${address}`,
      ok,
      detail: ok
        ? `shows what was written to the primary ${behindMs} ms ago`
        : 'shows nothing that was written to the primary in the last 3 seconds: it is away or late, takes writes itself, or follows another server',
    }));
  } finally {
    await replicas.close();
  }
}

/** Writes a row on each of several servers again and again, to tell when one takes writes and that it keeps those that it acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A write that a server acknowledged. Unit of times: ms, of `performance.now()`. */
export interface Acknowledged {
  readonly id: number;
  readonly server: string;
  readonly beganAt: number;
  readonly at: number;
}

/** Time in which no server acknowledged a write. Unit: ms, of `performance.now()`. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** A running probe. */
export interface WriteProbe {
  readonly acknowledged: readonly Acknowledged[];
  /** @returns outages that ended in this time, in their order. */
  readonly outages: (since: number, until: number) => readonly Outage[];
  readonly stop: () => Promise<void>;
}

const PAUSE_MS = 50;
/** Shorter times without a write are those of a busy machine. */
const OUTAGE_MIN_MS = 1_000;
const ANSWER_MAX_MS = 1_000;

/** @param servers - URLs by name, for a login that may create a table. @param primary - the one that takes writes now. */
export async function startWriteProbe(
  servers: ReadonlyMap<string, string>,
  primary: string,
): Promise<WriteProbe> {
  const first = newClient(servers.get(primary) as string);
  await first.connect();
  await first.query('create table if not exists write_probe (id bigint primary key)');
  await first.end();
  const acknowledged: Acknowledged[] = [];
  const stopping = new AbortController();
  let next = 0;
  const writeOn = async (server: string, url: string): Promise<void> => {
    let client: pg.Client | undefined;
    while (!stopping.signal.aborted) {
      try {
        client ??= await connected(url);
        const { rows } = await client.query<{ isStandby: boolean }>(
          'select pg_is_in_recovery() as "isStandby"',
        );
        if (!rows[0]?.isStandby) {
          next += 1;
          const [id, beganAt] = [next, performance.now()];
          await client.query('insert into write_probe values ($1)', [id]);
          acknowledged.push({ id, server, beganAt, at: performance.now() });
        }
      } catch {
        // The answer of the server is not awaited.
        client?.end().catch(() => {});
        client = undefined;
      }
      await sleep(PAUSE_MS);
    }
    client?.end().catch(() => {});
  };
  const writing = [...servers].map(([server, url]) => writeOn(server, url));
  return {
    acknowledged,
    outages: (since, until) => {
      const times = acknowledged.map(({ at }) => at).toSorted((a, b) => a - b);
      return times
        .map((to, index) => ({ from: times[index - 1] ?? to, to }))
        .filter(({ from, to }) => to >= since && to <= until && to - from >= OUTAGE_MIN_MS);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(writing);
    },
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = newClient(url);
  await client.connect().catch((error) => {
    client.end().catch(() => {});
    throw error;
  });
  return client;
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MAX_MS,
    query_timeout: ANSWER_MAX_MS,
  });
  client.on('error', () => {});
  return client;
}

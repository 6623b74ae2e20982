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
  /** Server that acknowledged the first write after it. */
  readonly server: string;
}

/** A running probe. */
export interface WriteProbe {
  readonly acknowledged: readonly Acknowledged[];
  /** @returns the longest time without a write since then. */
  readonly longestOutage: (since: number) => Outage | undefined;
  readonly stop: () => Promise<void>;
}

const PAUSE_MS = 50;
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
        // What the server does with it is not awaited.
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
    longestOutage: (since) => {
      const later = acknowledged.filter(({ at }) => at >= since).toSorted((a, b) => a.at - b.at);
      const last = acknowledged.findLast(({ at }) => at < since)?.at ?? since;
      return later
        .map(({ at, server }, index) => ({ from: later[index - 1]?.at ?? last, to: at, server }))
        .reduce<Outage | undefined>(
          (longest, each) => (longest && longest.to - longest.from >= each.to - each.from ? longest : each),
          undefined,
        );
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

/**
 * Choice of the primary among several servers (decision 0082). Each connection is opened to the primary. The other
 * servers are queried every two seconds, and whenever a connection fails. When another server has been promoted, all
 * connections to the former primary are closed, including those with a running statement: it can no longer acknowledge
 * anything. A server that was promoted earlier never becomes the primary again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { NoAnswerError } from './database-error.ts';

/** The primary, as far as it is known. */
export interface Primary {
  readonly url: () => string;
  /** Reports a failed connection to the primary: the servers are queried for the current one. */
  readonly suspect: () => void;
  /**
   * Closes a connection when another server becomes the primary. @param close - closes the connection immediately, so
   * that all waits for its answers fail.
   */
  readonly watch: (client: pg.Client, close: (reason: Error) => void) => void;
  readonly close: () => void;
}

/** Answer of a primary. */
interface Found {
  readonly url: string;
  /** Number of its promotions, including those of its predecessors. */
  readonly timeline: number;
}

/** Time limit of a query to a server. Unit: ms. */
const ANSWER_MAX_MS = 1_000;
/** Pause while there is no primary. Unit: ms. */
const AGAIN_MS = 200;
/** Interval of queries to the other servers while the primary answers. Unit: ms. */
const WATCH_MS = 2_000;
const APPLICATION_NAME = 'crossramp primary';
/** The first eight digits of a log file's name are its timeline. */
const POSITION = `select case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as file`;
const TIMELINE_DIGITS = 8;

/**
 * @param urls - URLs of at least two servers.
 * @returns the primary; undefined if there is none now.
 */
export async function findPrimary(urls: readonly string[]): Promise<Primary | undefined> {
  const servers = urls.map((url) => new Server(url));
  const clients = new Map<pg.Client, { readonly url: string; readonly close: (reason: Error) => void }>();
  let isClosed = false;
  let search: Promise<void> | undefined;

  const first = await newest(servers, 0);
  if (!first) {
    for (const server of servers) server.forget();
    return undefined;
  }
  let known = first;

  const moveTo = (found: Found) => {
    const hasMoved = found.url !== known.url;
    known = found;
    if (!hasMoved) return;
    for (const { url, close } of clients.values())
      if (url !== found.url) close(new NoAnswerError('another server is the primary now'));
  };
  const searchUntilFound = async (): Promise<void> => {
    while (!isClosed) {
      const found = await newest(servers, known.timeline);
      if (found) return moveTo(found);
      await sleep(AGAIN_MS, undefined, { ref: false });
    }
  };
  const suspect = () => {
    search ??= searchUntilFound().finally(() => {
      search = undefined;
    });
  };
  const timer = setInterval(async () => {
    const others = servers.filter(({ url }) => url !== known.url);
    const found = search ? undefined : await newest(others, known.timeline + 1);
    if (found && !search) moveTo(found);
  }, WATCH_MS).unref();
  return {
    url: () => known.url,
    suspect,
    watch: (client, close) => {
      clients.set(client, { url: known.url, close });
      client.once('end', () => clients.delete(client));
    },
    close: () => {
      isClosed = true;
      clearInterval(timer);
      for (const server of servers) server.forget();
    },
  };
}

/**
 * @param least - number of promotions from which an answer counts.
 * @returns the primary with the newest promotion: immediately if it is newer than `least`, otherwise after all servers
 * have answered or timed out.
 */
async function newest(servers: readonly Server[], least: number): Promise<Found | undefined> {
  const answers = servers.map(async (server) => server.query().catch(() => undefined));
  const all = Promise.all(answers).then((found) =>
    found
      .flatMap((each) => (each && each.timeline >= least ? [each] : []))
      .reduce<Found | undefined>(
        (best, each) => (best && best.timeline >= each.timeline ? best : each),
        undefined,
      ),
  );
  if (least === 0) return all;
  const later = answers.map(async (answer) => {
    const found = await answer;
    if (!found || found.timeline <= least) throw new NoAnswerError('not promoted after the present primary');
    return found;
  });
  return Promise.any([...later, ...(servers.length > 0 ? [all] : [])]);
}

/** A server that is queried over a connection of its own, which stays open. */
class Server {
  readonly url: string;
  #client: pg.Client | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /** @returns undefined for a standby. @throws if it does not answer in time. */
  async query(): Promise<Found | undefined> {
    const client = this.#client ?? this.#newClient();
    try {
      if (this.#client !== client) await client.connect();
      this.#client = client;
      const { rows } = await client.query<{ file: string | null }>(POSITION);
      const file = rows[0]?.file;
      return file
        ? { url: this.url, timeline: Number.parseInt(file.slice(0, TIMELINE_DIGITS), 16) }
        : undefined;
    } catch (error) {
      if (this.#client === client) this.#client = undefined;
      client.end().catch(() => {});
      throw error;
    }
  }

  forget(): void {
    this.#client?.end().catch(() => {});
    this.#client = undefined;
  }

  #newClient(): pg.Client {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: APPLICATION_NAME,
      connectionTimeoutMillis: ANSWER_MAX_MS,
      query_timeout: ANSWER_MAX_MS,
    });
    client.on('error', () => {});
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    return client;
  }
}

/**
 * Notifications between processes: accounts with new events. Notifications go through PostgreSQL (LISTEN/NOTIFY, on a
 * separate connection and never in a business transaction) or through Redis. Notifications are hints only: every
 * listener also polls once a second, so a lost one costs only time.
 */
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Notifier } from '../../resolvers/services/notifier.ts';
import type { Primary } from '../../store/connection/primary.ts';

/** A connection to the other processes. */
export interface RemoteNotifier {
  readonly close: () => Promise<void>;
}

/** A channel to all processes, including this one. */
interface Wire {
  readonly publish: (text: string) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** Marker among the accounts of a message: workers of the sender handle its jobs. No account has this number. */
const WORKED_ON = 0n;
/**
 * Pause after a message: accounts that change during it are sent together, because one NOTIFY per commit would slow
 * commits down. Unit: ms.
 */
const PAUSE_MS = 20;
/** Name of the connection on the server. */
const APPLICATION_NAME = 'crossramp notifications';
/** The payload of NOTIFY must be shorter than 8,000 bytes. */
const ACCOUNTS_PER_MESSAGE = 300;
/**
 * Pause before a reconnection, for each failed attempt: on a half-open network each attempt costs the server a slot.
 * Unit: ms.
 */
const RECONNECT_MS = 1_000;
const RECONNECT_MAX_MS = 5_000;
/** Interval of heartbeats: without them, a listener would not notice a dead connection. Unit: ms. */
const HEARTBEAT_MS = 2_000;
/** A Redis connection without traffic for this long is dead, because each heartbeat is answered. Unit: ms. */
const SILENCE_MS = 5_000;

/** Connection to other processes, and the role of this one. */
export interface RemoteNotifierOptions {
  /** `postgres:…` or `redis:…`, or a function that returns it for each new connection. */
  readonly url: string | (() => string);
  /** Set if the database that carries notifications is on several hosts. */
  readonly primary?: Primary | undefined;
  /** Schema of the accounts: each schema has a notifier of its own. */
  readonly schema: string;
  /** Whether workers of this process handle its own commits, so that those of other processes need not scan. */
  readonly works: boolean;
  /** Whether the connection uses undocumented parts of the driver of PostgreSQL (decision 0064), default yes. */
  readonly isFast?: boolean;
}

/** @returns the connection, which is re-established whenever it breaks. */
export async function connectNotifier(
  notifier: Notifier,
  { url, primary, schema, works, isFast = true }: RemoteNotifierOptions,
  log: Logger,
): Promise<RemoteNotifier> {
  // The channel that processes of earlier versions also listen to.
  const channel = schema === 'public' ? 'crossramp_doorbell' : `crossramp_doorbell_${schema}`;
  const onText = (text: string) => {
    const numbers = text.split(',').filter(Boolean).map(BigInt);
    const isWorkedOn = numbers.includes(WORKED_ON);
    notifier.notify(isWorkedOn ? numbers.filter((number) => number !== WORKED_ON) : numbers, { isWorkedOn });
  };
  const source = typeof url === 'string' ? () => url : url;
  const wire = /^rediss?:/.test(source())
    ? await redisWire(source(), channel, onText, log)
    : await postgresWire(await clientsOf(source, primary, isFast), channel, onText, log);
  const moved = new Set<bigint>();
  let isPausing = false;
  let timer: NodeJS.Timeout | undefined;
  const translate = async () => {
    isPausing = true;
    const accountIds = [...moved];
    moved.clear();
    for (let at = 0; at < accountIds.length; at += ACCOUNTS_PER_MESSAGE) {
      const some = accountIds.slice(at, at + ACCOUNTS_PER_MESSAGE);
      const text = (works ? [WORKED_ON, ...some] : some).join(',');
      await wire
        .publish(text)
        .catch((error: unknown) => log.debug({ err: error }, 'a notification was not sent'));
    }
    timer = setTimeout(() => {
      isPausing = false;
      if (moved.size > 0) void translate();
    }, PAUSE_MS);
  };
  notifier.onHere((accountIds) => {
    for (const accountId of accountIds) moved.add(accountId);
    if (!isPausing) void translate();
  });
  return {
    close: async () => {
      clearTimeout(timer);
      await wire.close();
    },
  };
}

/** @returns a function that connects to PostgreSQL. Loads only the needed driver. */
async function clientsOf(
  url: () => string,
  primary: Primary | undefined,
  isFast: boolean,
): Promise<() => pg.Client> {
  if (!isFast) {
    const { plainClient } = await import('../../store/connection/plain-connection.ts');
    return () => {
      const client = plainClient(url(), APPLICATION_NAME);
      primary?.watch(client, () => void client.end().catch(() => {}));
      return client;
    };
  }
  const { watchedClients } = await import('../../store/connection/watched-client.ts');
  const Client = watchedClients({ url, primary, statementMaxMs: 0 });
  return () => new Client({ application_name: APPLICATION_NAME });
}

async function postgresWire(
  newClient: () => pg.Client,
  channel: string,
  onText: (text: string) => void,
  log: Logger,
): Promise<Wire> {
  let client: pg.Client | undefined;
  let isClosed = false;
  let again: NodeJS.Timeout | undefined;
  let failures = 0;
  const connectLater = () => {
    clearTimeout(again);
    if (!isClosed) again = setTimeout(connect, Math.min(RECONNECT_MS * ++failures, RECONNECT_MAX_MS));
  };
  const connect = async (): Promise<unknown> => {
    const fresh = newClient();
    fresh.on('notification', ({ payload }) => onText(payload ?? ''));
    fresh.on('error', (error) => log.debug({ err: error }, 'connection for notifications'));
    try {
      await fresh.connect();
      // A notification stores nothing that a crash could lose, so it never waits for the disk.
      await fresh.query('set synchronous_commit to off');
      await fresh.query(`listen ${channel}`);
    } catch (error) {
      fresh.end().catch(() => {});
      connectLater();
      return error;
    }
    if (isClosed) return fresh.end();
    failures = 0;
    client = fresh;
    fresh.on('end', () => {
      client = undefined;
      connectLater();
    });
    return undefined;
  };
  const beat = () => {
    const beaten = client;
    // A connection without an answer is dead.
    beaten?.query('select 1').catch(() => beaten.end().catch(() => {}));
  };
  const heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
  const failure = await connect();
  if (failure) log.warn({ err: failure }, 'notifications are not connected');
  return {
    publish: async (text) => client?.query('select pg_notify($1, $2)', [channel, text]),
    close: async () => {
      isClosed = true;
      clearTimeout(again);
      clearInterval(heartbeat);
      await client?.end();
    },
  };
}

async function redisWire(
  url: string,
  channel: string,
  onText: (text: string) => void,
  log: Logger,
): Promise<Wire> {
  // Loaded here only: the client has hundreds of modules, and most gateways have no Redis.
  const { createClient } = await import('@redis/client');
  const publisher = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: HEARTBEAT_MS,
    // By default the client stops reconnecting after a time.
    socket: { socketTimeout: SILENCE_MS, reconnectStrategy: () => RECONNECT_MS },
  });
  const subscriber = publisher.duplicate({ disableOfflineQueue: false });
  for (const each of [publisher, subscriber])
    each.on('error', (error: unknown) => log.debug({ err: error }, 'connection for notifications'));
  // The start does not wait for Redis: the client keeps trying to connect.
  publisher.connect().catch(() => {});
  subscriber.connect().catch(() => {});
  subscriber
    .subscribe(channel, onText)
    .catch((error: unknown) => log.warn({ err: error }, 'notifications are not received'));
  return {
    publish: (text) => publisher.publish(channel, text),
    close: async () => {
      publisher.destroy();
      subscriber.destroy();
    },
  };
}

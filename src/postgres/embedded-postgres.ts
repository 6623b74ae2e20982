/**
 * An embedded PostgreSQL server: programs from npm, data below CROSSRAMP_HOME, shared by all processes that use the same
 * home.
 *
 * Each process holds a lease: an open connection with a shared advisory lock, which ends with the process. When the server
 * dies, the lease holders restart it. The process that releases the last lease stops the server. Starting, attaching and
 * stopping happen one at a time, under a lock in home.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type HomeCluster, openCluster, openHome } from './embedded-home.ts';
import { EmbeddedPostgresError, findPackage, prepareBinaries } from './postgres-binaries.ts';
import {
  type Cluster,
  type Connection,
  connectToRunning,
  createData,
  GATEWAY,
  hasData,
  isAlive,
  OWNER,
  startServer,
  stopServer,
  trimLog,
} from './postgres-server.ts';

export { EmbeddedPostgresError };

/** Key of the advisory lock, in the database `postgres`, that every lease holds in shared mode. */
const LEASE_KEY = 0x63726f7373;
/** Time limit of the lock: above the longest time of a holder, which is initdb, a start and a stop. Unit: ms. */
const LOCK_TIMEOUT_MS = 300_000;
const LOCK_POLL_MS = 15;
const LOG_CHECK_MS = 3_600_000;
/** Pause between two attempts to restart a server that died. Unit: ms. */
const REVIVE_PAUSE_MS = 1_000;

/** A lease on a running server. */
export interface EmbeddedPostgres {
  /**
   * Connection URL of the database `crossramp` as its owner: `postgres://crossramp:…@127.0.0.1:port/crossramp`. The
   * port changes when the server is restarted after its death.
   */
  readonly url: string;
  /** The same database for the gateway's login, which cannot become the owner: `postgres://crossramp_gateway:…`. */
  readonly gatewayUrl: string;
  /**
   * Releases the lease. The last holder stops the server, disconnecting every client, and resolves once it is down.
   * Idempotent: later calls return the same promise.
   *
   * @throws {EmbeddedPostgresError} when the server cannot be reached or stopped.
   */
  release(): Promise<void>;
}

/**
 * Attaches to the PostgreSQL 18 server of a home folder; creates and starts it first if necessary.
 *
 * May be called from several processes, and several times in one; each call has its own lease. A lease does not keep
 * the process alive, and ends with it; a server without leases runs on until the next holder releases. As root, the
 * server runs as the owner of its data, otherwise as `postgres` or `nobody`.
 * @param options.home - folder for data (`postgres/`), password (`postgres.json`) and log (`postgres.log`); created if
 * missing. If the server's user cannot enter it, the data lies below /var/lib/crossramp or the temporary folder.
 * @param options.settings - server settings by name, over the defaults; used only for a start, not when attaching.
 * `fsync: 'off'` also creates the data without flushing to disk.
 * @param options.signal - ends the wait for another process of this home, with an `AbortError`.
 * @param options.report - receives a line before each part of a creation, which takes seconds.
 * @throws {EmbeddedPostgresError} when there are no programs for this platform, home cannot be used, or the server
 * cannot be created, started or reached.
 */
export async function acquireEmbeddedPostgres(options: {
  home: string;
  settings?: Record<string, string>;
  signal?: AbortSignal | undefined;
  report?: ((line: string) => void) | undefined;
}): Promise<EmbeddedPostgres> {
  const { settings = {}, report } = options;
  return inHome(options.home, async () => {
    const home = await openHome(options.home);
    const attach = async () => {
      const cluster = await openCluster(home);
      await trimLog(cluster.logFile);
      const connection = (await connectToRunning(cluster)) ?? (await start(cluster, settings, report));
      return lease(home, cluster, settings, connection);
    };
    return withHomeLock(home, attach, options.signal);
  });
}

async function inHome<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    const { name, message, code = '' } = error as NodeJS.ErrnoException;
    if (name === 'AbortError') throw error;
    const isForbidden = ['EACCES', 'EPERM', 'EROFS'].includes(code);
    const advice = isForbidden ? ': set CROSSRAMP_HOME to a folder that this user can write to' : '';
    throw new EmbeddedPostgresError(`embedded PostgreSQL in ${home}: ${message}${advice}`, { cause: error });
  }
}

async function start(
  cluster: Cluster,
  settings: Record<string, string>,
  report?: (line: string) => void,
): Promise<Connection> {
  const isNew = !hasData(cluster.dataFolder);
  if (isNew) report?.('Creating the embedded database …');
  const binaries = await prepareBinaries(await findPackage(), cluster.folder, cluster.user);
  if (isNew) {
    await createData(cluster, binaries, settings.fsync !== 'off');
    report?.('Starting the embedded database …');
  }
  return startServer(cluster, binaries, settings);
}

async function lease(
  home: string,
  cluster: HomeCluster,
  settings: Record<string, string>,
  connection: Connection,
): Promise<EmbeddedPostgres> {
  let held = connection;
  let released: Promise<void> | undefined;
  /** Restarts a server that died, unless another process was faster; then that server is used. */
  const bringBack = async (): Promise<void> => {
    while (!released) {
      try {
        await withHomeLock(home, async () => {
          if (released) return;
          held = await claim((await connectToRunning(cluster)) ?? (await start(cluster, settings)));
        });
        return;
      } catch {
        await delay(REVIVE_PAUSE_MS, undefined, { ref: false });
      }
    }
  };
  const claim = async (fresh: Connection): Promise<Connection> => {
    await holdLease(fresh, cluster.gatewayPassword);
    fresh.client.once('end', bringBack);
    return fresh;
  };
  await claim(connection);
  const urlOf = (user: string, password: string) =>
    `postgres://${user}:${password}@127.0.0.1:${held.port}/${OWNER}`;
  const logCheck = setInterval(() => trimLog(cluster.logFile), LOG_CHECK_MS).unref();
  return {
    get url() {
      return urlOf(OWNER, cluster.password);
    },
    get gatewayUrl() {
      return urlOf(GATEWAY, cluster.gatewayPassword);
    },
    release() {
      clearInterval(logCheck);
      released ??= inHome(home, () => withHomeLock(home, () => giveUp(cluster, held)));
      return released;
    },
  };
}

/** Also creates the database and the gateway's login, if an earlier version or an interrupted start has not. */
async function holdLease({ client, socket }: Connection, gatewayPassword: string): Promise<void> {
  try {
    await client.query(`select pg_advisory_lock_shared(${LEASE_KEY})`);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [OWNER]);
    if (rowCount === 0) await client.query(`create database ${OWNER}`);
    const { rowCount: logins } = await client.query('select from pg_roles where rolname = $1', [GATEWAY]);
    if (logins === 0) await client.query(`create role ${GATEWAY}`);
    // The password file is authoritative, also after a restore. base64url needs no quoting.
    await client.query(
      `alter role ${GATEWAY} login nosuperuser nocreaterole nocreatedb password '${gatewayPassword}'`,
    );
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.unref();
}

async function giveUp(cluster: Cluster, { client, socket }: Connection): Promise<void> {
  socket.ref();
  // A lease lost with its connection, as in a crash of the server, is already released.
  await client.query(`select pg_advisory_unlock_shared(${LEASE_KEY})`).catch(() => {});
  await client.end();
  const running = await connectToRunning(cluster);
  if (!running) return;
  const { rows } = await running.client.query(`select pg_try_advisory_lock(${LEASE_KEY}) as is_last`);
  await running.client.end();
  if (!rows[0].is_last) return;
  await stopServer(cluster, await prepareBinaries(await findPackage(), cluster.folder, cluster.user));
}

/**
 * Runs `work` under the lock of the home, which excludes other processes and other calls in this one.
 *
 * The lock is a folder that holds one file named for its owner. A process acquires it by renaming a prepared folder
 * onto it, which fails while it holds a file; the file of an ended owner is removed by its unique name. Two processes
 * that find the same dead owner therefore cannot remove each other's lock, as they could with a lock file of one name.
 * @param signal - ends the wait for other processes.
 */
export async function withHomeLock<T>(
  home: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const lock = join(home, 'postgres.lock');
  const owner = `${thisProcess()}-${randomBytes(6).toString('hex')}`;
  const prepared = `${lock}.${owner}`;
  await mkdir(prepared);
  try {
    await writeFile(join(prepared, owner), '');
    await acquireLock(home, lock, prepared, signal);
    return await work();
  } finally {
    await rm(prepared, { recursive: true, force: true });
    await rm(join(lock, owner), { force: true });
    await rmdir(lock).catch(() => {});
  }
}

async function acquireLock(
  home: string,
  lock: string,
  prepared: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    await removeEndedOwners(home, lock);
    try {
      return await rename(prepared, lock);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(code)) throw error;
    }
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(`another process has held ${lock} for five minutes`);
    }
    await delay(LOCK_POLL_MS, undefined, { signal });
  }
}

async function removeEndedOwners(home: string, lock: string): Promise<void> {
  const prefix = `${lock}.`;
  const waiting = (await readdir(home)).map((name) => join(home, name)).filter((it) => it.startsWith(prefix));
  for (const path of waiting) {
    if (hasEnded(path.slice(prefix.length))) await rm(path, { recursive: true, force: true });
  }
  for (const owner of await readdir(lock).catch(() => [])) {
    if (hasEnded(owner)) await rm(join(lock, owner), { force: true });
  }
  // Windows does not rename onto an empty folder; a folder with an owner stays.
  await rmdir(lock).catch(() => {});
}

/** @returns text that identifies this process, and no later one with the same id. */
export function thisProcess(): string {
  return `${process.pid}-${startOf(process.pid)}`;
}

/** @param owner - a text from `thisProcess` of any process of this machine. */
export function hasEnded(owner: string): boolean {
  const [pid = '', start] = owner.split('-');
  if (!isAlive(Number(pid))) return true;
  const current = startOf(Number(pid));
  return current !== '' && current !== start;
}

/**
 * Start time of a process, which together with its pid identifies one process only. The text is empty without /proc.
 */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the name in brackets is followed by the fields from 3, the state, on; 22 is the start time.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

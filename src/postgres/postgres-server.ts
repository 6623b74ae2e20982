/**
 * One PostgreSQL cluster on this machine: creating its data folder, starting its server, reaching a running one and
 * stopping it. Callers of these functions hold the lock of the cluster.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import {
  chown,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { EmbeddedPostgresError, problem, run, type SystemUser, spawnAs } from './postgres-binaries.ts';
import { archiveSettings } from './wal-archive.ts';

/**
 * Time limit of a start: after a crash it replays the write-ahead log, which may take long on a slow disk. Unit: ms.
 */
const START_TIMEOUT_MS = 120_000;
/** Interval of polls of a server that is starting or stopping. Unit: ms. */
const POLL_MS = 15;
const MIB = 1024 * 1024;
const LOG_LIMIT_BYTES = 8 * MIB;
/** Transient failures to start: a port in use, children of a killed server, a server whose starter was killed. */
const PASSING_FAILURE =
  /could not create any TCP\/IP sockets|pre-existing shared memory block|"postmaster\.pid" already exists/;

/** Error codes of a connection to a server that is starting or going down. */
const NOT_READY = ['57P01', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** The role that migrates, superuser of the embedded cluster, and its database. */
export const OWNER = 'crossramp';
/** The login of the gateway: it owns nothing, and has only the migrations' restricted role. */
export const GATEWAY = 'crossramp_gateway';

/** Location of one cluster. All paths are real and absolute. */
export interface Cluster {
  /** Folder that holds the data folder; the server's user can enter it. */
  readonly folder: string;
  /** Belongs to the server's user; absent until `createData`. */
  readonly dataFolder: string;
  readonly logFile: string;
  /** Password of the owner. */
  readonly password: string;
  readonly user: SystemUser;
}

/** An open connection to the maintenance database, as the owner, with the socket under it. */
export interface Connection {
  readonly client: Client;
  readonly socket: Socket;
  /** TCP port of the server on 127.0.0.1. */
  readonly port: number;
}

/** Returns whether a data folder has been created. */
export function hasData(dataFolder: string): boolean {
  return existsSync(join(dataFolder, 'PG_VERSION'));
}

/**
 * Creates the data folder: UTF-8, the locale `C.UTF-8` of PostgreSQL itself (so the system's locales do not matter),
 * SCRAM passwords, the owner as superuser. The folder appears only when it is complete.
 * @param isDurable - false skips flushing to disk, for a temporary cluster.
 * @throws {EmbeddedPostgresError} when initdb fails.
 */
export async function createData(cluster: Cluster, binaries: string, isDurable: boolean): Promise<void> {
  // The name is new each time, because an initdb that outlived its killed parent may still be writing into an older
  // draft.
  const prefix = 'postgres.draft-';
  for (const name of await readdir(cluster.folder)) {
    if (name.startsWith(prefix)) await removeFolder(join(cluster.folder, name));
  }
  const draft = await mkdtemp(join(cluster.folder, prefix));
  try {
    await initialise(cluster, binaries, draft, isDurable);
    await rename(join(draft, 'data'), cluster.dataFolder);
  } finally {
    await removeFolder(draft);
  }
}

async function initialise(
  cluster: Cluster,
  binaries: string,
  draft: string,
  isDurable: boolean,
): Promise<void> {
  const { password, user } = cluster;
  const passwordFile = join(draft, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [draft, passwordFile]) await chown(path, user.uid, user.gid);
  const args = ['-D', join(draft, 'data'), ...(isDurable ? [] : ['--no-sync'])];
  args.push('--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C');
  args.push('--auth=scram-sha-256', `--username=${OWNER}`, `--pwfile=${passwordFile}`);
  const { ok, output } = await run(join(binaries, 'initdb'), args, draft, user);
  if (!ok) throw new EmbeddedPostgresError(`initdb failed: ${problem(output)}`);
}

/** Removes a folder and its contents, if there is one. */
export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Connects to the cluster's running server, whoever started it; waits for a starting one, and for the end of a stopping one.
 *
 * @returns undefined when no server runs.
 * @throws {EmbeddedPostgresError} when a server runs but refuses the connection, or is not ready in two
 *   minutes.
 */
export async function connectToRunning(cluster: Cluster): Promise<Connection | undefined> {
  const pid = readPostmaster(cluster.dataFolder)?.pid;
  if (pid === undefined) return undefined;
  return connectWhenReady(cluster, pid, () => isServer(pid, cluster.dataFolder));
}

/**
 * Starts the cluster's server on a free port of 127.0.0.1, in a session of its own, and connects to it. The server
 * outlives this process. No server of this cluster may be running.
 * @param settings - server settings by name, over the defaults.
 * @param pickPort - returns a port that is probably free; called again if the port has been used meanwhile.
 * @param timeoutMs - time limit until the server is ready.
 * @throws {EmbeddedPostgresError} with the lines of the server's log that describe the error.
 */
export async function startServer(
  cluster: Cluster,
  binaries: string,
  settings: Record<string, string>,
  pickPort: () => Promise<number> = freePort,
  timeoutMs: number = START_TIMEOUT_MS,
): Promise<Connection> {
  await removeStalePidFile(cluster.dataFolder);
  await trimLog(cluster.logFile);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const log = await open(cluster.logFile, 'a+', 0o600);
    try {
      const { size } = await log.stat();
      const args = serverArguments(cluster, await pickPort(), settings);
      const server = { program: join(binaries, 'postgres'), args, log: log.fd, timeoutMs };
      const connection = await launch(cluster, server);
      if (connection) return await obeyArchiveTimeout(connection);
      const text = (await readFile(cluster.logFile)).subarray(size).toString();
      if (!PASSING_FAILURE.test(text) || performance.now() > deadline) {
        throw new EmbeddedPostgresError(`PostgreSQL did not start: ${problem(text)}`);
      }
    } finally {
      await log.close();
    }
    const running = await connectToRunning(cluster);
    if (running) return running;
    await delay(POLL_MS);
  }
}

/**
 * The checkpointer of PostgreSQL reads `archive_timeout` when it is woken. It goes to sleep while the server recovers, so
 * without this the first change after a start would be archived after `checkpoint_timeout`, five minutes.
 */
async function obeyArchiveTimeout(connection: Connection): Promise<Connection> {
  await connection.client.query('select pg_reload_conf()');
  return connection;
}

/** @returns undefined when the server ended before it was ready. */
async function launch(
  cluster: Cluster,
  {
    program,
    args,
    log,
    timeoutMs,
  }: {
    readonly program: string;
    readonly args: string[];
    readonly log: number;
    readonly timeoutMs: number;
  },
): Promise<Connection | undefined> {
  const child = spawnAs(program, args, cluster.folder, cluster.user, { stdio: ['ignore', log, log] });
  // Without a listener a failing spawn would end the gateway; the loop below treats it as an ended server.
  child.on('error', () => {});
  child.unref();
  const isUp = () => child.exitCode === null && child.signalCode === null;
  return connectWhenReady(cluster, child.pid ?? 0, isUp, timeoutMs);
}

/**
 * Shuts the cluster's server down, disconnecting all its clients, and resolves when it is down.
 * @param mode - `immediate` ends the server like a crash.
 * @throws {EmbeddedPostgresError} when it is not down within two minutes.
 */
export async function stopServer(
  cluster: Cluster,
  binaries: string,
  mode: 'fast' | 'immediate' = 'fast',
): Promise<void> {
  const args = ['stop', '-D', cluster.dataFolder, '-m', mode, '-w', '-t', '100'];
  const { ok, output } = await run(join(binaries, 'pg_ctl'), args, cluster.folder, cluster.user);
  if (!ok) throw new EmbeddedPostgresError(`PostgreSQL did not stop: ${problem(output)}`);
}

/**
 * Empties the server's log when it is over 8 MiB. A running server may be writing to it: it appends, so it continues at the
 * new end. A log that is missing or belongs to another user stays as it is.
 */
export async function trimLog(logFile: string): Promise<void> {
  try {
    if ((await stat(logFile)).size > LOG_LIMIT_BYTES) await truncate(logFile);
  } catch {
    // A failure to shorten the log does not matter.
  }
}

/** Content of the server's lock file `postmaster.pid`. */
interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

function readPostmaster(dataFolder: string): Postmaster | undefined {
  const path = join(dataFolder, 'postmaster.pid');
  if (!existsSync(path)) return undefined;
  // PostgreSQL, src/include/utils/pidfile.h: line 1 pid, 4 port, 8 status.
  const lines = readFileSync(path, 'utf8').split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/** @returns whether a server of this data folder runs, ready or not. */
export function isRunning(dataFolder: string): boolean {
  const pid = readPostmaster(dataFolder)?.pid;
  return pid !== undefined && isServer(pid, dataFolder);
}

/** The pid alone proves nothing: after a crash or a reboot another process may have the same one. */
function isServer(pid: number, dataFolder: string): boolean {
  if (!isAlive(pid)) return false;
  // Windows shows no command lines; there, PostgreSQL itself recognises a reused pid.
  return process.platform === 'win32' || commandLine(pid).includes(dataFolder);
}

/** Returns whether a process of any user has this pid. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

/**
 * PostgreSQL refuses to start while the pid in its lock file is alive, even if another process has it now. For a dead
 * pid the file stays: PostgreSQL then also checks that no child of the old server is left.
 */
async function removeStalePidFile(dataFolder: string): Promise<void> {
  const left = readPostmaster(dataFolder);
  if (!left || !isAlive(left.pid) || isServer(left.pid, dataFolder)) return;
  await rm(join(dataFolder, 'postmaster.pid'), { force: true });
}

async function connectWhenReady(
  cluster: Cluster,
  pid: number,
  isUp: () => boolean,
  timeoutMs: number = START_TIMEOUT_MS,
): Promise<Connection | undefined> {
  const deadline = performance.now() + timeoutMs;
  while (isUp()) {
    const postmaster = readPostmaster(cluster.dataFolder);
    if (postmaster?.isReady && postmaster.pid === pid) {
      const connection = await connect(postmaster.port, cluster.password);
      if (connection) return connection;
    }
    if (performance.now() > deadline) {
      const seconds = Math.round(timeoutMs / 1_000);
      throw new EmbeddedPostgresError(`PostgreSQL was not ready in ${seconds} s: see ${cluster.logFile}`);
    }
    await delay(POLL_MS);
  }
  return undefined;
}

/** @returns undefined if the server is not ready: it stopped, or restarts after a crash. */
async function connect(port: number, password: string): Promise<Connection | undefined> {
  const socket = new Socket();
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: OWNER,
    password,
    database: 'postgres',
    ssl: false,
    application_name: 'crossramp lease',
    connectionTimeoutMillis: 10_000,
    stream: () => socket,
  });
  // The server may disconnect at any time, which would end the gateway without a listener.
  client.on('error', () => {});
  try {
    await client.connect();
    return { client, socket, port };
  } catch (error) {
    socket.destroy();
    const { code, message } = error as NodeJS.ErrnoException;
    // An error without a code means that the connection broke or timed out.
    if (code === undefined || NOT_READY.includes(code)) return undefined;
    throw new EmbeddedPostgresError(`PostgreSQL on port ${port} refused the connection: ${message}`, {
      cause: error,
    });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function serverArguments(
  { folder, dataFolder }: Cluster,
  port: number,
  settings: Record<string, string>,
): string[] {
  const all = {
    ...defaultSettings(),
    ...archiveSettings(folder),
    ...settings,
    listen_addresses: '127.0.0.1',
    port,
    // Socket paths are limited to 107 bytes; a home may lie deeper.
    unix_socket_directories: '',
  };
  return ['-D', dataFolder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function defaultSettings(): Record<string, string> {
  // A container's limit, if any, replaces the machine's memory.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return {
    shared_buffers: `${Math.max(16, Math.min(256, Math.floor(memory / 16 / MIB)))}MB`,
    max_connections: '100',
    synchronous_commit: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    idle_in_transaction_session_timeout: '15s',
  };
}

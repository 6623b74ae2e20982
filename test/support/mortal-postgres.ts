/** A PostgreSQL server of its own, set up as in production, that dies as in a crash and comes back at the same address. */
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { acquireEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import {
  type BinariesPackage,
  findPackage,
  prepareBinaries,
  run,
} from '../../src/postgres/postgres-binaries.ts';
import { type Cluster, OWNER, startServer, stopServer } from '../../src/postgres/postgres-server.ts';
import { freePort } from './free-port.ts';
import { newHome } from './home.ts';

/** A server that can be killed. */
export interface MortalPostgres {
  /** The same after every start. */
  readonly url: string;
  /** Ends all its processes with SIGKILL. */
  readonly kill: () => void;
  /** Stops all its processes with SIGSTOP: they live, and do nothing. */
  readonly pause: () => void;
  /** Lets them go on. */
  readonly resume: () => void;
  /** @returns how many processes it has: those of connections, whether they have logged in or not, and those of its own. */
  readonly countProcesses: () => number;
  /** Starts it again and waits until it has recovered. */
  readonly start: () => Promise<void>;
  /** Copies its data as they are, and goes on. @returns what goes back to that copy, as after the restore of a backup. */
  readonly backUp: () => Promise<() => Promise<void>>;
  /** Stops it and removes its data. */
  readonly remove: () => Promise<void>;
}

/** Programs of an older version, where `npm ci` has installed them in `test/postgres-versions`. */
export function findOlderPostgres(version: string): BinariesPackage | undefined {
  try {
    const require = createRequire(new URL('../postgres-versions/package.json', import.meta.url));
    return { folder: dirname(dirname(require.resolve(`postgres-${version}`))), version };
  } catch {
    return undefined;
  }
}

/**
 * @param older - programs of an older version than the gateway's own.
 * @param settings - of the server. @default as in production: nothing is set for speed
 * @returns a new server with an empty database.
 */
export async function startMortalPostgres(
  older?: BinariesPackage,
  settings: Record<string, string> = {},
): Promise<MortalPostgres> {
  const place = newHome();
  const created = await acquireEmbeddedPostgres({ home: place.home });
  await created.release();
  const url = new URL(created.url);
  const port = await freePort();
  url.port = String(port);
  const dataFolder = join(place.home, 'postgres');
  const { uid, gid } = statSync(dataFolder);
  const cluster: Cluster = {
    folder: place.home,
    dataFolder,
    logFile: join(place.home, 'postgres.log'),
    password: url.password,
    user: process.getuid?.() === 0 ? { uid, gid } : undefined,
  };
  const binaries = await prepareBinaries(older ?? (await findPackage()), cluster.folder, cluster.user);
  if (older) await createAnew(cluster, binaries);
  const start = async () => {
    const { client } = await startServer(cluster, binaries, settings, async () => port);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [OWNER]);
    if (rowCount === 0) await client.query(`create database ${OWNER}`);
    await client.end();
  };
  await start();
  return {
    url: url.href,
    kill: () => killAll(dataFolder),
    pause: () => signalAll(dataFolder, 'SIGSTOP'),
    resume: () => signalAll(dataFolder, 'SIGCONT'),
    countProcesses: () => childrenOf(postmasterOf(dataFolder)).length,
    start,
    backUp: async () => {
      const copy = join(place.home, 'backup');
      const put = (from: string, to: string) => {
        killAll(dataFolder);
        rmSync(to, { recursive: true, force: true });
        execFileSync('cp', ['-a', from, to]);
        rmSync(join(to, 'postmaster.pid'), { force: true });
        return start();
      };
      await put(dataFolder, copy);
      return () => put(copy, dataFolder);
    },
    remove: async () => {
      if (isAlive(dataFolder)) await stopServer(cluster, binaries);
      place.remove();
    },
  };
}

/** In place of the data of the gateway's own version: without the locale provider that older ones do not have. */
async function createAnew(cluster: Cluster, binaries: string): Promise<void> {
  const { dataFolder, folder: place, password, user } = cluster;
  rmSync(dataFolder, { recursive: true });
  mkdirSync(dataFolder, { mode: 0o700 });
  const passwordFile = join(place, 'password');
  writeFileSync(passwordFile, password);
  if (user) for (const path of [dataFolder, passwordFile]) chownSync(path, user.uid, user.gid);
  const args = ['-D', dataFolder, '--encoding=UTF8', '--locale=C', '--auth=scram-sha-256'];
  const { ok, output } = await run(
    join(binaries, 'initdb'),
    [...args, `--username=${OWNER}`, `--pwfile=${passwordFile}`],
    place,
    user,
  );
  if (!ok) throw new Error(output);
}

/** The first process is held meanwhile, so that it starts no others. */
function killAll(dataFolder: string): void {
  signalAll(dataFolder, 'SIGSTOP');
  signalAll(dataFolder, 'SIGKILL');
}

/** Sends a signal to all processes of the server of a folder; SIGKILL holds the first one meanwhile, so that it starts no others. */
export function signalServer(dataFolder: string, signal: NodeJS.Signals): void {
  if (signal === 'SIGKILL') killAll(dataFolder);
  else signalAll(dataFolder, signal);
}

function signalAll(dataFolder: string, signal: NodeJS.Signals): void {
  const lockFile = join(dataFolder, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const postmaster = postmasterOf(dataFolder);
  const isStopping = signal === 'SIGSTOP';
  if (isStopping) signalOne(postmaster, signal);
  for (const pid of childrenOf(postmaster)) signalOne(pid, signal);
  if (!isStopping) signalOne(postmaster, signal);
}

/** Whether the server of a folder has a process. */
function isAlive(dataFolder: string): boolean {
  return (
    existsSync(join(dataFolder, 'postmaster.pid')) && parentOf(String(postmasterOf(dataFolder))) !== undefined
  );
}

function postmasterOf(dataFolder: string): number {
  return Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === parent)
    .map(Number);
}

/** @returns nothing of a process that ended meanwhile. */
function parentOf(pid: string): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the name in brackets may hold anything; the state follows, then the parent.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** A backend may end between the look at it and the signal. */
function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

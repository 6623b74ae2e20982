/** A PostgreSQL server of its own, set up as in production, that dies as in a crash and comes back at the same address. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { acquireEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { findPackage, prepareBinaries } from '../../src/store/postgres-binaries.ts';
import { type Cluster, startServer, stopServer } from '../../src/store/postgres-server.ts';
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
  /** Starts it again and waits until it has recovered. */
  readonly start: () => Promise<void>;
  /** Stops it and removes its data. */
  readonly remove: () => Promise<void>;
}

/** @returns a new server with an empty database; nothing of it is set for speed. */
export async function startMortalPostgres(): Promise<MortalPostgres> {
  const place = newHome();
  const created = await acquireEmbeddedPostgres({ home: place.home });
  await created.release();
  const url = new URL(created.url);
  const port = await freePort();
  url.port = String(port);
  const dataFolder = join(place.home, 'postgres');
  const { uid, gid } = statSync(dataFolder);
  const cluster: Cluster = {
    place: place.home,
    dataFolder,
    logFile: join(place.home, 'postgres.log'),
    password: url.password,
    user: process.getuid?.() === 0 ? { uid, gid } : undefined,
  };
  const binaries = await prepareBinaries(await findPackage(), cluster.place, cluster.user);
  const start = async () => {
    const { client } = await startServer(cluster, binaries, {}, async () => port);
    await client.end();
  };
  await start();
  return {
    url: url.href,
    kill: () => killAll(dataFolder),
    pause: () => signalAll(dataFolder, 'SIGSTOP'),
    resume: () => signalAll(dataFolder, 'SIGCONT'),
    start,
    remove: async () => {
      await stopServer(cluster, binaries);
      place.remove();
    },
  };
}

/** The first process is held meanwhile, so that it starts no others. */
function killAll(dataFolder: string): void {
  signalAll(dataFolder, 'SIGSTOP');
  signalAll(dataFolder, 'SIGKILL');
}

function signalAll(dataFolder: string, signal: NodeJS.Signals): void {
  const lockFile = join(dataFolder, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const postmaster = Number(readFileSync(lockFile, 'utf8').split('\n')[0]);
  const isStopping = signal === 'SIGSTOP';
  if (isStopping) process.kill(postmaster, signal);
  for (const pid of childrenOf(postmaster)) process.kill(pid, signal);
  if (!isStopping) process.kill(postmaster, signal);
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

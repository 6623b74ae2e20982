/** Starts the servers that are compared, each a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';

/** A running server. */
export interface Rival {
  readonly name: ServerName;
  readonly pid: number;
  readonly port: number;
}

const PROGRAMS = {
  gateway: { file: 'gateway.ts', env: { ANSWERS_MAX_MB: '0' } },
  'gateway, unchanged': { file: 'gateway.ts', env: {} },
  'hand-written': { file: 'hand-written.ts', env: {} },
  'hand-written, pipelined': { file: 'hand-written.ts', env: { BENCH_PIPELINE: '1' } },
  PostGraphile: { file: 'postgraphile.ts', env: { GRAPHILE_ENV: 'production' } },
  Mercurius: { file: 'mercurius.ts', env: {} },
  Yoga: { file: 'yoga.ts', env: {} },
} as const;

/** Which server. */
export type ServerName = keyof typeof PROGRAMS;
const START_TIMEOUT_MS = 60_000;
/**
 * Each waits while the others have their turns. After eight idle seconds V8's memory reducer drops compiled code, and the next turn measures
 * how it is compiled again. So it is off for all of them.
 */
const AS_UNDER_LOAD = '--no-memory-reducer';

/** Starts these servers together, runs the work, and ends them whatever happens. */
export async function withRivals<Result>(
  names: readonly ServerName[],
  databaseUrl: string,
  work: (rivals: ReadonlyMap<ServerName, Rival>) => Promise<Result>,
): Promise<Result> {
  const children: ChildProcess[] = [];
  try {
    const rivals = await Promise.all(
      names.map((name) => {
        const child = start(name, databaseUrl);
        children.push(child);
        return ready(name, child);
      }),
    );
    return await work(new Map(rivals.map((rival) => [rival.name, rival])));
  } finally {
    await Promise.all(children.map(end));
  }
}

function start(name: ServerName, databaseUrl: string): ChildProcess {
  const { file, env } = PROGRAMS[name];
  return fork(new URL(`servers/${file}`, import.meta.url), {
    env: { ...process.env, NODE_ENV: 'production', ...env, BENCH_DATABASE_URL: databaseUrl },
    execArgv: ['--disable-warning=ExperimentalWarning', AS_UNDER_LOAD, ...profiling(name)],
    // What PostGraphile notes about columns that it leaves out is of no account, unless it does not start.
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
}

/** `BENCH_PROFILE=gateway` leaves a CPU profile of that server in the working directory. */
function profiling(name: ServerName): string[] {
  return process.env.BENCH_PROFILE === name ? ['--cpu-prof'] : [];
}

async function ready(name: ServerName, child: ChildProcess): Promise<Rival> {
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4_000);
  });
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not start in time`)), START_TIMEOUT_MS);
    child.once('message', (message: { port: number }) => {
      clearTimeout(timer);
      resolve(message.port);
    });
    child.once('exit', () => {
      clearTimeout(timer);
      reject(new Error(`${name} ended\n${complaints}`));
    });
  });
  return { name, pid: child.pid as number, port };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(timer);
}

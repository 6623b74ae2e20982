/** The posting function called by pgbench, where that is installed: a client that costs next to nothing. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AMOUNT, AVAILABLE, CUSTODY } from './books.ts';
import { clusterCpu, endedChildrenCpu } from './cpu.ts';
import type { Run, Stage } from './load.ts';

const CLIENTS = 8;
const SETTLE_MS = 700;
const SCRIPT = `\\set account random(:first, :last)
select code, journal_id from ledger_post(array[:account]::bigint[], array[gen_random_uuid()::text], array['\\x00'::bytea],
  array['adjustment'], array[null]::bigint[], now(), array[1, 1], array[${CUSTODY}, ${AVAILABLE}]::bigint[],
  array[-${AMOUNT}, ${AMOUNT}]::numeric[]) order by ix;
`;

/** @returns the version of pgbench on the PATH, or undefined. */
export function pgbenchVersion(): string | undefined {
  const { status, stdout } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** @returns the run, and how many journals were posted in all. */
export async function runPgbench(
  stage: Stage,
  accounts: readonly bigint[],
): Promise<{ run: Run; journals: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'crossramp-pgbench-'));
  try {
    await writeFile(join(folder, 'post.sql'), SCRIPT);
    const clientBefore = endedChildrenCpu();
    const ending = start(stage, folder, accounts);
    await delay(SETTLE_MS);
    const before = { postgres: clusterCpu(stage.postmaster), at: Date.now() };
    await delay(stage.seconds * 1_000);
    const postgres = clusterCpu(stage.postmaster) - before.postgres;
    const until = Date.now();
    await ending;
    const calls = await readLog(folder);
    const times = calls.filter(({ at }) => at > before.at && at <= until).map(({ ms }) => ms);
    const run = {
      done: times.length,
      seconds: (until - before.at) / 1_000,
      nodeUs: (endedChildrenCpu() - clientBefore) / calls.length,
      postgresUs: postgres / times.length,
      times,
    };
    return { run, journals: calls.length };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function start({ url, seconds }: Stage, folder: string, accounts: readonly bigint[]): Promise<void> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const time = Math.ceil(seconds + (2 * SETTLE_MS) / 1_000);
  const ids = [`--define=first=${accounts[0]}`, `--define=last=${accounts.at(-1)}`];
  const files = ['--file=post.sql', '--log', '--log-prefix=calls'];
  const load = ['--no-vacuum', '--protocol=prepared', `--client=${CLIENTS}`, `--time=${time}`];
  const child = spawn('pgbench', [...load, ...ids, ...files, pathname.slice(1)], {
    cwd: folder,
    env: {
      ...process.env,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: decodeURIComponent(password),
      PGOPTIONS: '-c role=crossramp_app',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`pgbench ended with ${code}\n${complaints}`)),
    );
  });
}

/** Lines of `client transaction µs script seconds microseconds`. */
async function readLog(folder: string): Promise<{ at: number; ms: number }[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('calls'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const fields = line.split(' ').map(Number) as [number, number, number, number, number, number];
      return { at: fields[4] * 1_000 + fields[5] / 1_000, ms: fields[2] / 1_000 };
    });
}

/**
 * How long `crossramp import` takes for histories of several sizes, and how much memory it needs. The database has the
 * statistics of another account, as it has in practice: the planner knows nothing of the account that is filled.
 *
 * `npm run import -- --sizes 2000,8000,50000,200000`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { machine } from './cpu.ts';
import { withWriteServer } from './environment.ts';
import { type Goal, goal, publish } from './report.ts';
import { count, ratio } from './table.ts';

const EXAMPLE = readFileSync(new URL('../docs/examples/history.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
const CLI = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const FIRST_MS = Date.parse('2025-01-01T00:00:00Z');
const STEP_MS = 60_000;
/** A command that takes longer is stopped. */
const GIVE_UP_MS = 15 * 60_000;

/** Writes records, half of them transactions and half entries of one sub-account, a minute apart. */
async function writeHistory(path: string, records: number): Promise<void> {
  const onramp = EXAMPLE.find((each) => each.template === 'onramp');
  const entry = EXAMPLE.find((each) => each.type === 'statement_entry');
  const file = createWriteStream(path);
  for (let n = 1; n <= records / 2; n++) {
    const date = new Date(FIRST_MS + n * STEP_MS).toISOString();
    const end2end = `CRX${String(n).padStart(26, '0')}`;
    const lines = [
      { ...onramp, end2end, created_at: date, updated_at: date },
      { ...entry, id: n, date, credit: 1, previous_balance: n - 1, balance: n, transaction: end2end },
    ];
    if (!file.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}

/** Runs the command. @returns seconds, and the most memory that the process had in MB; null when it was stopped. */
async function importTimed(
  url: string,
  accountId: bigint,
  file: string,
): Promise<{ seconds: number; megabytes: number } | null> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CLI, 'import', file, '--account', String(accountId)],
    { env: { ...process.env, DATABASE_URL: url }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  let kilobytes = 0;
  const sampler = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      kilobytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? kilobytes);
    } catch {
      // The process has ended.
    }
  }, 100);
  const guard = setTimeout(() => child.kill('SIGINT'), GIVE_UP_MS);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(sampler);
  clearTimeout(guard);
  if (code !== 0) return null;
  return { seconds: (performance.now() - started) / 1_000, megabytes: kilobytes / 1_024 };
}

/** One import; undefined where it was not done in time. */
interface Imported {
  readonly size: number;
  readonly taken: { readonly seconds: number; readonly megabytes: number } | null;
}

async function run(url: string, sizes: readonly number[]): Promise<Imported[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crossramp-import-'));
  const database = openDatabase(url, { connections: 2 });
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    const newAccount = () => createAccount(database, 'Holder', { templates: [] });
    const path = join(folder, 'history.ndjson');
    await writeHistory(path, Math.min(...sizes));
    await importTimed(url, await newAccount(), path);
    const all: Imported[] = [];
    for (const size of sizes) {
      await owner.query('analyze');
      await writeHistory(path, size);
      const taken = await importTimed(url, await newAccount(), path);
      all.push({ size, taken });
      process.stderr.write(`${rowOf({ size, taken }).join('  ')}\n`);
    }
    return all;
  } finally {
    await owner.end();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function rowOf({ size, taken }: Imported): string[] {
  const cells = taken
    ? [taken.seconds.toFixed(1), count(size / taken.seconds), count(taken.megabytes)]
    : ['not finished', '–', '–'];
  return [count(size), ...cells];
}

/** Of the longest file beside the shortest: what a record takes may not grow with the number of them. */
function growthOf(all: readonly Imported[]): Goal[] {
  const each = ({ size, taken }: Imported) => (taken ? taken.seconds / size : Number.POSITIVE_INFINITY);
  const [shortest, longest] = [all[0], all.at(-1)];
  if (!shortest || !longest || shortest === longest) return [];
  const what = `import of a record, of ${count(longest.size)} beside ${count(shortest.size)}`;
  return [goal(14, what, { most: 2 }, each(longest) / each(shortest), ratio)];
}

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '2000,8000,50000,200000' },
    check: { type: 'boolean', default: false },
  },
});
const imported = await withWriteServer({ fsync: true }, (url) =>
  run(url, values.sizes.split(',').map(Number)),
);
console.log(machine());
const headings = ['Records', 'Seconds', 'Records/s', 'Peak memory of the command, MB'];
publish(
  {
    goals: growthOf(imported),
    sections: [{ title: 'Import of a history', headings, rows: imported.map(rowOf) }],
  },
  values.check,
);

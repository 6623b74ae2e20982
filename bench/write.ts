/**
 * Double-entry posting, each line with the balance before and after, every commit flushed: one by one, by group commit,
 * by rivals and by the posting function alone, to one account and to 1,000; and whole transitions of the machines. The
 * ledger is audited after every run. Alternating rounds; medians.
 *
 * `npm run write -- --seconds 2 --rounds 3 --accounts 1,1000 [--fsync off] [--only group] [--check]`
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { audit, makeRivalTables, openBooks, type Schema } from './books.ts';
import { machine, parentOf } from './cpu.ts';
import { liftLimits, withWriteServer } from './environment.ts';
import { drive, type Run, type Stage } from './load.ts';
import { pgbenchVersion, runPgbench } from './pgbench.ts';
import { groupCommits, limits, oneByOne, type Poster } from './posters.ts';
import { runRamps, TRANSITIONS } from './ramps.ts';
import { type Goal, goal, publish, type Section } from './report.ts';
import { count, median, ratio } from './table.ts';
import { rivals } from './write-rivals.ts';

/** A way to write, on so many accounts. */
interface Way {
  readonly name: string;
  readonly schema: Schema;
  readonly run: (stage: Stage, accounts: readonly bigint[]) => Promise<{ run: Run; journals: number }>;
}

interface Cell {
  readonly way: Way;
  readonly accounts: number;
  readonly runs: Run[];
}

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly isWarmedUp: boolean;
  readonly only: string;
  /** Numbers of accounts that are posted to. */
  readonly spreads: readonly number[];
}

const SPREADS: readonly number[] = [1, 1_000];
const GOAL = 5;
const WARM_UP_SECONDS = 0.2;
const GROUP = 'group commit';

async function measureAll(url: string, options: Options): Promise<Cell[]> {
  const owner = new pg.Client({ connectionString: url, application_name: 'bench owner' });
  await owner.connect();
  try {
    const { rows } =
      await owner.query(`select pg_backend_pid() as pid, version(), current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous_commit`);
    const { pid, version, fsync, synchronous_commit } = rows[0];
    console.log(`${version.slice(0, 15)}, fsync ${fsync}, synchronous_commit ${synchronous_commit}`);
    await makeRivalTables(owner);
    const ways = waysOf().filter(({ name }) => name.includes(options.only));
    const cells = options.spreads.flatMap((accounts) =>
      ways.map((way): Cell => ({ way, accounts, runs: [] })),
    );
    const stage = { url, postmaster: parentOf(pid), seconds: options.seconds };
    // Once without counting: code is compiled, and the planner knows the tables.
    for (const cell of options.isWarmedUp ? cells : [])
      await measure(owner, { ...stage, seconds: WARM_UP_SECONDS }, cell);
    for (let round = 1; round <= options.rounds; round++) {
      await owner.query('vacuum (analyze)');
      await owner.query('checkpoint');
      // Every other round backwards: what drifts does not favour the first.
      for (const cell of round % 2 ? cells : cells.toReversed())
        cell.runs.push(await measure(owner, stage, cell));
      console.log(`round ${round} of ${options.rounds}, ${machine()}`);
    }
    return cells;
  } finally {
    await owner.end();
  }
}

function waysOf(): Way[] {
  const posters = [oneByOne, ...groupCommits, ...rivals, ...limits].map(wayOf);
  const pgbench: Way[] = pgbenchVersion()
    ? [{ name: 'limit, 1 in a call, pgbench', schema: 'public', run: runPgbench }]
    : [];
  return [...posters, ...pgbench, { name: TRANSITIONS, schema: 'public', run: runRamps }];
}

function wayOf({ name, schema, callers, entriesPerCall, open }: Poster): Way {
  return {
    name,
    schema,
    run: async (stage, accounts) => {
      const { post, close } = open(stage.url);
      let journals = 0;
      const call = async () => {
        const entries = Array.from({ length: entriesPerCall }, () => ({
          accountId: accounts[Math.floor(Math.random() * accounts.length)] as bigint,
          ref: randomUUID(),
        }));
        await post(entries);
        journals += entriesPerCall;
      };
      try {
        const run = await drive(stage, new Array(callers).fill(call), entriesPerCall);
        return { run, journals };
      } finally {
        await close();
      }
    },
  };
}

/** Every run has accounts of its own, so that an audit reads what this run wrote. */
async function measure(owner: pg.Client, stage: Stage, { way, accounts }: Cell): Promise<Run> {
  const ids = await openBooks(owner, accounts);
  await liftLimits(owner);
  await delay(150);
  const { run, journals } = await way.run(stage, ids);
  await audit(owner, way.schema, ids, journals);
  return run;
}

const perSecond = (run: Run) => run.done / run.seconds;
const perCpuSecond = (run: Run) => 1e6 / (run.nodeUs + run.postgresUs);

/** Median of the ratios of each round. */
function ratioOf(cell: Cell, base: Cell, of: (run: Run) => number): number {
  return median(cell.runs.map((run, round) => of(run) / of(base.runs[round] as Run)));
}

function find(cells: readonly Cell[], accounts: number, name: string): Cell | undefined {
  return cells.find((cell) => cell.accounts === accounts && cell.way.name === name);
}

const HEADINGS = [
  'Way',
  'Rate to one by one',
  'Per second',
  'CPU µs of each, client \\| PostgreSQL',
  'Per CPU second',
  'p50 ms',
  'p99 ms',
];
const positionOf = (accounts: number) => (accounts === 1 ? 'one account' : `${count(accounts)} accounts`);

function sectionsOf(cells: readonly Cell[]): Section[] {
  return [...new Set(cells.map(({ accounts }) => accounts))].map((accounts) => {
    const own = cells.filter((cell) => cell.accounts === accounts);
    const base = find(cells, accounts, oneByOne.name);
    return {
      title: `Journals of ${positionOf(accounts)}`,
      headings: HEADINGS,
      rows: own.map((cell) => rowOf(cell, base)),
    };
  });
}

function rowOf(cell: Cell, base: Cell | undefined): string[] {
  const of = (value: (run: Run) => number) => median(cell.runs.map(value));
  const isComparable = base && cell.way.name !== TRANSITIONS;
  return [
    cell.way.name,
    isComparable ? ratio(ratioOf(cell, base, perSecond)) : '–',
    count(of(perSecond)),
    `${count(of(({ nodeUs }) => nodeUs))} \\| ${count(of(({ postgresUs }) => postgresUs))}`,
    count(of(perCpuSecond)),
    of(({ times }) => quantile(times, 0.5)).toFixed(1),
    of(({ times }) => quantile(times, 0.99)).toFixed(1),
  ];
}

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Group commit beside the other ways, on one account and on many. */
function goalsOf(cells: readonly Cell[]): Goal[] {
  const group = find(cells, 1, GROUP);
  const base = find(cells, 1, oneByOne.name);
  if (!group || !base) return [];
  const what = 'group commit beside one by one on one account, entries a second';
  return [goal(0, what, { least: GOAL }, ratioOf(group, base, perSecond), ratio)];
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    fsync: { type: 'string', default: 'on' },
    accounts: { type: 'string', default: SPREADS.join(',') },
    cold: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
await withWriteServer({ fsync: values.fsync !== 'off' }, async (url) => {
  const cells = await measureAll(url, {
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    isWarmedUp: !values.cold,
    only: values.only,
    spreads: values.accounts.split(',').map(Number),
  });
  publish({ goals: goalsOf(cells), sections: sectionsOf(cells) }, values.check);
});

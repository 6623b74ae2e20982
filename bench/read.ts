/**
 * Reads by REST and by GraphQL beside hand-written code and PostGraphile, on the same tables: requests per CPU
 * second, and where the CPU time goes. All servers run together and are driven in turn, several rounds; medians.
 *
 * `npm run read -- --seconds 4 --rounds 3 --connections 8 --transactions 1000000 [--only Q2] [--check]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import pg from 'pg';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { openDatabase } from '../src/store/database.ts';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import { withBenchServer } from './environment.ts';
import { type Ask, type AskedAccount, type Cell, cellsOf, factsOf } from './questions.ts';
import { type Rival, type RivalName, withRivals } from './rivals.ts';
import { LARGE_SIZE, type SeededAccount, seed } from './seed.ts';
import { count, median, ratio, table } from './table.ts';

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly only: string;
}

/** One run of one cell. */
interface Sample {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
  readonly perCpuSecond: number;
}

/** A cell of one account with all that was measured. */
interface Measured extends Cell {
  readonly account: AskedAccount;
  readonly samples: Sample[];
  bytes: number;
}

const GOALS = {
  REST: { base: 'hand-written', least: 0.6 },
  GraphQL: { base: 'PostGraphile', least: 1.5 },
} as const;
const RIVALS: readonly RivalName[] = ['gateway', 'hand-written', 'hand-written, pipelined', 'PostGraphile'];
const WARM_UP_SECONDS = 2;
/** Asked beside the goals: it tells how much of a ratio comes from counting. */
const FOR_INFORMATION = / without total$/;

/** Servers and the processes that their CPU time is read from. */
interface Bench {
  readonly rivals: ReadonlyMap<RivalName, Rival>;
  readonly postmaster: number;
  readonly options: Options;
}

async function measureAll(
  url: string,
  accounts: readonly SeededAccount[],
  options: Options,
): Promise<Measured[]> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    const cells: Measured[] = [];
    for (const account of await withKeys(url, accounts)) {
      for (const cell of await cellsOf(owner, account)) {
        if (cell.question.includes(options.only)) cells.push({ ...cell, account, samples: [], bytes: 0 });
      }
    }
    const { rows } = await owner.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);
    await withRivals(RIVALS, url, (rivals) => drive({ rivals, postmaster, options }, cells));
    return cells;
  } finally {
    await owner.end();
  }
}

/** A key for each account: its text is told once only, so every run makes its own. */
async function withKeys(url: string, accounts: readonly SeededAccount[]): Promise<AskedAccount[]> {
  const database = openDatabase(url, { connections: 2 });
  try {
    return await Promise.all(
      accounts.map(async (account) => {
        const options = {
          name: 'bench',
          scopes: ['read'],
          expiresAt: null,
          allowedCidrs: [],
        } as const;
        return { ...account, apiKey: (await createKey(database, account.id, options)).apiKey };
      }),
    );
  } finally {
    await database.close();
  }
}

async function drive(bench: Bench, cells: readonly Measured[]): Promise<void> {
  await compareAnswers(bench, cells);
  for (const cell of cells) await load(bench, cell, WARM_UP_SECONDS);
  for (let round = 1; round <= bench.options.rounds; round++) {
    // Every other round backwards: what drifts does not favour the first.
    for (const cell of round % 2 ? cells : cells.toReversed()) cell.samples.push(await measure(bench, cell));
    console.log(`round ${round} of ${bench.options.rounds}, ${machine()}`);
  }
  await compareAnswers(bench, cells);
}

/**
 * Before and after: REST answers are equal to the byte, and GraphQL answers name the same records and totals.
 *
 * @throws {Error} that names the answer that differs.
 */
async function compareAnswers(bench: Bench, cells: readonly Measured[]): Promise<void> {
  for (const cell of cells) {
    const text = await sample(bench, cell);
    cell.bytes = Buffer.byteLength(text);
    const twin = cells.find(
      (other) => other.account === cell.account && other.side === 'REST' && other.question === cell.question,
    );
    if (!twin || twin === cell) continue;
    const expected = await sample(bench, twin);
    const same = cell.side === 'REST' ? text === expected : factsOf(text) === factsOf(expected);
    if (!same) {
      const excerpts = `${text.slice(0, 1_500)}\n${expected.slice(0, 1_500)}`;
      throw new Error(`${cell.side} ${cell.question} of ${cell.rival} differs\n${excerpts}`);
    }
  }
}

async function sample(bench: Bench, { rival, account, asks }: Measured): Promise<string> {
  const ask = asks[0] as Ask;
  const response = await fetch(`${urlOf(bench, rival)}${ask.path}`, {
    method: ask.method,
    headers: headersOf(account),
    ...(ask.body !== undefined && { body: ask.body }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${rival} answered ${response.status}: ${text.slice(0, 400)}`);
  return text;
}

async function measure(bench: Bench, cell: Measured): Promise<Sample> {
  await delay(150);
  const rival = bench.rivals.get(cell.rival) as Rival;
  const before = { node: processCpu(rival.pid), postgres: clusterCpu(bench.postmaster) };
  const { requests, seconds } = await load(bench, cell, bench.options.seconds);
  const nodeUs = (processCpu(rival.pid) - before.node) / requests;
  const postgresUs = (clusterCpu(bench.postmaster) - before.postgres) / requests;
  return { perSecond: requests / seconds, nodeUs, postgresUs, perCpuSecond: 1e6 / (nodeUs + postgresUs) };
}

async function load(
  bench: Bench,
  cell: Measured,
  seconds: number,
): Promise<{ requests: number; seconds: number }> {
  const result = await autocannon({
    url: urlOf(bench, cell.rival),
    connections: bench.options.connections,
    duration: seconds,
    headers: headersOf(cell.account),
    requests: cell.asks.map(({ method, path, body }) => ({
      method,
      path,
      ...(body !== undefined && { body }),
    })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${cell.rival}: ${result.non2xx} refusals, ${result.errors} errors in ${cell.question}`);
  return { requests: result.requests.total, seconds: result.duration };
}

function urlOf({ rivals }: Bench, name: RivalName): string {
  return `http://127.0.0.1:${(rivals.get(name) as Rival).port}`;
}

function headersOf(account: AskedAccount): Record<string, string> {
  return { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
}

/** Median of the ratios of each round. */
function ratioTo(base: Measured, cell: Measured): number {
  return median(
    cell.samples.map((each, round) => each.perCpuSecond / (base.samples[round] as Sample).perCpuSecond),
  );
}

function baseOf(cells: readonly Measured[], cell: Measured): Measured {
  const base = cells.find(
    (other) =>
      other.account === cell.account &&
      other.side === cell.side &&
      other.question === cell.question &&
      other.rival === GOALS[cell.side].base,
  );
  if (!base) throw new Error(`${cell.question} has nothing to be compared with`);
  return base;
}

function report(cells: readonly Measured[]): void {
  for (const account of new Set(cells.map((cell) => cell.account))) {
    for (const side of ['REST', 'GraphQL'] as const) {
      const own = cells.filter((cell) => cell.account === account && cell.side === side);
      if (own.length === 0) continue;
      console.log(`\n${side}, account of ${count(account.transactions)} transactions\n`);
      const headings = [
        'Question',
        'Server',
        `Ratio to ${GOALS[side].base}`,
        'Requests per CPU second',
        'CPU µs per request, Node \\| PostgreSQL',
        'Requests/s',
        'Bytes',
      ];
      console.log(
        table(
          headings,
          own.map((cell) => rowOf(cells, cell)),
        ),
      );
    }
  }
}

function rowOf(cells: readonly Measured[], cell: Measured): string[] {
  const of = (name: keyof Sample) => median(cell.samples.map((each) => each[name]));
  return [
    cell.question,
    cell.rival,
    ratio(ratioTo(baseOf(cells, cell), cell)),
    count(of('perCpuSecond')),
    `${count(of('nodeUs'))} \\| ${count(of('postgresUs'))}`,
    count(of('perSecond')),
    count(cell.bytes),
  ];
}

/** Prints whether the goals are met. @returns whether all are. */
function judge(cells: readonly Measured[]): boolean {
  console.log('');
  const verdicts = cells
    .filter((cell) => cell.rival === 'gateway' && !FOR_INFORMATION.test(cell.question))
    .map((cell) => {
      const { base, least } = GOALS[cell.side];
      const reached = ratioTo(baseOf(cells, cell), cell);
      const verdict = reached >= least ? 'met' : 'MISSED';
      const what = `${cell.side} ${cell.question}, ${count(cell.account.transactions)}`;
      console.log(`${verdict}: ${what}: ${ratio(reached)} x ${base}, goal ${least}`);
      return reached >= least;
    });
  return verdicts.every(Boolean);
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
    transactions: { type: 'string', default: String(LARGE_SIZE) },
    only: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
await withBenchServer(async (url) => {
  const { small, large } = await seed(url, Number(values.transactions));
  const cells = await measureAll(url, [small, large], {
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    connections: Number(values.connections),
    only: values.only,
  });
  report(cells);
  if (!judge(cells) && values.check) process.exitCode = 1;
});

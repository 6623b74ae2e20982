/**
 * Reads by REST and by GraphQL beside hand-written code and what others made, on the same tables: requests per CPU
 * second, and where the CPU time goes. All servers run together and are driven in turn, several rounds; medians.
 *
 * `npm run read -- --seconds 4 --rounds 3 --connections 8 --transactions 1000000 --accounts both [--only Q1,Q2] [--check]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import pg from 'pg';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import { withBenchServer } from './environment.ts';
import { type AskedAccount, type Cell, cellsOf, factsOf, type Prompt, type RivalName } from './questions.ts';
import { type Goal, goal, publish, type Section } from './report.ts';
import { type Rival, type ServerName, withRivals } from './rivals.ts';
import { LARGE_SIZE, type SeededAccount, SMALL_SIZE, seed } from './seed.ts';
import { count, median, ratio } from './table.ts';

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly warmUp: number;
  readonly only: readonly string[];
  /** Whether questions are asked that no goal is judged by. */
  readonly isWhole: boolean;
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
  /** ETags of the answers, of the rival that asks with them. */
  readonly tags: string[];
}

const BASE = 'hand-written';
/** Requests per CPU second, as a ratio to those of the hand-written server. */
const GOALS = { REST: 1, GraphQL: 0.9 } as const;
/** The same for answers of which nothing has changed: for Q1, and for pages. */
const UNCHANGED_GOALS = { single: 2, page: 5 } as const;
const UNCHANGED = 'gateway, unchanged';
/** Asks whether its answer is the newest one, and is told that it is. */
const KNOWING = 'gateway, 304';
const SERVERS: readonly ServerName[] = [
  'gateway',
  UNCHANGED,
  'hand-written',
  'hand-written, pipelined',
  'PostGraphile',
  'Mercurius',
  'Yoga',
];
/** Asked beside the goals: it tells how much of a ratio comes from counting. */
const FOR_INFORMATION = / without total$/;

/** Servers and the processes that their CPU time is read from. */
interface Bench {
  readonly servers: ReadonlyMap<ServerName, Rival>;
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
        if (FOR_INFORMATION.test(cell.question) && !options.isWhole) continue;
        if (options.only.some((text) => cell.question.includes(text)))
          cells.push({ ...cell, account, samples: [], bytes: 0, tags: [] });
      }
    }
    const { rows } = await owner.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);
    await withRivals(SERVERS, url, (servers) => drive({ servers, postmaster, options }, cells));
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
  for (const cell of cells) if (cell.rival === KNOWING) await learnTags(bench, cell);
  // Twice: a new question makes V8 discard code that it had optimized for the one before.
  const warmUp = bench.options.warmUp / 2;
  for (const cell of warmUp > 0 ? [...cells, ...cells] : []) await load(bench, cell, warmUp);
  for (let round = 1; round <= bench.options.rounds; round++) {
    // Every other round backwards: what drifts does not favour the first.
    for (const cell of round % 2 ? cells : cells.toReversed()) cell.samples.push(await measure(bench, cell));
    console.log(`round ${round} of ${bench.options.rounds}, ${machine()}`);
  }
  await compareAnswers(bench, cells);
}

/**
 * Before and after: all answers to a question are equal to the byte, but for those of PostGraphile, whose schema is another one:
 * they name the same records and totals. So do those of GraphQL and of REST.
 *
 * @throws {Error} that names the answer that differs.
 */
async function compareAnswers(bench: Bench, cells: readonly Measured[]): Promise<void> {
  for (const cell of cells) {
    const text = await sample(bench, cell);
    cell.bytes = Buffer.byteLength(text);
    for (const side of ['REST', cell.side] as const) {
      const twin = cells.find(
        (other) => other.account === cell.account && other.side === side && other.question === cell.question,
      );
      if (!twin || twin === cell) continue;
      const expected = await sample(bench, twin);
      const isExact = cell.side === side && cell.rival !== 'PostGraphile';
      if (isExact ? text === expected : factsOf(text) === factsOf(expected)) continue;
      throw new Error(
        `${cell.side} ${cell.question} of ${cell.rival} differs\n${differenceOf(text, expected)}`,
      );
    }
  }
}

function differenceOf(text: string, expected: string): string {
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 200);
  return `${text.slice(from, at + 400)}\n${expected.slice(from, at + 400)}`;
}

async function sample(bench: Bench, { rival, account, asks }: Measured): Promise<string> {
  const ask = asks[0] as Prompt;
  const response = await fetch(`${urlOf(bench, rival)}${ask.path}`, {
    method: ask.method,
    headers: headersOf(account),
    ...(ask.body !== undefined && { body: ask.body }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${rival} answered ${response.status}: ${text.slice(0, 400)}`);
  return text;
}

async function learnTags(bench: Bench, { rival, account, asks, tags }: Measured): Promise<void> {
  for (const { path } of asks) {
    const { headers } = await fetch(`${urlOf(bench, rival)}${path}`, { headers: headersOf(account) });
    const tag = headers.get('etag');
    if (!tag) throw new Error(`${path} has no ETag`);
    tags.push(tag);
  }
}

async function measure(bench: Bench, cell: Measured): Promise<Sample> {
  await delay(150);
  const { pid } = serverOf(bench, cell.rival);
  const before = { node: processCpu(pid), postgres: clusterCpu(bench.postmaster) };
  const { requests, seconds } = await load(bench, cell, bench.options.seconds);
  const nodeUs = (processCpu(pid) - before.node) / requests;
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
    // It ends with a sample. The default is one a second, so each run would take whole seconds.
    sampleInt: 100,
    headers: headersOf(cell.account),
    requests: cell.asks.map(({ method, path, body }, at) => ({
      method,
      path,
      ...(body !== undefined && { body }),
      ...(cell.tags[at] && { headers: { ...headersOf(cell.account), 'if-none-match': cell.tags[at] } }),
    })),
  });
  const { total, sent } = result.requests;
  const refused = cell.rival === KNOWING ? total - result['3xx'] : result.non2xx;
  if (refused > 0 || result.errors > 0 || sent === 0)
    throw new Error(`${cell.rival}: ${refused} refusals, ${result.errors} errors in ${cell.question}`);
  return { requests: result.requests.total, seconds: result.duration };
}

function serverOf({ servers }: Bench, name: RivalName): Rival {
  return servers.get(name === KNOWING ? UNCHANGED : name) as Rival;
}

function urlOf(bench: Bench, name: RivalName): string {
  return `http://127.0.0.1:${serverOf(bench, name).port}`;
}

function headersOf(account: AskedAccount): Record<string, string> {
  return { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
}

/** Median, least and greatest of the ratios of each round; undefined where the base does not answer the question. */
function ratiosTo(base: Measured | undefined, cell: Measured): readonly [number, number, number] | undefined {
  const ratios = base
    ? cell.samples.map((each, round) => each.perCpuSecond / (base.samples[round] as Sample).perCpuSecond)
    : [];
  return ratios.length > 0 ? [median(ratios), Math.min(...ratios), Math.max(...ratios)] : undefined;
}

function parallel(cells: readonly Measured[], cell: Measured, rival: RivalName): Measured | undefined {
  return cells.find(
    (other) =>
      other.account === cell.account &&
      other.side === cell.side &&
      other.question === cell.question &&
      other.rival === rival,
  );
}

const HEADINGS = [
  'Question',
  'Server',
  'Ratio to hand-written',
  'least to greatest',
  'Requests per CPU second',
  'CPU µs per request, Node \\| PostgreSQL',
  'Requests/s',
  'Bytes',
];

function sectionsOf(cells: readonly Measured[]): Section[] {
  return [...new Set(cells.map(({ account }) => account))].flatMap((account) =>
    (['REST', 'GraphQL'] as const).flatMap((side) => {
      const own = cells.filter((cell) => cell.account === account && cell.side === side);
      const title = `${side}, account of ${count(account.transactions)} transactions`;
      return own.length > 0
        ? [{ title, headings: HEADINGS, rows: own.map((cell) => rowOf(cells, cell)) }]
        : [];
    }),
  );
}

function rowOf(cells: readonly Measured[], cell: Measured): string[] {
  const of = (name: keyof Sample) => median(cell.samples.map((each) => each[name]));
  const [middle, least, greatest] = ratiosTo(parallel(cells, cell, BASE), cell) ?? [];
  return [
    cell.question,
    cell.rival,
    middle === undefined ? '–' : ratio(middle),
    least === undefined || greatest === undefined ? '–' : `${ratio(least)} to ${ratio(greatest)}`,
    count(of('perCpuSecond')),
    `${count(of('nodeUs'))} \\| ${count(of('postgresUs'))}`,
    count(of('perSecond')),
    count(cell.bytes),
  ];
}

/** The ratio to the hand-written server that is wanted, and what is compared. */
function wantedOf({ rival, side, question }: Measured): readonly [least: number, how: string] | undefined {
  if (FOR_INFORMATION.test(question)) return undefined;
  if (rival === 'gateway') return [GOALS[side], 'each time read anew'];
  const least = UNCHANGED_GOALS[/single/.test(question) ? 'single' : 'page'];
  return rival === UNCHANGED ? [least, 'nothing changed'] : undefined;
}

function goalsOf(cells: readonly Measured[]): Goal[] {
  const size = ({ account }: Measured) => count(account.transactions);
  return cells.flatMap((cell) => {
    const wanted = wantedOf(cell);
    const [middle] = ratiosTo(parallel(cells, cell, BASE), cell) ?? [];
    if (wanted && middle !== undefined) {
      const what = `${cell.side} ${cell.question} of ${size(cell)} beside hand-written, ${wanted[1]}`;
      return [goal(14, what, { least: wanted[0] }, middle, ratio)];
    }
    const [cheaper] = cell.rival === KNOWING ? (ratiosTo(parallel(cells, cell, UNCHANGED), cell) ?? []) : [];
    const what = `REST ${cell.question} of ${size(cell)}, 304 beside the answer itself`;
    return cheaper === undefined ? [] : [goal(14, what, { least: 1 }, cheaper, ratio)];
  });
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
    transactions: { type: 'string', default: String(LARGE_SIZE) },
    accounts: { type: 'string', default: 'both' },
    warmup: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    goals: { type: 'boolean', default: false },
    small: { type: 'string', default: String(SMALL_SIZE) },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
await withBenchServer(async (url) => {
  const { small, large } = await seed(url, Number(values.transactions), Number(values.small));
  const accounts = { both: [small, large], small: [small], large: [large] }[values.accounts];
  if (!accounts) throw new Error('--accounts must be both, small or large');
  const cells = await measureAll(url, accounts, {
    seconds: Number(values.seconds),
    warmUp: Number(values.warmup),
    rounds: Number(values.rounds),
    connections: Number(values.connections),
    only: values.only.split(','),
    isWhole: !values.goals,
  });
  publish({ goals: goalsOf(cells), sections: sectionsOf(cells) }, values.check);
});

/**
 * Whole onramps of one hot account over REST: made, paid by the sandbox's customer, credited. One gateway process, and two
 * on the same database: callers go to them in turn. Prints onramps a second and CPU time of each onramp. `--accounts 48` gives
 * the callers accounts of their own. `--each` measures two processes with all callers of a key at one of them, too, and with `--delay`
 * twice as many callers.
 *
 * `npm run onramps -- --processes 1,2 --callers 48 --warmup 15 --seconds 10 --rounds 2`; with `--count` also statements, database
 * transactions and bytes of the log of each onramp, and the statements on which most time went. `--beside <folder>` measures the
 * gateway of another checkout in turn, `--cells` a process of one cell beside one without cells, `--delay 5` brings every statement to the database 5 ms late, `--open` keeps a
 * transaction of somebody else open all the while.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { SCOPES } from '../src/base/access/api-key.ts';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { createAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import { startDelay } from './delay.ts';
import { liftLimits, withWriteServer } from './environment.ts';
import { endGateway, type Gateway, HERE, onramp, startGateway } from './gateway-process.ts';
import { type Goal, goal, publish } from './report.ts';
import { beginCounts, COUNTING, type Counts, countsSection, each } from './statements.ts';
import { count, median, ratio } from './table.ts';

/** CPU time of one onramp in µs, and how many there were in a second. */
interface Result {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
  /** What one took of PostgreSQL, where that is counted. */
  readonly counts: Counts | undefined;
}

const { values: options } = parseArgs({
  options: {
    processes: { type: 'string', default: '1,2' },
    callers: { type: 'string', default: '48' },
    each: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '2' },
    warmup: { type: 'string', default: '15' },
    count: { type: 'boolean', default: false },
    beside: { type: 'string' },
    cells: { type: 'boolean', default: false },
    delay: { type: 'string', default: '0' },
    accounts: { type: 'string', default: '1' },
    open: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
/** How much it is depends on how long is measured: of each page that is changed for the first time the whole image is written. */
const LOG = 'bytes of the log';
/** What is counted of each onramp, and the most that it should be. */
const COUNTED: readonly (readonly [string, number, (counts: Counts) => number])[] = [
  ['statements', 24, ({ statements }) => statements],
  ['database transactions', 10, ({ transactions }) => transactions],
  [LOG, 20_000, ({ log }) => log],
];

/** What the callers of two processes mean. */
const EACH =
  '"By key": all callers of a key go to one process, as a balancer sends them that chooses by the key; otherwise they go to all in turn. Callers who ' +
  'wait ask nothing: where they wait for the database, a second process adds room for more callers and makes the same ones no faster, so it is ' +
  'measured with as many callers and with twice as many. Ratios are of runs that followed each other, the middle one of all rounds.';

/** What is compared: a number of processes of the gateway of a checkout. */
interface Layout {
  readonly checkout: string;
  readonly processes: number;
  /** Of all processes together. */
  readonly callers: number;
  /** Whether all callers of a key go to the same process. */
  readonly isByKey: boolean;
  readonly cells: Cells;
}

/** How a process knows its cell: not at all, by `CELL`, or by a `CELLS_FILE` of one cell. */
type Cells = 'none' | 'CELL' | 'CELLS_FILE';

/** @returns the settings by which a process serves an empty database as its only cell. */
function cellEnv(cells: Cells, home: string, databaseUrl: string): Record<string, string> {
  if (cells === 'none') return {};
  if (cells === 'CELL') return { CELL: 'a1' };
  const file = join(home, 'cells.json');
  writeFileSync(file, JSON.stringify({ cells: { first: { databaseUrl } } }));
  return { CELLS_FILE: file };
}

/** @returns a key for each of so many accounts: of the sandbox's own, or of new ones. */
async function makeKeys(url: string, { apiKey }: Gateway, accounts: number): Promise<string[]> {
  if (accounts === 1) return [apiKey];
  const database = openDatabase(url);
  const templates = REGISTRY.templates.map(({ name }) => name);
  const keys: string[] = [];
  for (let n = 0; n < accounts; n += 1) {
    const accountId = await createAccount(database, `Account ${n}`, { templates });
    const named = { name: 'bench', scopes: SCOPES, expiresAt: null, allowedCidrs: [] };
    keys.push((await createKey(database, accountId, named)).apiKey);
  }
  await database.close();
  return keys;
}

/** @returns how many onramps so many callers made. */
async function load(
  gateways: readonly Gateway[],
  keys: readonly string[],
  { callers, isByKey }: Layout,
  seconds: number,
): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  const caller = async (_: unknown, index: number) => {
    const ofKey = index % keys.length;
    const gateway = {
      ...(gateways[(isByKey ? ofKey : index) % gateways.length] as Gateway),
      apiKey: keys[ofKey] as string,
    };
    let made = 0;
    while (performance.now() < until) {
      await onramp(gateway);
      made += 1;
    }
    return made;
  };
  const made = await Promise.all(Array.from({ length: callers }, caller));
  return made.reduce((sum, each) => sum + each, 0);
}

async function measure(url: string, layout: Layout, seconds: number): Promise<Result> {
  const { checkout, processes } = layout;
  const home = mkdtempSync(join(tmpdir(), 'crossramp-onramps-'));
  const owner = new pg.Client({ connectionString: url });
  const other = new pg.Client({ connectionString: url });
  await Promise.all([owner.connect(), other.connect()]);
  const gateways: Gateway[] = [];
  const delayed = await startDelay(url, Number(options.delay));
  try {
    const { rows } = await owner.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);
    while (gateways.length < processes) {
      const [first] = gateways;
      const folder = join(home, String(gateways.length));
      gateways.push(
        await startGateway(delayed.url, folder, {
          checkout,
          env: {
            SECRETS_KEY_FILE: join(home, 'secrets.key'),
            ...cellEnv(layout.cells, home, delayed.url),
          },
          ...(first && { apiKey: first.apiKey }),
        }),
      );
    }
    const keys = await makeKeys(url, gateways[0] as Gateway, Number(options.accounts));
    await liftLimits(owner);
    // Processes that have just begun compile their code: that is no cost of an onramp. Each has to do as much as one alone would.
    await load(gateways, keys, layout, Number(options.warmup) * (layout.isByKey ? 1 : processes));
    await owner.query('vacuum (analyze)');
    const used = () => [
      gateways.reduce((sum, { child }) => sum + processCpu(child.pid as number), 0),
      clusterCpu(postmaster),
    ];
    if (options.open) await other.query('begin; select pg_current_xact_id()');
    const endCounts = options.count ? await beginCounts(owner) : undefined;
    const [before, began] = [used(), performance.now()];
    const made = await load(gateways, keys, layout, seconds);
    const counts = await endCounts?.();
    const [node = 0, postgres = 0] = used().map((us, at) => (us - (before[at] as number)) / made);
    const perSecond = (made * 1_000) / (performance.now() - began);
    return { perSecond, nodeUs: node, postgresUs: postgres, counts: counts && each(counts, made) };
  } finally {
    await Promise.all(gateways.map(endGateway));
    await Promise.all([owner.end(), other.end()]);
    delayed.close();
    rmSync(home, { recursive: true, force: true });
  }
}

console.log(machine());
const checkouts = [HERE, ...(options.beside === undefined ? [] : [resolve(options.beside)])];
const callers = Number(options.callers);
const isDelayed = options.delay !== '0';
/** @returns callers of so many processes, and whether they go by their key. */
function callersOf(processes: number): readonly (readonly [number, boolean])[] {
  const alone = [callers, false] as const;
  if (!options.each) return [alone];
  if (isDelayed) return [[2 * callers, false], alone];
  return processes === 1 ? [alone] : [[callers, true], alone];
}

const ways: readonly Cells[] = options.cells ? ['none', 'CELL', 'CELLS_FILE'] : ['none'];
const layouts = options.processes
  .split(',')
  .map(Number)
  .flatMap((processes): Layout[] =>
    callersOf(processes).flatMap(([all, isByKey]) =>
      checkouts.flatMap((checkout) =>
        ways.map((cells) => ({ checkout, processes, callers: all, isByKey, cells })),
      ),
    ),
  );
const nameOf = ({ processes, callers: all, isByKey, cells }: Layout) =>
  `${processes} ${processes === 1 ? 'process' : 'processes'}, ${all} callers${isByKey ? ' by key' : ''}${cells === 'none' ? '' : `, one cell by ${cells}`}`;
const results = new Map<Layout, Result[]>(layouts.map((layout) => [layout, []]));
for (let round = 0; round < Number(options.rounds); round += 1) {
  for (const layout of layouts) {
    const settings = options.count ? COUNTING : {};
    // Another checkout has other migrations.
    const isEmpty = layout.checkout !== HERE;
    const result = await withWriteServer({ fsync: true, settings, isEmpty }, (url) =>
      measure(url, layout, Number(options.seconds)),
    );
    results.get(layout)?.push(result);
    console.log(
      `${layout.checkout} ${nameOf(layout)}: ${count(result.perSecond)}/s, ${count(result.nodeUs)} | ${count(result.postgresUs)} µs`,
    );
  }
}
const middle = (all: readonly Result[], of: (result: Result) => number) => median(all.map(of));
const rateOf = ({ perSecond }: Result) => perSecond;
const cpuOf = ({ nodeUs, postgresUs }: Result) => nodeUs + postgresUs;
const resultsOf = (checkout: string, processes: number, all = callers, isByKey = false) =>
  [...results].find(
    ([layout]) =>
      layout.checkout === checkout &&
      layout.processes === processes &&
      layout.callers === all &&
      layout.isByKey === isByKey &&
      layout.cells === 'none',
  )?.[1];
const where = options.accounts === '1' ? 'a busy account' : `${options.accounts} accounts`;
const late = isDelayed ? `, every statement ${options.delay} ms late` : '';

/** How two processes do beside one, in several ways; the goal is of the first of them. */
function goalsOfTwo(one: readonly Result[]): Goal[] {
  const twice = resultsOf(HERE, 1, 2 * callers);
  const each = resultsOf(HERE, 2, 2 * callers);
  const byKey = ['by key', resultsOf(HERE, 2, callers, true), one] as const;
  const spread = [`${callers} callers in all`, resultsOf(HERE, 2), one] as const;
  const ways = [
    ...(isDelayed
      ? [[`${callers} callers each beside ${callers}`, each, one] as const, spread]
      : [byKey, spread]),
    [`${2 * callers} callers in all beside as many`, each, twice] as const,
  ].flatMap(([what, two, beside]) => (two && beside ? [{ what, two, beside }] : []));
  const [judged, ...others] = ways;
  if (!judged) return [];
  const all = (value: (result: Result) => number, { two, beside }: typeof judged) =>
    two.map((result, round) => value(result) / value(beside[round] as Result));
  const of = (value: (result: Result) => number, way: typeof judged) => median(all(value, way));
  const spreadOf = (ratios: readonly number[]) =>
    ratios.length > 1 ? `, ${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}` : '';
  const shown = (value: (result: Result) => number) => () =>
    [
      `${ratio(of(value, judged))}${spreadOf(all(value, judged))}`,
      ...(others.length > 0
        ? [`(${others.map((way) => `${way.what}: ${ratio(of(value, way))}`).join('; ')})`]
        : []),
    ].join(' ');
  const name = `two processes beside one on ${where}${late}, ${judged.what}`;
  const least = isDelayed ? 1.6 : 1;
  return [
    goal(isDelayed ? 14 : 10, `${name}: onramps a second`, { least }, of(rateOf, judged), shown(rateOf)),
    ...(options.accounts === '1'
      ? [goal(14, `${name}: CPU of an onramp`, { most: 1.15 }, of(cpuOf, judged), shown(cpuOf))]
      : []),
  ];
}

function goalsOf(): Goal[] {
  const one = resultsOf(HERE, 1);
  const former = options.beside === undefined ? undefined : resultsOf(resolve(options.beside), 1);
  const counted = one?.flatMap(({ counts }) => counts ?? []) ?? [];
  const goals = COUNTED.flatMap(([what, most, of]): Goal[] =>
    counted.length > 0
      ? [
          {
            ...goal(
              14,
              `a whole onramp, ${callers} callers: ${what}`,
              { most },
              median(counted.map(of)),
              count,
            ),
            isCount: what !== LOG,
          },
        ]
      : [],
  );
  if (one && former) {
    const what = `CPU of a whole onramp beside ${options.beside}`;
    goals.push(goal(14, what, { most: 0.5 }, middle(one, cpuOf) / middle(former, cpuOf), ratio));
  }
  return one ? [...goals, ...goalsOfTwo(one)] : goals;
}

const counted = [...results].flatMap(([layout, [first]]) =>
  first?.counts ? [{ title: `${nameOf(layout)}${late}`, counts: first.counts }] : [],
);
publish(
  {
    goals: goalsOf(),
    sections: [
      {
        title: `Whole onramps of ${where}${late}, created, paid and credited over REST`,
        headings: [
          ...['Checkout', 'Processes', 'Callers', ...(options.cells ? ['One cell by'] : []), 'Onramps/s'],
          ...['Node µs', 'PostgreSQL µs', 'Both µs', 'least to greatest', '% of a core each'],
          ...(options.count ? COUNTED.map(([what]) => what) : []),
        ],
        rows: [...results].map(([{ checkout, processes, callers: all, isByKey, cells }, runs]) => [
          checkout === HERE ? 'this' : checkout,
          String(processes),
          `${all}${isByKey ? ' by key' : ''}`,
          ...(options.cells ? [cells === 'none' ? '' : cells] : []),
          count(middle(runs, rateOf)),
          count(middle(runs, ({ nodeUs }) => nodeUs)),
          count(middle(runs, ({ postgresUs }) => postgresUs)),
          count(middle(runs, cpuOf)),
          `${count(Math.min(...runs.map(cpuOf)))} to ${count(Math.max(...runs.map(cpuOf)))}`,
          count(middle(runs, ({ nodeUs, perSecond }) => (nodeUs * perSecond) / 10_000 / processes)),
          ...COUNTED.flatMap(([, most, of]) => {
            const some = runs.flatMap(({ counts }) => counts ?? []);
            return some.length > 0 ? [median(some.map(of)).toFixed(most < 100 ? 1 : 0)] : [];
          }),
        ]),
        ...(options.each && { note: EACH }),
      },
      ...counted.map(({ title, counts }) => countsSection(counts, title)),
    ],
  },
  options.check,
);
console.log(machine());
process.exit();

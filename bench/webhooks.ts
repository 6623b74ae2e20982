/**
 * Events at a steady rate, made by the engine: how long after its commit each reaches a receiver of webhooks and a subscriber,
 * and what that costs. Gateway, receiver and database are processes of their own; times are those of the clock that all
 * processes of a machine share.
 *
 * `npm run webhooks -- --rate 500 --seconds 10 [--check]`
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { newSecret } from '../src/base/access/webhook-keys.ts';
import { BEFORE_FIRST, encodeEventCursor } from '../src/events/cursor.ts';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { provisionSandbox } from '../src/resolvers/sandbox/provision-sandbox.ts';
import { createAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { addEndpoint } from '../src/store/webhooks/webhooks.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import { liftLimits, withWriteServer } from './environment.ts';
import { goal, publish } from './report.ts';
import { count, ratio } from './table.ts';
import { startWorker, type Worker } from './tasks.ts';

/** A way to run the gateway. */
interface Layout {
  readonly name: string;
  /** The first makes what happens and serves the subscribers, the last sends. */
  readonly roles: readonly ('all' | 'serve' | 'work')[];
  readonly accounts: number;
  /** Whether each account has an endpoint, or nobody wants webhooks. */
  readonly hasEndpoints: boolean;
}

interface Account {
  readonly accountId: string;
  readonly apiKey: string;
}

interface Result {
  readonly layout: Layout;
  readonly rate: number;
  readonly webhooks: readonly number[];
  readonly streams: readonly number[];
  /** CPU time for one event, µs: of each process of the gateway, and of PostgreSQL. */
  readonly nodeUs: readonly number[];
  readonly postgresUs: number;
  /** Statements of relay and dispatcher for one event. */
  readonly statements: number;
  readonly requests: number;
}

const LAYOUTS: readonly Layout[] = [
  { name: 'one process, 10 accounts', roles: ['all'], accounts: 10, hasEndpoints: true },
  { name: 'one process, 1 account', roles: ['all'], accounts: 1, hasEndpoints: true },
  { name: 'one serves, one works, 10 accounts', roles: ['serve', 'work'], accounts: 10, hasEndpoints: true },
  { name: 'one process, 10 accounts, no endpoints', roles: ['all'], accounts: 10, hasEndpoints: false },
];
const EVENTS_PER_RAMP = 7;
const ARRIVAL_MAX_MS = 20_000;
const GOALS = { webhookMs: 40, streamMs: 15 };

async function measure(url: string, layout: Layout, rate: number, seconds: number): Promise<Result> {
  const receiver = startWorker('webhooks-receiver.ts', []);
  const gateway = layout.roles.map((role) => startWorker('webhooks-server.ts', [url, role]));
  const [maker, sender] = [gateway[0] as Worker, gateway.at(-1) as Worker];
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    const { rows } = await owner.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);
    const accounts = await prepare(url, layout, await receiver.ask('listen'));
    await liftLimits(owner);
    await receiver.ask('clear');
    const port = await maker.ask('listen');
    for (const { accountId, apiKey } of accounts)
      await receiver.ask('subscribe', port, apiKey, encodeEventCursor(BigInt(accountId), BEFORE_FIRST));
    const run = async (during: number) => {
      await receiver.ask('clear');
      const ids = accounts.map(({ accountId }) => accountId);
      return arrived(receiver, await maker.ask('load', ids, rate / EVENTS_PER_RAMP, during), layout);
    };
    await run(Number(options.warmup));
    await owner.query('vacuum (analyze)');
    const used = () => [...gateway.map(({ pid }) => processCpu(pid)), clusterCpu(postmaster)];
    const [before, statements] = [used(), await sender.ask('statements')];
    const { commits, ...got } = await run(seconds);
    const events = Object.keys(commits).length;
    const us = used().map((value, at) => (value - (before[at] as number)) / events);
    return {
      layout,
      ...got,
      nodeUs: us.slice(0, -1),
      postgresUs: us.at(-1) as number,
      statements: ((await sender.ask('statements')) - statements) / events,
    };
  } finally {
    for (const each of [...gateway, receiver]) each.stop();
    await owner.end();
  }
}

/** Waits until all has arrived. @returns how long after its commit each event had, in ms. */
async function arrived(receiver: Worker, commits: Record<string, string>, { hasEndpoints }: Layout) {
  const names = Object.keys(commits);
  const until = performance.now() + ARRIVAL_MAX_MS;
  for (;;) {
    const { webhooks, streams, requests } = await receiver.ask('arrivals');
    if (names.every((name) => (webhooks[name] || !hasEndpoints) && streams[name])) {
      const latencies = (at: Record<string, string>) =>
        names.map((name) => Number(BigInt(at[name] as string) - BigInt(commits[name] as string)) / 1e6);
      return {
        commits,
        requests,
        rate: rateOf(commits),
        webhooks: hasEndpoints ? latencies(webhooks) : [],
        streams: latencies(streams),
      };
    }
    if (performance.now() > until) {
      const missing = (at: Record<string, string>) => names.filter((name) => !at[name]).length;
      throw new Error(`missing: ${missing(webhooks)} webhooks, ${missing(streams)} events of streams`);
    }
    await delay(500);
  }
}

/** @returns events in a second, in the middle half of them: at its ends a run is slower. */
function rateOf(commits: Record<string, string>): number {
  const seconds = Object.values(commits)
    .map((at) => Number(at) / 1e9)
    .toSorted((a, b) => a - b);
  const quarter = Math.floor(seconds.length / 4);
  const [from, to] = [seconds[quarter] as number, seconds[3 * quarter] as number];
  return (2 * quarter) / (to - from);
}

async function prepare(
  url: string,
  { accounts: count, hasEndpoints }: Layout,
  port: number,
): Promise<Account[]> {
  const database = openDatabase(url);
  try {
    await provisionSandbox(database, REGISTRY);
    const templates = REGISTRY.templates.map(({ name }) => name);
    const accounts: Account[] = [];
    for (let n = 0; n < count; n++) {
      const accountId = await createAccount(database, `Webhooks ${n}`, { templates });
      const { apiKey } = await createKey(database, accountId, {
        name: 'bench',
        scopes: ['read'],
        expiresAt: null,
        allowedCidrs: [],
      });
      accounts.push({ accountId: String(accountId), apiKey });
      if (!hasEndpoints) continue;
      await addEndpoint(database, accountId, {
        id: `whe_${randomBytes(12).toString('base64url')}`,
        url: `http://127.0.0.1:${port}/${n}`,
        description: null,
        template: null,
        eventNames: [],
        orderMode: 'transaction',
        maxConcurrency: 20,
        maxPerSecond: null,
        signingKey: null,
        secret: newSecret(),
        createdAt: new Date(),
      });
    }
    return accounts;
  } finally {
    await database.close();
  }
}

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] as number;
}

function row({ layout, rate, webhooks, streams, nodeUs, postgresUs, statements, requests }: Result) {
  const both = (values: readonly number[]) =>
    values.length === 0 ? '–' : `${ratio(quantile(values, 0.5))}, ${ratio(quantile(values, 0.99))}`;
  return [
    layout.name,
    `${count(rate)}`,
    both(webhooks),
    both(streams),
    `${nodeUs.map(count).join(' + ')} \\| ${count(postgresUs)}`,
    statements.toFixed(2),
    String(requests - webhooks.length),
  ];
}

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '10' },
    warmup: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
const results = await withWriteServer({ fsync: true }, async (url) => {
  const all: Result[] = [];
  for (const layout of LAYOUTS.filter(({ name }) => name.includes(options.only))) {
    console.log(layout.name);
    all.push(await measure(url, layout, Number(options.rate), Number(options.seconds)));
  }
  return all;
});
const HEADINGS = [
  'Gateway',
  'Events/s',
  'commit to webhook, ms (p50, p99)',
  'commit to subscriber, ms (p50, p99)',
  'CPU µs per event, Node \\| PostgreSQL',
  'Statements per event',
  'Twice',
];
console.log(machine());
/** What relay and delivery take of the processor: beside a run in which nobody wants webhooks. */
const cpuOf = ({ nodeUs, postgresUs }: Result) => nodeUs.reduce((sum, us) => sum + us, postgresUs);
const without = results.find(({ layout }) => !layout.hasEndpoints);
const beside = results.find(({ layout }) => layout.hasEndpoints && layout.accounts === 10);
const goals = results.flatMap(({ layout, webhooks, streams, statements }) => [
  goal(
    0,
    `commit to subscriber, p50 ms: ${layout.name}`,
    { most: GOALS.streamMs },
    quantile(streams, 0.5),
    ratio,
  ),
  ...(layout.hasEndpoints
    ? [
        goal(
          0,
          `commit to webhook, p50 ms: ${layout.name}`,
          { most: GOALS.webhookMs },
          quantile(webhooks, 0.5),
          ratio,
        ),
        {
          ...goal(
            14,
            `relay and delivery of an event, statements: ${layout.name}`,
            { most: 3 },
            statements,
            ratio,
          ),
          isCount: true,
        },
      ]
    : []),
]);
if (without && beside) {
  const us = cpuOf(beside) - cpuOf(without);
  goals.push(goal(14, 'relay and delivery of an event, CPU µs of all processes', { most: 1_000 }, us, count));
}
const title = `${options.rate} events a second, made by the engine as whole onramps`;
publish({ goals, sections: [{ title, headings: HEADINGS, rows: results.map(row) }] }, options.check);

/**
 * Subscribers of one account, over server-sent events to one process: what an idle one costs, how soon all have an event, how
 * soon one has it after the commit, what clients cost that do not read, and that nobody who comes back has lost anything.
 * Server and clients are processes of their own; times are those of the clock that all processes of a machine share.
 *
 * `npm run fanout -- --subscribers 10000 [--check]`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { provisionSandbox } from '../src/resolvers/sandbox/provision-sandbox.ts';
import { createAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/database.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { machine } from './cpu.ts';
import { withWriteServer } from './environment.ts';
import { count, median, ratio, table } from './table.ts';
import { startWorker, type Worker } from './tasks.ts';

interface Measured {
  readonly name: string;
  readonly value: string;
  readonly goal: string;
  readonly isMet: boolean;
}

/** Enough that the young generation of the heap has grown to its full size: it is the process's, not a subscriber's. */
const WARM_UP = 2_000;
const BODY_BYTES = 1_500;
const BROADCASTS = 15;
const LATENCIES = 200;
const STALLED = 50;
const STALLED_EVENTS = 20_000;
const MISSED = 50;
const KIB = 1_024;

async function measure(url: string, subscribers: number): Promise<Measured[]> {
  const { accountId, apiKey } = await prepare(url);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const server = startWorker('fanout-server.ts', [url]);
  const clients = startWorker('fanout-clients.ts', []);
  try {
    const port: number = await server.ask('listen');
    const transactionId: string = await server.ask('transaction', String(accountId), apiKey);
    await clients.ask('target', port, apiKey);
    const commit = async (events: number) => {
      await owner.query(APPEND, [accountId, transactionId, events, 'x'.repeat(BODY_BYTES)]);
      const at = process.hrtime.bigint();
      await server.ask('notify', String(accountId));
      return at;
    };
    await clients.ask('open', WARM_UP);
    await commit(20);
    await clients.ask('close');
    const results = [await measureIdle(server, clients, subscribers)];
    results.push(await measureBroadcast(clients, commit, subscribers));
    results.push(await measureReturn(clients, commit, subscribers));
    await clients.ask('close');
    results.push(await measureLatency(server, clients, String(accountId)));
    await clients.ask('close');
    results.push(await measureStalled(server, clients, commit));
    return results;
  } finally {
    clients.stop();
    server.stop();
    await owner.end();
  }
}

async function measureIdle(server: Worker, clients: Worker, subscribers: number): Promise<Measured> {
  const before = await server.ask('rss');
  const heapBefore = await server.ask('heap');
  const ms: number = await clients.ask('open', subscribers);
  console.log(`${count(subscribers)} subscribers opened in ${count(ms)} ms`);
  const each = ((await server.ask('rss')) - before) / subscribers / KIB;
  const heap = ((await server.ask('heap')) - heapBefore) / subscribers / KIB;
  return {
    name: `memory of an idle subscriber, of ${count(subscribers)}, KiB of RSS (of that in use on the heap)`,
    value: `${each.toFixed(1)} (${heap.toFixed(1)})`,
    goal: '≤ 20',
    isMet: each <= 20,
  };
}

type Commit = (events: number) => Promise<bigint>;

async function measureBroadcast(clients: Worker, commit: Commit, subscribers: number): Promise<Measured> {
  const times: number[] = [];
  for (let i = 0; i < BROADCASTS; i++) {
    const all = clients.ask('expect', 1);
    const at = await commit(1);
    times.push(millis(at, BigInt(await all)));
  }
  const seconds = median(times) / 1_000;
  return {
    name: `one event to all ${count(subscribers)}, seconds from the commit (median, longest)`,
    value: `${seconds.toFixed(3)}, ${(Math.max(...times) / 1_000).toFixed(3)}`,
    goal: '≤ 0.6',
    isMet: seconds <= 0.6,
  };
}

async function measureReturn(clients: Worker, commit: Commit, subscribers: number): Promise<Measured> {
  await clients.ask('close');
  await commit(MISSED);
  const { ms, lost, twice } = await clients.ask('return', MISSED);
  return {
    name: `all ${count(subscribers)} come back and catch up on ${MISSED} events: seconds, lost, twice`,
    value: `${(ms / 1_000).toFixed(2)}, ${lost}, ${twice}`,
    goal: 'lost 0, twice 0',
    isMet: lost === 0 && twice === 0,
  };
}

/** Through the engine: from the notification after its commit to the arrival of the first event of that commit. */
async function measureLatency(server: Worker, clients: Worker, accountId: string): Promise<Measured> {
  await clients.ask('open', 1);
  const times: number[] = [];
  for (let i = 0; i < LATENCIES; i++) {
    const arrived = clients.ask('expect', 1);
    const at = await server.ask('create', accountId);
    times.push(millis(BigInt(at), BigInt(await arrived)));
    await clients.ask('settle');
  }
  const sorted = times.toSorted((a, b) => a - b);
  const p50 = median(times);
  return {
    name: 'commit to subscriber, ms (p50, p99)',
    value: `${ratio(p50)}, ${ratio(sorted[Math.floor(sorted.length * 0.99)] as number)}`,
    goal: 'p50 ≤ 15',
    isMet: p50 <= 15,
  };
}

async function measureStalled(server: Worker, clients: Worker, commit: Commit): Promise<Measured> {
  // The hub's store of recent events is full before, and is not counted.
  await clients.ask('open', 1);
  await commit(300);
  await clients.ask('stall', STALLED);
  const before = await server.ask('rss');
  for (let i = 0; i < STALLED_EVENTS / 100; i++) await commit(100);
  const each = ((await server.ask('rss')) - before) / STALLED / KIB;
  const offered = (STALLED_EVENTS * BODY_BYTES) / KIB / KIB;
  return {
    name: `memory of a client that does not read while ${offered.toFixed(0)} MiB are offered, of ${STALLED}, KiB of RSS`,
    value: each.toFixed(0),
    goal: '≤ 1,024',
    isMet: each <= 1_024,
  };
}

function millis(from: bigint, to: bigint): number {
  return Number(to - from) / 1e6;
}

const APPEND = `with head as (
    update account_head set event_seq = event_seq + $3 where account_id = $1 returning event_seq - $3 as before
  )
  insert into event (account_id, seq, transaction_id, sequence, name, component, state, occurred_at, payload)
  select $1, before + n, $2, 1000 + before + n, 'onramp.bench.moved', 'BENCH', 'ADVANCED', now(), to_jsonb($4::text)::text
    from head, generate_series(1, $3::int) n`;

async function prepare(url: string) {
  const database = openDatabase(url);
  try {
    await provisionSandbox(database, REGISTRY);
    const templates = REGISTRY.templates.map(({ name }) => name);
    const accountId = await createAccount(database, 'Fan-out', { templates });
    const { apiKey } = await createKey(database, accountId, {
      name: 'bench',
      scopes: ['read', 'create'],
      expiresAt: null,
      allowedCidrs: [],
    });
    return { accountId, apiKey };
  } finally {
    await database.close();
  }
}

const { values: options } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '10000' },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
const results = await withWriteServer({ fsync: true }, (url) => measure(url, Number(options.subscribers)));
console.log(
  table(
    ['What', 'Goal', 'Measured', 'Met'],
    results.map(({ name, goal, value, isMet }) => [name, goal, value, isMet ? 'yes' : 'no']),
  ),
);
console.log(machine());
if (options.check && results.some(({ isMet }) => !isMet)) process.exitCode = 1;

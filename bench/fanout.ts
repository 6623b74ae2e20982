/**
 * Subscribers of one account, over server-sent events to one process: what an idle one costs, how soon all have an event, whether
 * that holds up who caused it, how soon one has it after the commit, what clients cost that do not read, and that nobody who comes
 * back has lost anything. Beside it a bare server that writes the same bytes. Server and clients are processes of their own;
 * times are those of the clock that all processes of a machine share.
 *
 * `npm run fanout -- --subscribers 20000 [--check]`
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { provisionSandbox } from '../src/resolvers/sandbox/provision-sandbox.ts';
import { createAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { machine } from './cpu.ts';
import { type Crowd, mostSubscribers, startCrowd } from './crowd.ts';
import { withWriteServer } from './environment.ts';
import { type Goal, goal, publish } from './report.ts';
import { count, median, ratio } from './table.ts';
import { startWorker, type Worker } from './tasks.ts';

/** What was measured of a server. */
interface Broadcasts {
  /** RSS of the process with all subscribers, as it is. Unit: MiB. */
  readonly whole: number;
  /** Of an idle subscriber: RSS once V8 has returned what it does not use, and heap. Unit: KiB. */
  readonly held: number;
  readonly heap: number;
  /** From the commit until all have the event. Unit: s. */
  readonly times: readonly number[];
  /** Events that subscribers were sent in a second, one event after another. */
  readonly perSecond: number;
}

/** Enough that what a process makes once for all subscribers is there before they are counted. */
const WARM_UP = 2_000;
const BODY_BYTES = 1_500;
const BROADCASTS = 15;
const IN_A_ROW = 10;
const ACTS = 15;
const STALLED = 50;
const MISSED = 50;
const KIB = 1_024;

interface Measured {
  readonly gateway: Broadcasts;
  readonly bare: Broadcasts;
  readonly goals: readonly Goal[];
}

async function measure(url: string, subscribers: number): Promise<Measured> {
  const { accountId, apiKey } = await prepare(url);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const server = startWorker('fanout-server.ts', [url]);
  const crowd = startCrowd();
  try {
    const port: number = await server.ask('listen');
    const transactionId: string = await server.ask('transaction', String(accountId), apiKey);
    await crowd.target(port, apiKey);
    const commit = async (events: number) => {
      await owner.query(APPEND, [accountId, transactionId, events, 'x'.repeat(BODY_BYTES)]);
      const at = process.hrtime.bigint();
      await server.ask('notify', String(accountId));
      return at;
    };
    const gateway = await measureServer(server, crowd, subscribers, commit);
    const goals = [
      await measureReturn(crowd, commit, subscribers),
      ...(await measureActs(crowd, port, apiKey, subscribers)),
    ];
    await crowd.close();
    goals.push(await measureLatency(server, crowd, String(accountId)));
    await crowd.close();
    goals.push(await measureStalled(server, crowd, commit));
    await crowd.close();
    server.stop();
    return { gateway, bare: await measureBare(crowd, apiKey, subscribers), goals };
  } finally {
    crowd.stop();
    server.stop();
    await owner.end();
  }
}

async function measureBare(crowd: Crowd, apiKey: string, subscribers: number): Promise<Broadcasts> {
  const server = startWorker('servers/bare-events.ts', []);
  try {
    await crowd.target(await server.ask('listen'), apiKey);
    const send = async (events: number) => {
      const at = BigInt(await server.ask('send', BODY_BYTES));
      for (let n = 1; n < events; n += 1) await server.ask('send', BODY_BYTES);
      return at;
    };
    return await measureServer(server, crowd, subscribers, send);
  } finally {
    server.stop();
  }
}

type Commit = (events: number) => Promise<bigint>;

/** Leaves the subscribers open. */
async function measureServer(
  server: Worker,
  crowd: Crowd,
  subscribers: number,
  commit: Commit,
): Promise<Broadcasts> {
  await crowd.open(Math.min(WARM_UP, subscribers));
  await commit(20);
  await crowd.close();
  const before: number = (await server.ask('memory')).held;
  const heapBefore: number = await server.ask('heap');
  const ms = await crowd.open(subscribers);
  console.log(`${count(subscribers)} subscribers opened in ${count(ms)} ms`);
  const memory = await server.ask('memory');
  const whole = memory.whole / KIB / KIB;
  const held = (memory.held - before) / subscribers / KIB;
  const heap = ((await server.ask('heap')) - heapBefore) / subscribers / KIB;
  const times: number[] = [];
  for (let n = 0; n < BROADCASTS; n += 1) {
    const all = crowd.expect(1);
    const at = await commit(1);
    times.push(millis(at, await all) / 1_000);
  }
  const all = crowd.expect(IN_A_ROW);
  const begun = await commit(1);
  for (let n = 1; n < IN_A_ROW; n += 1) await commit(1);
  const seconds = millis(begun, await all) / 1_000;
  return { whole, held, heap, times, perSecond: (subscribers * IN_A_ROW) / seconds };
}

async function measureReturn(crowd: Crowd, commit: Commit, subscribers: number): Promise<Goal> {
  await crowd.close();
  await commit(MISSED);
  const { ms, lost, twice } = await crowd.comeBack(MISSED);
  return {
    issue: 0,
    what: `all ${count(subscribers)} come back and catch up on ${MISSED} events: seconds, lost, twice`,
    goal: 'lost 0, twice 0',
    measured: `${(ms / 1_000).toFixed(2)}, ${lost}, ${twice}`,
    isMet: lost === 0 && twice === 0,
    isCount: true,
  };
}

/** How long who acts waits for the answer: while all are told of it, and while one is. */
async function measureActs(crowd: Crowd, port: number, apiKey: string, subscribers: number): Promise<Goal[]> {
  const action = async () => {
    const begun = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/v2/onramp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(ORDER),
    });
    await answer.text();
    if (answer.status !== 201) throw new Error(`the act was answered with ${answer.status}`);
    return performance.now() - begun;
  };
  const actions = async () => {
    const times: number[] = [];
    for (let n = 0; n < Math.min(ACTS, latencies); n += 1) {
      times.push(await action());
      await crowd.settle();
    }
    return median(times);
  };
  const toAll = await actions();
  await crowd.close();
  await crowd.open(1);
  const toOne = await actions();
  const what = `how much longer an act is answered while ${count(subscribers)} are told of it, ms (${ratio(toAll)} in place of ${ratio(toOne)})`;
  return [goal(14, what, { most: 100 }, toAll - toOne, (ms) => ms.toFixed(0))];
}

/** Through the engine: from the notification after its commit to the arrival of the first event of that commit. */
async function measureLatency(server: Worker, crowd: Crowd, accountId: string): Promise<Goal> {
  await crowd.open(1);
  const times: number[] = [];
  for (let n = 0; n < latencies; n += 1) {
    const arrived = crowd.expect(1);
    const at = await server.ask('create', accountId);
    times.push(millis(BigInt(at), await arrived));
    await crowd.settle();
  }
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = ratio(sorted[Math.floor(sorted.length * 0.99)] as number);
  const what = `commit to subscriber through the engine, p50 ms (p99 ${p99})`;
  return goal(0, what, { most: 15 }, median(times), ratio);
}

async function measureStalled(server: Worker, crowd: Crowd, commit: Commit): Promise<Goal> {
  const offer = async () => {
    for (let i = 0; i < offers / 100; i++) await commit(100);
  };
  // What the process itself grows by while so much is offered is not counted.
  await crowd.open(2);
  await offer();
  await crowd.stall(STALLED);
  const before: number = (await server.ask('memory')).held;
  await offer();
  const each = ((await server.ask('memory')).held - before) / STALLED / KIB;
  const offered = (offers * BODY_BYTES) / KIB / KIB;
  const what = `memory of a client that does not read while ${offered.toFixed(0)} MiB are offered, KiB of RSS, of ${STALLED}`;
  return goal(0, what, { most: 1_024 }, each, (kib) => kib.toFixed(0));
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

const ORDER = {
  amount_payment: 100,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};

const { values: options } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '20000' },
    offers: { type: 'string', default: '20000' },
    latencies: { type: 'string', default: '50' },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
const offers = Number(options.offers);
const latencies = Number(options.latencies);
const subscribers = Math.min(Number(options.subscribers), mostSubscribers());
const { gateway, bare, goals } = await withWriteServer({ fsync: true }, (url) => measure(url, subscribers));
const each = (value: number) => value.toFixed(1);
const seconds = (value: number) => value.toFixed(3);
const row = (name: string, { whole, held, heap, times, perSecond }: Broadcasts) => [
  name,
  count(subscribers),
  each(held),
  each(heap),
  count(whole),
  seconds(median(times)),
  `${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}`,
  count(perSecond),
];
publish(
  {
    goals: [
      goal(
        14,
        `memory that an idle subscriber of ${count(subscribers)} holds, KiB of RSS`,
        { most: 15 },
        gateway.held,
        each,
      ),
      goal(
        14,
        `one event to all ${count(subscribers)}, seconds from the commit`,
        { most: 0.3 },
        median(gateway.times),
        seconds,
      ),
      ...goals,
    ],
    sections: [
      {
        title: 'One event to all subscribers of one process',
        headings: [
          'Server',
          'Subscribers',
          'KiB of RSS that each holds',
          'of that on the heap',
          'MiB of RSS of the whole process',
          's to all',
          'least to greatest',
          'events sent a second',
        ],
        rows: [row('gateway', gateway), row('bare `node:http`', bare)],
        ...(subscribers < Number(options.subscribers) && {
          note: `${count(Number(options.subscribers))} were asked for; the machine lets a process have ${count(subscribers)} besides its other files.`,
        }),
      },
    ],
  },
  options.check,
);
console.log(machine());

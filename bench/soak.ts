/**
 * A gateway under mixed load for a long time: whole onramps, lists and statements by REST and GraphQL, subscribers that come and
 * go, webhooks; and requests that are wrong. Memory and the lateness of timers are sampled, answers are counted by status.
 *
 * Method: before the load, the answers that the gateway keeps are filled up to what ANSWERS_MAX_MB allows: they grow to there, and
 * no further. The heap is what is in use after a forced collection, RSS is what the system says then. The first third of the run is
 * left out, in which other caches fill and code is compiled. Level is what grows by less than three times its own noise, or by less than
 * 1 % of itself in an hour (slope.ts).
 *
 * `npm run soak -- --minutes 60 --rate 5 [--check]`
 */
import { once, setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { machine } from './cpu.ts';
import { GATEWAY_DOCUMENTS } from './documents.ts';
import { liftLimits, withWriteServer } from './environment.ts';
import { ask, endGateway, type Gateway, onramp, startGateway } from './gateway-process.ts';
import { goal, publish } from './report.ts';
import { type Line, lineOf, type Sample } from './slope.ts';
import type { Probe } from './soak-probe.ts';
import { count, median } from './table.ts';

/** What was answered so far. */
interface Tally {
  readonly byStatus: Map<number, number>;
  onramps: number;
  /** Onramps and requests that did not end as they should. */
  readonly failures: string[];
  webhooks: number;
  streams: number;
}

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '5' },
    reads: { type: 'string', default: '40' },
    streams: { type: 'string', default: '50' },
    every: { type: 'string', default: '10' },
    check: { type: 'boolean', default: false },
  },
});
const MIB = 2 ** 20;
/** A subscriber stays so long, at most. */
const STREAM_MS = 30_000;
const PROBE = new URL('soak-probe.ts', import.meta.url).href;
const SUBSCRIPTION = {
  query: 'subscription { events { cursor ... on TransactionEvent { name transaction { end2end state } } } }',
};
/** The last two are wrong, and are told so. */
const READS: readonly (readonly [string, object?])[] = [
  ['/v2/onramps?limit=20'],
  ['/v2/onramps?limit=20&offset=40&date_from=2026-01-01'],
  ['/v2/statement?limit=20'],
  ['/v2/balance'],
  ['/v2/events'],
  ['/graphql', { query: GATEWAY_DOCUMENTS.list({ counted: true }) }],
  ['/graphql', { query: GATEWAY_DOCUMENTS.statement({ counted: true }) }],
  ['/graphql', { query: '{ balances { currency { code } } }' }],
  ['/v2/onramps?limit=none'],
  ['/v2/onramp/nothing'],
];

/** An answer of one record; what comes after it makes it another answer. */
const FILLING = '/v2/onramps?limit=1&filling=';
const FILLERS = 16;

/** Asks for more answers than the gateway keeps, each twice, which is when it keeps one: by their text alone they are as much as it may. */
async function fillAnswers(gateway: Gateway): Promise<void> {
  await onramp(gateway);
  const { text } = await ask(gateway, `${FILLING}0`);
  let left = Math.ceil((Number(process.env.ANSWERS_MAX_MB ?? 64) * MIB) / text.length);
  const fill = async () => {
    while (left > 0) {
      left -= 1;
      const path = `${FILLING}${left}`;
      for (let times = 0; times < 2; times += 1) await ask(gateway, path);
    }
  };
  await Promise.all(Array.from({ length: FILLERS }, fill));
}

/** Begins pieces of work at a steady rate, whatever those before take, until it is aborted; then waits for all. */
async function steadily(perSecond: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const open = new Set<Promise<void>>();
  const begun = performance.now();
  for (let n = 0; !signal.aborted; n += 1) {
    const one = work().finally(() => open.delete(one));
    open.add(one);
    await delay(Math.max(0, begun + ((n + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(open);
}

async function buy(gateway: Gateway, tally: Tally): Promise<void> {
  try {
    await onramp(gateway);
    tally.onramps += 1;
  } catch (error) {
    tally.failures.push(String(error));
  }
}

async function read(gateway: Gateway, tally: Tally): Promise<void> {
  const [path, body] = READS[Math.floor(Math.random() * READS.length)] as (typeof READS)[number];
  try {
    const { status } = await ask(gateway, path, body);
    tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
  } catch (error) {
    tally.failures.push(`${path}: ${error}`);
  }
}

/** A subscriber that goes after some time, and another comes. */
async function follow({ baseUrl, apiKey }: Gateway, tally: Tally, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    };
    const call = request(`${baseUrl}/graphql`, { method: 'POST', headers, agent: false });
    const leave = () => call.destroy();
    const timer = setTimeout(leave, Math.random() * STREAM_MS);
    signal.addEventListener('abort', leave);
    call.on('error', () => {});
    call.on('response', (response) => {
      if (response.statusCode === 200) tally.streams += 1;
      else tally.failures.push(`a stream was answered with ${response.statusCode}`);
      response.on('error', () => {}).resume();
    });
    const gone = once(call, 'close');
    call.end(JSON.stringify(SUBSCRIPTION));
    await gone.catch(() => {});
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

async function receiveWebhooks(gateway: Gateway, tally: Tally): Promise<() => void> {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => response.end());
    tally.webhooks += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const query = `mutation { createWebhookEndpoint(input: { url: "http://127.0.0.1:${port}/" }) { webhookEndpoint { id: endpointId } errors { code message path } } }`;
  const { text } = await ask(gateway, '/graphql', { query });
  if (!text.includes('"id":"whe_')) throw new Error(text);
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

async function probe({ child }: Gateway): Promise<Probe> {
  child.send('probe');
  const [answer] = await once(child, 'message');
  return answer as Probe;
}

interface Soaked {
  readonly tally: Tally;
  readonly samples: readonly (Probe & { readonly minutes: number })[];
}

async function soak(url: string): Promise<Soaked> {
  const home = mkdtempSync(join(tmpdir(), 'crossramp-soak-'));
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const gateway = await startGateway(url, home, { nodeArgs: ['--expose-gc', '--import', PROBE] });
  const tally: Tally = { byStatus: new Map(), onramps: 0, failures: [], webhooks: 0, streams: 0 };
  const end = new AbortController();
  const { signal } = end;
  setMaxListeners(0, signal);
  let close = () => {};
  try {
    await liftLimits(owner);
    await fillAnswers(gateway);
    close = await receiveWebhooks(gateway, tally);
    const load = [
      steadily(Number(options.rate), signal, () => buy(gateway, tally)),
      steadily(Number(options.reads), signal, () => read(gateway, tally)),
      ...Array.from({ length: Number(options.streams) }, () => follow(gateway, tally, signal)),
    ];
    const samples: (Probe & { minutes: number })[] = [];
    const begun = performance.now();
    for (let minutes = 0; minutes < Number(options.minutes); ) {
      await delay(Number(options.every) * 1_000);
      minutes = (performance.now() - begun) / 60_000;
      samples.push({ minutes, ...(await probe(gateway)) });
      const { heap, rss, delayMs } = samples.at(-1) as Probe;
      const told = [heap / MIB, rss / MIB, delayMs].map((value) => value.toFixed(1)).join(', ');
      console.log(`${minutes.toFixed(1)} min: heap MiB, RSS MiB, late ms: ${told}; ${tally.onramps} onramps`);
    }
    end.abort();
    await Promise.all(load);
    return { tally, samples };
  } finally {
    end.abort();
    close();
    await endGateway(gateway);
    await owner.end();
    rmSync(home, { recursive: true, force: true });
  }
}

console.log(machine());
const { tally, samples } = await withWriteServer({ fsync: true, settings: { autovacuum: 'on' } }, soak);
const settled = samples.slice(Math.floor(samples.length / 3));
const line = (of: (probe: Probe) => number): Line =>
  lineOf(settled.map((each): Sample => ({ minutes: each.minutes, value: of(each) / MIB })));
const [heap, pages, rss] = [line((each) => each.heap), line((each) => each.pages), line((each) => each.rss)];
const failed = [...tally.byStatus].reduce((sum, [status, times]) => sum + (status >= 500 ? times : 0), 0);
const mib = (value: number) => value.toFixed(2);
const level = (name: string, { perHour, noise, isLevel }: Line) => ({
  issue: 14,
  what: `${name} after ${options.minutes} minutes of mixed load: MiB in an hour (noise ${mib(noise)})`,
  goal: 'level',
  measured: mib(perHour),
  isMet: isLevel,
});
for (const failure of new Set(tally.failures)) console.error(failure);
publish(
  {
    goals: [
      goal(14, 'answers of 5xx', { most: 0 }, failed),
      goal(14, 'onramps and requests that did not end as they should', { most: 0 }, tally.failures.length),
      level('heap', heap),
      level('RSS', rss),
    ],
    sections: [
      {
        title: `Mixed load for ${options.minutes} minutes`,
        headings: ['What', 'Unit', 'First', 'Last', 'Median', 'In an hour'],
        rows: [
          ['heap in use', 'MiB', ...ends((each) => each.heap / MIB), mib(heap.perHour)],
          ['pages of V8 for it', 'MiB', ...ends((each) => each.pages / MIB), mib(pages.perHour)],
          ['RSS', 'MiB', ...ends((each) => each.rss / MIB), mib(rss.perHour)],
          ['lateness of timers, p99', 'ms', ...ends((each) => each.delayMs), '–'],
        ],
        note: [
          `${count(tally.onramps)} onramps, ${count(tally.webhooks)} webhooks, ${count(tally.streams)} subscribers came;`,
          `answers to reads: ${[...tally.byStatus].map(([status, times]) => `${count(times)} × ${status}`).join(', ')}.`,
        ].join(' '),
      },
    ],
  },
  options.check,
);
console.log(machine());
process.exit();

function ends(of: (probe: Probe) => number): string[] {
  const values = settled.map(of);
  return [values[0] as number, values.at(-1) as number, median(values)].map(mib);
}

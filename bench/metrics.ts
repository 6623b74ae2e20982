/**
 * CPU time that watching adds to an onramp and to a read. Five gateways run on one database: one without metrics and traces, one like it as a
 * control, one with metrics that are scraped every five seconds, one that records a span of everything and sends all of them, one that does so for a tenth of the traces. They are
 * loaded in turn, so each ratio is of two runs that followed each other; that of the control says how far the others can be trusted.
 *
 * `npm run metrics -- --seconds 1 --rounds 40 --callers 8 --warmup 10`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import { liftLimits, withWriteServer } from './environment.ts';
import { ask, askSurely, endGateway, type Gateway, onramp, startGateway } from './gateway-process.ts';
import { goal, publish } from './report.ts';
import { count, median, ratio } from './table.ts';

interface Contender {
  readonly name: string;
  readonly gateway: Gateway;
}

/** CPU time of one operation. Unit: µs. */
interface Cost {
  readonly node: number;
  readonly postgres: number;
}

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '40' },
    callers: { type: 'string', default: '8' },
    warmup: { type: 'string', default: '10' },
  },
});
const SCRAPE_EVERY_MS = 5_000;
const WITHOUT_REDUCER = ['--no-memory-reducer'];

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Takes spans and forgets them. @returns its URL, how many bytes came, and what ends it. */
async function startCollector() {
  let bytes = 0;
  const server = createHttpServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bytes: () => bytes, close: () => server.close() };
}

/** @returns how often the callers did the work in so many seconds. */
async function load(work: () => Promise<unknown>, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let done = 0;
  const caller = async () => {
    for (; performance.now() < until; done += 1) await work();
  };
  await Promise.all(Array.from({ length: Number(options.callers) }, caller));
  return done;
}

async function costOf(
  { gateway }: Contender,
  postmaster: number,
  work: (gateway: Gateway) => Promise<unknown>,
): Promise<Cost> {
  const used = () => [processCpu(gateway.child.pid as number), clusterCpu(postmaster)] as const;
  const before = used();
  const done = await load(() => work(gateway), Number(options.seconds));
  const after = used();
  return { node: (after[0] - before[0]) / done, postgres: (after[1] - before[1]) / done };
}

/** Costs of each contender, round by round, by the name of the contender. */
type Rounds = readonly ReadonlyMap<string, Cost>[];

const BARE = 'without';
const WATCHED = ['control', 'metrics', 'traces', 'a tenth of traces'];

async function compare(url: string): Promise<Readonly<Record<string, Rounds>>> {
  const home = mkdtempSync(join(tmpdir(), 'crossramp-metrics-'));
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const collector = await startCollector();
  const contenders: Contender[] = [];
  let scraper: NodeJS.Timeout | undefined;
  try {
    const { rows } = await owner.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);
    const port = await freePort();
    const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      metrics: { METRICS_PORT: String(port) },
      traces: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      },
      'a tenth of traces': { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    };
    for (const name of [BARE, ...WATCHED]) {
      const [first] = contenders;
      const gateway = await startGateway(url, join(home, String(contenders.length)), {
        nodeArgs: WITHOUT_REDUCER,
        env: { SECRETS_KEY_FILE: join(home, 'secrets.key'), ...settings[name] },
        ...(first && { apiKey: first.gateway.apiKey }),
      });
      contenders.push({ name, gateway });
    }
    await liftLimits(owner);
    // Scrapes go on while others are measured, so that a run of less than a scrape's time gets its share of them.
    scraper = setInterval(() => fetch(`http://127.0.0.1:${port}/metrics`).catch(() => {}), SCRAPE_EVERY_MS);
    const found: Record<string, Rounds> = {};
    for (const [name, work] of Object.entries(await worksOf(contenders[0] as Contender))) {
      for (const { gateway } of contenders) await load(() => work(gateway), Number(options.warmup));
      const rounds: Map<string, Cost>[] = [];
      for (let round = 0; round < Number(options.rounds); round += 1) {
        // The one that comes later finds a larger database, so they begin by turns.
        const order = contenders.map((_, at) => contenders[(at + round) % contenders.length] as Contender);
        const costs = new Map<string, Cost>();
        for (const each of order) costs.set(each.name, await costOf(each, postmaster, work));
        rounds.push(costs);
      }
      found[name] = rounds;
    }
    console.log(`the collector got ${count(collector.bytes() / 1_000_000)} MB of spans`);
    return found;
  } finally {
    clearInterval(scraper);
    await Promise.all(contenders.map(({ gateway }) => endGateway(gateway)));
    collector.close();
    await owner.end();
    rmSync(home, { recursive: true, force: true });
  }
}

async function worksOf({ gateway }: Contender) {
  const { end2end } = await askSurely(gateway, '/v2/onramp', {
    amount_payment: 550,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana Souza',
    client_tax_id: '52998224725',
  });
  return {
    'a read': (each: Gateway): Promise<unknown> => ask(each, `/v2/onramp/${end2end}`),
    'an onramp': (each: Gateway): Promise<unknown> => onramp(each),
  };
}

console.log(machine());
const MOST: Readonly<Record<string, number>> = { metrics: 1.02, traces: 1.05 };
const both = ({ node, postgres }: Cost) => node + postgres;
const results = Object.entries(await withWriteServer({ fsync: true }, compare)).flatMap(([name, rounds]) =>
  WATCHED.map((by) => {
    const ratios = (of: (cost: Cost) => number) =>
      rounds.map((costs) => of(costs.get(by) as Cost) / of(costs.get(BARE) as Cost));
    const middle = (contender: string, of: (cost: Cost) => number) =>
      count(median(rounds.map((costs) => of(costs.get(contender) as Cost))));
    return { name, by, node: ratios(({ node }) => node), both: ratios(both), middle };
  }),
);
const spread = (ratios: readonly number[]) =>
  `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`;
publish(
  {
    goals: results.flatMap(({ name, by, both: ratios }) => {
      const most = MOST[by];
      return most === undefined
        ? []
        : [goal(0, `CPU of ${name} with ${by} beside without`, { most }, median(ratios), ratio)];
    }),
    sections: [
      {
        title: `CPU with metrics (scraped every ${SCRAPE_EVERY_MS / 1_000} s) and traces, beside without; ${options.callers} callers, ${options.rounds} rounds of ${options.seconds} s`,
        headings: [
          'Of',
          'With',
          'Both ratio',
          'Ratios of both, least to greatest',
          'Node ratio',
          'Node µs without',
          'with',
          'PostgreSQL µs without',
          'with',
        ],
        rows: results.map(({ name, by, node, both: ratios, middle }) => [
          name,
          by,
          ratio(median(ratios)),
          spread(ratios),
          ratio(median(node)),
          middle(BARE, (cost) => cost.node),
          middle(by, (cost) => cost.node),
          middle(BARE, (cost) => cost.postgres),
          middle(by, (cost) => cost.postgres),
        ]),
      },
    ],
  },
  false,
);

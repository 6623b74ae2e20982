/**
 * CPU time that metrics add to an onramp and to a read. Two gateways run on one database, one with metrics that are scraped every
 * second and one without; they are loaded in turn, so each ratio is of two runs that followed each other.
 *
 * `npm run metrics -- --seconds 5 --rounds 6 --callers 8 --warmup 10`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import { liftLimits, withWriteServer } from './environment.ts';
import { ask, askSurely, endGateway, type Gateway, onramp, startGateway } from './gateway-process.ts';
import { goal, publish } from './report.ts';
import { count, median, ratio } from './table.ts';

/** A gateway, and where its metrics are. */
interface Contender {
  readonly gateway: Gateway;
  readonly metricsUrl: string | undefined;
}

/** CPU time of one operation. Unit: µs. */
interface Cost {
  readonly node: number;
  readonly postgres: number;
}

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '6' },
    callers: { type: 'string', default: '8' },
    warmup: { type: 'string', default: '10' },
  },
});
const SCRAPE_EVERY_MS = 1_000;
const WITHOUT_REDUCER = ['--no-memory-reducer'];

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
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
  { gateway, metricsUrl }: Contender,
  postmaster: number,
  work: (gateway: Gateway) => Promise<unknown>,
): Promise<Cost> {
  const used = () => [processCpu(gateway.child.pid as number), clusterCpu(postmaster)] as const;
  const scrape = async () => metricsUrl && (await fetch(metricsUrl)).text();
  const timer = setInterval(() => scrape().catch(() => {}), SCRAPE_EVERY_MS);
  const before = used();
  const done = await load(() => work(gateway), Number(options.seconds));
  const after = used();
  clearInterval(timer);
  return { node: (after[0] - before[0]) / done, postgres: (after[1] - before[1]) / done };
}

/** Costs without and with metrics, round by round. */
type Pairs = readonly (readonly [without: Cost, withMetrics: Cost])[];

async function compare(url: string): Promise<Readonly<Record<string, Pairs>>> {
  const home = mkdtempSync(join(tmpdir(), 'crossramp-metrics-'));
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const contenders: Contender[] = [];
  try {
    const { rows } = await owner.query('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0].pid);
    for (const port of [undefined, await freePort()]) {
      const [first] = contenders;
      const gateway = await startGateway(url, join(home, String(contenders.length)), {
        nodeArgs: WITHOUT_REDUCER,
        env: {
          SECRETS_KEY_FILE: join(home, 'secrets.key'),
          ...(port !== undefined && { METRICS_PORT: String(port) }),
        },
        ...(first && { apiKey: first.gateway.apiKey }),
      });
      const metricsUrl = port === undefined ? undefined : `http://127.0.0.1:${port}/metrics`;
      contenders.push({ gateway, metricsUrl });
    }
    await liftLimits(owner);
    const [without, withMetrics] = contenders as [Contender, Contender];
    const { end2end } = await askSurely(without.gateway, '/v2/onramp', {
      amount_payment: 550,
      currency_exit_received_code: 'USDT_TRX',
      client_name: 'Ana Souza',
      client_tax_id: '52998224725',
    });
    const works: Readonly<Record<string, (gateway: Gateway) => Promise<unknown>>> = {
      'a read': (gateway) => ask(gateway, `/v2/onramp/${end2end}`),
      'an onramp': onramp,
    };
    for (const work of Object.values(works))
      for (const { gateway } of contenders) await load(() => work(gateway), Number(options.warmup));
    const found: Record<string, Pairs> = {};
    for (const [name, work] of Object.entries(works)) {
      const pairs: [Cost, Cost][] = [];
      for (let round = 0; round < Number(options.rounds); round += 1) {
        // The one that comes second finds a larger database, so they begin by turns.
        const order = round % 2 === 0 ? [without, withMetrics] : [withMetrics, without];
        const costs = new Map<Contender, Cost>();
        for (const each of order) costs.set(each, await costOf(each, postmaster, work));
        pairs.push([costs.get(without) as Cost, costs.get(withMetrics) as Cost]);
      }
      found[name] = pairs;
    }
    return found;
  } finally {
    await Promise.all(contenders.map(({ gateway }) => endGateway(gateway)));
    await owner.end();
    rmSync(home, { recursive: true, force: true });
  }
}

console.log(machine());
const results = Object.entries(await withWriteServer({ fsync: true }, compare)).map(([name, pairs]) => {
  const ratios = (of: (cost: Cost) => number) =>
    pairs.map(([without, withMetrics]) => of(withMetrics) / of(without));
  return {
    name,
    pairs,
    node: ratios(({ node }) => node),
    both: ratios(({ node, postgres }) => node + postgres),
  };
});
const spread = (ratios: readonly number[]) =>
  `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`;
const middle = (pairs: Pairs, at: 0 | 1, of: (cost: Cost) => number) =>
  count(median(pairs.map((pair) => of(pair[at]))));
publish(
  {
    goals: results.map(({ name, both }) =>
      goal(0, `CPU of ${name} with metrics beside without`, { most: 1.05 }, median(both), ratio),
    ),
    sections: [
      {
        title: `CPU with metrics, scraped every second, beside without; ${options.callers} callers, ${options.rounds} rounds of ${options.seconds} s`,
        headings: [
          'Of',
          'Ratios of both, least to greatest',
          'Node ratio',
          'Both ratio',
          'Node µs without',
          'with',
          'PostgreSQL µs without',
          'with',
        ],
        rows: results.map(({ name, pairs, node, both }) => [
          name,
          spread(both),
          ratio(median(node)),
          ratio(median(both)),
          middle(pairs, 0, (cost) => cost.node),
          middle(pairs, 1, (cost) => cost.node),
          middle(pairs, 0, (cost) => cost.postgres),
          middle(pairs, 1, (cost) => cost.postgres),
        ]),
      },
    ],
  },
  false,
);

/**
 * Reads of this checkout beside those of another one, in one run: CPU time of the gateway and of PostgreSQL for a request by REST and by
 * GraphQL, read anew each time and proved unchanged. Each gateway has a database of its own with the same onramps, and is asked in turn.
 *
 * `npm run reads-beside -- --beside <folder> --seconds 2 --rounds 9 --connections 8 --onramps 60`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import pg from 'pg';
import { clusterCpu, machine, parentOf, processCpu } from './cpu.ts';
import type { Documents } from './documents.ts';
import { liftLimits, newDatabase, withWriteServer } from './environment.ts';
import { ask, endGateway, type Gateway, HERE, onramp, startGateway } from './gateway-process.ts';
import { goal, publish } from './report.ts';
import { count, median, ratio } from './table.ts';

const { values: options } = parseArgs({
  options: {
    beside: { type: 'string' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '9' },
    connections: { type: 'string', default: '8' },
    onramps: { type: 'string', default: '60' },
    check: { type: 'boolean', default: false },
  },
});
if (options.beside === undefined) throw new Error('--beside names the folder of another checkout');

/** Most that a read may cost beside one of the other checkout: what runs on a quiet machine differ by. */
const RATIO_MAX = 1.05;
/** Settings of the gateway by what it reads. */
const WAYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'read anew': { ANSWERS_MAX_MB: '0' },
  'nothing changed': {},
};
const STATEMENT = { currency: 'USDT_TRX', subAccount: 'available' };

/** A request that is sent again and again. */
interface Question {
  readonly name: string;
  readonly path: string;
  readonly body?: string;
}

/** A gateway that runs, with its questions and the processes that its cost is read from. */
interface Side {
  readonly gateway: Gateway;
  readonly postmaster: number;
  readonly questions: readonly Question[];
}

async function questionsOf(checkout: string, owner: pg.Client): Promise<Question[]> {
  const { rows } = await owner.query(`select end2end from transaction order by id limit 1`);
  const { end2end } = rows[0];
  const { href } = pathToFileURL(join(checkout, 'bench/documents.ts'));
  const documents: Documents = (await import(href)).GATEWAY_DOCUMENTS;
  const post = (name: string, query: string, variables: object): Question => ({
    name: `GraphQL ${name}`,
    path: '/graphql',
    body: JSON.stringify({ query: query.replace(/\s+/g, ' '), variables }),
  });
  const { currency, subAccount } = STATEMENT;
  return [
    { name: 'REST single', path: `/v2/onramp/${end2end}` },
    { name: 'REST list page', path: '/v2/onramps?limit=20' },
    {
      name: 'REST statement page',
      path: `/v2/statement?limit=20&currency=${currency}&account_type=${subAccount}`,
    },
    post('single', documents.single, { end2end }),
    post('list page', documents.list({ counted: true }), {}),
    post('statement page', documents.statement({ counted: true }), { filter: STATEMENT }),
  ];
}

/** Starts the gateways of a checkout on one database: one for each way. The first of them makes the onramps. */
async function startSides(url: string, checkout: string, home: string): Promise<Map<string, Side>> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const sides = new Map<string, Side>();
  const { rows } = await owner.query('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0].pid);
  let first: Gateway | undefined;
  for (const [way, env] of Object.entries(WAYS)) {
    const gateway = await startGateway(url, join(home, String(sides.size)), {
      checkout,
      nodeArgs: ['--no-memory-reducer'],
      env: { SECRETS_KEY_FILE: join(home, 'secrets.key'), ...env },
      ...(first && { apiKey: first.apiKey }),
    });
    if (!first) {
      await liftLimits(owner);
      for (let made = 0; made < Number(options.onramps); made += 1) await onramp(gateway);
      await owner.query('analyze');
    }
    first ??= gateway;
    sides.set(way, { gateway, postmaster, questions: await questionsOf(checkout, owner) });
  }
  await owner.end();
  return sides;
}

/** @returns CPU time of one request. Unit: µs. */
async function measure({ gateway, postmaster }: Side, { name, path, body }: Question): Promise<number> {
  const used = () => processCpu(gateway.child.pid as number) + clusterCpu(postmaster);
  const before = used();
  const { requests, non2xx, errors } = await autocannon({
    url: gateway.baseUrl + path,
    connections: Number(options.connections),
    duration: Number(options.seconds),
    sampleInt: 100,
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body }),
  });
  if (non2xx + errors > 0 || requests.total === 0)
    throw new Error(`${name}: ${non2xx} refusals, ${errors} errors`);
  return (used() - before) / requests.total;
}

/** Costs by checkout, in the order of the rounds. */
type Costs = readonly [own: number[], other: number[]];

async function compare(serverUrl: string): Promise<Map<string, Costs>> {
  const home = mkdtempSync(join(tmpdir(), 'crossramp-reads-'));
  const found = new Map<string, Costs>();
  const all: Map<string, Side>[] = [];
  try {
    for (const [index, checkout] of [HERE, resolve(options.beside as string)].entries()) {
      const url = await newDatabase(serverUrl, `reads_${index}`);
      all.push(await startSides(url, checkout, join(home, String(index))));
    }
    for (const way of Object.keys(WAYS)) {
      const sides = all.map((each) => each.get(way) as Side) as [Side, Side];
      for (const [at, { name }] of sides[0].questions.entries()) {
        const costs: Costs = [[], []];
        for (const side of sides) await refuseErrors(side, at);
        // The first two rounds warm up.
        for (let round = -2; round < Number(options.rounds); round += 1)
          for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
            const us = await measure(sides[index], sides[index].questions[at] as Question);
            if (round >= 0) costs[index].push(us);
          }
        found.set(`${name}, ${way}`, costs);
        console.log(`${name}, ${way}: ${costs.map((each) => count(median(each))).join(' | ')} µs`);
      }
    }
    return found;
  } finally {
    await Promise.all(all.flatMap((sides) => [...sides.values()].map(({ gateway }) => endGateway(gateway))));
    rmSync(home, { recursive: true, force: true });
  }
}

/** GraphQL answers 200 with errors: a refused question would be measured as a fast one. */
async function refuseErrors({ gateway, questions }: Side, at: number): Promise<void> {
  const { name, path, body } = questions[at] as Question;
  const { status, text } = await ask(gateway, path, body === undefined ? undefined : JSON.parse(body));
  if (status !== 200 || JSON.parse(text).errors) throw new Error(`${name}: ${status} ${text.slice(0, 400)}`);
}

console.log(machine());
const results = [...(await withWriteServer({ fsync: true, isEmpty: true }, compare))].map(([name, costs]) => {
  const [own, other] = costs;
  const ratios = own.map((us, round) => us / (other[round] as number));
  return { name, own: median(own), other: median(other), ratios };
});
publish(
  {
    goals: results.map(({ name, ratios }) =>
      goal(34, `CPU of ${name}, beside ${options.beside}`, { most: RATIO_MAX }, median(ratios), ratio),
    ),
    sections: [
      {
        title: 'Reads beside another checkout',
        headings: ['Read', 'Ratios, least to greatest', 'Ratio', 'µs here', 'µs there'],
        rows: results.map(({ name, own, other, ratios }) => [
          name,
          `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`,
          ratio(median(ratios)),
          count(own),
          count(other),
        ]),
      },
    ],
  },
  options.check,
);
console.log(machine());

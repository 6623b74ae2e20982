/**
 * How reading times grow from an account of 10 k transactions to one of 1 M: first page, last page, total, and total
 * between two days, of a list and of the statement, by the store's functions and by REST. Medians; every question
 * is put to both accounts in turn, so that what else runs on the machine falls on both.
 *
 * `npm run growth -- --transactions 1000000 --times 200 [--check]`
 */
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createServices } from '../src/compose/services.ts';
import { readConfig } from '../src/config.ts';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { createApp } from '../src/server/app.ts';
import { listen } from '../src/server/listen.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { type ListFilter, listTransactions } from '../src/store/engine/transactions.ts';
import { readStatementEntries, type StatementFilter } from '../src/store/ledger/ledger.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { machine } from './cpu.ts';
import { withBenchServer } from './environment.ts';
import { LARGE_SIZE, type SeededAccount, seed } from './seed.ts';
import { count, median, ratio, table } from './table.ts';

const GOAL = 3;
const WARM_UPS = 20;
const PAGE = 20;
/** A month in the middle of the seed. */
const DAYS = { dateFrom: '2026-02-01', dateTo: '2026-02-28' };

/** An account that is read. */
interface Subject extends SeededAccount {
  readonly apiKey: string;
}

/** A page of one account. */
interface Question {
  readonly what: 'list' | 'statement';
  readonly filter: ListFilter & StatementFilter;
  readonly limit: number;
  readonly offset: number;
}

/** A kind of page, for each account in its own place. */
interface Kind {
  readonly name: string;
  readonly of: (subject: Subject) => Promise<Question>;
}

type Ask = (subject: Subject, question: Question) => Promise<bigint>;

/** What was measured of a kind. Unit: ms. */
interface Growth {
  readonly name: string;
  readonly way: string;
  readonly small: number;
  readonly large: number;
}

async function run(url: string, size: number, times: number): Promise<Growth[]> {
  const { small, large } = await seed(url, size);
  const database = openDatabase(url, { connections: 4 });
  const config = readConfig({ RATE_LIMIT: 'off' });
  const services = createServices({ database, registry: REGISTRY, config });
  const app = createApp({ config, services, log: pino({ level: 'silent' }) });
  const { server, port } = await listen(app.handle, { host: '127.0.0.1', port: 0 });
  try {
    const subjects = [await withKey(database, small), await withKey(database, large)] as const;
    const ways = { store: askStore(database), REST: askRest(`http://127.0.0.1:${port}`) };
    const growths: Growth[] = [];
    for (const kind of kinds(ways.store)) {
      for (const [way, ask] of Object.entries(ways))
        growths.push(await compare(kind, way, ask, subjects, times));
    }
    return growths;
  } finally {
    server.close();
    server.closeAllConnections();
    await database.close();
  }
}

async function withKey(database: Database, account: SeededAccount): Promise<Subject> {
  const options = {
    name: 'growth',
    scopes: ['read'],
    expiresAt: null,
    allowedCidrs: [],
  } as const;
  return { ...account, apiKey: (await createKey(database, account.id, options)).apiKey };
}

function kinds(ask: Ask): Kind[] {
  const subjects = [
    { name: 'list', what: 'list', filter: {} },
    { name: 'statement', what: 'statement', filter: {} },
    {
      name: 'statement of one sub-account',
      what: 'statement',
      filter: { currency: 'USDT_TRX', subAccount: 1 },
    },
  ] as const;
  return subjects.flatMap(({ name, what, filter }): Kind[] => {
    const first = { what, filter, limit: PAGE, offset: 0 };
    const dated = { what, filter: { ...filter, ...DAYS }, limit: 1, offset: 0 };
    return [
      { name: `${name}, first page`, of: async () => first },
      {
        name: `${name}, last page`,
        of: async (subject) => ({ ...first, offset: Number(await ask(subject, first)) - PAGE }),
      },
      {
        name: `${name}, page in the middle`,
        of: async (subject) => ({ ...first, offset: Math.floor(Number(await ask(subject, first)) / 2) }),
      },
      { name: `${name}, total`, of: async () => ({ ...first, limit: 1 }) },
      { name: `${name}, total of a month`, of: async () => dated },
      {
        name: `${name}, last page of a month`,
        of: async (subject) => ({ ...dated, limit: PAGE, offset: Number(await ask(subject, dated)) - PAGE }),
      },
    ];
  });
}

async function compare(
  kind: Kind,
  way: string,
  ask: Ask,
  [small, large]: readonly [Subject, Subject],
  times: number,
): Promise<Growth> {
  const questions = [await kind.of(small), await kind.of(large)] as const;
  const smallTimes: number[] = [];
  const largeTimes: number[] = [];
  for (let i = -WARM_UPS; i < times; i++) {
    const smallTime = await timed(() => ask(small, questions[0]));
    const largeTime = await timed(() => ask(large, questions[1]));
    if (i < 0) continue;
    smallTimes.push(smallTime);
    largeTimes.push(largeTime);
  }
  return { name: kind.name, way, small: median(smallTimes), large: median(largeTimes) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Asks the functions that both edges call. */
function askStore(database: Database): Ask {
  return async ({ id }, { what, filter, limit, offset }) => {
    if (what === 'statement')
      return whole(await readStatementEntries(database, id, filter, { limit, offset }), limit, 'lines');
    const page = await listTransactions(
      database,
      id,
      'onramps',
      filter,
      { limit, offset },
      { counted: true },
    );
    return whole(page, limit, 'rows');
  };
}

/** Asks over HTTP. */
function askRest(baseUrl: string): Ask {
  return async ({ apiKey }, { what, filter, limit, offset }) => {
    const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
    if (filter.currency) query.set('currency', filter.currency);
    if (filter.subAccount) query.set('account_type', 'available');
    if (filter.dateFrom) query.set('date_from', filter.dateFrom);
    if (filter.dateTo) query.set('date_to', filter.dateTo);
    const response = await fetch(`${baseUrl}/v2/${what === 'list' ? 'onramps' : what}?${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const body = (await response.json()) as { total: number } & Record<string, readonly unknown[]>;
    const page = { total: BigInt(body.total), records: body.results ?? body.entries ?? [] };
    return whole(page, limit, 'records');
  };
}

/** @throws {Error} when a page is not full: an empty one would be fast and would say nothing. */
function whole<Name extends string>(
  page: ({ readonly total: bigint | null } & Readonly<Record<Name, readonly unknown[]>>) | undefined,
  limit: number,
  name: Name,
): bigint {
  if (page?.total == null || page[name].length !== limit)
    throw new Error(`expected ${limit} records, got ${page?.[name].length}`);
  return page.total;
}

/** Prints the table. @returns whether every question stays within the goal. */
function report(growths: readonly Growth[], size: number): boolean {
  const grown = (growth: Growth) => growth.large / growth.small;
  const headings = ['Page', 'By', 'Ratio', 'ms at 10,000', `ms at ${count(size)}`, `Goal <= ${GOAL}`];
  const rows = growths.map((growth) => [
    growth.name,
    growth.way,
    ratio(grown(growth)),
    growth.small.toFixed(2),
    growth.large.toFixed(2),
    grown(growth) <= GOAL ? 'met' : 'MISSED',
  ]);
  console.log(`\n${table(headings, rows)}\n`);
  return growths.every((growth) => grown(growth) <= GOAL);
}

const { values } = parseArgs({
  options: {
    transactions: { type: 'string', default: String(LARGE_SIZE) },
    times: { type: 'string', default: '200' },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
await withBenchServer(async (url) => {
  const size = Number(values.transactions);
  const isMet = report(await run(url, size, Number(values.times)), size);
  if (!isMet && values.check) process.exitCode = 1;
});

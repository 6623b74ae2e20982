/**
 * How times grow from an account of 10 k transactions to larger ones: first page, last page, total, and total between two
 * days, of a list and of the statement, by the store's functions and by REST; the audit and the export of each record. Medians; every question is put to all accounts in turn, so that what else runs on the machine falls on all.
 *
 * `npm run growth -- --transactions 100000,1000000 --small 10000 --times 200 [--check]`; 3,000,000 where it is asked for.
 */
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createServices } from '../src/compose/services.ts';
import { readConfig } from '../src/config.ts';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { exportAccount } from '../src/resolvers/exports/export-account.ts';
import { createApp } from '../src/server/app.ts';
import { listen } from '../src/server/http/listen.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import type { Database } from '../src/store/connection/database.ts';
import { type ListFilter, listTransactions } from '../src/store/engine/transactions.ts';
import { readStatementEntries, type StatementFilter } from '../src/store/ledger/ledger.ts';
import { verifyLedger } from '../src/store/ledger/verify.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { machine } from './cpu.ts';
import { withBenchServer } from './environment.ts';
import { goal, publish, type Report } from './report.ts';
import { LARGE_SIZE, type SeededAccount, SMALL_SIZE, seed } from './seed.ts';
import { count, median, ratio } from './table.ts';

const GOAL = 2;
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

type Prompt = (subject: Subject, question: Question) => Promise<bigint>;

/** What was measured of a kind, of each account. */
interface Growth {
  readonly name: string;
  readonly way: string;
  readonly values: readonly number[];
}

async function run(url: string, sizes: readonly number[], small: number, times: number): Promise<Growth[]> {
  const accounts: SeededAccount[] = [];
  for (const size of sizes) {
    const seeded = await seed(url, size, small);
    if (accounts.length === 0) accounts.push(seeded.small);
    accounts.push(seeded.large);
  }
  const database = openDatabase(url, { connections: 4, patient: true });
  // Each answer is read anew: a kept one takes the same time in every account.
  const config = readConfig({ RATE_LIMIT: 'off', ANSWERS_MAX_MB: '0' });
  const services = createServices({ database, registry: REGISTRY, config });
  const app = createApp({ config, services, log: pino({ level: 'silent' }) });
  const { server, port } = await listen(app.handle, { host: '127.0.0.1', port: 0 });
  try {
    const subjects: Subject[] = [];
    for (const account of accounts) subjects.push(await withKey(database, account));
    const ways = { store: askStore(database), REST: askRest(`http://127.0.0.1:${port}`) };
    const growths: Growth[] = [];
    for (const kind of kinds(ways.store))
      for (const [way, ask] of Object.entries(ways))
        growths.push(await compare(kind, way, ask, subjects, times));
    growths.push(await walked('audit of a transaction', 'verify', subjects, ({ id }) => audit(database, id)));
    growths.push(
      await walked('export of a transaction', 'export', subjects, ({ id }) => write(database, id)),
    );
    return growths;
  } finally {
    server.close();
    server.closeAllConnections();
    await database.close();
  }
}

/** What reads an account whole: the time of each transaction. */
async function walked(
  name: string,
  way: string,
  subjects: readonly Subject[],
  walk: (subject: Subject) => Promise<void>,
): Promise<Growth> {
  const values: number[] = [];
  for (const subject of subjects) values.push((await timed(() => walk(subject))) / subject.transactions);
  return { name, way, values };
}

async function audit(database: Database, accountId: bigint): Promise<void> {
  const { defects } = await verifyLedger(database, accountId);
  if (defects.length > 0) throw new Error(`the seed is wrong: ${defects[0]?.detail}`);
}

function write(database: Database, accountId: bigint): Promise<void> {
  return database.withTx(async (tx) => {
    let lines = 0;
    for await (const line of exportAccount(tx, REGISTRY, accountId)) lines += line.length > 0 ? 1 : 0;
    if (lines === 0) throw new Error('the export is empty');
  });
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

function kinds(ask: Prompt): Kind[] {
  const subjects = [
    { name: 'list', what: 'list', filter: {} },
    { name: 'statement', what: 'statement', filter: {} },
    {
      name: 'statement of one sub-account',
      what: 'statement',
      filter: { currencies: ['USDT_TRX'], subAccount: 1 },
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
  ask: Prompt,
  subjects: readonly Subject[],
  times: number,
): Promise<Growth> {
  const asked: { subject: Subject; question: Question; times: number[] }[] = [];
  for (const subject of subjects) asked.push({ subject, question: await kind.of(subject), times: [] });
  for (let i = -WARM_UPS; i < times; i++)
    for (const each of asked) {
      const time = await timed(() => ask(each.subject, each.question));
      if (i >= 0) each.times.push(time);
    }
  return { name: kind.name, way, values: asked.map((each) => median(each.times)) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Asks the functions that both edges call. */
function askStore(database: Database): Prompt {
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
function askRest(baseUrl: string): Prompt {
  return async ({ apiKey }, { what, filter, limit, offset }) => {
    const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
    if (filter.currencies?.[0]) query.set('currency', filter.currencies[0]);
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

function reportOf(growths: readonly Growth[], sizes: readonly number[]): Report {
  const grown = ({ values }: Growth) => (values.at(-1) as number) / (values[0] as number);
  const worst = growths.toSorted((a, b) => grown(b) - grown(a))[0] as Growth;
  const [from = 0, to = 0] = [sizes[0], sizes.at(-1)];
  const what = `growth from ${count(from)} to ${count(to)} transactions, the most of ${growths.length} reads, totals, audit and export (${worst.name} by ${worst.way})`;
  return {
    goals: [goal(14, what, { most: GOAL }, grown(worst), ratio)],
    sections: [
      {
        title: 'Growth of an account',
        headings: ['What', 'By', 'Ratio', ...sizes.map((size) => `ms at ${count(size)}`)],
        rows: growths.map((each) => [
          each.name,
          each.way,
          ratio(grown(each)),
          ...each.values.map((ms) => ms.toFixed(2)),
        ]),
      },
    ],
  };
}

const { values } = parseArgs({
  options: {
    transactions: { type: 'string', default: String(LARGE_SIZE) },
    small: { type: 'string', default: String(SMALL_SIZE) },
    times: { type: 'string', default: '200' },
    check: { type: 'boolean', default: false },
  },
});
console.log(machine());
const sizes = values.transactions.split(',').map(Number);
const growths = await withBenchServer((url) => run(url, sizes, Number(values.small), Number(values.times)));
publish(reportOf(growths, [Number(values.small), ...sizes]), values.check);

/**
 * What the screens of the console cost the server, from the request to the last byte: each by HTTP, beside its own document over
 * `/graphql` in the same session, in an account of 1,000 transactions and in one of 1 M; first pages, a deep page, a page by its
 * number, filters that find much, little and nothing, search, and the first bytes of exports. Medians; a screen and its document
 * are asked for in turn, and their ratio is the median of all turns, so that what else runs on the machine touches both.
 *
 * `npm run console -- --transactions 1000000 --times 15 [--only Statement]`
 */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { formToken } from '../src/base/access/person-token.ts';
import { type Role, scopesOf } from '../src/base/access/roles.ts';
import { operatorContext } from '../src/cli/with-store.ts';
import { createServices } from '../src/compose/services.ts';
import { readConfig } from '../src/config.ts';
import type { ScreenContext } from '../src/console/context.ts';
import { SCREENS } from '../src/console/screens/index.ts';
import { translatorIn } from '../src/console/words.ts';
import { checksOf } from '../src/resolvers/checks/check-creation.ts';
import { acceptLink } from '../src/resolvers/people/links.ts';
import { inviteMember } from '../src/resolvers/people/members.ts';
import { provisionSandbox } from '../src/resolvers/sandbox/provision-sandbox.ts';
import type { Services } from '../src/resolvers/services/context.ts';
import { type App, createApp } from '../src/server/app.ts';
import { listen } from '../src/server/http/listen.ts';
import { platformAccount } from '../src/store/account/accounts.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { machine } from './cpu.ts';
import { withBenchServer } from './environment.ts';
import { publish, type Section } from './report.ts';
import { LARGE_SIZE, type SeededAccount, seed } from './seed.ts';
import { median, ratio } from './table.ts';

const SMALL = 1_000;
const WARM_UPS = 3;
const LEAVING_MS = 500;
const EXPORT_TIMES = 4;

/** Somebody who is signed in. */
interface Person {
  readonly account: SeededAccount;
  readonly role: Role;
  readonly token: string;
}

/** A page of the console, or an export. */
interface Question {
  readonly name: string;
  readonly path: (person: Person) => string | Promise<string>;
}

const at = (name: string, path: string): Question => ({ name, path: () => path });
/** A page from the middle of a list: the newest transaction of its middle day. */
const deep = (name: string, path: string, day: string): Question => at(name, `${path}?dateTo=${day}`);

const LIST = '/console/transactions';
const MIDDLE_DAY = '2026-02-01';
/** Rows of a page of a list, and of the statement. */
const ROWS = 25;
const LINES = 50;
/** A screen of one case, which the seeded accounts do not have. */
const OF_ONE = '/review/case';
const QUESTIONS: readonly Question[] = [
  ...SCREENS.filter(({ path, scope }) => !path.includes(':') && path !== OF_ONE && !isOfPlatform(scope)).map(
    ({ path, operation }) => at(operation.name, `/console${path}`),
  ),
  deep('Transactions, from the middle', LIST, MIDDLE_DAY),
  {
    name: 'Transactions, the page in the middle',
    path: ({ account }) => `${LIST}?page=${Math.ceil(account.transactions / ROWS / 2)}`,
  },
  at('Transactions, one list', `${LIST}?family=ONRAMPS`),
  at('Transactions, status of most', `${LIST}?status=SUCCESS`),
  at('Transactions, a rare status', `${LIST}?status=REFUNDED`),
  at('Transactions, amounts', `${LIST}?amountMin=100&amountMax=200`),
  at('Transactions, an amount of none', `${LIST}?amountMin=99999999`),
  at('Transactions, a text of many', `${LIST}?text=souza`),
  at('Transactions, a text of none', `${LIST}?text=nobody-has-this`),
  at('Transactions, what waits for me', `${LIST}?awaitingMe=yes`),
  at('Search, an order', '/console/search?q=order-77'),
  at('Search, a name of many', '/console/search?q=Ana'),
  at('Search, nothing', '/console/search?q=nobody-has-this'),
  at('Statement, one currency', '/console/statement?currency=USDT_TRX'),
  deep('Statement, up to the middle', '/console/statement', MIDDLE_DAY),
  {
    name: 'Statement, the page in the middle',
    path: ({ account }) => `/console/statement?page=${Math.ceil(account.transactions / LINES / 2)}`,
  },
];
const EXPORTS: readonly Question[] = [
  at('Export of transactions', '/export/transactions'),
  at('Export by a text of none, whole', '/export/transactions?text=nobody-has-this'),
  at('Export of the statement', '/export/statement'),
  at('Export for hledger', '/export/statement?format=hledger'),
];
const OPERATOR: readonly Question[] = SCREENS.filter(({ scope }) => isOfPlatform(scope)).map(
  ({ path, operation }) => ({
    name: `${operation.name} (operator)`,
    path: ({ account }) => `/console${path.replace(':account', String(account.id))}`,
  }),
);

function isOfPlatform(scope: (typeof SCREENS)[number]['scope']): boolean {
  return [scope ?? []].flat().some((each) => each.startsWith('platform:'));
}

/** Milliseconds of the screens, by account, and of the document in the large one; how many times as long the screen took. */
interface Row {
  readonly name: string;
  readonly small: number | null;
  readonly large: number;
  readonly document: number | null;
  readonly times: number | null;
}

/** How long the server was busy with the last request that it answered to the end. */
interface Watch {
  readonly handle: App['handle'];
  readonly next: () => Promise<number>;
}

function watch({ handle }: App): Watch {
  let done = Promise.withResolvers<number>();
  return {
    handle: (request, response) => {
      const started = performance.now();
      response.once('finish', () => done.resolve(performance.now() - started));
      handle(request, response);
    },
    next: () => {
      done = Promise.withResolvers<number>();
      return done.promise;
    },
  };
}

async function run(url: string, size: number, times: number, only: readonly string[]): Promise<Row[]> {
  const isRequested = (name: string) => only.some((each) => name.startsWith(each));
  const { small, large } = await seed(url, size, SMALL);
  const database = openDatabase(url, { connections: 4 });
  const config = readConfig({ RATE_LIMIT: 'off', AUTH_FAILURE_LIMIT: 'off', REQUEST_LOG_DAYS: '0' });
  await provisionSandbox(database, REGISTRY);
  const services = createServices({ database, registry: REGISTRY, config });
  const app = createApp({ config, services, log: pino({ level: 'silent' }) });
  const watched = watch(app);
  const { server, port } = await listen(watched.handle, { host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${port}`;
  try {
    const people = {
      small: await enter(services, small, 'owner'),
      large: await enter(services, large, 'owner'),
    };
    const platform = { id: await platformAccount(database, 'sandbox'), transactions: 0, handle: 'platform' };
    const operator = { ...(await enter(services, platform, 'platform_owner')), account: large };
    const rows: Row[] = [];
    for (const question of [...QUESTIONS, ...EXPORTS].filter(({ name }) => isRequested(name))) {
      const isExport = EXPORTS.includes(question);
      rows.push(await compare({ base, watched, times, isExport }, question, [people.small, people.large]));
    }
    for (const question of OPERATOR.filter(({ name }) => isRequested(name)))
      rows.push(await compare({ base, watched, times, isExport: false }, question, [operator]));
    return rows;
  } finally {
    server.close();
    server.closeAllConnections();
    await app.end();
    await database.close();
  }
}

/** Lets somebody in, as an invitation does. */
async function enter(services: Services, account: SeededAccount, role: Role): Promise<Person> {
  const context = await operatorContext(services, account.id);
  const email = `${role}-${account.id}-${Date.now()}@bench.invalid`;
  const named = (name: string, value: string) => ({ name, value });
  const input = { name: named('name', role), email: named('email', email), role: named('role', role) };
  const { url } = await inviteMember(context, input, checksOf(context));
  const device = { origin: { requestId: null, address: null }, userAgent: null };
  const token = await acceptLink(services, url.slice(url.lastIndexOf('/') + 1), device, undefined);
  return { account, role, token };
}

interface Comparison {
  readonly base: string;
  readonly watched: Watch;
  readonly times: number;
  readonly isExport: boolean;
}

async function compare(
  { base, watched, times, isExport }: Comparison,
  question: Question,
  people: readonly Person[],
): Promise<Row> {
  const asks = await Promise.all(
    people.map(async (person) => {
      const path = await question.path(person);
      return {
        screen: () => get(base, path, person),
        document: isExport ? null : documentOf(base, path, person),
      };
    }),
  );
  const turns = (isExport ? Math.min(times, EXPORT_TIMES) : times) + WARM_UPS;
  const taken = asks.map(() => ({ screen: [] as number[], document: [] as number[] }));
  for (let turn = 0; turn < turns; turn++)
    for (const [index, { screen, document }] of asks.entries()) {
      const served = (work: () => Promise<void>) => timeOf(work, isExport ? null : watched);
      const own = [await served(screen), document ? await served(document) : 0] as const;
      // A server notices some time later that nobody takes the rest of an export.
      if (isExport) await setTimeout(LEAVING_MS);
      if (turn < WARM_UPS) continue;
      taken[index]?.screen.push(own[0]);
      taken[index]?.document.push(own[1]);
    }
  const { screen = [], document = [] } = taken.at(-1) ?? {};
  return {
    name: question.name,
    small: taken.length > 1 ? median(taken[0]?.screen ?? []) : null,
    large: median(screen),
    document: isExport ? null : median(document),
    times: isExport ? null : median(screen.map((each, turn) => each / (document[turn] as number))),
  };
}

/** What the server took; of what is not read to its end, what the client waited for. */
async function timeOf(work: () => Promise<void>, watched: Watch | null): Promise<number> {
  const started = performance.now();
  const served = watched?.next();
  await work();
  return served ?? performance.now() - started;
}

const cookieOf = ({ token }: Person) => ({ cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' });

/** A page whole; of an export the first bytes, unless it is short. */
async function get(base: string, path: string, person: Person): Promise<void> {
  const leaving = new AbortController();
  const answer = await fetch(base + path, {
    headers: cookieOf(person),
    redirect: 'manual',
    signal: leaving.signal,
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  if (!path.startsWith('/export') || path.includes('nobody')) return void (await answer.arrayBuffer());
  await answer.body?.getReader().read();
  leaving.abort();
}

/** The document of a screen with its variables, over `/graphql`. */
function documentOf(base: string, path: string, person: Person): () => Promise<void> {
  const url = new URL(path, base);
  const below = url.pathname.slice('/console'.length);
  const context = contextOf(below, url.searchParams, person);
  const screen = SCREENS.find(
    (each) =>
      isOfPlatform(each.scope) === person.role.startsWith('platform') &&
      each.path.split('/').every((part, place) => part.startsWith(':') || part === below.split('/')[place]) &&
      each.path.split('/').length === below.split('/').length,
  );
  if (!screen) throw new Error(`there is no screen at ${path}`);
  const { operation } = screen;
  const body = JSON.stringify({
    query: operation.text,
    operationName: operation.name,
    variables: screen.variables(context),
  });
  const headers = { ...cookieOf(person), 'content-type': 'application/json' };
  return async () => {
    const answer = await fetch(`${base}/graphql`, { method: 'POST', headers, body });
    const text = await answer.text();
    if (answer.status !== 200 || text.startsWith('{"errors"'))
      throw new Error(`${path}: ${text.slice(0, 500)}`);
  };
}

function contextOf(path: string, query: URLSearchParams, { role, account, token }: Person): ScreenContext {
  const own = { accountId: String(account.id), scopes: scopesOf(role), csrf: formToken(token) };
  const session = { ...own, cells: ['first'], takesSignIn: false };
  const named = { account: String(account.id) };
  return { session, language: 'en', translate: translatorIn('en'), path, query, named, refused: null };
}

function sectionOf(rows: readonly Row[]): Section {
  const ms = (value: number | null) => (value === null ? '' : value.toFixed(1));
  const lines = rows.map(({ name, small, large, document, times }) => [
    name,
    ms(small),
    ms(large),
    small === null ? '' : ratio(large / small),
    ms(document),
    times === null ? '' : ratio(times),
  ]);
  const headings = [
    'Screen',
    'Small ms',
    'Large ms',
    'Large to small',
    'Its document ms',
    'Screen to document',
  ];
  return { title: 'Screens of the console', headings, rows: lines };
}

const { values } = parseArgs({
  options: {
    transactions: { type: 'string', default: String(LARGE_SIZE) },
    times: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
});
console.log(machine());
const section = await withBenchServer(async (url) =>
  sectionOf(await run(url, Number(values.transactions), Number(values.times), values.only.split(','))),
);
publish({ goals: [], sections: [section] }, false);

/**
 * Goal: whatever is changed, by whatever door, no gateway ever writes an answer of before (decision 0044). Method: changes by
 * chance, some of them under way, and after each the same questions to two gateways that keep answers and to one that keeps
 * none: where that one says the same before and after, nothing has changed between, and the others must say it, too.
 * `PROVED_TURNS=5000` for the full run, `SEED` to choose the changes again.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { prune, type Retention } from '../../src/resolvers/engine/housekeeping.ts';
import { importAccount } from '../../src/resolvers/history/import-account.ts';
import { ProvedAnswers } from '../../src/server/answers/proved-answers.ts';
import { RETAINED_KINDS } from '../../src/store/account/retention.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { graphqlRequest } from '../fuzz/graphql-requests.ts';
import { restRequest } from '../fuzz/rest-requests.ts';
import { sender } from '../fuzz/send.ts';
import { Values } from '../fuzz/values.ts';
import { startApp, useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { allowWithdrawals, type Merchant, newIntent, nextAct, query, randomOf } from '../support/load.ts';
import { CPF, namedTransactions, TEMPLATE_NAMES } from '../support/records.ts';
import { IDS } from '../support/rest-routes.ts';

const TURNS = Number(process.env.PROVED_TURNS ?? 60);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Most questions after a change, of all that there are. */
const ASKED = 4;
const TIMEOUT_MS = 120_000 + TURNS * 2_000;

const app = useApp({ rateLimit: null });
const random = randomOf(SEED);
const databases: Database[] = [];
const gateways: Awaited<ReturnType<typeof startApp>>[] = [];
const made: { readonly path: string; readonly end2end: string }[] = [];
const running = new Set<Promise<unknown>>();
let merchant: Merchant;
let values: Values;
let send: ReturnType<typeof sender>;
let proved = 0;

beforeAll(async () => {
  const groups = await allowWithdrawals(app.owner, app.accountId, '50');
  const second = await app.addKey(app.accountId, SCOPES);
  merchant = { accountId: app.accountId, keys: [app.apiKey, second.apiKey], groups };
  values = new Values(random, Object.values(IDS), groups.crypto);
  for (const answersBytesMax of [64_000_000, 0]) {
    const database = openDatabase(app.url, { connections: 3 });
    databases.push(database);
    gateways.push(await startApp(database, 0, { answersBytesMax }));
  }
  send = sender(app.baseUrl, 4);
  for (const currency of ['USDT_TRX', 'BRL'])
    expect((await app.post('/v2/sandbox/fund', { currency, amount: '100000' })).status).toBe(200);
  const { find } = ProvedAnswers.prototype;
  ProvedAnswers.prototype.find = async function (...given) {
    const found = await find.apply(this, given);
    if (found.answer) proved += 1;
    return found;
  };
});
afterAll(async () => {
  await Promise.all(running);
  send?.close();
  for (const gateway of gateways) await gateway.close();
  for (const database of databases) await database.close();
});

const PAGE =
  'end2end component state updatedAt status { pt } message { en } source { amount } target { amount }';
const FULL = `${PAGE} fees pixE2e legacyBody receiptUrl payment { link pixCopyPaste } refunds { state returnId }
  ledgerLines { number balance counterparts { accountClass debit credit } }`;
const LISTS = [
  `query A { transactions(first: 10) { totalCount nodes { ${PAGE} } } }`,
  `query B { transactions(families: [ONRAMPS, OFFRAMPS], filter: { statusCodes: [SUCCESS] }, first: 5) { totalCount sums { currency { code } source } nodes { ${PAGE} } } }`,
  `query C { transactions(filter: { text: "load" }, first: 5) { totalCount totalIsExact nodes { end2end } } }`,
  `query D { statement(first: 10) { totalCount nodes { number balance transaction { ${PAGE} } } } }`,
  `query E { statement(last: 3, filter: { subAccount: blocked }) { totalCount nodes { number balance ledgerAccount { code name } } } }`,
];
const PATHS = [
  ...['/v2/onramps', '/v2/offramps', '/v2/crossramp_checkouts', '/v2/withdrawals', '/v2/statement'],
  ...['/v2/statement?account_type=in_transit&limit=5', `/v2/onramps?client_tax_id=${CPF}&limit=2`],
];

/** What is asked: a path, and the body of a POST. */
type Question = readonly [path: string, body?: string];

function questions(): readonly Question[] {
  const last = made.slice(-3);
  const graphql = (query: string, variables: object = {}): Question => [
    '/graphql',
    JSON.stringify({ query, variables }),
  ];
  return [
    ...PATHS.map((path): Question => [path]),
    ...last.map(({ path, end2end }): Question => [`${path}/${end2end}`]),
    ...LISTS.map((query) => graphql(query)),
    ...LISTS.slice(0, 2).map((query): Question => [`/graphql?${new URLSearchParams({ query })}`]),
    ...last.map(({ end2end }) =>
      graphql(`query One($id: String!) { transaction(end2end: $id) { ${FULL} } }`, { id: end2end }),
    ),
  ];
}

async function answerOf(url: string, [path, body]: Question): Promise<string> {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${app.apiKey}`,
      'x-request-id': 'same',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  // Links are those of each gateway.
  return `${response.status} ${(await response.text()).replaceAll(url, 'URL')}`;
}

/** Everything by which something can be changed. */
const DOORS: Readonly<Record<string, () => Promise<unknown>>> = {
  creation: async () => {
    const intent = newIntent(random, merchant);
    const heard = await query(app.baseUrl + intent.path, app.apiKey, {
      body: intent.body,
      idempotencyKey: intent.key,
    });
    if (heard?.json?.end2end) made.push({ path: intent.path, end2end: heard.json.end2end });
  },
  act: async () => {
    const on = random.pick(made.slice(-6));
    if (!on) return;
    const { path, body, keyIndex } = nextAct(random, on);
    await query(app.baseUrl + path, merchant.keys[keyIndex] ?? app.apiKey, { body });
  },
  'what the outside world does': async () => {
    const on = random.pick(made.slice(-6));
    const scenario = random.pick([
      'pay',
      'deposit',
      'deposit-confirm',
      'expire',
      'pay-twice',
      'dispute-open',
      'release',
    ]);
    if (on)
      await query(`${app.baseUrl}/v2/sandbox/trigger`, app.apiKey, {
        body: { scenario, end2end: on.end2end },
      });
  },
  'any request to /v2': async () => values.learn((await send.send(restRequest(values, app.apiKey))).text),
  'any operation': async () => values.learn((await send.send(graphqlRequest(values, app.apiKey))).text),
  'any operation of the platform': async () =>
    values.learn((await send.send(graphqlRequest(values, app.platformKey))).text),
  'a page': async () => {
    const { rows } = await app.owner.query(
      `select session from transaction where account_id = $1 and session is not null order by id desc limit 4`,
      [String(app.accountId)],
    );
    const { session } = random.pick(rows) ?? {};
    if (!session) return;
    const action = random.pick(['amount', 'identity', 'confirm', 'accept', 'requote', 'renew', 'sandbox']);
    const form = { amount: '50,00', name: 'Ana Souza', taxId: CPF, scenario: 'pay' };
    await fetch(`${app.baseUrl}/pay/${session}/${action}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
    }).then((page) => page.text());
  },
  'a command': async () => {
    const on = random.pick(made.slice(-6));
    if (on) await command({ DATABASE_URL: app.url }, 'trigger', 'pay', on.end2end);
  },
  'the clock': () => app.post('/v2/sandbox/clock', { advance: random.pick(['1s', '90s', '20m']) }),
  funding: () => app.post('/v2/sandbox/fund', { currency: random.pick(['USDT_TRX', 'BRL']), amount: '7' }),
  'an import': async () => {
    const day = random.integer(10, 28);
    const end2end = `I${random.integer(0, 2 ** 31)}`;
    const line = namedTransactions([[end2end, random.pick(TEMPLATE_NAMES), {}, `2026-03-${day}T00:00:00Z`]]);
    await importAccount(app.database, REGISTRY, app.accountId, 'more.ndjson', line);
    made.push({ path: '/v2/onramp', end2end });
  },
  retention: () =>
    prune(
      app.database,
      Object.fromEntries([...RETAINED_KINDS, 'events'].map((kept) => [kept, 400])) as unknown as Retention,
    ),
  // Under the lock of the account, as an import calls it.
  'a function': () =>
    app.owner.query(
      `with locked as materialized (select account_id from account_head where account_id = $1 for update)
       select list_renumber(account_id, 'onramps', '2026-01-01') from locked`,
      [String(app.accountId)],
    ),
  'a hand': () =>
    app.owner.query(`update transaction set error_en = $2 where account_id = $1 and id = 1`, [
      String(app.accountId),
      `by hand ${random.integer(0, 1_000)}`,
    ]),
};
const NAMES = Object.keys(DOORS);
/** The usual ones come more often. */
const OFTEN = [...NAMES, ...NAMES.slice(0, 5), ...NAMES.slice(0, 3)];

/** Asks until nothing has changed between two answers that are rendered. @returns how many answers were compared. */
async function compare(question: Question, door: string): Promise<number> {
  const fresh = gateways[1]?.publicUrl ?? '';
  const keeping = [app.baseUrl, gateways[0]?.publicUrl ?? ''];
  for (;;) {
    const before = await answerOf(fresh, question);
    const answers = await Promise.all(keeping.map((url) => answerOf(url, question)));
    if ((await answerOf(fresh, question)) !== before) continue;
    for (const answer of answers)
      if (answer !== before)
        expect(`${answer}`, `seed ${SEED}, after ${door}: ${question.join(' ')}`).toBe(before);
    return answers.length;
  }
}

test(`${TURNS} random changes, seed ${SEED}`, { timeout: TIMEOUT_MS }, async () => {
  let compared = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const door = turn < NAMES.length ? (NAMES[turn] as string) : random.pick(OFTEN);
    const change = (DOORS[door] as () => Promise<unknown>)().catch((error: unknown) => {
      throw new Error(`seed ${SEED}: ${door} failed`, { cause: error });
    });
    // Some changes are under way while it is asked; two commands at once would share what they write.
    if (random.chance(0.4) && door !== 'a command') {
      running.add(change);
      change.finally(() => running.delete(change)).catch(() => {});
    } else await change;
    const all = questions();
    for (let n = 0; n < ASKED; n += 1) {
      const question = random.pick(all);
      compared += await compare(question, door);
      // The second time without a change between, mostly.
      if (n === 0) compared += await compare(question, door);
    }
  }
  await Promise.all(running);
  expect(compared).toBeGreaterThanOrEqual(TURNS * (ASKED + 1) * 2);
  // Most of them would be rendered for nothing otherwise.
  if (process.env.PROVED_TURNS) process.stdout.write(`seed ${SEED}: ${compared} answers, ${proved} proved\n`);
  expect(proved).toBeGreaterThan(compared / 10);
});

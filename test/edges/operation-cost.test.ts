/**
 * Goal: what a GraphQL operation costs counts against the key's rate, however it is sent, and no other key pays for it. Method:
 * an application with a small bucket, operations of known cost.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, useApp } from '../support/app.ts';

const app = useApp();
let limited: Awaited<ReturnType<typeof startApp>>;
/** A bucket that gets next to nothing back, however long the test takes. */
const RATE = { perSecond: 0.001, burst: 50 };

beforeAll(async () => {
  limited = await startApp(app.database, 0, { rateLimit: { reads: RATE, writes: RATE } });
});
afterAll(() => limited.close());

const PAGE =
  'query ($first: Int!) { transactions(families: ONRAMPS, first: $first) { edges { node { end2end component state } } } }';

const post = (key: string, body: object, path = '/graphql', headers: Record<string, string> = {}) =>
  fetch(limited.publicUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** @returns what the bucket of a key still has, after a read that counts for one. */
async function left(key: string): Promise<number> {
  const { headers } = await limited.get('/v2/balance', key);
  return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

test.each([
  ['a small one counts as a request', '{ balances { blocked } }', {}, 1],
  ['a page counts for its rows', PAGE, { first: 100 }, 6],
  ['a smaller page for less', PAGE, { first: 20 }, 2],
  ['one that does not fit, as a request', '{ nothing }', {}, 1],
  ['one with variables that do not fit, too', PAGE, { first: 'many' }, 1],
])('C-53: %s', async (_name, query, variables, requests) => {
  const { apiKey } = await app.addAccount();
  // By Yoga at first, compiled then: the cost is the same.
  for (let time = 1; time <= 3; time++) {
    await post(apiKey, { query, variables });
    // One for the read that asks.
    expect(RATE.burst - (await left(apiKey))).toBe(time * (requests + 1));
  }
});

test('C-53: an unknown document counts for its length, whether it is valid or not', async () => {
  for (const field of ['blocked', 'nothing']) {
    const { apiKey } = await app.addAccount();
    const query = `{ ${Array.from({ length: 25 }, (_, at) => `a${at}${'_'.repeat(40)}: balances { ${field} }`).join(' ')} }`;
    const before = await left(apiKey);
    await post(apiKey, { query });
    expect(before - (await left(apiKey)), field).toBeGreaterThanOrEqual(2 + Math.floor(query.length / 200));
  }
});

test('C-53: an operation that counts for more than the burst runs when no other was requested, and is paid off', async () => {
  const limits = { perSecond: 0.001, burst: 5 };
  const small = await startApp(app.database, 0, { rateLimit: { reads: limits, writes: limits } });
  const { apiKey } = await app.addAccount();
  const ask = () =>
    fetch(`${small.publicUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: PAGE, variables: { first: 100 } }),
    });
  const statuses = [(await ask()).status, (await ask()).status];
  await small.close();
  expect(statuses).toEqual([200, 429]);
});

test('C-53: the holder of a payment link has the rate of its page', async () => {
  const { json } = await app.post('/v2/crossramp_checkout', {
    amount_payment: 150,
    currency_exit_received_code: 'USDT_TRX',
  });
  const token = json.payment_link.split('/').at(-1);
  const answer = await post(token, { query: '{ __typename }' });
  expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=5;w=1');
});

test('C-53: of several operations the requested one counts', async () => {
  const { apiKey } = await app.addAccount();
  const query = `${PAGE.replace('query', 'query Large')} query Small { balances { blocked } }`;
  await post(apiKey, { query, operationName: 'Small' });
  expect(await left(apiKey)).toBeGreaterThanOrEqual(RATE.burst - 2);
  await post(apiKey, { query, operationName: 'Large', variables: { first: 100 } });
  expect(await left(apiKey)).toBeLessThanOrEqual(RATE.burst - 7);
});

test('C-53: an operation never counts, and never runs, as another with a similar name and text', async () => {
  const { apiKey } = await app.addAccount();
  const [head, ...rest] = PAGE.split('{');
  const large = { query: `${head}\n{${rest.join('{')}`, variables: { first: 100 } };
  const disguised = [
    { ...large, operationName: '' },
    { ...large, operationName: `\n${head}`, query: `{${rest.join('{')}` },
    { ...large, operationName: head, query: `{${rest.join('{')}` },
  ];
  // Before the true one is known, and after it was compiled.
  for (const times of [0, 3]) {
    for (let time = 0; time < times; time++) expect((await post(apiKey, large)).status).toBe(200);
    for (const each of disguised)
      expect((await (await post(apiKey, each)).json()).data, each.operationName).toBeUndefined();
  }
  const before = await left(apiKey);
  await post(apiKey, large);
  expect(before - (await left(apiKey))).toBeGreaterThanOrEqual(6);
});

test('C-53: without rates as well, a key has a limited number of running and waiting operations', async () => {
  const { apiKey } = await app.addAccount();
  const rows = 'edges { node { end2end component state } }';
  const pages = Array.from(
    { length: 18 },
    (_, at) => `p${at}: transactions(families: ONRAMPS, first: 100) { ${rows} }`,
  );
  const send = () =>
    fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ ${pages.join(' ')} }` }),
    });
  // As long as the table is locked, the first is under way.
  await app.owner.query('begin');
  await app.owner.query('lock table transaction in access exclusive mode');
  const answers = Array.from({ length: 52 }, send);
  // A read that waits for too long is answered with its error, and 200: on a busy machine before all have come.
  const refused = await Promise.any(
    answers.map(async (each) => {
      const answer = await each;
      if (answer.status === 200) throw new Error('this one was let in');
      return answer;
    }),
  );
  await app.owner.query('rollback');
  expect([refused.status, (await refused.json()).code]).toEqual([429, 'RATE_LIMITED']);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(51);
});

test('C-51: a bucket that is too small for it answers 429 with a time, and other keys are not affected', async () => {
  const [{ apiKey }, other] = [await app.addAccount(), await app.addAccount()];
  const answers = [];
  for (let i = 0; i < 10; i++) answers.push(await post(apiKey, { query: PAGE, variables: { first: 100 } }));
  const refused = answers.at(-1) as Response;
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
  const { code, detail, errors } = await refused.json();
  expect([code, errors[0].extensions.code]).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
  expect(detail).toContain('counts for 6');
  expect((await post(other.apiKey, { query: PAGE, variables: { first: 100 } })).status).toBe(200);
});

test('C-53: a subscription and an operation on a single connection count as well', async () => {
  const { apiKey } = await app.addAccount();
  const headers = { authorization: `Bearer ${apiKey}` };
  const path = '/graphql/stream';
  const token = await (await fetch(limited.publicUrl + path, { method: 'PUT', headers })).text();
  const before = await left(apiKey);
  const stream = { 'x-graphql-event-stream-token': token };
  const operation = { query: PAGE, variables: { first: 100 }, extensions: { operationId: '1' } };
  expect((await post(apiKey, operation, path, stream)).status).toBe(202);
  expect(before - (await left(apiKey))).toBeGreaterThanOrEqual(6);
});

test.each([
  ['under aliases', (fields: string) => `mutation { ${fields} }`],
  ['in a fragment', (fields: string) => `mutation { ...All } fragment All on Mutation { ... { ${fields} } }`],
])('C-53: each field of a mutation counts for a write, %s', async (_name, mutationOf) => {
  const { apiKey } = await app.addAccount();
  const fields = Array.from(
    { length: 30 },
    (_, i) =>
      `a${i}: createWhitelistGroup(input: { name: "${i}" }) { whitelistGroup { groupId } errors { code message path } }`,
  );
  const query = mutationOf(fields.join(' '));
  expect((await post(apiKey, { query })).status).toBe(200);
  const refused = await post(apiKey, { query });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
  const { errors } = await refused.json();
  expect(errors[0].extensions.code).toBe('RATE_LIMITED');
  expect(errors[0].message).toContain('counts for 30');
  const made = await post(apiKey, { query: '{ viewer { account { whitelistGroups { name } } } }' });
  expect((await made.json()).data.viewer.account.whitelistGroups).toHaveLength(30);
});

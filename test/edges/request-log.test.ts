/**
 * Goal: an account sees what its keys asked and how it was answered, each request once; nobody else's, no ids, no bodies; and
 * no request waits for that. Method: the real application over HTTP, its database made slow and taken away.
 */

import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { prune } from '../../src/resolvers/engine/housekeeping.ts';
import { REQUEST_BATCH } from '../../src/store/account/request-batches.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { withAdmin } from '../support/global-setup.ts';
import { signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const lines: string[] = [];
const write = (chunk: Buffer, _encoding: unknown, done: () => void) => {
  lines.push(String(chunk));
  done();
};
const { retention } = readConfig({ REQUEST_LOG_DAYS: '7' });
const app = useApp({ retention, log: pino({ level: 'warn' }, new Writable({ write })) });
const ENTRY =
  'at actorKind actorId actorName method route operationName status durationMs requestId end2end errorCode';
const MISSING = 'CRX01M7YZCZ9HF0JV5S6S4QWDX4RJ';
const CALLERS = 64;
/** More than one batch holds. */
const REQUESTS = REQUEST_BATCH + 200;

let shop: Awaited<ReturnType<typeof app.addAccount>>;

beforeAll(async () => {
  shop = await app.addAccount();
});

type Entry = Record<string, unknown>;

async function logOf(args = 'first: 100', key = app.apiKey): Promise<readonly Entry[]> {
  const { json } = await app.graphql(`{ requestLog(${args}) { nodes { ${ENTRY} } } }`, {}, { key });
  expect(errorsIn(json)).toBeUndefined();
  return json.data.requestLog.nodes;
}

/** Waits for what is written beside the requests. */
async function logged(requestId: string, key = app.apiKey): Promise<Entry> {
  const find = async () => (await logOf(`requestId: "${requestId}"`, key))[0];
  await expect.poll(find).toBeDefined();
  return (await find()) as Entry;
}

describe('an entry', () => {
  it('has the code of a refused mutation, even if its document selects no errors', async () => {
    const query = 'mutation { createCheckout(input: { currency: "NOPE" }) { replayed } }';
    const headers = { 'x-request-id': 'refused-1' };
    await app.post('/graphql', { query }, { headers });
    expect(await logged('refused-1')).toMatchObject({ status: 200, errorCode: 'INVALID_PARAMETER' });
  });

  it('has key, route without ids, status, transaction and error code of a REST request', async () => {
    await app.get(`/v2/crossramp_checkout/${MISSING}?note=Ana`, { headers: { 'x-request-id': 'rest-1' } });
    expect(await logged('rest-1')).toMatchObject({
      actorKind: 'KEY',
      actorName: 'test',
      method: 'GET',
      route: expect.stringMatching(/^\/v2\/[a-z_]+\/\{id\}$/),
      operationName: null,
      requestId: 'rest-1',
    });
    expect(JSON.stringify(await logOf())).not.toContain('Ana');
  });

  it('of a lost transaction stores no text of the path that is not an id', async () => {
    await app.get('/v2/onramp/529.982.247-25', { headers: { 'x-request-id': 'rest-2' } });
    expect(await logged('rest-2')).toMatchObject({ status: 404, end2end: null, errorCode: 'NOT_FOUND' });
  });

  it('has operation, transaction and first error code of a GraphQL request', async () => {
    const ask = (query: string, variables: object, requestId: string) =>
      app.post('/graphql', { query, variables }, { headers: { 'x-request-id': requestId } });
    const query = 'query One($end2end: String!) { transaction(end2end: $end2end) { end2end } }';
    for (const time of ['first', 'again', 'compiled']) {
      await ask(query, { end2end: MISSING }, `one-${time}`);
      expect(await logged(`one-${time}`)).toMatchObject({
        route: '/graphql',
        operationName: 'One',
        status: 200,
        end2end: MISSING,
        errorCode: null,
      });
    }
    const refused =
      'mutation Cancel($end2end: String!) { cancelTransaction(input: { end2end: $end2end }) { transaction { end2end } errors { code message path } } }';
    await ask(refused, { end2end: 'CRX01M7YZCZ9HF0JV5S6S4QWDX4RK' }, 'cancel');
    expect(await logged('cancel')).toMatchObject({ errorCode: expect.stringMatching(/^[A-Z_]+$/) });
  });
});

describe('requestLog', () => {
  it('shows an account only its own requests, and only with the scope admin', async () => {
    await app.get('/v2/balance', { key: shop.apiKey, headers: { 'x-request-id': 'theirs' } });
    await logged('theirs', shop.apiKey);
    expect(await logOf('requestId: "theirs"')).toEqual([]);
    const { apiKey } = await app.addKey(app.accountId, ['read']);
    const { json } = await app.graphql('{ requestLog { totalCount } }', {}, { key: apiKey });
    expect(errorsIn(json)[0].extensions.code).toBe('FORBIDDEN');
  });

  it('finds by status class, key and transaction, and pages newest first in both directions', async () => {
    for (const n of [1, 2, 3]) await app.get('/v2/onramp/none', { headers: { 'x-request-id': `lost-${n}` } });
    await logged('lost-3');
    const lost = await logOf('statusClass: CLIENT_ERROR, first: 3');
    expect(lost.map(({ requestId }) => requestId)).toEqual(['lost-3', 'lost-2', 'lost-1']);
    const { actorId } = lost[0] as { actorId: string };
    expect((await logOf(`actorId: "${actorId}", actorKind: KEY, first: 1`)).length).toBe(1);
    expect(await logOf('actorKind: PERSON')).toEqual([]);
    expect(new Set((await logOf(`end2end: "${MISSING}"`)).map(({ end2end }) => end2end))).toEqual(
      new Set([MISSING]),
    );
    const page =
      'pageInfo { startCursor endCursor hasNextPage hasPreviousPage } nodes { requestId } totalCount';
    const read = async (args: string) =>
      (await app.graphql(`{ requestLog(statusClass: CLIENT_ERROR, ${args}) { ${page} } }`)).json.data
        .requestLog;
    const first = await read('first: 2');
    const next = await read(`first: 2, after: "${first.pageInfo.endCursor}"`);
    const back = await read(`last: 2, before: "${next.pageInfo.startCursor}"`);
    expect([first.pageInfo.hasPreviousPage, next.pageInfo.hasPreviousPage]).toEqual([false, true]);
    expect(back.nodes).toEqual(first.nodes);
    expect(first.totalCount).toBeGreaterThan(3);
  });
});

describe('the console', () => {
  it('shows calls as a list, and on the time axis of their transaction', async () => {
    const { json } = await app.graphql('{ transactions(first: 1) { nodes { end2end } } }');
    const { end2end } = json.data.transactions.nodes[0];
    const query = 'query Seen($end2end: String!) { transaction(end2end: $end2end) { end2end } }';
    const headers = { 'x-request-id': 'seen-1' };
    await app.post('/graphql', { query, variables: { end2end } }, { headers });
    await logged('seen-1');
    const owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
    for (const path of [
      `/console/transactions/${end2end}?show=calls`,
      '/console/requests?requestId=seen-1',
    ]) {
      const page = await visit(app, owner, path);
      expect(page.status).toBe(200);
      expect(page.text).toMatch(/POST \/graphql[\s\S]*seen-1/);
    }
  });
});

describe('writing', () => {
  const countOf = async (prefix: string) =>
    (
      await app.owner.query(
        `select count(*)::int as n, count(distinct request_id)::int as ids from request_log where request_id like $1`,
        [`${prefix}%`],
      )
    ).rows[0];

  it('has every request of many parallel callers once', async () => {
    let next = 0;
    const call = async () => {
      while (next < REQUESTS) {
        next += 1;
        const headers = { 'x-request-id': `many-${next}` };
        expect((await app.get('/v2/balance', { key: shop.apiKey, headers })).status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
    await expect.poll(() => countOf('many-'), { timeout: 20_000 }).toEqual({ n: REQUESTS, ids: REQUESTS });
  });

  it('delays no request when it has to wait, and reports missing entries', async () => {
    const lock = await app.owner.connect();
    await lock.query(
      'set idle_in_transaction_session_timeout = 0; begin; lock table request_log in access exclusive mode',
    );
    try {
      await expect
        .poll(
          async () => {
            const headers = { 'x-request-id': 'held-1' };
            expect((await app.get('/v2/balance', { headers })).status).toBe(200);
            return lines.join('');
          },
          { timeout: 20_000 },
        )
        .toMatch(/"dropped":\d+.*the request log lacks requests/);
    } finally {
      await lock.query('rollback');
      lock.release();
    }
    expect((await app.get('/v2/balance', { headers: { 'x-request-id': 'held-2' } })).status).toBe(200);
    await logged('held-2');
  });

  it('continues after an outage of the database: later requests are recorded', async () => {
    const name = new URL(app.url).pathname.slice(1);
    await withAdmin(inject('adminUrl'), async (client) => {
      await client.query(`alter database ${name} allow_connections false`);
      await client.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1 and application_name = 'crossramp'`,
        [name],
      );
      const away = await Promise.all(Array.from({ length: 20 }, () => app.get('/v2/balance')));
      expect(new Set(away.map(({ status }) => status))).toEqual(new Set([503]));
      await client.query(`alter database ${name} allow_connections true`);
    });
    await expect.poll(async () => (await app.get('/v2/balance')).status).toBe(200);
    await app.get('/v2/balance', { headers: { 'x-request-id': 'after-1' } });
    await logged('after-1');
  });

  it('deletes entries past their retention', async () => {
    // Of others it says nothing: what they asked just now is written by and by.
    const count = async () =>
      (
        await app.owner.query(
          `select count(*) filter (where account_id = $1)::int as own, count(*) filter (where account_id <> $1)::int as others from request_log`,
          [shop.accountId],
        )
      ).rows[0];
    const before = await count();
    const { rows } = await app.owner.query(
      `update request_batch set until = until - interval '8 days' where account_id = $1 returning requests`,
      [shop.accountId],
    );
    const { gone } = await prune(app.database, retention);
    expect(gone.requests).toBe(rows.length);
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(before.own);
    expect(before.own).toBeGreaterThanOrEqual(REQUESTS);
    const after = await count();
    expect(after.own).toBe(0);
    expect(after.others).toBeGreaterThanOrEqual(before.others);
  });
});

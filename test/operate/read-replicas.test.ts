/**
 * Goal: a standby never answers a caller older data than its own writes, or than it has seen; and one that lags, hangs or follows another server
 * costs no answer (decision 0088). Method: a server with two real standbys, one of which applies each commit later; two gateways, of which one
 * writes and the other reads. `REPLICA_PAIRS=100000` for the full run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../packages/sdk/src/index.ts';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { examineReplicas } from '../../src/cli/replica-check.ts';
import { openReplicas } from '../../src/compose/open-replicas.ts';
import { openStore, type Store } from '../../src/compose/open-store.ts';
import { readConfig } from '../../src/config.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import type { ReadReplicas } from '../../src/store/account/read-replicas.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { startApp } from '../support/app.ts';
import { newHome } from '../support/home.ts';
import { type MortalPostgres, startMortalPostgres } from '../support/mortal-postgres.ts';
import { type Running, start } from '../support/process.ts';
import { eventually } from '../support/receiver.ts';
import { type Standby, startStandby } from '../support/standby.ts';

const PAIRS = Number(process.env.REPLICA_PAIRS ?? 400);
/** Callers at once, each with an account of its own. */
const CALLERS = 8;
/** Delay of each commit on the second standby. */
const LAG_MS = 150;

const { home, remove } = newHome();
const { home: files, remove: removeFiles } = newHome();
const opened: { readonly store: Store; readonly replicas: ReadReplicas | undefined }[] = [];
const gateways: Awaited<ReturnType<typeof startApp>>[] = [];
const standbys: Standby[] = [];
let server: MortalPostgres;
type Gateway = (typeof gateways)[number];

async function open(own: { databaseUrl: string; replicaUrls: readonly string[] }) {
  const settings = { home, databaseConnections: 10, ...own };
  const store = await openStore(settings);
  const replicas = await openReplicas(settings, store);
  opened.push({ store, replicas });
  return { store, replicas };
}

async function startGateway(replicaUrls: readonly string[]): Promise<Gateway> {
  const { store, replicas } = await open({ databaseUrl: server.url, replicaUrls });
  const gateway = await startApp(store.database, 0, { replicas });
  gateways.push(gateway);
  return gateway;
}

async function newCaller(): Promise<{ readonly key: string; readonly accountId: bigint }> {
  const { database } = (opened[0] as (typeof opened)[number]).store;
  const templates = REGISTRY.templates.map(({ name }) => name);
  const accountId = await createAccount(database, 'Loja', { templates, mode: 'sandbox' });
  const asked = { name: 'test', scopes: SCOPES, expiresAt: null, allowedCidrs: [] };
  return { accountId, key: (await createKey(database, accountId, asked)).apiKey };
}

interface Got {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
  readonly text: string;
  readonly version: string | null;
}

async function query(
  { publicUrl }: Pick<Gateway, 'publicUrl'>,
  path: string,
  { key, body, version }: { key: string; body?: object; version?: string | null | undefined },
): Promise<Got> {
  const response = await fetch(publicUrl + path, {
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(version && { 'crossramp-version': version }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    json: JSON.parse(text),
    version: response.headers.get('crossramp-version'),
  };
}

const fund = (gateway: Gateway, key: string) =>
  query(gateway, '/v2/sandbox/fund', { key, body: { currency: 'USDT_TRX', amount: '1' } });
const QUERY = `query Newest($n: Int!) { statement(first: $n) { totalCount nodes { balance } } }`;
const graphql = { query: QUERY, variables: { n: 1 } };

beforeAll(async () => {
  server = await startMortalPostgres();
  await startGateway([]);
  for (const name of ['near', 'late']) standbys.push(await startStandby(server.url, home, name));
  await delay(standbys[1] as Standby, LAG_MS);
  const urls = standbys.map(({ url }) => url);
  await startGateway(urls);
  await startGateway(urls);
  await eventually('both standbys in use', () =>
    opened.slice(1).every(({ replicas }) => replicas?.status().every(({ isInUse }) => isInUse)),
  );
}, 180_000);
afterAll(async () => {
  for (const each of gateways) await each.close();
  for (const { store, replicas } of opened) {
    await replicas?.close();
    await store.close();
  }
  for (const each of standbys) {
    each.signal('SIGCONT');
    await each.stop();
  }
  await server?.remove();
  remove();
  removeFiles();
});

/** Has a standby apply every commit so much later. */
async function delay({ client }: Standby, ms: number): Promise<void> {
  await client.query(`alter system set recovery_min_apply_delay = '${ms}ms'`);
  await client.query('select pg_reload_conf()');
}

const [writer, reader] = [() => gateways[1] as Gateway, () => gateways[2] as Gateway];

/** Writes and reads alternately; every third read names no version. @returns how many reads were older than the write before. */
async function readAfterWrites(pairs: number): Promise<number> {
  const { key } = await newCaller();
  let stale = 0;
  for (let written = 1; written <= pairs; written += 1) {
    const made = await fund(writer(), key);
    expect(made.status).toBe(200);
    const version = written % 3 === 0 ? null : made.version;
    // Half of the reads come when one of the standbys has the write.
    if (written % 2 === 0) await sleep(LAG_MS / 5);
    const isGraphql = written % 4 < 2;
    const { json } = isGraphql
      ? await query(reader(), '/graphql', { key, version, body: graphql })
      : await query(reader(), '/v2/statement?limit=1', { key, version });
    const total = isGraphql ? json.data.statement.totalCount : json.total;
    const balance = isGraphql ? json.data.statement.nodes[0].balance : json.entries[0].balance;
    if (Number(total) !== written || Number(balance) !== written) stale += 1;
  }
  return stale;
}

test(
  `${PAIRS} reads after writes: none is older than the write`,
  async () => {
    const { reads } = reader();
    const before = { ...reads };
    const each = Math.ceil(PAIRS / CALLERS);
    const began = performance.now();
    const stale = await Promise.all(Array.from({ length: CALLERS }, () => readAfterWrites(each)));
    const [replica, primary] = [reads.replica - before.replica, reads.primary - before.primary];
    process.stdout.write(
      `${each * CALLERS} pairs in ${Math.round((performance.now() - began) / 1_000)} s: ${stale.reduce((sum, n) => sum + n, 0)} stale; ${replica} reads by standbys, ${primary} by the primary\n`,
    );
    expect(stale).toEqual(Array(CALLERS).fill(0));
    expect(replica).toBeGreaterThan(0);
    expect(primary).toBeGreaterThan(0);
  },
  120_000 + PAIRS * 200,
);

/** @returns which server has answered: counts of the gateway, before and after. */
async function answeredBy<Result>(
  work: () => Promise<Result>,
): Promise<[Result, { replica: number; primary: number }]> {
  const { reads } = reader();
  const before = { ...reads };
  const result = await work();
  return [result, { replica: reads.replica - before.replica, primary: reads.primary - before.primary }];
}

const usable = () => opened[2]?.replicas?.status().filter(({ isInUse }) => isInUse).length;

describe('the same bytes come from a standby, the primary, and a gateway without standbys', () => {
  test.each([
    '/v2/statement?limit=3',
    '/v2/onramps',
    `/graphql?${new URLSearchParams({ query: '{ statement(first: 2) { totalCount nodes { number } } }' })}`,
  ])('%s', async (path) => {
    const { key } = await newCaller();
    const { version } = await fund(writer(), key);
    await sleep(2 * LAG_MS);
    const plain = await query(gateways[0] as Gateway, path, { key });
    expect(plain.version).toBeNull();
    const texts = new Set([plain.text]);
    const counts = { replica: 0, primary: 0 };
    for (let n = 0; n < 6; n += 1) {
      const [answer, by] = await answeredBy(() => query(reader(), path, { key, version }));
      texts.add(answer.text);
      expect(answer.version).toBe(version);
      counts.replica += by.replica;
    }
    expect(counts.replica).toBeGreaterThan(0);
    expect(texts.size).toBe(1);
  });
});

test('a record that only the primary has is found, and a version that none has yet is waited for briefly', async () => {
  const { key } = await newCaller();
  const { version } = await fund(writer(), key);
  const ahead = String(BigInt(version ?? 0) + 1n).padStart(19, '0');
  const [answer, by] = await answeredBy(() => query(reader(), '/v2/statement', { key, version: ahead }));
  expect([answer.status, answer.json.total, by]).toEqual([200, 1, { replica: 0, primary: 1 }]);
  const wrong = await query(reader(), '/v2/statement', { key, version: '17' });
  expect([wrong.status, wrong.json.detail]).toEqual([
    400,
    'crossramp-version: expected the 19 digits of an earlier answer',
  ]);
});

test('the answer to a mutation has the version after it', async () => {
  const { key } = await newCaller();
  const mutation = `mutation { sandboxFund(input: { currency: "USDT_TRX", amount: "1" }) { errors { message } } }`;
  const made = await query(writer(), '/graphql', { key, body: { query: mutation } });
  expect(made.json.data.sandboxFund.errors).toEqual([]);
  const again = { query: mutation, extensions: { version: '' } };
  const next = await query(writer(), '/graphql', { key, body: again });
  expect(next.json.extensions).toEqual({ version: next.version });
  expect((next.version ?? '') > (made.version ?? '')).toBe(true);
  const seen = await query(reader(), '/v2/balance', { key });
  expect([made.version, seen.version]).toEqual([expect.stringMatching(/^\d{19}$/), next.version]);
});

test('standbys that apply nothing leave accounts that change to the primary, and then all', async () => {
  const { key } = await newCaller();
  for (const { client } of standbys) await client.query('select pg_wal_replay_pause()');
  const { version } = await fund(writer(), key);
  const [answer, by] = await answeredBy(() => query(reader(), '/v2/statement', { key, version }));
  expect([answer.json.total, by]).toEqual([1, { replica: 0, primary: 1 }]);
  await eventually('no standby in use', () => usable() === 0);
  for (const { client } of standbys) await client.query('select pg_wal_replay_resume()');
  await eventually('both standbys in use', () => usable() === 2);
});

test('hanging standbys cost no answer, and are excluded', async () => {
  const { key } = await newCaller();
  const { version } = await fund(writer(), key);
  await sleep(2 * LAG_MS);
  for (const each of standbys) each.signal('SIGSTOP');
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => query(reader(), '/v2/statement', { key, version })),
  );
  expect(answers.map(({ status, json }) => [status, json.total])).toEqual(Array(10).fill([200, 1]));
  expect(usable()).toBe(0);
  for (const each of standbys) each.signal('SIGCONT');
  await eventually('both standbys in use', () => usable() === 2);
});

test('doctor reports for each server whether it follows the primary, or is the primary', async () => {
  const urls = [...standbys.map(({ url }) => url), server.url];
  const config = readConfig({ DATABASE_URL: server.url, REPLICA_URLS: urls.join() });
  const checks = await examineReplicas((opened[0] as (typeof opened)[number]).store.database, config);
  const host = (url: string) => new URL(url).host;
  expect(checks.map(({ check, ok }) => [check, ok])).toEqual(
    urls.map((url) => [`reads on ${host(url)}`, true]),
  );
  expect(checks.at(-1)?.detail).toBe('takes the writes: it is the primary');
});

describe('a gateway for reads alone, on a standby', () => {
  let gateway: Running;
  let key: string;
  beforeAll(async () => {
    ({ key } = await newCaller());
    await fund(writer(), key);
    const { url } = standbys[0] as Standby;
    const env = {
      DATABASE_URL: url,
      ROLE: 'read',
      CROSSRAMP_HOME: files,
      LOG_LEVEL: 'warn',
      DRAIN_DELAY: '0',
    };
    gateway = await start(env);
  }, 90_000);
  afterAll(async () => {
    expect((await gateway.end('SIGTERM')).stderr).toBe('');
  });
  const at = (path: string, options: object = {}) =>
    query({ publicUrl: gateway.baseUrl }, path, { key, ...options });

  test('answers reads, never older than the caller has seen', async () => {
    for (let written = 2; written < 12; written += 1) {
      const { version } = await fund(writer(), key);
      const body = written % 2 === 0 ? graphql : undefined;
      const seen = await at(body ? '/graphql' : '/v2/statement?limit=1', { version, body });
      expect(Number(seen.json.total ?? seen.json.data.statement.totalCount)).toBe(written);
      expect((seen.version ?? '') >= (version ?? '')).toBe(true);
    }
    expect((await at('/v2/balance')).status).toBe(200);
    expect((await at('/v2/openapi.json')).status).toBe(200);
  });

  test('serves the reads of an SDK whose writes go to another gateway', async () => {
    const { publicUrl } = writer();
    const own = await newCaller();
    const client = createClient({
      baseUrl: publicUrl,
      key: own.key,
      fetch: (url, init) =>
        fetch(init?.method === 'GET' ? String(url).replace(publicUrl, gateway.baseUrl) : url, init),
    });
    for (let written = 1; written <= 10; written += 1) {
      await client.rest.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '1' });
      expect((await client.rest.get('/v2/statement')).total).toBe(written);
    }
  });

  test('reads the version from the extensions of GraphQL', async () => {
    const { version } = await at('/v2/statement');
    const ahead = String(BigInt(version ?? 0) + 1n).padStart(19, '0');
    const answers = [
      await at('/graphql', { body: { ...graphql, extensions: { version } } }),
      await at('/graphql', { body: { ...graphql, extensions: { version: ahead } } }),
    ];
    // No write has this version, and the standby soon shows a later mark: it is one that a failover lost.
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ json }) => json.extensions)).toEqual(Array(2).fill({ version }));
  });

  test.each([
    'header',
    'extension',
  ])('refuses a revoked key to whoever has seen the revocation, by the %s', async (by) => {
    const revoke =
      'mutation Revoke($id: String!) { revokeApiKey(input: { keyId: $id }) { errors { message } } }';
    const { accountId, key: other } = await newCaller();
    const { database } = (opened[0] as (typeof opened)[number]).store;
    const asked = { name: 'ended', scopes: SCOPES, expiresAt: null, allowedCidrs: [] };
    for (let n = 0; n < 5; n += 1) {
      const { apiKey, keyId } = await createKey(database, accountId, asked);
      const ended = (version?: string | null) =>
        by === 'header'
          ? query({ publicUrl: gateway.baseUrl }, '/v2/statement', { key: apiKey, version })
          : query({ publicUrl: gateway.baseUrl }, '/graphql', {
              key: apiKey,
              body: { ...graphql, ...(version && { extensions: { version } }) },
            });
      await eventually('the key', async () => (await ended()).status === 200);
      const body = { query: revoke, variables: { id: keyId } };
      const revoked = await query(writer(), '/graphql', { key: other, body });
      expect(revoked.json.data.revokeApiKey.errors).toEqual([]);
      expect((await ended(revoked.version)).status).toBe(401);
    }
  });

  test('is ready by the state of its standby', async () => {
    const { status, json } = await at('/readyz');
    expect([status, json.status, json.database.reads]).toEqual([200, 'ready', 'ok']);
    expect(json.database.behindSeconds).toBeLessThan(5);
  });

  test('leaves writes and waiting requests to other gateways', async () => {
    const mutation =
      'mutation { sandboxFund(input: { currency: "BRL", amount: "1" }) { errors { message } } }';
    const refused = [
      await at('/v2/sandbox/fund', { body: { currency: 'BRL', amount: '1' } }),
      await at('/graphql', { body: { query: mutation } }),
      await at('/v2/events?wait=1'),
      await at('/console'),
      await at('/mcp', { body: {} }),
    ];
    expect(refused.map(({ status, json }) => [status, json.code])).toEqual(
      Array(refused.length).fill([421, 'MISDIRECTED']),
    );
  });

  test('answers nothing while its standby is too far behind', async () => {
    const { client } = standbys[0] as Standby;
    await client.query('select pg_wal_replay_pause()');
    await eventually('a refusal', async () => (await at('/v2/statement')).status === 503, 40_000);
    const { status, json } = await at('/readyz');
    expect([status, json.reason]).toEqual([
      503,
      'the standby is too far behind the primary, or no gateway there has REPLICA_URLS',
    ]);
    await client.query('select pg_wal_replay_resume()');
    await eventually('an answer', async () => (await at('/v2/statement')).status === 200);
  });
});

test('after a failover, a standby that follows the former primary is excluded', async () => {
  const [promoted, other] = standbys as [Standby, Standby];
  const both = new URL(server.url);
  const hosts = `${both.host},${new URL(promoted.url).host}`;
  const databaseUrl = server.url.replace(both.host, hosts);
  const { store, replicas } = await open({ databaseUrl, replicaUrls: [promoted.url, other.url] });
  const status = () => replicas?.status().map(({ isInUse }) => isInUse);
  await eventually('both in use', () => String(status()) === 'true,true');
  await promoted.promote();
  await eventually('another primary', () => new URL(store.url()).host === new URL(promoted.url).host);
  expect(status()).toEqual([false, false]);
  await eventually(
    'a promoted standby that is known as the primary',
    () => String(replicas?.status().map(({ isPrimary }) => isPrimary)) === 'true,false',
  );
  // The former primary and its standby go on by themselves: what is written there is nowhere else.
  await fund(writer(), (await newCaller()).key);
  await sleep(2_000);
  expect(status()).toEqual([false, false]);
});

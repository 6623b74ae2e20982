/**
 * Goal: a merchant administers endpoints, keys, whitelist and links by `/v2` alone, under the rules of GraphQL (C-20, C-22, C-40,
 * C-52, C-60 to C-64). Method: the life of each kind of record over HTTP with relay and dispatcher, each good answer compared with
 * the served OpenAPI document; a second account that tries every id.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Violations } from '../../src/base/errors/violations.ts';
import type { Context } from '../../src/resolvers/services/context.ts';
import { listWebhookDeliveries } from '../../src/resolvers/webhooks/read-webhooks.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { type Answer, useApp } from '../support/app.ts';
import { useReceiver } from '../support/receiver.ts';
import { TRON } from '../support/records.ts';
import { ROUTES } from '../support/rest-routes.ts';
import { expectSigned, openOnramp, SILENT } from '../support/webhooks.ts';

const app = useApp();
const receiver = useReceiver();
const ajv = new Ajv2020({ strict: false });
let worker: WebhookWorker;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let other: Awaited<ReturnType<typeof app.addAccount>>;
/** Routes that had a good answer here. */
const answered = new Set<string>();

beforeAll(async () => {
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  formats.default(ajv);
  ajv.addSchema((await app.get('/v2/openapi.json', { key: null })).json, 'openapi');
});
afterAll(() => worker.stop());
beforeEach(async () => {
  shop = await app.addAccount();
  other = await app.addAccount();
});

/** Compares a good answer with the document. */
function asDescribed(method: 'get' | 'post', path: string, answer: Answer): Answer {
  const route = ROUTES.map((each) => each.path as string).find(
    (each) => each === path || new RegExp(`^${each.replace('{id}', '[^/]+')}$`).test(path),
  );
  if (answer.status >= 300 || route === undefined) return answer;
  answered.add(`${method} ${route}`);
  const pointer = [
    'paths',
    route,
    method,
    'responses',
    String(answer.status),
    'content',
    'application/json',
    'schema',
  ];
  const at = pointer.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/');
  const check = ajv.getSchema(`openapi#/${at}`) ?? ajv.compile({ $ref: `openapi#/${at}` });
  expect([path, check(answer.json) ? null : ajv.errorsText(check.errors)]).toEqual([path, null]);
  expect([path, check({ ...answer.json, more: 1 })]).toEqual([path, false]);
  return answer;
}
const get = async (path: string, key = shop.apiKey) =>
  asDescribed('get', path.split('?')[0] as string, await app.get(path, { key }));
const post = async (path: string, body: object = {}, key = shop.apiKey, headers = {}) =>
  asDescribed('post', path, await app.post(path, body, { key, headers }));
const violated = ({ json }: Answer) =>
  (json.violations ?? []).map(({ parameter }: { parameter: string }) => parameter);
const actions = async () => {
  const { rows } = await app.owner.query<{ act: string }>(
    'select act from audit_entry where account_id = $1 order by seq',
    [shop.accountId],
  );
  return rows.map(({ act: action }) => action);
};

describe('webhook endpoints', () => {
  const make = async (input: object = {}) =>
    (await post('/v2/webhook_endpoint', { url: receiver.url('shop'), ...input })).json;

  test('C-63: an endpoint is created, read, listed, changed, paused, resumed and removed, each with an entry of the audit log', async () => {
    const made = await make({ event_names: ['onramp.*'], max_per_second: 5, description: 'orders' });
    expect(made).toMatchObject({
      ...{ kind: 'general', state: 'enabled', event_names: ['onramp.*.*'], max_per_second: 5 },
      ...{ description: 'orders', order: 'transaction', max_concurrency: 20, public_key: null },
    });
    const path = `/v2/webhook_endpoint/${made.id}`;
    expect((await get(path)).json).toEqual(made);
    expect((await get('/v2/webhook_endpoints')).json).toEqual({ results: [made] });
    const changed = await post(`${path}/update`, {
      ...{ description: null, max_per_second: null, order: 'parallel', max_concurrency: '7' },
      is_signed_by_key: true,
    });
    expect(changed.json).toEqual({
      ...made,
      ...{ description: null, max_per_second: null, order: 'parallel', max_concurrency: 7 },
      public_key: expect.stringMatching(/^whpk_/),
    });
    expect((await post(`${path}/update`, {})).json).toEqual(changed.json);
    expect((await post(`${path}/pause`)).json.state).toBe('paused');
    expect((await post(`${path}/resume`)).json.state).toBe('enabled');
    expect((await post(`${path}/remove`)).json.removed_at).not.toBeNull();
    expect((await get('/v2/webhook_endpoints')).json).toEqual({ results: [] });
    expect(await actions()).toEqual([
      ...['webhook.create', 'webhook.update', 'webhook.pause', 'webhook.resume'],
      'webhook.remove',
    ]);
  });

  test('C-60: the secrets of an endpoint sign its requests; both while a rotation overlaps', async () => {
    const { id } = await make();
    const [first] = (await get(`/v2/webhook_endpoint/${id}/secrets`)).json.results;
    await openOnramp(app, shop.apiKey);
    const path = `/v2/webhook_endpoint/${id}/rotate_secret`;
    const { results } = (await post(path, { overlap_seconds: 60 })).json;
    expect(results).toMatchObject([{ valid_until: null }, { secret: first.secret }]);
    expect((await get(`/v2/webhook_endpoint/${id}/secrets`)).json.results).toEqual(results);
    await receiver.until('shop', 1);
    for (const request of receiver.at('shop')) expectSigned(request, first.secret);
    expect((await post(path, { overlap_seconds: 0 })).json.results).toHaveLength(2);
    expect(violated(await post(path, { overlap_seconds: 604_801 }))).toEqual(['overlap_seconds']);
    const [shared] = (await get('/v2/webhook_secrets')).json.results;
    const rotated = (await post('/v2/webhook_secrets/rotate')).json.results;
    expect(rotated[1].secret).toBe(shared.secret);
  });

  test('C-52: a rotation happens once under its key; the key stores no secret, and answers with the present ones', async () => {
    const { id } = await make();
    const path = `/v2/webhook_endpoint/${id}/rotate_secret`;
    const headers = { 'idempotency-key': 'rotate-1' };
    const first = await post(path, {}, shop.apiKey, headers);
    const again = await post(path, {}, shop.apiKey, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.json).toEqual(first.json);
    const { rows } = await app.owner.query('select answer from idempotency_key where key = $1', ['rotate-1']);
    expect(rows).toEqual([{ answer: '{}' }]);
  });

  test('C-64: deliveries are listed by page, read with their attempts, and sent again', async () => {
    const { id } = await make({ url: receiver.url('again') });
    await openOnramp(app, shop.apiKey);
    // The events until it waits to be paid.
    await receiver.until('again', 4);
    const page = async (query: string) => (await get(`/v2/webhook_deliveries?${query}`)).json;
    await expect.poll(async () => (await page('state=delivered')).results.length).toBe(4);
    const all = (await page(`endpoint_id=${id}&state=delivered`)).results;
    const first = await page('limit=1&state=delivered');
    expect(first).toMatchObject({ results: [all[0]], next: all[0].id });
    expect((await page(`limit=100&state=delivered&before=${first.next}`)).results).toEqual(all.slice(1));
    expect((await page('endpoint_id=whe_nothing')).results).toEqual([]);
    const context = { database: app.database, caller: { accountId: shop.accountId } } as Context;
    const dead = { state: { name: 'state', value: 'dead' }, limit: 20 };
    const found = await listWebhookDeliveries(context, dead, new Violations(), { scanMax: 2 });
    expect(found).toEqual({ deliveries: [], next: BigInt(all[1].id) });
    const one = (await get(`/v2/webhook_delivery/${all[0].id}`)).json;
    expect(one).toMatchObject({ ...all[0], attempt_log: [{ attempt: 1, status: 200, error: null }] });
    const sent = (await post(`/v2/webhook_delivery/${all[0].id}/redeliver`)).json;
    expect(sent).toMatchObject({ endpoint_id: id, event: all[0].event, round: 1 });
    expect((await post(`/v2/webhook_endpoint/${id}/test`)).json).toMatchObject({
      endpoint_id: id,
      round: -1,
    });
    const filter = {
      endpoint_id: id,
      states: ['delivered'],
      event_names: ['onramp.*'],
      since: '2026-01-01T00:00:00Z',
    };
    const counted = (await post('/v2/webhook_deliveries/redeliver', { ...filter, dry_run: true })).json;
    expect(counted).toMatchObject({ redelivered: 0 });
    expect(counted.matched).toBeGreaterThanOrEqual(1);
    expect((await post('/v2/webhook_deliveries/redeliver', filter)).json.last_cursor).toMatch(/./);
  });

  test('C-64: a disabled endpoint is recovered with its missed events, an enabled one is not', async () => {
    const { id } = await make({ url: receiver.url('recovered') });
    const path = `/v2/webhook_endpoint/${id}/recover`;
    expect((await post(path)).json.code).toBe('STEP_CONFLICT');
    await app.owner.query(
      `update webhook_endpoint set state = 'disabled', disabled_at = now(), disabled_reason = 'x', disabled_from_seq = 0 where id = $1`,
      [id],
    );
    expect((await post(path)).json).toMatchObject({ matched: 0, redelivered: 0, last_cursor: null });
    expect((await get(`/v2/webhook_endpoint/${id}`)).json).toMatchObject({
      state: 'enabled',
      is_recoverable: false,
    });
  });

  test('C-50: violations are named by their member, all together', async () => {
    const bad = {
      ...{ url: 'ftp://shop.example/', template: 'nothing', event_names: 'onramp.*', order: 'any' },
      ...{ max_concurrency: 101, max_per_second: 0, is_signed_by_key: 'yes', description: '\u0000' },
    };
    const refused = await post('/v2/webhook_endpoint', bad);
    expect([refused.status, violated(refused).sort()]).toEqual([400, Object.keys(bad).sort()]);
    expect(violated(await post('/v2/webhook_endpoint', { event_names: ['nothing.at.all'] })).sort()).toEqual([
      'event_names',
      'url',
    ]);
    const filter = {
      states: ['pending'],
      since: 'today',
      after: 'x',
      event_names: ['X'],
      endpoint_id: '\u0000',
    };
    expect(violated(await post('/v2/webhook_deliveries/redeliver', filter)).sort()).toEqual(
      ['endpoint_id', 'event_names', 'since', 'states'].sort(),
    );
    expect(violated(await post('/v2/webhook_deliveries/redeliver', { after: 'x' }))).toEqual(['after']);
  });
});

describe('keys', () => {
  test('C-40: a key is created, used, rotated and revoked; its text is returned once', async () => {
    const { json, status } = await post('/v2/api_key', { name: 'till', scopes: ['read', 'create'] });
    expect([status, json.api_key]).toEqual([201, expect.stringMatching(/^crx_test_/)]);
    expect(json.key).toMatchObject({ name: 'till', scopes: ['read', 'create'], made_by: shop.keyId });
    expect((await get('/v2/balance', json.api_key)).status).toBe(200);
    const rotated = (await post(`/v2/api_key/${json.key.key_id}/rotate`, { overlap_seconds: 0 })).json;
    expect(rotated.key).toMatchObject({ name: 'till', replaces: json.key.key_id });
    const statusOf = async () => (await get('/v2/balance', json.api_key)).status;
    await expect.poll(statusOf).toBe(401);
    expect((await get('/v2/api_keys')).json.results.slice(0, 1)).toEqual([
      expect.objectContaining({ key_id: rotated.key.key_id, replaces: json.key.key_id }),
    ]);
    const { key_id: id } = rotated.key;
    expect((await post(`/v2/api_key/${id}/revoke`)).json.revoked_at).not.toBeNull();
    const listed = await get('/v2/api_keys');
    expect(listed.text).not.toContain(rotated.api_key);
    expect(listed.json.results.map(({ key_id: each }: { key_id: string }) => each)).toEqual([
      shop.keyId,
      id,
      json.key.key_id,
    ]);
    expect(await actions()).toEqual(['key.create', 'key.rotate', 'key.revoke']);
  });

  test('C-52: under one Idempotency-Key one key is created; its text is stored nowhere', async () => {
    const headers = { 'idempotency-key': 'till-1' };
    const body = { name: 'till', scopes: ['read'] };
    const first = await post('/v2/api_key', body, shop.apiKey, headers);
    const again = await post('/v2/api_key', body, shop.apiKey, headers);
    expect(again.json).toEqual({ ...first.json, api_key: null });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    const { rows } = await app.owner.query('select answer from idempotency_key where key = $1', ['till-1']);
    expect(JSON.stringify(rows)).not.toContain(first.json.api_key);
    const path = `/v2/api_key/${first.json.key.key_id}/rotate`;
    const rotated = await post(path, {}, shop.apiKey, headers);
    expect((await post(path, {}, shop.apiKey, headers)).json).toEqual({ ...rotated.json, api_key: null });
    expect(await actions()).toEqual(['key.create', 'key.rotate']);
  });

  test('C-40: no key gets more rights than its creator has', async () => {
    const admin = await app.addKey(shop.accountId, ['admin']);
    const refused = await post('/v2/api_key', { name: 'x', scopes: ['move'] }, admin.apiKey);
    expect([refused.status, refused.json.code]).toEqual([403, 'FORBIDDEN']);
    const bad = { name: ' ', scopes: ['all'], allowed_cidrs: ['here'], expires_at: 'soon' };
    expect(violated(await post('/v2/api_key', bad)).sort()).toEqual([
      ...['allowed_cidrs.0', 'expires_at', 'name', 'scopes.0'],
    ]);
    expect(violated(await post('/v2/api_key', { name: 'x', scopes: [] }))).toEqual(['scopes']);
    const past = { name: 'x', scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' };
    expect(violated(await post('/v2/api_key', past))).toEqual(['expires_at']);
  });
});

describe('whitelist', () => {
  test('C-22: a destination is added to a group, waits for the cooling time, is proven, and removed', async () => {
    await app.owner.query(
      'insert into account_setting (account_id, whitelist_cooling_seconds) values ($1, 3600)',
      [shop.accountId],
    );
    const group = (await post('/v2/whitelist_group', { name: 'Treasury' })).json;
    expect(group).toMatchObject({ id: expect.stringMatching(/^grp_/), name: 'Treasury', entries: [] });
    const input = { group_id: group.id, network: 'TRX', address: TRON, label: 'cold' };
    const headers = { 'idempotency-key': 'cold-1' };
    const made = await post('/v2/whitelist_entry', input, shop.apiKey, headers);
    expect(made.json).toMatchObject({ group_id: group.id, network: 'TRX', target: TRON, is_proven: false });
    expect(Date.parse(made.json.usable_at)).toBeGreaterThan(Date.parse(made.json.created_at));
    expect((await post('/v2/whitelist_entry', input, shop.apiKey, headers)).text).toBe(made.text);
    expect(violated(await post('/v2/whitelist_entry', input))).toEqual(['address']);
    const path = `/v2/whitelist_entry/${made.json.id}`;
    expect((await get(path)).json).toEqual(made.json);
    expect((await get(`/v2/whitelist_group/${group.id}`)).json).toEqual({ ...group, entries: [made.json] });
    expect((await get('/v2/whitelist_groups')).json).toEqual({
      results: [{ ...group, entries: [made.json] }],
    });
    const proof = { proof_id: 'p1', proof_expires_at: '2099-01-31T12:00:00Z' };
    expect((await post(`${path}/prove`, proof)).json).toMatchObject({
      ...{ is_proven: true, proven_until: expect.stringMatching(/^2099-01-31T12:00:00/) },
    });
    expect((await post(`${path}/withdraw_proof`)).json).toMatchObject({
      is_proven: false,
      proven_until: null,
    });
    expect((await post(`${path}/remove`)).json.removed_at).not.toBeNull();
    expect((await get(`/v2/whitelist_group/${group.id}`)).json.entries).toEqual([]);
    expect(await actions()).toEqual([
      ...['whitelist.create_group', 'whitelist.add_entry', 'whitelist.add_proof'],
      ...['whitelist.withdraw_proof', 'whitelist.remove_entry'],
    ]);
  });

  test('C-50: violations of a destination are named by its member', async () => {
    const { id } = (await post('/v2/whitelist_group', { name: 'Treasury' })).json;
    const entry = (members: object) => post('/v2/whitelist_entry', { group_id: id, ...members });
    expect(violated(await entry({}))).toEqual(['address']);
    expect(violated(await entry({ address: TRON }))).toEqual(['network']);
    expect(violated(await entry({ network: 'TRX', address: 'x' }))).toEqual(['address']);
    expect(violated(await entry({ pix_key: 'x', pix_key_type: 'email' }))).toEqual(['pix_key']);
    const proven = { network: 'TRX', address: TRON, proof_signature: 'x' };
    expect(violated(await entry(proven)).sort()).toEqual(['proof_expires_at', 'proof_id']);
    const path = '/v2/whitelist_entry/wle_AAAAAAAAAAAAAAAA/prove';
    const bad = { proof_id: '\u0000', proof_expires_at: '2099-01-31T12:00:00Z', proof_signature: 'x' };
    expect(violated(await post(path, bad))).toEqual(['proof_id']);
  });
});

describe('static links', () => {
  test('C-20: a link is created, read, listed and disabled', async () => {
    const input = {
      ...{ name: 'Coffee', currency_exit_received_code: 'USDT (TRX)', amount_payment: '25.50' },
      ...{ external_code: 'cafe', expires_in: 600 },
    };
    const headers = { 'idempotency-key': 'coffee' };
    const made = await post('/v2/static_link', input, shop.apiKey, headers);
    expect(made.json).toMatchObject({
      ...{ ...input, currency_exit_received_code: 'USDT_TRX', amount_payment: 25.5 },
      ...{ url: `${app.baseUrl}/pay/l/${made.json.slug}`, return_url: null, disabled_at: null },
    });
    expect((await post('/v2/static_link', input, shop.apiKey, headers)).text).toBe(made.text);
    const path = `/v2/static_link/${made.json.slug}`;
    expect((await get(path)).json).toEqual(made.json);
    expect((await get('/v2/static_links')).json).toEqual({ results: [made.json] });
    expect((await app.get(new URL(made.json.url).pathname, { key: null })).status).toBe(200);
    expect((await post(`${path}/disable`)).json.disabled_at).not.toBeNull();
    const bad = { name: 'x', currency_exit_received_code: 'BRL', amount_payment: '0', expires_in: 1 };
    expect(violated(await post('/v2/static_link', bad)).sort()).toEqual([
      ...['amount_payment', 'currency_exit_received_code', 'expires_in'],
    ]);
    expect(await actions()).toEqual(['link.create', 'checkout.create', 'link.disable']);
  });
});

test('C-15: records of another account look missing, on every path', async () => {
  const endpoint = (await post('/v2/webhook_endpoint', { url: receiver.url('own') })).json;
  await openOnramp(app, shop.apiKey);
  await receiver.until('own', 1);
  const delivery = (await get('/v2/webhook_deliveries')).json.results[0];
  const { key } = (await post('/v2/api_key', { name: 'x', scopes: ['read'] })).json;
  const group = (await post('/v2/whitelist_group', { name: 'x' })).json;
  const entry = { group_id: group.id, network: 'TRX', address: TRON };
  const ids: Readonly<Record<string, string>> = {
    webhook_endpoint: endpoint.id,
    webhook_delivery: delivery.id,
    api_key: key.key_id,
    whitelist_group: group.id,
    whitelist_entry: (await post('/v2/whitelist_entry', entry)).json.id,
    static_link: (await post('/v2/static_link', { name: 'x', currency_exit_received_code: 'ETH' })).json.slug,
  };
  const bodies: Readonly<Record<string, object>> = {
    prove: { proof_id: 'p', proof_expires_at: '2099-01-31T12:00:00Z' },
  };
  const routes = ROUTES.filter(({ path, answer }) => answer.kind === 'record' && path.includes('{id}'));
  for (const { method, path } of routes) {
    const [, , single = '', , action = ''] = path.split('/');
    const own = path.replace('{id}', ids[single] as string);
    const answer =
      method === 'GET' ? await get(own, other.apiKey) : await post(own, bodies[action], other.apiKey);
    expect([path, answer.status, answer.json.code]).toEqual([path, 404, 'NOT_FOUND']);
  }
  expect((await post('/v2/whitelist_entry', entry, other.apiKey)).status).toBe(404);
  for (const list of ['webhook_endpoints', 'webhook_deliveries', 'whitelist_groups', 'static_links'])
    expect((await get(`/v2/${list}`, other.apiKey)).json.results).toEqual([]);
});

test('C-1: every route of a record had a good answer above', () => {
  const records = ROUTES.filter(({ answer }) => answer.kind === 'record');
  const named = records.map(({ method, path }) => `${method.toLowerCase()} ${path}`);
  expect(named.filter((each) => !answered.has(each))).toEqual([]);
});

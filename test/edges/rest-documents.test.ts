/**
 * Goal: the OpenAPI document says what is answered, and logs say nothing that is personal (C-1, C-50). Method: real answers
 * of every route against the served document; log lines of requests that carry what must not be logged.
 */
import { validate } from '@readme/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { newApiKey } from '../../src/base/access/api-key.ts';
import { NOTIFICATION_NAMES } from '../../src/events/notification-names.ts';
import type { Route } from '../../src/rest-compat/route.ts';
import { eventNamesOf } from '../../src/templates/event-names.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Answer, type TestApp, useApp } from '../support/app.ts';
import { CNPJ, CPF, EVM, TRON, takeIn, transaction } from '../support/records.ts';
import {
  BODIES,
  CUSTOMER,
  GROUP,
  IDS,
  PAYEE,
  pathOf,
  READS,
  ROUTES,
  whitelist,
} from '../support/rest-routes.ts';

const IN = { amount_payment: 100, currency_exit_received_code: 'USDT_TRX', ...CUSTOMER };
const OUT = { amount_paid: 10, currency_entry_paid_code: 'USDT_TRX', ...PAYEE };
const DEPOSIT = { ...OUT, from: 'external' };
const WITHDRAWAL = { amount_received: 10, currency_receive_code: 'USDT_TRX', group_id: GROUP };
const REDIRECTED = 'a redirected deposit that waits';
/** Worth more than what a withdrawal may be without a second approver. */
const APPROVED = { ...WITHDRAWAL, amount_received: 100 };

/** Header fields that HTTP itself gives to answers. */
const OF_HTTP = [
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'vary',
  'x-content-type-options',
];

/** Makes a transaction and asks for an act on it. */
const acted =
  (single: string, body: object, action: string, request: object = {}, options: object = {}) =>
  async (app: TestApp): Promise<Answer> => {
    const { json } = await app.post(`/v2/${single}`, body);
    return app.post(`/v2/${single}/${json.end2end}/${action}`, request, options);
  };
/** The same with a deposit of less than was asked for. */
const heldAnd = (action: string, request: object) => async (app: TestApp) => {
  const { json } = await app.post('/v2/offramp', DEPOSIT);
  expect(json.attributes.deposit_address).not.toBe('');
  const deposited = { scenario: 'deposit-wrong', end2end: json.end2end };
  expect((await app.post('/v2/sandbox/trigger', deposited)).status).toBe(200);
  return app.post(`/v2/offramp/${json.end2end}/${action}`, request);
};
/** A finished payment that goes back. */
const refunded =
  (single: string, amount = 1) =>
  async (app: TestApp) => {
    const { json } = await app.post(`/v2/${single}`, IN);
    await app.post('/v2/sandbox/trigger', { scenario: 'pay', end2end: json.end2end });
    const isDone = async () => (await app.get(`/v2/${single}/${json.end2end}`)).json.status.en === 'Success';
    await vi.waitFor(async () => expect(await isDone()).toBe(true), { timeout: 20_000 });
    return app.post(`/v2/${single}/${json.end2end}/refund`, { amount });
  };
/** Money out that waits for approval, decided by another key. */
const decided =
  (single: string, decision: string, request: (app: TestApp) => Promise<Answer>) => async (app: TestApp) => {
    const { json, status } = await request(app);
    expect(status).toBe(202);
    const { apiKey } = await app.addKey(app.accountId, ['read', 'move']);
    return app.post(`/v2/${single}/${json.end2end}/${decision}`, {}, { key: apiKey });
  };
const CREATIONS = {
  crossramp_checkout: 'createCheckout(input: { currency: "USDT_TRX", amount: { brl: "100" } })',
  onramp: 'createOnramp(input: { currency: "USDT_TRX", amount: { brl: "100" } })',
  offramp: 'createOfframp(input: { from: EXTERNAL, currency: "USDT_TRX", amount: { brl: "100" } })',
} as const;
/** Somebody who is named after the creation, and confirmed. */
const named = (single: keyof typeof CREATIONS, isConfirmed: boolean) => async (app: TestApp) => {
  const { json } = await app.graphql(`mutation { made: ${CREATIONS[single]} { transaction { end2end } } }`);
  const path = `/v2/${single}/${json.data.made.transaction.end2end}`;
  const answer = await app.post(`${path}/identity`, single === 'offramp' ? PAYEE : CUSTOMER);
  return isConfirmed ? app.post(`${path}/confirm_identity`) : answer;
};
/** An answer of every route that writes: what is asked for, the route, how it is come by. */
const WRITTEN: readonly (readonly [what: string, route: string, make: (app: TestApp) => Promise<Answer>])[] =
  [
    [
      'an open checkout',
      '/v2/crossramp_checkout',
      (app) => app.post('/v2/crossramp_checkout', { currency_exit_received_code: 'ETH' }),
    ],
    ['a checkout', '/v2/crossramp_checkout', (app) => app.post('/v2/crossramp_checkout', IN)],
    ['an onramp', '/v2/onramp', (app) => app.post('/v2/onramp', IN)],
    ['an onramp to a wallet', '/v2/onramp', (app) => app.post('/v2/onramp', { ...IN, wallet: TRON })],
    ['an offramp', '/v2/offramp', (app) => app.post('/v2/offramp', OUT)],
    ['an offramp of a deposit', '/v2/offramp', (app) => app.post('/v2/offramp', DEPOSIT)],
    [
      'an offramp of a deposit with a link',
      '/v2/offramp',
      (app) => app.post('/v2/offramp', { ...DEPOSIT, currency_entry_paid_code: 'USDC_BASE' }),
    ],
    ['a withdrawal', '/v2/withdrawal', (app) => app.post('/v2/withdrawal', WITHDRAWAL)],
    [
      'a cancelled checkout',
      '/v2/crossramp_checkout/{id}/cancel',
      acted('crossramp_checkout', { currency_exit_received_code: 'ETH' }, 'cancel'),
    ],
    ['a cancelled onramp', '/v2/onramp/{id}/cancel', acted('onramp', IN, 'cancel')],
    ['a cancelled offramp', '/v2/offramp/{id}/cancel', acted('offramp', DEPOSIT, 'cancel')],
    ['a cancelled withdrawal', '/v2/withdrawal/{id}/cancel', acted('withdrawal', APPROVED, 'cancel')],
    ['a rejected withdrawal', '/v2/withdrawal/{id}/reject', acted('withdrawal', APPROVED, 'reject')],
    [
      'an approved withdrawal',
      '/v2/withdrawal/{id}/approve',
      async (app) => {
        const { apiKey } = await app.addKey(app.accountId, ['read', 'move']);
        return acted('withdrawal', APPROVED, 'approve', {}, { key: apiKey })(app);
      },
    ],
    ...(['crossramp_checkout', 'onramp'] as const).flatMap(
      (single) =>
        [
          [`a refund of ${single}`, `/v2/${single}/{id}/refund`, refunded(single)],
          [`a customer of ${single}`, `/v2/${single}/{id}/identity`, named(single, false)],
          [`a confirmed customer of ${single}`, `/v2/${single}/{id}/confirm_identity`, named(single, true)],
        ] as const,
    ),
    ['a payee', '/v2/offramp/{id}/identity', named('offramp', false)],
    ...['approve', 'reject'].flatMap((decision) =>
      (
        [
          ['crossramp_checkout', refunded('crossramp_checkout', 100)],
          ['onramp', refunded('onramp', 100)],
          ['offramp', heldAnd('refund', { address: TRON })],
        ] as const
      ).map(
        ([single, request]) =>
          [
            `${decision} of ${single}`,
            `/v2/${single}/{id}/${decision}`,
            decided(single, decision, request),
          ] as const,
      ),
    ),
    [REDIRECTED, '/v2/offramp/{id}/refund', heldAnd('refund', { address: TRON })],
    ['a deposit that is kept', '/v2/offramp/{id}/resolve', heldAnd('resolve', { action: 'keep' })],
    ['a deposit at a new price', '/v2/offramp/{id}/resolve', heldAnd('resolve', { action: 'requote' })],
    [
      'a payment',
      '/v2/sandbox/trigger',
      async (app) => {
        const { json } = await app.post('/v2/onramp', IN);
        return app.post('/v2/sandbox/trigger', { scenario: 'pay', end2end: json.end2end });
      },
    ],
    ['the clock', '/v2/sandbox/clock', (app) => app.post('/v2/sandbox/clock', { advance: '1s' })],
    ['money', '/v2/sandbox/fund', (app) => app.post('/v2/sandbox/fund', { currency: 'BRL', amount: 1 })],
  ];

describe('OpenAPI', () => {
  const apps = { rounded: useApp(), exact: useApp({ exactIntegers: true }) };
  const end2end = 'CRX01KQMY4460FK28WFK4WPN1GEXACT';
  const checks = new Map<unknown, Check>();

  beforeAll(async () => {
    const quote = { quote: 5.4525, ref_quote: 5.3987, fees: 7.75 };
    for (const app of Object.values(apps)) {
      await takeIn(app.database, app.accountId, [transaction('offramp', quote, { end2end })]);
      await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: 1_000 });
      await whitelist(app, app.accountId, GROUP, [{ network: 'TRX', target: TRON }]);
      await app.owner.query(
        `insert into account_setting (account_id, approval_above, whitelist_cooling_seconds) values ($1, 100, 0)
          on conflict (account_id) do update set approval_above = 100, whitelist_cooling_seconds = 0`,
        [app.accountId],
      );
      checks.set(app, await checker(app));
    }
  });

  type Check = (pointer: readonly string[], body: unknown) => string | null;
  /** Says what is wrong with a body by a schema of the document that the instance serves; null when nothing is. */
  async function checker(app: (typeof apps)['exact']): Promise<Check> {
    const { json } = await app.get('/v2/openapi.json', { key: null });
    const ajv = new Ajv2020({ strict: false }).addSchema(json, 'openapi');
    formats.default(ajv);
    return (pointer, body) => {
      const path = pointer.map((part) =>
        encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
      );
      const $ref = `openapi#/${path.join('/')}`;
      const check = ajv.getSchema($ref) ?? ajv.compile({ $ref });
      return check(body) ? null : ajv.errorsText(check.errors?.slice(0, 1));
    };
  }
  const operationOf = (route: string, method: string) => ['paths', route, method.toLowerCase()];
  const schemaOf = (route: string, method: 'GET' | 'POST', status: number) => [
    ...operationOf(route, method),
    ...['responses', String(status), 'content', 'application/json', 'schema'],
  ];

  it('C-51: the document is valid, and has every route with its method and parameters', async () => {
    const { json } = await apps.rounded.get('/v2/openapi.json', { key: null });
    expect(await validate(structuredClone(json))).toMatchObject({ valid: true });
    type Operation = { operationId: string; parameters: { name: string }[] };
    const described = Object.entries<Record<string, Operation>>(json.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { parameters }]) => [
        ...[method.toUpperCase(), path],
        ...parameters.map(({ name }) => name),
      ]),
    );
    // What a creation or an act does is done once under a key (C-52); the sandbox's own routes take none.
    expect(described).toEqual(
      ROUTES.map(({ method, path, parameters, isProved }) => [
        ...[method, path, ...(path.includes('{id}') ? ['id'] : []), ...parameters],
        ...(method === 'POST' && path !== '/v2/sandbox/trigger' ? ['Idempotency-Key'] : []),
        ...(isProved ? ['If-None-Match'] : []),
        ...(method === 'GET' ? ['Crossramp-Version'] : []),
      ]),
    );
    const ids = Object.values<Record<string, Operation>>(json.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('C-51: the document has every member that a body may have, each with a description or its values', async () => {
    const { json } = await apps.rounded.get('/v2/openapi.json', { key: null });
    for (const { method, path, body } of ROUTES) {
      const { requestBody } = json.paths[path][method.toLowerCase()];
      if (method === 'GET') {
        expect([path, requestBody]).toEqual([path, undefined]);
        continue;
      }
      const { properties } = requestBody.content['application/json'].schema;
      expect([path, Object.keys(properties)]).toEqual([path, Object.keys(body ?? {})]);
      for (const [name, schema] of Object.entries(properties)) {
        const said = Object.keys(schema as object).filter((key) => key !== 'type');
        expect([path, name, (schema as { type: unknown }).type]).not.toContain(undefined);
        expect([path, name, said]).not.toEqual([path, name, []]);
      }
    }
  });

  it.each(
    Object.entries(BODIES),
  )('C-51: a body that %s takes is as the document says', async (route, body) => {
    const wrong = checks.get(apps.rounded) as Check;
    const pointer = [...operationOf(route, 'POST'), 'requestBody', 'content', 'application/json', 'schema'];
    expect(wrong(pointer, body)).toBeNull();
    for (const [name, value] of Object.entries(body))
      expect(wrong(pointer, { ...body, [name]: Array.isArray(value) ? 'x' : [] })).not.toBeNull();
  });

  it('C-51: the gateway requires every member that the document requires, and refuses unknown ones', async () => {
    const { json } = await apps.rounded.get('/v2/openapi.json', { key: null });
    for (const { path, body } of ROUTES.filter(({ method }) => method === 'POST')) {
      const { schema, example } = json.paths[path].post.requestBody.content['application/json'];
      const wrong = checks.get(apps.rounded) as Check;
      const pointer = [...operationOf(path, 'POST'), 'requestBody', 'content', 'application/json', 'schema'];
      expect([path, wrong(pointer, example)]).toEqual([path, null]);
      expect(wrong(pointer, { ...example, unheard_of: 1 })).not.toBeNull();
      const answer = await apps.rounded.post(pathOf(path), {});
      const named = (answer.json.violations ?? []).map(({ parameter }: { parameter: string }) => parameter);
      const eitherOf = schema.oneOf ? [schema.oneOf[0].required[0]] : [];
      expect([path, named.sort()]).toEqual([path, [...(schema.required ?? []), ...eitherOf].sort()]);
      expect(Object.keys(body ?? {})).toEqual(Object.keys(schema.properties));
    }
  });

  it('C-61: the document has every event as a webhook, and a tag for every operation', async () => {
    const { json } = await apps.rounded.get('/v2/openapi.json', { key: null });
    const names = [...REGISTRY.templates.flatMap(eventNamesOf), ...NOTIFICATION_NAMES];
    expect(Object.keys(json.webhooks).sort()).toEqual(names.sort());
    const tags = json.tags.map(({ name }: { name: string }) => name);
    for (const operations of Object.values({ ...json.paths, ...json.webhooks }) as Record<
      string,
      { tags: string[] }
    >[])
      for (const operation of Object.values(operations)) {
        expect(operation.tags).not.toEqual([]);
        expect(tags).toEqual(expect.arrayContaining(operation.tags));
      }
  });

  it.each([
    ...READS,
    { route: '/v2/offramp/{id}', path: `/v2/offramp/${end2end}` },
  ])('C-1: $path answers as the document says, and not a member more', async ({ route, path }) => {
    for (const app of Object.values(apps)) {
      const wrong = checks.get(app) as Check;
      const { status, json } = await app.get(path);
      expect([status, wrong(schemaOf(route, 'GET', 200), json)]).toEqual([200, null]);
      expect(wrong(schemaOf(route, 'GET', 200), { ...json, more: 1 })).not.toBeNull();
    }
  });

  it('C-50: every header field of an answer is described, and its status', async () => {
    const app = apps.rounded;
    const { json } = await app.get('/v2/openapi.json', { key: null });
    const idempotent = { headers: { 'idempotency-key': 'described' } };
    const answers: [route: string, method: string, answer: Answer][] = [
      ...(await Promise.all(
        READS.map(async ({ route, path }) => [route, 'get', await app.get(path)] as const),
      )),
      ['/v2/balance', 'get', await app.get('/v2/balance?nothing=1')],
      ['/v2/balance', 'get', await app.get('/v2/balance', { key: null })],
      ['/v2/onramp', 'post', await app.post('/v2/onramp', IN, idempotent)],
      ['/v2/onramp', 'post', await app.post('/v2/onramp', IN, idempotent)],
      ['/v2/onramp', 'post', await app.post('/v2/onramp', { ...IN, amount_payment: 1e6 })],
    ].map(([route, method, answer]) => [route, method, answer] as [string, string, Answer]);
    for (const [route, method, { status, headers }] of answers) {
      const { responses } = json.paths[route][method];
      const said = responses[status].$ref
        ? json.components.responses[responses[status].$ref.split('/').at(-1)]
        : responses[status];
      const described = Object.keys(said.headers).map((name) => name.toLowerCase());
      expect([
        route,
        [...headers.keys()].filter((name) => ![...described, ...OF_HTTP].includes(name)),
      ]).toEqual([route, []]);
    }
    const { responses } = json.paths['/v2/onramp'].post;
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([
        '201',
        '400',
        '401',
        '403',
        '406',
        '408',
        '409',
        '413',
        '414',
        '415',
        '422',
        '429',
        '431',
        '500',
        '503',
      ]),
    );
  });

  it('C-50: no object has typed members together with others of another type', async () => {
    const { json } = await apps.rounded.get('/v2/openapi.json', { key: null });
    const objects = (value: unknown): object[] =>
      typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objects)] : [];
    const mixed = objects(json).filter(
      (each) =>
        'properties' in each &&
        typeof (each as { additionalProperties?: unknown }).additionalProperties === 'object',
    );
    expect(mixed).toEqual([]);
    expect(json.info.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(json.components.schemas.Problem).toBeDefined();
    const created =
      json.paths['/v2/crossramp_checkout'].post.responses[201].content['application/json'].schema;
    expect(created.required).toContain('payment_link');
  });

  it('C-1: every route that writes is in the list below, those of records in a file of their own', () => {
    const written = new Set(WRITTEN.map(([, route]) => route));
    const posts = ROUTES.filter(({ method, answer }) => method === 'POST' && answer.kind !== 'record');
    expect(posts.map(({ path }) => path).filter((path) => !written.has(path))).toEqual([]);
  });

  it.each(
    WRITTEN,
  )('C-1: the answer with %s, POST %s, is exactly as documented', async (what, route, make) => {
    for (const app of Object.values(apps)) {
      const wrong = checks.get(app) as Check;
      const { status, text, json } = await make(app);
      const { status: usual, heldStatus } = ROUTES.find(
        ({ method, path }) => method === 'POST' && path === route,
      ) as Route;
      // The deposit of `REDIRECTED` goes elsewhere, which waits for approval.
      const said = what === REDIRECTED ? heldStatus : usual;
      expect([status, status < 300 ? wrong(schemaOf(route, 'POST', status), json) : text]).toEqual([
        said,
        null,
      ]);
      expect(wrong(schemaOf(route, 'POST', status), { ...json, more: 1 })).not.toBeNull();
    }
  });

  it.each([
    ['/v2/onramp', 400, { amount_payment: 0 }, {}],
    ['/v2/onramp', 400, { currency_exit_received_code: 'USDT' }, {}],
    ['/v2/onramp', 401, {}, { key: null }],
    ['/v2/sandbox/fund', 403, {}, { isLive: true }],
    ['/v2/onramp/{id}/cancel', 404, {}, { id: 'nobody' }],
    ['/v2/onramp/{id}/cancel', 409, {}, {}],
    ['/v2/onramp', 406, {}, { headers: { accept: 'text/html' } }],
    ['/v2/onramp', 413, { client_name: 'x'.repeat(1_048_576) }, {}],
    ['/v2/onramp', 415, {}, { headers: { 'content-type': 'text/plain' } }],
    ['/v2/onramp', 422, { amount_payment: 50_001 }, {}],
    ['/v2/withdrawal', 422, { group_id: 'nobody' }, {}],
  ] as const)('C-50: the problem of POST %s, %s, is as the document says', async (route, status, body, how) => {
    const app = apps.rounded;
    const wrong = checks.get(app) as Check;
    const { id = IDS.onramp as string, isLive, ...options }: Record<string, unknown> = how;
    const key = isLive ? { key: (await app.addAccount({ mode: 'live' })).apiKey } : {};
    const answer = await app.post(
      route.replace('{id}', String(id)),
      { ...BODIES[route], ...body },
      { ...options, ...key },
    );
    expect([answer.status, wrong(['components', 'schemas', 'Problem'], answer.json)]).toEqual([status, null]);
    const { json } = await app.get('/v2/openapi.json', { key: null });
    expect(Object.keys(json.paths[route].post.responses)).toContain(String(status));
  });

  it.each([
    ['/v2/onramp/nobody', '404', {}],
    ['/v2/onramps?limit=0&date_from=x', '400', {}],
    ['/v2/statement?currency=usdt', '400', {}],
    ['/v2/balance', '401', { key: null }],
    ['/v2/balance', '406', { headers: { accept: 'text/html' } }],
    ['/v2/balance', '405', { method: 'POST' }],
  ] as const)('C-50: the problem of %s, %s, is as the document says', async (path, status, options) => {
    const app = apps.rounded;
    const wrong = checks.get(app) as Check;
    const answer = await app.get(path, options);
    expect([String(answer.status), wrong(['components', 'schemas', 'Problem'], answer.json)]).toEqual([
      status,
      null,
    ]);
    expect(wrong(['components', 'schemas', 'Problem'], { ...answer.json, status: 'x' })).not.toBeNull();
  });
});

/** What a creation tells of its customer and its merchant. */
const SECRET_BODY = {
  client_name: 'Beatriz Logada',
  client_tax_id: CPF,
  external_code: 'order-logged-1',
  return_url: 'https://shop.example/logged',
};

describe('logs', () => {
  const lines: string[] = [];
  const app = useApp({ log: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }) });
  const SECRETS = [
    CPF,
    CNPJ,
    'ana@example.com',
    EVM,
    'E00038166202605011200ck7ueu153th',
    ...Object.values(SECRET_BODY),
  ];

  it('C-50: name the route, the status, the request and the transaction, and neither other ids nor queries nor keys', async () => {
    const unknown = newApiKey('live');
    const requests: [path: string, route: string, status: number, key?: string][] = [
      [`/v2/onramp/${IDS.onramp}`, '/v2/onramp/{id}', 200],
      [`/v2/offramp/${IDS.onramp}?client_tax_id=${CPF}`, '/v2/offramp/{id}', 404],
      [`/v2/onramps?client_tax_id=${CPF}&wallet=${EVM}`, '/v2/onramps', 200],
      [`/v2/onramps?client_tax_id=${CNPJ}&limit=${CPF}&offset=x`, '/v2/onramps', 400],
      [`/v2/withdrawals?address=ana@example.com&${CPF}=1`, '/v2/withdrawals', 200],
      [`/v2/statement?currency=${app.apiKey}`, '/v2/statement', 400],
      [`/v2/balance?key=${app.apiKey}`, '/v2/balance', 401, unknown],
      [`/v2/onramp/%ff${app.apiKey}`, '/v2/onramp/{id}', 404],
      [`/${app.apiKey}/${CPF}`, 'unknown', 404],
    ];
    for (const [index, [path, , status, key]] of requests.entries()) {
      const headers = { 'x-request-id': `request-${index}` };
      expect((await app.get(path, { headers, ...(key && { key }) })).status).toBe(status);
    }
    const written = { amount_payment: 100, currency_exit_received_code: 'ETH', ...SECRET_BODY };
    const { json } = await app.post('/v2/onramp', written, { headers: { 'x-request-id': 'creation' } });
    expect(json.attributes).toMatchObject(SECRET_BODY);
    const refused = { ...written, amount_payment: CPF, wallet: CPF };
    expect((await app.post('/v2/onramp', refused)).status).toBe(400);
    expect((await app.post(`/v2/onramp/${json.end2end}/cancel`)).status).toBe(200);
    await app.graphql(`{ viewer { account { id } } secret${CPF} }`);
    await app.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: CPF });
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(requests.length + 5);
    const logged = lines.map((line) => JSON.parse(line));
    for (const [index, [, route, status]] of requests.entries()) {
      const line = logged.find(({ requestId }) => requestId === `request-${index}`);
      expect(line).toMatchObject({ method: 'GET', route, status, ms: expect.any(Number) });
    }
    const creation = logged.find(({ requestId }) => requestId === 'creation');
    expect(creation).toMatchObject({
      method: 'POST',
      route: '/v2/onramp',
      status: 201,
      transaction: json.end2end,
    });
    const text = lines.join('');
    for (const secret of [...SECRETS, app.apiKey, app.apiKey.slice(9), unknown])
      expect(text).not.toContain(secret);
  });

  it('C-50: an unforeseen error is masked as INTERNAL and logged under its request id, without the values', async () => {
    await app.owner.query('alter table transaction rename component to moved');
    try {
      for (const path of [`/v2/onramps?client_tax_id=${CPF}`, `/v2/onramp/${IDS.onramp}`]) {
        const answer = await app.get(path);
        expect(answer.json).toMatchObject({ status: 500, code: 'INTERNAL' });
        expect(answer.text).not.toMatch(/relation|select|transaction"|node_modules|\.ts/);
        const line = lines.find(
          (logged) => logged.includes(answer.json.request_id) && logged.includes('42703'),
        );
        expect(line).toBeDefined();
      }
    } finally {
      await app.owner.query('alter table transaction rename moved to component');
    }
    const text = lines.join('');
    for (const secret of [...SECRETS, app.apiKey]) expect(text).not.toContain(secret);
    expect((await app.get(`/v2/onramp/${IDS.onramp}`)).status).toBe(200);
  });
});

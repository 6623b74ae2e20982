/**
 * Goal: the OpenAPI document says what is answered, and logs say nothing that is personal (C-1, C-50). Method: real answers
 * of every route against the served document; log lines of requests that carry what must not be logged.
 */
import { validate } from '@readme/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/base/api-key.ts';
import { useApp } from '../support/app.ts';
import { CNPJ, CPF, EVM, takeIn, transaction } from '../support/records.ts';
import { IDS, ROUTES, TARGETS } from '../support/rest-routes.ts';

describe('OpenAPI', () => {
  const apps = { rounded: useApp(), exact: useApp({ exactIntegers: true }) };
  const end2end = 'CRX01KQMY4460FK28WFK4WPN1GEXACT';
  const checks = new Map<unknown, Check>();

  beforeAll(async () => {
    const quote = { quote: 5.4525, ref_quote: 5.3987, fees: 7.75 };
    for (const app of Object.values(apps)) {
      await takeIn(app.database, app.accountId, [transaction('offramp', quote, { end2end })]);
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
  const schemaOf = (route: string) =>
    ['paths', route, 'get', 'responses', '200', 'content', 'application/json', 'schema'] as const;

  it('C-51: the document is valid, and has every route with its parameters', async () => {
    const { json } = await apps.rounded.get('/v2/openapi.json', { key: null });
    expect(await validate(structuredClone(json))).toMatchObject({ valid: true });
    const described = Object.entries<{ get: { parameters: { name: string }[] } }>(json.paths);
    expect(
      described.map(([path, { get }]) => [path, ...get.parameters.map((parameter) => parameter.name)]),
    ).toEqual(
      ROUTES.map(({ path, parameters }) => [path, ...(path.includes('{id}') ? ['id'] : []), ...parameters]),
    );
  });

  it.each([
    ...TARGETS,
    { route: '/v2/offramp/{id}', path: `/v2/offramp/${end2end}` },
  ])('C-1: $path answers as the document says, and not a member more', async ({ route, path }) => {
    for (const app of Object.values(apps)) {
      const wrong = checks.get(app) as Check;
      const { status, json } = await app.get(path);
      expect([status, wrong(schemaOf(route), json)]).toEqual([200, null]);
      expect(wrong(schemaOf(route), { ...json, more: 1 })).not.toBeNull();
    }
  });

  it.each([
    ['/v2/onramp/nobody', '404', {}],
    ['/v2/onramps?limit=0&date_from=x', '400', {}],
    ['/v2/statement?currency=USDT', '400', {}],
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

describe('logs', () => {
  const lines: string[] = [];
  const app = useApp({ log: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }) });
  const SECRETS = [
    CPF,
    CNPJ,
    'ana@example.com',
    EVM,
    'E00038166202605011200ck7ueu153th',
    IDS.onramp as string,
  ];

  it('C-50: name the route, the status and the request, and neither ids nor queries nor keys', async () => {
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
    await app.graphql(`{ viewer { account { id } } secret${CPF} }`);
    await app.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: CPF });
    await expect.poll(() => lines.length, { timeout: 5_000 }).toBeGreaterThanOrEqual(requests.length + 2);
    const logged = lines.map((line) => JSON.parse(line));
    for (const [index, [, route, status]] of requests.entries()) {
      const line = logged.find(({ requestId }) => requestId === `request-${index}`);
      expect(line).toMatchObject({ method: 'GET', route, status, ms: expect.any(Number) });
    }
    const text = lines.join('');
    for (const secret of [...SECRETS, app.apiKey, app.apiKey.slice(9), unknown])
      expect(text).not.toContain(secret);
  });

  it('C-50: what is unforeseen is masked as INTERNAL and logged under its request id, without the values', async () => {
    await app.owner.query('alter table transaction rename to moved');
    try {
      for (const path of [`/v2/onramps?client_tax_id=${CPF}`, `/v2/onramp/${IDS.onramp}`]) {
        const answer = await app.get(path);
        expect(answer.json).toMatchObject({ status: 500, code: 'INTERNAL' });
        expect(answer.text).not.toMatch(/relation|select|transaction"|node_modules|\.ts/);
        const line = lines.find(
          (logged) => logged.includes(answer.json.request_id) && logged.includes('42P01'),
        );
        expect(line).toBeDefined();
      }
    } finally {
      await app.owner.query('alter table moved rename to transaction');
    }
    const text = lines.join('');
    for (const secret of [...SECRETS, app.apiKey]) expect(text).not.toContain(secret);
    expect((await app.get(`/v2/onramp/${IDS.onramp}`)).status).toBe(200);
  });
});

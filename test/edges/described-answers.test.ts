/**
 * Goal: the OpenAPI document has every status, every header field and every member that a request to `/v2` is answered with (C-50,
 * C-51). Method: every route with requests of each kind that can be refused, over HTTP, beside the document that the same gateway
 * serves; its schemas are closed.
 */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../src/base/access/api-key.ts';
import { BODY_MAX_BYTES } from '../../src/base/input/read-body.ts';
import { encodeEventCursor } from '../../src/events/cursor.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { startApp, useApp } from '../support/app.ts';
import { CUSTOMER, TARGETS, type Target } from '../support/rest-routes.ts';

/** Header fields that HTTP itself gives to answers. */
const OF_HTTP = [
  ...['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive', 'vary'],
  ...['transfer-encoding', 'x-content-type-options'],
];
/** Header fields that clients rely on to go on after a refusal, by its status. */
const NEEDED: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  426: ['upgrade'],
  429: ['retry-after', 'ratelimit', 'ratelimit-policy'],
  503: ['retry-after'],
};

interface Request {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}
interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
/** Statuses of a route, each with the header fields that the document says it has. */
type Described = ReadonlyMap<number, readonly string[]>;

const app = useApp();
const ajv = new Ajv2020({ strict: false });
const checks = new Map<string, ValidateFunction>();
let document: Document;
/** A key of each scope: routes of another scope refuse it. */
const others: Record<string, string> = {};

interface Answer {
  readonly $ref?: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
  readonly components: { readonly responses: Record<string, Answer> };
}

beforeAll(async () => {
  document = (await app.get('/v2/openapi.json', { key: null })).json;
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  for (const scope of ['read', 'create', 'move', 'admin'] as const)
    others[scope] = (await app.addKey(app.accountId, [scope])).apiKey;
});

function describedOf({ route, method }: Target): Described {
  const { responses } = document.paths[route]?.[method.toLowerCase()] as {
    responses: Record<string, Answer>;
  };
  return new Map(
    Object.entries(responses).map(([status, { $ref, ...own }]) => {
      const { headers } = $ref
        ? (document.components.responses[$ref.split('/').at(-1) ?? ''] as Answer)
        : own;
      return [Number(status), Object.keys(headers ?? {}).map((name) => name.toLowerCase())];
    }),
  );
}

/** Sends a request with fields that `fetch` does not send, such as `Expect`. */
function send(
  baseUrl: string,
  target: Target,
  { query = '', headers = {}, body }: Request,
): Promise<Answered> {
  const json = target.method === 'POST' ? { 'content-type': 'application/json' } : {};
  // The clock is the operator's to set.
  const key = target.route === '/v2/sandbox/clock' ? app.platformKey : app.apiKey;
  const given = Object.entries({ authorization: `Bearer ${key}`, ...json, ...headers });
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${baseUrl}${target.path}${query}`,
      {
        agent: false,
        method: target.method,
        headers: Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >,
      },
      (response) => {
        const parts: Buffer[] = [];
        response
          .on('data', (part: Buffer) => parts.push(part))
          .on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(parts).toString(),
            }),
          );
      },
    );
    sent.on('error', reject);
    sent.end(target.method === 'POST' ? (body ?? JSON.stringify(target.body)) : undefined);
  });
}

/** @returns the body of a target with members that name records which do not exist. */
function namingNothing({ shape, body }: Target): string {
  const missing = { end2end: 'CRX00000000000000000000000000', group_id: 'grp_0', endpoint_id: 'whe_0' };
  return JSON.stringify({
    ...body,
    ...Object.fromEntries(Object.entries(missing).filter(([name]) => name in shape)),
  });
}

/** @returns the members of a body that differ from its schema in the document. */
function undescribedBody({ route, method }: Target, { status, headers, body }: Answered): readonly string[] {
  const { responses } = document.paths[route]?.[method.toLowerCase()] as {
    responses: Record<string, Answer>;
  };
  const { $ref, content } = responses[status] as Answer;
  if (!$ref && !content) return body === '' ? [] : [`${status} has a body`];
  const answer = $ref?.slice(2).split('/') ?? [
    'paths',
    route,
    method.toLowerCase(),
    'responses',
    String(status),
  ];
  const type = String(headers['content-type']).split(';')[0] as string;
  const pointer = [...answer, 'content', type, 'schema'];
  const at = pointer
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const check = checks.get(at) ?? ajv.compile({ $ref: `openapi#/${at}`, unevaluatedProperties: false });
  checks.set(at, check);
  if (check(JSON.parse(body))) return [];
  const facts = (check.errors ?? []).map(({ params }) => JSON.stringify(params)).join(' ');
  return [`${status} ${ajv.errorsText(check.errors)} ${facts}`];
}

/** @returns what an answer has that the document does not say, and what it lacks. */
function undescribed(target: Target, answer: Answered): readonly string[] {
  const { status, headers } = answer;
  const said = describedOf(target).get(status);
  if (!said) return [`status ${status}`];
  const more = Object.keys(headers).filter((name) => ![...said, ...OF_HTTP].includes(name));
  const missing = (NEEDED[status] ?? []).filter((name) => !(name in headers));
  return [
    ...undescribedBody(target, answer),
    ...more.map((name) => `${status} has ${name}`),
    ...missing.map((name) => `${status} lacks ${name}`),
  ];
}

/** Requests of each kind; a kind has the status with which it is refused, or null where that depends on the route. */
const KINDS: Readonly<Record<string, readonly [status: number | null, asked: Request]>> = {
  'a known answer': [null, {}],
  'an unknown parameter': [null, { query: '?unheard_of=1' }],
  'no key': [401, { headers: { authorization: undefined } }],
  'an unknown key': [401, { headers: { authorization: `Bearer ${newApiKey('test')}` } }],
  'another media type': [406, { headers: { accept: 'text/html' } }],
  'an expectation': [417, { headers: { expect: 'everything' } }],
  'a long query': [414, { query: `?${'x'.repeat(8_200)}` }],
  'long header fields': [431, { headers: { 'x-long': 'x'.repeat(40_000) } }],
  'a WebSocket': [426, { headers: { connection: 'upgrade', upgrade: 'websocket' } }],
};
/** The same of requests with a body. */
const KINDS_OF_POST: typeof KINDS = {
  'no JSON': [400, { body: '{' }],
  'another type of body': [415, { headers: { 'content-type': 'text/plain' } }],
  'a compressed body': [415, { headers: { 'content-encoding': 'gzip' } }],
  'a body that is too large': [413, { body: JSON.stringify({ text: 'x'.repeat(BODY_MAX_BYTES) }) }],
  'an unknown member': [400, { body: '{"unheard_of":1}' }],
};

describe.each(
  TARGETS.map((target) => [`${target.method} ${target.route}`, target] as const),
)('C-51: %s', (_name, target) => {
  const ofPost = {
    ...KINDS_OF_POST,
    'records that are missing': [null, { body: namingNothing(target) }] as const,
  };
  const kinds = Object.entries({ ...KINDS, ...(target.method === 'POST' && ofPost) });

  test('answers each kind of request with a status and header fields that the document has', async () => {
    const found: string[] = [];
    for (const [kind, [status, asked]] of kinds) {
      const answer = await send(app.baseUrl, target, asked);
      if (status !== null && answer.status !== status) found.push(`${kind}: ${answer.status} for ${status}`);
      found.push(...undescribed(target, answer).map((each) => `${kind}: ${each}`));
    }
    for (const [scope, key] of Object.entries(others)) {
      const answer = await send(app.baseUrl, target, { headers: { authorization: `Bearer ${key}` } });
      found.push(...undescribed(target, answer).map((each) => `the scope ${scope}: ${each}`));
    }
    // The second time, what was stored of the first is answered.
    const again = { headers: { 'idempotency-key': 'described' } };
    for (let time = 1; time <= 2; time++) {
      const answer = await send(app.baseUrl, target, again);
      found.push(...undescribed(target, answer).map((each) => `time ${time}: ${each}`));
    }
    expect(found).toEqual([]);
  });
});

test('C-53: a route beyond the rate of its key answers as documented', async () => {
  const rate = { perSecond: 0.001, burst: 1 };
  const { publicUrl, close } = await startApp(app.database, 0, { rateLimit: { reads: rate, writes: rate } });
  const bodyless = { headers: { accept: 'text/html' } };
  try {
    for (const target of TARGETS) {
      const answers = [await send(publicUrl, target, bodyless), await send(publicUrl, target, bodyless)];
      expect([target.route, answers.at(-1)?.status]).toEqual([target.route, 429]);
      for (const answer of answers)
        expect([target.route, undescribed(target, answer)]).toEqual([target.route, []]);
    }
  } finally {
    await close();
  }
});

test('C-51: a route whose database is unreachable answers as documented', async () => {
  const away = openDatabase('postgres://nobody@127.0.0.1:1/none', { connections: 1 });
  const { publicUrl, close } = await startApp(away);
  try {
    for (const target of TARGETS) {
      const answer = await send(publicUrl, target, {});
      expect([target.route, answer.status]).toEqual([target.route, 503]);
      expect([target.route, undescribed(target, answer)]).toEqual([target.route, []]);
    }
  } finally {
    await close();
    await away.close();
  }
});

describe('C-50: a refusal by a rule has members that the document has:', () => {
  const targetOf = (method: string, route: string) =>
    TARGETS.find((each) => each.method === method && each.route === route) as Target;
  const order = { amount_payment: 60_000, currency_exit_received_code: 'USDT_TRX', ...CUSTOMER };

  test.each<[code: string, method: string, route: string, asked: () => Promise<Request>, members: object]>([
    [
      'LIMIT_EXCEEDED',
      ...(['POST', '/v2/onramp'] as const),
      async () => ({ body: JSON.stringify(order) }),
      { limit: { kind: 'transaction', minimum: 1, maximum: 50_000, currency: 'BRL' } },
    ],
    [
      'INSUFFICIENT_BALANCE',
      ...(['POST', '/v2/offramp'] as const),
      async () => ({ headers: { authorization: `Bearer ${(await app.addAccount()).apiKey}` } }),
      { limit: { kind: 'balance', maximum: 0, currency: 'USDT_TRX' } },
    ],
    [
      'STEP_CONFLICT',
      ...(['POST', '/v2/onramp/{id}/refund'] as const),
      async () => ({ body: '{"amount":"1"}' }),
      {},
    ],
    [
      'FORBIDDEN',
      ...(['POST', '/v2/onramp'] as const),
      async () => ({ headers: { authorization: `Bearer ${others.read}` } }),
      { scope: 'create' },
    ],
    [
      'CURSOR_EXPIRED',
      ...(['GET', '/v2/events'] as const),
      async () => ({
        query: `?after=${encodeEventCursor(app.accountId, { seq: 1_000_000n, token: '0badcafe' })}`,
      }),
      { earliest: expect.any(String), latest: expect.any(String) },
    ],
  ])('%s of %s %s', async (code, method, route, asked, members) => {
    const target = targetOf(method, route);
    const answer = await send(app.baseUrl, target, await asked());
    expect(undescribed(target, answer)).toEqual([]);
    expect(JSON.parse(answer.body)).toMatchObject({ code, ...members });
  });
});

test('C-50: every object of the document is closed', () => {
  const open: string[] = [];
  const visit = (value: unknown, at: string): void => {
    if (value === null || typeof value !== 'object') return;
    if ('type' in value && value.type === 'object' && !('additionalProperties' in value)) open.push(at);
    for (const [name, each] of Object.entries(value)) visit(each, `${at}/${name}`);
  };
  visit(document, '');
  expect(open).toEqual([]);
});

/**
 * Bad input to `/v2` (C-13): every query parameter of every route against a dictionary, and a bounded fuzz of queries and
 * of bodies. Members of bodies, one by one: rest-create-bad-input.test.ts.
 *
 * The matrix is made from the route table, so that a new parameter without an expectation here fails. Which values
 * a parameter refuses is decided by rules of this file, not by the code that is tested.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/base/errors/errors.ts';
import { type Answer, useApp } from '../support/app.ts';
import { READS, ROUTES, WRITES } from '../support/rest-routes.ts';

const ID = 'CRX01KQJ1A72GFRM9067ZF35B7ZCN';
const LISTS = ROUTES.filter(({ parameters }) => parameters.length > 0);
const CELLS = LISTS.flatMap(({ path, parameters }) => parameters.map((parameter) => ({ path, parameter })));

/** Values as they stand in the query, percent-encoded. */
const DICTIONARY = [
  ...['', '%20', '0', '-0', '-1', '1', '020', '1.5', '101', '1e2', '0x10', '%2B5', '%205', '5%20'],
  ...['%EF%BC%91%EF%BC%90', '%D9%A3', 'NaN', 'Infinity', '9007199254740993', '9223372036854775808', '1e400'],
  ...['%00', 'a%00b', '%ff', '%C3', '%ED%A0%80', '%', '%zz', '%u0041', 'e%CC%81', '%C3%A9'],
  ...['%E2%80%AE', '%E2%80%8D', 'null', 'true', '[]', '{}', '__proto__', 'constructor.prototype', '$where'],
  ...["'--", '{{7*7}}', '=cmd()', '%25', '%0d%0aset-cookie:a=b', 'usdt_trx', 'USDT_XXX', 'Available', '5'],
  ...['2026-02-28', '2026-02-29', '2024-02-29', '2026-02-30', '2026-13-01', '2026-00-10', '2026-2-3'],
  ...['2026-02-03T00:00:00Z', '20260203', '03/02/2026', '0000-01-01', '99999-01-01', '-271821-04-20'],
  ...[
    '275760-09-13',
    '2026-02-28%00',
    '%EF%BC%92026-02-28',
    'x'.repeat(200),
    'x'.repeat(201),
    'x'.repeat(5_000),
  ],
] as const;

const isText = (value: string | undefined) => value !== undefined && /^[^\0]{1,200}$/su.test(value);
const CURRENCY = /^(BRL|(USDT|USDC|TRX|ETH|BTC)_(TRX|ETH|POLYGON|BASE|BSC|SOL|BTC))$/;
const isDay = (value: string) => ['2026-02-28', '2024-02-29'].includes(value);
/** Whether a decoded value (undefined: not UTF-8) is accepted, and words of the refusal. */
const RULES: Record<string, readonly [accepts: (value: string) => boolean, refusal: RegExp]> = {
  limit: [(value) => /^[1-9]\d*$/.test(value), /integer of at least 1/],
  offset: [
    (value) => /^(0|[1-9]\d{0,15})$/.test(value) && Number.isSafeInteger(Number(value)),
    /integer from 0/,
  ],
  date_from: [isDay, /existing day, YYYY-MM-DD/],
  date_to: [isDay, /existing day, YYYY-MM-DD/],
  currency: [(value) => CURRENCY.test(value), /one of BRL, USDT_TRX/],
  receive_currency_code: [(value) => CURRENCY.test(value), /one of BRL, USDT_TRX/],
  account_type: [() => false, /one of available, in_transit, to_receive, blocked/],
  pix_e2e: [isText, /./],
  external_code: [isText, /./],
  client_tax_id: [isText, /./],
  wallet: [isText, /./],
  address: [isText, /./],
  group_id: [isText, /./],
  after: [(text) => text === '', /cursor/],
  before: [(value) => /^[1-9]\d{0,17}$/.test(value), /id of a delivery/],
  endpoint_id: [isText, /./],
  state: [() => false, /one of pending, delivered, dead, skipped/],
  wait: [(value) => /^(0|[1-9]|[12]\d|30)$/.test(value), /integer from 0 to 30/],
};

const decoded = (value: string): string | undefined => {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};
/** What is said of a text that is no text, whatever the parameter. */
const MALFORMED = /percent-encoded UTF-8|well-formed text|1 to 200 characters/;

const problemSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', pattern: '^http://127\\.0\\.0\\.1:\\d+/errors/[A-Z_]+$' },
    title: { type: 'string', minLength: 1 },
    status: { type: 'integer' },
    detail: { type: 'string', minLength: 1 },
    code: { enum: Object.keys(ERRORS) },
    action: { enum: ['FIX', 'WAIT', 'STOP'] },
    next: { type: 'string', pattern: '^[A-Z].*\\.$' },
    request_id: { type: 'string', minLength: 1 },
    violations: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          parameter: { type: 'string' },
          message: { type: 'string', minLength: 1 },
        },
        required: ['parameter', 'message'],
        additionalProperties: false,
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'action', 'next', 'request_id'],
  additionalProperties: false,
};
const isProblem = new Ajv2020().compile(problemSchema);

/** Checks that an answer is a problem of its own status, and gives the parameters that it names. */
function violatedBy(answer: Answer): string[] {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  isProblem(answer.json);
  expect(isProblem.errors).toBeNull();
  expect(answer.json.status).toBe(answer.status);
  expect(answer.json.request_id).toBe(answer.headers.get('x-request-id'));
  return (answer.json.violations ?? []).map(({ parameter }: { parameter: string }) => parameter);
}

describe('the parameters of the routes', () => {
  const app = useApp();
  const strict = useApp({ strictQuery: true });
  const rejecting = useApp({ limitOverflow: 'reject' });

  it('C-13: are those of service.md, and of the event log', () => {
    const reads = ROUTES.filter(({ method }) => method === 'GET');
    expect(Object.fromEntries(reads.map(({ path, parameters }) => [path, parameters.join(' ')]))).toEqual({
      '/v2/crossramp_checkout/{id}': '',
      '/v2/onramp/{id}': '',
      '/v2/offramp/{id}': '',
      '/v2/withdrawal/{id}': '',
      '/v2/crossramp_checkout/{id}/actions': '',
      '/v2/onramp/{id}/actions': '',
      '/v2/offramp/{id}/actions': '',
      '/v2/withdrawal/{id}/actions': '',
      '/v2/crossramp_checkouts': 'limit offset pix_e2e client_tax_id external_code date_from date_to',
      '/v2/onramps': 'limit offset pix_e2e client_tax_id external_code wallet date_from date_to',
      '/v2/offramps': 'limit offset pix_e2e client_tax_id external_code wallet date_from date_to',
      '/v2/withdrawals': 'limit offset group_id address receive_currency_code',
      '/v2/statement': 'limit offset currency account_type date_from date_to',
      '/v2/balance': '',
      '/v2/events': 'after limit wait',
      '/v2/webhook_endpoints': '',
      '/v2/webhook_endpoint/{id}': '',
      '/v2/webhook_endpoint/{id}/secrets': '',
      '/v2/webhook_secrets': '',
      '/v2/webhook_deliveries': 'limit before endpoint_id state',
      '/v2/webhook_delivery/{id}': '',
      '/v2/api_keys': '',
      '/v2/whitelist_groups': '',
      '/v2/whitelist_group/{id}': '',
      '/v2/whitelist_entry/{id}': '',
      '/v2/static_links': '',
      '/v2/static_link/{id}': '',
    });
  });

  it('contract 4: members of bodies are those of contract.md and of further actions, and POST has no query parameters', () => {
    const writes = ROUTES.filter(({ method }) => method === 'POST');
    expect(writes.flatMap(({ parameters }) => parameters)).toEqual([]);
    const session = 'external_code return_url webhook expires_in';
    const pixIn = 'amount_payment amount_received currency_exit_received_code client_name client_tax_id';
    const manners = 'description event_names order max_concurrency max_per_second is_signed_by_key';
    const proof = 'proof_id proof_expires_at proof_signature';
    const pixOut = 'amount_paid amount_sent currency_entry_paid_code pix_key pix_key_type';
    expect(
      Object.fromEntries(writes.map(({ path, body }) => [path, Object.keys(body ?? {}).join(' ')])),
    ).toEqual({
      '/v2/crossramp_checkout': `${pixIn} ${session}`,
      '/v2/onramp': `${pixIn} wallet ${session}`,
      '/v2/offramp': `${pixOut} client_name client_tax_id from ${session}`,
      '/v2/withdrawal': 'amount_received currency_receive_code group_id address notes',
      '/v2/crossramp_checkout/{id}/cancel': '',
      '/v2/onramp/{id}/cancel': '',
      '/v2/offramp/{id}/cancel': '',
      '/v2/withdrawal/{id}/cancel': '',
      '/v2/offramp/{id}/refund': 'address',
      '/v2/offramp/{id}/resolve': 'action address',
      '/v2/crossramp_checkout/{id}/refund': 'amount',
      '/v2/onramp/{id}/refund': 'amount',
      '/v2/crossramp_checkout/{id}/identity': 'client_name client_tax_id',
      '/v2/onramp/{id}/identity': 'client_name client_tax_id',
      '/v2/offramp/{id}/identity': 'client_name client_tax_id pix_key pix_key_type',
      '/v2/crossramp_checkout/{id}/confirm_identity': '',
      '/v2/onramp/{id}/confirm_identity': '',
      '/v2/withdrawal/{id}/approve': '',
      '/v2/withdrawal/{id}/reject': '',
      '/v2/crossramp_checkout/{id}/approve': 'requested_at',
      '/v2/crossramp_checkout/{id}/reject': '',
      '/v2/onramp/{id}/approve': 'requested_at',
      '/v2/onramp/{id}/reject': '',
      '/v2/offramp/{id}/approve': 'requested_at',
      '/v2/offramp/{id}/reject': '',
      '/v2/sandbox/trigger': 'scenario end2end amount',
      '/v2/sandbox/clock': 'advance',
      '/v2/sandbox/fund': 'currency amount',
      '/v2/webhook_endpoint': `url template ${manners}`,
      '/v2/webhook_endpoint/{id}/update': `url ${manners}`,
      '/v2/webhook_endpoint/{id}/remove': '',
      '/v2/webhook_endpoint/{id}/pause': '',
      '/v2/webhook_endpoint/{id}/resume': '',
      '/v2/webhook_endpoint/{id}/rotate_secret': 'overlap_seconds',
      '/v2/webhook_secrets/rotate': 'overlap_seconds',
      '/v2/webhook_delivery/{id}/redeliver': '',
      '/v2/webhook_endpoint/{id}/test': '',
      '/v2/webhook_endpoint/{id}/recover': '',
      '/v2/webhook_deliveries/redeliver': 'endpoint_id states since after event_names dry_run',
      '/v2/api_key': 'name scopes expires_at allowed_cidrs',
      '/v2/api_key/{id}/rotate': 'overlap_seconds',
      '/v2/api_key/{id}/revoke': '',
      '/v2/whitelist_group': 'name',
      '/v2/whitelist_entry': `group_id network address pix_key_type pix_key label ${proof}`,
      '/v2/whitelist_entry/{id}/remove': '',
      '/v2/whitelist_entry/{id}/prove': proof,
      '/v2/whitelist_entry/{id}/withdraw_proof': '',
      '/v2/static_link': `name currency_exit_received_code amount_payment ${session}`,
      '/v2/static_link/{id}/disable': '',
    });
  });

  it.each(CELLS)('C-13: $path accepts or refuses each value of $parameter, naming it', async (cell) => {
    const [accepts, refusal] = RULES[cell.parameter] as (typeof RULES)[string];
    for (const value of DICTIONARY) {
      const answer = await app.get(`${cell.path}?${cell.parameter}=${value}`);
      const text = decoded(value);
      const what = `${cell.parameter}=${value.slice(0, 40)}`;
      if (text !== undefined && accepts(text)) {
        expect([what, answer.status]).toEqual([what, 200]);
        continue;
      }
      expect([what, answer.status, violatedBy(answer)]).toEqual([what, 400, [cell.parameter]]);
      const { message } = answer.json.violations[0];
      expect([what, refusal.test(message) || MALFORMED.test(message)]).toEqual([what, true]);
      expect(answer.json.detail).toContain(cell.parameter);
    }
  });

  it.each(CELLS)('C-13: $path refuses $parameter given twice, even with the same value', async (cell) => {
    const value = {
      date_from: '2026-02-28',
      date_to: '2026-02-28',
      limit: '5',
      offset: '5',
      wait: '0',
      after: Buffer.from(`e1:${app.accountId}:0`).toString('base64url'),
    }[cell.parameter];
    const choice = { account_type: 'available', state: 'dead', before: '5' }[cell.parameter];
    const good = value ?? choice ?? 'BRL';
    const once = `${cell.parameter}=${good}`;
    expect((await app.get(`${cell.path}?${once}`)).status).toBe(200);
    const answer = await app.get(`${cell.path}?${once}&${once}`);
    expect([answer.status, violatedBy(answer)]).toEqual([400, [cell.parameter]]);
    expect(answer.json.violations[0].message).toMatch(/given once/);
    const encoded = `%${cell.parameter.charCodeAt(0).toString(16)}${cell.parameter.slice(1)}=${good}`;
    expect((await app.get(`${cell.path}?${encoded}&${once}`)).status).toBe(400);
  });

  it.each(LISTS)('C-13: $path lists all bad parameters at once', async ({ path, parameters }) => {
    const answer = await app.get(`${path}?${parameters.map((parameter) => `${parameter}=%00`).join('&')}`);
    expect([answer.status, answer.json.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(violatedBy(answer).toSorted()).toEqual(parameters.toSorted());
  });

  it('C-13: an unknown currency is reported with other bad parameters', async () => {
    const answer = await app.get('/v2/statement?currency=NONE&limit=0&account_type=x');
    expect(answer.json.code).toBe('INVALID_PARAMETER');
    expect(violatedBy(answer).toSorted()).toEqual(['account_type', 'currency', 'limit']);
  });

  it.each([
    'crossramp_checkouts',
    'onramps',
    'offramps',
    'statement',
  ])('C-13: %s refuses a range that ends before it starts, naming both ends', async (list) => {
    const answer = await app.get(`/v2/${list}?date_from=2026-05-02&date_to=2026-05-01`);
    expect([answer.status, violatedBy(answer)]).toEqual([400, ['date_from', 'date_to']]);
    expect((await app.get(`/v2/${list}?date_from=2026-05-01&date_to=2026-05-01`)).status).toBe(200);
  });

  it('C-12: where overflow is rejected, the refusal names the maximum', async () => {
    const answer = await rejecting.get('/v2/statement?limit=101');
    expect(violatedBy(answer)).toEqual(['limit']);
    expect(answer.json.violations[0].message).toMatch(/from 1 to 100/);
  });

  it.each([
    ['/v2/onramps?client_taxid=1&limit=1', 'client_taxid'],
    ['/v2/onramps?limit[]=1&account_type=x', 'limit%5B%5D, account_type'],
    ['/v2/crossramp_checkouts?wallet=x', 'wallet'],
    [`/v2/onramp/${ID}?limit=0`, 'limit'],
    ['/v2/balance?currency=BRL', 'currency'],
    ['/v2/statement?%C3%A9=1&%0d%0aa:b=1', '%C3%A9, %0D%0Aa%3Ab'],
    ['/v2/statement?%ff=1', '%25ff'],
    ['/v2/statement?__proto__=1&Limit=0', '__proto__, Limit'],
    ['/v2/statement?&&limit=1&', null],
    ['/v2/statement', null],
  ])('C-13: %s is served, and names what it ignored: %s', async (path, ignored) => {
    const answer = await app.get(path);
    expect([answer.status, answer.headers.get('crossramp-ignored-parameters')]).toEqual([200, ignored]);
  });

  it.each([
    ['an emoji at the hundredth character', `${'a'.repeat(99)}%F0%9F%98%80=1`],
    ['5,000 characters', `${'a'.repeat(5_000)}=1`],
    ['1,000 names', Array.from({ length: 1_000 }, (_, n) => `x${n}=1`).join('&')],
    ['4,000 names that grow when they are encoded', '%&'.repeat(4_000)],
  ])('C-13: an unknown name of %s does no harm', async (_what, query) => {
    const answer = await app.get(`/v2/statement?${query}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('crossramp-ignored-parameters')).toMatch(/^[\x20-\x7e]+$/);
  });

  it.each([
    ['/v2/onramps?client_taxid=1', 'client_taxid', /did you mean client_tax_id\?/],
    ['/v2/onramps?Limit=1', 'Limit', /did you mean limit\?/],
    ['/v2/onramps?receive_currency_code=BRL', 'receive_currency_code', /accepted are limit, offset, pix_e2e/],
    ['/v2/crossramp_checkouts?wallet=x', 'wallet', /accepted are limit, offset, pix_e2e/],
    ['/v2/balance?currency=BRL', 'currency', /\S$/],
    [`/v2/onramp/${ID}?limit=1`, 'limit', /\S$/],
  ])('C-13: where queries are strict, %s is refused with a name that is known', async (path, name, hint) => {
    const answer = await strict.get(path);
    expect([answer.status, violatedBy(answer)]).toEqual([400, [name]]);
    expect(answer.json.violations[0].message).toMatch(hint);
  });

  it.each([
    '/v2/onramps?client_tax_id=1&limit=1',
    '/v2/balance',
    `/v2/onramp/${ID}`,
    '/v2/statement?&',
  ])('C-13: where queries are strict, %s is served', async (path) => {
    expect((await strict.get(path)).status).toBe(200);
  });
});

describe('a fuzz of a few hundred requests', () => {
  const lenient = useApp();
  const strict = useApp({ strictQuery: true, limitOverflow: 'reject' });
  const name = fc.oneof(
    fc.constantFrom(...new Set(CELLS.map(({ parameter }) => parameter)), 'id', 'limit[]', ''),
    fc.string({ unit: 'binary', maxLength: 120 }).map(percentEncoded),
  );
  const value = fc.oneof(
    fc.constantFrom(...DICTIONARY, 'USDT', 'USDT_TRX', 'available'),
    fc.string({ unit: 'binary', maxLength: 40 }).map(percentEncoded),
    fc.string({ unit: fc.constantFrom(...'0123456789-.eE+%&=;,'), maxLength: 12 }),
  );
  const query = fc
    .array(fc.tuple(name, value, fc.constantFrom('=', '=', '=', '', '==')), { maxLength: 9 })
    .map((parts) => parts.map(([left, right, sign]) => left + sign + right).join('&'));
  const path = fc.oneof(
    fc.constantFrom(...LISTS.map((route) => route.path), '/v2/balance'),
    fc.constantFrom(...READS.map((target) => target.path)),
    fc
      .tuple(fc.constantFrom('crossramp_checkout', 'onramp', 'offramp', 'withdrawal'), value)
      .map(([family, id]) => `/v2/${family}/${id}`),
    fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `/${percentEncoded(text)}`),
    fc.integer({ min: 8_000, max: 9_000 }).map((length) => `/v2/onramp/${'x'.repeat(length)}`),
  );

  it('C-13, C-50: every answer is JSON: a page, or a problem with 400, 404 or 414', async () => {
    await fc.assert(
      fc.asyncProperty(path, query, fc.boolean(), async (target, search, isStrict) => {
        const answer = await (isStrict ? strict : lenient).get(`${target}?${search}`);
        expect([200, 400, 404, 414]).toContain(answer.status);
        if (answer.status === 200) {
          expect(answer.headers.get('content-type')).toMatch(
            /^(application\/json|text\/plain); charset=utf-8$/,
          );
        } else violatedBy(answer);
      }),
      { numRuns: 400, seed: 20_260_504 },
    );
  });

  const text = fc.oneof(
    fc.constantFrom(...TEXTS),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('\ud800', '\0', '\n', 'a', '1'), maxLength: 4 }),
  );
  const token = fc.oneof(
    fc.constantFrom('0', '-0', '1e2', '1e-2', '1e9999', '1E+99999', '100', '0.1', '60', '5e-324', '1e90'),
    fc.double().map((double) => (Number.isFinite(double) ? String(double) : 'null')),
    fc.bigInt().map(String),
  );
  const json = fc.oneof(
    { arbitrary: text.map((value) => JSON.stringify(value)), weight: 4 },
    { arbitrary: token, weight: 3 },
    { arbitrary: fc.json({ maxDepth: 3 }), weight: 1 },
  );
  /** A body that is taken with some members replaced, or text that hardly is one. */
  const posted = fc.constantFrom(...WRITES).chain((target) => {
    const member = fc.oneof(
      fc.constantFrom(...Object.keys(target.shape), 'amount_paymnt', '__proto__'),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    const members = fc.array(fc.tuple(member, json), { maxLength: 4 }).map((changes) => {
      const good = Object.entries(target.body).map(([key, good]) => [key, JSON.stringify(good)] as const);
      const all = [...good, ...changes].map(([key, given]) => `${JSON.stringify(key)}:${given}`);
      return `{${all.join(',')}}`;
    });
    const body = fc.oneof({ arbitrary: members, weight: 9 }, { arbitrary: json, weight: 1 });
    return fc.record({ target: fc.constant(target), body, key: fc.option(fc.string({ maxLength: 9 })) });
  });

  it('C-50: every answer to a body is JSON: the created record, or a problem other than 500', async () => {
    await fc.assert(
      fc.asyncProperty(posted, fc.boolean(), async ({ target, body, key }, isStrict) => {
        const headers = key === null || /[^ -~]/.test(key) ? {} : { 'idempotency-key': key };
        const app = isStrict ? strict : lenient;
        const answer = await app.post(target.path, body, { headers });
        expect([200, 201, 400, 404, 409, 422]).toContain(answer.status);
        if (answer.status < 300) {
          expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
        } else violatedBy(answer);
      }),
      { numRuns: 600, seed: 20_261_121, endOnFailure: true },
    );
  });
});

/** Texts that members of bodies are asked for, and such as are mistaken for them. */
const TEXTS = [
  ...['', ' ', '100', '1e2', '0x10', '+5', 'NaN', '１０', 'USDT_TRX', 'USDT', 'USDT (TRX)', 'BRL', 'ETH'],
  ...[
    '52998224725',
    '52998224726',
    'ana@example.com',
    'email',
    'cpf',
    'balance',
    'external',
    'keep',
    'refund',
  ],
  ...['https://shop.example/', 'http://shop.example/', 'javascript:alert(1)', 'https://', 'https://\ud800/'],
  ...['TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut', '0x0000000000000000000000000000000000000000', 'pay', 'hold'],
  ...['90s', '1d', '999999d', '60', '-1', 'sandbox:hold', '__proto__', ID, 'x'.repeat(5_000)],
];

/** Percent-encodes anything, lone surrogates in the way that they would be if they had an encoding. */
function percentEncoded(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) as number;
      if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(character);
      return `%ED%${(0x80 | ((code >> 6) & 0x3f)).toString(16)}%${(0x80 | (code & 0x3f)).toString(16)}`;
    })
    .join('');
}

/**
 * Goal: the TypeScript client makes nothing twice, loses no event and tells refusals apart. Method: its sources against the real
 * gateway, with answers that are lost on their way; signatures against the vector of docs/webhooks.md and `standardwebhooks`.
 */
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { generatedFiles } from '../../packages/sdk/scripts/generated-files.ts';
import {
  accepted,
  type CrossrampError,
  createClient,
  type GatewayEvent,
  NoAnswer,
  Refused,
  type Schema,
  type TypedDocument,
  verifyWebhook,
  type WebhookEvent,
  type WebhookNotification,
  WebhookRefused,
} from '../../packages/sdk/src/index.ts';
import { encodeEventCursor } from '../../src/events/cursor.ts';
import { newSigningKey, publicKeyOf, signV1, signV1a } from '../../src/webhooks/sign.ts';
import { useApp } from '../support/app.ts';
import { ANSWER_TROUBLES, startTroubled, type TroubledGateway } from '../support/troubled-gateway.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const app = useApp();
let troubled: TroubledGateway;
let key: string;
let accountId: bigint;
beforeAll(async () => {
  troubled = await startTroubled(() => app.baseUrl);
});
beforeEach(async () => {
  ({ apiKey: key, accountId } = await app.addAccount());
  troubled.requests.length = 0;
});
afterAll(() => troubled?.close());

const client = (options: { retries?: number; timeoutMs?: number } = {}) =>
  createClient({ baseUrl: troubled.baseUrl, key, timeoutMs: 5_000, ...options });
const ORDER = {
  amount_payment: '150.00',
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
} as const;

test('generated files are up to date (`npm run sdk`)', () => {
  for (const [name, text] of Object.entries(generatedFiles()))
    expect(read(`packages/${name}`), name).toBe(text);
});

test('packages have the version of the gateway', () => {
  const { version } = JSON.parse(read('package.json'));
  expect(JSON.parse(read('packages/sdk/package.json')).version).toBe(version);
});

describe.each(ANSWER_TROUBLES)('C-52: while the answer is %s', (_name, troubles) => {
  const impatient = () => client({ timeoutMs: troubles[0]?.kind === 'late' ? 1_500 : 5_000 });

  test('REST creates one order under one key', async () => {
    troubled.next.push(...troubles);
    const made = await impatient().rest.post('/v2/crossramp_checkout', ORDER);
    expect(troubled.requests.length).toBe(troubles.length + 1);
    expect(new Set(troubled.requests).size).toBe(1);
    const { total, results } = await client().rest.get('/v2/crossramp_checkouts');
    expect([total, results[0]?.end2end]).toEqual([1, made.end2end]);
  });

  test('GraphQL creates one order under one key', async () => {
    troubled.next.push(...troubles);
    const input = { amount: { brl: '150.00' }, currency: 'USDT_TRX' };
    const { transaction } = await impatient().mutate('createCheckout', input, {
      transaction: { end2end: true },
    });
    expect(new Set(troubled.requests).size).toBe(1);
    const { total, results } = await client().rest.get('/v2/crossramp_checkouts');
    expect([total, results[0]?.end2end]).toEqual([1, transaction.end2end]);
  });
});

describe('requests that happen each time', () => {
  test('are not repeated after a lost answer', async () => {
    const { end2end } = await client().rest.post('/v2/crossramp_checkout', ORDER);
    troubled.requests.length = 0;
    troubled.next.push({ kind: 'drop' });
    const payment = client().rest.post('/v2/sandbox/trigger', { scenario: 'pay', end2end });
    await expect(payment).rejects.toBeInstanceOf(NoAnswer);
    expect(troubled.requests.length).toBe(1);
  });

  test('C-52: do not include play money, which has an idempotency key', async () => {
    troubled.next.push({ kind: 'drop' });
    await client().rest.post('/v2/sandbox/fund', { currency: 'BRL', amount: '10.00' });
    expect(new Set(troubled.requests).size).toBe(1);
    const balance = await client().rest.get('/v2/balance');
    expect(balance.calculated_BRL_total_balance).toBe('10');
  });

  test.each([
    [
      'whose input stands in the document',
      'mutation { createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "60" } }) { quote { id: quoteId } } }',
      undefined,
    ],
    [
      'of which one has no key',
      'mutation($a: CreateQuoteInput!) { a: createQuote(input: $a) { quote { id: quoteId } } b: createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "60" } }) { quote { id: quoteId } } }',
      { a: { template: 'onramp', currency: 'USDT_TRX', amount: { brl: '60' } } },
    ],
  ])('are mutations %s', async (_name, document, variables) => {
    troubled.next.push({ kind: 'drop' });
    await expect(client().graphql(document, variables)).rejects.toBeInstanceOf(NoAnswer);
    expect(troubled.requests.length).toBe(1);
  });
});

test('the error of a request without an answer has the key for its repetition', async () => {
  troubled.next.push({ kind: 'drop' });
  const error = await client({ retries: 0 })
    .rest.post('/v2/crossramp_checkout', ORDER)
    .catch((caught: CrossrampError) => caught);
  expect(error).toBeInstanceOf(NoAnswer);
  const { idempotencyKey = '' } = error as CrossrampError;
  await client().rest.post('/v2/crossramp_checkout', ORDER, { idempotencyKey });
  expect((await client().rest.get('/v2/crossramp_checkouts')).total).toBe(1);
});

test('the signal of the caller ends a request', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(client().rest.get('/v2/balance', {}, { signal })).rejects.toThrow('enough');
});

test('a redirect is not followed: key and order go only to the gateway', async () => {
  troubled.next.push({ kind: 'other', status: 307 });
  const refused = client().rest.post('/v2/crossramp_checkout', ORDER);
  await expect(refused).rejects.toMatchObject({ code: 'BAD_REQUEST', refusal: { status: 307 } });
  expect(troubled.requests.length).toBe(1);
});

test('C-3: amounts are decimal text, digit for digit, and counts are numbers', async () => {
  await client().rest.post('/v2/sandbox/fund', { currency: 'ETH_ETH', amount: '0.123456789012345678' });
  const { total, entries } = await client().rest.get('/v2/statement', { limit: 5 });
  expect([total, typeof entries[0]?.id]).toEqual([entries.length, 'number']);
  expect(entries.map(({ balance }) => balance)).toContain('0.123456789012345678');
});

test('C-3: amounts of a limit are decimal text, digit for digit', async () => {
  await client().rest.post('/v2/sandbox/fund', { currency: 'ETH_ETH', amount: '0.111111111111111111' });
  const refused = await client()
    .rest.post('/v2/offramp', {
      ...{ amount_paid: '1', currency_entry_paid_code: 'ETH_ETH' },
      ...{ pix_key: 'ana@example.com', pix_key_type: 'email' },
      ...{ client_name: ORDER.client_name, client_tax_id: ORDER.client_tax_id },
    })
    .catch((error: Refused) => error);
  const { balances } = await client().rest.get('/v2/balance');
  const { available } = Object(balances.ETH?.['ETH (ETH)']);
  expect(refused).toMatchObject({ refusal: { limit: { kind: 'BALANCE', maximum: available } } });
  expect(available).toMatch(/^0\.\d{18}$/);
});

describe('refusals', () => {
  const refusedBy = async (run: Promise<unknown>) => {
    const error = await run.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Refused);
    return error as Refused;
  };

  test('of REST are problems with code, action and violations', async () => {
    const { refusal, code, action } = await refusedBy(
      client().rest.post('/v2/crossramp_checkout', { ...ORDER, client_tax_id: '1' }),
    );
    expect([refusal.__typename, code, action]).toEqual(['Problem', 'INVALID_PARAMETER', 'FIX']);
    if (refusal.__typename === 'Problem') expect(refusal.violations[0]?.parameter).toBe('client_tax_id');
  });

  test('of payloads have the members of their type', async () => {
    const input = { amount: { brl: '0.50' }, currency: 'USDT_TRX' };
    const { refusal } = await refusedBy(
      client().mutate('createCheckout', input, { transaction: { end2end: true } }),
    );
    expect(refusal).toMatchObject({ __typename: 'LimitRefusal', code: 'LIMIT_EXCEEDED', action: 'FIX' });
    const currency = { __typename: 'Currency', code: 'BRL', asset: 'BRL', network: null, decimals: 2 };
    if (refusal.__typename === 'LimitRefusal')
      expect(refusal).toMatchObject({
        ...{ kind: 'TRANSACTION', limit: '1', limitCurrency: 'BRL' },
        ...{ minimum: { amount: '1', currency }, maximum: { amount: '50000', currency } },
      });
    const problem = await refusedBy(
      client().rest.post('/v2/crossramp_checkout', { ...ORDER, amount_payment: '0.50' }),
    );
    expect(problem.refusal).toMatchObject({
      __typename: 'Problem',
      limit: { kind: 'TRANSACTION', minimum: '1', maximum: '50000', currency: 'BRL' },
    });
  });

  test('of payloads are data in a document of your own, until `accepted` throws them', async () => {
    const document =
      'mutation($input: CreateCheckoutInput!) { createCheckout(input: $input) { transaction { end2end } errors { __typename code action message path } } }';
    const { createCheckout } = await client().graphql<
      Pick<{ createCheckout: Schema.CreateCheckoutPayload }, 'createCheckout'>
    >(document, { input: { amount: { brl: '0' }, currency: 'USDT_TRX' } });
    expect(createCheckout.errors[0]).toMatchObject({ __typename: 'InputRefusal', action: 'FIX' });
    expect(() => accepted(createCheckout)).toThrow(Refused);
  });

  test('at the top level are problems', async () => {
    const { refusal } = await refusedBy(client().graphql('{ nothing }'));
    expect(refusal).toMatchObject({ __typename: 'Problem', code: 'BAD_REQUEST', action: 'FIX' });
    const other = createClient({ baseUrl: app.baseUrl, key: 'crx_test_x' });
    expect(await refusedBy(other.rest.get('/v2/balance'))).toMatchObject({
      code: 'UNAUTHORIZED',
      action: 'STOP',
    });
  });
});

describe.each(['stream', 'poll'] as const)('events by %s', (transport) => {
  test('arrive in order, typed by their names', async () => {
    const direct = createClient({ baseUrl: app.baseUrl, key });
    const first = await direct.rest.post('/v2/onramp', ORDER);
    const { events } = await direct.rest.get('/v2/events');
    const names = ['onramp.depositpix.qrcode'] as const;
    const found: GatewayEvent<(typeof names)[number]>[] = [];
    const after = events[0]?.cursor;
    const second = await direct.rest.post('/v2/onramp', ORDER);
    for await (const event of direct.events({ after, names, transport })) if (found.push(event) === 2) break;
    expect(found.map(({ transaction }) => transaction.end2end)).toEqual([first.end2end, second.end2end]);
    expect(found[0]?.transaction.attributes.amount_payment).toBe('150');
  });

  test('begin now, and end with the signal', async () => {
    const direct = createClient({ baseUrl: app.baseUrl, key });
    await direct.rest.post('/v2/onramp', ORDER);
    const ending = new AbortController();
    const found: string[] = [];
    const listening = (async () => {
      for await (const { transaction } of direct.events({ transport, signal: ending.signal })) {
        found.push(transaction.end2end);
        if (found.length === 4) ending.abort();
      }
    })();
    await expect.poll(() => app.services.events.size).toBe(1);
    const made = await direct.rest.post('/v2/onramp', ORDER);
    await listening;
    expect(new Set(found)).toEqual(new Set([made.end2end]));
    await expect.poll(() => app.services.events.size).toBe(0);
  });

  test('after an expired cursor are refused with the cursors to continue with', async () => {
    const after = encodeEventCursor(accountId, { seq: 1_000n, token: '01234567' });
    const error = await createClient({ baseUrl: app.baseUrl, key })
      .events({ after, transport })
      .next()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      refusal: { __typename: 'CursorProblem', earliest: expect.stringMatching(/./) },
    });
  });
});

test('a stream that a proxy buffers becomes a poll', async () => {
  const direct = createClient({ baseUrl: app.baseUrl, key });
  await direct.rest.post('/v2/onramp', ORDER);
  const { events } = await direct.rest.get('/v2/events');
  const [cursor = '', next] = events.map((each) => each.cursor);
  const paths: string[] = [];
  const holding = createClient({
    baseUrl: app.baseUrl,
    key,
    fetch: (url, init) => {
      paths.push(new URL(String(url)).pathname);
      return String(url).endsWith('/graphql') ? Promise.resolve(new Response('{}')) : fetch(url, init);
    },
  });
  const { value } = await holding.events({ after: cursor }).next();
  expect([value?.cursor, paths]).toEqual([next, ['/graphql', '/v2/events']]);
});

describe('webhooks', () => {
  const document = read('docs/webhooks.md');
  const printed = (name: string) => new RegExp(`^${name} +(.+)$`, 'm').exec(document)?.[1] ?? '';
  const [secret, id, timestamp, body] = ['secret', 'webhook-id', 'webhook-timestamp', 'body'].map(
    printed,
  ) as [string, string, string, string];
  const headersOf = (signature: string) => ({
    'Webhook-Id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'crossramp-event': 'onramp.depositpix.paid',
    'crossramp-sequence': '5',
    'crossramp-attempt': '1',
  });
  const vector = {
    secret,
    headers: headersOf(printed('webhook-signature')),
    body,
    nowSeconds: Number(timestamp),
  };

  test('C-60: the vector of docs/webhooks.md is accepted, in every form of body and headers', async () => {
    const bytes = new TextEncoder().encode(body);
    for (const each of [body, bytes, bytes.buffer]) {
      const event = await verifyWebhook({ ...vector, body: each });
      expect(event).toMatchObject({ id, name: 'onramp.depositpix.paid', sequence: 5, isTest: false });
      expect(event.transaction.end2end).toBe(JSON.parse(body).end2end);
    }
    await expect(verifyWebhook({ ...vector, headers: new Headers(vector.headers) })).resolves.toMatchObject({
      id,
    });
    const other = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await expect(verifyWebhook({ ...vector, secret: [other, secret] })).resolves.toMatchObject({ id });
  });

  test.each([
    ['another body', { body: `${body} ` }],
    ['another secret', { secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}` }],
    ['no signature', { headers: headersOf('') }],
    ['a signature that is no base64', { headers: headersOf('v1,%%% v1') }],
    ['a request of five minutes ago', { nowSeconds: Number(timestamp) + 301 }],
    ['a request within another tolerance', { nowSeconds: Number(timestamp) + 31, toleranceSeconds: 30 }],
    ['no header', { headers: {} }],
  ])('%s is refused', async (_name, changes) => {
    await expect(verifyWebhook({ ...vector, ...changes })).rejects.toBeInstanceOf(WebhookRefused);
  });

  test('signatures of `standardwebhooks` are accepted', async () => {
    const now = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    };
    await expect(verifyWebhook({ secret, headers, body })).resolves.toMatchObject({ id });
  });

  test('a notification has no transaction, whatever its unsigned header says', async () => {
    const text = '{"event":"account.notification.key","subject":"key_1"}';
    const signature = signV1(secret, 'ntf_1', Number(timestamp), text);
    const headers = { ...headersOf(signature), 'Webhook-Id': 'ntf_1' };
    const webhook = await verifyWebhook<WebhookEvent | WebhookNotification>({
      ...vector,
      headers,
      body: text,
    });
    const name = 'account.notification.key';
    expect(webhook).toMatchObject({ id: 'ntf_1', name, notification: { subject: 'key_1' } });
    expect(webhook).not.toHaveProperty('transaction');
  });

  test('the public key of an endpoint verifies v1a, beside v1', async () => {
    const signingKey = newSigningKey().secret;
    const signatures = [
      signV1(secret, id, Number(timestamp), body),
      signV1a(signingKey, id, Number(timestamp), body),
    ];
    const signed = { ...vector, headers: headersOf(signatures.join(' ')) };
    await expect(verifyWebhook({ ...signed, secret: publicKeyOf(signingKey) })).resolves.toMatchObject({
      id,
    });
    const other = publicKeyOf(newSigningKey().secret);
    await expect(verifyWebhook({ ...signed, secret: other })).rejects.toBeInstanceOf(WebhookRefused);
  });
});

/** Never run: the compiler checks what it refuses. */
void async function refusedByTypes(): Promise<void> {
  const { rest, mutate, graphql, events } = client();
  // @ts-expect-error: the currency is required
  await rest.post('/v2/crossramp_checkout', { amount_payment: '150.00' });
  // @ts-expect-error: the path has an id
  await rest.get('/v2/onramp/{id}');
  // @ts-expect-error: the path does not exist
  await rest.get('/v2/onrump');
  const input = { amount: { brl: '150.00' }, currency: 'USDT_TRX' };
  const { transaction } = await mutate('createCheckout', input, { transaction: { end2end: true } });
  // @ts-expect-error: the state was not selected
  void transaction.state;
  // @ts-expect-error: the field does not exist
  await mutate('createCheckout', input, { transaction: { end2start: true } });
  const typed = {} as TypedDocument<{ readonly name: string }, { readonly input: string }>;
  const { name } = await graphql(typed, { input: 'a' });
  void name.length;
  // @ts-expect-error: the document has variables
  await graphql(typed);
  // @ts-expect-error: a parsed document has no text
  await graphql({ kind: 'Document' });
  const names = [
    'withdraw_dash_same_curr.approval_withdrawl_dash.pending',
    'onramp.depositpix.paid',
  ] as const;
  for await (const { transaction } of events({ names })) {
    // @ts-expect-error: withdrawals have no PIX
    void transaction.attributes.pix_e2e;
  }
};

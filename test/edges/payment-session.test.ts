/**
 * Goal: the token of a payment session opens the public side of one transaction, and nothing else. Method: it asks for every
 * root field of the schema, on REST, as a key in a URL; two sessions ask the same at the same time.
 */

import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { subscribe } from '../live/streams.ts';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const schema = buildSchema(REGISTRY);
/** What anybody may know who knows the address of the gateway. */
const OPEN = ['paymentSession', 'currencies', 'sandboxScenarios'];
/** Fields that look at their arguments first: with arguments that are right. */
const RIGHT: Readonly<Record<string, string>> = {
  quote: '(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "60" } })',
  createQuote: '(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "60" } })',
  sandboxAdvanceClock: '(input: { by: "1m" })',
  node: `(id: "${Buffer.from('CrossrampCheckout:CRX01M7ZD3QSZE7WRM1VXQP5S417B').toString('base64')}")`,
};
const SESSION = `{ paymentSession { ask isRenewable merchant link clientName clientTaxId pixCopyPaste substatus { en pt }
  payment { amount currency { code } } received { amount currency { code } } receivedCurrency { code } } }`;
const CUSTOMER = { client_name: 'Maria Silva Pereira', client_tax_id: '52998224725' };

async function newSession(body: object = {}): Promise<{ token: string; end2end: string }> {
  const { json } = await app.post('/v2/crossramp_checkout', {
    amount_payment: '550',
    currency_exit_received_code: 'USDT_TRX',
    ...body,
  });
  return { token: json.payment_link.split('/').at(-1), end2end: json.end2end };
}

/** The simplest value that fits a type. */
function fitting(type: GraphQLInputType): string {
  if (isNonNullType(type)) return fitting(type.ofType);
  if (isListType(type)) return `[${fitting(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const [first, ...others] = Object.values(type.getFields());
    if (type.isOneOf && first) return `{ ${first.name}: ${fitting(first.type)} }`;
    return `{ ${required(first ? [first, ...others] : [])} }`;
  }
  return (
    { Int: '1', Boolean: 'true', Date: '"2026-05-01"', DateTime: '"2026-05-01T12:00:00Z"' }[type.name] ??
    '"1"'
  );
}

function required(given: readonly Pick<GraphQLArgument, 'name' | 'type' | 'defaultValue'>[]): string {
  return given
    .filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)
    .map(({ name, type }) => `${name}: ${fitting(type)}`)
    .join(', ');
}

function rootFields(kind: 'Query' | 'Mutation' | 'Subscription'): [name: string, document: string][] {
  const type = schema.getType(kind);
  if (!type || !('getFields' in type)) throw new Error(`no ${kind}`);
  return Object.values(type.getFields()).map((field) => {
    const args = required('args' in field ? field.args : []);
    const errors = kind === 'Mutation' ? ' errors { code message path }' : '';
    const selection = isLeafType(getNamedType(field.type)) ? '' : ` { __typename${errors} }`;
    const given = RIGHT[field.name] ?? (args && `(${args})`);
    const document = `${kind.toLowerCase()} { ${field.name}${given}${selection} }`;
    return [field.name, document];
  });
}

describe('a session’s token', () => {
  test.each(
    [...rootFields('Query'), ...rootFields('Mutation')].filter(([name]) => !OPEN.includes(name)),
  )('is refused by %s', async (_name, query) => {
    const { token } = await newSession();
    const { json } = await app.graphql(query, {}, { key: token });
    expect(
      errorsIn(json)?.map(({ extensions }: { extensions: { code: string } }) => extensions.code),
    ).toEqual(['FORBIDDEN']);
  });

  test.each(
    rootFields('Subscription').filter(([name]) => !OPEN.includes(name)),
  )('is refused by the subscription %s', async (_name, query) => {
    const { token } = await newSession();
    const search = new URLSearchParams({ access_token: token, query });
    const { text } = await app.get(`/graphql?${search}`, {
      key: null,
      headers: { accept: 'text/event-stream' },
    });
    expect(text).toContain('"code":"FORBIDDEN"');
    expect(text).not.toContain('__typename');
  });

  test.each(['/v2/balance', '/v2/statement', '/v2/crossramp_checkouts'])('is no key for %s', async (path) => {
    const { token } = await newSession();
    expect((await app.get(path, { key: token })).status).toBe(401);
    expect((await app.get(`${path}?access_token=${token}`, { key: null })).status).toBe(401);
  });

  test('of an offramp from the balance, or without a payer, opens nothing', async () => {
    await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '500' });
    const { json } = await app.post('/v2/offramp', {
      ...{ amount_paid: '20', currency_entry_paid_code: 'USDT_TRX', ...CUSTOMER },
      ...{ pix_key: 'maria@example.com', pix_key_type: 'email' },
    });
    const { rows } = await app.owner.query(
      `select process ->> 'session' as token from transaction where end2end = $1`,
      [json.end2end],
    );
    for (const token of [rows[0].token, 'A'.repeat(24)]) {
      const { status, json: answer } = await app.graphql(SESSION, {}, { key: token });
      expect([status, answer.code]).toEqual([401, 'UNAUTHORIZED']);
    }
    const query = 'query ($id: String!) { transaction(end2end: $id) { payment { link } } }';
    const read = await app.graphql(query, { id: json.end2end });
    expect(read.json.data.transaction.payment).toBeNull();
  });

  test('returns the status as a code and the order’s number, and null if there is none', async () => {
    const query = '{ paymentSession { statusCode externalCode } }';
    const [ordered, bare] = [
      await newSession({ ...CUSTOMER, external_code: 'order-78' }),
      await newSession(),
    ];
    const read = async (key: string) => (await app.graphql(query, {}, { key })).json.data.paymentSession;
    expect(await read(ordered.token)).toEqual({ statusCode: 'PENDING', externalCode: 'order-78' });
    expect(await read(bare.token)).toEqual({ statusCode: 'CREATED', externalCode: null });
    await app.post(`/v2/crossramp_checkout/${ordered.end2end}/cancel`);
    expect(await read(ordered.token)).toEqual({ statusCode: 'CANCELLED', externalCode: 'order-78' });
  });

  test('returns the facts that a payer may know, with people masked', async () => {
    const secret = { external_code: 'order-77', webhook: 'https://hooks.example.com/77' };
    const { token, end2end } = await newSession({ ...CUSTOMER, ...secret });
    const { json, text } = await app.graphql(SESSION, {}, { key: token });
    expect(json.data.paymentSession).toMatchObject({
      ask: 'PAYMENT',
      merchant: 'Sandbox',
      substatus: { en: 'Awaiting Payment', pt: 'Aguardando Pagamento' },
      payment: { amount: '550', currency: { code: 'BRL' } },
      received: { currency: { code: 'USDT_TRX' } },
      receivedCurrency: { code: 'USDT_TRX' },
      clientName: 'Maria S. P.',
      clientTaxId: '***.982.247-**',
      isRenewable: false,
      link: `${app.baseUrl}/pay/${token}`,
    });
    expect(json.data.paymentSession.pixCopyPaste).toMatch(/^000201/);
    for (const hidden of ['52998224725', 'Silva', 'order-77', 'hooks.example.com', end2end])
      expect(text).not.toContain(hidden);
  });

  test('works in a URL, where a key does not', async () => {
    const { token } = await newSession();
    const ask = (access: string) =>
      app.get(
        `/graphql?${new URLSearchParams({ access_token: access, query: '{ paymentSession { ask } }' })}`,
        {
          key: null,
          headers: { accept: 'application/json' },
        },
      );
    const answer = await ask(token);
    expect(answer.json.data.paymentSession.ask).toBe('IDENTITY');
    // So that a page of the merchant's own may read it.
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect((await app.graphql('{ __typename }')).headers.get('access-control-allow-origin')).toBeNull();
    expect((await ask(app.apiKey)).status).toBe(401);
  });

  test('a key has no session', async () => {
    const { json } = await app.graphql(SESSION);
    expect(errorsIn(json)[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('the subscription', () => {
  const QUERY = 'subscription { paymentSession { sequence ask clientName } }';

  test('returns to each of two sessions of an account its own, first in its present state, then changed', async () => {
    const names = ['Ana Um', 'Bia Dois'];
    const sessions = await Promise.all(names.map(() => newSession()));
    const streams = await Promise.all(
      sessions.map(({ token }) => subscribe(app, QUERY, { key: token, method: 'GET' })),
    );
    const dataOf = async (at: number, count: number) =>
      (await streams[at]?.until(count))?.map(({ data }) => data.data.paymentSession);
    for (const at of [0, 1])
      expect(await dataOf(at, 1)).toEqual([{ sequence: 3, ask: 'IDENTITY', clientName: null }]);
    for (const [at, { end2end }] of sessions.entries()) {
      await app.graphql(
        `mutation { provideIdentity(input: { end2end: "${end2end}", clientName: "${names[at]}", clientTaxId: "52998224725" }) { transaction { end2end } errors { code message path } } }`,
      );
      const masked = at === 0 ? 'Ana U.' : 'Bia D.';
      expect((await dataOf(at, 2))?.[1]).toEqual({ sequence: 4, ask: 'CONFIRMATION', clientName: masked });
    }
    expect(streams.map(({ events }) => events.length)).toEqual([2, 2]);
    // How far an account's log has come is not for its payers.
    expect(streams.flatMap(({ events }) => events.map(({ id }) => id))).toEqual(Array(4).fill('present'));
    for (const stream of streams) stream.close();
  });
});

/**
 * Goal: a merchant who uses `/v2` alone can name a payer, refund, and ask for the actions that are possible (C-35, C-40, C-52). Method:
 * each act over REST, beside what GraphQL says of the same transaction.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const { ask, create, trigger, until } = graphqlClient(app, () => app.apiKey);
const ANA = { client_name: 'Ana Souza', client_tax_id: '52998224725' };

/** A checkout whose payer is not known yet. */
async function open(): Promise<string> {
  const { json } = await app.post('/v2/crossramp_checkout', {
    amount_payment: 150,
    currency_exit_received_code: 'USDT_TRX',
  });
  return json.end2end;
}

const actions = async (path: string, key = app.apiKey) =>
  (await app.get(`${path}/actions`, { key })).json.results;

describe('the payer', () => {
  test('is named and confirmed, and then the PIX code is there', async () => {
    const path = `/v2/crossramp_checkout/${await open()}`;
    expect(await actions(path)).toMatchObject([
      {
        action: 'provide_identity',
        path: `${path}/identity`,
        body: {},
        required: ['client_name', 'client_tax_id'],
      },
      { action: 'cancel', path: `${path}/cancel`, body: {}, required: [] },
    ]);
    const named = await app.post(`${path}/identity`, ANA);
    expect([named.status, named.json.attributes.client_name]).toEqual([200, 'Ana Souza']);
    const confirmed = await app.post(`${path}/confirm_identity`);
    expect(confirmed.status).toBe(200);
    await until(path.slice('/v2/crossramp_checkout/'.length), 'depositpix_v2/QRCODE');
    expect((await app.post(`${path}/identity`, ANA)).json).toMatchObject({
      code: 'STEP_CONFLICT',
      detail:
        'the transaction is at step depositpix_v2/QRCODE, which does not allow this; possible now: cancelTransaction',
    });
    expect((await app.post(`${path}/cancel`)).status).toBe(200);
    expect((await app.post(`${path}/cancel`)).json).toMatchObject({
      code: 'STEP_CONFLICT',
      detail: 'the transaction is at step quote/CANCELLED, which does not allow this; possible now: nothing',
    });
  });

  test('is refused member by member, under the names of /v2', async () => {
    const { status, json } = await app.post(`/v2/crossramp_checkout/${await open()}/identity`, {
      client_name: '',
    });
    expect(status).toBe(400);
    expect(json.violations.map(({ parameter }: Record<string, string>) => parameter)).toEqual([
      'client_name',
      'client_tax_id',
    ]);
    const wrong = await app.post(`/v2/crossramp_checkout/${await open()}/identity`, { ...ANA, pix_key: 'x' });
    expect(wrong.json.violations[0].parameter).toBe('pix_key');
  });

  test('of an offramp is a payee with a PIX key', async () => {
    const { transaction } = await create('createOfframp', {
      from: 'EXTERNAL',
      currency: 'USDT_TRX',
      amount: { brl: '100.00' },
    });
    const path = `/v2/offramp/${transaction.end2end}`;
    const missing = await app.post(`${path}/identity`, ANA);
    expect(missing.json.violations.map(({ parameter }: Record<string, string>) => parameter)).toEqual([
      'pix_key',
      'pix_key_type',
    ]);
    const given = await app.post(`${path}/identity`, {
      ...ANA,
      pix_key: 'ana@example.com',
      pix_key_type: 'email',
    });
    expect([given.status, given.json.attributes.pix_key]).toEqual([200, 'ana@example.com']);
  });
});

describe('a refund', () => {
  let path: string;
  let end2end: string;

  beforeAll(async () => {
    const made = await app.post('/v2/onramp', {
      amount_payment: 150,
      currency_exit_received_code: 'USDT_TRX',
      ...ANA,
    });
    end2end = made.json.end2end;
    path = `/v2/onramp/${end2end}`;
    await trigger(end2end, 'PAY');
  });

  test('is listed with its effects, as in GraphQL, in numbers', async () => {
    await until(end2end, 'success/DONE');
    const { transaction } = await ask(
      `{ transaction(end2end: "${end2end}") { possibleActions { action mutation effects { kind subAccount money { amount currency { code } } } } } }`,
    );
    const listed = await actions(path);
    expect(
      listed.map(({ action, mutation }: Record<string, string>) => [action?.toUpperCase(), mutation]),
    ).toEqual(
      transaction.possibleActions.map(({ action, mutation }: Record<string, string>) => [action, mutation]),
    );
    const [refund] = listed;
    expect(refund).toMatchObject({ action: 'refund_payment', path: `${path}/refund`, body: {} });
    const [back] = refund.effects.filter(({ kind }: Record<string, string>) => kind === 'refund');
    expect(back).toEqual({ kind: 'refund', account_type: null, currency: 'BRL', amount: 150 });
  });

  test('C-52: is refunded in part once, and the rest after it', async () => {
    const once = { headers: { 'idempotency-key': 'refund-1' } };
    const [part, again] = [
      await app.post(`${path}/refund`, { amount: 40 }, once),
      await app.post(`${path}/refund`, { amount: 40 }, once),
    ];
    expect([part.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
    const refunds = async () =>
      (await ask(`{ transaction(end2end: "${end2end}") { refunds { state amount { amount } } } }`))
        .transaction.refunds;
    expect(await refunds()).toHaveLength(1);
    await expect.poll(async () => (await refunds())[0].state).toBe('DONE');
    const more = await app.post(`${path}/refund`, { amount: 111 });
    expect([more.status, more.json.code]).toEqual([422, 'LIMIT_EXCEEDED']);
    expect((await app.post(`${path}/refund`)).status).toBe(200);
    await expect
      .poll(async () => (await refunds()).map((each: { amount: object }) => each.amount))
      .toEqual([{ amount: '40' }, { amount: '110' }]);
  });

  test('C-40: needs the scope move, and a foreign payment looks missing', async () => {
    const reader = await app.addKey(app.accountId, ['read', 'create']);
    expect((await app.post(`${path}/refund`, {}, { key: reader.apiKey })).json.code).toBe('FORBIDDEN');
    const other = await app.addAccount();
    for (const each of ['refund', 'identity', 'confirm_identity'])
      expect(
        (await app.post(`${path}/${each}`, each === 'identity' ? ANA : {}, { key: other.apiKey })).json.code,
        each,
      ).toBe('NOT_FOUND');
    expect((await app.get(`${path}/actions`, { key: other.apiKey })).json.code).toBe('NOT_FOUND');
    expect(
      (await actions(path, reader.apiKey)).map(({ action }: Record<string, string>) => action),
    ).not.toContain('refund_payment');
    // The family of the path is that of the transaction (C-15).
    expect((await app.get(`/v2/offramp/${end2end}/actions`)).json.code).toBe('NOT_FOUND');
  });
});

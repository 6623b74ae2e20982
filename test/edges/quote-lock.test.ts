/**
 * Goal: C-21: a price holds for the lock time of its currency, not for the life of the session. Method: sessions of a day
 * on the virtual clock; the account's spread changes in between, so that a new price shows.
 */

import { beforeEach, expect, test } from 'vitest';
import { retryRailEvents } from '../../src/resolvers/inbound/retry-rail-events.ts';
import { SILENT } from '../resolvers/inbound/support.ts';
import { useApp } from '../support/app.ts';
import { eventually } from '../support/receiver.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let key: string;
let accountId: bigint;

beforeEach(async () => {
  ({ accountId, apiKey: key } = await app.addAccount());
});

const post = async (path: string, body: object, status = 201) => {
  const answer = await app.post(path, body, { key });
  expect(answer.status, answer.text).toBe(status);
  return answer.json;
};
const customer = { client_name: 'Maria Silva', client_tax_id: '52998224725' };
const long = { expires_in: 86_400, currency_exit_received_code: 'USDT_TRX', ...customer };
const pay = (end2end: string, scenario = 'pay') => post('/v2/sandbox/trigger', { scenario, end2end }, 200);
const wait = (advance: string) => app.post('/v2/sandbox/clock', { advance });

async function widenSpread(template: string) {
  const query = `mutation { updateTemplateSettings(input: { account: "${accountId}", template: ${template}, spread: "0.05" }) { templateSetting { spread } errors { code message path } } }`;
  const { json } = await app.graphql(query, {}, { key: app.platformKey });
  expect(errorsIn(json)).toBeUndefined();
}

/** @returns the attributes once the transaction is at a step, or at any state of a component. */
function attributesAt(path: string, end2end: string, step: string) {
  return eventually(`${end2end} at ${step}`, async () => {
    const { json } = await app.get(`${path}/${end2end}`, { key });
    const isThere = [json.component, `${json.component}/${json.state}`].includes(step);
    return isThere && json.attributes;
  });
}

test('C-21: a payment within the lock has the price of the creation, whatever the present price', async () => {
  const made = await post('/v2/onramp', { amount_payment: '550', ...long });
  await widenSpread('onramp');
  await wait('29m');
  await pay(made.end2end);
  const { quote, amount_received } = await attributesAt('/v2/onramp', made.end2end, 'success');
  expect({ quote, amount_received }).toEqual({
    quote: made.attributes.quote,
    amount_received: made.attributes.amount_received,
  });
});

test('C-21: a payment after the lock is priced when it arrives, and booked at that price', async () => {
  const made = await post('/v2/onramp', { amount_payment: '550', ...long });
  await widenSpread('onramp');
  await wait('32m');
  const fresh = await post('/v2/onramp', { amount_payment: '550', ...long });
  expect(fresh.attributes.quote).not.toBe(made.attributes.quote);
  await pay(made.end2end);
  const now = await attributesAt('/v2/onramp', made.end2end, 'success');
  expect(now.quote).toBe(fresh.attributes.quote);
  expect(now.amount_received).toBe(fresh.attributes.amount_received);
  expect(now.amount_payment).toBe(550);
  const { json } = await app.get('/v2/statement?account_type=available', { key });
  expect(json.entries[0].credit).toBe(fresh.attributes.amount_received);
});

test('C-21: the page of a long session shows the end of the rate; that of a usual one need not', async () => {
  const query = 'query ($id: String!) { transaction(end2end: $id) { payment { link } } }';
  const pageOf = async (expires_in: number) => {
    const { end2end: id } = await post('/v2/onramp', { amount_payment: '550', ...long, expires_in });
    const { json } = await app.graphql(query, { id }, { key });
    const page = await (await fetch(json.data.transaction.payment.link)).text();
    return page.slice(page.indexOf('</svg>'));
  };
  expect(await pageOf(86_400)).toContain('Cotação garantida até <time');
  expect(await pageOf(1_800)).not.toContain('Cotação garantida até');
});

test('C-21: where the account wants that, a session ends with its lock and its page offers a new price', async () => {
  const set =
    'mutation { updateAccountSettings(input: { afterLock: END }) { accountSettings { afterLock } errors { code message path } } }';
  expect(
    (await app.graphql(set, {}, { key })).json.data.updateAccountSettings.accountSettings.afterLock,
  ).toBe('END');
  const made = await post('/v2/onramp', { amount_payment: '550', ...long });
  const fixed = await post('/v2/crossramp_checkout', { amount_payment: '550', ...long });
  const open = await post('/v2/crossramp_checkout', long);
  const lifeOf = ({
    created_at: from,
    attributes,
  }: {
    created_at: string;
    attributes: { expiration: string };
  }) => Math.round((Date.parse(attributes.expiration) - Date.parse(from)) / 60_000);
  expect([lifeOf(made), lifeOf(fixed), lifeOf(open)]).toEqual([30, 30, 1_440]);
  await wait('20m');
  const enter =
    'mutation ($id: String!) { enterAmount(input: { end2end: $id, amountPayment: "550" }) { transaction { end2end } errors { code message path } } }';
  expect(errorsIn((await app.graphql(enter, { id: open.end2end }, { key })).json)).toBeUndefined();
  expect(lifeOf((await app.get(`/v2/crossramp_checkout/${open.end2end}`, { key })).json)).toBe(50);
  await wait('12m');
  await attributesAt('/v2/onramp', made.end2end, 'depositpix/EXPIRED');
});

test('C-21: without a rate, money to be converted waits for one; returned money does not', async () => {
  const [kept, wrong] = [
    await post('/v2/onramp', { amount_payment: '550', ...long }),
    await post('/v2/onramp', { amount_payment: '550', ...long, client_tax_id: '11144477735' }),
  ];
  await wait('32m');
  const { rates } = app.services.rails as { rates: { observe: unknown } };
  const { observe } = rates;
  rates.observe = async () => undefined;
  await app.owner.query(`update rate set observed_at = observed_at - interval '1 day'`);
  try {
    // The payment came: it is stored, and waits for a rate (C-34).
    await pay(kept.end2end);
    await attributesAt('/v2/onramp', kept.end2end, 'depositpix/QRCODE');
    await pay(wrong.end2end, 'pay-under');
    await attributesAt('/v2/onramp', wrong.end2end, 'refund/DONE');
  } finally {
    rates.observe = observe;
  }
  expect(await retryRailEvents(app.services, SILENT, Date.now() + 60_000)).toBe(1);
  await attributesAt('/v2/onramp', kept.end2end, 'success');
});

test('C-21: a deposit after the lock is paid out at the price of its arrival', async () => {
  const body = {
    amount_paid: '100',
    currency_entry_paid_code: 'USDT_TRX',
    from: 'external',
    pix_key: '52998224725',
    pix_key_type: 'cpf',
    expires_in: 86_400,
    ...customer,
  };
  const made = await post('/v2/offramp', body);
  await widenSpread('offramp_instant');
  await wait('32m');
  const fresh = await post('/v2/offramp', body);
  expect(fresh.attributes.amount_received).not.toBe(made.attributes.amount_received);
  await pay(made.end2end, 'deposit');
  const now = await attributesAt('/v2/offramp', made.end2end, 'crypto_deposit');
  expect(now.amount_received).toBe(fresh.attributes.amount_received);
  expect(now.amount_payment).toBe(100);
});

test('C-21: an order by a quote keeps the lock of the quote', async () => {
  const create = `mutation { createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "550" } }) { quote { id: quoteId } errors { code message path } } }`;
  const { json } = await app.graphql(create, {}, { key });
  expect(errorsIn(json)).toBeUndefined();
  await wait('9m');
  const query = `mutation ($input: CreateOnrampInput!) { createOnramp(input: $input) { transaction { end2end } errors { code message path } } }`;
  const input = {
    amount: { quoteId: json.data.createQuote.quote.id },
    currency: 'USDT_TRX',
    clientName: 'Maria Silva',
    clientTaxId: '52998224725',
    expiresIn: 86_400,
  };
  const made = await app.graphql(query, { input }, { key });
  expect(errorsIn(made.json)).toBeUndefined();
  const { end2end } = made.json.data.createOnramp.transaction;
  const before = (await app.get(`/v2/onramp/${end2end}`, { key })).json.attributes;
  await widenSpread('onramp');
  await wait('24m');
  await pay(end2end);
  expect((await attributesAt('/v2/onramp', end2end, 'success')).quote).not.toBe(before.quote);
});

test('C-21: a quote that is not accepted ends with its lock; an accepted one lasts as long as its session', async () => {
  const query = `mutation ($input: CreateOnrampInput!) { createOnramp(input: $input) { transaction { end2end } errors { code message path } } }`;
  const input = {
    accept: false,
    amount: { brl: '550' },
    currency: 'USDT_TRX',
    clientName: 'Maria Silva',
    clientTaxId: '52998224725',
    expiresIn: 86_400,
  };
  const ids = [];
  for (let n = 0; n < 2; n += 1) {
    const { json } = await app.graphql(query, { input }, { key });
    expect(errorsIn(json)).toBeUndefined();
    ids.push(json.data.createOnramp.transaction.end2end);
  }
  const accept =
    'mutation ($id: String!) { acceptQuote(input: { end2end: $id }) { transaction { end2end } errors { code message path } } }';
  expect(errorsIn((await app.graphql(accept, { id: ids[0] }, { key })).json)).toBeUndefined();
  await wait('31m');
  const late = await app.graphql(accept, { id: ids[1] }, { key });
  expect(errorsIn(late.json)[0].extensions.code).toBe('STEP_CONFLICT');
  await attributesAt('/v2/onramp', ids[1], 'quote/EXPIRED');
  await attributesAt('/v2/onramp', ids[0], 'depositpix/QRCODE');
});

test('C-21: an order out of the balance without a payee ends with its lock: it reserves nothing', async () => {
  await post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '200' }, 200);
  const query = `mutation ($input: CreateOfframpInput!) { createOfframp(input: $input) { transaction { end2end createdAt expiration } errors { code message path } } }`;
  const create = async () => {
    const input = { amount: { crypto: '100' }, currency: 'USDT_TRX', expiresIn: 86_400 };
    const { json } = await app.graphql(query, { input }, { key });
    expect(errorsIn(json)).toBeUndefined();
    return json.data.createOfframp.transaction;
  };
  const [named, late, old] = [await create(), await create(), await create()];
  expect(Date.parse(named.expiration) - Date.parse(named.createdAt)).toBeLessThanOrEqual(30 * 60_000);
  const name = `mutation ($id: String!) { provideIdentity(input: { end2end: $id, clientName: "Maria Silva", clientTaxId: "52998224725", pixKey: "52998224725", pixKeyType: CPF }) { transaction { end2end } errors { code message path } } }`;
  await wait('29m');
  expect(errorsIn((await app.graphql(name, { id: named.end2end }, { key })).json)).toBeUndefined();
  // As one was stored before sessions of this kind ended with their lock.
  await app.owner.query(
    `update transaction set expires_at = expires_at + interval '1 day' where end2end = $1`,
    [old.end2end],
  );
  await wait('3m');
  const refused = await app.graphql(name, { id: old.end2end }, { key });
  expect(errorsIn(refused.json)?.[0].extensions.code).toBe('STEP_CONFLICT');
  await attributesAt('/v2/offramp', late.end2end, 'quote/EXPIRED');
  await attributesAt('/v2/offramp', named.end2end, 'success');
});

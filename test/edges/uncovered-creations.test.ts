/**
 * Goal: where a creation reserves, what the balance does not cover is refused with 422: nothing of it is stored but the
 * answer under its key, and its list has no hole (C-24, C-52). Method: 64 callers at once on one balance, by REST and by
 * GraphQL, so that they meet in one batch of the engine; then lists, counters, events and keys are read from the database.
 */

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { type Answer, useApp } from '../support/app.ts';
import { type Creation, creation } from '../support/graphql-client.ts';
import { cpfOf } from '../support/load.ts';
import { errorsIn } from '../support/refusals.ts';
import { whitelist } from '../support/rest-routes.ts';

const app = useApp();
const CALLERS = 64;
const COVERED = 10;
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
let customers = 0;

interface Shop {
  readonly accountId: bigint;
  readonly apiKey: string;
}

async function newShop(funds: string): Promise<Shop> {
  const shop = await app.addAccount();
  await whitelist(app, shop.accountId, 'out', [{ network: 'TRX', target: WALLET }]);
  const fund = { currency: 'USDT_TRX', amount: funds };
  expect((await app.post('/v2/sandbox/fund', fund, { key: shop.apiKey })).status).toBe(200);
  return shop;
}

/** A way to reserve 10 USDT. */
interface Way {
  readonly name: string;
  readonly family: 'offramps' | 'withdrawals';
  /** A request that can be sent again as it is. */
  readonly prepare: () => (shop: Shop, key: string) => Promise<Answer>;
}

const payee = () => {
  customers += 1;
  const taxId = cpfOf(customers);
  return { name: 'Ana Souza', taxId, key: taxId, type: 'cpf' };
};
const byRest = (family: Way['family'], path: string, body: () => object): Way => ({
  name: `POST ${path}`,
  family,
  prepare: () => {
    const given = body();
    return (shop, key) => app.post(path, given, { key: shop.apiKey, headers: { 'idempotency-key': key } });
  },
});
const byGraphql = (family: Way['family'], mutation: Creation, input: () => object): Way => ({
  name: mutation,
  family,
  prepare: () => {
    const given = input();
    return (shop, key) =>
      app.graphql(creation(mutation), { input: { ...given, idempotencyKey: key } }, { key: shop.apiKey });
  },
});
const OFFRAMP = () => {
  const { name, taxId, key, type } = payee();
  const client = { client_name: name, client_tax_id: taxId, pix_key: key, pix_key_type: type };
  return { amount_paid: '10', currency_entry_paid_code: 'USDT_TRX', ...client };
};
const OFFRAMP_INPUT = () => {
  const { name, taxId, key, type } = payee();
  const client = { clientName: name, clientTaxId: taxId, pixKey: key, pixKeyType: type.toUpperCase() };
  return { amount: { crypto: '10' }, currency: 'USDT_TRX', ...client };
};
const WAYS: readonly Way[] = [
  byRest('offramps', '/v2/offramp', OFFRAMP),
  byRest('withdrawals', '/v2/withdrawal', () => ({
    amount_received: '10',
    currency_receive_code: 'USDT_TRX',
    group_id: 'out',
  })),
  byGraphql('offramps', 'createOfframp', OFFRAMP_INPUT),
  byGraphql('withdrawals', 'createWithdrawal', () => ({
    amountReceived: '10',
    currency: 'USDT_TRX',
    groupId: 'out',
  })),
];

const codeOf = ({ json }: Answer) => json.code ?? errorsIn(json)?.[0].extensions.code;
const end2endOf = ({ json }: Answer, way: Way): string =>
  json.end2end ?? json.data[way.name].transaction.end2end;
const isMade = ({ status, json }: Answer) => status === 201 || (status === 200 && !errorsIn(json));

/** Places, ids and events of an account: what would show a hole. */
async function countersOf({ accountId }: Shop, family: string) {
  const { rows } = await app.owner.query(
    `select (select array_agg(list_seq::int order by list_seq) from transaction where account_id = $1 and family = $2) as places,
        (select array_agg(id::int order by id) from transaction where account_id = $1) as ids,
        (select last_seq::int from list_head where account_id = $1 and family = $2) as last,
        (select count(*)::int from event where account_id = $1) as events,
        (select array_agg(seq::int order by seq) from event where account_id = $1) as seqs`,
    [accountId, family],
  );
  return rows[0];
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('C-24: creations that the balance does not cover', () => {
  test.each(WAYS)('by $name', { timeout: 60_000 }, async (way) => {
    const shop = await newShop(`${COVERED * 10 + 9}.999999`);
    const requests = Array.from({ length: CALLERS }, () => ({ key: randomUUID(), send: way.prepare() }));
    const answers = await Promise.all(requests.map(({ key, send }) => send(shop, key)));

    const made = answers.filter(isMade);
    expect(made).toHaveLength(COVERED);
    for (const answer of answers)
      if (!isMade(answer)) expect(codeOf(answer), answer.text).toBe('INSUFFICIENT_BALANCE');
    if (way.name.startsWith('POST'))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));

    const counters = await countersOf(shop, way.family);
    expect(counters).toMatchObject({ places: upTo(COVERED), ids: upTo(COVERED), last: COVERED });
    expect(counters.seqs).toEqual(upTo(counters.events));
    const list = await app.get(`/v2/${way.family}?limit=100`, { key: shop.apiKey });
    expect(list.json.total).toBe(COVERED);
    const listed = list.json.results.map(({ end2end }: { end2end: string }) => end2end).sort();
    expect(listed).toEqual(made.map((answer) => end2endOf(answer, way)).sort());

    // C-52: money that comes later changes no answer that is kept.
    await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '1000' }, { key: shop.apiKey });
    const again = await Promise.all(requests.map(({ key, send }) => send(shop, key)));
    expect(again.map(isMade)).toEqual(answers.map(isMade));
    expect((await countersOf(shop, way.family)).last).toBe(COVERED);
    expect((await verifyLedger(app.database, shop.accountId)).defects).toEqual([]);
  });

  test('a neighbour in the same batch gets its result', { timeout: 60_000 }, async () => {
    const [poor, rich] = [await newShop('15'), await newShop('1000')];
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, async (_, index) => {
        const way = WAYS[index % 2] as Way;
        const shop = index % 4 < 2 ? poor : rich;
        return { shop, answer: await way.prepare()(shop, randomUUID()) };
      }),
    );
    const madeBy = (which: Shop) =>
      answers.filter(({ shop, answer }) => shop === which && isMade(answer)).length;
    expect([madeBy(poor), madeBy(rich)]).toEqual([1, CALLERS / 2]);
    for (const family of ['offramps', 'withdrawals']) {
      const { places, last } = await countersOf(rich, family);
      expect([places, last]).toEqual([upTo(CALLERS / 4), CALLERS / 4]);
    }
  });

  test('a creation with no other outcome is created, whatever its text requests of the sandbox', async () => {
    const shop = await newShop('100');
    const body = { amount_received: '10', currency_receive_code: 'USDT_TRX', group_id: 'out' };
    for (const notes of ['sandbox:quote-fail', '']) {
      const answer = await app.post('/v2/withdrawal', { ...body, notes }, { key: shop.apiKey });
      expect(answer.status).toBe(201);
      expect((await app.get(`/v2/withdrawal/${answer.json.end2end}`, { key: shop.apiKey })).status).toBe(200);
    }
    expect(await countersOf(shop, 'withdrawals')).toMatchObject({ places: [1, 2], last: 2 });
  });

  test('later, it ends in the step for a shortfall', async () => {
    const shop = await newShop('10');
    const input = { ...OFFRAMP_INPUT(), accept: false };
    const made = await app.graphql(creation('createOfframp'), { input }, { key: shop.apiKey });
    const { end2end } = made.json.data.createOfframp.transaction;
    expect((await (WAYS[1] as Way).prepare()(shop, randomUUID())).status).toBe(201);
    const accepted = await app.graphql(
      'mutation($end2end: String!) { acceptQuote(input: { end2end: $end2end }) { transaction { component state } errors { code message path } } }',
      { end2end },
      { key: shop.apiKey },
    );
    expect(accepted.json.data.acceptQuote.transaction).toEqual({ component: 'reserve', state: 'ERROR' });
  });
});

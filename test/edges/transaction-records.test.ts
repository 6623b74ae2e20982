/**
 * Goal: what authorities ask for is recorded with a transaction and comes out as it went in; nobody who does not record pays for
 * it or sees another body (C-1, C-15, C-40, C-50). Method: GraphQL, `/v2` and exports over HTTP on a real database.
 */

import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { divide, multiply } from '../../src/base/money/money.ts';
import { readRate, storeRate } from '../../src/store/engine/pricing.ts';
import { useApp } from '../support/app.ts';
import { useOneDay } from '../support/one-day.ts';
import { errorsIn } from '../support/refusals.ts';

useOneDay();
const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;

beforeAll(async () => {
  shop = await app.addAccount();
});

const RECORD = {
  walletCustody: 'CUSTODIAL',
  walletHolder: 'Maria Silva',
  walletVasp: 'Exchange Ltda.',
  walletCountry: 'BR',
  purposeCode: '00123',
  counterpartyCountry: 'US',
};
const FIELDS =
  'record { walletCustody walletHolder walletVasp walletCountry purposeCode counterpartyCountry usdValue usdValueAt usdRate }';
const ONRAMP = `mutation ($input: CreateOnrampInput!) { done: createOnramp(input: $input)
  { transaction { end2end target { amount } ... on Onramp { refQuote } ${FIELDS} } errors { code message path } } }`;
const SET = `mutation ($input: RecordFactsInput!) { done: recordFacts(input: $input) { transaction { end2end ${FIELDS} } errors { code message path } } }`;
const CORRECT = `mutation ($input: CorrectFactsInput!)
  { done: correctFacts(input: $input) { transaction { end2end ${FIELDS} } errors { code message path } } }`;

async function query(query: string, variables: Record<string, unknown>, key = shop.apiKey) {
  const { json } = await app.graphql(query, variables, { key });
  expect(errorsIn(json), JSON.stringify(errorsIn(json))).toBeUndefined();
  return json.data.done;
}
async function refusal(query: string, variables: Record<string, unknown>, key = shop.apiKey) {
  const { json } = await app.graphql(query, variables, { key });
  return errorsIn(json)[0];
}
async function onramp(record?: object) {
  const input = { currency: 'USDT_TRX', amount: { brl: '100' }, ...(record && { record }) };
  return (await query(ONRAMP, { input })).transaction;
}
const stored = async () => {
  const rows = await app.database.query<{ count: number }>(
    {
      name: 'test_records',
      text: 'select count(*)::int as count from transaction_record where account_id = $1',
    },
    [shop.accountId],
  );
  return rows[0]?.count;
};

describe('at creation', () => {
  it('stores the given facts; USD is null if no source has a rate', async () => {
    const { record } = await onramp(RECORD);
    expect(record).toEqual({ ...RECORD, usdValue: null, usdValueAt: null, usdRate: null });
  });

  it('stores nothing without input, also by /v2, whose body omits it (C-1)', async () => {
    const before = await stored();
    expect((await onramp()).record).toBeNull();
    const body = {
      amount_payment: 100,
      currency: 'USDT_TRX',
      client_name: 'Ana Souza',
      client_tax_id: '52998224725',
    };
    const { json } = await app.post('/v2/onramp', body, { key: shop.apiKey });
    expect(JSON.stringify(json)).not.toMatch(/record|purpose/);
    expect(await stored()).toBe(before);
  });

  it('the same key returns the same transaction, and another record is another request (C-52)', async () => {
    const input = { currency: 'USDT_TRX', amount: { brl: '100' }, record: RECORD };
    const first = await query(ONRAMP, { input: { ...input, idempotencyKey: 'one' } });
    expect(await query(ONRAMP, { input: { ...input, idempotencyKey: 'one' } })).toEqual(first);
    const other = { ...input, record: { ...RECORD, purposeCode: '00124' } };
    expect((await refusal(ONRAMP, { input: { ...other, idempotencyKey: 'one' } })).extensions.code).toBe(
      'IDEMPOTENCY_MISMATCH',
    );
  });

  it('counts the value in USD: crypto at its mid-market rate, by the rate of USD, to the cent', async () => {
    const nowMs = await app.services.clock.nowMs();
    await storeRate(app.database, 'sandbox', 'USD', { mid: '5.4321', observedAtMs: nowMs });
    const { record, target, refQuote } = await onramp({ purposeCode: '00001' });
    expect(record.usdValue).toBe(divide(multiply(target.amount, refQuote), '5.4321', 2));
    expect(record.usdRate).toBe('5.4321');
    expect(record.usdValueAt).toMatch(/Z$/);
    expect((await readRate(app.database, 'sandbox', 'USD'))?.mid).toBe('5.4321');
    const given = await onramp({ usdValue: '18.42', usdValueAt: '2026-11-01T12:00:00Z' });
    expect(given.record).toMatchObject({
      usdValue: '18.42',
      usdValueAt: '2026-11-01T12:00:00.000Z',
      usdRate: null,
    });
  });

  it.each([
    ['walletCountry', { walletCountry: 'XX' }],
    ['counterpartyCountry', { counterpartyCountry: 'br' }],
    ['purposeCode', { purposeCode: '1234' }],
    ['walletHolder', { walletHolder: 'x'.repeat(141) }],
    ['walletVasp', { walletVasp: 'a\u0000b' }],
    ['usdValue', { usdValue: '-1', usdValueAt: '2026-11-01T12:00:00Z' }],
    ['usdValueAt', { usdValue: '1' }],
    ['usdValue', { usdValueAt: '2026-11-01T12:00:00Z' }],
  ])('a bad %s is refused by its path (C-50): %j', async (name, record) => {
    const input = { currency: 'USDT_TRX', amount: { brl: '100' }, record };
    const { extensions } = await refusal(ONRAMP, { input });
    expect(extensions.code).toBe('INVALID_PARAMETER');
    expect(extensions.violations.map((each: { parameter: string }) => each.parameter)).toEqual([
      `input.record.${name}`,
    ]);
  });
});

describe('later', () => {
  it('given members change, null removes, the rest stays; the audit log has both, people in part', async () => {
    const { end2end } = await onramp(RECORD);
    const input = { walletHolder: 'Ana Souza', purposeCode: null };
    const { record } = (await query(SET, { input: { end2end, ...input } })).transaction;
    expect(record).toMatchObject({ ...RECORD, walletHolder: 'Ana Souza', purposeCode: null });
    await query(SET, { input: { end2end, ...input } });
    const { done } = (
      await app.graphql(
        `{ done: auditLog(objectId: "${end2end}", first: 10) { nodes { act before after } } }`,
        {},
        { key: shop.apiKey },
      )
    ).json.data;
    const actions = done.nodes.filter(({ act: action }: { act: string }) => action === 'facts.record');
    expect(actions).toHaveLength(1);
    expect(JSON.stringify(actions[0])).toContain('Maria S.');
    expect(JSON.stringify(actions[0])).not.toContain('Souza');
  });

  it('of a transaction without a record, also an ended one', async () => {
    const { end2end } = await onramp();
    await query(
      `mutation ($end2end: String!) { done: cancelTransaction(input: { end2end: $end2end }) { transaction { end2end } errors { code message path } } }`,
      {
        end2end,
      },
    );
    const { record } = (await query(SET, { input: { end2end, purposeCode: '54321' } })).transaction;
    expect(record).toMatchObject({ purposeCode: '54321', walletHolder: null });
  });

  it('by the platform on the named account; a foreign one looks missing (C-15, C-40)', async () => {
    const { end2end } = await onramp();
    const input = { counterpartyCountry: 'PT' };
    const account = String(shop.accountId);
    const { record } = (await query(CORRECT, { input: { account, end2end, ...input } }, app.platformKey))
      .transaction;
    expect(record.counterpartyCountry).toBe('PT');
    const other = await app.addAccount();
    const foreign = await refusal(SET, { input: { end2end, ...input } }, other.apiKey);
    const missing = await refusal(SET, { input: { end2end: 'CRX-none', ...input } }, other.apiKey);
    expect([foreign.extensions.code, foreign.message]).toEqual(['NOT_FOUND', missing.message]);
    const elsewhere = { input: { account: String(other.accountId), end2end, ...input } };
    expect((await refusal(CORRECT, elsewhere, app.platformKey)).extensions.code).toBe('NOT_FOUND');
  });
});

it('is stored for imported history as well, which has none at first', async () => {
  const { json } = await app.get('/v2/onramps?limit=1');
  const [{ end2end }] = json.results;
  expect((await query(SET, { input: { end2end, ...RECORD } }, app.apiKey)).transaction.record).toMatchObject(
    RECORD,
  );
});

describe('the export of a month', () => {
  const month = () => new Date().toISOString().slice(0, 7);
  const file = async (query: string, key = shop.apiKey) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${app.baseUrl}/export/records?${query}`, { headers })).text();
  };

  const complete = (end2end: string, at: string, change = '') =>
    app.owner.query(
      `update transaction set component = 'success', state = 'DONE', updated_at = $2 ${change} where end2end = $1`,
      [end2end, at],
    );

  it('has every transaction that was completed in the month, with or without recorded facts, in each format', async () => {
    const recorded = (await onramp({ ...RECORD, walletHolder: '=1+1' })).end2end;
    const without = (await onramp()).end2end;
    const never = (await onramp()).end2end;
    for (const end2end of [recorded, without]) await complete(end2end, `${month()}-15T12:00:00Z`);
    const { text, headers } = await app.get(`/export/records?month=${month()}`, { key: shop.apiKey });
    expect(headers.get('content-disposition')).toContain(`records-${month()}-`);
    const rows = parse(text, { columns: true }) as Record<string, string>[];
    const trailer = rows.pop();
    expect([trailer?.end2end, trailer?.completed_at]).toEqual(['COUNT', String(rows.length)]);
    const of = (id: string) => rows.find((row) => row.end2end === id);
    expect(of(recorded)).toMatchObject({
      ...{ wallet_custody: 'custodial', wallet_holder: "'=1+1", purpose_code: '00123' },
      completed_at: `${month()}-15T09:00:00.000-03:00`,
      ...{ fees_brl: expect.stringMatching(/^\d/), brl_value: of(recorded)?.source_amount },
    });
    expect(of(without)).toMatchObject({ wallet_custody: '', usd_value: '' });
    expect(of(never)).toBeUndefined();
    const jsonl = await file(`format=jsonl&month=${month()}`);
    const lines = jsonl
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.pop()).toEqual({ type: 'totals', count: rows.length });
    expect(lines.find((each) => each.end2end === recorded)).toMatchObject({
      ...{ type: 'record', wallet_holder: '=1+1', counterparty_country: 'US' },
      ...{ usd_value: expect.anything(), completed_at: `${month()}-15T12:00:00.000Z` },
    });
    const [headings] = (await file(`format=csv-pt&month=${month()}`)).split('\r\n');
    expect(headings).toMatch(
      /^\uFEFF?Transação;Concluído em \(Brasília\);.*;Valor \(R\$\);.*;Valor \(US\$\);/,
    );
  });

  it('E02: a month consists of Brasília days unless the zone is UTC, and a later refund stays in the month of the completion', async () => {
    const [evening, refunded] = [(await onramp()).end2end, (await onramp()).end2end];
    await complete(evening, '2027-03-01T02:59:59Z');
    await complete(
      refunded,
      '2027-05-02T12:00:00Z',
      `, process = process || '{"finishedAt": "2027-02-10 12:00:00+00"}'`,
    );
    const listed = async (query: string) => {
      const lines = (await file(`format=jsonl&${query}`)).trimEnd().split('\n');
      return lines.map((line) => JSON.parse(line).end2end).filter(Boolean);
    };
    expect((await listed('month=2027-02')).toSorted()).toEqual([evening, refunded].toSorted());
    expect(await listed('month=2027-02&zone=UTC')).toEqual([refunded]);
    expect(await listed('month=2027-03&zone=UTC')).toEqual([evening]);
    expect(await listed('month=2027-05')).toEqual([]);
  });

  it('of a month without transactions, and of another account, is empty (C-15)', async () => {
    const { text } = await app.get('/export/records?month=2020-02', { key: shop.apiKey });
    expect(parse(text, { columns: true })).toHaveLength(1);
    const other = await app.addAccount();
    const none = await file(`format=jsonl&month=${month()}`, other.apiKey);
    expect(JSON.parse(none)).toEqual({ type: 'totals', count: 0 });
  });

  it.each([
    '',
    '?month=2026-13',
    '?month=2026-1',
    '?month=11/2026',
  ])('%s is refused, naming month', async (query) => {
    const { status, json } = await app.get(`/export/records${query}`, { key: shop.apiKey });
    expect([status, json.violations[0].parameter]).toEqual([400, 'month']);
  });
});

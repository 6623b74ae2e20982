/**
 * What `/v2` reads: order, days, pages, filters, missing records and balances (C-6, C-10 to C-12, C-14 to C-16,
 * contract section 3).
 *
 * Records are named here and taken in out of order; tables say which names a query gives, in which order. Pages
 * are compared with slices of the whole.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/rest-compat/families.ts';
import { type Answer, useApp } from '../support/app.ts';
import {
  BECH32,
  CNPJ,
  CPF,
  DAYS,
  EVM,
  FILTERED,
  FILTERED_MOVES,
  type Move,
  type Named,
  namedTransactions,
  PIX,
  SOLANA,
  statementEntries,
  type TemplateName,
  TRON,
  takeIn,
} from '../support/records.ts';

/** Names on a page: `end2end` of a list, line ids of the statement. */
const namesOn = ({ json }: Answer): string =>
  (json.results ?? json.entries ?? [])
    .map((item: { end2end?: string; id?: number }) => item.end2end ?? item.id)
    .join(' ');

/** Creation times on both sides of midnight, and ties; the last three differ by `end2end` alone. */
const EDGES: readonly (readonly [string, string])[] = [
  ['a', '2026-06-01T23:59:59.999Z'],
  ['b', '2026-06-02T00:00:00Z'],
  ['c', '2026-06-02T12:00:00.499Z'],
  ['d', '2026-06-02T23:59:59.999Z'],
  ['e', '2026-06-03T00:00:00Z'],
  ['T1', '2026-06-02T12:00:00.500Z'],
  ['t0', '2026-06-02T12:00:00.500Z'],
  ['T2', '2026-06-02T12:00:00.500Z'],
];
const EDGE_ROWS = [
  ['', 'e d t0 T2 T1 c b a', '5 4 3 2 1'],
  ['date_from=2026-06-02', 'e d t0 T2 T1 c b', '5 4 3 2'],
  ['date_from=2026-06-03', 'e', '5'],
  ['date_from=2026-06-04', '', ''],
  ['date_to=2026-06-02', 'd t0 T2 T1 c b a', '4 3 2 1'],
  ['date_to=2026-06-01', 'a', '1'],
  ['date_to=2026-05-31', '', ''],
  ['date_from=2026-06-02&date_to=2026-06-02', 'd t0 T2 T1 c b', '4 3 2'],
  ['date_from=2000-01-01&date_to=9999-12-31', 'e d t0 T2 T1 c b a', '5 4 3 2 1'],
] as const;

/** What is asked for, and what it gives. */
const FILTER_ROWS = [
  ['crossramp_checkouts', 'c3 c2 c1'],
  [`crossramp_checkouts?pix_e2e=${PIX[0]}`, 'c1'],
  [`crossramp_checkouts?pix_e2e=${PIX[0].toLowerCase()}`, ''],
  [`crossramp_checkouts?client_tax_id=${CPF}`, 'c2 c1'],
  ['crossramp_checkouts?client_tax_id=529.982.247-25', 'c2 c1'],
  ['crossramp_checkouts?client_tax_id=52998224726', ''],
  [`crossramp_checkouts?client_tax_id=${CPF}&date_from=2026-06-02`, 'c2'],
  [`crossramp_checkouts?client_tax_id=${CPF}&pix_e2e=${PIX[0]}`, 'c1'],
  [`crossramp_checkouts?client_tax_id=11144477735&pix_e2e=${PIX[0]}`, ''],
  [
    `crossramp_checkouts?client_tax_id=${CPF}&pix_e2e=${PIX[1]}&date_from=2026-06-02&date_to=2026-06-02`,
    'c2',
  ],
  [`crossramp_checkouts?client_tax_id=${CPF}&pix_e2e=${PIX[1]}&date_from=2026-06-03`, ''],
  [`onramps?wallet=${TRON}`, 'o1'],
  [`onramps?wallet=${TRON.toLowerCase()}`, ''],
  [`onramps?wallet=${EVM}`, 'o2'],
  [`onramps?wallet=${EVM.toLowerCase()}`, 'o2'],
  [`onramps?wallet=0x${EVM.slice(2).toUpperCase()}`, 'o2'],
  [`onramps?wallet=${EVM.slice(0, -1)}e`, ''],
  [`onramps?wallet=${BECH32.toUpperCase()}`, 'o4'],
  [`onramps?wallet=${SOLANA}`, 'o5'],
  [`onramps?wallet=${SOLANA.toLowerCase()}`, ''],
  ['onramps?client_tax_id=12.abc.345/01de-35', 'o4 o3'],
  [`onramps?client_tax_id=${CNPJ}&wallet=${BECH32}&date_to=2026-06-03`, 'o4'],
  [`onramps?client_tax_id=${CNPJ}&wallet=${BECH32}&date_to=2026-06-02`, ''],
  [`onramps?pix_e2e=${PIX[1]}&client_tax_id=${CNPJ}`, 'o3'],
  [`onramps?pix_e2e=${PIX[0]}&wallet=${TRON}&client_tax_id=${CPF}&date_from=2026-06-01`, 'o1'],
  [`offramps?pix_e2e=${PIX[0]}`, 'f1'],
  ['crossramp_checkouts?external_code=order%201', 'c1'],
  ['onramps?external_code=order+1', 'o3'],
  ['offramps?external_code=order%201', ''],
  ['offramps?external_code=Order%201&date_from=2026-06-01', 'f1'],
  ['offramps?client_tax_id=11144477735', 'f3'],
  [`offramps?wallet=${EVM.toLowerCase()}`, 'f2'],
  [`offramps?wallet=${TRON}`, ''],
  [`offramps?wallet=${EVM}&date_from=2026-06-02&date_to=2026-06-02&client_tax_id=${CPF}`, 'f2'],
  [`offramps?wallet=${EVM}&client_tax_id=11144477735`, ''],
  ['withdrawals?group_id=wl-a', 'w3 w1'],
  ['withdrawals?group_id=WL-A', ''],
  [`withdrawals?address=${EVM.toLowerCase()}`, 'w4 w2'],
  ['withdrawals?address=ana@example.com', 'w3'],
  ['withdrawals?receive_currency_code=USDT_TRX', 'w1'],
  ['withdrawals?receive_currency_code=USDT%20(TRX)', 'w1'],
  ['withdrawals?receive_currency_code=USDC+(POLYGON)', 'w2'],
  ['withdrawals?receive_currency_code=BRL', 'w3'],
  ['withdrawals?receive_currency_code=ETH', 'w4'],
  ['withdrawals?receive_currency_code=USDT_ETH', ''],
  [`withdrawals?group_id=wl-b&address=${EVM}&receive_currency_code=ETH_ETH`, 'w4'],
  [`withdrawals?group_id=wl-a&address=${EVM}&receive_currency_code=ETH_ETH`, ''],
  ['statement', '8 7 6 5 4 3 2 1'],
  ['statement?currency=USDT_TRX', '4 3 2 1'],
  ['statement?currency=USDT%20(TRX)', '4 3 2 1'],
  ['statement?currency=USDT+(POLYGON)', '5'],
  ['statement?currency=BRL', '7'],
  ['statement?currency=ETH', '6'],
  ['statement?currency=ETH_ETH', '6'],
  ['statement?currency=DOGE_DOGE', '8'],
  ['statement?currency=DOGE+(DOGE)', '8'],
  ['statement?currency=BTC_BTC', ''],
  ['statement?account_type=available', '8 7 6 5 1'],
  ['statement?account_type=in_transit', '2'],
  ['statement?account_type=to_receive', '3'],
  ['statement?account_type=blocked', '4'],
  ['statement?account_type=blocked&currency=BRL', ''],
  ['statement?account_type=available&currency=USDT_TRX', '1'],
  ['statement?currency=USDT_TRX&date_from=2026-06-02', '4'],
  ['statement?account_type=available&date_to=2026-06-01', '1'],
  ['statement?account_type=blocked&currency=USDT_TRX&date_from=2026-06-02&date_to=2026-06-02', '4'],
] as const;

describe('lists and statement', () => {
  const app = useApp();
  const rejecting = useApp({ limitOverflow: 'reject' });
  const keys: Record<string, string> = {};
  const get = (account: string, path: string, query = '') =>
    app.get(`/v2/${path}${path.includes('?') ? '&' : '?'}${query}`, { key: keys[account] as string });

  beforeAll(async () => {
    const account = async (name: string, ...files: readonly (readonly string[])[]) => {
      const { accountId, apiKey } = await app.addAccount();
      keys[name] = apiKey;
      for (const lines of files) await takeIn(app.database, accountId, lines);
      return accountId;
    };
    const edge = (template: TemplateName, rows: typeof EDGES) =>
      namedTransactions(rows.map(([name, at]) => [name, template, {}, at]));
    const late = EDGES.toReversed();
    const dated = EDGES.slice(0, 5).map(([, date]) => ({ currency: 'BRL', change: '1', date }));
    // History may come in any order.
    await account(
      'crossramp_checkouts',
      edge('crossramp_checkout', late.slice(0, 4)),
      edge('crossramp_checkout', late.slice(4)),
    );
    await account('onramps', edge('onramp', late));
    await account('offramps', edge('offramp', late.slice(4)), edge('offramp', late.slice(0, 4)));
    await account('statement', statementEntries(dated));
    const filters = await account('filters', namedTransactions(FILTERED), statementEntries(FILTERED_MOVES));
    // Known once a deposit was seen; history does not tell it.
    await app.owner.query(
      `update transaction set deposit_from = $1 where account_id = $2 and end2end = 'f2'`,
      [EVM, filters],
    );
    const many = Array.from({ length: 130 }, (_, n) => `p${String(n).padStart(3, '0')}`);
    const sheets = ['available', 'in_transit', 'blocked'] as const;
    const moves = Array.from({ length: 260 }, (_, n) => ({
      currency: n % 5 === 0 ? 'BRL' : 'USDT_TRX',
      subAccount: sheets[n % 3] as (typeof sheets)[number],
      change: '1',
    }));
    const paged = many.map((name): Named => [name, 'withdraw_dash_same_curr', {}, DAYS[0]]);
    await account('pages', namedTransactions(paged), statementEntries(moves));
    await account('empty');
  });

  it.each(EDGE_ROWS)('C-10, C-11: ?%s gives %s, of the statement %s', async (query, names, ids) => {
    for (const list of ['crossramp_checkouts', 'onramps', 'offramps']) {
      const answer = await get(list, list, query);
      expect([answer.status, namesOn(answer), answer.json.total]).toEqual([200, names, split(names).length]);
    }
    const statement = await get('statement', 'statement', query);
    expect([statement.status, namesOn(statement), statement.json.total]).toEqual([
      200,
      ids,
      split(ids).length,
    ]);
  });

  it('C-14: every filter of every list is tried', () => {
    const parameters = FAMILIES.flatMap(({ list, filters }) =>
      Object.keys(filters).map((name) => `${list}?${name}`),
    );
    const tried = FILTER_ROWS.flatMap(([target]) => {
      const [list, query] = target.split('?');
      return [...new URLSearchParams(query).keys()].map((name) => `${list}?${name}`);
    });
    expect(parameters.filter((each) => !tried.includes(each))).toEqual([]);
  });

  it.each(FILTER_ROWS)('C-14, C-16: %s gives %s and their number', async (target, names) => {
    const answer = await get('filters', target);
    expect([answer.status, namesOn(answer)]).toEqual([200, names]);
    expect(answer.json.total).toBe(split(names).length);
    const beyond = await get('filters', target, 'offset=50');
    expect(beyond.json).toMatchObject({ total: split(names).length, offset: 50 });
    expect(namesOn(beyond)).toBe('');
  });

  it.each([
    ['statement', 'currency', 'USDT', ['USDT_TRX', 'USDT_ETH', 'USDT_POLYGON', 'USDT_BSC', 'USDT_SOL']],
    ['withdrawals', 'receive_currency_code', 'USDC', ['USDC_ETH', 'USDC_POLYGON', 'USDC_BASE', 'USDC_SOL']],
  ])('C-6: %s?%s=%s finds what is of any of its networks', async (path, parameter, value, codes) => {
    const all = await get('filters', path, `${parameter}=${value}&limit=100`);
    expect(all.status).toBe(200);
    const each = await Promise.all(
      codes.map((code) => get('filters', path, `${parameter}=${code}&limit=100`)),
    );
    expect(all.json.total).toBe(each.reduce((sum, { json }) => sum + json.total, 0));
    expect(namesOn(all).split(' ').toSorted()).toEqual(each.flatMap((one) => split(namesOn(one))).toSorted());
    const lower = await get('filters', path, `${parameter}=${value.toLowerCase()}`);
    expect([lower.status, lower.json.code]).toEqual([400, 'INVALID_PARAMETER']);
  });

  it.each([
    ['', 20, 0],
    ['limit=1', 1, 0],
    ['limit=99', 99, 0],
    ['limit=100', 100, 0],
    ['limit=101', 100, 0],
    ['limit=1000000000', 100, 0],
    ['limit=999999999999999999999999999999999999999999999999', 100, 0],
    ['offset=0', 20, 0],
    ['offset=129', 20, 129],
    ['offset=130', 20, 130],
    ['limit=7&offset=126', 7, 126],
    ['limit=10&offset=195', 10, 195],
    ['limit=100&offset=101', 100, 101],
    ['limit=3&offset=201', 3, 201],
    ['limit=3&offset=258', 3, 258],
    ['limit=3&offset=260', 3, 260],
    ['offset=2147483648', 20, 2_147_483_648],
    ['offset=9007199254740991', 20, Number.MAX_SAFE_INTEGER],
  ])('C-12, C-16: ?%s is the page of %i from %i', async (query, limit, offset) => {
    const names = Array.from({ length: 130 }, (_, n) => `p${String(129 - n).padStart(3, '0')}`);
    const ids = Array.from({ length: 260 }, (_, n) => 260 - n);
    const list = await get('pages', 'withdrawals', query);
    expect(list.json).toMatchObject({ total: 130, limit, offset });
    expect(namesOn(list)).toBe(names.slice(offset, offset + limit).join(' '));
    const statement = await get('pages', 'statement', query);
    expect(statement.json).toMatchObject({ total: 260, limit, offset });
    expect(namesOn(statement)).toBe(ids.slice(offset, offset + limit).join(' '));
  });

  it.each([
    ['withdrawals', 'limit=100', 200],
    ['withdrawals', 'limit=101', 400],
    ['statement', 'limit=100', 200],
    ['statement', 'limit=101', 400],
    ['statement', 'limit=1000000000', 400],
  ])('C-12: where overflow is rejected, %s?%s answers %i', async (path, query, status) => {
    const answer = await rejecting.get(`/v2/${path}?${query}`);
    expect(answer.status).toBe(status);
    const names = answer.json.violations?.map(({ parameter }: { parameter: string }) => parameter);
    expect(names).toEqual(status === 400 ? ['limit'] : undefined);
  });

  it('C-16: the total is of the same time as the page while records are added', async () => {
    const { accountId, apiKey } = await app.addAccount();
    const day: Named[] = Array.from({ length: 40 }, (_, n) => [`s${n}`, 'onramp', {}, DAYS[0]]);
    let isDone = false;
    const writing = (async () => {
      for (const line of namedTransactions(day)) await takeIn(app.database, accountId, [line]);
    })().finally(() => {
      isDone = true;
    });
    do {
      for (const query of ['limit=100', `limit=100&client_tax_id=${CPF}`, 'limit=100&date_from=2026-06-01']) {
        const { json } = await app.get(`/v2/onramps?${query}`, { key: apiKey });
        expect(json.total).toBe(json.results.length);
      }
    } while (!isDone);
    await writing;
    expect((await app.get('/v2/onramps', { key: apiKey })).json.total).toBe(40);
  });

  it.each([
    'crossramp_checkouts',
    'onramps',
    'offramps',
    'withdrawals',
    'statement',
  ])('C-15: an account that has nothing sees nothing of others in %s', async (path) => {
    const { status, json } = await get('empty', path);
    expect([status, json.total, json.results ?? json.entries]).toEqual([200, 0, []]);
  });
});

/** What cannot be the id of a record of the account, in place of `{id}`. */
const NO_IDS = [
  ['of another account', 'CRXFOREIGN'],
  ['that nobody has', 'CRX01KQSDR2G0FDQV7RN9RMBV94ZZ'],
  ['of another family', 'CRX01KQMCM670EB8R45WZH8PVCBY7'],
  ['in lower case', 'crx01kqj1a72gfrm9067zf35b7zcn'],
  ['with a space after it', 'CRX01KQJ1A72GFRM9067ZF35B7ZCN%20'],
  ['with a NUL after it', 'CRX01KQJ1A72GFRM9067ZF35B7ZCN%00'],
  ['of one character', '0'],
  ['of 201 characters', 'C'.repeat(201)],
  ['of 4,000 characters', 'C'.repeat(4_000)],
  ['with a slash in it', 'CRX%2F01'],
  ['of a pattern', '%25'],
  ['of an object member', '__proto__'],
  ['of SQL', "'--"],
  ['of an emoji', '%F0%9F%98%80'],
  ['of a byte that is no UTF-8', '%ff'],
  ['of a lone surrogate', '%ED%A0%80'],
  ['of half an escape', '%'],
  ['of no escape', '%zz'],
] as const;

describe('one record', () => {
  const app = useApp({
    rateLimit: {
      reads: { perSecond: 1_000, burst: 1_000_000 },
      writes: { perSecond: 1_000, burst: 1_000_000 },
    },
  });
  const ONRAMP = 'CRX01KQJ1A72GFRM9067ZF35B7ZCN';

  beforeAll(async () => {
    const { accountId } = await app.addAccount();
    await takeIn(app.database, accountId, namedTransactions([['CRXFOREIGN', 'onramp', {}, DAYS[0]]]));
  });

  it('C-15: the id of a record of the account finds it, also percent-encoded', async () => {
    const plain = await app.get(`/v2/onramp/${ONRAMP}`);
    const encoded = await app.get(`/v2/onramp/%43${ONRAMP.slice(1)}`);
    expect([plain.status, encoded.status, encoded.text]).toEqual([200, 200, plain.text]);
  });

  it.each(NO_IDS)('C-15: an id %s gets the same 404 as any other', async (_what, id) => {
    const told = ({ status, headers, json }: Answer) => {
      const kept = Object.fromEntries(headers);
      // What is left of the allowance differs from request to request; that it is told must not.
      for (const name of ['date', 'x-request-id', 'ratelimit']) kept[name] = kept[name] ? 'told' : 'not told';
      return { status, headers: kept, body: { ...json, request_id: typeof json.request_id } };
    };
    const reference = told(await app.get('/v2/onramp/CRX01KQSDR2G0FDQV7RN9RMBV94ZY'));
    expect(reference).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', request_id: 'string' } });
    expect(told(await app.get(`/v2/onramp/${id}`))).toEqual(reference);
  });
});

describe('balance', () => {
  const FINEST = '0.123456789012345678';
  const app = useApp();

  it('section 3: is keyed by asset, then by display name; BRL figures are of the available part, half up', async () => {
    const { accountId, apiKey } = await app.addAccount();
    const moves: Move[] = [
      { currency: 'USDT_TRX', change: '100' },
      { currency: 'USDT_TRX', subAccount: 'in_transit', change: '10' },
      { currency: 'USDT_TRX', subAccount: 'to_receive', change: '5' },
      { currency: 'USDT_TRX', subAccount: 'blocked', change: '0.000001' },
      { currency: 'USDT_BSC', change: FINEST },
      { currency: 'TRX_TRX', change: '2.5' },
      { currency: 'ETH_ETH', change: '1' },
      { currency: 'ETH_ETH', change: '-1' },
      { currency: 'BTC_BTC', subAccount: 'blocked', change: '0.5' },
      { currency: 'DOGE_DOGE', change: '42' },
      { currency: 'BRL', change: '734.56' },
    ];
    await takeIn(app.database, accountId, statementEntries(moves));
    const { status, text, json } = await app.get('/v2/balance', { key: apiKey });
    expect(status).toBe(200);
    const sheet = (worth: number | null, available: number, [inTransit, toReceive, blocked] = [0, 0, 0]) => ({
      calculated_BRL_balance: worth,
      ...{ available, in_transit: inTransit, to_receive: toReceive, blocked },
    });
    const total = 532.18 + 0.66 + 4.14 + 734.56;
    expect(json).toEqual({
      calculated_BRL_total_balance: Number(total.toFixed(2)),
      balances: {
        USDT: {
          calculated_BRL_balance: 532.84,
          'USDT (TRX)': sheet(532.18, 100, [10, 5, 0.000001]),
          // 0.123456789012345678 x 5.3218 = 0.657 012 ...
          'USDT (BSC)': sheet(0.66, Number(FINEST)),
        },
        // 2.5 x 1.6540 = 4.135: half a cent goes up.
        TRX: { calculated_BRL_balance: 4.14, 'TRX (TRX)': sheet(4.14, 2.5) },
        ETH: { calculated_BRL_balance: 0, 'ETH (ETH)': sheet(0, 0) },
        BTC: { calculated_BRL_balance: 0, 'BTC (BTC)': sheet(0, 0, [0, 0, 0.5]) },
        DOGE: { calculated_BRL_balance: null, 'DOGE (DOGE)': sheet(null, 42) },
        BRL: { calculated_BRL_balance: 734.56, BRL: sheet(734.56, 734.56) },
      },
    });
    expect(text).toContain(`"available":${FINEST},`);
    expect(text).toContain('"blocked":0.000001}');
    expect(Object.keys(json)).toEqual(['calculated_BRL_total_balance', 'balances']);
    expect(Object.keys(json.balances.USDT)[0]).toBe('calculated_BRL_balance');
    const members = ['calculated_BRL_balance', 'available', 'in_transit', 'to_receive', 'blocked'];
    expect(Object.keys(json.balances.USDT['USDT (TRX)'])).toEqual(members);
  });

  it('section 3: is that of the newest lines, and empty for an account that has none', async () => {
    const { json } = await app.get('/v2/balance');
    // 107.063509 x 5.3218 = 569.770 ...
    expect(json.calculated_BRL_total_balance).toBe(569.77);
    expect(json.balances.USDT['USDT (TRX)']).toMatchObject({ available: 107.063509, in_transit: 0 });
    const { apiKey } = await app.addAccount();
    const { text } = await app.get('/v2/balance', { key: apiKey });
    expect(text).toBe('{"calculated_BRL_total_balance":0,"balances":{}}');
  });
});

const split = (names: string) => names.split(' ').filter(Boolean);

/**
 * The wire form of `/v2`: names, shapes, key order, number tokens and timestamps (C-1 to C-8, C-17, C-18).
 *
 * The example history and records made here are taken in and read back through every way that leads to them. JSON
 * is compared by value with what went in; key order and number tokens are compared in the text of the answer,
 * because a parser would hide both.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.ts';
import {
  exact,
  nextEnd2end,
  statementEntries,
  TEMPLATE_NAMES,
  type TemplateName,
  takeIn,
  transaction,
} from '../support/records.ts';
import { ATTRIBUTE_KEYS, ENVELOPE_KEYS, tokenOf } from '../support/rest-routes.ts';
import { HISTORY } from '../support/sandbox.ts';

const LABELS = ['status', 'substatus', 'message', 'error_message'];
const TIMES = ['created_at', 'updated_at'];
const EMBEDDED_KEYS = ['end2end', 'template', ...TIMES, ...LABELS, 'attributes'];
const ENTRY_KEYS = ['id', 'date', 'account', 'debit', 'credit', 'previous_balance', 'balance', 'transaction'];
const ACCOUNT_KEYS = ['id', 'name', 'code', 'currency', 'currency_pretty_name'];
const QUOTE_KEYS = ['quote', 'ref_quote', 'fees'];
const PATHS: Record<TemplateName, { single: string; list: string }> = {
  crossramp_checkout: { single: 'crossramp_checkout', list: 'crossramp_checkouts' },
  onramp: { single: 'onramp', list: 'onramps' },
  onramp_instant: { single: 'onramp', list: 'onramps' },
  offramp: { single: 'offramp', list: 'offramps' },
  offramp_instant: { single: 'offramp', list: 'offramps' },
  withdraw_dash_same_curr: { single: 'withdrawal', list: 'withdrawals' },
};

const RECORDS = HISTORY.trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const TRANSACTIONS = RECORDS.flatMap(({ type, ...body }) => (type === 'transaction' ? [body] : []));
const ENTRIES = RECORDS.flatMap(({ type, ...body }) => (type === 'statement_entry' ? [body] : []));

const pathOf = (template: TemplateName, end2end: string) => `/v2/${PATHS[template].single}/${end2end}`;

describe('the example history', () => {
  const app = useApp();

  it('is 9 transactions of all six templates and 14 statement entries', () => {
    expect(TRANSACTIONS).toHaveLength(9);
    expect(new Set(TRANSACTIONS.map(({ template }) => template))).toEqual(new Set(TEMPLATE_NAMES));
    expect(ENTRIES).toHaveLength(14);
  });

  it.each(TRANSACTIONS)('C-1: GET returns $template $end2end as imported, keys in order', async (body) => {
    const { status, headers, json } = await app.get(pathOf(body.template, body.end2end));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json).toEqual(body);
    expect(Object.keys(json)).toEqual(ENVELOPE_KEYS);
    for (const label of LABELS) expect(Object.keys(json[label])).toEqual(['en', 'pt']);
    const order = ATTRIBUTE_KEYS[body.template as TemplateName];
    const hasLink = 'fixed_link' in body.attributes;
    expect(Object.keys(json.attributes)).toEqual(hasLink ? [...order, 'fixed_link'] : order);
  });

  it('C-1: fixed_link is on the one session that came from a static link', async () => {
    const { json } = await app.get('/v2/crossramp_checkouts');
    const links = json.results.map(({ attributes }: (typeof TRANSACTIONS)[0]) => attributes.fixed_link);
    expect(links).toEqual([undefined, 'loja-centro']);
  });

  it.each([
    ['crossramp_checkouts', 'v2'],
    ['onramps', 'v1'],
    ['offramps', 'v1'],
    ['withdrawals', 'v2'],
  ])('C-17: the list of %s holds the single-record bodies, under version %s', async (list, version) => {
    const expected = TRANSACTIONS.filter(({ template }) => PATHS[template as TemplateName].list === list);
    const { status, text, json } = await app.get(`/v2/${list}`);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['version', 'total', 'limit', 'offset', 'results']);
    expect(json).toMatchObject({ version, total: expected.length, limit: 20, offset: 0 });
    expect(json.results).toHaveLength(expected.length);
    for (const { template, end2end } of expected) {
      const single = await app.get(pathOf(template, end2end));
      expect(text).toContain(single.text);
    }
  });

  it('C-17: the statement envelope has no version, and C-1: its entries are as imported, keys in order', async () => {
    const { status, json } = await app.get('/v2/statement');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['total', 'limit', 'offset', 'entries']);
    expect(json).toMatchObject({ total: 14, limit: 20, offset: 0 });
    const bare = json.entries.map((entry: (typeof ENTRIES)[0]) => ({
      ...entry,
      transaction: entry.transaction?.end2end ?? null,
    }));
    expect(bare).toEqual(ENTRIES.toReversed());
    for (const entry of json.entries) {
      expect(Object.keys(entry)).toEqual(ENTRY_KEYS);
      expect(Object.keys(entry.account)).toEqual(ACCOUNT_KEYS);
    }
  });

  it('C-18: an entry embeds the single-record body without component and state, and null for an adjustment', async () => {
    const { text, json } = await app.get('/v2/statement');
    const embedded = json.entries.flatMap((entry: (typeof ENTRIES)[0]) => entry.transaction ?? []);
    expect(embedded).toHaveLength(13);
    for (const transaction of embedded) {
      const single = await app.get(pathOf(transaction.template, transaction.end2end));
      const { component: _component, state: _state, ...body } = single.json;
      expect(Object.keys(transaction)).toEqual(EMBEDDED_KEYS);
      expect(text).toContain(`"transaction":${JSON.stringify(body)}`);
    }
    expect(json.entries.at(-1)).toMatchObject({ id: 9004, transaction: null });
  });
});

/** What went in, and the token that comes out: the same number, written out, without trailing zeros. */
const NUMBERS = [
  ['0.123456789012345678', '0.123456789012345678'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['9007199254740993', '9007199254740993'],
  ['0.0000001', '0.0000001'],
  ['1e-7', '0.0000001'],
  ['2.5E+21', '2500000000000000000000'],
  ['0.000000000000000000000000000001', '0.000000000000000000000000000001'],
  ['0.1', '0.1'],
  ['550.00', '550'],
  ['1000', '1000'],
  ['0', '0'],
  ['0.000', '0'],
] as const;
/** Minor units of the finest currency and beyond what a double can tell apart. */
const LEDGER_AMOUNTS = ['0.123456789012345678', '1000000000000.000000000000000001', '0.000000000000000001'];
/** Exact value, and what the offramps publish of it. */
const INTEGERS = [
  ['5', '5'],
  ['5.4525', '5'],
  ['5.4999999999999999999999', '5'],
  ['5.5', '6'],
  ['4.5', '5'],
  ['0.49', '0'],
  ['0.5', '1'],
  ['12345678901234567890.5', '12345678901234567891'],
  ['null', 'null'],
] as const;
const INSTANTS = [
  ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00Z'],
  ['2026-06-01T12:00:00.987Z', '2026-06-01T12:00:00Z'],
  ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59Z'],
  ['2026-06-01T22:30:00-03:00', '2026-06-02T01:30:00Z'],
  ['2024-02-29T00:00:00.001+00:00', '2024-02-29T00:00:00Z'],
] as const;
const TEXTS = [
  'Maria de Fátima Conceição',
  '"quoted" \\ back\\slash / slash',
  'line\nbreak\ttab\u0007bell\u007f',
  '\u2028\u2029 </script> {{7*7}} \u202e\u200d',
  '😀 e\u0301 é Ω null',
  'null',
];

describe('records created for it', () => {
  const rounded = useApp();
  const asExact = useApp({ exactIntegers: true });
  const lines: string[] = [];
  /** Makes a record that both applications have, and gives the path that it is read by. */
  const given = (...[template, attributes, envelope]: Parameters<typeof transaction>): string => {
    const end2end = nextEnd2end();
    lines.push(transaction(template, attributes, { end2end, ...envelope }));
    return pathOf(template, end2end);
  };

  const numbers = NUMBERS.map(([token, printed]) => {
    const number = exact(token);
    const names = [...QUOTE_KEYS, 'amount_payment', 'amount_received'];
    const attributes = Object.fromEntries(names.map((name) => [name, number]));
    return { token, printed, names, path: given('onramp', attributes) };
  });
  const integers = INTEGERS.flatMap(([token, published]) =>
    (['offramp', 'offramp_instant'] as const).map((template) => {
      const attributes = Object.fromEntries(QUOTE_KEYS.map((name) => [name, exact(token)]));
      return { template, token, published, path: given(template, attributes) };
    }),
  );
  const instants = INSTANTS.map(([instant, printed]) => ({
    instant,
    printed,
    path: given('onramp', { expiration: instant }, { created_at: instant, updated_at: instant }),
  }));
  const texts = TEXTS.map((text) => ({
    text,
    path: given('crossramp_checkout', { client_name: text, external_code: text, fixed_link: text }),
  }));
  const unknown = TEMPLATE_NAMES.map((template) => {
    const { attributes } = JSON.parse(transaction(template));
    const blank = Object.entries(attributes).map(([name, value]) => {
      if (name === 'template') return [name, value];
      return [name, typeof value === 'string' ? '' : null];
    });
    const expected = Object.fromEntries(blank);
    return { template, expected, path: given(template, expected) };
  });
  const { templates } = JSON.parse(
    readFileSync(new URL('../vectors/states.json', import.meta.url), 'utf8'),
  ) as { templates: Record<TemplateName, Record<string, unknown>[]> };
  const steps = TEMPLATE_NAMES.flatMap((template) =>
    templates[template].map((vector) => {
      const { component, state, status, substatus, message, error_message } = vector;
      const expected = { component, state, status, substatus, message, error_message };
      return { expected, path: given(template, {}, expected) };
    }),
  );

  beforeAll(async () => {
    const amounts = LEDGER_AMOUNTS.map((change) => ({ currency: 'USDT_BSC', change }));
    const dated = INSTANTS.slice(0, 2).map(([date]) => ({ currency: 'BRL', change: '0.01', date }));
    for (const app of [rounded, asExact]) {
      await takeIn(app.database, app.accountId, [
        ...lines,
        ...statementEntries([...amounts, ...dated], 20_001),
      ]);
    }
  });

  it.each(numbers)('C-3: the number $token leaves as $printed', async ({ printed, names, path }) => {
    const { text } = await rounded.get(path);
    expect(names.map((name) => tokenOf(text, name))).toEqual(names.map(() => printed));
  });

  it('C-3: amounts of the ledger leave with every decimal', async () => {
    const { text } = await rounded.get('/v2/statement?currency=USDT_BSC');
    const tokens = (name: string) =>
      [...text.matchAll(new RegExp(`"${name}":([^,}]+)`, 'g'))].map((m) => m[1]);
    expect(tokens('credit')).toEqual(LEDGER_AMOUNTS.toReversed());
    expect(tokens('debit')).toEqual(['0', '0', '0']);
    expect(tokens('balance')).toEqual([
      '1000000000000.12345678901234568',
      '1000000000000.123456789012345679',
      '0.123456789012345678',
    ]);
    expect(tokens('previous_balance')).toEqual([
      '1000000000000.123456789012345679',
      '0.123456789012345678',
      '0',
    ]);
  });

  it.each(integers)('C-4: $token of an $template is published as $published', async ({ published, path }) => {
    const { text } = await rounded.get(path);
    expect(QUOTE_KEYS.map((name) => tokenOf(text, name))).toEqual([published, published, published]);
  });

  it.each(integers)('C-4: $token of an $template is exact where requested', async ({ token, path }) => {
    const { text } = await asExact.get(path);
    expect(QUOTE_KEYS.map((name) => tokenOf(text, name))).toEqual([token, token, token]);
  });

  it.each(instants)('C-2: $instant leaves as $printed', async ({ printed, path }) => {
    const { json } = await rounded.get(path);
    expect([json.created_at, json.updated_at, json.attributes.expiration]).toEqual([
      printed,
      printed,
      printed,
    ]);
  });

  it('C-2: so do the dates of the statement', async () => {
    const { json } = await rounded.get('/v2/statement?currency=BRL');
    const dates = json.entries.map((entry: { date: string }) => entry.date);
    expect(dates).toEqual(['2026-06-01T12:00:00Z', '2026-06-01T12:00:00Z']);
  });

  it.each(
    unknown,
  )('C-5: facts that a $template does not know yet are "" or null, and present', async (row) => {
    const { json } = await rounded.get(row.path);
    expect(json.attributes).toEqual(row.expected);
    expect(Object.keys(json.attributes)).toEqual(ATTRIBUTE_KEYS[row.template]);
  });

  it.each(texts)('C-1: the text $text is returned unchanged', async ({ text, path }) => {
    const { json } = await rounded.get(path);
    const { client_name, external_code, fixed_link } = json.attributes;
    expect([client_name, external_code, fixed_link]).toEqual([text, text, text]);
  });

  it('C-8: every state has the labels of states.json, in both languages, from the templates themselves', async () => {
    for (const { expected, path } of steps) {
      const { json } = await rounded.get(path);
      expect(json).toMatchObject(expected);
    }
    const ends = steps.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
    const { rows } = await rounded.owner.query(
      'select end2end, component, state, as_published from transaction where end2end = any ($1) and as_published is not null',
      [ends],
    );
    expect(rows).toEqual([]);
  });
});

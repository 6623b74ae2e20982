/**
 * Goal: what is posted to `/v2` and is not accepted is refused with its name and the accepted form, and leaves nothing
 * behind (C-50, C-51, contract 4).
 *
 * Method: every member of every body of the route table against values that it must not take, so that a new member
 * without an expectation here fails; bodies that are none; ids that are none. Around every test the rows of all tables
 * are counted. Which values are refused is decided by this file, not by the code that is tested.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/errors/errors.ts';
import { type Answer, type TestApp, useApp } from '../support/app.ts';
import { BECH32, EVM, type Members, SOLANA, TRON } from '../support/records.ts';
import { BODIES, IDS, PAYEE, rowCounts, WRITES } from '../support/rest-routes.ts';

/** A value that is refused, as a JSON token; words of the refusal; its code, where it has one of its own. */
type Bad = readonly [token: string, message: RegExp, code?: ErrorCode];

const quoted = (texts: readonly string[], message: RegExp): Bad[] =>
  texts.map((text) => [JSON.stringify(text), message]);
const tokens = (given: readonly string[], message: RegExp): Bad[] => given.map((token) => [token, message]);

const NOT_TEXT = tokens(['5', '0', 'true', 'false', '[]', '["x"]', '{}', '{"a":1}'], /^must be a string/);
const NOT_NUMBER = tokens(['true', 'false', '[]', '[1]', '{}'], /^must be a number, or a decimal number/);
/** Texts that some reader of numbers takes for one. */
const NAN_LIKE = [
  ...['NaN', 'Infinity', '-Infinity', '1e2', '1E2', '0x10', '0b1', '0o7', '+5', '１０', '٣'],
  ...[
    '1,50',
    '1.000,00',
    '1_000',
    '1.',
    '.5',
    '1.2.3',
    '00',
    '05',
    '--5',
    '5-',
    '5.5.',
    'ten',
    '$5',
    '5 BRL',
    '½',
  ],
];
/** Amounts that are none, of a currency with so many decimals. */
const amounts = (decimals: number): Bad[] => [
  ...NOT_NUMBER,
  ...quoted(
    [...NAN_LIKE, '0', '0.00', '-0', '-1', '-0.01', '9'.repeat(41), '1'.repeat(5_000)],
    /^must be a decimal number above zero/,
  ),
  ...tokens(
    ['0', '-0', '0.0', '0e5', '-1', '-1e-2', '1e41', '1e400'],
    /^must be a decimal number above zero/,
  ),
  ['1e99999', /^must be a (decimal )?number/],
  ...quoted([`1.${'0'.repeat(decimals)}1`], new RegExp(`^must be .* at most ${decimals} decimals`)),
  ...tokens([`1.${'0'.repeat(decimals)}1`, `1e-${decimals + 1}`], /decimals/),
];
const AMBIGUOUS: Bad[] = [
  ['"USDT"', /use one of USDT_TRX, USDT_ETH, USDT_POLYGON, USDT_BSC, USDT_SOL$/, 'CURRENCY_AMBIGUOUS'],
  ['"USDC"', /use one of USDC_ETH, USDC_POLYGON, USDC_BASE, USDC_SOL$/, 'CURRENCY_AMBIGUOUS'],
];
const UNKNOWN_CURRENCIES = [
  ...[
    'XXX',
    'usdt_trx',
    'Usdt_Trx',
    'USDT-TRX',
    'USDT_',
    '_TRX',
    'USDT_XXX',
    'USDT(TRX)',
    'USDT (trx)',
    ' ETH',
  ],
  ...['ETH ', 'ＥＴＨ', 'DOGE_DOGE', 'R$', '__proto__', 'constructor', 'ETH\0', '\ud800', 'x'.repeat(5_000)],
];
const crypto: Bad[] = [
  ...NOT_TEXT,
  ...quoted([...UNKNOWN_CURRENCIES, 'BRL'], /^must be one of USDT_TRX, .*BTC_BTC$/),
  ...AMBIGUOUS,
];
const anyCurrency: Bad[] = [
  ...NOT_TEXT,
  ...quoted(UNKNOWN_CURRENCIES, /^must be one of BRL, USDT_TRX, .*BTC_BTC$/),
  ...AMBIGUOUS,
];
/** What turns the text around it, takes no room, or is nobody's: bidirectional marks, zero widths, fillers, tags, C1. */
const HIDDEN = [
  ...['Ana \u202e55,00', '\u2066Ana', 'A\u200bna', 'Ana\u200d', '\ufeffAna', 'A\u00adna', 'Ana\u061c'],
  ...['\u3164', 'A\u034fna', 'Ana\u0085', 'Ana\u2028', 'Ana\ue000', '\u{e0041}Ana', '\u2800', 'Ana\uffff'],
];
/** Texts of at most so many characters, counted as people do. */
const words = (lengthMax: number): Bad[] => [
  ...NOT_TEXT,
  ...quoted(
    [' ', '\u00a0\u3000', 'x'.repeat(lengthMax + 1), '😀'.repeat(lengthMax + 1)],
    new RegExp(`^must have 1 to ${lengthMax} characters`),
  ),
  ...quoted(
    ['a\0b', 'a\nb', 'a\r\nb', 'a\tb', '\u001b[31m', 'a\u007f', '\ud800', 'a\udc00b', '😀'.slice(0, 1)],
    /^must be well-formed text without control or invisible characters/,
  ),
  ...quoted(HIDDEN, /^must be well-formed text without control or invisible characters/),
];
const TAX_IDS = [
  ...[
    '52998224726',
    '52998224735',
    '00000000000',
    '11111111111',
    '5299822472',
    '529982247255',
    '529.982.247-26',
  ],
  ...['５２９９８２２４７２５', 'ABCDEFGHIJK'],
  ...[
    '11222333000182',
    '12ABC34501DE36',
    '00000000000000',
    '12.ABC.345/01DE36',
    '52998224725\0',
    'x'.repeat(5_000),
  ],
];
const URLS = [
  ...[
    'http://shop.example/',
    'ftp://shop.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
  ],
  ...[
    'HTTP://shop.example/',
    'http://localhost.shop.example/',
    'http://10.0.0.1/',
    'http://127.0.0.2/',
    'wss://a.b/',
  ],
  ...['https://user:secret@shop.example/', 'https://user@shop.example/', 'https://:secret@shop.example/'],
  ...[
    'https://',
    'https://?a',
    'https://#a',
    'https://:443/',
    '//shop.example/',
    'shop.example',
    '/thanks',
    'x',
    '.',
  ],
  ...[
    'https://shop.example:99999/',
    'https://shop example/',
    ' https://shop.example/',
    'https://shop.example/ x',
  ],
  ...[
    'https://shop.example/\0',
    'https://shop.example/\n',
    'https://sh\top.example/',
    `https://a.b/${'x'.repeat(2_040)}`,
  ],
];
/** What a lenient reader of URLs repairs: strict ones find no host, or another one. */
const REPAIRED_URLS = [
  ...[
    'https:///shop.example/',
    'https:shop.example',
    'https:/shop.example',
    'https:\\\\shop.example\\',
    'https://@a.b/',
  ],
  ...['\u0001https://shop.example/', 'https://shop.example/\u0001', 'https://shop.example/\u007f'],
];
const url: Bad[] = [
  ...NOT_TEXT,
  ...quoted(URLS, /^must be an https URL without user name or password, of at most 2048 characters/),
];
const expiresIn: Bad[] = [
  ...NOT_NUMBER,
  ...quoted(
    [...NAN_LIKE, '59', '2592001', '-60', '60.5', '60.0', '9'.repeat(30)],
    /^must be an integer from 60 to 2592000/,
  ),
  ...tokens(['59', '0', '-60', '60.5', '2592001', '1e300', '6e-1'], /^must be an integer from 60 to 2592000/),
];
const requestedAt: Bad[] = [
  ...NOT_TEXT,
  ...quoted(['today', '2026-05-01', '2026-05-01T12:00:00'], /^must be a time such as 2026-05-01T12:00:00Z$/),
];
const pixKeyType: Bad[] = [
  ...NOT_TEXT,
  ...quoted(
    ['CPF', 'Email', 'evp', 'telefone', 'cpf ', '__proto__', '\0', 'x'.repeat(5_000)],
    /^must be one of cpf, cnpj, email, phone, random$/,
  ),
];
const EMAILS = [
  'ana',
  'ana@',
  '@example.com',

  'a na@example.com',
  `${'a'.repeat(70)}@example.com`,
];
const WALLETS = [
  ...[
    EVM,
    BECH32,
    SOLANA,
    TRON.toLowerCase(),
    `${TRON.slice(0, -1)}u`,
    TRON.slice(0, -1),
    `${TRON}x`,
    ` ${TRON}`,
  ],
  ...['x', 'T', '\0', '\ud800', 'x'.repeat(5_000)],
];
const TRON_CONTRACT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TRON_ZERO = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb';
const TRON_BURN = 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy';
const wallet: Bad[] = [
  ...NOT_TEXT,
  ...quoted(WALLETS, /T and 33 characters of base58 with a valid checksum/),
  ...quoted([TRON_CONTRACT], /^must not be the contract of USDT_TRX/),
  ...quoted([TRON_ZERO, TRON_BURN], /^must not be a burn/),
];
/** A text that is only looked up: what matters is that the database can hold it. */
const name: Bad[] = [
  ...NOT_TEXT,
  ...quoted(['a\0b', '\ud800'], /^must be well-formed text/),
  ...quoted(['x'.repeat(201)], /^must have 1 to 200 characters/),
];
const brlAmount: Bad[] = [
  ...NOT_NUMBER,
  ...quoted([...NAN_LIKE, '0', '-1', '1.001'], /decimal|above zero/),
  ...tokens(['0', '-1', '0.001'], /decimal|above zero/),
];
const sessionMembers = {
  external_code: words(200),
  return_url: url,
  webhook: url,
  expires_in: expiresIn,
};
const clientMembers = {
  client_name: words(140),
  client_tax_id: [
    ...NOT_TEXT,
    ...quoted(
      TAX_IDS,
      /^must be a CPF \(11 digits\) or CNPJ \(12 digits or letters and 2 digits\) with right check digits/,
    ),
  ],
};
const pixIn = {
  amount_payment: amounts(2),
  amount_received: amounts(6),
  currency_exit_received_code: crypto,
  ...clientMembers,
  ...sessionMembers,
};
/** Of type e-mail. */
const pixKey: Bad[] = [...NOT_TEXT, ...quoted(EMAILS, /^must be an email address of at most 77 characters/)];
/** What each member refuses, by the path of its route. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, readonly Bad[]>>>> = {
  '/v2/crossramp_checkout': pixIn,
  '/v2/onramp': { ...pixIn, wallet },
  '/v2/offramp': {
    amount_paid: amounts(6),
    amount_sent: amounts(2),
    currency_entry_paid_code: crypto,
    pix_key: pixKey,
    pix_key_type: pixKeyType,
    from: [
      ...NOT_TEXT,
      ...quoted(['Balance', 'wallet', 'external ', '\0', 'toString'], /^must be balance or external/),
    ],
    ...clientMembers,
    ...sessionMembers,
  },
  '/v2/withdrawal': {
    amount_received: amounts(6),
    currency_receive_code: anyCurrency,
    group_id: name,
    address: wallet,
    notes: words(500),
  },
  '/v2/crossramp_checkout/{id}/refund': { amount: brlAmount },
  '/v2/onramp/{id}/refund': { amount: brlAmount },
  '/v2/crossramp_checkout/{id}/identity': clientMembers,
  '/v2/onramp/{id}/identity': clientMembers,
  '/v2/offramp/{id}/identity': { ...clientMembers, pix_key: pixKey, pix_key_type: pixKeyType },
  '/v2/crossramp_checkout/{id}/approve': { requested_at: requestedAt },
  '/v2/onramp/{id}/approve': { requested_at: requestedAt },
  '/v2/offramp/{id}/approve': { requested_at: requestedAt },
  '/v2/offramp/{id}/refund': { address: NOT_TEXT },
  '/v2/offramp/{id}/resolve': {
    action: [
      ...NOT_TEXT,
      ...quoted(['Keep', 'cancel', 'keep ', '\0', 'toString'], /^must be one of keep, refund, requote$/),
    ],
    address: NOT_TEXT,
  },
  '/v2/sandbox/trigger': {
    scenario: [
      ...NOT_TEXT,
      ...quoted(['Pay', 'nothing', 'toString', '\0', '\ud800'], /^must be one of pay, /),
    ],
    end2end: NOT_TEXT,
    amount: brlAmount,
  },
  '/v2/sandbox/clock': {
    advance: [
      ...NOT_TEXT,
      ...quoted(
        ['90', 's', '1 h', '1.5h', '-1s', '+1s', '1H', '１s', '1w', '1s ', '1000000d', '\0'],
        /^must be a duration such as 90s, 30m, 2h or 1d/,
      ),
      ...quoted(['999999d'], /^must be a duration .* of at most/),
    ],
  },
  '/v2/sandbox/fund': {
    currency: [...NOT_TEXT, ...quoted(UNKNOWN_CURRENCIES, /^must be one of BRL, USDT_TRX, /), ...AMBIGUOUS],
    amount: brlAmount,
  },
};
/** Members that have to be there, and what is said when they are not. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  '/v2/crossramp_checkout': ['currency_exit_received_code'],
  '/v2/onramp': ['amount_payment', 'currency_exit_received_code', 'client_name', 'client_tax_id'],
  '/v2/offramp': [
    ...['amount_paid', 'currency_entry_paid_code', 'pix_key', 'pix_key_type', 'client_name', 'client_tax_id'],
  ],
  '/v2/withdrawal': ['amount_received', 'currency_receive_code', 'group_id'],
  '/v2/offramp/{id}/resolve': ['action'],
  '/v2/crossramp_checkout/{id}/identity': ['client_name', 'client_tax_id'],
  '/v2/onramp/{id}/identity': ['client_name', 'client_tax_id'],
  '/v2/offramp/{id}/identity': ['client_name', 'client_tax_id', 'pix_key', 'pix_key_type'],
  '/v2/sandbox/trigger': ['scenario', 'end2end'],
  '/v2/sandbox/clock': ['advance'],
  '/v2/sandbox/fund': ['currency', 'amount'],
};
/** Of the two amounts of an order one is given: a bad one takes the place of the other. */
const INSTEAD_OF: Readonly<Record<string, string>> = {
  amount_received: 'amount_payment',
  amount_sent: 'amount_paid',
};
/** A scenario that takes an amount. */
const BESIDE: Readonly<Record<string, Members>> = { '/v2/sandbox/trigger': { scenario: 'pay-over' } };

/** A member of the body of a route. */
interface Cell {
  readonly path: string;
  readonly route: string;
  readonly member: string;
}
/** Members of records besides transactions: rest-records.test.ts. */
const MOVING = WRITES.filter(({ isRecord }) => !isRecord);
const CELLS = MOVING.flatMap(({ path, route, shape }) =>
  Object.keys(shape).map((member): Cell => ({ path, route, member })),
);
const refusedBy = ({ route, member }: Cell) => REFUSED[route]?.[member] ?? [];

/** A good body with a member replaced by a token; `undefined` leaves it out. */
function bodyWith(route: string, member: string, token: string | undefined): string {
  const members: Record<string, unknown> = { ...BODIES[route], ...BESIDE[route] };
  const sibling = route === '/v2/withdrawal' ? undefined : INSTEAD_OF[member];
  const kept = Object.entries(members).filter(([name]) => name !== member && name !== sibling);
  const texts = kept.map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
  return `{${[...texts, ...(token === undefined ? [] : [`"${member}":${token}`])].join(',')}}`;
}

/** What a problem names, each once, in order. */
function violatedBy({ json }: Answer): string[] {
  const names = (json.violations ?? []).map(({ parameter }: { parameter: string }) => parameter);
  return [...new Set<string>(names)];
}

/** Under a key of its own, which must not be kept either. */
function post(app: TestApp, path: string, body: string): Promise<Answer> {
  return app.post(path, body, { headers: { 'idempotency-key': randomUUID() } });
}

/** Of values that a member must not take, those that are not refused in their own words, with what is said instead. */
async function notRefused(app: TestApp, cell: Cell, bad: readonly Bad[]): Promise<string[]> {
  const { path, route, member } = cell;
  const wrong: string[] = [];
  for (const [token, message, code = 'INVALID_PARAMETER'] of bad) {
    const answer = await post(app, path, bodyWith(route, member, token));
    const said: string = answer.json.violations?.[0]?.message ?? '';
    const isRefused = answer.status === 400 && answer.json.code === code && message.test(said);
    const isNamed = String(violatedBy(answer)) === member && answer.json.detail.includes(member);
    if (!isRefused || !isNamed)
      wrong.push(
        `${token.slice(0, 60)}: ${answer.status} ${answer.json.code} ${violatedBy(answer)}: ${said.slice(0, 99)}`,
      );
  }
  return wrong;
}

describe('posted bodies', () => {
  const app = useApp();
  let before: Record<string, number>;
  beforeEach(async () => {
    before = await rowCounts(app);
  });
  afterEach(async () => {
    expect(await rowCounts(app)).toEqual(before);
  });
  const expectProblem = (answer: Answer, status: number, code: string) => {
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ status, type: `${app.baseUrl}/errors/${code}` });
    expect(answer.json.request_id).toBe(answer.headers.get('x-request-id'));
  };
  it('contract 4: there is an expectation for every member of every body', () => {
    expect(CELLS.filter((cell) => refusedBy(cell).length === 0)).toEqual([]);
  });

  it.each(CELLS)('C-50: $route names $member when it is bad, with the accepted form', async (cell) => {
    expect(await notRefused(app, cell, refusedBy(cell))).toEqual([]);
  });

  it.each(
    MOVING.flatMap((target) => (REQUIRED[target.route] ?? []).map((member) => ({ ...target, member }))),
  )('contract 4: $route requires $member: absent, null or empty', async ({ path, route, member }) => {
    for (const token of [undefined, 'null', '""']) {
      const answer = await post(app, path, bodyWith(route, member, token));
      expectProblem(answer, 400, 'INVALID_PARAMETER');
      expect([token, violatedBy(answer)]).toEqual([token, [member]]);
      expect(answer.json.violations[0].message).toMatch(/^is required/);
    }
  });

  it.each(
    MOVING.filter(({ route }) => REQUIRED[route]),
  )('C-50: $route names all that is missing at once, also for no body at all', async ({ path, route }) => {
    for (const body of ['{}', '']) {
      const answer = await post(app, path, body);
      expectProblem(answer, 400, 'INVALID_PARAMETER');
      expect(violatedBy(answer).toSorted()).toEqual(REQUIRED[route]?.toSorted());
      for (const member of REQUIRED[route] ?? []) expect(answer.json.detail).toContain(member);
    }
  });

  it.each(
    MOVING.filter(({ shape }) => Object.keys(shape).length > 0),
  )('C-50: $route names every member of a wrong type at once', async ({ path, shape }) => {
    const all = Object.fromEntries(Object.keys(shape).map((member) => [member, []]));
    const answer = await post(app, path, JSON.stringify(all));
    expectProblem(answer, 400, 'INVALID_PARAMETER');
    expect(violatedBy(answer).toSorted()).toEqual(Object.keys(shape).toSorted());
  });

  it.each(
    MOVING.filter(({ route }) => REQUIRED[route]),
  )('C-50: $route says what is wrong with a member once', async ({ path, shape }) => {
    const all = Object.fromEntries(Object.keys(shape).map((member) => [member, []]));
    const { json } = await post(app, path, JSON.stringify(all));
    const messages = json.violations.map(({ parameter, message }: Record<string, string>) => [
      parameter,
      message,
    ]);
    expect(messages.map(([parameter]: string[]) => parameter).toSorted()).toEqual(
      Object.keys(shape).toSorted(),
    );
  });

  it.each(CELLS)('C-50: the message of $route about $member continues its name', async (cell) => {
    // The first of every kind of refusal.
    const kinds = new Map(refusedBy(cell).map(([token, message]) => [String(message), token]));
    for (const token of kinds.values()) {
      const { json } = await post(app, cell.path, bodyWith(cell.route, cell.member, token));
      for (const { message } of json.violations) expect(message).toMatch(/^(must|is|names) /);
    }
  });

  const badClient = { client_name: '\n', client_tax_id: '52998224726' };
  const badSession = {
    external_code: '\0',
    return_url: 'x',
    webhook: 'javascript:alert(1)',
    expires_in: 1,
  };
  const badIn = { amount_payment: '1e2', currency_exit_received_code: 'XXX', ...badClient, ...badSession };
  const badOut = { amount_sent: 0, currency_entry_paid_code: 'XXX', pix_key_type: 'evp', from: 'x' };
  it.each([
    ['/v2/crossramp_checkout', badIn, {}],
    // Whether these are good depends on others that are not.
    ['/v2/onramp', badIn, { wallet: 'x' }],
    ['/v2/offramp', { ...badOut, ...badClient, ...badSession }, { pix_key: 'x' }],
    [
      '/v2/withdrawal',
      { amount_received: -1, currency_receive_code: 'XXX', group_id: '\0', notes: '\n' },
      { address: 'x' },
    ],
  ])('C-50: %s names everything that is bad at once', async (path, bad, open) => {
    const answer = await post(app, path, JSON.stringify({ ...bad, ...open }));
    expectProblem(answer, 400, 'INVALID_PARAMETER');
    expect(violatedBy(answer).toSorted()).toEqual(Object.keys(bad).toSorted());
  });

  it('C-50: an ambiguous currency is reported with other bad members', async () => {
    const body = { ...BODIES['/v2/onramp'], currency_exit_received_code: 'USDT', expires_in: 1 };
    const answer = await post(app, '/v2/onramp', JSON.stringify(body));
    expectProblem(answer, 400, 'INVALID_PARAMETER');
    expect(violatedBy(answer).toSorted()).toEqual(['currency_exit_received_code', 'expires_in']);
  });

  it.each([
    ['/v2/crossramp_checkout', 'amount_payment', 'amount_received'],
    ['/v2/onramp', 'amount_payment', 'amount_received'],
    ['/v2/offramp', 'amount_paid', 'amount_sent'],
  ])('contract 4: %s takes %s or %s, never both', async (route, first, second) => {
    const body = { ...BODIES[route], [first]: '100', [second]: '10' };
    const answer = await post(app, route, JSON.stringify(body));
    expectProblem(answer, 400, 'INVALID_PARAMETER');
    expect(violatedBy(answer)).toEqual([second]);
    expect(answer.json.violations[0].message).toBe(`must not be given together with ${first}`);
  });

  it.each([
    ['cpf', ['ana@example.com', '+5511987654321', '52998224726', '11222333000181', '529982247', '']],
    ['cnpj', ['52998224725', '11222333000182', '12ABC34501DE36', '1122233300018']],
    ['email', ['52998224725', 'ana', '"a b"@example.com', 'ána@example.com']],
    [
      'phone',
      ['+5511 8765-432', '+5520987654321', '+15551234567', '11 3333-4444', '987654321', 'ana@example.com'],
    ],
    [
      'random',
      ['52998224725', '123e4567-e12b-12d1-a456-42665544000', '123e4567e12b12d1a456426655440000', 'x'],
    ],
  ])('contract 4: a PIX key that is none of its type %s is named', async (pix_key_type, keys) => {
    for (const pix_key of keys) {
      const body = { ...BODIES['/v2/offramp'], pix_key_type, pix_key };
      const answer = await post(app, '/v2/offramp', JSON.stringify(body));
      expect.soft([pix_key, answer.status, violatedBy(answer)]).toEqual([pix_key, 400, ['pix_key']]);
      const form =
        pix_key === '' ? /^is required/ : { cpf: /^must be a CPF/, cnpj: /^must be a CNPJ/ }[pix_key_type];
      expect
        .soft([pix_key, answer.json.violations?.[0]?.message])
        .toEqual([
          pix_key,
          expect.stringMatching(form ?? /^must be an? (email|Brazilian mobile phone|UUID)/),
        ]);
    }
  });

  const ZERO_EVM = `0x${'0'.repeat(40)}`;
  const ON_EVM = /0x and 40 hexadecimal digits/;
  it.each([
    ['ETH_ETH', TRON, ON_EVM],
    ['USDT_ETH', SOLANA, ON_EVM],
    ['USDC_BASE', BECH32, ON_EVM],
    ['USDT_POLYGON', EVM.replace('B', 'b'), ON_EVM],
    ['USDT_BSC', EVM.slice(2), ON_EVM],
    ['USDT_BSC', EVM.slice(0, -1), ON_EVM],
    ['USDC_ETH', 'vitalik.eth', ON_EVM],
    ['USDT_ETH', ZERO_EVM, /^must not be a burn/],
    ['USDT_POLYGON', `0x${'0'.repeat(36)}dEaD`, /^must not be a burn/],
    ['USDC_ETH', '0xdac17f958d2ee523a2206206994597c13d831ec7', /^must not be the contract of USDT_ETH/],
    ['USDC_BASE', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', /^must not be the contract of USDC_BASE/],
    ['USDT_BSC', '0xdAC17F958D2ee523a2206206994597C13D831ec7', /^must not be the contract of USDT_ETH/],
    ['ETH_ETH', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', /^must not be a placeholder/],
    ['USDT_SOL', EVM, /32 to 44 characters of base58/],
    ['USDC_SOL', TRON, /32 to 44 characters of base58/],
    ['USDC_SOL', SOLANA, /^must not be the contract of USDC_SOL/],
    ['USDT_SOL', '11111111111111111111111111111111', /^must not be the Solana system program/],
    ['BTC_BTC', EVM, /of Bitcoin mainnet/],
    ['BTC_BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', /of Bitcoin mainnet/],
    ['BTC_BTC', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', /of Bitcoin mainnet/],
    ['BTC_BTC', `${BECH32.slice(0, -1)}p`, /of Bitcoin mainnet/],
    ['BTC_BTC', '1BitcoinEaterAddressDontSendf59kuE', /^must not be a burn/],
    ['TRX_TRX', EVM, /T and 33 characters/],
    ['TRX_TRX', TRON_ZERO, /^must not be a burn/],
  ])('contract 4: nothing is sent as %s to %s', async (currency, address, message) => {
    const onramp = { ...BODIES['/v2/onramp'], currency_exit_received_code: currency, wallet: address };
    const withdrawal = { ...BODIES['/v2/withdrawal'], currency_receive_code: currency, address };
    for (const [path, body, member] of [
      ['/v2/onramp', onramp, 'wallet'],
      ['/v2/withdrawal', withdrawal, 'address'],
    ] as const) {
      const answer = await post(app, path, JSON.stringify(body));
      expectProblem(answer, 400, 'INVALID_PARAMETER');
      expect(violatedBy(answer)).toEqual([member]);
      expect(answer.json.violations[0].message).toMatch(message);
    }
  });
});

describe('values that must not be repaired', () => {
  const app = useApp();
  const URLS_OF = CELLS.filter(({ member }) => member === 'return_url' || member === 'webhook');

  it.each(URLS_OF)('C-63: $route accepts no $member that only a lenient reader understands', async (cell) => {
    expect(await notRefused(app, cell, quoted(REPAIRED_URLS, /^must be an https URL/))).toEqual([]);
  });

  it.each(URLS_OF)('C-50: $route accepts no $member that is not a text', async (cell) => {
    const bad = quoted(['https://shop.example/\ud800', 'https://\udfff.example/'], /^must be /);
    expect(await notRefused(app, cell, bad)).toEqual([]);
  });

  it.each(
    CELLS.filter(({ member }) => member === 'expires_in'),
  )('C-13: $route takes no leading zeros in expires_in', async (cell) => {
    expect(await notRefused(app, cell, quoted(['060', '0060', '0001800'], /^must be an integer/))).toEqual(
      [],
    );
  });

  it.each([
    ['/v2/sandbox/fund', 'no account holds', {}],
    ['/v2/sandbox/trigger', 'nobody pays', { scenario: 'pay-over' }],
  ])('C-50: %s takes no amount that %s', async (path, _what, scenario) => {
    for (const amount of ['1e80', '1e90', '1e9000']) {
      const { json } = await app.post('/v2/onramp', BODIES['/v2/onramp']);
      const { amount: _, ...body }: Record<string, unknown> = { ...BODIES[path], ...scenario };
      if ('end2end' in body) body.end2end = json.end2end;
      const answer = await app.post(path, JSON.stringify(body).replace(/}$/, `,"amount":${amount}}`));
      expect([amount, answer.status, violatedBy(answer)]).toEqual([amount, 400, ['amount']]);
    }
  });
});

describe('the sandbox', () => {
  const app = useApp();

  it('C-13: a trigger names everything that is wrong with its input, before the transaction is looked up', async () => {
    const wrong = { scenario: 'nothing', end2end: 'CRX', amount: '-1' };
    const answer = await app.post('/v2/sandbox/trigger', wrong);
    expect([answer.status, violatedBy(answer)]).toEqual([400, ['scenario', 'amount']]);
    const { json } = await app.post('/v2/onramp', BODIES['/v2/onramp']);
    const own = await app.post('/v2/sandbox/trigger', { ...wrong, end2end: json.end2end });
    expect([own.status, violatedBy(own)]).toEqual([400, ['scenario', 'amount']]);
  });

  it('a funding is answered with journal_id, and with its older name', async () => {
    const { status, json } = await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '1' });
    expect(status).toBe(200);
    expect(json).toEqual({
      journal_id: expect.any(String),
      journalId: json.journal_id,
      currency: 'BRL',
      amount: '1',
    });
    const { paths } = (await app.get('/v2/openapi.json')).json;
    expect(JSON.stringify(paths['/v2/sandbox/fund'])).toContain('"journal_id"');
  });
});

describe('amounts out of limits', () => {
  const app = useApp();

  it.each([
    ['/v2/crossramp_checkout', { amount_payment: '0.99' }],
    ['/v2/onramp', { amount_payment: '0.99' }],
    ['/v2/onramp', { amount_payment: '50000.01' }],
    ['/v2/onramp', { amount_payment: '9'.repeat(40) }],
    ['/v2/onramp', { amount_payment: undefined, amount_received: '0.000001' }],
    ['/v2/onramp', { amount_payment: undefined, amount_received: '9300' }],
    ['/v2/onramp', { amount_payment: undefined, amount_received: '9'.repeat(40) }],
    ['/v2/onramp', { amount_payment: 5, wallet: TRON }],
    ['/v2/offramp', { amount_paid: '0.000001', from: 'external' }],
    ['/v2/offramp', { amount_paid: '20000', from: 'external' }],
    ['/v2/offramp', { amount_paid: undefined, amount_sent: '0.99' }],
    ['/v2/offramp', { amount_paid: undefined, amount_sent: '50000.01' }],
  ] as const)('C-21: %s %j is LIMIT_EXCEEDED, and nothing is stored', async (path, change) => {
    const before = await rowCounts(app);
    const answer = await app.post(path, { ...BODIES[path], ...change });
    expect([answer.status, answer.json.code]).toEqual([422, 'LIMIT_EXCEEDED']);
    expect(answer.json.detail).toMatch(/1 to 50000 BRL|does not cover/);
    expect(await rowCounts(app)).toEqual(before);
  });
});

describe('bodies and ids that are none', () => {
  const app = useApp();
  let before: Record<string, number>;
  let stranger: string;
  beforeAll(async () => {
    stranger = (await app.addAccount()).apiKey;
  });
  beforeEach(async () => {
    before = await rowCounts(app);
  });
  afterEach(async () => {
    expect(await rowCounts(app)).toEqual(before);
  });
  /** Bytes as they are; without a media type when it is null. */
  const send = async (path: string, body: Uint8Array | string, type: string | null = 'application/json') => {
    const response = await fetch(app.baseUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${path === '/v2/sandbox/clock' ? app.platformKey : app.apiKey}`,
        'idempotency-key': randomUUID(),
        ...(type !== null && { 'content-type': type }),
      },
      body: new Uint8Array(Buffer.from(body)),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    const json: any = await response.json();
    return { status: response.status, code: json.code as string, detail: json.detail as string };
  };
  const bytes = (route: string) => JSON.stringify(BODIES[route] ?? {});

  it.each(WRITES)('C-50: $route accepts only a JSON object', async ({ route, path }) => {
    const good = bytes(route);
    const notJson = [
      ...[
        '{',
        '}',
        'x',
        ' ',
        '{"a":1,}',
        "{'a':1}",
        '{a:1}',
        '{"a":NaN}',
        '{"a":+1}',
        '{"a":01}',
        '{"a":.5}',
      ],
      ...[
        '{"a":0x1}',
        '{"a":"\n"}',
        '{"a":1}{}',
        '{"a":1} x',
        '// x\n{}',
        `${good.slice(0, -1)}`,
        'amount=1',
      ],
      ...['['.repeat(200), `${'{"a":'.repeat(200)}`, '\u0000', `{"a":1}\0`],
    ];
    for (const body of notJson)
      expect([body.slice(0, 20), await send(path, body)]).toEqual([
        body.slice(0, 20),
        { status: 400, code: 'BAD_REQUEST', detail: 'the body is not JSON' },
      ]);
    for (const body of ['[]', '[{}]', 'null', 'true', '1', '"x"', `[${good}]`, JSON.stringify(good)])
      expect([body, await send(path, body)]).toEqual([
        body,
        { status: 400, code: 'BAD_REQUEST', detail: 'the body must be a JSON object' },
      ]);
    for (const body of ['['.repeat(300_000), `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`])
      expect(await send(path, body)).toEqual({
        status: 400,
        code: 'BAD_REQUEST',
        detail: 'lists and objects must nest at most 200 deep',
      });
  });

  it.each(WRITES)('C-50: $route accepts only UTF-8', async ({ route, path }) => {
    const good = Buffer.from(bytes(route));
    const latin = Buffer.from('{"client_name":"Concei\xe7\xe3o"}', 'latin1');
    const surrogate = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]);
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(String(good), 'utf16le')]);
    for (const body of [latin, surrogate, utf16, Buffer.from([0xc0, 0x80]), Buffer.from([0x7b, 0xff, 0x7d])])
      expect(await send(path, body)).toEqual({
        status: 400,
        code: 'BAD_REQUEST',
        detail: 'the body is not UTF-8',
      });
  });

  it.each(WRITES)('C-51: $route accepts only application/json', async ({ route, path }) => {
    const types = [
      ...['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
      ...['application/jsonx', 'application/json-patch+json', 'application/problem+json', 'json', null],
    ];
    for (const type of types) {
      const { status, code } = await send(path, bytes(route), type);
      expect([type, status, code]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it.each(WRITES)('C-51: $route reads 1 MiB, not a byte more', async ({ route, path }) => {
    const { status, code } = await send(path, bytes(route).padEnd(1_048_577));
    expect([status, code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const read = await send(path, '{"scenario":[],"action":[],"advance":[],"amount":[]}'.padEnd(1_048_576));
    expect(read.status).not.toBe(413);
  });

  it.each(
    MOVING.filter(({ route }) => route.includes('{id}')),
  )('C-15: $route answers the same 404 for every id that it does not have', async ({ route }) => {
    const single = route.split('/')[2] as string;
    const others = Object.entries(IDS).flatMap(([family, id]) => (family === single ? [] : [id]));
    const post = (id: string, key?: string) =>
      app.post(route.replace('{id}', id), BODIES[route] ?? {}, key ? { key } : {});
    const reference = await post('nobody');
    expect([reference.status, reference.json.code]).toEqual([404, 'NOT_FOUND']);
    const own = IDS[single] as string;
    const answers = [
      ...(await Promise.all(
        [...others, '%ff', '%00', 'x'.repeat(201), own.toLowerCase()].map((id) => post(id)),
      )),
      await post(own, stranger),
    ];
    for (const { status, json } of answers)
      expect([status, { ...json, request_id: '' }]).toEqual([404, { ...reference.json, request_id: '' }]);
  });

  it('C-50: a scenario is not played on a transaction of another account', async () => {
    for (const end2end of ['nobody', 'x'.repeat(201), 'a\0b', '\ud800']) {
      const { status, json } = await app.post('/v2/sandbox/trigger', { scenario: 'pay', end2end });
      expect([end2end, status, json.code]).toEqual([end2end, 404, 'NOT_FOUND']);
    }
  });

  it.each(['', 'a b', ' ', 'é', 'x'.repeat(256)])('C-52: the Idempotency-Key "%s" is none', async (key) => {
    const response = await fetch(`${app.baseUrl}/v2/onramp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: bytes('/v2/onramp'),
    });
    const { code, violations } = (await response.json()) as {
      code: string;
      violations: { parameter: string }[];
    };
    expect([response.status, code, violations.map(({ parameter }) => parameter)]).toEqual([
      400,
      'INVALID_PARAMETER',
      ['Idempotency-Key'],
    ]);
  });
});

describe('a deposit that is held', () => {
  const app = useApp();

  it.each([
    ['an address of another network', EVM, /T and 33 characters/],
    ['a contract', TRON_CONTRACT, /^must not be the contract of USDT_TRX/],
    ['the zero address', TRON_ZERO, /^must not be a burn/],
  ])('contract 4: is not sent back to %s', async (_what, address, message) => {
    const body = { amount_paid: 10, currency_entry_paid_code: 'USDT_TRX', ...PAYEE, from: 'external' };
    const { json } = await app.post('/v2/offramp', body);
    const path = `/v2/offramp/${json.end2end}`;
    const wrong = { scenario: 'deposit-wrong', end2end: json.end2end };
    expect((await app.post('/v2/sandbox/trigger', wrong)).status).toBe(200);
    const held = await app.get(path);
    const before = await rowCounts(app);
    for (const [action, request] of [
      ['refund', { address }],
      ['resolve', { action: 'refund', address }],
    ] as const) {
      const answer = await app.post(`${path}/${action}`, request);
      expect([answer.status, violatedBy(answer)]).toEqual([400, ['address']]);
      expect(answer.json.violations[0].message).toMatch(message);
    }
    expect(await rowCounts(app)).toEqual(before);
    expect((await app.get(path)).text).toBe(held.text);
  });
});

describe('the bodies that are varied above', () => {
  const app = useApp();

  it('are otherwise valid: every refusal above is about its own member', async () => {
    for (const { route, path } of MOVING.filter((target) => !target.route.includes('{id}'))) {
      const { status, json } = await app.post(path, BODIES[route]);
      const isEnded = route === '/v2/sandbox/trigger';
      const isUnlisted = route === '/v2/withdrawal';
      const expected = isEnded ? 'STEP_CONFLICT' : isUnlisted ? 'ADDRESS_NOT_WHITELISTED' : undefined;
      expect([route, json.code]).toEqual([route, expected]);
      expect([200, 201, 409, 422]).toContain(status);
    }
  });
});

/**
 * Goal: what is posted to `/v2` is made as asked for, priced as the rule says, and answered as it is read afterwards
 * (contract 4, C-1, C-3, C-9, C-21, C-22, C-52, C-61).
 *
 * Method: over HTTP to the real application with its worker on sandbox rails. Prices are computed again here, in whole
 * numbers, from the digits of the answer; answers and events are compared as text; the QR image is read by a decoder.
 */
import { pino } from 'pino';
import { decodeQR } from 'qr/decode.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { CURRENCIES, type Currency } from '../../src/base/money/currency.ts';
import { decodeBrCode } from '../../src/base/pix/br-code.ts';
import { reportingRates } from '../../src/resolvers/pricing/price.ts';
import type { Rails } from '../../src/resolvers/services/rails.ts';
import { type Answer, useApp } from '../support/app.ts';
import { useOneDay } from '../support/one-day.ts';
import { BECH32, CNPJ, EVM, type Members, type TemplateName, TRON } from '../support/records.ts';
import {
  ATTRIBUTE_KEYS,
  BODIES,
  CUSTOMER,
  ENVELOPE_KEYS,
  eventsOf,
  GROUP,
  IDS,
  PAYEE,
  rowCounts,
  tokenOf,
  whitelist,
} from '../support/rest-routes.ts';

/** A wallet on each network that anything may be sent to. */
const WALLETS: Readonly<Record<string, string>> = {
  TRX: TRON,
  ...{ ETH: EVM, POLYGON: EVM, BASE: EVM, BSC: EVM },
  SOL: '4SQPTUiH6fpo5CG6qWaAVeb7h25Q15CF3ZhnKduTZ1TW',
  BTC: BECH32,
};
const CRYPTO = CURRENCIES.filter(({ network }) => network !== '');

/** A CPF that no other call gives: limits are counted by customer. */
function newCpf(): string {
  lastCpf += 1;
  let digits = String(lastCpf);
  for (const weight of [10, 11]) {
    let total = 0;
    for (let at = 0; at < digits.length; at++) total += Number(digits[at]) * (weight - at);
    digits += ((total * 10) % 11) % 10;
  }
  return digits;
}
let lastCpf = 123_456_000;
const customer = () => ({ client_name: 'Ana Souza', client_tax_id: newCpf() });

/** The envelope of a creation: its answer without the members that stand behind it. */
function envelopeOf({ text, json }: Answer): string {
  const [extra] = Object.keys(json).slice(ENVELOPE_KEYS.length);
  return extra ? `${text.slice(0, text.lastIndexOf(`,"${extra}":`))}}` : text;
}

/** Checks that an answer is a creation: 201, the envelope, and these members behind it, in this order. */
function expectCreated(answer: Answer, template: TemplateName, extras: readonly string[]): void {
  expect([answer.status, answer.json.code, answer.json.violations]).toEqual([201, undefined, undefined]);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(answer.json)).toEqual([...ENVELOPE_KEYS, ...extras]);
  expect(Object.keys(answer.json.attributes)).toEqual(ATTRIBUTE_KEYS[template]);
  expect(answer.json.template).toBe(template);
  expect(answer.json.error_message).toEqual({ en: '', pt: '' });
}

/** Path of a transaction that was answered with. */
const pathOf = ({ json }: Answer): string => {
  const { template, end2end } = json as { template: TemplateName; end2end: string };
  const single = template === 'withdraw_dash_same_curr' ? 'withdrawal' : template.replace('_instant', '');
  return `/v2/${single}/${end2end}`;
};

/** An image of square modules, as a decoder takes it: RGBA, eight pixels a module. */
function rasterised(svg: string): { width: number; height: number; data: Uint8Array } {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]) * 8;
  const data = new Uint8Array(side * side * 4).fill(255);
  let [left, top] = [0, 0];
  for (const [, move, x, y] of svg.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)h1v1[hH]-?\d+[zZ]/g)) {
    [left, top] = move === 'M' ? [Number(x), Number(y)] : [left + Number(x), top + Number(y)];
    for (let row = 0; row < 8; row++) {
      for (let column = 0; column < 8; column++) {
        const at = ((top * 8 + row) * side + left * 8 + column) * 4;
        data.fill(0, at, at + 3);
      }
    }
  }
  return { width: side, height: side, data };
}

useOneDay();

describe('creations', () => {
  const app = useApp();

  beforeAll(async () => {
    for (const { code } of [...CRYPTO, { code: 'BRL' }])
      await app.post('/v2/sandbox/fund', { currency: code, amount: 10_000 });
    await whitelist(app, app.accountId, GROUP, [{ network: 'TRX', target: TRON }]);
    await whitelist(app, app.accountId, 'wl-pix', [{ pixKeyType: 'email', target: 'ana@example.com' }]);
    await whitelist(app, app.accountId, 'wl-many', [
      { network: 'TRX', target: TRON },
      { network: 'TRX', target: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD' },
      { network: 'ETH', target: EVM },
    ]);
  });

  /** What is asked for: template, members behind the envelope, body, attributes that are known from it. */
  const asked: readonly (readonly [what: string, TemplateName, string[], string, Members, Members])[] = [
    [
      'a checkout without an amount',
      'crossramp_checkout',
      ['payment_link'],
      '/v2/crossramp_checkout',
      { currency_exit_received_code: 'USDT_TRX' },
      {
        ...{ quote: null, ref_quote: null, fees: null, amount_payment: null, amount_received: null },
        ...{
          currency_entry: 'BRL',
          currency_exit_received: 'USDT (TRX)',
          currency_exit_received_code: 'USDT',
        },
        ...{
          pix_e2e: '',
          client_name: '',
          client_tax_id: '',
          return_url: '',
          external_code: '',
          webhook: '',
        },
      },
    ],
    [
      'a checkout of an amount to be paid',
      'crossramp_checkout',
      ['payment_link'],
      '/v2/crossramp_checkout',
      { currency_exit_received_code: 'USDT_TRX', amount_payment: 100 },
      { amount_payment: 100, client_name: '', client_tax_id: '' },
    ],
    [
      'a checkout of an amount to be received, with all that a session may have',
      'crossramp_checkout',
      ['payment_link'],
      '/v2/crossramp_checkout',
      {
        ...{ currency_exit_received_code: 'ETH', amount_received: '0.005', client_name: ' Ana Souza ' },
        ...{ client_tax_id: '12.abc.345/01de-35', external_code: 'Ordem nº 7 – “São João” 😀 </script>' },
        ...{
          return_url: 'https://shop.example/thanks?order=7#top',
          webhook: 'https://hooks.example/crossramp',
        },
      },
      {
        ...{ amount_received: 0.005, client_name: 'Ana Souza', client_tax_id: CNPJ },
        ...{ currency_exit_received: 'ETH (ETH)', currency_exit_received_code: 'ETH' },
        external_code: 'Ordem nº 7 – “São João” 😀 </script>',
        return_url: 'https://shop.example/thanks?order=7#top',
        webhook: 'https://hooks.example/crossramp',
      },
    ],
    [
      'an onramp to the balance',
      'onramp',
      ['pix_copy_paste', 'pix_qr_svg_url'],
      '/v2/onramp',
      { currency_exit_received_code: 'BTC', amount_payment: '100.00', ...CUSTOMER },
      {
        ...{ amount_payment: 100, fees: 1, currency_exit_received: 'BTC (BTC)', template: 'onramp' },
        ...CUSTOMER,
      },
    ],
    [
      'an onramp to a wallet',
      'onramp_instant',
      ['pix_copy_paste', 'pix_qr_svg_url'],
      '/v2/onramp',
      {
        ...{ currency_exit_received_code: 'USDC_BASE', amount_payment: 100, wallet: EVM.toLowerCase() },
        ...CUSTOMER,
      },
      { wallet: EVM, tx_hash: '', template: 'onramp_instant', currency_exit_received: 'USDC (BASE)' },
    ],
    [
      'an offramp from the balance',
      'offramp',
      [],
      '/v2/offramp',
      { currency_entry_paid_code: 'USDT_TRX', amount_paid: 10, from: 'balance', ...PAYEE },
      {
        ...{ currency_exit: 'BRL', currency_entry_paid: 'USDT (TRX)', currency_entry_paid_code: 'USDT' },
        ...{ amount_paid: 10, ...PAYEE, pix_e2e: '' },
      },
    ],
    [
      'an offramp of a deposit, to a CPF',
      'offramp_instant',
      [],
      '/v2/offramp',
      {
        ...{ currency_entry_paid_code: 'USDT_TRX', amount_sent: '100', from: 'external' },
        ...{ ...PAYEE, pix_key: '529.982.247-25', pix_key_type: 'cpf' },
      },
      {
        ...{ amount_received: 100, currency_payment: 'USDT', currency_received: 'BRL', tx_hash: '' },
        ...{ deposit_currency: 'USDT_TRX', pix_key: '52998224725', pix_key_type: 'cpf' },
      },
    ],
    [
      'an offramp of a deposit with a link, to a phone',
      'offramp_instant',
      ['deposit_uri'],
      '/v2/offramp',
      {
        ...{ currency_entry_paid_code: 'USDT_ETH', amount_paid: '100', from: 'external' },
        ...{ ...PAYEE, pix_key: '(11) 98765-4321', pix_key_type: 'phone' },
      },
      {
        ...{ amount_payment: 100, amount_payment_display: '100 USDT (ETH)', deposit_currency: 'USDT_ETH' },
        pix_key: '+5511987654321',
      },
    ],
    [
      'a withdrawal to a wallet',
      'withdraw_dash_same_curr',
      [],
      '/v2/withdrawal',
      { currency_receive_code: 'USDT_TRX', amount_received: 10, group_id: GROUP, notes: ' caixa ' },
      {
        ...{ amount_received: 10, amount_discounted: 9, network_fee: '1', currency_received: 'USDT (TRX)' },
        ...{ currency_receive_code: 'USDT', address: TRON, tx_hash: '', explorer_url: '' },
        ...{ group_id: GROUP, notes: 'caixa' },
      },
    ],
    [
      'a withdrawal to one of several wallets',
      'withdraw_dash_same_curr',
      [],
      '/v2/withdrawal',
      {
        currency_receive_code: 'ETH',
        amount_received: '0.01',
        group_id: 'wl-many',
        address: EVM.toLowerCase(),
      },
      { amount_received: 0.01, currency_received: 'ETH (ETH)', address: EVM, group_id: 'wl-many', notes: '' },
    ],
    [
      'a withdrawal of BRL',
      'withdraw_dash_same_curr',
      [],
      '/v2/withdrawal',
      {
        currency_receive_code: 'BRL',
        amount_received: '10.50',
        group_id: 'wl-pix',
        address: 'ana@example.com',
      },
      {
        ...{ amount_received: 10.5, amount_discounted: 10.5, network_fee: '', currency_received: 'BRL' },
        ...{ currency_receive_code: 'BRL', address: 'ana@example.com' },
      },
    ],
  ];

  it.each(asked)('C-1: %s is answered with 201, the envelope and its further members', async (...row) => {
    const [, template, extras, path, body, attributes] = row;
    const answer = await app.post(path, body);
    expectCreated(answer, template, extras);
    expect(answer.json.attributes).toMatchObject(attributes);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(answer.headers.get('crossramp-ignored-parameters')).toBeNull();
  });

  it.each(
    asked,
  )('C-9, C-61: %s has an event for every step, each with its body at that time', async (...row) => {
    const [, template, , path, body] = row;
    const answer = await app.post(path, body);
    const { end2end } = answer.json;
    // What is read, once it rests, is what the newest event carries.
    await expect
      .poll(async () => {
        const { text } = await app.get(pathOf(answer));
        return (await eventsOf(app, end2end)).at(-1)?.payload === text;
      })
      .toBe(true);
    const events = await eventsOf(app, end2end);
    expect(events.map(({ payload }) => payload)).toContain(envelopeOf(answer));
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, index) => index + 1));
    for (const { name, payload } of events) {
      const { component, state, ...rest } = JSON.parse(payload);
      expect(name).toBe(`${template}.${component}.${state}`.toLowerCase());
      expect(rest).toMatchObject({ end2end, template, created_at: answer.json.created_at });
    }
    expect(new Set(events.map(({ name }) => name)).size).toBe(events.length);
  });

  it('C-61: an onramp moves to the charge, and no further by itself', async () => {
    const answer = await app.post('/v2/onramp', { ...BODIES['/v2/onramp'], ...customer() });
    const names = (await eventsOf(app, answer.json.end2end)).map(({ name }) => name);
    expect([names[0], names.at(-1)]).toEqual(['onramp.quote.quote', 'onramp.depositpix.qrcode']);
    expect(answer.json).toMatchObject({ component: 'depositpix', state: 'QRCODE' });
    expect((await app.get(pathOf(answer))).text).toBe(envelopeOf(answer));
  });

  it('contract 4: every onramp is answered with its PIX code, however many are created in parallel', async () => {
    const create = () => app.post('/v2/onramp', { ...BODIES['/v2/onramp'], ...customer() });
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, create));
      const unpayable = answers.filter(({ json }) => !json.pix_copy_paste || !json.pix_qr_svg_url);
      expect(unpayable.map(({ status, json }) => [status, json.component, json.state])).toEqual([]);
    }
    for (let one = 0; one < 40; one++) expect((await create()).json.pix_copy_paste).not.toBe('');
  });

  it('contract 4: every offramp of a deposit is answered with its address and exact amount', async () => {
    const body = { ...BODIES['/v2/offramp'], from: 'external' };
    for (let one = 0; one < 30; one++) {
      const { json } = await app.post('/v2/offramp', { ...body, ...customer() });
      expect(json).toMatchObject({ component: 'crypto_deposit', state: 'WAITING_DEPOSIT' });
      expect([json.attributes.deposit_address, json.attributes.exact_deposit_amount]).not.toContain('');
    }
  });

  it('contract 4: the PIX code is readable by banks, and different for every charge', async () => {
    const codes = new Set<string>();
    for (const amount_payment of ['1', '100.55', '9999.99']) {
      const { json } = await app.post('/v2/onramp', {
        ...BODIES['/v2/onramp'],
        amount_payment,
        ...customer(),
      });
      expect(decodeBrCode(json.pix_copy_paste)).toMatchObject({
        kind: 'dynamic',
        url: expect.stringMatching(/^[a-z0-9.-]+\/\S+$/),
        merchantName: expect.stringMatching(/\S/),
        merchantCity: expect.stringMatching(/\S/),
      });
      codes.add(json.pix_copy_paste);
    }
    expect(codes.size).toBe(3);
  });

  it('contract 4: the QR image needs no key, and reads as the PIX code', async () => {
    const { json } = await app.post('/v2/onramp', { ...BODIES['/v2/onramp'], ...customer() });
    expect(json.pix_qr_svg_url).toMatch(new RegExp(`^${app.baseUrl}/pay/[\\w-]{24}/qr\\.svg$`));
    const image = await fetch(json.pix_qr_svg_url);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(image.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    const svg = await image.text();
    expect(svg).not.toMatch(/<script|onload|href/i);
    expect(decodeQR(rasterised(svg))).toBe(json.pix_copy_paste);
    const head = await fetch(json.pix_qr_svg_url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const session = json.pix_qr_svg_url.split('/').at(-2) as string;
    const missing = ['x'.repeat(24), session.slice(1), `${session.slice(1)}x`, `${session}x`, '%00'];
    for (const token of missing)
      expect([token, (await fetch(`${app.baseUrl}/pay/${token}/qr.svg`)).status]).toEqual([token, 404]);
    const posted = await fetch(json.pix_qr_svg_url, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('contract 4: the payment link of a checkout is an unguessable URL of this instance', async () => {
    const links = new Set<string>();
    for (let one = 0; one < 5; one++) {
      const { json } = await app.post('/v2/crossramp_checkout', BODIES['/v2/crossramp_checkout']);
      expect(json.payment_link).toMatch(new RegExp(`^${app.baseUrl}/pay/[\\w-]{24}$`));
      links.add(json.payment_link);
    }
    expect(links.size).toBe(5);
  });

  it.each(
    CRYPTO.flatMap((currency) => [500, 25].map((amountSent) => ({ ...currency, amountSent }))),
  )('contract 4: an offramp of $amountSent BRL in $code has a deposit link where its network has a form of one', async ({
    code,
    network,
    decimals,
    amountSent,
  }) => {
    const body = {
      ...PAYEE,
      ...customer(),
      currency_entry_paid_code: code,
      amount_sent: amountSent,
      from: 'external',
    };
    const answer = await app.post('/v2/offramp', body);
    expectCreated(answer, 'offramp_instant', network === 'TRX' ? [] : ['deposit_uri']);
    const { attributes, deposit_uri } = answer.json;
    const { deposit_address, exact_deposit_amount } = attributes;
    expect(exact_deposit_amount).toMatch(/^\d+\.\d{6,18}$/);
    const minor = scaled(exact_deposit_amount, decimals);
    const paid = scaled(tokenOf(answer.text, 'amount_payment'), decimals);
    expect(minor).toBeGreaterThan(paid);
    // What tells deposits apart is small change: at most half a percent of the order, however small it is.
    expect((minor - paid) * 200n).toBeLessThanOrEqual(paid);
    const forms: Record<string, RegExp> = {
      ETH: new RegExp(`^ethereum:(${deposit_address}@1\\?value=${minor}|0x\\w{40}@1/transfer\\?address=.*)$`),
      POLYGON: new RegExp(`^ethereum:0x\\w{40}@137/transfer\\?address=${deposit_address}&uint256=${minor}$`),
      BASE: new RegExp(`^ethereum:0x\\w{40}@8453/transfer\\?address=${deposit_address}&uint256=${minor}$`),
      BSC: new RegExp(`^ethereum:0x\\w{40}@56/transfer\\?address=${deposit_address}&uint256=${minor}$`),
      SOL: new RegExp(`^solana:${deposit_address}\\?amount=[\\d.]+&spl-token=\\w+`),
      BTC: new RegExp(`^bitcoin:${deposit_address}\\?amount=${exact_deposit_amount.replace(/0+$/, '')}$`),
    };
    if (network !== 'TRX') expect(deposit_uri).toMatch(forms[network] as RegExp);
  });

  it.each([
    ['USDT_TRX', 'USDT (TRX)', 'USDT'],
    ['USDT (TRX)', 'USDT (TRX)', 'USDT'],
    ['USDC_POLYGON', 'USDC (POLYGON)', 'USDC'],
    ['USDC (POLYGON)', 'USDC (POLYGON)', 'USDC'],
    ['ETH_ETH', 'ETH (ETH)', 'ETH'],
    ['ETH', 'ETH (ETH)', 'ETH'],
    ['BTC', 'BTC (BTC)', 'BTC'],
    ['TRX (TRX)', 'TRX (TRX)', 'TRX'],
  ])('C-6: the currency may be written %s', async (written, displayName, asset) => {
    const bought = await app.post('/v2/crossramp_checkout', { currency_exit_received_code: written });
    expect(bought.json.attributes).toMatchObject({
      currency_exit_received: displayName,
      currency_exit_received_code: asset,
    });
    const sold = await app.post('/v2/offramp', {
      ...{ ...PAYEE, ...customer(), currency_entry_paid_code: written },
      ...{ amount_sent: 10, from: 'external' },
    });
    expect(sold.json.attributes).toMatchObject({
      currency_payment: asset,
      deposit_currency: CRYPTO.find((currency) => currency.displayName === displayName)?.code,
    });
  });

  it.each([
    ['550', '550'],
    ['5.5e2', '550'],
    ['5.5E+2', '550'],
    ['55000e-2', '550'],
    ['550.00', '550'],
    ['550.10', '550.1'],
    ['"550"', '550'],
    ['"550.1"', '550.1'],
    ['"550.10"', '550.1'],
    ['"550.100000000000000000"', '550.1'],
    ['1E0', '1'],
    ['0.1e2', '10'],
  ])('C-3: an amount of %s is %s', async (token, printed) => {
    const body = JSON.stringify({ ...BODIES['/v2/onramp'], ...customer(), amount_payment: 0 });
    const { text, json } = await app.post(
      '/v2/onramp',
      body.replace('"amount_payment":0', `"amount_payment":${token}`),
    );
    expect(json.code).toBeUndefined();
    expect(tokenOf(text, 'amount_payment')).toBe(printed);
  });

  it.each([
    ['0.012345678901234567', '0.012345678901234567'],
    ['12345678901234567e-18', '0.012345678901234567'],
    ['"0.012345678901234567"', '0.012345678901234567'],
    ['"0.010000000000000000"', '0.01'],
  ])('C-3: an amount of %s ETH loses no digit', async (token, printed) => {
    const members = { currency_exit_received_code: 'ETH', ...customer() };
    const body = JSON.stringify(members).replace('{', `{"amount_received":${token},`);
    const { text } = await app.post('/v2/crossramp_checkout', body);
    expect(tokenOf(text, 'amount_received')).toBe(printed);
  });

  it.each([
    ['nothing', undefined, 1_800],
    ['null', 'null', 1_800],
    ['an empty text', '""', 1_800],
    ['60', '60', 60],
    ['2592000', '2592000', 2_592_000],
    ['a text', '"3600"', 3_600],
    ['an exponent', '3.6e3', 3_600],
    ['a fraction of zero', '3600.0', 3_600],
  ])('contract 4: of expires_in: %s, the session ends after %s as seconds: %i', async (_what, token, seconds) => {
    const more = token === undefined ? '' : `,"expires_in":${token}`;
    for (const [path, members] of [
      ['/v2/crossramp_checkout', BODIES['/v2/crossramp_checkout']],
      ['/v2/onramp', BODIES['/v2/onramp']],
      ['/v2/offramp', { ...BODIES['/v2/offramp'], from: 'external' }],
    ] as const) {
      const body = JSON.stringify({ ...members, ...customer() }).replace(/}$/, `${more}}`);
      const start = Math.floor(Date.now() / 1_000) * 1_000;
      const { json } = await app.post(path, body);
      const end = Date.parse(json.attributes.expiration) - seconds * 1_000;
      expect(json.attributes.expiration).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect([end >= start, end <= Date.now()]).toEqual([true, true]);
    }
  });

  it('C-5: a null or empty member counts as omitted', async () => {
    const optional = ['external_code', 'return_url', 'webhook', 'expires_in', 'wallet', 'amount_received'];
    for (const empty of [null, '']) {
      const body = { ...BODIES['/v2/onramp'], ...Object.fromEntries(optional.map((name) => [name, empty])) };
      const answer = await app.post('/v2/onramp', { ...body, ...customer() });
      expectCreated(answer, 'onramp', ['pix_copy_paste', 'pix_qr_svg_url']);
    }
  });

  it('C-15: a created transaction is in its account’s list and in no other', async () => {
    const answer = await app.post('/v2/onramp', { ...BODIES['/v2/onramp'], ...customer() });
    const list = await app.get('/v2/onramps?limit=1');
    expect(list.text).toContain(envelopeOf(answer));
    const { apiKey } = await app.addAccount();
    expect((await app.get(pathOf(answer), { key: apiKey })).status).toBe(404);
    expect((await app.post(`${pathOf(answer)}/cancel`, {}, { key: apiKey })).status).toBe(404);
    expect((await app.post(`${pathOf(answer)}/cancel`)).json).toMatchObject({
      component: 'quote',
      state: 'CANCELLED',
    });
    expect((await app.post(`${pathOf(answer)}/cancel`)).json.code).toBe('STEP_CONFLICT');
  });
});

/** Minor units of a decimal as it stands in an answer. */
function scaled(token: string | undefined, decimals: number): bigint {
  const [whole = '', fraction = ''] = (token ?? '').split('.');
  if (fraction.length > decimals) throw new RangeError(`${token} has more than ${decimals} decimals`);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** A rate as a whole number of its last decimals, and how many there are. */
function rate(token: string | undefined): { num: bigint; den: bigint } {
  const decimals = (token ?? '').split('.')[1]?.length ?? 0;
  return { num: scaled(token, decimals), den: 10n ** BigInt(decimals) };
}

const ceilDivide = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;

describe('C-21: prices', () => {
  const app = useApp({ exactIntegers: true });
  /** Tokens of an answer. */
  const numbers = ({ text }: Answer) => ({
    quote: rate(tokenOf(text, 'quote')),
    refQuote: rate(tokenOf(text, 'ref_quote')),
    fees: scaled(tokenOf(text, 'fees'), 2),
  });
  const quoteIs = ({ quote, refQuote }: ReturnType<typeof numbers>, percent: bigint) =>
    expect(quote.num * refQuote.den * 100n).toBe(refQuote.num * quote.den * percent);

  /** Minor units received for cents paid: what is left of them after one percent, rounded up, at the quote. */
  const receivedFor = (
    cents: bigint,
    { quote: { num, den } }: ReturnType<typeof numbers>,
    { decimals }: Currency,
    networkFee: bigint,
  ) => ((cents - ceilDivide(cents, 100n)) * den * 10n ** BigInt(decimals)) / (num * 100n) - networkFee;
  /** Cents sent for minor units paid: 99 of 100 of what they are worth at the quote. */
  const sentFor = (
    minor: bigint,
    { quote: { num, den } }: ReturnType<typeof numbers>,
    { decimals }: Currency,
  ) => (minor * num * 99n) / (den * 10n ** BigInt(decimals));

  const ways = CRYPTO.flatMap((currency) =>
    (['balance', 'wallet'] as const).map((to) => ({ currency, code: currency.code, to })),
  );
  const create = (path: string, members: Members) => app.post(path, { ...customer(), ...members });

  it.each(ways)('paid in BRL, received in $code to the $to', async ({ currency, code, to }) => {
    const wallet = to === 'wallet' ? { wallet: WALLETS[currency.network] } : {};
    for (const amount_payment of ['70.01', '333.33', '9999.99']) {
      const answer = await create('/v2/onramp', {
        amount_payment,
        currency_exit_received_code: code,
        ...wallet,
      });
      expect([amount_payment, answer.json.violations, answer.json.detail]).toEqual([
        amount_payment,
        undefined,
        undefined,
      ]);
      const price = numbers(answer);
      quoteIs(price, 101n);
      const cents = scaled(amount_payment, 2);
      expect(price.fees).toBe(ceilDivide(cents, 100n));
      const networkFee = to === 'wallet' ? scaled(answer.json.attributes.network_fee, currency.decimals) : 0n;
      expect(networkFee > 0n).toBe(to === 'wallet');
      const received = scaled(tokenOf(answer.text, 'amount_received'), currency.decimals);
      expect(received).toBe(receivedFor(cents, price, currency, networkFee));
      expect(scaled(tokenOf(answer.text, 'amount_payment'), 2)).toBe(cents);
    }
  });

  it.each(ways)('wanted in $code to the $to, paid in BRL', async ({ currency, code, to }) => {
    const wallet = to === 'wallet' ? { wallet: WALLETS[currency.network] } : {};
    const units: Record<string, string[]> = {
      ETH: ['0.01', '0.012345678901234567', '0.5'],
      BTC: ['0.001', '0.00123456', '0.01'],
    };
    for (const amount_received of units[currency.asset] ?? ['20', '20.000001', '999.999999']) {
      const answer = await create('/v2/onramp', {
        amount_received,
        currency_exit_received_code: code,
        ...wallet,
      });
      const price = numbers(answer);
      quoteIs(price, 101n);
      const networkFee = to === 'wallet' ? scaled(answer.json.attributes.network_fee, currency.decimals) : 0n;
      const cents = scaled(tokenOf(answer.text, 'amount_payment'), 2);
      const wanted = scaled(amount_received, currency.decimals);
      expect(scaled(tokenOf(answer.text, 'amount_received'), currency.decimals)).toBe(wanted);
      expect(price.fees).toBe(ceilDivide(cents, 100n));
      // Enough, and a cent less would not be.
      expect(receivedFor(cents, price, currency, networkFee)).toBeGreaterThanOrEqual(wanted);
      expect(receivedFor(cents - 1n, price, currency, networkFee)).toBeLessThan(wanted);
    }
  });

  const members = { ...PAYEE, from: 'external' };
  it.each(
    CRYPTO.map((currency) => ({ currency, code: currency.code })),
  )('paid in $code, sent in BRL', async ({ currency, code }) => {
    const units: Record<string, string[]> = {
      ETH: ['0.01', '0.012345678901234567', '0.5'],
      BTC: ['0.001', '0.00123456', '0.01'],
    };
    for (const amount_paid of units[currency.asset] ?? ['20', '20.000001', '999.999999']) {
      const answer = await create('/v2/offramp', {
        ...members,
        ...customer(),
        amount_paid,
        currency_entry_paid_code: code,
      });
      const price = numbers(answer);
      quoteIs(price, 99n);
      const paid = scaled(amount_paid, currency.decimals);
      const sent = scaled(tokenOf(answer.text, 'amount_received'), 2);
      expect(sent).toBe(sentFor(paid, price, currency));
      const gross = (paid * price.quote.num * 100n) / (price.quote.den * 10n ** BigInt(currency.decimals));
      expect(sent).toBe(gross - price.fees);
    }
  });

  it.each(
    CRYPTO.map((currency) => ({ currency, code: currency.code })),
  )('paid in $code, wanted in BRL', async ({ currency, code }) => {
    for (const amount_sent of ['1', '333.33', '9999.99']) {
      const answer = await create('/v2/offramp', {
        ...members,
        ...customer(),
        amount_sent,
        currency_entry_paid_code: code,
      });
      const price = numbers(answer);
      quoteIs(price, 99n);
      const wanted = scaled(amount_sent, 2);
      const paid = scaled(tokenOf(answer.text, 'amount_payment'), currency.decimals);
      expect(scaled(tokenOf(answer.text, 'amount_received'), 2)).toBe(wanted);
      expect(sentFor(paid, price, currency)).toBeGreaterThanOrEqual(wanted);
      expect(sentFor(paid - 1n, price, currency)).toBeLessThan(wanted);
    }
  });

  it('are those of the account’s settings for the template', async () => {
    const { accountId, apiKey } = await app.addAccount();
    await app.owner.query(
      `update template_setting set spread = 0.025, fee_rate = 0, fee_fixed = 2.5, amount_min = 20, amount_max = 30
        where account_id = $1 and template = 'onramp'`,
      [accountId],
    );
    const post = (amount_payment: string, more: Members = {}) =>
      app.post(
        '/v2/onramp',
        { ...BODIES['/v2/onramp'], ...customer(), amount_payment, ...more },
        { key: apiKey },
      );
    const answer = await post('25');
    const price = numbers(answer);
    expect(price.quote.num * price.refQuote.den * 1_000n).toBe(price.refQuote.num * price.quote.den * 1_025n);
    expect(price.fees).toBe(250n);
    const { num, den } = price.quote;
    expect(scaled(tokenOf(answer.text, 'amount_received'), 6)).toBe(
      (2_250n * den * 1_000_000n) / (num * 100n),
    );
    for (const [amount, status] of [
      ['19.99', 422],
      ['20', 201],
      ['30', 201],
      ['30.01', 422],
    ] as const)
      expect([amount, (await post(amount)).status]).toEqual([amount, status]);
    // Another template has its own.
    expect((await post('100', { wallet: TRON })).status).toBe(201);
  });
});

describe('refusals by a rule', () => {
  const app = useApp();

  beforeAll(async () => {
    await whitelist(app, app.accountId, GROUP, [{ network: 'TRX', target: TRON }]);
    await whitelist(app, app.accountId, 'wl-many', [
      { network: 'TRX', target: TRON },
      { network: 'TRX', target: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD' },
    ]);
    await whitelist(app, app.accountId, 'wl-cooling', [
      { network: 'TRX', target: TRON, usableInMs: 86_400_000 },
    ]);
    await whitelist(app, app.accountId, 'wl-ethereum', [{ network: 'ETH', target: EVM }]);
    await whitelist(app, app.accountId, 'wl-pix', [{ pixKeyType: 'email', target: 'ana@example.com' }]);
    const { accountId } = await app.addAccount();
    await whitelist(app, accountId, 'wl-foreign', [{ network: 'TRX', target: TRON }]);
  });

  const withdrawal = BODIES['/v2/withdrawal'] as Members;
  const offramp = BODIES['/v2/offramp'] as Members;
  it.each([
    ['a group that is none', withdrawal, { group_id: 'nobody' }, 'ADDRESS_NOT_WHITELISTED', /group/],
    ['another account’s group', withdrawal, { group_id: 'wl-foreign' }, 'ADDRESS_NOT_WHITELISTED', /group/],
    [
      'an address that is not in it',
      withdrawal,
      { address: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD' },
      'ADDRESS_NOT_WHITELISTED',
      /address/,
    ],
    [
      'a group of another network',
      withdrawal,
      { group_id: 'wl-ethereum' },
      'ADDRESS_NOT_WHITELISTED',
      /USDT \(TRX\)/,
    ],
    ['a group of PIX keys', withdrawal, { group_id: 'wl-pix' }, 'ADDRESS_NOT_WHITELISTED', /USDT \(TRX\)/],
    [
      'a group of wallets',
      withdrawal,
      { currency_receive_code: 'BRL' },
      'ADDRESS_NOT_WHITELISTED',
      /PIX key/,
    ],
    [
      'an entry that is cooling',
      withdrawal,
      { group_id: 'wl-cooling' },
      'ADDRESS_NOT_WHITELISTED',
      /usable at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    ],
    [
      'more than there is',
      withdrawal,
      { amount_received: '107.063510' },
      'INSUFFICIENT_BALANCE',
      /less than 107\.06351/,
    ],
    [
      'what the network takes',
      withdrawal,
      { amount_received: '1' },
      'LIMIT_EXCEEDED',
      /does not cover the network fee/,
    ],
    [
      'more than a withdrawal may be',
      withdrawal,
      { amount_received: '10000' },
      'LIMIT_EXCEEDED',
      /1 to 50000 BRL/,
    ],
    [
      'more than there is to sell',
      offramp,
      { amount_paid: '107.063510' },
      'INSUFFICIENT_BALANCE',
      /USDT \(TRX\)/,
    ],
    [
      'a currency that the account never had',
      offramp,
      { currency_entry_paid_code: 'BTC', amount_paid: '0.001' },
      'INSUFFICIENT_BALANCE',
      /BTC \(BTC\)/,
    ],
    [
      'more than an offramp may be',
      offramp,
      { amount_paid: undefined, amount_sent: '50000.01' },
      'LIMIT_EXCEEDED',
      /1 to 50000 BRL/,
    ],
  ] as const)('C-51: %s is 422, and nothing is stored', async (_what, good, change, code, detail) => {
    const before = await rowCounts(app);
    const path = good === withdrawal ? '/v2/withdrawal' : '/v2/offramp';
    const answer = await app.post(path, { ...good, ...change });
    expect([answer.status, answer.json.code, answer.json.violations]).toEqual([422, code, undefined]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json.detail).toMatch(detail);
    expect(await rowCounts(app)).toEqual(before);
  });

  it('C-21: a customer’s day has a limit, over all that the customer does', async () => {
    const { client_tax_id } = customer();
    const post = (amount_payment: string, more: Members = {}, tax = client_tax_id) =>
      app.post('/v2/onramp', { ...BODIES['/v2/onramp'], client_tax_id: tax, amount_payment, ...more });
    expect((await post('30000')).status).toBe(201);
    expect((await post('20000.01')).json).toMatchObject({ status: 422, code: 'LIMIT_EXCEEDED' });
    const formatted = client_tax_id.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4');
    expect((await post('20000.01', { wallet: TRON }, formatted)).json.code).toBe('LIMIT_EXCEEDED');
    expect((await post('20000.01', {}, newCpf())).status).toBe(201);
  });

  it('C-22: one of several has to be named: its address is required', async () => {
    const before = await rowCounts(app);
    const answer = await app.post('/v2/withdrawal', { ...withdrawal, group_id: 'wl-many' });
    expect([answer.status, answer.json.violations]).toEqual([
      400,
      [{ parameter: 'address', message: 'is required: the group has several entries for USDT (TRX)' }],
    ]);
    expect(await rowCounts(app)).toEqual(before);
  });

  it('C-22: one of several is used when it is named', async () => {
    const body = { ...withdrawal, amount_received: '5', group_id: 'wl-many', address: TRON };
    const { status, json } = await app.post('/v2/withdrawal', body);
    expect([status, json.attributes.address]).toEqual([201, TRON]);
  });

  it('C-30: of parallel withdrawals no more are created than the balance covers', async () => {
    const { accountId, apiKey } = await app.addAccount();
    await whitelist(app, accountId, GROUP, [{ network: 'TRX', target: TRON }]);
    await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '35' }, { key: apiKey });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => app.post('/v2/withdrawal', withdrawal, { key: apiKey })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const { status, json } of answers)
      if (status !== 201) expect([status, json.code]).toEqual([422, 'INSUFFICIENT_BALANCE']);
  });

  it('C-22: above the account’s limit another key has to approve', async () => {
    const { accountId, apiKey } = await app.addAccount();
    await whitelist(app, accountId, GROUP, [{ network: 'TRX', target: TRON }]);
    await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '1000' }, { key: apiKey });
    await app.owner.query(
      `insert into account_setting (account_id, approval_above, whitelist_cooling_seconds) values ($1, 500, 0)
        on conflict (account_id) do update set approval_above = 500, whitelist_cooling_seconds = 0`,
      [accountId],
    );
    const waiting = await app.post(
      '/v2/withdrawal',
      { ...withdrawal, amount_received: 100 },
      { key: apiKey },
    );
    expect(waiting.json).toMatchObject({ component: 'approval_withdrawl_dash', state: 'PENDING' });
    const action = (name: string, key: string) => app.post(`${pathOf(waiting)}/${name}`, {}, { key });
    expect((await action('approve', apiKey)).json).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    const second = await app.addKey(accountId, ['read', 'move']);
    expect((await action('approve', second.apiKey)).status).toBe(200);
    expect((await action('reject', second.apiKey)).json.code).toBe('STEP_CONFLICT');
    const free = await app.post('/v2/withdrawal', { ...withdrawal, amount_received: 10 }, { key: apiKey });
    expect(free.json.component).not.toBe('approval_withdrawl_dash');
  });
});

describe('without a price', () => {
  const app = useApp();
  const useRates = (observe: Rails['rates']['observe']) => {
    const rates = reportingRates({ observe }, pino({ level: 'silent' }));
    (app.services.rails as { rates: Rails['rates'] }).rates = rates;
  };
  const age = (seconds: number) =>
    app.owner.query(`update rate set observed_at = now() - make_interval(secs => $1)`, [seconds]);

  beforeAll(async () => {
    await whitelist(app, app.accountId, GROUP, [{ network: 'TRX', target: TRON }]);
  });

  it.each([
    ['has none', async () => undefined],
    ['fails', () => Promise.reject(new Error('connect ECONNREFUSED'))],
    ['has an old one', async () => ({ mid: '5', observedAtMs: Date.now() - 61_000 })],
  ])('C-21: 503 when the source %s and the last one is over 60 seconds old', async (_what, observe) => {
    useRates(observe);
    await age(61);
    for (const path of ['/v2/crossramp_checkout', '/v2/onramp', '/v2/offramp', '/v2/withdrawal']) {
      const before = await rowCounts(app);
      const answer = await app.post(path, BODIES[path], { headers: { 'idempotency-key': 'later' } });
      expect([path, answer.status, answer.json.code]).toEqual([path, 503, 'QUOTE_UNAVAILABLE']);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(await rowCounts(app)).toEqual(before);
    }
    // What needs no price is made.
    const open = { currency_exit_received_code: 'USDT_TRX' };
    expect((await app.post('/v2/crossramp_checkout', open)).status).toBe(201);
    // A price of the last minute is one.
    await age(50);
    expect((await app.post('/v2/onramp', { ...BODIES['/v2/onramp'], ...customer() })).status).toBe(201);
    useRates(async () => ({ mid: '6', observedAtMs: Date.now() }));
    await age(61);
    const answer = await app.post('/v2/onramp', { ...BODIES['/v2/onramp'], ...customer() });
    expect([answer.status, tokenOf(answer.text, 'ref_quote')]).toEqual([201, '6']);
  });

  it('C-52: the key of a request without a price is free for the next attempt', async () => {
    useRates(async () => undefined);
    await age(61);
    const headers = { 'idempotency-key': 'tried-again' };
    const create = () => app.post('/v2/onramp', BODIES['/v2/onramp'], { headers });
    expect((await create()).status).toBe(503);
    useRates(async () => ({ mid: '6', observedAtMs: Date.now() }));
    const made = await create();
    expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

describe('C-52: Idempotency-Key', () => {
  const app = useApp();
  const create = (key: string, body: Members | string, path = '/v2/onramp', options = {}) =>
    app.post(path, body, { headers: { 'idempotency-key': key }, ...options });
  const body = BODIES['/v2/onramp'] as Members;
  const onramps = async () => (await app.get('/v2/onramps?limit=1')).json.total as number;

  it('returns the stored answer again, byte for byte, and marks it', async () => {
    const before = await onramps();
    const first = await create('again', body);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    await app.post(`${pathOf(first)}/cancel`);
    for (let time = 0; time < 3; time++) {
      const again = await create('again', body);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(again.text).toBe(first.text);
    }
    expect(await onramps()).toBe(before + 1);
  });

  it('funds the sandbox and moves its clock once', async () => {
    const once = { headers: { 'idempotency-key': 'played' } };
    for (const [path, input] of [
      ['/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '7.00' }],
      ['/v2/sandbox/clock', { advance: '30m' }],
    ] as const) {
      const first = await app.post(path, input, {
        ...once,
        ...(path.endsWith('clock') && { key: app.platformKey }),
      });
      expect([first.status, first.headers.get('idempotent-replayed')], first.text).toEqual([200, null]);
      const again = await app.post(path, input, {
        ...once,
        ...(path.endsWith('clock') && { key: app.platformKey }),
      });
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(again.text).toBe(first.text);
    }
    const { rows } = await app.owner.query(
      `select count(*)::int as count from audit_entry where act in ('sandbox.fund', 'sandbox.advance_clock')`,
    );
    expect(rows[0].count).toBe(2);
  });

  it('is refused with another body, however small the difference', async () => {
    await create('other', JSON.stringify(body));
    for (const other of [{ ...body, amount_payment: 101 }, `${JSON.stringify(body)} `, '{}']) {
      const { status, json } = await create('other', other);
      expect([status, json.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    }
  });

  it('belongs to its account, and to one path', async () => {
    const first = await create('mine', body);
    const { apiKey } = await app.addAccount();
    const stranger = await create('mine', body, '/v2/onramp', { key: apiKey });
    const checkout = await create('mine', body, '/v2/crossramp_checkout');
    const ids = [first, stranger, checkout].map(({ json }) => json.end2end);
    expect(new Set(ids).size).toBe(3);
    const another = await app.addKey(app.accountId, ['create']);
    const same = await create('mine', body, '/v2/onramp', { key: another.apiKey });
    expect([same.text, same.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });

  it('lets one of many parallel requests through: the others wait or get its answer', async () => {
    const before = await onramps();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('crowd', body)));
    const made = answers.filter(({ status }) => status === 201);
    const running = answers.filter(({ status }) => status === 409);
    expect(made.length).toBeGreaterThan(0);
    expect(made.length + running.length).toBe(answers.length);
    for (const { json, headers } of running) {
      expect(json.code).toBe('IDEMPOTENCY_RUNNING');
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await onramps()).toBe(before + 1);
  });

  it('also stores a refusal by a rule', async () => {
    const over = { ...body, amount_payment: 50_001 };
    const first = await create('refused', over);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([422, null]);
    const again = await create('refused', over);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([422, 'true']);
    expect({ ...again.json, request_id: '' }).toEqual({ ...first.json, request_id: '' });
    expect(again.json.request_id).toBe(again.headers.get('x-request-id'));
  });

  it('performs an action once', async () => {
    const { json } = await app.post('/v2/onramp', { ...body, ...customer() });
    const path = `/v2/onramp/${json.end2end}/cancel`;
    const first = await create('act', {}, path);
    const again = await create('act', {}, path);
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([
      200,
      200,
      'true',
    ]);
    expect(again.text).toBe(first.text);
    expect((await create('another-act', {}, path)).json.code).toBe('STEP_CONFLICT');
    const other = await app.post('/v2/onramp', { ...body, ...customer() });
    const onOther = await create('act', {}, `${pathOf(other)}/cancel`);
    expect([onOther.status, onOther.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  it('is forgotten after a day', async () => {
    const first = await create('old', body);
    await app.owner.query(
      `update idempotency_key set created_at = now() - interval '24 hours 1 second', leased_until = now() where key = 'old'`,
    );
    const later = await create('old', { ...body, amount_payment: 101, ...customer() });
    expect([later.status, later.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(later.json.end2end).not.toBe(first.json.end2end);
  });
});

describe('C-24: unknown members', () => {
  const app = useApp();
  const strict = useApp({ strictQuery: true });
  const body = BODIES['/v2/onramp'];

  it.each([
    ['/v2/offramp', { form: 'external' }, 'form', /did you mean from\?$/],
    ['/v2/onramp', { Wallet: TRON }, 'Wallet', /did you mean wallet\?$/],
    ['/v2/onramp', { WALLET: TRON }, 'WALLET', /did you mean wallet\?$/],
    ['/v2/onramp', { amount_paymnt: 5 }, 'amount_paymnt', /did you mean amount_payment\?$/],
    ['/v2/onramp', { clientName: 'x' }, 'clientName', /did you mean client_name\?$/],
    ['/v2/onramp', { 'webhook[]': null }, 'webhook[]', /did you mean webhook\?$/],
    ['/v2/onramp', { entirely_else: 1 }, 'entirely_else', /accepted are amount_payment, amount_received, /],
    ['/v2/onramp', { from: 'external' }, 'from', /accepted are /],
    ['/v2/onramp', { 'é\r\nset-cookie: a=b': 1 }, 'é\r\nset-cookie: a=b', /accepted are /],
    ['/v2/onramp', { '': {} }, '', /accepted are /],
    ['/v2/onramp', { ['x'.repeat(5_000)]: 1 }, 'x'.repeat(40), /accepted are /],
    ['/v2/withdrawal', { adress: 'x' }, 'adress', /did you mean address\?$/],
    ['/v2/sandbox/clock', { advanced: '1s' }, 'advanced', /did you mean advance\?$/],
    [`/v2/onramp/${IDS.onramp}/cancel`, { reason: 'x' }, 'reason', /none is accepted$/],
    [`/v2/offramp/${IDS.offramp}/resolve`, { action: 'keep', adress: 'x' }, 'adress', /mean address\?$/],
  ])('are refused by %s with the nearest name, and nothing is stored: %j', async (path, more, name, message) => {
    const before = await rowCounts(app);
    for (const headers of [{}, { 'idempotency-key': 'misspelt' }]) {
      const answer = await app.post(path, { ...BODIES[path], ...more }, { headers });
      expect([answer.status, answer.json.code]).toEqual([400, 'INVALID_PARAMETER']);
      expect(answer.json.violations).toEqual([{ parameter: name, message: expect.stringMatching(message) }]);
    }
    expect(await rowCounts(app)).toEqual(before);
  });

  it('are all named together, with all other errors', async () => {
    const text = '{"__proto__":{"amount_payment":100},"constructor":1,"toString":2}';
    const answer = await app.post('/v2/onramp', text);
    const named = answer.json.violations.map(({ parameter }: { parameter: string }) => parameter);
    expect([answer.status, named]).toEqual([
      400,
      [
        ...['__proto__', 'constructor', 'toString', 'currency_exit_received_code', 'amount_payment'],
        ...['client_name', 'client_tax_id'],
      ],
    ]);
  });

  it.each([
    ['{"amount_payment":100,"amount_payment":100,', ['amount_payment']],
    ['{"amount_payment":1,"\\u0061mount_payment":100,', ['amount_payment']],
    ['{"external_code":"\\"a\\",{[","external_code":"b","notes":1,"notes":2,', ['external_code', 'notes']],
    [`{"wallet":null,"amount_payment":100,${'"wallet":"",'.repeat(150)}`, ['wallet']],
  ])('as those that are given twice are: %s', async (start, names) => {
    const before = await rowCounts(app);
    const { amount_payment: _, ...others } = BODIES['/v2/onramp'] as Record<string, unknown>;
    const answer = await app.post('/v2/onramp', start + JSON.stringify(others).slice(1));
    expect([answer.status, answer.json.code]).toEqual([400, 'INVALID_PARAMETER']);
    const twice = answer.json.violations.filter(
      ({ message }: { message: string }) => message === 'must be given once',
    );
    expect(twice.map(({ parameter }: { parameter: string }) => parameter)).toEqual(names);
    expect(await rowCounts(app)).toEqual(before);
  });

  it('text inside a value is no member', async () => {
    const external_code = '{"external_code":"x","external_code":"y","wallet":1}';
    const answer = await app.post('/v2/onramp', { ...body, ...customer(), external_code });
    expect([answer.status, answer.json.attributes.external_code]).toEqual([201, external_code]);
  });

  it.each([
    ['/v2/onramp?amount_payment=5', 'amount_payment'],
    ['/v2/onramp?x=1&%C3%A9=2', 'x, %C3%A9'],
  ])('C-13: in the query of %s are ignored and named, or refused', async (path, ignored) => {
    const answer = await app.post(path, { ...body, ...customer() });
    expect([answer.status, answer.headers.get('crossramp-ignored-parameters')]).toEqual([201, ignored]);
    expect((await strict.post(path, { ...body, ...customer() })).status).toBe(400);
  });
});

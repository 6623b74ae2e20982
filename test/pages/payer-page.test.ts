/**
 * Goal: a payer sees at once to whom, what for, how much and how, and keeps a receipt that says what really happened. Method:
 * pages over HTTP, read as text; their first screen in Chromium; the BR Code decoded by itself.
 */
import { describe, expect, test, vi } from 'vitest';
import { decodeBrCode } from '../../src/base/pix/br-code.ts';
import { payerOf } from '../../src/resolvers/payer/payer-facts.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import {
  checkout,
  make,
  offramp,
  payee,
  request,
  seeTitle,
  somebody,
  spaced,
  textOf,
  trigger,
} from './sessions.ts';

const app = useApp();
const browser = useBrowser();
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const PATIENCE = { timeout: 15_000, interval: 100 };
const PAGE = { headers: { 'accept-language': 'en' }, key: null };

async function textAt(link: string): Promise<string> {
  const { text } = await app.get(new URL(link, app.baseUrl).pathname, PAGE);
  return spaced(
    text
      .replaceAll('&amp;', '&')
      .replaceAll(/<style>[\s\S]*?<\/style>|<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' '),
  );
}

async function untilTitle(link: string, title: string): Promise<string> {
  const path = new URL(link).pathname;
  await vi.waitFor(async () => expect(spaced((await app.get(path, PAGE)).text)).toContain(title), PATIENCE);
  return textAt(link);
}

function brand(input: object): Promise<unknown> {
  return request(
    app,
    'mutation ($input: UpdateBrandingInput!) { updateBranding(input: $input) { branding { showsPrice } errors { code message path } } }',
    {
      input,
    },
  );
}

/** A withdrawal to a wallet of a whitelist, which can be used at once. */
async function withdrawal(): Promise<{ end2end: string; receiptUrl: string }> {
  await app.post('/v2/sandbox/fund', { currency: 'USDC_BASE', amount: '100' });
  await request(
    app,
    'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 0 }) { accountSettings { whitelistCoolingSeconds } errors { code message path } } }',
  );
  const {
    createWhitelistGroup: { whitelistGroup: createWhitelistGroup },
  } = await request(
    app,
    'mutation { createWhitelistGroup(input: { name: "Own" }) { whitelistGroup { id: groupId } errors { code message path } } }',
  );
  const groupId = createWhitelistGroup.id;
  await request(
    app,
    `mutation { addWhitelistEntry(input: { groupId: "${groupId}", target: { wallet: { network: "BASE", address: "${WALLET}" } } }) { whitelistEntry { id: entryId } errors { code message path } } }`,
  );
  const query = `mutation { createWithdrawal(input: { currency: "USDC_BASE", amountReceived: "12.34", groupId: "${groupId}" }) {
    transaction { end2end receiptUrl } errors { code message path } } }`;
  return (await request(app, query)).createWithdrawal.transaction;
}

describe('an open amount', () => {
  const enter = async (amount: string, language: string) => {
    const { link } = await checkout(app, { amount_payment: undefined });
    const { pathname } = new URL(link);
    const answer = await fetch(`${app.baseUrl}${pathname}/amount`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language },
      body: String(new URLSearchParams({ amount })),
      redirect: 'manual',
    });
    return { status: answer.status, text: spaced(await answer.text()), page: await textAt(link) };
  };

  test.each([
    ['pt', '1.000'],
    ['en', '1,000'],
  ])('is read as the language writes it (%s: %s is a thousand)', async (language, amount) => {
    const entered = await enter(amount, language);
    expect([entered.status, entered.page]).toEqual([303, expect.stringContaining('R$1,000.00')]);
  });

  test.each([
    ['pt', '1,000', ', como 150,00'],
    ['pt', '150.0000', ', como 150,00'],
    ['en', '1.000', 'such as 150.00'],
  ])('has no more decimals than cents (%s: %s)', async (language, amount, said) => {
    const entered = await enter(amount, language);
    expect([entered.status, entered.text]).toEqual([400, expect.stringContaining(said)]);
  });
});

describe('the order', () => {
  test('is named by merchant and reference, and the BR Code carries the merchant’s name', async () => {
    await brand({ displayName: 'Padaria São João & Irmãos Limitada' });
    const { link } = await checkout(app, { ...somebody(), external_code: '10482' });
    const text = await untilTitle(link, 'Pay with PIX');
    expect(text).toContain('Padaria São João & Irmãos Limitada Order 10482');
    const code = decodeBrCode(/00020101\S+6304[0-9A-F]{4}|000201.*?6304[0-9A-F]{4}/.exec(text)?.[0] ?? '');
    expect(code?.merchantName).toBe('Padaria Sao Joao & Irmaos');
    expect(text).toContain('Check that it says R$550.00 to Padaria Sao Joao & Irmaos, then confirm.');
    await brand({ displayName: null });
  });

  test('has no rate, fees or crypto for a payer of a shop, unless the shop wants them', async () => {
    const { link } = await checkout(app, somebody());
    expect(await untilTitle(link, 'Pay with PIX')).not.toMatch(/USDT|Fees|Rate/);
    await brand({ showsPrice: true });
    expect(await textAt(link)).toMatch(
      /Converted to [\d.]+ USDT \(TRON\) Rate 1 USDT = R\$[\d.]+ Fees included R\$/,
    );
    await brand({ showsPrice: null });
    expect(await textAt(link)).not.toMatch(/USDT|Fees|Rate/);
  });

  test('shows the payee’s amount for a deposit, whatever the shop wants', async () => {
    const { link } = await offramp(app, payee());
    const text = await untilTitle(link, 'Send USDT on TRON');
    expect(text).toMatch(/Recipient gets R\$500.00/);
    expect(text).toMatch(/Rate 1 USDT = R\$/);
  });
});

describe('a receipt', () => {
  test('shows the paid and returned amounts, the receiver and the purpose, with times', async () => {
    const session = await checkout(app, { ...somebody(), external_code: '10483' });
    await untilTitle(session.link, 'Pay with PIX');
    await trigger(app, session, 'pay-over');
    const text = await untilTitle(session.link, 'R$20.00 was sent back to you');
    expect(text).toMatch(
      /You paid R\$570.00 Returned to you R\$20.00 To Sandbox For Order 10483 Paid \w+ \d+, \d{4}, [\d:]+ \(Brasília time\)/,
    );
    expect(text).toMatch(/PIX ID E\w{31} Refund ID D\w{31} Reference CRX/);
  });

  test('names the person who paid, not the expected customer', async () => {
    const customer = somebody();
    const session = await checkout(app, customer);
    await untilTitle(session.link, 'Pay with PIX');
    await trigger(app, session, 'pay-other-payer');
    const text = await untilTitle(session.link, 'was sent back to you');
    const [, payer] = /Payer (\S+) Payment method PIX/.exec(text) ?? [];
    expect(payer).toMatch(/^\*{3}\.\d{3}\.\d{3}-\*\*$/);
    expect(payer).not.toContain(customer.client_tax_id.slice(3, 6));
  });

  test.each([
    ['the customer, if the rail names no one', {}, 'Maria P., ***.982.247-**'],
    ['the customer, if the rail names them', { payerTaxId: '52998224725' }, 'Maria P., ***.982.247-**'],
    ['the name of the bank', { payerTaxId: '52998224725', payerName: 'LOJA SUL' }, 'LOJA S., ***.982.247-**'],
    [
      'another person with a name',
      { payerTaxId: '11144477735', payerName: 'JOSE LIMA' },
      'JOSE L., ***.444.777-**',
    ],
    ['another person without a name', { payerTaxId: '11144477735' }, 'null, ***.444.777-**'],
    ['another person of a masked number', { payerTaxId: '***444777**' }, 'null, ***.444.777-**'],
    ['a name alone', { payerTaxId: null, payerName: 'JOSE LIMA' }, 'JOSE L., null'],
  ])('names %s', (_case, process, expected) => {
    const row = {
      clientName: 'Maria Prado',
      clientTaxId: '52998224725',
      process: process as ProcessRow['process'],
    };
    const { name, taxId } = payerOf(row);
    expect(`${name}, ${taxId}`).toBe(expected);
  });

  test('is a file of its own to download, without script; there is none before', async () => {
    const session = await checkout(app, somebody());
    const path = `${new URL(session.link).pathname}/receipt`;
    expect((await app.get(path, PAGE)).status).toBe(404);
    await untilTitle(session.link, 'Pay with PIX');
    await trigger(app, session, 'pay');
    await untilTitle(session.link, '<h1 tabindex="-1">Paid</h1>');
    const { status, headers, text } = await app.get(path, PAGE);
    expect([status, headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="receipt-${session.end2end}.html"`,
    ]);
    expect(text).toContain('PIX ID');
    expect(text).not.toMatch(/<script|<form|<button|href="\/|src="/);
  });

  test('exists for withdrawals as well, under a link of their own, without forms', async () => {
    const { end2end, receiptUrl } = await withdrawal();
    const text = await untilTitle(receiptUrl, 'was sent</h1>');
    expect(text).toMatch(/Sent 12\.[\d]+ USDC \(Base\) Sent by Sandbox/);
    expect(text).toContain(WALLET);
    expect(text).toMatch(new RegExp(`Transaction hash 0x\\w{64} Reference ${end2end}`));
    expect(text).not.toContain('Sandbox: what happens now?');
    const { pathname } = new URL(receiptUrl);
    for (const action of ['accept', 'identity', 'renew', 'sandbox', 'refund']) {
      const answer = await fetch(`${app.baseUrl}${pathname}/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'scenario=pix-return',
        redirect: 'manual',
      });
      expect([action, answer.status]).toEqual([action, 404]);
    }
  });

  test.runIf(hasBrowser)('of a withdrawal appears by itself on an open page', async () => {
    const { receiptUrl } = await withdrawal();
    const page = await browser.open(receiptUrl, { locale: 'en-US' });
    const loaded = await page.evaluate('performance.timeOrigin');
    await expect.poll(() => page.innerText('h1'), { timeout: 30_000 }).toContain('was sent');
    expect(await page.evaluate('performance.timeOrigin')).toBe(loaded);
    expect(page.problems).toEqual([]);
  });

  test('of a payout from the balance asks no one to accept its quote', async () => {
    const given = { amount: { brl: '20' }, currency: 'USDT_TRX', from: 'BALANCE', accept: false, ...payee() };
    await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '100' });
    const query = `mutation ($input: CreateOfframpInput!) { createOfframp(input: $input) { transaction { receiptUrl } errors { code message path } } }`;
    const { receiptUrl } = (await request(app, query, { input: given })).createOfframp.transaction;
    const { text } = await app.get(new URL(receiptUrl).pathname, PAGE);
    expect(text).not.toContain('<form');
  });
});

describe.runIf(hasBrowser)('the first screen', () => {
  test.each([
    ['a phone', 390, 664],
    ['a small phone', 320, 640],
  ])('of %s shows merchant, amount, time and the copy button, before the QR code', async (_name, width, height) => {
    const { link } = await checkout(app, { ...somebody(), external_code: '10482' });
    const page = await browser.open(link);
    await page.setViewportSize({ width, height });
    await seeTitle(page, 'Pay with PIX');
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return box ?? { x: 0, y: 0, width: 0, height: 0 };
    };
    for (const selector of ['.who', '.amount', '[data-left]', '[data-copy=code]']) {
      const { y, height: tall } = await boxOf(selector);
      expect(y + tall).toBeLessThanOrEqual(height);
      expect(tall).toBeGreaterThan(0);
    }
    const button = await boxOf('[data-copy=code]');
    expect(button.width).toBeGreaterThanOrEqual(width - 40);
    expect((await boxOf('.qr')).y).toBeGreaterThan(button.y);
    expect(await textOf(page, '.order')).toMatch(/Sandbox\s+Order 10482/);
  });

  test('of a desktop has the order beside the payment, and the QR code first', async () => {
    const { link } = await checkout(app, somebody());
    const page = await browser.open(link);
    await page.setViewportSize({ width: 1_440, height: 900 });
    await seeTitle(page, 'Pay with PIX');
    const yOf = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0;
    expect((await page.locator('.order').boundingBox())?.width).toBe(720);
    expect((await page.locator('main').boundingBox())?.x).toBe(720);
    expect(await yOf('.qr')).toBeLessThan(await yOf('[data-copy=code]'));
  });
});

test('the sandbox’s offers change with the payment, and stay in sight', async () => {
  const session = await make(app, '/v2/crossramp_checkout', {
    ...somebody(),
    amount_payment: '550',
    currency_exit_received_code: 'USDT_TRX',
  });
  await untilTitle(session.link, 'Pay with PIX');
  const now = async () =>
    /<aside[\s\S]*?<\/form>/.exec((await app.get(new URL(session.link).pathname, PAGE)).text)?.[0] ?? '';
  expect(await now()).toContain('>Underpay</button>');
  expect(await now()).not.toContain('dispute');
  await trigger(app, session, 'pay');
  await untilTitle(session.link, '<h1 tabindex="-1">Paid</h1>');
  expect(await now()).toContain('>Open a dispute</button>');
  expect(await now()).not.toContain('>Pay</button>');
});

test('the sandbox offers to confirm a deposit only once there is one', async () => {
  const session = await offramp(app, payee());
  const panelOf = async () =>
    /<aside[\s\S]*?<\/form>/.exec((await app.get(new URL(session.link).pathname, PAGE)).text)?.[0] ?? '';
  await untilTitle(session.link, 'Send USDT on TRON');
  expect(await panelOf()).toContain('>Send the exact amount</button>');
  expect(await panelOf()).not.toContain('Confirm deposit');
  await trigger(app, session, 'deposit');
  await untilTitle(session.link, 'We see your deposit');
  expect(await panelOf()).toContain('>Confirm deposit</button>');
});

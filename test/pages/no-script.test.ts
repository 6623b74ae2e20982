/**
 * Goal: a payer whose browser runs no script gets everywhere. Method: Chromium with script turned off goes from the first view
 * to the receipt by forms and links alone; where a page waits it says so to the browser (`<noscript>` refresh), and nowhere
 * else: a form that is loaded anew loses what was written into it.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { newCpf } from '../walk/walker.ts';
import {
  checkout,
  goOn,
  isRefreshed,
  offramp,
  seeTitle,
  somebody,
  textOf,
  trigger,
  waitThrough,
} from './sessions.ts';

const app = useApp();
const browser = useBrowser();
const open = (link: string, locale = 'en-US') => browser.open(link, { locale, javaScriptEnabled: false });

const LANGUAGES = [
  {
    language: 'en',
    locale: 'en-US',
    amount: '1,550.50',
    titles: {
      amount: 'How much do you want to pay?',
      identity: 'Who is paying?',
      confirmation: 'Check your details',
      payment: 'Pay with PIX',
      payee: 'Who receives the money?',
      deposit: 'Send USDT on TRON',
      underpaid: 'We received a different amount. What would you like to do?',
      refunded: 'was sent back to you',
      success: 'Paid',
    },
    amountWrong: 'Enter an amount from R$1.00 to R$50,000.00',
    taxIdWrong: 'Check the CPF (11 digits)',
    refundUnsure: 'Tick the box to confirm the address',
    receipt: 'You paid',
    sent: 'You sent',
  },
  {
    language: 'pt',
    locale: 'pt-BR',
    amount: '1.550,50',
    titles: {
      amount: 'Quanto você quer pagar?',
      identity: 'Quem está pagando?',
      confirmation: 'Confira seus dados',
      payment: 'Pague com Pix',
      payee: 'Quem recebe o dinheiro?',
      deposit: 'Envie USDT pela rede TRON',
      underpaid: 'Recebemos um valor diferente. O que você quer fazer?',
      refunded: 'Devolvemos',
      success: 'Pago',
    },
    amountWrong: 'Digite um valor de R$ 1,00 a R$ 50.000,00',
    taxIdWrong: 'CPF ou CNPJ inválido',
    refundUnsure: 'Marque a caixa para confirmar o endereço',
    receipt: 'Você pagou',
    sent: 'Você enviou',
  },
] as const;

describe.runIf(hasBrowser).each(LANGUAGES)('without script, in $language', (words) => {
  const { locale, titles } = words;

  test('a checkout of an open amount leads from the first view to the receipt', async () => {
    const session = await checkout(app, { amount_payment: undefined });
    const page = await open(session.link, locale);
    await seeForm(page, titles.amount);
    await page.fill('#amount', '0,5');
    expect(await goOn(page, 'main form button')).toBe(400);
    await seeForm(page, titles.amount);
    expect(await besideField(page, 'amount')).toEqual(['0,5', expect.stringContaining(words.amountWrong)]);
    await page.fill('#amount', words.amount);
    expect(await goOn(page, 'main form button')).toBe(303);

    await seeForm(page, titles.identity);
    await page.fill('#name', 'João "Zé" <b>Silva</b>');
    await page.fill('#taxId', '111.111.111-11');
    expect(await goOn(page, 'main form button')).toBe(400);
    await seeForm(page, titles.identity);
    expect(await page.inputValue('#name')).toBe('João "Zé" <b>Silva</b>');
    expect(await besideField(page, 'taxId')).toEqual([
      '111.111.111-11',
      expect.stringContaining(words.taxIdWrong),
    ]);
    await page.fill('#name', 'Joana Prado');
    // As it is pasted from a document.
    await page.fill('#taxId', ` ${newCpf().replace(/^(.{3})(.{3})(.{3})/, '$1 $2\u00a0$3 ')} `);
    expect(await goOn(page, 'main form button')).toBe(303);

    await seeForm(page, titles.confirmation);
    expect(await textOf(page)).toContain('Joana P.');
    await page.click('summary');
    await page.fill('#name', 'Maria Silva Pereira');
    await page.fill('#taxId', '529.982.247-25');
    expect(await goOn(page, 'details form button')).toBe(303);
    await seeForm(page, titles.confirmation);
    expect(await textOf(page)).toContain('Maria S. P.');
    expect(await textOf(page)).toContain('***.982.247-**');
    expect(await goOn(page, 'form[action*="/confirm"] button')).toBe(303);

    await waitThrough(page, titles.payment);
    expect(await isRefreshed(page)).toBe(true);
    expect(await page.textContent('#code')).toMatch(/^000201.*6304[0-9A-F]{4}$/);
    await trigger(app, session, 'pay');
    await waitThrough(page, titles.success);
    expect(await isRefreshed(page)).toBe(false);
    expect(await textOf(page, '.receipt')).toContain(words.receipt);
    expect(await textOf(page, '.receipt')).toContain(locale === 'en-US' ? 'R$1,550.50' : 'R$ 1.550,50');
  });

  test('an offramp leads from its payee over a wrong deposit to the receipt of the return', async () => {
    const session = await offramp(app);
    const page = await open(session.link, locale);
    await seeForm(page, titles.payee);
    await page.fill('#name', 'Maria Silva Pereira');
    await page.fill('#taxId', newCpf());
    await page.selectOption('#pixKeyType', 'email');
    await page.fill('#pixKey', 'maria');
    expect(await goOn(page, 'main form button')).toBe(400);
    await seeForm(page, titles.payee);
    expect(await page.inputValue('#pixKeyType')).toBe('email');
    expect(await besideField(page, 'pixKey')).toEqual(['maria', expect.anything()]);
    await page.fill('#pixKey', 'maria@example.com');
    expect(await goOn(page, 'main form button')).toBe(303);

    await waitThrough(page, titles.deposit);
    expect(await isRefreshed(page)).toBe(true);
    const [exact, shown] = [await page.getAttribute('#amount', 'data-text'), await textOf(page, '#amount')];
    expect(shown).toBe(locale === 'en-US' ? exact : exact?.replace('.', ','));
    expect(await textOf(page, '#sum')).toContain(`${shown} USDT`);
    await trigger(app, session, 'deposit-wrong');
    await waitThrough(page, titles.underpaid);
    expect(await isRefreshed(page)).toBe(false);

    // The browser would insist on the tick by itself; whoever does without it is told by the gateway.
    await page.evaluate(() => document.querySelector('input[name=mine]')?.removeAttribute('required'));
    expect(await goOn(page, 'form[action*="/refund"] button')).toBe(400);
    await seeForm(page, titles.underpaid);
    expect(await textOf(page, '#mine-wrong')).toBe(words.refundUnsure);
    await page.check('input[name=mine]');
    expect(await goOn(page, 'form[action*="/refund"] button')).toBe(303);
    await waitThrough(page, titles.refunded);
    expect(await textOf(page, '.receipt')).toContain(words.sent);
  });
});

describe.runIf(hasBrowser)('without script', () => {
  test('every form and link keeps the chosen language', async () => {
    const { link } = await checkout(app);
    const page = await open(link);
    await goOn(page, 'nav a[hreflang=pt-BR]');
    await seeTitle(page, 'Quem está pagando?');
    await page.fill('#name', 'Maria');
    await page.fill('#taxId', '1');
    await goOn(page, 'main form button');
    await seeTitle(page, 'Quem está pagando?');
    expect(await besideField(page, 'taxId')).toEqual(['1', expect.stringContaining('CPF ou CNPJ inválido')]);
    await goOn(page, 'nav a[hreflang=en]');
    await seeTitle(page, 'Who is paying?');
  });

  test('an address that the browser shows after a wrong form leads to the page, not to an error', async () => {
    const { link } = await checkout(app);
    const page = await open(link);
    await page.fill('#name', 'Maria');
    await page.fill('#taxId', '1');
    await goOn(page, 'main form button');
    await page.goto(page.url());
    await seeTitle(page, 'Who is paying?');
    expect(page.url()).toBe(link);
  });

  test('the buttons of the sandbox make things happen', async () => {
    const session = await checkout(app, somebody());
    const page = await open(session.link);
    await waitThrough(page, 'Pay with PIX');
    // What cannot happen now is not offered; who asks for it all the same is refused on the page.
    expect(await page.locator('.sandbox button[value="dispute-open"]').count()).toBe(0);
    expect(await textOf(page, '.sandbox')).toContain('Underpay');
    await page.evaluate(() =>
      document.querySelector('.sandbox button')?.setAttribute('value', 'dispute-open'),
    );
    expect(await goOn(page, '.sandbox button[value="dispute-open"]')).toBe(409);
    expect(await textOf(page, '[role=alert]')).toContain('already moved on');
    expect(await goOn(page, '.sandbox button[value=pay]')).toBe(303);
    await waitThrough(page, 'Paid');
  });
});

/** Sees a page with a form: what is being written must not be thrown away by a refresh. */
async function seeForm(page: Page, title: string): Promise<void> {
  await seeTitle(page, title);
  expect(await isRefreshed(page)).toBe(false);
}

/** @returns the value of a field that was not taken, and what is said about it. */
async function besideField(page: Page, name: string): Promise<[string, string]> {
  const described = (await page.getAttribute(`#${name}`, 'aria-describedby')) ?? '';
  expect([await page.getAttribute(`#${name}`, 'aria-invalid'), described]).toEqual([
    'true',
    expect.stringContaining(`${name}-wrong`),
  ]);
  return [await page.inputValue(`#${name}`), await textOf(page, `#${name}-wrong`)];
}

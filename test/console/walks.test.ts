/**
 * Goal: a newcomer sees money move, a merchant finds a payment in one search, an operator sees on the first screen what waits,
 * as docs/walks.md says. Method: Chromium does what stands there in bold, and finds what stands in italics; pictures
 * into docs/walks with SCREENSHOTS=1.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { makeNewcomerLink, startContext } from '../../src/resolvers/people/links.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { signInAs } from '../support/people.ts';

const PICTURES = fileURLToPath(new URL('../../docs/walks/', import.meta.url));
const DOCUMENT = readFileSync(new URL('../../docs/walks.md', import.meta.url), 'utf8');
const DESK = { viewport: { width: 1440, height: 900 } };
const CUSTOMER = { clientName: 'Maria Souza Prado', clientTaxId: '52998224725' };

const app = useApp();
const browser = useBrowser();
const { create, trigger, stepNow } = graphqlClient(app, () => app.apiKey);
const reach = (end2end: string, step: string) =>
  vi.waitFor(async () => expect(await stepNow(end2end)).toBe(step), { timeout: 15_000 });

/** Takes a walk of the document on a page, and knows what of it was not taken. */
function walkOn(page: Page, title: string) {
  const text = (DOCUMENT.split(`## ${title}\n`)[1] ?? '').split('\n## ')[0]?.replace(/\s+/g, ' ') ?? '';
  const words = (form: RegExp) => [...text.matchAll(form)].map(([, word = '']) => word);
  const rest = new Set([...words(/\*\*([^*]+)\*\*/g), ...words(/(?<!\*)\*([^*]+)\*(?!\*)/g)]);
  const take = (word: string) => {
    expect(rest.delete(word), `docs/walks.md has no ${word}`).toBe(true);
    return word;
  };
  return {
    press: async (role: 'button' | 'link', word: string, exact = false) =>
      page
        .getByRole(role, { name: take(word), exact })
        .first()
        .click(),
    /** What is found and pressed stands in the document twice. */
    pressFound: async (word: string) =>
      page
        .getByRole('link', { name: take(word) })
        .first()
        .click(),
    open: async (word: string) =>
      page
        .locator('summary', { hasText: take(word) })
        .first()
        .click(),
    write: async (word: string, value: string) =>
      page.getByLabel(take(word)).filter({ visible: true }).fill(value),
    find: async (word: string) =>
      page.getByText(take(word)).filter({ visible: true }).first().waitFor({ timeout: 30_000 }),
    picture: async (name: string) => {
      if (!process.env.SCREENSHOTS) return;
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: `${PICTURES}${name}.png` });
    },
    isWhole: () => expect([...rest]).toEqual([]),
  };
}

describe.skipIf(!hasBrowser)('docs/walks.md', () => {
  test('a newcomer sees money move', { timeout: 90_000 }, async () => {
    const { url } = await makeNewcomerLink(app.database, startContext(app.services));
    const page = await browser.open(url, DESK);
    const walk = walkOn(page, 'A newcomer sees money move');
    await walk.press('button', 'Sign in');
    await walk.find('Home');
    await walk.press('link', 'Create payment');
    await walk.write('Amount in BRL', '150');
    await walk.write('Order number', '10490');
    await walk.write('Customer name', 'Ana Souza');
    await walk.write('Customer CPF or CNPJ', '529.982.247-25');
    await walk.find('1 USDT (TRX) =');
    await walk.press('button', 'Review');
    await walk.press('button', 'Create');
    await walk.find('Waiting for payment');
    await walk.find('Share with the payer');
    await walk.press('button', 'Pay', true);
    await walk.find('Paid');
    await walk.find('Your available balance, USDT (TRX)');
    await walk.find('BRL balances');
    await walk.picture('newcomer-paid');
    await walk.press('link', 'Statement');
    await walk.find('Checkout 10490');
    walk.isWhole();
    expect(page.problems).toEqual([]);
  });

  test('a merchant finds a payment by its order number in one search', async () => {
    const order = { currency: 'USDT_TRX', amount: { brl: '150.00' }, externalCode: '10482' };
    const { transaction } = await create('createCheckout', { ...order, ...CUSTOMER });
    await trigger(transaction.end2end, 'pay');
    await reach(transaction.end2end, 'success/DONE');
    const owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
    const page = await browser.open(`${app.baseUrl}/console`, {
      ...DESK,
      prepare: (each) => signIn(each.context(), app, owner),
    });
    const walk = walkOn(page, 'A merchant finds a payment');
    await walk.press('link', 'Search or jump to…');
    await page.keyboard.type('10482');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/search?q=10482');
    await walk.picture('merchant-found');
    await walk.pressFound('Maria Souza Prado');
    await walk.find('Order 10482');
    await walk.press('link', 'Receipt');
    await walk.find('There is nothing left to do.');
    walk.isWhole();
    expect(page.problems).toEqual([]);
  }, 90_000);

  test('an operator sees waiting work on the first screen', async () => {
    const { transaction } = await create('createOnramp', {
      ...CUSTOMER,
      currency: 'USDT_TRX',
      amount: { brl: '550.00' },
    });
    await trigger(transaction.end2end, 'refund-fail');
    await trigger(transaction.end2end, 'pay-under');
    await reach(transaction.end2end, 'refund/ERROR');
    const platform = await platformAccount(app.database, 'sandbox');
    const operator = await signInAs(app, platform, {
      email: 'olga@platform.invalid',
      role: 'platform_operator',
    });
    const page = await browser.open(`${app.baseUrl}/console`, {
      ...DESK,
      prepare: (each) => signIn(each.context(), app, operator),
    });
    const walk = walkOn(page, 'An operator sees what waits');
    await walk.find('Needs attention');
    await walk.picture('operator-today');
    await walk.press('link', 'Failed refund');
    await walk.find('Review queue');
    await page.locator('[data-row] a').first().click();
    await walk.find('Why it is here');
    await walk.open('Retry…');
    await walk.write('Reason', 'the bank is back');
    await walk.press('button', 'Retry refund');
    await walk.find('Refund retried.');
    walk.isWhole();
    await page.goto(`${app.baseUrl}/console`);
    expect(await page.getByText('Failed refund').count()).toBe(0);
    expect(page.problems).toEqual([]);
  }, 90_000);
});

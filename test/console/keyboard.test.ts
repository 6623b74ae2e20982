/**
 * Goal: whoever has no pointer gets everything done. Method: Chromium on the real application; nothing but keys, from the first
 * page to a payment that is cancelled and a list that is filtered, with and without script.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const browser = useBrowser();
let owner: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});

const open = (path: string, javaScriptEnabled: boolean) =>
  browser.open(app.baseUrl + path, {
    viewport: { width: 1440, height: 900 },
    javaScriptEnabled,
    prepare: (page) => signIn(page.context(), app, owner),
  });

/** Most stops of one page: a trap never gets past them. */
const STOPS_MAX = 120;

/** What has the focus: its name, as it is read out. */
const focused = (page: Page) =>
  page.locator(':focus').evaluate((element) => {
    const labelled = (element as HTMLInputElement).labels?.[0]?.textContent;
    return (element.getAttribute('aria-label') ?? labelled ?? element.textContent ?? '')
      .replace(/\s+/g, ' ')
      .trim();
  });

/** Goes on by Tab until what has the focus is called so. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press('Tab');
    if ((await page.locator(':focus').count()) > 0 && name.test(await focused(page))) return;
  }
  throw new Error(`no stop is called ${name}`);
}

describe.runIf(hasBrowser).each([
  ['with script', true],
  ['without script', false],
] as const)('by keys alone, %s', (_how, isScripted) => {
  test('the first stop skips to the content, and a payment is made and cancelled', async () => {
    const order = isScripted ? '40010' : '40011';
    const page = await open('/console/new', isScripted);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    expect(await page.locator(':focus').isVisible()).toBe(true);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Amount in BRL/);
    await page.keyboard.type('150.50');
    await tabTo(page, /^Order number/);
    await page.keyboard.type(order);
    await page.keyboard.press('Enter');
    await page.locator('#confirm').waitFor();
    await tabTo(page, /^Create$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**done=CreateCheckout');
    expect(await page.locator('h1').innerText()).toBe(`Order ${order}`);
    await tabTo(page, /^Cancel…$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Cancel transaction$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**done=CancelTransaction');
    expect(await page.locator('.top .badge').innerText()).toContain('Cancelled');
  });

  test('a list is filtered, a row is opened, and the way back works', async () => {
    const page = await open('/console/transactions', isScripted);
    await tabTo(page, /^Filter$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Order$/);
    await page.keyboard.type('order-1001');
    await page.keyboard.press('Enter');
    await page.waitForURL('**externalCode=order-1001*');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await tabTo(page, /^Remove: Order order-1001$/);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.search.includes('externalCode'));
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(1);
  });

  test('every focusable element shows its focus, and is in view', async () => {
    const page = await open('/console', isScripted);
    const unseen: string[] = [];
    for (let stop = 0; stop < 40; stop++) {
      await page.keyboard.press('Tab');
      const its = page.locator(':focus');
      if ((await its.count()) === 0) break;
      const { outline, isInView } = await its.evaluate((element) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const { width, height } = element.getBoundingClientRect();
        return {
          outline: outlineStyle !== 'none' && outlineWidth !== '0px',
          isInView: width > 0 && height > 0,
        };
      });
      if (!outline || !isInView) unseen.push(await focused(page));
    }
    expect(unseen).toEqual([]);
  });
});

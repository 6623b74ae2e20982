/**
 * Goal: a payment page serves those who see, print or scale differently. Method: Chromium with forced colours, more contrast,
 * reduced motion, a page zoom of 200 %, and on paper.
 */
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { checkout, seeTitle, somebody, trigger } from './sessions.ts';

const app = useApp();
const browser = useBrowser();

async function paid() {
  const session = await checkout(app, { ...somebody(), external_code: '10482' });
  const page = await browser.open(session.link);
  await seeTitle(page, 'Pay with PIX');
  await trigger(app, session, 'pay');
  await seeTitle(page, 'Paid');
  return page;
}

describe.runIf(hasBrowser)('a payment page', () => {
  test('is printed as a receipt: order, amount and numbers, no buttons, and of the sandbox only that it is a test', async () => {
    const page = await paid();
    await page.emulateMedia({ media: 'print' });
    for (const selector of ['.receipt', '.amount', '.test'])
      expect(await page.isVisible(selector)).toBe(true);
    for (const selector of ['button', '.sandbox', '.foot', '.lang', '.three', 'details'])
      for (const each of await page.locator(selector).all()) expect(await each.isVisible()).toBe(false);
    expect(await page.innerText('.order')).toContain('Order 10482');
  });

  test('has no motion where motion is not wanted, and keeps its edges in custom colours', async () => {
    const page = await paid();
    await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active', contrast: 'more' });
    const style = (selector: string, name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    expect(await style('.sign path', 'animationName')).toBe('none');
    expect(await style('.test', 'borderTopStyle')).toBe('solid');
  });

  test('is the page of a phone on a laptop at 200 %', async () => {
    const session = await checkout(app, somebody());
    const page = await browser.open(session.link);
    await seeTitle(page, 'Pay with PIX');
    await page.setViewportSize({ width: 683, height: 384 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(683);
    const [copy, qr] = await Promise.all(
      ['[data-copy]', '.qr'].map((each) => page.locator(each).boundingBox()),
    );
    expect(copy?.y).toBeLessThan(qr?.y ?? 0);
  });
});

/**
 * Goal: what came to nothing is begun anew by one click, once, and nothing is hidden: the reference of the merchant stays, and
 * a price that has changed stands beside the one before. Method: Chromium without script, and the API for what was made.
 */
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { newCpf } from '../walk/walker.ts';
import {
  checkout,
  goOn,
  request,
  rowOf,
  seeTitle,
  somebody,
  textOf,
  trigger,
  waitThrough,
  withoutRates,
} from './sessions.ts';

const app = useApp();
const browser = useBrowser();
const open = (link: string) => browser.open(link, { javaScriptEnabled: false });
let restoreRates = () => {};

beforeEach(() => {
  const { rails } = app.services as { rails: { rates: unknown } };
  const { rates } = rails;
  restoreRates = () => {
    rails.rates = rates;
  };
});
afterEach(() => restoreRates());

describe.runIf(hasBrowser)('a renewal without script', () => {
  test('keeps the reference of the merchant, and shows the previous quote', async () => {
    await showPrices();
    const session = await checkout(app, { ...somebody(), external_code: 'order-7' });
    await trigger(app, session, 'expire');
    const page = await open(session.link);
    await waitThrough(page, 'Time ran out. Nothing was paid');
    await setRate('6');
    expect(await goOn(page, 'form[action*="/renew"] button')).toBe(303);
    expect(page.url()).not.toBe(session.link);
    await waitThrough(page, 'Pay with PIX');
    await page.click('main summary');
    const before = await recordOf(session.end2end);
    const after = await recordOf(await rowOf(page, 'Reference'));
    expect(after.external_code).toBe('order-7');
    expect(after.amount_payment).toBe(550);
    expect(after.amount_received).not.toBe(before.amount_received);
    expect(await rowOf(page, 'Previous quote')).toBe(`${before.amount_received} USDT (TRON)`);
    expect(await rowOf(page, 'Converted to')).toBe(`${after.amount_received} USDT (TRON)`);
  });

  test('does not mention an unchanged price', async () => {
    await showPrices();
    const session = await checkout(app, somebody());
    await trigger(app, session, 'expire');
    const page = await open(session.link);
    await waitThrough(page, 'Time ran out. Nothing was paid');
    await goOn(page, 'form[action*="/renew"] button');
    await waitThrough(page, 'Pay with PIX');
    await page.click('main summary');
    expect(await rowOf(page, 'Converted to')).toContain('USDT');
    expect(await page.locator('dt', { hasText: 'Previous quote' }).count()).toBe(0);
  });

  test('continues with the person whom the payer named last', async () => {
    const session = await checkout(app);
    const page = await open(session.link);
    await page.fill('#name', 'Joana Prado');
    await page.fill('#taxId', newCpf());
    await goOn(page, 'main form button');
    await page.click('summary');
    await page.fill('#name', 'Maria Silva Pereira');
    await page.fill('#taxId', newCpf());
    await goOn(page, 'details form button');
    await trigger(app, session, 'expire');
    await page.goto(session.link);
    await goOn(page, 'form[action*="/renew"] button');
    await waitThrough(page, 'Pay with PIX');
    expect(await textOf(page)).toContain('Pay from an account in the name of Maria S. P.');
  });

  test('without a price shows it beside the button, which works once there is one', async () => {
    const session = await checkout(app, somebody());
    await trigger(app, session, 'expire');
    const page = await open(session.link);
    await withoutRates(app, async () => {
      expect(await goOn(page, 'form[action*="/renew"] button')).toBe(503);
      await seeTitle(page, 'Time ran out. Nothing was paid');
      expect(await textOf(page, '[role=alert]')).toContain('No rate is available right now');
    });
    expect(await goOn(page, 'form[action*="/renew"] button')).toBe(303);
    await waitThrough(page, 'Pay with PIX');
  });

  test('C-21: of a session that ended with the lock of its price, as the account chose, has the price of now', async () => {
    await showPrices();
    const choose = (after: string) =>
      request(
        app,
        `mutation { updateAccountSettings(input: { afterLock: ${after} }) { accountSettings { afterLock } errors { code message path } } }`,
      );
    onTestFinished(() => choose('REPRICE'));
    await choose('END');
    const session = await checkout(app, { ...somebody(), expires_in: 86_400 });
    const page = await open(session.link);
    await waitThrough(page, 'Pay with PIX');
    await app.post('/v2/sandbox/clock', { advance: '32m' });
    await waitThrough(page, 'Time ran out. Nothing was paid');
    await setRate('6.1');
    expect(await goOn(page, 'form[action*="/renew"] button')).toBe(303);
    await waitThrough(page, 'Pay with PIX');
    await page.click('main summary');
    const before = await recordOf(session.end2end);
    const after = await recordOf(await rowOf(page, 'Reference'));
    expect(after.amount_payment).toBe(before.amount_payment);
    expect(after.quote).not.toBe(before.quote);
  });

  test('opens the same session for two tabs, for a form that is sent twice, and for both in parallel', async () => {
    const session = await checkout(app, somebody());
    await trigger(app, session, 'expire');
    const pages = await Promise.all([open(session.link), open(session.link), open(session.link)]);
    for (const page of pages) await waitThrough(page, 'Time ran out. Nothing was paid');
    await Promise.all(pages.slice(1).map((page) => goOn(page, 'form[action*="/renew"] button')));
    await goOn(pages[0], 'form[action*="/renew"] button');
    for (const page of pages) await waitThrough(page, 'Pay with PIX');
    const [first, ...others] = pages.map((page) => page.url());
    expect(first).not.toBe(session.link);
    expect(others).toEqual([first, first]);
  });
});

/** Rate and what is received are shown to who pays a shop only where the shop wants it. */
async function showPrices(): Promise<void> {
  await request(
    app,
    'mutation { updateBranding(input: { showsPrice: true }) { branding { showsPrice } errors { code message path } } }',
  );
}

/** @returns what the API says of a checkout session. */
async function recordOf(end2end: string) {
  return (await app.get(`/v2/crossramp_checkout/${end2end}`)).json.attributes;
}

/** The price of now, whenever it is asked for. */
async function setRate(mid: string): Promise<void> {
  const { rails } = app.services as { rails: { rates: unknown } };
  rails.rates = { observe: async () => ({ mid, observedAtMs: await app.services.clock.nowMs() }) };
  await app.owner.query(`update rate set observed_at = now() - interval '2 minutes'`);
}

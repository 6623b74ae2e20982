/**
 * Goal: a page that is open says what has happened, whatever becomes of its connection. Method: Chromium follows real payments
 * while the network goes, the server is started anew, or a proxy keeps the stream; waits of the page itself are skipped by
 * its clock. How long a change takes to be seen is printed, and never asserted.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { startApp, useApp } from '../support/app.ts';
import { hasBrowser, useBrowser, type Visit } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { startProxy } from '../support/proxy.ts';
import { checkout, type Session, seeTitle, somebody, trigger } from './sessions.ts';

const app = useApp();
const browser = useBrowser();
const PAY = 'Pay with PIX';
const PATIENCE = { timeout: 15_000 };

describe.runIf(hasBrowser)('a page that is open', () => {
  test('shows a payment soon after it was made', async () => {
    const times: number[] = [];
    const { page, session } = await openPayment();
    for (let round = 0; round < 10; round += 1) {
      const next = round === 0 ? session : await checkout(app, somebody());
      if (round > 0) await page.goto(next.link);
      await seeTitle(page, PAY);
      await streaming();
      await trigger(app, next, 'pay');
      const start = performance.now();
      await page.locator('h1', { hasNotText: PAY }).waitFor();
      times.push(Math.round(performance.now() - start));
      await seeTitle(page, 'Paid');
    }
    const sorted = times.toSorted((left, right) => left - right);
    process.stdout.write(`seen after (ms, from the answer of the trigger): ${sorted.join(' ')}\n`);
  });

  test('is the same in two tabs', async () => {
    const { page, session } = await openPayment();
    const other = await page.context().newPage();
    await other.goto(session.link);
    await seeTitle(other, PAY);
    await trigger(app, session, 'pay');
    await Promise.all([seeTitle(page, 'Paid'), seeTitle(other, 'Paid')]);
    expect(await other.innerText('main')).toBe(await page.innerText('main'));
  });

  test('updates the title, and moves the focus only where it would be lost', async () => {
    const { page, session } = await openPayment(somebody());
    await page.focus('[data-copy]');
    await trigger(app, session, 'expire');
    await seeTitle(page, 'Time ran out. Nothing was paid');
    expect(await page.title()).toBe('Time ran out. Nothing was paid · Sandbox');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect(await page.innerText('#say')).toBe('Time ran out. Nothing was paid');
    await page.focus('nav a');
    await trigger(app, session, 'pay-late');
    await seeTitle(page, 'R$550.00 was sent back to you');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('A');
  });

  test('continues after a rejected form', async () => {
    const session = await checkout(app);
    const page = await browser.open(session.link);
    await page.fill('#name', 'Maria');
    await page.fill('#taxId', '1');
    await page.click('main form button');
    await page.locator('#taxId-wrong').waitFor();
    // Loading it again asks for the page, and does not send the form again.
    expect(page.url()).toBe(session.link);
    await trigger(app, session, 'expire');
    await seeTitle(page, 'Time ran out. Nothing was paid');
    expect(await page.locator('#net').isVisible()).toBe(false);
  });

  test('leaves no stream open when it is closed', async () => {
    await vi.waitFor(() => expect(app.services.events.size).toBe(0), PATIENCE);
    const pages = await Promise.all([openPayment(), openPayment(), openPayment()]);
    await streaming();
    for (const { page } of pages) await page.context().close();
    await vi.waitFor(() => expect(app.services.events.size).toBe(0), PATIENCE);
  });

  test('leaves no stream open when no further event can follow', async () => {
    await vi.waitFor(() => expect(app.services.events.size).toBe(0), PATIENCE);
    const session = await checkout(app);
    const page = await browser.open(session.link);
    await streaming();
    await trigger(app, session, 'expire');
    await seeTitle(page, 'Time ran out. Nothing was paid');
    await vi.waitFor(() => expect(app.services.events.size).toBe(0), PATIENCE);
  });
});

describe.runIf(hasBrowser)('a page that loses its connection', () => {
  test('reports it, and shows the changes once it is back', async () => {
    const { page, session } = await openPayment();
    // What the stream tells first may come after the network went, and say that there is one: then it goes once more.
    const goes = async () => {
      await page.context().setOffline(false);
      await page.context().setOffline(true);
      return page.locator('#net').isVisible();
    };
    await expect.poll(goes, { timeout: 30_000, interval: 500 }).toBe(true);
    expect(await page.innerText('#net')).toBe('You’re offline. Reconnecting…');
    await trigger(app, session, 'pay');
    await page.context().setOffline(false);
    await seeTitle(page, 'Paid');
    await page.locator('#net').waitFor({ state: 'hidden' });
    // And it follows what comes then.
    await trigger(app, session, 'dispute-open');
    await seeTitle(page, 'Your bank is looking into this payment');
  });

  test('finds a restarted server, without being loaded again', async () => {
    const port = await freePort();
    const first = await startApp(app.database, port);
    const session = await checkout(app, somebody());
    const page = await browser.open(session.link.replace(app.baseUrl, first.publicUrl));
    await seeTitle(page, PAY);
    await page.evaluate('globalThis.isSame = true');
    first.drain();
    await first.close();
    await page.locator('#net').waitFor({ state: 'visible' });
    const second = await startApp(app.database, port);
    await trigger(app, session, 'pay');
    await seeTitle(page, 'Paid');
    await page.locator('#net').waitFor({ state: 'hidden' });
    expect(await page.evaluate('globalThis.isSame')).toBe(true);
    second.drain();
    await second.close();
  });

  test('polls if a proxy buffers the stream', async () => {
    const { page, session } = await openPayment(somebody(), {
      prepare: async (page) => {
        await page.clock.install();
        await page.route(/\/graphql/, () => {});
      },
    });
    await trigger(app, session, 'pay');
    await statusIs(session, 'Success');
    await page.clock.fastForward(10_000);
    await seeTitle(page, 'Paid');
    await trigger(app, session, 'dispute-open');
    await page.clock.fastForward(5_000);
    await seeTitle(page, 'Your bank is looking into this payment');
    expect(await page.locator('#net').isVisible()).toBe(false);
  });
});

describe.runIf(hasBrowser)('a request of the page', () => {
  test('that is never answered does not delay the next one, which is the last one needed', async () => {
    const { page, session } = await openPayment(somebody(), { prepare: (page) => page.clock.install() });
    await streaming();
    let isAnswered = false;
    await page.route('**/pay/*', (route) => (isAnswered ? route.continue() : undefined));
    const [lost] = await Promise.all([page.waitForRequest('**/pay/*'), trigger(app, session, 'pay')]);
    await statusIs(session, 'Success');
    isAnswered = true;
    await page.clock.fastForward(10_000);
    await seeTitle(page, 'Paid');
    expect(lost.failure()).not.toBeNull();
    // The stream is there: nothing is asked beside it.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(30_000);
    await trigger(app, session, 'dispute-open');
    await seeTitle(page, 'Your bank is looking into this payment');
    expect(asked).toEqual([session.link]);
  });

  test('does not wait for a stream that died without a word, once the browser is online again', async () => {
    const proxy = await startProxy(Number(new URL(app.baseUrl).port));
    const session = await checkout(app, somebody());
    const page = await browser.open(session.link.replace(app.baseUrl, proxy.url));
    await seeTitle(page, PAY);
    await streaming();
    proxy.silence();
    await page.evaluate('dispatchEvent(new Event("online"))');
    await trigger(app, session, 'pay');
    await seeTitle(page, 'Paid');
    await trigger(app, session, 'dispute-open');
    await seeTitle(page, 'Your bank is looking into this payment');
    await page.context().close();
    await proxy.close();
  });
});

/** Opens the page of a session that is to be paid. */
async function openPayment(
  body: object = somebody(),
  visit: Visit = {},
): Promise<{ page: Page; session: Session }> {
  const session = await checkout(app, body);
  const page = await browser.open(session.link, visit);
  await seeTitle(page, PAY);
  return { page, session };
}

/** Waits until a page follows the account by a stream. */
async function streaming(): Promise<void> {
  await vi.waitFor(() => expect(app.services.events.size).toBe(1), PATIENCE);
}

async function statusIs({ end2end }: Session, status: string): Promise<void> {
  await vi.waitFor(
    async () => expect((await app.get(`/v2/crossramp_checkout/${end2end}`)).json.status.en).toBe(status),
    PATIENCE,
  );
}

/**
 * Goal: what the page does by itself stays in the reader's hands: it counts down by the clock of the server, says aloud what
 * matters, and goes back to the merchant unless the reader stays. Method: Chromium, with the page's clock set ahead.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { advanceClock, checkout, type Session, seeTitle, somebody, trigger } from './sessions.ts';

const app = useApp();
const browser = useBrowser();
const PAY = 'Pay with PIX';
const DAY_MS = 86_400_000;

describe.runIf(hasBrowser)('the countdown', () => {
  test.each([
    ['right', 0],
    ['a day ahead', DAY_MS],
    ['a day behind', -DAY_MS],
  ])('goes by the clock of the server where that of the device is %s', async (_what, skewMs) => {
    const session = await checkout(app, somebody());
    await advanceClock(app, '24m');
    const page = await open(session, new Date(Date.now() + skewMs));
    await seeTitle(page, PAY);
    const left = page.locator('[data-left] b');
    expect(await left.innerText()).toMatch(/^0[56]:[0-5]\d$/);
    await page.clock.fastForward(4 * 60_000);
    expect(await left.innerText()).toMatch(/^0[12]:[0-5]\d$/);
  });

  test('is announced five minutes and one minute before the end, and at the end', async () => {
    const session = await checkout(app, somebody());
    await advanceClock(app, '23m');
    const page = await open(session);
    await seeTitle(page, PAY);
    const said = () => page.textContent('#say');
    expect(await page.getAttribute('#say', 'role')).toBe('status');
    expect(await said()).not.toContain('minutes');
    await untilSaid(page, '5 minutes left');
    await page.clock.fastForward(60_000);
    expect(await said()).toBe('5 minutes left');
    await untilSaid(page, 'One minute left');
    await untilSaid(page, 'Time is up');
    expect(await page.innerText('[data-left] b')).toBe('00:00');
  });
});

describe.runIf(hasBrowser)('the return to the merchant', () => {
  test('happens by itself some seconds after the payment ended on the page', async () => {
    const { page, session, back } = await openPayment();
    await trigger(app, session, 'pay');
    await seeTitle(page, 'Paid');
    const { host } = new URL(back);
    await page.getByText(`Returning to ${host} in 5 s`).waitFor();
    await page.clock.runFor(5_000);
    await page.waitForURL(back);
  });

  test('does not happen if the reader stays, whatever follows', async () => {
    const { page, session } = await openPayment();
    await trigger(app, session, 'pay');
    await page.getByRole('button', { name: 'Stay on this page' }).click();
    expect(await page.getByText('Returning to').count()).toBe(0);
    await page.clock.runFor(10_000);
    await trigger(app, session, 'dispute-open');
    await seeTitle(page, 'Your bank is looking into this payment');
    await trigger(app, session, 'dispute-reject');
    await seeTitle(page, 'Your bank decided that the payment stands');
    expect(await page.getByText('Returning to').count()).toBe(0);
    await page.clock.runFor(10_000);
    expect(page.url()).toBe(session.link);
  });

  test('does not happen if a dispute arrives during the countdown', async () => {
    const { page, session } = await openPayment();
    await trigger(app, session, 'pay');
    await seeTitle(page, 'Paid');
    await page.getByText('Returning to').waitFor();
    await trigger(app, session, 'dispute-open');
    await seeTitle(page, 'Your bank is looking into this payment');
    expect(await page.getByText('Returning to').count()).toBe(0);
    await page.clock.runFor(10_000);
    expect(page.url()).toBe(session.link);
  });

  test('is only offered if the receipt is opened later, even if an event follows it', async () => {
    const { page, session, back } = await openPayment();
    await trigger(app, session, 'pay');
    await seeTitle(page, 'Paid');
    const later = await open(session);
    await seeTitle(later, 'Paid');
    await later.clock.runFor(10_000);
    await trigger(app, session, 'dispute-open');
    await seeTitle(later, 'Your bank is looking into this payment');
    await trigger(app, session, 'dispute-reject');
    await seeTitle(later, 'Your bank decided that the payment stands');
    expect(await later.getByText('Returning to').count()).toBe(0);
    await later.clock.runFor(10_000);
    expect(later.url()).toBe(session.link);
    expect(await later.getAttribute('[data-return]', 'href')).toBe(back);
  });
});

/** Opens a page on a device with a clock of its own, which goes on by itself and can be set ahead. */
function open({ link }: Session, time = new Date()): Promise<Page> {
  return browser.open(link, { prepare: (page) => page.clock.install({ time }) });
}

/** A payment of a merchant who wants the payer back. */
async function openPayment(): Promise<{ page: Page; session: Session; back: string }> {
  const back = `${app.baseUrl}/healthz?back`;
  const session = await checkout(app, { ...somebody(), return_url: back });
  const page = await open(session);
  await seeTitle(page, PAY);
  // From here on its time goes by when a test says so: five seconds are soon over on a busy machine.
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  return { page, session, back };
}

/** Sets the page's clock ahead, second by second as it were, until something is said. */
async function untilSaid(page: Page, text: string): Promise<void> {
  for (let seconds = 0; (await page.textContent('#say')) !== text; seconds += 20) {
    expect(seconds).toBeLessThan(900);
    await page.clock.runFor(20_000);
  }
}

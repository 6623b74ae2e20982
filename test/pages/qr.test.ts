/**
 * Goal: what a camera reads and what a button copies is what has to be paid, digit for digit. Method: the picture of the page
 * at 360 px, light and dark, and the image by itself, decoded by a reader of another house (jsQR).
 */
import jsQR from 'jsqr';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { describe, expect, test, vi } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { checkout, offramp, payee, request, type Session, seeTitle, somebody } from './sessions.ts';

const app = useApp();
const browser = useBrowser();
const PAY = 'Pay with PIX';
const SCHEMES = ['light', 'dark'] as const;
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

describe.runIf(hasBrowser)('the QR code', () => {
  test.each(SCHEMES)('of a PIX reads as the PIX code, in %s', async (colorScheme) => {
    const { page, session } = await openPix({ colorScheme });
    const code = await page.textContent('#code');
    expect(code).toBe((await paymentOf(session)).pixCopyPaste);
    expect(await readOf(page)).toBe(code);
    await page.goto(`${session.link}/qr.svg`);
    expect(await readOf(page)).toBe(code);
  });

  test.each(
    SCHEMES,
  )('of a deposit on a network with links reads as the link with the exact amount, in %s', async (colorScheme) => {
    const session = await offramp(app, { ...payee(), currency: 'USDC_BASE' });
    const page = await browser.open(session.link, { colorScheme });
    await seeTitle(page, 'Send US');
    const { depositUri } = await paymentOf(session);
    expect(depositUri).toMatch(/^ethereum:/);
    expect(await readOf(page)).toBe(depositUri);
    expect(await page.getAttribute('a.btn[href^=ethereum]', 'href')).toBe(depositUri);
    await page.goto(`${session.link}/qr.svg`);
    expect(await readOf(page)).toBe(depositUri);
  });

  test('of a deposit on a network without links reads as the address', async () => {
    const session = await offramp(app, { ...payee(), currency: 'USDT_TRX' });
    const page = await browser.open(session.link);
    await seeTitle(page, 'Send US');
    const address = await page.textContent('#address');
    expect((await paymentOf(session)).depositUri).toBeNull();
    expect(await readOf(page)).toBe(address);
    await page.goto(`${session.link}/qr.svg`);
    expect(await readOf(page)).toBe(address);
  });

  test('is not there before there is something to pay', async () => {
    const { link } = await checkout(app);
    expect((await app.get(`${new URL(link).pathname}/qr.svg`, { key: null })).status).toBe(404);
  });
});

describe.runIf(hasBrowser)('the share button', () => {
  test('shares the PIX code with the apps of the phone, exactly; the button is missing where nothing can be shared', async () => {
    const shares = `Object.defineProperty(navigator, 'share', { value: async (what) => { window.shared = what; } })`;
    const { page, session } = await openPix({}, shares);
    const button = page.locator('[data-share=code]');
    await button.click();
    const { pixCopyPaste } = await paymentOf(session);
    await vi.waitFor(
      async () => expect(await page.evaluate('window.shared')).toEqual({ text: pixCopyPaste }),
      {
        timeout: 15_000,
      },
    );
    const none = 'delete Navigator.prototype.share';
    const { page: other } = await openPix({}, none);
    expect(await other.locator('[data-share=code]').isVisible()).toBe(false);
  });
});

describe.runIf(hasBrowser)('the copy button', () => {
  test('puts the PIX code on the clipboard, exactly', async () => {
    const { page, session } = await openPix(CLIPBOARD);
    await page.getByRole('button', { name: 'Copy PIX code' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.innerText('#say')).toBe('Copied');
    expect(await clipboardOf(page)).toBe((await paymentOf(session)).pixCopyPaste);
  });

  test('copies amount and address of a deposit digit for digit', async () => {
    const session = await offramp(app, payee());
    const page = await browser.open(session.link, CLIPBOARD);
    await seeTitle(page, 'Send US');
    const { attributes } = (await app.get(`/v2/offramp/${session.end2end}`)).json;
    await page.click('[data-copy=amount]');
    await page.locator('[data-copy=amount]', { hasText: 'Copied' }).waitFor();
    expect(await clipboardOf(page)).toBe(attributes.exact_deposit_amount);
    expect(attributes.exact_deposit_amount).toMatch(/^\d+\.\d+$/);
    await page.click('[data-copy=address]');
    await page.locator('[data-copy=address]', { hasText: 'Copied' }).waitFor();
    expect(await clipboardOf(page)).toBe(attributes.deposit_address);
  });

  test('copies by the older method if a browser has no clipboard for pages', async () => {
    const { page, session } = await openPix(CLIPBOARD, WITHOUT_CLIPBOARD);
    await page.getByRole('button', { name: 'Copy PIX code' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await selected(page)).toBe((await paymentOf(session)).pixCopyPaste);
  });

  test('selects the text if copying is impossible, and says so', async () => {
    const { page, session } = await openPix(
      CLIPBOARD,
      `${WITHOUT_CLIPBOARD}; document.execCommand = () => false`,
    );
    await page.getByRole('button', { name: 'Copy PIX code' }).click();
    await page.getByRole('button', { name: 'Selected. Now copy it' }).waitFor();
    expect(await page.innerText('#say')).toBe('Selected. Now copy it');
    expect(await selected(page)).toBe((await paymentOf(session)).pixCopyPaste);
  });
});

const WITHOUT_CLIPBOARD = 'Object.defineProperty(navigator, "clipboard", { value: undefined })';

async function openPix(options: object, script = ''): Promise<{ page: Page; session: Session }> {
  const session = await checkout(app, somebody());
  const page = await browser.open(session.link, {
    ...options,
    prepare: (page) => page.addInitScript(script),
  });
  await seeTitle(page, PAY);
  return { page, session };
}

/** @returns what a reader makes of the picture of the screen, scrolled to the code. */
async function readOf(page: Page): Promise<string | undefined> {
  await page.locator('svg:not(.i)').scrollIntoViewIfNeeded();
  const { data, width, height } = PNG.sync.read(await page.screenshot());
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
}

function clipboardOf(page: Page): Promise<unknown> {
  return page.evaluate('navigator.clipboard.readText()');
}

/** @returns the text that is selected. */
function selected(page: Page): Promise<unknown> {
  return page.evaluate('String(getSelection())');
}

async function paymentOf({ end2end }: Session) {
  const { transaction } = await request(
    app,
    'query ($id: String!) { transaction(end2end: $id) { payment { pixCopyPaste depositUri } } }',
    { id: end2end },
  );
  return transaction.payment;
}

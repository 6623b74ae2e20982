/**
 * Goal: the console tells when it follows no more, and goes on by itself; however much happens it stays usable and asks for no
 * more than it shows. Method: Chromium on the real application, behind a network that fails. BROWSER=full lets it happen for
 * half a minute.
 */
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn } from '../support/console.ts';
import { writeEvents } from '../support/events.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { startProxy, type TestProxy } from '../support/proxy.ts';

const app = useApp();
const browser = useBrowser();
let owner: SignedInForTest;
let proxy: TestProxy | undefined;

const CREATE = `mutation ($order: String!) { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" },
  externalCode: $order, clientName: "Maria Souza Prado", clientTaxId: "52998224725" }) { transaction { end2end } errors { code message path } } }`;
const PAY =
  'mutation ($end2end: String!) { sandboxTrigger(input: { end2end: $end2end, scenario: PAY }) { transaction { end2end } errors { code message path } } }';

async function createCheckout(order: string): Promise<string> {
  const { json } = await app.graphql(CREATE, { order });
  return json.data.createCheckout.transaction.end2end;
}

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

const open = (path: string, person = owner, baseUrl = app.baseUrl) =>
  browser.open(baseUrl + path, {
    viewport: { width: 1440, height: 900 },
    prepare: (page) => signIn(page.context(), { baseUrl }, person),
  });
const line = (page: Page) => page.locator('#line');
const soon = { timeout: 20_000 };

describe.runIf(hasBrowser)('the connection', () => {
  test('that is lost is reported in every tab; after the reconnection, the changes meanwhile are shown', async () => {
    const end2end = await createCheckout('30010');
    const network = await startProxy(Number(new URL(app.baseUrl).port));
    proxy = network;
    const first = await open('/console/transactions', owner, network.url);
    const second = await first.context().newPage();
    await second.goto(`${network.url}/console/transactions/${end2end}`);
    const status = second.locator('[data-live="status"]');
    expect(await status.innerText()).not.toContain('Paid');
    network.fail('refuse');
    network.cut();
    for (const page of [first, second])
      await expect.poll(() => line(page).innerText(), soon).toBe('Connection lost. Reconnecting…');
    expect(await first.textContent('#say')).toBe('Connection lost. Reconnecting…');
    await app.graphql(PAY, { end2end });
    network.heal();
    for (const page of [first, second]) await expect.poll(() => line(page).isVisible(), soon).toBe(false);
    expect(await second.textContent('#say')).toBe('Back online');
    await expect.poll(() => status.innerText(), soon).toContain('Paid');
    await expect.poll(() => first.locator(`[data-row="${end2end}"]`).innerText(), soon).toContain('Paid');
  });

  test('of a session that was ended elsewhere leads every tab to the sign-in page', async () => {
    const gone = await signInAs(app, app.accountId, { email: 'gone@shop.invalid', role: 'viewer' });
    const first = await open('/console/transactions', gone);
    const second = await first.context().newPage();
    await second.goto(`${app.baseUrl}/console`);
    await gone.graphql(
      'mutation ($id: String!) { revokeSession(input: { sessionId: $id }) { sessionId errors { code message path } } }',
      { id: gone.sessionId },
    );
    for (const page of [first, second])
      await expect.poll(() => new URL(page.url()).pathname, soon).toBe('/console/sign-in');
  });
});

describe.runIf(hasBrowser)('actions of a person', () => {
  test('appears on the very next page: read after write', async () => {
    const page = await open('/console/whitelist');
    for (const name of ['Custody', 'Exchange', 'Suppliers']) {
      await page.locator('form[action$="/CreateWhitelistGroup"] [name="name"]').fill(name);
      await page.locator('form[action$="/CreateWhitelistGroup"] button').click();
      await page.waitForURL('**done=CreateWhitelistGroup');
      expect(await page.locator('main').innerText()).toContain(name);
    }
  });
});

/** Events of one second, and for how many seconds. */
const RATE = 200;
const SECONDS = process.env.BROWSER === 'full' ? 30 : 4;
const TURNS_A_SECOND = 10;

describe.runIf(hasBrowser)('200 updates a second', () => {
  test('leave the page usable: it reloads at most once a second, and accepts keys meanwhile', async () => {
    const page = await open('/console/transactions');
    let asked = 0;
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') asked += 1;
    });
    const begunAt = Date.now();
    let written = 0;
    for (let turn = 0; turn < SECONDS * TURNS_A_SECOND; turn++) {
      const batch = Array.from({ length: RATE / TURNS_A_SECOND }, () => ({ accountId: app.accountId }));
      await writeEvents(app.database, batch);
      app.services.notifier.notify([app.accountId]);
      written += batch.length;
      if (turn % TURNS_A_SECOND === 0) {
        await page.keyboard.press('j');
        expect(await page.locator('[aria-selected="true"]').count()).toBe(1);
      }
      const pause = begunAt + ((turn + 1) * 1_000) / TURNS_A_SECOND - Date.now();
      if (pause > 0) await new Promise((done) => setTimeout(done, pause));
    }
    await expect.poll(() => asked, soon).toBeGreaterThan(0);
    const seconds = (Date.now() - begunAt) / 1_000;
    expect(asked).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    const end2end = await createCheckout('30030');
    await expect.poll(() => page.locator('[data-fresh]').isVisible(), soon).toBe(true);
    await page.locator('[data-fresh]').click();
    await vi.waitFor(async () => expect(await page.locator(`[data-row="${end2end}"]`).count()).toBe(1), soon);
    expect(page.problems).toEqual([]);
    if (process.env.BROWSER === 'full')
      process.stdout.write(`${written} events in ${seconds} s: ${asked} requests of the page\n`);
  }, 120_000);
});

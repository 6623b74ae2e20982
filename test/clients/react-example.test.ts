/**
 * Goal: both pages of examples/react show transactions and their changes live. Method: Vite builds and serves them with the packages of the
 * example (TOOLS_TEST=1 installs them), and a browser looks, while connections to the gateway break. The key never reaches the browser.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { startProxy, type TestProxy } from '../support/proxy.ts';
import { hasModules, REACT } from '../support/tools.ts';
import { openOnramp } from '../support/webhooks.ts';

describe.skipIf(!hasBrowser || !hasModules(REACT))('the React example', () => {
  const app = useApp();
  const browser = useBrowser();
  let network: TestProxy;
  let server: ChildProcess;
  let url: string;
  beforeAll(async () => {
    network = await startProxy(Number(new URL(app.baseUrl).port));
    const options = { cwd: REACT, encoding: 'utf8', timeout: 300_000 } as const;
    const built = spawnSync('npm', ['run', 'build'], options);
    expect(built.status, built.stderr).toBe(0);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { ...process.env, CROSSRAMP_URL: network.url, CROSSRAMP_KEY: app.apiKey };
    const args = ['node_modules/vite/bin/vite.js', 'preview', '--host', '127.0.0.1', '--port', String(port)];
    server = spawn(process.execPath, args, { cwd: REACT, env, stdio: 'ignore' });
    const isServed = async () => (await fetch(url).catch(() => null))?.status === 200;
    await vi.waitUntil(isServed, { timeout: 60_000, interval: 100 });
  }, 300_000);
  afterAll(async () => {
    server?.kill();
    await network?.close();
  });

  async function pay(end2end: string): Promise<void> {
    const body = { scenario: 'pay', end2end };
    // Its PIX code may still be on its way.
    await expect.poll(async () => (await app.post('/v2/sandbox/trigger', body)).status).toBe(200);
  }

  test.each(['apollo', 'urql'])('%s lists a transaction, adds a new one, and changes it', async (name) => {
    const first = await openOnramp(app, app.apiKey);
    const page = await browser.open(`${url}/${name}.html`);
    const row = (end2end: string) => page.locator(`li#${end2end}`);
    await row(first).waitFor();
    expect(await row(first).textContent()).toContain('Ana Souza · R$ 50');
    const second = await openOnramp(app, app.apiKey);
    await row(second).waitFor();
    const before = await row(second).textContent();
    await pay(second);
    await expect.poll(() => row(second).textContent()).not.toBe(before);
    expect(await page.content()).not.toContain(app.apiKey);
    expect(page.problems).toEqual([]);
  });

  test.each([
    'apollo',
    'urql',
  ])('%s shows a transaction that arrives while the list is read', async (name) => {
    const gate = Promise.withResolvers<void>();
    let isRead = false;
    const prepare = async (page: Page) => {
      // Events as the page reads them.
      await page.addInitScript(`
        const { decode } = TextDecoder.prototype;
        globalThis.received = '';
        TextDecoder.prototype.decode = function (...args) {
          const text = decode.apply(this, args);
          received += text;
          return text;
        };`);
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('query List')) return route.continue();
        const response = await route.fetch();
        isRead = true;
        await gate.promise;
        await route.fulfill({ response });
      });
    };
    const page = await browser.open(`${url}/${name}.html`, { prepare });
    await expect.poll(() => isRead).toBe(true);
    const added = await openOnramp(app, app.apiKey);
    await page.waitForFunction(`received.includes('${added}')`);
    gate.resolve();
    await page.locator(`li#${added}`).waitFor();
  });

  test.each(['apollo', 'urql'])('%s shows an amount for each template', async (name) => {
    const page = await browser.open(`${url}/${name}.html`);
    const { json } = await app.graphql('{ transactions(first: 20) { nodes { kind: __typename end2end } } }');
    const listed: { kind: string; end2end: string }[] = json.data.transactions.nodes;
    expect(new Set(listed.map(({ kind }) => kind)).size).toBe(6);
    for (const { end2end } of listed)
      expect(await page.locator(`li#${end2end}`).textContent()).toMatch(/ · (R\$ [\d.]+|[\d.]+ [A-Z]\w+) · /);
  });

  test.each(['apollo', 'urql'])('%s goes on after its connection broke', async (name) => {
    const first = await openOnramp(app, app.apiKey);
    const page = await browser.open(`${url}/${name}.html`);
    const row = (end2end: string) => page.locator(`li#${end2end}`);
    await row(first).waitFor();
    const before = await row(first).textContent();
    network.fail('refuse');
    network.cut();
    await pay(first);
    network.heal();
    await expect.poll(() => row(first).textContent()).not.toBe(before);
  });
});

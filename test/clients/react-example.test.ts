/**
 * Goal: both pages of examples/react show transactions and their changes live. Method: Vite builds and serves them with the packages of the
 * example (TOOLS_TEST=1 installs them), and a browser looks, while connections to the gateway break. The key never reaches the browser.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { startProxy, type TestProxy } from '../support/proxy.ts';
import { openOnramp } from '../support/webhooks.ts';

const FOLDER = fileURLToPath(new URL('../../examples/react/', import.meta.url));
const npm = (...args: string[]) =>
  spawnSync('npm', args, { cwd: FOLDER, encoding: 'utf8', timeout: 300_000 });
if (process.env.TOOLS_TEST === '1') npm('ci', '--ignore-scripts', '--no-audit', '--no-fund');

describe.skipIf(!hasBrowser || !existsSync(`${FOLDER}node_modules`))('the React example', () => {
  const app = useApp();
  const browser = useBrowser();
  let network: TestProxy;
  let server: ChildProcess;
  let url: string;
  beforeAll(async () => {
    network = await startProxy(Number(new URL(app.baseUrl).port));
    const built = npm('run', 'build');
    expect(built.status, built.stderr).toBe(0);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { ...process.env, CROSSRAMP_URL: network.url, CROSSRAMP_KEY: app.apiKey };
    const args = ['node_modules/vite/bin/vite.js', 'preview', '--host', '127.0.0.1', '--port', String(port)];
    server = spawn(process.execPath, args, { cwd: FOLDER, env, stdio: 'ignore' });
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

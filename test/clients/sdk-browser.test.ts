/**
 * Goal: the TypeScript client works in pages, with stream tokens instead of a key. Method: its built modules on a page of another origin in
 * Chromium; the gateway goes away, and the token ends meanwhile.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeOnramp } from '../live/streams.ts';
import { startApp, useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TOKEN =
  'mutation { createStreamToken(input: { expiresIn: 10 }) { streamToken { token } errors { code message path } } }';
const NAMES = ['quote.quote', 'quote.accepted', 'valida_id.initial', 'depositpix.qrcode'].map(
  (step) => `onramp.${step}`,
);
const app = useApp();

describe.skipIf(!hasBrowser)('the TypeScript client in a browser', () => {
  const browser = useBrowser();
  const dist = mkdtempSync(join(tmpdir(), 'crossramp-sdk-'));
  let gateway: Awaited<ReturnType<typeof startApp>>;
  let shop: Server;
  let key: string;
  let tokens = 0;

  beforeAll(async () => {
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'packages/sdk', '--outDir', dist], {
      cwd: ROOT,
    });
    ({ apiKey: key } = await app.addAccount());
    gateway = await startApp(app.database, await freePort());
    shop = createServer(async ({ url: path = '/' }, response) => {
      if (path.endsWith('.js'))
        return void response.setHeader('content-type', 'text/javascript').end(readFileSync(join(dist, path)));
      if (path !== '/token') return void response.setHeader('content-type', 'text/html').end(page());
      tokens += 1;
      const { json } = await app.graphql(TOKEN, {}, { key });
      response.end(json.data.createStreamToken.streamToken.token);
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  }, 120_000);
  afterAll(async () => {
    shop?.close();
    gateway?.drain();
    await gateway?.close();
    rmSync(dist, { recursive: true });
  });
  const page = () => `<!doctype html><link rel="icon" href="data:,"><script type="module">
    import { createClient } from '/index.js';
    window.names = [];
    const key = async () => (await fetch('/token')).text();
    const client = createClient({ baseUrl: '${gateway.publicUrl}', key });
    for await (const { name } of client.events()) window.names.push(name);
  </script>`;

  test('follows events when the gateway disconnects and a token expires', async () => {
    const opened = await browser.open(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`, {
      strangers: [],
    });
    const names = () => opened.evaluate('window.names') as Promise<string[]>;
    await expect.poll(() => gateway.services.events.size).toBe(1);
    await makeOnramp(app, key);
    await expect.poll(names).toEqual(NAMES);
    gateway.drain();
    await gateway.close();
    await makeOnramp(app, key);
    const now = vi.spyOn(app.database, 'nowMs').mockReturnValue(app.database.nowMs() + 12_000);
    try {
      gateway = await startApp(app.database, Number(new URL(gateway.publicUrl).port));
      // The client waits longer before each attempt to connect again.
      await expect.poll(names, { timeout: 50_000 }).toEqual([...NAMES, ...NAMES]);
    } finally {
      now.mockRestore();
    }
    expect(tokens).toBeGreaterThan(1);
  });
});

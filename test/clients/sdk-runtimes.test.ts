/**
 * Goal: REST, events and verified webhooks with the TypeScript client in each runtime that its README names. Method: one program runs by Node,
 * Deno and Bun (TOOLS_TEST=1 installs them), and in Chromium on a page and in a worker, whose server passes requests on to the gateway.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSigningKey, signV1, signV1a } from '../../src/webhooks/sign.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { toolPath } from '../support/tools.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MACHINE = `${process.platform}-${process.arch}`;
/** Runtimes that are installed, with the Node of the machine, which may be older than the gateway's. */
const RUNTIMES = (
  [
    ['Node', process.execPath, []],
    ['the Node of the machine', '/usr/bin/node', []],
    ['Deno', toolPath(`@deno/${MACHINE}-glibc/deno`), ['run', '--allow-net']],
    ['Bun', toolPath(`@oven/bun-${MACHINE}/bin/bun`), []],
  ] as const
).flatMap(([name, program, args]) =>
  program && existsSync(program) ? [[name, program, args] as const] : [],
);
const HEAD = '<!doctype html><link rel="icon" href="data:,">';
const ALL = { state: 'DONE', verified: ['CRX1', 'CRX1'], forged: 'WebhookRefused' };
const run = promisify(execFile);
const app = useApp();
const browser = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'crossramp-sdk-'));
let server: Server;
let pages: string;

beforeAll(async () => {
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', 'packages/sdk', '--outDir', folder], { cwd: ROOT });
  cpSync(fileURLToPath(new URL('sdk-program.js', import.meta.url)), join(folder, 'program.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const { apiKey: key } = await app.addAccount();
  const input = (baseUrl: string) => JSON.stringify({ baseUrl, key, webhook: signedWebhook() });
  const program = (baseUrl: string) =>
    `import * as sdk from './index.js'; import { useClient } from './program.js'; const results = await useClient(sdk, ${input(baseUrl)});`;
  writeFileSync(join(folder, 'main.js'), `${program(app.baseUrl)} console.log(JSON.stringify(results));`);
  server = createServer((asked, response) => {
    const { url = '/', method, headers } = asked;
    const own: Record<string, string> = {
      '/page.js': `${program(pages)} globalThis.results = results;`,
      '/worker.js': `${program(pages)} postMessage(results);`,
      '/page.html': `${HEAD}<script type="module" src="/page.js"></script>`,
      '/worker.html': `${HEAD}<script>
        const worker = new Worker('/worker.js', { type: 'module' });
        worker.onmessage = ({ data }) => { globalThis.results = data; };
        worker.onerror = ({ message }) => console.error(message);
      </script>`,
    };
    const isScript = url.endsWith('.js');
    if (isScript || url in own) {
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      return void response.end(own[url] ?? readFileSync(join(folder, url)));
    }
    const passed = request(app.baseUrl + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  pages = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 120_000);
afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true });
});

/** A webhook that both kinds of secrets have signed. */
function signedWebhook() {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const signing = newSigningKey();
  const body = '{"end2end":"CRX1","state":"PAID"}';
  const seconds = Math.floor(Date.now() / 1_000);
  const signatures = [
    signV1(secret, 'evt_1_x', seconds, body),
    signV1a(signing.secret, 'evt_1_x', seconds, body),
  ];
  const headers = {
    'webhook-id': 'evt_1_x',
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
  return { secrets: [secret, signing.public], headers, body };
}

test.each(RUNTIMES)('pays, follows and verifies in %s', async (_name, program, args) => {
  const { stdout } = await run(program, [...args, 'main.js'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual(ALL);
});

test.runIf(hasBrowser).each(['page', 'worker'])(
  'pays, follows and verifies in a browser, in a %s',
  async (kind) => {
    const page = await browser.open(`${pages}/${kind}.html`);
    await page.waitForFunction('globalThis.results');
    expect(await page.evaluate('globalThis.results')).toEqual(ALL);
    expect(page.problems).toEqual([]);
  },
);

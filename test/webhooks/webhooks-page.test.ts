/**
 * Goal: docs/webhooks.md leads from nothing to a verified event, in each language (C-60). Method: the commands of the page as they
 * stand, on other ports; each receiver of the page as a process, also with a request that is forged or breaks off. Without Python or PHP their part is skipped.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { SILENT } from '../support/webhooks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8');
const COMMANDS = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code.trim());
const [CREATE = '', SECRET = '', RECEIVERS = '', CAUSE = '', SEE = ''] = COMMANDS;

const app = useApp();
let worker: WebhookWorker;
let folder: string;
beforeAll(() => {
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  folder = mkdtempSync(join(tmpdir(), 'webhooks-page-'));
});
afterAll(async () => {
  await worker.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a command of the page against the application of the test. */
async function run(command: string, port: number, header: string) {
  const here = command
    .replaceAll('.crossramp/sandbox.header', header)
    .replaceAll('http://localhost:4000', app.baseUrl)
    .replaceAll('http://localhost:3000', `http://localhost:${port}`);
  return JSON.parse((await promisify(execFile)('sh', ['-c', here])).stdout);
}

/** Sends the beginning of a request, and closes the connection. */
async function breakOff(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) =>
    socket.write('POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{', resolve),
  );
  socket.destroy();
}

const LANGUAGES = [
  ['receive-webhook.ts', true],
  ['receive_webhook.py', isInstalled('python3')],
  ['receive-webhook.php', isInstalled('php')],
] as const;

test.each(LANGUAGES)('the page shows %s as it runs here', (name) => {
  expect(PAGE).toContain(readFileSync(join(ROOT, 'docs/examples', name), 'utf8').trim());
  expect(RECEIVERS).toContain(`docs/examples/${name}`);
  expect(RECEIVERS).not.toMatch(/(?<!npx )\bnode .*\.ts/);
});

test.each(
  LANGUAGES.filter(([, isThere]) => isThere),
)('C-60: the commands of the page lead to an event that %s has verified', async (name) => {
  const port = await freePort();
  const shop = await app.addAccount();
  const header = join(folder, name);
  writeFileSync(header, `Authorization: Bearer ${shop.apiKey}\n`);
  const endpoint = await run(CREATE, port, header);
  const { results } = await run(SECRET.replace('whe_…', endpoint.id), port, header);
  const line = RECEIVERS.split('\n').find((each) => each.includes(name)) ?? '';
  const [program = '', ...args] = line
    .replace('WEBHOOK_SECRET=whsec_… ', '')
    // The Node of the system may be too old for TypeScript.
    .replace(/^npx node /, `${process.execPath} `)
    .replace(':3000', `:${port}`)
    .split(' ');
  const env = { ...process.env, WEBHOOK_SECRET: results[0].secret, PORT: String(port) };
  const receiver = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [receiver.stdout, receiver.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  try {
    const forged = () =>
      fetch(`http://127.0.0.1:${port}/hook`, {
        method: 'POST',
        body: '{"end2end":"FORGED"}',
        headers: { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) },
      }).then(({ status }) => status);
    await expect.poll(() => forged().catch(() => 0), { timeout: 20_000 }).toBe(400);
    await breakOff(port);
    const { end2end } = await run(CAUSE, port, header);
    const event = new RegExp(`onramp\\.depositpix\\.qrcode ${end2end}`);
    await expect.poll(() => printed, { timeout: 20_000 }).toMatch(event);
    const seen = async () =>
      (await run(SEE, port, header)).results.map(({ state }: { state: string }) => state);
    await expect.poll(seen, { timeout: 20_000 }).toContain('delivered');
    expect(printed).not.toContain('FORGED');
  } finally {
    receiver.kill();
  }
});

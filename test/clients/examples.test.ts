/**
 * Goal: each program of examples/ does what its text says. Method: it runs as a process against the real gateway with relay and
 * dispatcher; the shop after the compiler has checked it against the SDK as it is built. Without Python its part is skipped.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSchema, type GraphQLInterfaceType } from 'graphql';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';
import { openOnramp, SILENT } from '../support/webhooks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLES = join(ROOT, 'examples');
const PYTHON = ['/usr/bin/python3', 'python3'].find((each) => isInstalled(each));
const run = promisify(execFile);
const app = useApp();
let worker: WebhookWorker;
let place: string;
let key: string;
let program: ChildProcess | undefined;
beforeAll(() => {
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  place = mkdtempSync(join(tmpdir(), 'crossramp-examples-'));
});
beforeEach(async () => {
  key = (await app.addAccount()).apiKey;
});
afterEach(() => program?.kill());
afterAll(async () => {
  await worker.stop();
  rmSync(place, { recursive: true });
});

const environment = (more: Record<string, string> = {}) => ({
  ...process.env,
  ...{ CROSSRAMP_URL: app.baseUrl, CROSSRAMP_KEY: key },
  ...more,
});

/** Starts a server of an example, and waits until it says where it is. */
async function serve(cwd: string, file: string): Promise<string> {
  const port = await freePort();
  const started = spawn(process.execPath, [file], { cwd, env: environment({ PORT: String(port) }) });
  program = started;
  let printed = '';
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  await expect.poll(() => printed).toContain(`http://localhost:${port}`);
  return `http://localhost:${port}`;
}

/** Pays what waits for a payment, as the customer of the sandbox. */
async function pay(end2end: string): Promise<void> {
  const body = { scenario: 'pay', end2end };
  // Its PIX code may still be on its way.
  await expect.poll(async () => (await app.post('/v2/sandbox/trigger', body, { key })).status).toBe(200);
}

test('C-60: the shop sends a customer to the checkout, and marks the order paid when the webhook arrives', async () => {
  const sdk = join(place, 'packages/sdk');
  cpSync(join(ROOT, 'packages/sdk'), sdk, { recursive: true, filter: (path) => !path.endsWith('/dist') });
  cpSync(join(ROOT, 'tsconfig.json'), join(place, 'tsconfig.json'));
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await run(tsc, ['-p', '.', '--noEmit', 'false'], { cwd: sdk });
  const shop = join(place, 'examples/shop');
  cpSync(join(EXAMPLES, 'shop'), shop, { recursive: true });
  mkdirSync(join(shop, 'node_modules/@crossramp'), { recursive: true });
  symlinkSync(sdk, join(shop, 'node_modules/@crossramp/sdk'));
  const strict = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--types', 'node'];
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--ignoreConfig'];
  await run(tsc, [...strict, ...types, 'shop.ts'], { cwd: shop });
  const url = await serve(shop, 'shop.ts');
  const bought = await fetch(`${url}/buy`, { method: 'POST', redirect: 'manual' });
  expect([bought.status, bought.headers.get('location')]).toEqual([303, expect.stringMatching(/\/pay\//)]);
  const { results } = (await app.get('/v2/crossramp_checkouts', { key })).json;
  const [{ end2end, attributes }] = results;
  const page = async () => (await fetch(url)).text();
  expect(await page()).toContain(`${attributes.external_code}: waiting`);
  const customer = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
  await app.post(`/v2/crossramp_checkout/${end2end}/identity`, customer, { key });
  await app.post(`/v2/crossramp_checkout/${end2end}/confirm_identity`, {}, { key });
  await pay(end2end);
  await expect.poll(page).toContain(`${attributes.external_code}: paid`);
  expect((await fetch(`${url}/hook`, { method: 'POST', body: '{}' })).status).toBe(400);
});

test('the live list shows a transaction and its change while a person watches', async () => {
  const first = await openOnramp(app, key);
  const url = await serve(join(EXAMPLES, 'live-list'), 'live-list.js');
  await expect.poll(async () => (await fetch(url)).text()).toContain(`${first} · Ana Souza · R$ 50`);
  const gone = new AbortController();
  const { body } = await fetch(`${url}/changes`, { signal: gone.signal });
  let seen = '';
  const read = (async () => {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
      seen += Buffer.from(chunk).toString();
  })().catch(() => {});
  const second = await openOnramp(app, key);
  await expect.poll(() => seen).toContain(second);
  const before = seen.length;
  await pay(second);
  await expect.poll(() => seen.slice(before)).toContain(second);
  gone.abort();
  await read;
});

test.each([
  'live-list/live-list.js',
  'react/src/documents.js',
])('%s has a fragment for each template', (file) => {
  const schema = buildSchema(readFileSync(join(ROOT, 'schema.graphql'), 'utf8'));
  const kinds = schema.getPossibleTypes(schema.getType('Transaction') as GraphQLInterfaceType);
  const program = readFileSync(join(EXAMPLES, file), 'utf8');
  const fragments = [...program.matchAll(/fragment \w+ on (?!Transaction\b)(\w+)/g)].map(([, kind]) => kind);
  expect(fragments.sort()).toEqual(kinds.map(({ name }) => name).sort());
});

test('the live list shows an amount for each template', async () => {
  key = app.apiKey;
  const url = await serve(join(EXAMPLES, 'live-list'), 'live-list.js');
  const { json } = await app.graphql('{ transactions(first: 20) { nodes { kind: __typename end2end } } }');
  const listed: { kind: string; end2end: string }[] = json.data.transactions.nodes;
  expect(new Set(listed.map(({ kind }) => kind)).size).toBe(6);
  const page = async () => (await fetch(url)).text();
  await expect.poll(page).toContain('<li');
  const html = await page();
  for (const { end2end } of listed)
    expect(html.match(`id="${end2end}".*?</li>`)?.[0]).toMatch(/ · (R\$ [\d.]+|[\d.]+ [A-Z]\w+) · /);
});

test.runIf(PYTHON)('the back office prints balances and lines, and sends dead deliveries again', async () => {
  await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '100' }, { key });
  const script = join(EXAMPLES, 'back-office/back_office.py');
  const env = environment({ PYTHONPATH: join(ROOT, 'packages/python') });
  const { stdout } = await run(PYTHON ?? '', ['-B', script], { env });
  expect(stdout).toMatch(
    /^Balances\n {2}\S.*: 100\nLines of [\d-]+\n {2}\S+ USDT.* \+100 no transaction\nWebhooks\n/,
  );
  expect(stdout).toContain('0 of 0 dead deliveries are sent again');
});

test.each([
  ['accept-a-payment.sh', /^The customer pays at http\S+\nCRX\w+ is DONE\n\{"calculated_BRL_total_balance"/],
  ['pay-a-supplier.sh', /^CRX\w+ is Success: PIX E\w+\n$/],
])('%s ends with the payment', async (name, printed) => {
  const { stdout } = await run('sh', [join(EXAMPLES, 'curl', name)], { env: environment() });
  expect(stdout).toMatch(printed);
});

test.each([
  'live-list/live-list.js',
  'react/src/subscribe.js',
])('%s pauses for seconds between connections: pauses of graphql-sse double without end', (file) => {
  expect(readFileSync(join(EXAMPLES, file), 'utf8')).toMatch(/retry: \(\) =>/);
});

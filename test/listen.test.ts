/**
 * Goal: `crossramp listen` and `events tail` follow the log as processes of their own. Method: a real application, a real
 * receiver, the commands started as the README says; the listener is killed in the middle and goes on where it stopped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebhooks } from '../src/webhooks/worker.ts';
import { startApp, useApp } from './support/app.ts';
import { freePort } from './support/free-port.ts';
import { newHome } from './support/home.ts';
import { eventually, useReceiver } from './support/receiver.ts';
import { SILENT } from './support/webhooks.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const app = useApp();
const receiver = useReceiver();
const place = newHome();
const running: ChildProcess[] = [];

beforeAll(() => {
  writeFileSync(
    join(place.home, 'sandbox.json'),
    JSON.stringify({ baseUrl: app.baseUrl, apiKey: app.apiKey }),
  );
});
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  place.remove();
});

function start(...args: string[]): { child: ChildProcess; stdout: () => string; stderr: () => string } {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'scripts/run.js', 'src/cli/main.ts', ...args],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, CROSSRAMP_HOME: place.home },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  running.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  return { child, stdout: () => stdout, stderr: () => stderr };
}

const until = (holds: () => boolean) => eventually(String(holds), holds);

async function payOne(): Promise<string> {
  const { json } = await app.post('/v2/onramp', {
    amount_payment: 100,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana',
    client_tax_id: '52998224725',
  });
  await app.post('/v2/sandbox/trigger', { scenario: 'pay', end2end: json.end2end });
  return json.end2end;
}

const STEPS = [
  'quote.quote',
  'quote.accepted',
  'valida_id.initial',
  'depositpix.qrcode',
  'depositpix.paid',
  'swap_transfer.initial',
  'success.done',
];

test('every event is forwarded in order, signed, byte for byte; a killed listener continues where it stopped', async () => {
  const first = start(
    'listen',
    '--forward-to',
    receiver.url('hook'),
    '--after',
    Buffer.from(`e1:${app.accountId}:0`).toString('base64url'),
  );
  await until(() => first.stderr().includes('forwarding to'));
  const one = await payOne();
  await receiver.until('hook', STEPS.length);
  first.child.kill('SIGKILL');
  const two = await payOne();
  const second = start('listen', '--forward-to', receiver.url('hook'));
  // What was sent when the listener was killed is sent again: under the same id.
  await until(
    () => new Set(receiver.at('hook').map(({ headers }) => headers['webhook-id'])).size >= 2 * STEPS.length,
  );
  const got = receiver.at('hook');
  const seen = new Map(got.map((each) => [each.headers['webhook-id'], each]));
  const names = [...seen.values()].map(
    ({ headers, body }) => `${JSON.parse(body).end2end} ${headers['crossramp-event']}`,
  );
  expect(names).toEqual([
    ...STEPS.map((step) => `${one} onramp.${step}`),
    ...STEPS.map((step) => `${two} onramp.${step}`),
  ]);
  const secret = /signing secret: (\S+)/.exec(second.stderr())?.[1] ?? '';
  for (const { headers, body } of got) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
  const last = got.at(-1);
  expect(last?.body).toBe((await app.get(`/v2/onramp/${two}`)).text);
}, 60_000);

test('a receiver that fails gets the same event again, and filters leave out the rest', async () => {
  let failures = 2;
  receiver.answer('picky', () => ({ status: failures-- > 0 ? 500 : 200 }));
  const listener = start('listen', '--forward-to', receiver.url('picky'), '--events', 'onramp.success.*');
  await until(() => listener.stderr().includes('forwarding to'));
  await payOne();
  const got = await receiver.until('picky', 3);
  expect(got.map(({ headers }) => headers['crossramp-event'])).toEqual(Array(3).fill('onramp.success.done'));
  expect(got.map(({ headers }) => headers['crossramp-attempt'])).toEqual(['1', '2', '3']);
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
}, 60_000);

test('C-64: a redelivery to an endpoint arrives again, under its id, and no other event does', async () => {
  const worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  try {
    await app.graphql(
      'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url }) { webhookEndpoint { id: endpointId } errors { code message path } } }',
      {
        url: receiver.url('shop'),
      },
    );
    const listener = start('listen', '--forward-to', receiver.url('again'));
    await until(() => listener.stderr().includes('forwarding to'));
    const end2end = await payOne();
    const first = await receiver.until('again', STEPS.length);
    // By transaction, so that its deliveries come in the order of its events.
    const query = `{ transaction(end2end: "${end2end}") { deliveries { id: deliveryId state event { name body: legacyBody } } } }`;
    const deliveries = await eventually('deliveries that have arrived', async () => {
      const all = (await app.graphql(query)).json.data.transaction.deliveries;
      const arrived = all.filter(({ state }: { state: string }) => state === 'DELIVERED');
      return arrived.length === STEPS.length && arrived;
    });
    expect(deliveries.map(({ event }: { event: { body: string } }) => event.body)).toEqual(
      first.map(({ body }) => body),
    );
    const asked = await app.graphql(
      'mutation ($id: String!) { redeliverWebhook(input: { deliveryId: $id }) { webhookDelivery { id: deliveryId round } errors { code message path } } }',
      {
        id: deliveries[4].id,
      },
    );
    expect(asked.json.data?.redeliverWebhook.webhookDelivery, asked.text).toMatchObject({ round: 1 });
    const got = await receiver.until('again', STEPS.length + 1);
    expect(got).toHaveLength(STEPS.length + 1);
    const [one, again] = [first[4], got.at(-1)];
    expect(again?.body).toBe(one?.body);
    expect(again?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    expect(again?.headers['crossramp-event']).toBe('onramp.depositpix.paid');
  } finally {
    await worker.stop();
  }
}, 60_000);

test("listeners of one home folder do not get in each other's way", async () => {
  const names = ['one', 'two', 'three', 'four'];
  const listeners = names.map((name) => start('listen', '--forward-to', receiver.url(name)));
  await until(() => listeners.every(({ stderr }) => stderr().includes('forwarding to')));
  const onramps = 6;
  for (let made = 0; made < onramps; made++) await payOne();
  for (const name of names) await receiver.until(name, onramps * STEPS.length);
  expect(listeners.map(({ child }) => child.exitCode)).toEqual(names.map(() => null));
}, 60_000);

test('C-61: a last * matches every following part', async () => {
  const after = Buffer.from(`e1:${app.accountId}:0`).toString('base64url');
  const tail = start('events', 'tail', '--after', after, '--events', 'offramp.*,onramp.dep*.*', '--json');
  const all = start('events', 'tail', '--after', after, '--events', 'onramp.*', '--json');
  const namesOf = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).name);
  await until(() => namesOf(all.stdout()).length >= STEPS.length && namesOf(tail.stdout()).length >= 2);
  expect(namesOf(all.stdout()).slice(0, STEPS.length)).toEqual(STEPS.map((step) => `onramp.${step}`));
  expect(namesOf(tail.stdout()).slice(0, 2)).toEqual(['onramp.depositpix.qrcode', 'onramp.depositpix.paid']);
}, 60_000);

test('a refused key is reported in one line', async () => {
  const tail = start('events', 'tail', '--base-url', app.baseUrl, '--key', 'crx_test_none');
  await until(() => tail.child.exitCode !== null);
  expect([tail.child.exitCode, tail.stderr()]).toEqual([
    1,
    'crossramp: the gateway answers 401: a valid API key is required\n',
  ]);
}, 60_000);

test('events tail prints one line for each', async () => {
  const tail = start(
    'events',
    'tail',
    '--after',
    Buffer.from(`e1:${app.accountId}:0`).toString('base64url'),
    '--json',
  );
  await until(() => tail.stdout().split('\n').length > STEPS.length);
  const lines = tail
    .stdout()
    .trim()
    .split('\n')
    .slice(0, STEPS.length)
    .map((line) => JSON.parse(line));
  expect(lines.map(({ name }) => name)).toEqual(STEPS.map((step) => `onramp.${step}`));
}, 60_000);

test('events tail reports that the gateway no longer answers, and that it answers again, and misses nothing', async () => {
  const port = await freePort();
  const gateway = await startApp(app.database, port);
  const cursor = (await app.get('/v2/events')).json.next;
  const tail = start(
    'events',
    'tail',
    '--base-url',
    gateway.publicUrl,
    '--key',
    app.apiKey,
    '--after',
    cursor,
  );
  const first = await payOne();
  await until(() => tail.stdout().includes(first));
  gateway.drain();
  await gateway.close();
  await until(() => tail.stderr().includes('does not answer'));
  const second = await payOne();
  const again = await startApp(app.database, port);
  await until(() => tail.stdout().includes(second));
  expect(tail.stderr()).toBe(
    `crossramp: the gateway at ${gateway.publicUrl} does not answer, asking again every second\n` +
      'crossramp: the gateway answers again\n',
  );
  tail.child.kill('SIGKILL');
  again.drain();
  await again.close();
}, 60_000);

/**
 * Goal: behind the nginx of docs/examples/nginx.conf, all requests of a key go to one gateway while it runs, and to the other one when it
 * was killed. Method: two gateways as the README starts them, and the file as it is but for the ports; the request log of each
 * process says what it answered. Skipped where there is no nginx.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { newHome } from './support/home.ts';
import { isInstalled } from './support/installed.ts';
import { type Running, start } from './support/process.ts';
import { eventually } from './support/receiver.ts';

const isThere = isInstalled('nginx', '-v');

const store = useDatabase();
const place = newHome();
const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
const running: Running[] = [];
let nginx: ChildProcess | undefined;
let baseUrl = '';
let key = '';

beforeAll(async () => {
  if (!isThere) return;
  const env = {
    DATABASE_URL: store.url,
    SANDBOX: '1',
    CROSSRAMP_HOME: place.home,
    LOG_LEVEL: 'info',
    TRUSTED_PROXIES: '127.0.0.1/32',
  };
  for (const _ of [0, 1]) running.push(await start(env));
  key = JSON.parse(readFileSync(join(place.home, 'sandbox.json'), 'utf8')).apiKey;
  const port = await freePort();
  const [first, second] = running.map((each) => new URL(each.baseUrl).port);
  const file = join(folder, 'nginx.conf');
  const example = readFileSync(new URL('../docs/examples/nginx.conf', import.meta.url), 'utf8');
  const ports: Record<string, unknown> = { 3000: first, 3001: second, 8080: port };
  const paths = `pid ${folder}/pid;\nerror_log ${folder}/error.log;\ndaemon off;\n`;
  writeFileSync(
    file,
    paths + example.replaceAll(/127\.0\.0\.1:(\d+)/g, (_, was: string) => `127.0.0.1:${ports[was]}`),
  );
  nginx = spawn('nginx', ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' });
  baseUrl = `http://127.0.0.1:${port}`;
  await eventually('nginx', async () => (await call('/healthz').catch(() => 0)) === 200);
}, 120_000);
afterAll(async () => {
  nginx?.kill('SIGTERM');
  await Promise.all(running.map((each) => each.end('SIGTERM')));
  place.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function call(path: string, body?: unknown): Promise<number> {
  const answer = await fetch(baseUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await answer.text();
  return answer.status;
}

const ORDER = {
  amount_payment: 50,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};

test.skipIf(!isThere)(
  'a key always uses the same gateway, and the other one when that was killed',
  async () => {
    const logs = running.map(({ child }) => {
      const lines: string[] = [];
      child.stderr?.on('data', (chunk: Buffer) => lines.push(...String(chunk).split('\n')));
      return () => lines.filter((line) => line.includes('/v2/onramp')).length;
    });
    const answered = () => logs.map((count) => count());
    const ask = async () => expect(await call('/v2/onramp', ORDER)).toBe(201);
    await Promise.all(Array.from({ length: 20 }, ask));
    await expect.poll(() => Math.max(...answered())).toBe(20);
    expect(Math.min(...answered())).toBe(0);

    const chosen = answered()[0] === 20 ? 0 : 1;
    await running[chosen]?.end('SIGKILL');
    await Promise.all(Array.from({ length: 10 }, ask));
    await expect.poll(() => answered()[1 - chosen]).toBe(10);

    const stream = await fetch(`${baseUrl}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: 'subscription { events { cursor } }' }),
    });
    expect(stream.status).toBe(200);
    let heard = '';
    for await (const text of (stream.body as ReadableStream<BufferSource>).pipeThrough(
      new TextDecoderStream(),
    )) {
      heard += text;
      if (heard.includes('id:')) break;
    }
    expect(heard).toContain('id:');
  },
  60_000,
);

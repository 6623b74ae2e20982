/**
 * Goal: nothing that happens to its log ends or holds up the gateway (C-51). Method: the gateway as a process whose standard error
 * is a full device, or a pipe that nobody reads.
 */
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';
import { type Running, start, startWithLog } from './support/process.ts';

/** Each is a line of about 150 bytes in the log. */
const REQUESTS = 500;
/** More than a pipe and its reader hold. */
const REQUESTS_OF_PIPE = 3_000;
const PARALLEL_MAX = 50;

const store = useDatabase();
const { home, remove } = newHome();
afterAll(remove);
const env = () => ({
  CROSSRAMP_HOME: home,
  DATABASE_URL: store.url,
  LOG_LEVEL: 'info',
  SANDBOX: '1',
  RATE_LIMIT: 'off',
});

/** @returns the statuses of many requests, each with a line in the log. */
async function request({ baseUrl }: Running, count = REQUESTS): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let sent = 0; sent < count; sent += PARALLEL_MAX)
    await Promise.all(
      Array.from({ length: PARALLEL_MAX }, async () => {
        const answer = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(20_000) });
        await answer.arrayBuffer();
        statuses.add(answer.status);
      }),
    );
  return statuses;
}

/** Its API key writes; a read, the list and `/readyz` then agree with what the write answered. */
async function agree({ baseUrl }: Running): Promise<void> {
  const { apiKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
  const call = async (path: string, body?: object) => {
    const answer = await fetch(baseUrl + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(20_000),
    });
    return { status: answer.status, json: await answer.json() };
  };
  const made = await call('/v2/crossramp_checkout', {
    amount_payment: 50,
    currency_exit_received_code: 'USDT_TRX',
  });
  expect(made.status).toBe(201);
  const { payment_link: _link, ...written } = made.json;
  const read = await call(`/v2/crossramp_checkout/${written.end2end}`);
  expect([read.status, read.json]).toEqual([200, written]);
  const list = await call('/v2/crossramp_checkouts?limit=1');
  expect(list.json.results[0].end2end).toBe(written.end2end);
  const ready = await fetch(`${baseUrl}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([200, expect.stringContaining('ready')]);
}

test('C-51: a gateway whose log is on a full disk starts, answers and ends', async () => {
  const running = await startWithLog(openSync('/dev/full', 'w'), env());
  try {
    expect(await request(running)).toEqual(new Set([200]));
    await agree(running);
    expect((await running.end('SIGTERM')).code).toBe(0);
  } finally {
    running.child.kill('SIGKILL');
  }
}, 120_000);

test('C-51: a gateway whose log is not read answers, and ends', async () => {
  const running = await start(env());
  try {
    running.child.stderr?.pause();
    expect(await request(running, REQUESTS_OF_PIPE)).toEqual(new Set([200]));
    await agree(running);
    running.child.kill('SIGTERM');
    const code = await new Promise((resolve) => running.child.once('exit', resolve));
    expect(code).toBe(0);
  } finally {
    running.child.kill('SIGKILL');
    running.child.stderr?.resume();
  }
}, 120_000);

test('C-51: a gateway continues when the reader of its log has exited', async () => {
  const running = await start(env());
  try {
    running.child.stderr?.destroy();
    expect(await request(running)).toEqual(new Set([200]));
    await agree(running);
    running.child.kill('SIGTERM');
    const code = await new Promise((resolve) => running.child.once('exit', resolve));
    expect(code).toBe(0);
  } finally {
    running.child.kill('SIGKILL');
  }
}, 120_000);

/**
 * Goal: a gateway that is not ready yet says so in the published forms (C-50, C-51). Method: a process whose database
 * accepts connections and never answers, and one whose way to other processes does so; requests in the meantime.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from './support/free-port.ts';
import { newHome } from './support/home.ts';
import { failToStart, start } from './support/process.ts';

const { home, remove } = newHome();
let silent: Server;

beforeAll(async () => {
  silent = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  silent.close();
  remove();
});

/** Asks until the port is open. */
async function query(url: string): Promise<{ status: number; retryAfter: string | null; json: unknown }> {
  const answer = await vi.waitFor(
    () =>
      fetch(url).catch((cause: unknown) => {
        throw new Error(`nothing answers at ${url}`, { cause });
      }),
    { timeout: 30_000, interval: 20 },
  );
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    json: await answer.json().catch(() => undefined),
  };
}

test('C-50: requests during the start get 503 UNAVAILABLE; /healthz is 200, /readyz gives the reason', async () => {
  const port = await freePort();
  const database = `postgres://somebody@127.0.0.1:${(silent.address() as AddressInfo).port}/crossramp`;
  const ended = failToStart({ PORT: String(port), CROSSRAMP_HOME: home, DATABASE_URL: database });
  const base = `http://127.0.0.1:${port}`;
  const problem = {
    type: `http://localhost:${port}/errors/UNAVAILABLE`,
    status: 503,
    code: 'UNAVAILABLE',
    detail: 'the gateway is starting',
    request_id: expect.any(String),
  };
  const answers = await Promise.all(
    ['/healthz', '/readyz', '/v2/balance', '/graphql'].map((path) => query(base + path)),
  );
  expect(answers).toMatchObject([
    { status: 200, json: { status: 'ok' } },
    { status: 503, retryAfter: '1', json: { status: 'not ready', reason: 'starting' } },
    { status: 503, retryAfter: '1', json: problem },
    { status: 503, retryAfter: '1', json: { ...problem, errors: [{ extensions: { code: 'UNAVAILABLE' } }] } },
  ]);
  expect((await ended).code).toBe(1);
}, 60_000);

test('C-50: a gateway whose workers have not begun is not ready, though its database answers', async () => {
  const port = await freePort();
  const others = `postgres://somebody@127.0.0.1:${(silent.address() as AddressInfo).port}/crossramp`;
  const connected = once(silent, 'connection');
  const starting = start({ PORT: String(port), CROSSRAMP_HOME: home, NOTIFY_URL: others });
  const ready = `http://127.0.0.1:${port}/readyz`;
  try {
    await Promise.race([connected, starting]);
    expect(await query(ready)).toMatchObject({ status: 503, json: { reason: 'starting' } });
  } finally {
    const running = await starting;
    const { status } = await query(ready);
    await running.end('SIGTERM');
    expect(status).toBe(200);
  }
}, 120_000);

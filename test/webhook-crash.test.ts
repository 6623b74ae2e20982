/**
 * Goal: webhooks lose nothing and keep the order of each transaction, whoever dies. Method: a process that serves and one
 * that works, killed with SIGKILL at random moments and started again, under load; what the receiver got is compared with
 * the event log. SECONDS=120 for more.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';
import { type Running, start } from './support/process.ts';
import { useReceiver } from './support/receiver.ts';

const SECONDS = Number(process.env.SECONDS ?? 12);
const CLIENTS = 8;
const SETTLE_MAX_MS = 120_000;

const store = useDatabase();
const receiver = useReceiver();
const place = newHome();
const alive = new Map<string, Running>();
let env: Record<string, string> = {};
let key = '';
let isOver = false;
let kills = 0;

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

beforeAll(async () => {
  env = { DATABASE_URL: store.url, CROSSRAMP_HOME: place.home, RATE_LIMIT: 'off', LOG_LEVEL: 'silent' };
  const port = await freePort();
  for (const [role, own] of [
    ['serve', { PORT: port }],
    ['work', {}],
  ] as const)
    alive.set(role, await start({ ...env, ...own, ROLE: role }));
  env.PORT = port;
  key = JSON.parse(readFileSync(join(place.home, 'sandbox.json'), 'utf8')).apiKey;
}, 120_000);
afterAll(async () => {
  for (const each of alive.values()) await each.end('SIGKILL');
  place.remove();
});

/** Asks until there is an answer that is not of a dying process. */
async function ask(path: string, body: object, idempotencyKey?: string) {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${env.PORT}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    const json = await answer?.json().catch(() => undefined);
    if (answer && json && (answer.status < 300 || json.code === 'STEP_CONFLICT')) return json;
    await sleep(100);
  }
}

async function client(): Promise<void> {
  while (!isOver) {
    const made = await ask(
      '/v2/onramp',
      {
        amount_payment: 20,
        currency_exit_received_code: 'USDT_TRX',
        client_name: 'Ana',
        client_tax_id: '52998224725',
        webhook: receiver.url('hook'),
      },
      randomUUID(),
    );
    await ask('/v2/sandbox/trigger', { scenario: 'pay', end2end: made.end2end });
  }
}

async function killer(role: string): Promise<void> {
  while (!isOver) {
    await sleep(500 + Math.random() * 2_500);
    await alive.get(role)?.end('SIGKILL');
    kills++;
    const { PORT, ...rest } = env;
    alive.set(role, await start({ ...rest, ...(role === 'serve' && PORT ? { PORT } : {}), ROLE: role }));
  }
}

test(
  'every event arrives, in order for its transaction, and twice only under its id',
  async () => {
    const work = [...Array.from({ length: CLIENTS }, client), killer('serve'), killer('work')];
    await sleep(SECONDS * 1_000);
    isOver = true;
    await Promise.all(work);
    const pending = async () =>
      Number(
        (
          await store.owner.query(
            `select (select count(*) from webhook_delivery where state = 'pending') + (select count(*) from job where kind not like 'expire%')
               + (select count(*) from event e, relay_cursor c where (e.xid, e.id) > (c.xid, c.id)) as n`,
          )
        ).rows[0].n,
      );
    const until = Date.now() + SETTLE_MAX_MS;
    while ((await pending()) > 0 && Date.now() < until) {
      // What failed while nobody answered waits for its time on the sandbox's clock.
      await ask('/v2/sandbox/clock', { advance: '10s' });
      await sleep(300);
    }
    const { rows } = await store.owner.query<{
      id: string;
      payload: string;
      transaction: string;
      sequence: number;
    }>(
      `select 'evt_' || seq || '_' || token as id, payload, transaction_id as transaction, sequence from event order by seq`,
    );
    const got = receiver.at('hook');
    const first = new Map<string, number>();
    for (const [at, { headers, body }] of got.entries()) {
      const id = headers['webhook-id'] as string;
      expect(rows.find((row) => row.id === id)?.payload).toBe(body);
      if (!first.has(id)) first.set(id, at);
    }
    expect(rows.filter(({ id }) => !first.has(id))).toEqual([]);
    for (const events of Map.groupBy(rows, (row) => row.transaction).values()) {
      const order = events
        .toSorted((a, b) => a.sequence - b.sequence)
        .map(({ id }) => first.get(id) as number);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
    expect(rows.length).toBeGreaterThan(50);
    process.stdout.write(`${kills} kills, ${rows.length} events, ${got.length} requests\n`);
  },
  SECONDS * 1_000 + SETTLE_MAX_MS + 60_000,
);

/**
 * Goal: `/readyz` says what a request that comes at the same time would find, neither what was before it nor what a single dead
 * connection makes of it (C-51). Method: a made-up database whose connections answer or are silent, and time that a test moves.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RunningWork } from '../../../src/resolvers/services/running-work.ts';
import { readinessServer } from '../../../src/server/http/health.ts';
import type { Exchange } from '../../../src/server/http/http.ts';
import type { Database, Tx } from '../../../src/store/connection/database.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';

/** What a new connection does. */
type Connection = 'answers' | 'is silent' | 'is refused' | 'refuses writes';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function gateway() {
  const now: { connection: Connection; aheadMs: number } = { connection: 'answers', aheadMs: 0 };
  const opened: Connection[] = [];
  const open = { now: 0, most: 0 };
  const writes = new RunningWork();
  const within: Database['within'] = async (limitMs, work) => {
    const { connection } = now;
    opened.push(connection);
    if (connection === 'is refused') throw new Error('refused');
    const query: Tx['query'] = async (statement) => {
      if (connection === 'refuses writes' && statement.name === 'readiness_write')
        throw new Error('read-only');
      return [];
    };
    if (connection !== 'is silent') return work({ query });
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    return new Promise((_, reject) => setTimeout(reject, limitMs, new Error('no answer'))).finally(() => {
      open.now -= 1;
    }) as never;
  };
  const query: Database['query'] = async () => {
    if (now.connection === 'is refused') throw new Error('refused');
    return now.connection === 'is silent' ? new Promise(() => {}) : [];
  };
  const database = { within, query, wallAheadMs: () => now.aheadMs } as Database;
  const serve = readinessServer(
    { database, clock: { ...SYSTEM_CLOCK, nowMs: async () => 0 }, writes, readsOnly: false },
    () => false,
  );
  /** @returns what is answered, once it is. */
  const ask = async (): Promise<string> => {
    let answered = '';
    let status = 0;
    const response = {
      writeHead: (given: number) => {
        status = given;
      },
      end: (body: string) => {
        answered = `${status} ${JSON.parse(body).reason ?? ''}`.trimEnd();
      },
    };
    await serve({ request: { method: 'GET' }, response } as unknown as Exchange);
    return answered;
  };
  return { now, opened, open, writes, ask };
}

const passMs = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a request that arrives once the database answers does not get the result of an earlier check', async () => {
  const { now, ask } = gateway();
  now.connection = 'is silent';
  const early = ask();
  await passMs(1_400);
  now.connection = 'answers';
  const late = ask();
  await passMs(600);
  expect([await early, await late]).toEqual(['503 database away', '200']);
});

test('one silent connection makes it use another one', async () => {
  const { now, opened, ask } = gateway();
  now.connection = 'is silent';
  const asked = ask();
  await passMs(100);
  now.connection = 'answers';
  await passMs(500);
  expect(await asked).toBe('200');
  expect(opened).toEqual(['is silent', 'answers']);
});

test('if no connection answers it reports that within two seconds', async () => {
  const { now, ask } = gateway();
  now.connection = 'is silent';
  const answered = vi.fn();
  ask().then(answered);
  await passMs(1_900);
  expect(answered).toHaveBeenCalledWith('503 database away');
});

test('a refusal of the database is reported immediately', async () => {
  const { now, ask } = gateway();
  now.connection = 'is refused';
  expect(await ask()).toBe('503 database away');
  now.connection = 'refuses writes';
  expect(await ask()).toBe('503 the database can be read but not written');
});

test('a machine whose clock is more than five seconds off is not ready', async () => {
  const { now, ask } = gateway();
  for (const aheadMs of [5_001, -5_001]) {
    now.aheadMs = aheadMs;
    expect(await ask()).toBe('503 the clock of this machine is off');
  }
  now.aheadMs = -5_000;
  expect(await ask()).toBe('200');
});

test('however often it is requested, only a few connections wait for an answer', async () => {
  const { now, open, ask } = gateway();
  now.connection = 'is silent';
  const asked = Array.from({ length: 600 }, async (_, n) => {
    await new Promise((resolve) => setTimeout(resolve, n * 10));
    return ask();
  });
  await passMs(10_000);
  expect(open).toEqual({ now: 0, most: 3 });
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['503 database away']));
});

test('it waits for the writes of callers that are under way, and is not ready while they do not end', async () => {
  const { writes, ask } = gateway();
  let commit = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const write = writes.counting(() => committed)('a step');
  const hanging = ask();
  await passMs(1_900);
  expect(await hanging).toBe('503 the database can be read but not written');
  const asked = ask();
  await passMs(500);
  commit();
  await write;
  await passMs(0);
  expect(await asked).toBe('200');
});

/**
 * Goal: a notifier listens again, whatever ended or refused it. Method: real connections, of which the first `listen` is refused.
 */
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { Notifier } from '../../src/resolvers/services/notifier.ts';
import { connectNotifier } from '../../src/server/process/remote-notifier.ts';
import { useDatabase } from '../support/database.ts';

const log = pino({ level: 'silent' });
const store = useDatabase();
afterEach(() => void vi.restoreAllMocks());

test('a refused `listen` on an open connection is repeated on another one', async () => {
  const { query } = pg.Client.prototype;
  let refusals = 0;
  const refusing = function (this: pg.Client, ...args: unknown[]) {
    if (refusals > 0 || !String(args[0]).startsWith('listen')) return query.apply(this, args as never);
    refusals += 1;
    // The server answers: a connection without an answer would be replaced anyway.
    return query.apply(this, ['select 1 / 0'] as never);
  };
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(refusing as never);
  const [near, far] = [new Notifier(), new Notifier()];
  const options = { url: store.url, schema: 'public', works: false };
  const wires = [await connectNotifier(near, options, log), await connectNotifier(far, options, log)];
  let heard = 0n;
  near.onAny(([accountId = 0n]) => {
    if (accountId === 7n) heard = accountId;
  });
  try {
    await expect
      .poll(
        () => {
          far.notifyMoved([{ accountId: 7n, transactionId: 1n }]);
          return heard;
        },
        { timeout: 15_000, interval: 100 },
      )
      .toBe(7n);
    expect(refusals).toBe(1);
  } finally {
    for (const wire of wires) await wire.close();
  }
});

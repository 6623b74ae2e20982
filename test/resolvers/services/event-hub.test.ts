/**
 * Goal: the hub reads once for all, never misses what is committed, and keeps nothing for those who left; cursors are of one
 * account; open streams are looked after. Method: the hub on a real database, the rest with made-up parts.
 */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { GatewayError } from '../../../src/base/errors/errors.ts';
import { eventName } from '../../../src/base/ids/step-name.ts';
import { BEFORE_FIRST, decodeEventCursor, encodeEventCursor } from '../../../src/events/cursor.ts';
import { templateOfEvent } from '../../../src/events/event-name.ts';
import { frameStream } from '../../../src/resolvers/events/frame-stream.ts';
import { EventHub } from '../../../src/resolvers/services/event-hub.ts';
import { Notifier } from '../../../src/resolvers/services/notifier.ts';
import { StreamLimit } from '../../../src/resolvers/services/stream-limit.ts';
import { type EndReason, OpenStreams } from '../../../src/server/streams/open-streams.ts';
import type { KeyRecord } from '../../../src/store/account/api-keys.ts';
import { addMover, append } from '../../live/streams.ts';
import { useApp } from '../../support/app.ts';

const app = useApp();

/** A hub of its own, and what it asks the database. */
function hubOf() {
  const notifier = new Notifier();
  const asked: string[] = [];
  const database: typeof app.database = {
    ...app.database,
    query: (statement, values) => {
      asked.push(statement.name);
      return app.database.query(statement, values);
    },
  };
  return { hub: new EventHub(database, notifier), notifier, asked };
}

describe('the hub', () => {
  test('reads marks once for all who begin at the same time, and events once for all followers', async () => {
    // A machine that is slow sees the hub look by itself in between: that is not what is counted here.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const mover = await addMover(app);
    const { hub, notifier, asked } = hubOf();
    const watches = Array.from({ length: 50 }, () => hub.watch(mover.accountId));
    await Promise.all(watches.map((watch) => watch.fresh()));
    expect(asked).toEqual(['event_marks']);
    const waiting = Promise.all(watches.map((watch) => watch.wait()));
    await append(app, mover, 3);
    notifier.notify([mover.accountId]);
    await waiting;
    const pages = await Promise.all(watches.map((watch) => watch.page(BigInt(mover.before))));
    for (const page of pages) expect(page).toHaveLength(3);
    expect(asked).toEqual(['event_marks', 'event_marks', 'event_page']);
    for (const watch of watches) watch.end();
    expect(hub.size).toBe(0);
  });

  test('a follower that is behind reads pages from the database, together with others at the same position', async () => {
    const mover = await addMover(app);
    await append(app, mover, 500);
    const { hub, asked } = hubOf();
    const watches = [hub.watch(mover.accountId), hub.watch(mover.accountId)];
    for (const watch of watches) await watch.fresh();
    const [first, second] = await Promise.all(watches.map((watch) => watch.page(0n)));
    expect(first).toHaveLength(64);
    expect(second).toBe(first);
    expect(asked.filter((name) => name === 'event_page')).toHaveLength(1);
    const seen: bigint[] = [];
    for (let after = 0n; ; ) {
      const page = (await watches[0]?.page(after)) ?? [];
      if (page.length === 0) break;
      seen.push(...page.map(({ seq }) => seq));
      after = seen.at(-1) as bigint;
    }
    expect(seen).toEqual(Array.from({ length: 500 + mover.before }, (_, i) => BigInt(i + 1)));
    for (const watch of watches) watch.end();
  });

  test('sees changes without a notification, more than it caches, without a gap', async () => {
    const mover = await addMover(app);
    const { hub } = hubOf();
    const watch = hub.watch(mover.accountId);
    await watch.fresh();
    let after = BigInt(mover.before);
    for (const count of [1, 300, 2, 700]) {
      await append(app, mover, count);
      const seen: bigint[] = [];
      while (seen.length < count) {
        const page = await watch.page(after);
        if (page.length === 0) await watch.wait(3_000);
        for (const { seq } of page) {
          expect(seq).toBe(after + 1n);
          after = seq;
          seen.push(seq);
        }
      }
    }
    watch.end();
  });

  test('wakes waiting callers when it ends', async () => {
    const { hub } = hubOf();
    const watch = hub.watch(app.accountId);
    await watch.fresh();
    const waiting = watch.wait();
    hub.end();
    await waiting;
    expect(watch.isEnded()).toBe(true);
    await watch.wait();
    watch.end();
  });

  test('an iterator that is ended in the middle of a wait ends immediately, and so does its watch', async () => {
    const { hub } = hubOf();
    const watch = hub.watch(app.accountId);
    await watch.fresh();
    const stream = frameStream(watch, { position: 0n, read: async () => [] }, { part: 'all' });
    const next = stream.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await stream.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    expect(hub.size).toBe(0);
  });
});

test('a cursor belongs to one account, and has one spelling', () => {
  const place = { seq: 42n, token: '0123abcd' };
  const cursor = encodeEventCursor(7n, place);
  expect(decodeEventCursor(cursor, 7n)).toEqual(place);
  expect(decodeEventCursor(encodeEventCursor(7n, BEFORE_FIRST), 7n)).toEqual(BEFORE_FIRST);
  expect(decodeEventCursor(cursor, 8n)).toBeUndefined();
  const text = (value: string) => Buffer.from(value).toString('base64url');
  for (const bad of [
    `${cursor}=`,
    ` ${cursor}`,
    '',
    text('e1:7:-1'),
    text('e1:7:042'),
    text('e2:7:42:0123ABCD'),
    text('e2:7:42:0123'),
    text('e3:7:42'),
    'x'.repeat(200),
  ])
    expect(decodeEventCursor(bad, 7n)).toBeUndefined();
});

test('names of events', () => {
  const name = eventName({ template: 'a_b', component: 'SWAP', state: 'DONE' });
  expect(name).toBe('a_b.swap.done');
  expect(templateOfEvent(name)).toBe('a_b');
});

test('the keys of an account share its streams, and each stream is released once', () => {
  const limit = new StreamLimit(1);
  const leave = limit.acquire({ id: 'a', accountId: 1n });
  limit.acquire({ id: 'b', accountId: 2n });
  expect(() => limit.acquire({ id: 'another', accountId: 1n })).toThrow(GatewayError);
  // A payer does not use up the streams of the account, nor the account those of the payer.
  limit.acquire({ id: 'session', accountId: 1n, transactionId: 7n });
  leave();
  leave();
  limit.acquire({ id: 'another', accountId: 1n });
  expect(() => limit.acquire({ id: 'a', accountId: 1n })).toThrow(/an account can have at most 1/);
});

describe('open streams', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const streamOf = (keyId: string, isStalled = () => false) => {
    const said: (EndReason | 'ping')[] = [];
    return {
      said,
      stream: {
        caller: { id: keyId } as KeyRecord,
        isStalled,
        ping: () => void said.push('ping'),
        end: (reason: EndReason) => void said.push(reason),
      },
    };
  };

  test('are pinged, unless their client does not read: that is ended after half a minute', async () => {
    const streams = new OpenStreams(async () => new Set(['a']));
    const [reading, stalled] = [streamOf('a'), streamOf('a', () => true)];
    const leave = streams.add(reading.stream);
    streams.add(stalled.stream);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(reading.said).toEqual(['ping']);
    expect(stalled.said).toEqual([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(stalled.said[0]).toBe('stalled');
    leave();
  });

  test('are ended with their key, but not while the database is unreachable', async () => {
    let failure: Error | undefined = new Error('away');
    const streams = new OpenStreams(async () => {
      if (failure) throw failure;
      return new Set();
    });
    const { stream, said } = streamOf('a');
    streams.add(stream);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(said).toEqual([]);
    failure = undefined;
    await vi.advanceTimersByTimeAsync(500);
    expect(said).toEqual(['refused']);
  });

  test('are ended at the end of the process, which accepts no more', () => {
    const streams = new OpenStreams(async () => new Set(['a']));
    const { stream, said } = streamOf('a');
    streams.add(stream);
    streams.drain();
    expect(said).toEqual(['drain']);
    expect(() => streams.add(stream)).toThrow(/no more streams/);
  });
});

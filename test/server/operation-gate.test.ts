/** Goal: operations of a key wait for each other and for no other key, in their order, up to a bound that says when; frames, too, without a bound. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { OperationGate } from '../../src/server/operation-gate.ts';
import { rateLimiter } from '../../src/server/rate-limit.ts';

const responseOf = () => new EventEmitter() as ServerResponse;
const settled = async (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(() => resolve(false)))]);

test('operations within the limit run at once; further ones wait; other keys do not wait', async () => {
  const gate = new OperationGate();
  const [first, second] = [
    await gate.enter('a', 6_000, responseOf()),
    await gate.enter('a', 4_000, responseOf()),
  ];
  const third = gate.enter('a', 5_000, responseOf());
  // Small, and all the same not before the one that came first.
  const fourth = gate.enter('a', 1, responseOf());
  expect([await settled(third), await settled(fourth)]).toEqual([false, false]);
  expect(await settled(gate.enter('b', 10_000, responseOf()))).toBe(true);
  second();
  second();
  expect(await settled(third)).toBe(false);
  first();
  expect([await settled(third), await settled(fourth)]).toEqual([true, true]);
});

test('an operation over the limit runs alone', async () => {
  const gate = new OperationGate();
  const leave = await gate.enter('a', 15_000, responseOf());
  const next = gate.enter('a', 0, responseOf());
  expect(await settled(next)).toBe(false);
  leave();
  expect(await settled(next)).toBe(true);
});

test('an operation whose client has gone leaves the queue, and the next one runs', async () => {
  const gate = new OperationGate();
  const leave = await gate.enter('a', 6_000, responseOf());
  const gone = responseOf();
  const second = gate.enter('a', 10_000, gone);
  const third = gate.enter('a', 100, responseOf());
  gone.emit('close');
  await expect(second).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await settled(third)).toBe(true);
  leave();
});

test('C-51: when 50 wait, the answer says when to retry', async () => {
  const gate = new OperationGate();
  const leave = await gate.enter('a', 10_000, responseOf());
  const waiting = Array.from({ length: 50 }, () => gate.enter('a', 10_000, responseOf()));
  await expect(gate.enter('a', 1, responseOf())).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfter: expect.any(Number),
  });
  await expect(gate.enter('a', 1, responseOf())).rejects.toSatisfy(({ retryAfter }) => retryAfter >= 1);
  leave();
  for (const each of waiting) (await each)();
  expect(await settled(gate.enter('a', 1, responseOf()))).toBe(true);
});

test('frames of subscriptions wait however many there are, in their order, and take the place of no operation', async () => {
  const gate = new OperationGate();
  const done: number[] = [];
  let underWay = 0;
  let most = 0;
  const execute = async (frame: number) => {
    const leave = await gate.enter('a', 1_000);
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    done.push(frame);
    underWay -= 1;
    leave();
  };
  const frames = Array.from({ length: 200 }, (_, frame) => execute(frame));
  const operations = Array.from({ length: 50 }, () => gate.enter('a', 10_000, responseOf()));
  await expect(gate.enter('a', 1, responseOf())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  const last = execute(200);
  expect(await settled(gate.enter('b', 10_000, responseOf()))).toBe(true);
  await Promise.all(frames);
  for (const each of operations) (await each)();
  await last;
  expect([most, done]).toEqual([10, Array.from({ length: 201 }, (_, frame) => frame)]);
});

test('C-53: what counts for many requests takes as many, and for more than the burst a full bucket', () => {
  let now = 0;
  const take = rateLimiter({ perSecond: 10, burst: 20 }, () => now);
  expect(take('a', 15)).toEqual({ allowed: true, remaining: 5, resetSeconds: 0 });
  expect(take('a', 15)).toEqual({ allowed: false, remaining: 5, resetSeconds: 1 });
  now = 1_000;
  expect(take('a', 15).allowed).toBe(true);
  now = 2_000;
  expect(take('a', 100)).toMatchObject({ allowed: false, resetSeconds: 1 });
  now = 3_000;
  expect(take('a', 100)).toEqual({ allowed: true, remaining: 0, resetSeconds: 0 });
  expect(take('a')).toMatchObject({ allowed: false, resetSeconds: 9 });
});

/** Goal: operations of a key wait for each other and for no other key, in their order, up to a bound that says when; frames, too, without a bound, in turn with them. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { OperationGate } from '../../../src/server/graphql/operation-gate.ts';
import { rateLimiter } from '../../../src/server/http/rate-limit.ts';

const responseOf = () => new EventEmitter() as ServerResponse;
const settled = async (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(() => resolve(false)))]);

test('operations within the limit run in parallel; further ones wait; other keys do not wait', async () => {
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

test('an operation whose client has disconnected leaves the queue, and the next one runs', async () => {
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

test('C-51: when 50 wait, the answer has a time for the retry', async () => {
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

/** Waits until a place is given, notes it, and gives it back. */
async function pass(
  gate: OperationGate,
  what: string,
  points: number,
  begun: string[],
  response?: ServerResponse,
) {
  const leave = await gate.enter('a', points, response);
  begun.push(what);
  await new Promise(setImmediate);
  leave();
}

test('any number of frames of subscriptions wait, in order, and displace no operation', async () => {
  const gate = new OperationGate();
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const execute = async (frame: number) => {
    const leave = await gate.enter('a', 1_000);
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    done.push(frame);
    running -= 1;
    leave();
  };
  const frames = Array.from({ length: 200 }, (_, frame) => execute(frame));
  const begun: string[] = [];
  const operations = Array.from({ length: 50 }, (_, n) => pass(gate, String(n), 10_000, begun, responseOf()));
  await expect(gate.enter('a', 1, responseOf())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  const last = execute(200);
  expect(await settled(gate.enter('b', 10_000, responseOf()))).toBe(true);
  await Promise.all([...frames, ...operations, last]);
  expect([most, done]).toEqual([10, Array.from({ length: 201 }, (_, frame) => frame)]);
  expect(begun).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
});

test('waiting operations and frames begin alternately, each in order', async () => {
  const gate = new OperationGate();
  const leave = await gate.enter('a', 10_000);
  const begun: string[] = [];
  const frames = Array.from({ length: 1_000 }, (_, n) => pass(gate, `frame ${n}`, 5_001, begun));
  const operations = [1, 10_000, 1].map((points, n) =>
    pass(gate, `operation ${n}`, points, begun, responseOf()),
  );
  leave();
  await Promise.all([...frames, ...operations]);
  const inTurn = [0, 1, 2].flatMap((n) => [`operation ${n}`, `frame ${n}`]);
  expect(begun).toEqual([...inTurn, ...Array.from({ length: 997 }, (_, n) => `frame ${n + 3}`)]);
});

test.each([
  ['an operation', 'small frames', true],
  ['a frame', 'small operations', false],
])('%s that needs all points begins before the second of the %s', async (_large, _small, isOperation) => {
  const gate = new OperationGate();
  const leave = await gate.enter('a', 10_000);
  const begun: string[] = [];
  const given = (is: boolean) => (is ? responseOf() : undefined);
  const small = Array.from({ length: 20 }, (_, n) => pass(gate, `small ${n}`, 1, begun, given(!isOperation)));
  const large = pass(gate, 'large', 10_000, begun, given(isOperation));
  leave();
  await Promise.all([...small, large]);
  expect(begun.indexOf('large')).toBeLessThanOrEqual(1);
});

test('C-51: the time to retry after does not grow with frames that wait', async () => {
  const retryAfterBehind = async (frames: number) => {
    const gate = new OperationGate();
    await gate.enter('a', 10_000);
    for (let n = 0; n < frames; n++) void gate.enter('a', 10_000);
    for (let n = 0; n < 50; n++) void gate.enter('a', 1, responseOf());
    return gate.enter('a', 1, responseOf()).catch(({ retryAfter }) => retryAfter);
  };
  expect(await retryAfterBehind(1_000)).toBe(await retryAfterBehind(50));
});

test('C-53: an operation that counts for many requests uses as many, and a full bucket if it exceeds the burst', () => {
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

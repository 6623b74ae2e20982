/** Goal: reads are shared, and nobody gets one that began before the question. Method: reads that end when the test says so. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readManyTogether, readShared, readTogether } from '../../../src/base/concurrency/read-together.ts';

function useReads() {
  const begun: { readonly end: (value: string) => void; readonly fail: (error: Error) => void }[] = [];
  const ask = readTogether(
    () => new Promise<string>((resolve, reject) => begun.push({ end: resolve, fail: reject })),
  );
  return { begun, ask };
}

test('a single request is read immediately', async () => {
  const { begun, ask } = useReads();
  for (const value of ['a', 'b']) {
    const answer = ask();
    await setImmediate();
    begun.at(-1)?.end(value);
    expect(await answer).toBe(value);
  }
  expect(begun).toHaveLength(2);
});

test('a caller during a read shares the next read, never the running one', async () => {
  const { begun, ask } = useReads();
  const first = ask();
  await setImmediate();
  const later = [ask(), ask(), ask()];
  await setImmediate();
  expect(begun).toHaveLength(1);
  begun[0]?.end('old');
  expect(await first).toBe('old');
  await setImmediate();
  expect(begun).toHaveLength(2);
  begun[1]?.end('new');
  expect(await Promise.all(later)).toEqual(['new', 'new', 'new']);
});

test('a failed read fails for all who share it, and for no later caller', async () => {
  const { begun, ask } = useReads();
  const both = [ask(), ask()];
  await setImmediate();
  const after = ask();
  begun[0]?.fail(new Error('away'));
  for (const each of both) await expect(each).rejects.toThrow('away');
  await setImmediate();
  begun[1]?.end('there');
  expect(await after).toBe('there');
});

test('different reads are shared by callers with the same parameters and source', async () => {
  const [source, another] = [{}, {}];
  let reads = 0;
  const read = async () => {
    reads += 1;
    return reads;
  };
  const many = await Promise.all(
    Array.from({ length: 50 }, () => readShared(source, ['rate', 'USDT'], read)),
  );
  expect(new Set(many)).toEqual(new Set([1]));
  expect(await readShared(source, ['rate', 'BTC'], read)).toBe(2);
  expect(await readShared(another, ['rate', 'USDT'], read)).toBe(3);
  expect(await readShared(source, ['rate', 'USDT'], read)).toBe(4);
});

test('many items are read together, and each caller gets its own', async () => {
  const reads: (readonly number[])[] = [];
  const ask = readManyTogether(async (asked: readonly number[]) => {
    reads.push(asked);
    await setImmediate();
    return asked.map((each) => each * 2);
  });
  const first = ask(1);
  await setImmediate();
  expect(await Promise.all([first, ask(2), ask(3), ask(2)])).toEqual([2, 4, 6, 4]);
  expect(reads).toEqual([[1], [2, 3, 2]]);
});

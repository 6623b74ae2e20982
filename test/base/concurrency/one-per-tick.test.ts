import { expect, test } from 'vitest';
import { onePerTick } from '../../../src/base/concurrency/one-per-tick.ts';
import { countTurns } from '../../support/turns.ts';

test('one call of each key runs in each turn of the event loop, in order; no key waits for another', async () => {
  const turns = countTurns();
  const enter = onePerTick<string>();
  const had: [string, number][] = [];
  const wait = async (key: string, name: string) => {
    await enter(key);
    had.push([name, turns.now()]);
  };
  await Promise.all([wait('a', 'a1'), wait('a', 'a2'), wait('a', 'a3'), wait('b', 'b1')]);
  turns.end();
  const first = had[0]?.[1] ?? 0;
  expect(had.map(([name, turn]) => [name, turn - first])).toEqual([
    ['a1', 0],
    ['b1', 0],
    ['a2', 1],
    ['a3', 2],
  ]);
});

/** Goal: a process that is told to end ends, whatever goes wrong with what it has to end. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { runEndings, together } from '../../../src/server/process/endings.ts';

const log = pino({ level: 'silent' });

test('everything is ended in order', async () => {
  const ended: string[] = [];
  const later = async () => void ended.push('second');
  expect(await runEndings([() => ended.push('first'), later, () => ended.push('third')], log)).toBe(true);
  expect(ended).toEqual(['first', 'second', 'third']);
});

test('a failed one does not stop the others', async () => {
  const ended: string[] = [];
  const endings = [
    () => {
      throw new Error('at once');
    },
    () => Promise.reject(new Error('later')),
    () => ended.push('last'),
  ];
  expect(await runEndings(endings, log)).toBe(false);
  expect(ended).toEqual(['last']);
});

test('a hanging one is abandoned', async () => {
  const ended: string[] = [];
  expect(await runEndings([() => new Promise(() => {}), () => ended.push('last')], log, { eachMs: 20 })).toBe(
    false,
  );
  expect(ended).toEqual(['last']);
});

test('all share one time limit; every one is started', async () => {
  const begun: number[] = [];
  const endless = Array.from({ length: 5 }, (_, at) => () => {
    begun.push(at);
    return new Promise(() => {});
  });
  // Each could have an hour.
  const limits = { eachMs: 3_600_000, allMs: 20, leastMs: 5 };
  expect(await runEndings([...endless, () => begun.push(5)], log, limits)).toBe(false);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

test('some end at the same time; a failed one does not stop the others', async () => {
  const ended: string[] = [];
  let second = () => {};
  const first = new Promise<void>((resolve) => {
    second = resolve;
  });
  const endings = together(
    () => first.then(() => ended.push('first')),
    () => Promise.reject(new Error('fails')),
    () => second(),
  );
  expect(await runEndings([endings, () => ended.push('last')], log)).toBe(false);
  expect(ended).toEqual(['first', 'last']);
});

/** Goal: a process that is told to end ends, whatever goes wrong with what it has to end. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { runEndings } from '../../src/server/endings.ts';

const log = pino({ level: 'silent' });

test('everything is ended in its order', async () => {
  const ended: string[] = [];
  const later = async () => void ended.push('second');
  expect(await runEndings([() => ended.push('first'), later, () => ended.push('third')], log)).toBe(true);
  expect(ended).toEqual(['first', 'second', 'third']);
});

test('one that fails does not keep the others from being ended', async () => {
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

test('one that does not come to its end is left', async () => {
  const ended: string[] = [];
  expect(await runEndings([() => new Promise(() => {}), () => ended.push('last')], log, 20)).toBe(false);
  expect(ended).toEqual(['last']);
});

/** Goal: one at a time for each key, in the order in which they came; who waits too long leaves, and moves nobody else. */
import { expect, test } from 'vitest';
import { serializeByKey } from '../../../src/base/concurrency/serialize-by-key.ts';

const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};
const LONG = 60_000;
const gaveUp = () => new Error('waited too long');

test('one call follows another, even a failed one; other keys wait for no call', async () => {
  const inTurn = serializeByKey<string>(LONG, gaveUp);
  const done: string[] = [];
  const { open, opened } = gate();
  const work =
    (name: string, after: Promise<void> = Promise.resolve()) =>
    async () => {
      await after;
      done.push(name);
      if (name === 'fails') throw new Error(name);
      return name;
    };
  const first = inTurn('a', work('first', opened));
  const fails = inTurn('a', work('fails')).catch(({ message }: Error) => `${message}!`);
  const last = inTurn('a', work('last'));
  expect(await inTurn('b', work('other'))).toBe('other');
  open();
  expect(await Promise.all([first, fails, last])).toEqual(['first', 'fails!', 'last']);
  expect(done).toEqual(['other', 'first', 'fails', 'last']);
});

test('a caller that waits too long gets an error, and the callers behind it still wait for the running one', async () => {
  const inTurn = serializeByKey<string>(10, gaveUp);
  const { open, opened } = gate();
  const done: string[] = [];
  const first = inTurn('a', async () => {
    await opened;
    done.push('first');
  });
  await expect(inTurn('a', async () => done.push('never'))).rejects.toThrow('waited too long');
  const behind = inTurn('a', async () => done.push('behind'));
  await expect(behind).rejects.toThrow('waited too long');
  open();
  await first;
  await inTurn('a', async () => done.push('later'));
  expect(done).toEqual(['first', 'later']);
});

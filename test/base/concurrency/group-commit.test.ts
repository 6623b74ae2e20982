/**
 * Goal: what is asked for together is done together, and nobody notices but by the time it takes. Method: batches that
 * end when the test says so, and random requests, some of them poisoned.
 */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type GroupCommitOptions, groupCommit } from '../../../src/base/concurrency/group-commit.ts';
import {
  CommitUnknownError,
  isOutOfReach,
  NoAnswerError,
} from '../../../src/store/connection/database-error.ts';

/** Batches as they are begun; each ends when it is let. */
function useBatches({ max = 100, keyOf, sharesOf }: Partial<GroupCommitOptions<string>> = {}) {
  const begun: { readonly requests: readonly string[]; readonly end: () => void }[] = [];
  const commit = groupCommit(
    (requests: readonly string[]) =>
      new Promise<string[]>((resolve) => {
        begun.push({ requests, end: () => resolve(requests.map((request) => `done ${request}`)) });
      }),
    { max, failsAll: isOutOfReach, ...(keyOf && { keyOf }), ...(sharesOf && { sharesOf }) },
  );
  /** Asks for all of them while a first one is under way; ends batches as they come. */
  const whileBusy = async (requests: string) => {
    const first = commit('busy');
    while (begun.length === 0) await setImmediate();
    const all = Promise.all([first, ...requests.split(' ').map(commit)]);
    let isOver = false;
    void all.then(() => {
      isOver = true;
    });
    for (let next = 0; !isOver; await setImmediate()) if (begun[next]) begun[next++]?.end();
    return (await all).slice(1);
  };
  return { commit, begun, whileBusy, batches: () => begun.map((each) => each.requests.join(' ')).slice(1) };
}

describe('batches', () => {
  test('have one request without parallel callers', async () => {
    const { begun, commit } = useBatches();
    for (const [at, request] of ['a', 'b'].entries()) {
      const done = commit(request);
      while (begun.length <= at) await setImmediate();
      begun[at]?.end();
      expect(await done).toBe(`done ${request}`);
    }
    expect(begun.map(({ requests }) => requests)).toEqual([['a'], ['b']]);
  });

  test('grow by the requests that arrive meanwhile, in order', async () => {
    const { whileBusy, batches } = useBatches();
    expect(await whileBusy('a b c d')).toEqual(['done a', 'done b', 'done c', 'done d']);
    expect(batches()).toEqual(['a b c d']);
  });

  test('include requests that arrived during the wait for a lock, if they fit', async () => {
    let unlock = () => {};
    const locked = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    const grown: (readonly string[])[] = [];
    const commit = groupCommit<string, string>(
      async (_begun, grow) => {
        await locked;
        const requests = grow((request) => request.startsWith('a'));
        grown.push(requests);
        return requests.map((request) => `done ${request}`);
      },
      { max: 3, failsAll: isOutOfReach, keyOf: (request) => request },
    );
    const first = commit('a1');
    await setImmediate();
    await setImmediate();
    const others = ['b1', 'a2', 'a1', 'a3', 'a4'].map(commit);
    unlock();
    expect(await Promise.all([first, ...others])).toEqual(
      ['a1', 'b1', 'a2', 'a1', 'a3', 'a4'].map((request) => `done ${request}`),
    );
    expect(grown).toEqual([
      ['a1', 'a2', 'a3'],
      ['b1', 'a1', 'a4'],
    ]);
  });

  test('never have more than the most', async () => {
    const { whileBusy, batches } = useBatches({ max: 3 });
    expect(await whileBusy('a b c d e f g h')).toHaveLength(8);
    expect(batches()).toEqual(['a b c', 'd e f', 'g h']);
  });

  test('never have two requests of a key, whose order is preserved; others go first', async () => {
    const { whileBusy, batches } = useBatches({ keyOf: (request) => request.charAt(0) });
    await whileBusy('a1 b1 a2 c1 a3 b2');
    expect(batches()).toEqual(['a1 b1 c1', 'a2 b2', 'a3']);
  });

  test('have no other request that shares an exclusive key, in the order of the requests', async () => {
    const { whileBusy, batches } = useBatches({
      sharesOf: (request) => ({ of: request.charAt(0), isAlone: request.endsWith('!') }),
    });
    await whileBusy('a1 a2! b1 a3 b2 c1! c2');
    expect(batches()).toEqual(['a1 b1 b2 c1!', 'a2! c2', 'a3']);
  });

  test('do not have a later request of a key whose earlier one did not fit', async () => {
    const { whileBusy, batches } = useBatches({ max: 2, keyOf: (request) => request.charAt(0) });
    await whileBusy('a1 b1 a2 c1 d1 a3');
    expect(batches()).toEqual(['a1 b1', 'a2 c1', 'd1 a3']);
  });
});

describe('a failure', () => {
  test('of one request fails only that one, with its own error; the others succeed', async () => {
    const tried: string[] = [];
    const commit = groupCommit(
      async (requests: readonly string[]) => {
        tried.push(requests.join(' '));
        await setImmediate();
        if (requests.includes('bad')) throw new Error(`fails with ${requests.length}`);
        return requests;
      },
      { max: 100, failsAll: isOutOfReach },
    );
    const busy = commit('busy');
    while (tried.length === 0) await setImmediate();
    const ends = await Promise.allSettled(['a', 'bad', 'c'].map(commit));
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.message))).toEqual([
      'a',
      'fails with 1',
      'c',
    ]);
    expect(tried).toEqual(['busy', 'a bad c', 'a', 'bad', 'c']);
    expect([await busy, await commit('later')]).toEqual(['busy', 'later']);
  });

  test.each([
    new CommitUnknownError('the commit was not answered'),
    new NoAnswerError('the database did not answer'),
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  ])('C-51: of the database fails the batch, and nothing is run again: $name $message', async (error) => {
    const tried: string[] = [];
    const commit = groupCommit(
      async (requests: readonly string[]) => {
        tried.push(requests.join(' '));
        await setImmediate();
        if (requests.includes('a')) throw error;
        return requests;
      },
      { max: 100, failsAll: isOutOfReach },
    );
    const busy = commit('busy');
    while (tried.length === 0) await setImmediate();
    const ends = await Promise.allSettled(['a', 'b', 'c'].map(commit));
    expect(ends.map((end) => end.status === 'rejected' && end.reason)).toEqual([error, error, error]);
    expect(tried).toEqual(['busy', 'a b c']);
    expect([await busy, await commit('later')]).toEqual(['busy', 'later']);
  });

  test('of two conflicting transactions is retried one by one', async () => {
    const tried: string[] = [];
    const commit = groupCommit(
      async (requests: readonly string[]) => {
        tried.push(requests.join(' '));
        await setImmediate();
        if (requests.length > 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
        return requests;
      },
      { max: 100, failsAll: isOutOfReach },
    );
    const busy = commit('busy');
    while (tried.length === 0) await setImmediate();
    expect(await Promise.all([busy, ...['a', 'b'].map(commit)])).toEqual(['busy', 'a', 'b']);
    expect(tried).toEqual(['busy', 'a b', 'a', 'b']);
  });

  test('of a single request is reported unchanged', async () => {
    const error = new Error('no');
    const commit = groupCommit(() => Promise.reject(error), { max: 100, failsAll: isOutOfReach });
    await expect(commit('a')).rejects.toBe(error);
    await expect(commit('b')).rejects.toBe(error);
  });
});

test('for any requests: each ends once with its result, none shares a batch with its key, and each key preserves its order', async () => {
  const request = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    isBad: fc.boolean(),
    ticks: fc.nat(3),
  });
  const property = fc.asyncProperty(
    fc.array(request, { maxLength: 40 }),
    fc.integer({ min: 1, max: 5 }),
    async (requests, max) => {
      const done: number[] = [];
      let running = 0;
      const commit = groupCommit(
        async (batch: readonly number[]) => {
          running += 1;
          expect(running).toBe(1);
          expect(batch.length).toBeLessThanOrEqual(max);
          const keys = batch.map((index) => requests[index]?.key);
          expect(new Set(keys).size).toBe(keys.length);
          await Promise.resolve();
          running -= 1;
          if (batch.some((index) => requests[index]?.isBad)) throw new Error(String(batch));
          done.push(...batch);
          return batch.map((index) => index * 10);
        },
        { max, failsAll: isOutOfReach, keyOf: (index: number) => requests[index]?.key ?? '' },
      );
      const ends: Promise<number>[] = [];
      for (const [index, { ticks }] of requests.entries()) {
        ends.push(commit(index));
        ends.at(-1)?.catch(() => {});
        for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      }
      const settled = await Promise.allSettled(ends);
      for (const [index, { isBad }] of requests.entries()) {
        const end = settled[index];
        if (isBad) expect(end?.status === 'rejected' && (end.reason as Error).message).toBe(String(index));
        else expect(end?.status === 'fulfilled' && end.value).toBe(index * 10);
      }
      for (const key of 'abcd') {
        const order = done.filter((index) => requests[index]?.key === key);
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
      const good = requests.filter(({ isBad }) => !isBad);
      expect(done).toHaveLength(good.length);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

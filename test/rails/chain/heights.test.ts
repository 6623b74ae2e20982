/**
 * Goal: a period gets exactly the blocks that were made in it, by times that a quorum of providers says. Method: chains of a
 * few blocks, each period compared with a plain filter; providers that fail, lag behind or lie.
 */
import { describe, expect, it } from 'vitest';
import { NoAgreement } from '../../../src/rails/chain/agree.ts';
import type { Block, NetworkDriver } from '../../../src/rails/chain/driver.ts';
import { blockTimes, heightsBetween } from '../../../src/rails/chain/heights.ts';
import type { NetworkParts } from '../../../src/rails/chain/parts.ts';

/** Times of blocks by height. Several blocks may have the same. Unit: ms. */
const CHAINS = [
  [5],
  [0, 10],
  [10, 20, 20, 20, 30],
  [0, 3, 3, 7, 12, 12, 13, 20, 21, 40, 41, 41, 60],
] as const;
const HOSTS = ['one.invalid', 'two.invalid', 'three.invalid'];

type BlockOf = (height: number) => Promise<Block | undefined>;

const of = (times: readonly number[]): BlockOf => {
  return async (height) => {
    const atMs = times[height];
    return atMs === undefined ? undefined : { height, hash: `block ${height}`, parentHash: '', atMs };
  };
};

/** @returns the times of blocks by providers that answer in these ways, two of which have to agree. */
function timesBy(...answers: readonly BlockOf[]) {
  const providers = answers.map((block, at) => ({ provider: HOSTS[at], block }) as unknown as NetworkDriver);
  return blockTimes({ providers, facts: { quorum: 2 } as NetworkParts['facts'] });
}

describe('blocks of a period', () => {
  it.each(
    CHAINS.map((times) => [times]),
  )('of the chain %j are those that a filter finds, for every period', async (chain) => {
    const times = timesBy(of(chain), of(chain));
    const last = chain.length - 1;
    for (let fromMs = -1; fromMs <= 62; fromMs++)
      for (let toMs = fromMs; toMs <= 62; toMs += 3) {
        const { from, to } = await heightsBetween(times, { fromMs, toMs }, last);
        const found = chain.map((_, height) => height).filter((height) => height >= from && height <= to);
        const made = [...chain.keys()].filter((height) => {
          const atMs = chain[height] as number;
          return atMs >= fromMs && atMs < toMs;
        });
        expect(found, `${fromMs} to ${toMs}`).toEqual(made);
      }
  });
});

describe('the time of a block', () => {
  const [, chain] = CHAINS;

  it('comes from the providers that agree when one fails, lags behind or reports another time', async () => {
    const away: BlockOf = async () => {
      throw new Error('503');
    };
    for (const odd of [away, of([]), of([1, 11])])
      expect(await timesBy(odd, of(chain), of(chain)).at(1)).toBe(10);
  });

  it('is unknown while too few providers agree', async () => {
    await expect(timesBy(of(chain), of([0, 11])).at(1)).rejects.toThrow(NoAgreement);
  });

  it('is requested once, and again after a failure', async () => {
    let requests = 0;
    const counted: BlockOf = (height) => {
      requests += 1;
      return requests === 1 ? Promise.reject(new Error('503')) : of(chain)(height);
    };
    const times = timesBy(counted, of(chain));
    await expect(times.at(1)).rejects.toThrow(NoAgreement);
    for (let time = 0; time < 3; time++) expect(await times.at(1)).toBe(10);
    expect(requests).toBe(2);
  });
});

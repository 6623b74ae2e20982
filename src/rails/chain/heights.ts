/** Blocks of a period, and the time of a block. */
import { agreedBlockTime } from './agree.ts';
import type { BlockRange } from './driver.ts';
import type { NetworkParts } from './parts.ts';

/** Times of blocks; each is requested once, and again after a failure. */
export interface BlockTimes {
  /** @returns when the block was made, in milliseconds. @throws {NoAgreement} */
  readonly at: (height: number) => Promise<number>;
}

/** @returns the times of blocks as a quorum of the providers says. */
export function blockTimes({ providers, facts }: Pick<NetworkParts, 'providers' | 'facts'>): BlockTimes {
  const known = new Map<number, Promise<number>>();
  return {
    at: (height) => {
      const before = known.get(height);
      if (before) return before;
      const found = agreedBlockTime(providers, facts.quorum, { height });
      known.set(height, found);
      found.catch(() => known.delete(height));
      return found;
    },
  };
}

/**
 * @param fromMs - the first moment of the period.
 * @param toMs - the first moment after it.
 * @param last - no block above it counts.
 * @returns the blocks that were made in it; `to` is below `from` where there are none.
 */
export async function heightsBetween(
  times: BlockTimes,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  last: number,
): Promise<BlockRange> {
  return { from: await firstSince(times, fromMs, last), to: (await firstSince(times, toMs, last)) - 1 };
}

/**
 * The first block made at a time or later, by binary search between the last one and an older one; `last + 1` without
 * one.
 */
async function firstSince(times: BlockTimes, ms: number, last: number): Promise<number> {
  const isOlder = async (height: number) => (await times.at(height)) < ms;
  if (await isOlder(last)) return last + 1;
  let young = last;
  let old = last;
  for (let step = 1; ; step *= 2) {
    old = Math.max(0, last - step);
    if (await isOlder(old)) break;
    young = old;
    if (old === 0) return 0;
  }
  while (young - old > 1) {
    const middle = Math.floor((young + old) / 2);
    if (await isOlder(middle)) old = middle;
    else young = middle;
  }
  return young;
}

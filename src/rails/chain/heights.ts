/** Finds the blocks of a period, and the times of blocks. */
import { agreedBlockTime } from './agree.ts';
import type { BlockRange } from './driver.ts';
import type { NetworkParts } from './parts.ts';

/** Times of blocks. Each is queried once, and again after a failure. */
export interface BlockTimes {
  /** @returns the block's time, ms since 1970. @throws {NoAgreement} */
  readonly at: (height: number) => Promise<number>;
}

/** @returns the times of blocks, agreed by a quorum of providers. */
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
 * @param fromMs - start of the period.
 * @param toMs - end of the period, excluded.
 * @param last - height of the last block to consider.
 * @returns the heights of the period's blocks; `to` is below `from` if there are none.
 */
export async function heightsBetween(
  times: BlockTimes,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  last: number,
): Promise<BlockRange> {
  return { from: await firstSince(times, fromMs, last), to: (await firstSince(times, toMs, last)) - 1 };
}

/** Finds the first block made at or after a time, by binary search below `last`; `last + 1` if there is none. */
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

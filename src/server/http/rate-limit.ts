/** A token bucket for each key (C-53). */
import type { RateLimit } from '../../base/process/setting-values.ts';

/** Remaining allowance: requests, and seconds until the next one is allowed (0 when one is left). */
export interface Allowance {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/**
 * Counts a request against a key's bucket, or several for a costly one. A request that costs more than the burst needs a full
 * bucket, and leaves a negative balance.
 */
export type RateLimiter = (keyId: string, requests?: number) => Allowance;

/**
 * Read rate of a payment session's token. Its page may be open in two tabs, and polls where it has no live stream.
 */
export const PAYER_READS: RateLimit = { perSecond: 5, burst: 60 };
/** Write rate of a payment session's token. */
export const PAYER_WRITES: RateLimit = { perSecond: 1, burst: 20 };

interface Bucket {
  tokens: number;
  at: number;
}

/** Maximum number of buckets: invented keys cannot fill the memory. */
export const BUCKETS_MAX = 100_000;

/**
 * @param limit - requests per second and burst.
 * @param now - rising time. Unit: ms.
 */
export function rateLimiter(
  { perSecond, burst }: RateLimit,
  now: () => number = performance.now.bind(performance),
): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return (keyId, requests = 1) => {
    const at = now();
    let bucket = buckets.get(keyId);
    if (!bucket) {
      // A missing bucket counts as full: dropping all buckets gives each key at most one more burst.
      if (buckets.size >= BUCKETS_MAX) buckets.clear();
      bucket = { tokens: burst, at };
      buckets.set(keyId, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1_000) * perSecond);
    bucket.at = at;
    const needed = requests === 1 ? 1 : Math.min(requests, burst - 1);
    const allowed = bucket.tokens >= needed;
    if (allowed) bucket.tokens -= requests;
    return {
      allowed,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      resetSeconds: allowed ? 0 : Math.ceil((needed - bucket.tokens) / perSecond),
    };
  };
}

/** @returns the `RateLimit` headers of an answer (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeaders(limit: RateLimit, allowance: Allowance): Record<string, string> {
  return {
    'ratelimit-policy': `"default";q=${limit.perSecond};w=1`,
    ratelimit: `"default";r=${allowance.remaining};t=${allowance.resetSeconds}`,
  };
}

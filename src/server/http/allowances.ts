/** Request rates of callers: buckets of keys and of payers (C-53). */
import { GatewayError } from '../../base/errors/errors.ts';
import type { RateLimit } from '../../base/process/setting-values.ts';
import { noteLimit } from '../../base/trace/measures.ts';
import type { Config } from '../../config.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';
import { PAYER_READS, PAYER_WRITES, type RateLimiter, rateLimiter, rateLimitHeaders } from './rate-limit.ts';

/** Kinds of requests, each with a bucket of its own. */
export type RequestKind = 'read' | 'write';

/** The bucket of one kind of request. */
export interface Limited {
  readonly limit: RateLimit;
  readonly consume: RateLimiter;
}

/** The buckets of a caller; undefined without limits. */
export type Limiters = ((caller: KeyRecord) => Readonly<Record<RequestKind, Limited>>) | undefined;

/**
 * @returns the buckets of every caller. Reads and writes of a key are counted separately (C-53). The holder of a payment
 *   link has its token, so payers have the rate of a page.
 */
export function limitersOf(rateLimit: Config['rateLimit']): Limiters {
  if (!rateLimit) return undefined;
  const limited = (limit: RateLimit): Limited => ({ limit, consume: rateLimiter(limit) });
  const ofKeys = { read: limited(rateLimit.reads), write: limited(rateLimit.writes) };
  const ofPayers = { read: limited(PAYER_READS), write: limited(PAYER_WRITES) };
  return ({ transactionId }) => (transactionId === undefined ? ofKeys : ofPayers);
}

/**
 * Counts requests against the bucket of a key.
 * @param requests - number of requests to count now.
 * @param counted - total that the request counts for.
 * @returns headers with the remaining allowance.
 * @throws {GatewayError} `RATE_LIMITED`.
 */
export function consumeAllowance(
  limited: Limited | undefined,
  keyId: string,
  requests = 1,
  counted = requests,
): Record<string, string> {
  if (!limited) return {};
  const { limit, consume } = limited;
  const allowance = consume(keyId, requests);
  if (!allowance.allowed) {
    noteLimit('key');
    const share = counted > 1 ? `; this one counts for ${counted}` : '';
    throw new GatewayError('RATE_LIMITED', `at most ${limit.perSecond} requests per second${share}`, {
      retryAfter: allowance.resetSeconds,
      headers: rateLimitHeaders(limit, allowance),
    });
  }
  return rateLimitHeaders(limit, allowance);
}

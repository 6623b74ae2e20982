/** Last prices of rate feeds. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Last price of an asset in a feed. */
export interface FeedRow {
  readonly feed: string;
  readonly asset: string;
  /** Decimal text in the currency of the feed; null before the first. */
  readonly price: string | null;
  readonly observedAt: Instant | null;
  readonly triedAt: Instant;
  /** Number of failed attempts since the last successful one. */
  readonly failures: number;
  readonly failure: string | null;
}

/** A price from a feed, by asset. */
export interface FeedPrice {
  readonly asset: string;
  readonly price: string;
}

const READ: Statement = {
  name: 'rate_feeds',
  text: `select feed, asset, price, observed_at as "observedAt", tried_at as "triedAt", failures, failure from rate_feed
    where mode = $1`,
};
const REPORTED: Statement = {
  name: 'rate_feed_told',
  text: `insert into rate_feed as f (mode, feed, asset, price, observed_at, tried_at)
      select $1, $2, asset, price, $5, $6 from unnest($3::text[], $4::numeric[]) p(asset, price)
    on conflict (mode, feed, asset) do update
      set price = excluded.price, observed_at = excluded.observed_at, tried_at = excluded.tried_at, failures = 0, failure = null
      where f.tried_at <= excluded.tried_at`,
};
const FAILED: Statement = {
  name: 'rate_feed_failed',
  text: `insert into rate_feed as f (mode, feed, asset, tried_at, failures, failure)
      select $1, $2, asset, $5, 1, $4 from unnest($3::text[]) p(asset)
    on conflict (mode, feed, asset) do update
      set tried_at = excluded.tried_at, failures = f.failures + 1, failure = excluded.failure
      where f.tried_at <= excluded.tried_at`,
};

/** @returns the last prices of all feeds of a mode. */
export function readFeeds(tx: Tx, mode: AccountMode): Promise<FeedRow[]> {
  return tx.query<FeedRow>(READ, [mode]);
}

/** Stores the prices of a feed, unless it was read again since. */
export async function storePrices(
  tx: Tx,
  { mode, feed }: { readonly mode: AccountMode; readonly feed: string },
  prices: readonly FeedPrice[],
  { observedAtMs, attemptedAtMs }: { readonly observedAtMs: number; readonly attemptedAtMs: number },
): Promise<void> {
  const [assets, texts] = [prices.map(({ asset }) => asset), prices.map(({ price }) => price)];
  await tx.query(REPORTED, [mode, feed, assets, texts, instant(observedAtMs), instant(attemptedAtMs)]);
}

/** Stores that a feed could not be read; its earlier prices stay. */
export async function storeFailure(
  tx: Tx,
  { mode, feed }: { readonly mode: AccountMode; readonly feed: string },
  assets: readonly string[],
  { failure, attemptedAtMs }: { readonly failure: string; readonly attemptedAtMs: number },
): Promise<void> {
  await tx.query(FAILED, [mode, feed, assets, failure, instant(attemptedAtMs)]);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

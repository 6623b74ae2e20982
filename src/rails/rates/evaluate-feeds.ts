/**
 * Evaluates the prices of feeds: stale and deviating prices are excluded, and a quorum of the others gives a rate. The
 * functions are pure, and exact in decimals. The maximum age of a quoted rate is in `resolvers/pricing/price.ts`.
 */
import { divide, isMore, multiply, roundHalfUp, sum } from '../../base/money/money.ts';
import type { FeedReport, RateReport } from '../../resolvers/services/rails.ts';
import { AHEAD_MAX_MS, type PriceSettings, type RateSettings } from './settings.ts';

/** The last price of an asset from a feed, in the feed's currency. */
export interface FeedPrice {
  readonly feed: string;
  readonly asset: string;
  readonly price: string | null;
  readonly observedAtMs: number | null;
  readonly failure: string | null;
}

/** A price in BRL that is not stale. */
interface Fresh {
  readonly feed: string;
  readonly price: string;
  readonly observedAtMs: number;
}

/** Number of significant digits of a rate. */
const DIGITS = 12;
const RATE_DECIMALS_MAX = 18;

/** @returns a report for each configured asset, by name. */
export function evaluateFeeds(
  settings: RateSettings,
  prices: readonly FeedPrice[],
  nowMs: number,
): ReadonlyMap<string, RateReport> {
  const quotes = settings.feeds.flatMap((feed) =>
    feed.prices.map((price) => ({ feed: feed.name, ...price })),
  );
  const byAsset = Map.groupBy(quotes, ({ asset }) => asset);
  const reports = new Map<string, RateReport>();
  const reportOf = (asset: string): RateReport => {
    const known = reports.get(asset);
    if (known) return known;
    const feeds = (byAsset.get(asset) ?? []).map((quote) =>
      freshOf(settings, prices, quote, nowMs, reportOf),
    );
    const report = agree(asset, feeds, settings);
    reports.set(asset, report);
    return report;
  };
  for (const asset of byAsset.keys()) reportOf(asset);
  return reports;
}

/** @returns the price of a feed in BRL, or the reason why it is excluded. */
function freshOf(
  { staleMs }: RateSettings,
  prices: readonly FeedPrice[],
  { feed, asset, in: other }: PriceSettings & { readonly feed: string },
  nowMs: number,
  reportOf: (asset: string) => RateReport,
): Fresh | FeedReport {
  const own = prices.find((each) => each.feed === feed && each.asset === asset);
  const out = (state: FeedReport['state'], why: string, price: string | null = null): FeedReport => ({
    ...{ feed, price, observedAtMs: own?.observedAtMs ?? null, state, why },
  });
  if (!own?.price || own.observedAtMs === null)
    return out('NONE', own?.failure ?? 'nothing was heard of it yet');
  const through = other === undefined ? undefined : reportOf(other);
  if (through && through.mid === null)
    return out('NONE', `there is no rate of ${through.asset} to convert it`);
  const price = through?.mid ? multiply(own.price, through.mid) : own.price;
  const observedAtMs = Math.min(own.observedAtMs, through?.observedAtMs ?? own.observedAtMs);
  if (own.observedAtMs - nowMs > AHEAD_MAX_MS) return out('STALE', 'of the future', price);
  if (nowMs - observedAtMs > staleMs)
    return out(
      'STALE',
      `older than ${staleMs / 1_000} s${own.failure === null ? '' : `: ${own.failure}`}`,
      price,
    );
  return { feed, price, observedAtMs };
}

function agree(asset: string, feeds: readonly (Fresh | FeedReport)[], settings: RateSettings): RateReport {
  const quorum = settings.quorum ?? Math.floor(feeds.length / 2) + 1;
  const fresh = feeds.filter((each): each is Fresh => !('state' in each));
  const middle = medianOf(fresh.map(({ price }) => price));
  const reports = feeds.map((each) =>
    'state' in each ? each : heldAgainst(each, fresh, middle, settings.deviation),
  );
  const used = fresh.filter((each) =>
    reports.some(({ feed, state }) => feed === each.feed && state === 'IN'),
  );
  const shared = { asset, quorum, feeds: reports };
  if (used.length < quorum) {
    const state = fresh.length < quorum ? 'STALE' : 'CONTESTED';
    return { ...shared, state, mid: null, observedAtMs: null };
  }
  return {
    ...shared,
    state: 'AGREED',
    mid: rounded(medianOf(used.map(({ price }) => price))),
    observedAtMs: Math.min(...used.map(({ observedAtMs }) => observedAtMs)),
  };
}

/**
 * Compares a price with the median of all prices. Two prices are compared with each other, because both are equally far
 * from their median.
 */
function heldAgainst(own: Fresh, fresh: readonly Fresh[], middle: string, deviation: string): FeedReport {
  const { feed, price, observedAtMs } = own;
  const other = fresh.length === 2 ? (fresh.find((each) => each !== own)?.price ?? middle) : middle;
  const distance = isMore(price, other) ? sum([price, `-${other}`]) : sum([other, `-${price}`]);
  const isOff = isMore(distance, multiply(other, deviation));
  const percent = divide(multiply(distance, '100'), other, 2);
  const [state, why] = isOff ? (['OFF', `${percent} % off ${other}`] as const) : (['IN', ''] as const);
  return { feed, price, observedAtMs, state, why };
}

/** @returns the middle price, or the mean of the two middle ones; 0 for an empty list. */
function medianOf(prices: readonly string[]): string {
  const sorted = prices.toSorted((left, right) => Number(isMore(left, right)) - Number(isMore(right, left)));
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half];
  if (upper === undefined) return '0';
  return sorted.length % 2 === 1 ? upper : multiply(sum([sorted[half - 1] ?? upper, upper]), '0.5');
}

/** Rounds to twelve significant digits: sources are not more precise, and a quote shows the rate in full. */
function rounded(price: string): string {
  const [whole = '0', fraction = ''] = price.split('.');
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  const decimals = whole === '0' ? zeros + DIGITS : Math.max(0, DIGITS - whole.length);
  return roundHalfUp(price, Math.min(decimals, RATE_DECIMALS_MAX));
}

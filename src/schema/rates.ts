/** Sources of rates, for the operator: `Query.rateFeeds`. */
import { readRateReport } from '../resolvers/pricing/rate-report.ts';
import type { FeedReport, RateReport } from '../resolvers/services/rails.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

const STATES: Readonly<Record<RateReport['state'], string>> = {
  AGREED: 'Enough feeds agree: orders are priced at the rate.',
  STALE: 'Too few feeds have a recent price: nothing is priced.',
  CONTESTED: 'Too few of the feeds that have a price agree: nothing is priced.',
};
const FEED_STATES: Readonly<Record<FeedReport['state'], string>> = {
  IN: 'Its price counts.',
  STALE: 'Its price is too old.',
  OFF: 'Its price is too far from the others.',
  NONE: 'It has no price.',
};

/** Defines `AssetRate`, `RateFeed` and `Query.rateFeeds`. */
export function defineRates(builder: Builder): void {
  const state = builder.enumType('AssetRateState', {
    description: 'Whether the feeds of an asset give a rate.',
    values: describedValues(STATES),
  });
  const feedState = builder.enumType('RateFeedState', {
    description: 'Whether the price of a feed counts.',
    values: describedValues(FEED_STATES),
  });
  const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  const feed = builder.objectRef<FeedReport>('RateFeed').implement({
    description: 'The last price of a feed for an asset.',
    fields: (t) => ({
      feed: t.exposeString('feed', { description: 'Name of the feed in the settings.' }),
      price: t.expose('price', {
        type: 'Decimal',
        nullable: true,
        description: 'BRL for one unit; null where there is none.',
      }),
      observedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time of the price; null where there is none.',
        resolve: ({ observedAtMs }) => isoOrNull(observedAtMs),
      }),
      state: t.field({ type: feedState, description: 'Whether it counts.', resolve: (row) => row.state }),
      why: t.string({
        nullable: true,
        description: 'Reason for which it does not count; null where it does.',
        resolve: ({ why }) => why || null,
      }),
    }),
  });
  const rate = builder.objectRef<RateReport>('AssetRate').implement({
    description: 'The rate of an asset, and the price of each feed.',
    fields: (t) => ({
      asset: t.exposeString('asset', { description: 'The asset, such as `USDT`.' }),
      state: t.field({ type: state, description: 'Whether there is a rate.', resolve: (row) => row.state }),
      mid: t.expose('mid', {
        type: 'Decimal',
        nullable: true,
        description: 'BRL for one unit: the median of the prices that count; null where there is no rate.',
      }),
      observedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time of the oldest price that counts; null where there is no rate.',
        resolve: ({ observedAtMs }) => isoOrNull(observedAtMs),
      }),
      quorum: t.exposeInt('quorum', { description: 'Number of feeds that must agree.' }),
      feeds: t.field({
        type: [feed],
        description: 'Each feed of the asset.',
        resolve: ({ feeds }) => [...feeds],
      }),
    }),
  });
  builder.queryField('rateFeeds', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [rate],
      complexity: 20,
      description:
        'The rates of your mode and the feeds that they come from; empty if they do not come from feeds. Needs a scope of the platform.',
      resolve: async (_root, _args, context) => [...(await readRateReport(context))],
    }),
  );
}

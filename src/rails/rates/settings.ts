/** Settings of the feeds of rates (docs/rails.md). */
import { Settings } from '../../base/process/settings.ts';
import { PATH_FORM, type PathStep, parsePath } from '../../base/text/json-path.ts';

/** All feeds, and the rules of their evaluation. */
export type RateSettings = Readonly<ReturnType<typeof readRateSettings>>;

/** A feed: one URL with its prices. */
export type FeedSettings = Readonly<ReturnType<typeof readFeedSettings>>;

/** A price of a feed. */
export type PriceSettings = Readonly<ReturnType<typeof readPriceSettings>>;

/** Maximum time by which a feed's clock may be ahead. Unit: ms. */
export const AHEAD_MAX_MS = 5_000;
const ASSET = /^[A-Z0-9]{2,12}$/;
const ASSET_FORM = 'an asset such as "USDT"';

/** @throws {SettingsError} naming the member and the accepted form. */
export function readRateSettings(json: unknown, path: string) {
  const part = new Settings(json, path);
  part.choice('kind', ['feeds'], 'feeds');
  const settings = part.end({
    everyMs: part.seconds('everySeconds', { min: 1, max: 30, fallback: 5 }),
    timeoutMs: part.seconds('timeoutSeconds', { min: 1, max: 30, fallback: 3 }),
    /** Maximum age of a price. A price older than 60 seconds is never quoted (C-21). */
    staleMs: part.seconds('staleSeconds', { min: 5, max: 60, fallback: 30 }),
    /** Maximum distance of a price from the median, as a fraction of it; a price further away is excluded. */
    deviation: part.decimal('deviation', '0.01'),
    /** Number of prices of an asset that must agree; undefined for more than half of its feeds. */
    quorum: part.has('quorum') ? part.integer('quorum', { min: 1, max: 100 }) : undefined,
    feeds: part.parts('feeds').map(readFeedSettings),
  });
  refuseWrongSets(part, settings);
  return settings;
}

function readFeedSettings(part: Settings) {
  const feed = part.end({
    name: part.match('name', /^[a-z0-9][a-z0-9-]{0,39}$/, 'a name of a-z, 0-9 and -'),
    url: part.url('url'),
    /** Value of the header `authorization`. */
    authorization: part.has('authorizationFile') ? part.contents('authorizationFile') : undefined,
    /** Path of the prices' time; undefined if the time of the query counts. */
    at: part.has('at') ? readPath(part, 'at') : undefined,
    prices: part.parts('prices').map(readPriceSettings),
  });
  const repeated = repeatedOf(feed.prices.map(({ asset }) => asset));
  if (repeated !== undefined) part.refuse('prices', `one price of each asset (${repeated} appears twice)`);
  return feed;
}

function readPriceSettings(part: Settings) {
  const other = part.has('in') ? part.match('in', ASSET, ASSET_FORM) : 'BRL';
  return part.end({
    asset: part.match('asset', ASSET, ASSET_FORM),
    path: readPath(part, 'path'),
    /** Asset in which the price is expressed, to be converted to BRL by its own rate; undefined for BRL. */
    in: other === 'BRL' ? undefined : other,
    /** Whether the feed states the amount of the asset per unit of currency, the inverse of a price. */
    isInverse: part.flag('inverse', false),
  });
}

function readPath(part: Settings, name: string): readonly PathStep[] {
  return part.parse(name, PATH_FORM, parsePath);
}

/** Checks across members: duplicate names, prices without a conversion to BRL, and an unreachable quorum. */
function refuseWrongSets(part: Settings, { feeds, quorum }: Pick<RateSettings, 'feeds' | 'quorum'>): void {
  const repeated = repeatedOf(feeds.map(({ name }) => name));
  if (repeated !== undefined) part.refuse('feeds', `feeds of different names (${repeated} appears twice)`);
  const prices = feeds.flatMap((feed) => feed.prices);
  for (const { asset, in: other } of prices) {
    if (other === undefined) continue;
    const own = prices.filter((each) => each.asset === other);
    if (own.length === 0 || own.some((each) => each.in !== undefined))
      part.refuse('feeds', `prices of ${other} in BRL, because prices of ${asset} are in ${other}`);
  }
  const lacking = [...Map.groupBy(prices, ({ asset }) => asset)].find(
    ([, each]) => each.length < (quorum ?? 1),
  );
  if (lacking) part.refuse('quorum', `at most the number of feeds of ${lacking[0]} (${lacking[1].length})`);
}

function repeatedOf(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

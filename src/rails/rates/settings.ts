/** Settings of the feeds of rates (docs/rails.md). */
import { Settings } from '../../base/settings.ts';
import { PATH_FORM, type PathStep, parsePath } from './json-path.ts';

/** A price that a feed tells. */
export interface PriceSettings {
  readonly asset: string;
  readonly path: readonly PathStep[];
  /** The asset that the price is counted in, by whose own rate it becomes BRL; undefined: BRL. */
  readonly in: string | undefined;
  /** Whether the feed tells how many of the asset one unit buys. */
  readonly isInverse: boolean;
}

/** A source of prices: one URL. */
export interface FeedSettings {
  readonly name: string;
  readonly url: string;
  /** Sent as the header `authorization`. */
  readonly authorization: string | undefined;
  /** Where it says of when its prices are; undefined: they are of when it was asked. */
  readonly at: readonly PathStep[] | undefined;
  readonly prices: readonly PriceSettings[];
}

/** All feeds, and how they are judged. */
export interface RateSettings {
  readonly everyMs: number;
  readonly timeoutMs: number;
  /** A price counts for so long. */
  readonly staleMs: number;
  /** A price that is further from the median than this part of it does not count. */
  readonly deviation: string;
  /** So many prices of an asset have to agree; undefined: more than half of its feeds. */
  readonly quorum: number | undefined;
  readonly feeds: readonly FeedSettings[];
}

const ASSET = /^[A-Z0-9]{2,12}$/;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readRateSettings(json: unknown, path: string): RateSettings {
  const given = new Settings(json, path);
  given.choice('kind', ['feeds'], 'feeds');
  const settings: RateSettings = {
    everyMs: 1_000 * given.integer('everySeconds', { min: 1, max: 30, fallback: 5 }),
    timeoutMs: 1_000 * given.integer('timeoutSeconds', { min: 1, max: 30, fallback: 3 }),
    // A price of more than 60 seconds ago is never quoted (C-21).
    staleMs: 1_000 * given.integer('staleSeconds', { min: 5, max: 60, fallback: 30 }),
    deviation: given.decimal('deviation', '0.01'),
    quorum: given.has('quorum') ? given.integer('quorum', { min: 1, max: 100 }) : undefined,
    feeds: given.parts('feeds').map(readFeedSettings),
  };
  given.end();
  refuseWrongSets(given, settings);
  return settings;
}

function readFeedSettings(given: Settings): FeedSettings {
  const feed: FeedSettings = {
    name: given.match('name', /^[a-z0-9][a-z0-9-]{0,39}$/, 'a name of a-z, 0-9 and -'),
    url: given.url('url'),
    authorization: given.has('authorizationFile') ? given.contents('authorizationFile') : undefined,
    at: given.has('at') ? readPath(given, 'at') : undefined,
    prices: given.parts('prices').map(readPriceSettings),
  };
  given.end();
  const repeated = repeatedOf(feed.prices.map(({ asset }) => asset));
  if (repeated !== undefined) given.refuse('prices', `one price of each asset (${repeated} stands twice)`);
  return feed;
}

function readPriceSettings(given: Settings): PriceSettings {
  const form = 'an asset such as "USDT"';
  const price: PriceSettings = {
    asset: given.match('asset', ASSET, form),
    path: readPath(given, 'path'),
    in: given.has('in') ? given.match('in', ASSET, form) : undefined,
    isInverse: given.flag('inverse', false),
  };
  given.end();
  return price.in === 'BRL' ? { ...price, in: undefined } : price;
}

function readPath(given: Settings, name: string): readonly PathStep[] {
  return parsePath(given.text(name)) ?? given.refuse(name, PATH_FORM);
}

/** What each member alone cannot show: names that stand twice, prices that nothing turns into BRL, a quorum that nothing can reach. */
function refuseWrongSets(given: Settings, { feeds, quorum }: RateSettings): void {
  const repeated = repeatedOf(feeds.map(({ name }) => name));
  if (repeated !== undefined) given.refuse('feeds', `feeds of different names (${repeated} stands twice)`);
  const prices = feeds.flatMap((feed) => feed.prices);
  for (const { asset, in: other } of prices) {
    if (other === undefined) continue;
    const own = prices.filter((each) => each.asset === other);
    if (own.length === 0 || own.some((each) => each.in !== undefined))
      given.refuse('feeds', `prices of ${other} in BRL, because ${asset} is counted in it`);
  }
  const lacking = [...Map.groupBy(prices, ({ asset }) => asset)].find(
    ([, each]) => each.length < (quorum ?? 1),
  );
  if (lacking) given.refuse('quorum', `at most the number of feeds of ${lacking[0]} (${lacking[1].length})`);
}

function repeatedOf(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

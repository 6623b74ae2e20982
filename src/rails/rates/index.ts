/**
 * Rates from feeds. The job worker polls the feeds one at a time and stores their prices; every process evaluates the
 * stored prices. A stale or contested rate counts as missing.
 */
import { millisOf } from '../../base/time/instant.ts';
import { repeat } from '../../resolvers/engine/repeat.ts';
import type { Check, RailPart, RailTools } from '../../resolvers/services/rail-part.ts';
import { RateRefused, type RateReport, type RateSource } from '../../resolvers/services/rails.ts';
import { refreshRates } from '../../store/engine/pricing.ts';
import { readFeeds, storeFailure, storePrices } from '../../store/rails/rate-feeds.ts';
import { evaluateFeeds } from './evaluate-feeds.ts';
import { FeedFailure, readFeed } from './read-feed.ts';
import { AHEAD_MAX_MS, type FeedSettings, type RateSettings } from './settings.ts';

export { readRateSettings } from './settings.ts';

/** Maximum polling interval of a failing feed; the interval grows with each failure. Unit: ms. */
const PAUSE_MAX_MS = 60_000;
const FAILED_MS = 5_000;

/** @returns the source of rates; it polls nothing before `start`. */
export function createRates(settings: RateSettings, tools: RailTools): RailPart<RateSource> {
  const report = () => reportOf(settings, tools);
  return {
    port: {
      observe: async (asset) => {
        const found = (await report()).get(asset);
        if (!found) return undefined;
        if (found.mid === null || found.observedAtMs === null) throw new RateRefused(refusalOf(found));
        return { mid: found.mid, observedAtMs: found.observedAtMs };
      },
      report: async () => [...(await report()).values()],
    },
    start: () => {
      const stopping = new AbortController();
      const options = { failedMs: FAILED_MS, complaint: 'the prices of a feed cannot be stored' };
      const loops = settings.feeds.map((feed) =>
        repeat(stopping.signal, tools.log, options, () => poll(settings, feed, tools, stopping.signal)),
      );
      return {
        stop: async () => {
          stopping.abort();
          await Promise.all(loops.map(({ done }) => done));
        },
      };
    },
    checks: async () => [...(await report()).values()].map(checkOf),
  };
}

async function reportOf(
  settings: RateSettings,
  { database, mode, clock }: RailTools,
): Promise<ReadonlyMap<string, RateReport>> {
  const [rows, nowMs] = await Promise.all([readFeeds(database, mode), clock.nowMs()]);
  const prices = rows.map(({ observedAt, ...row }) => ({
    ...row,
    observedAtMs: observedAt === null ? null : millisOf(observedAt),
  }));
  return evaluateFeeds(settings, prices, nowMs);
}

/**
 * Polls a feed that is due, considering the polls of other processes.
 * @returns delay until the next poll. Unit: ms.
 */
async function poll(
  settings: RateSettings,
  feed: FeedSettings,
  tools: RailTools,
  signal: AbortSignal,
): Promise<number> {
  const { everyMs, timeoutMs } = settings;
  const { database, mode, clock, log } = tools;
  const own = { mode, feed: feed.name };
  const rows = (await readFeeds(database, mode)).filter((row) => row.feed === feed.name);
  const failures = Math.max(0, ...rows.map((row) => row.failures));
  const lastMs = Math.max(0, ...rows.map((row) => millisOf(row.triedAt)));
  const pauseMs = Math.min(everyMs * 2 ** Math.min(failures, 6), PAUSE_MAX_MS);
  const attemptedAtMs = await clock.nowMs();
  const earlyMs = lastMs + pauseMs - attemptedAtMs;
  if (earlyMs > 0) return Math.min(earlyMs, everyMs);
  try {
    const { prices, atMs = attemptedAtMs } = await readFeed(feed, timeoutMs, signal);
    // A time in the future means another unit or a wrong clock; accepting it would make the price look fresh for years.
    if (atMs - (await clock.nowMs()) > AHEAD_MAX_MS)
      throw new FeedFailure('its prices have a time in the future');
    await storePrices(database, own, prices, { observedAtMs: atMs, attemptedAtMs });
    await storeAgreedRates(settings, tools);
  } catch (error) {
    if (!(error instanceof FeedFailure)) throw error;
    if (signal.aborted) return everyMs;
    if (failures === 0)
      log.warn({ feed: feed.name, mode, failure: error.message }, 'a feed of rates cannot be read');
    const assets = feed.prices.map(({ asset }) => asset);
    await storeFailure(database, own, assets, { failure: error.message, attemptedAtMs });
  }
  return everyMs;
}

/**
 * Stores the agreed rates, which value the books, including assets that are never quoted, such as coins of networks.
 */
async function storeAgreedRates(settings: RateSettings, tools: RailTools): Promise<void> {
  const agreed = [...(await reportOf(settings, tools)).values()].flatMap(({ asset, mid, observedAtMs }) =>
    mid === null || observedAtMs === null ? [] : [{ asset, mid, observedAtMs }],
  );
  if (agreed.length > 0) await refreshRates(tools.database, tools.mode, agreed);
}

function refusalOf({ asset, state, quorum }: RateReport): string {
  return state === 'CONTESTED'
    ? `the sources of the price of ${asset} contradict each other`
    : `fewer than ${quorum} sources have a price of ${asset} that is fresh enough`;
}

function checkOf({ asset, state, mid, quorum, feeds }: RateReport): Check {
  const used = feeds.filter((feed) => feed.state === 'IN').length;
  const out = feeds
    .filter((feed) => feed.state !== 'IN')
    .map(({ feed, why }) => `; ${feed} is excluded: ${why}`);
  const rate = mid === null ? `no price (${state.toLowerCase()})` : `${mid} BRL`;
  return {
    check: `rate of ${asset}`,
    ok: state === 'AGREED',
    detail: `${rate} by ${used} of ${feeds.length} feeds, at least ${quorum}${out.join('')}`,
  };
}

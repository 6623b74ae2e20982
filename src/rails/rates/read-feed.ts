/** Asks a feed for its prices: bounded in time and size, every digit kept. */

import { readAnswer } from '../../base/input/read-answer.ts';
import { divide, expandNumber, isMore } from '../../base/money/money.ts';
import { type ExactJson, NumberToken, parseExactJson } from '../../base/text/exact-json.ts';
import { type PathStep, valueAt } from '../../base/text/json-path.ts';
import { parseInstant } from '../../base/time/instant.ts';
import type { FeedPrice } from '../../store/rails/rate-feeds.ts';
import type { FeedSettings, PriceSettings } from './settings.ts';

/** Prices from a feed. */
export interface FeedPrices {
  readonly prices: readonly FeedPrice[];
  /** When its prices were so, by its own word; undefined where it does not say. */
  readonly atMs: number | undefined;
}

/** Reason for which a feed could not be read, in words that hold no secret: neither its URL nor its answer. */
export class FeedFailure extends Error {
  override readonly name = 'FeedFailure';
}

const BODY_MAX_BYTES = 1_048_576;
/** Longer than any price. */
const DIGITS_MAX = 40;
const INVERSE_DECIMALS = 30;
/** Bound that distinguishes seconds from milliseconds. */
const SECONDS_MAX = 100_000_000_000;

/** @throws {FeedFailure} */
export async function readFeed(
  feed: FeedSettings,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<FeedPrices> {
  const text = await fetchText(feed, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])).catch(
    (error: unknown) => {
      throw error instanceof FeedFailure ? error : new FeedFailure(reasonOf(error, timeoutMs));
    },
  );
  const json = parsed(text);
  return {
    prices: feed.prices.map((price) => ({ asset: price.asset, price: priceIn(json, price) })),
    atMs: feed.at && timeIn(json, feed.at),
  };
}

async function fetchText({ url, authorization }: FeedSettings, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) };
  // A redirect leads away from the configured feed.
  const response = await fetch(url, { signal, headers, redirect: 'error' });
  if (!response.ok) {
    await response.body?.cancel();
    throw new FeedFailure(`HTTP ${response.status}`);
  }
  return readAnswer(response, BODY_MAX_BYTES, () => new FeedFailure('more than 1 MiB'));
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return `no answer in ${timeoutMs / 1_000} s`;
  return cause?.code ?? 'not reachable';
}

function parsed(text: string): ExactJson {
  try {
    return parseExactJson(text);
  } catch {
    throw new FeedFailure('not JSON');
  }
}

function priceIn(json: ExactJson, { asset, path, isInverse }: PriceSettings): string {
  const value = numberAt(json, path);
  if (value === undefined || !isMore(value, '0')) throw new FeedFailure(`no price of ${asset}`);
  return isInverse ? divide('1', value, INVERSE_DECIMALS) : value;
}

/** A number of JSON, or one that stands in a text: prices often do. */
function numberAt(json: ExactJson, path: readonly PathStep[]): string | undefined {
  const value = valueAt(json, path);
  const text = value instanceof NumberToken ? value.text : value;
  if (typeof text !== 'string' || text.length > DIGITS_MAX) return undefined;
  try {
    const number = expandNumber(text);
    return number.length > DIGITS_MAX ? undefined : number;
  } catch {
    return undefined;
  }
}

function timeIn(json: ExactJson, path: readonly PathStep[]): number {
  const value = valueAt(json, path);
  const text = value instanceof NumberToken ? value.text : value;
  const ms = typeof text === 'string' ? msOf(text) : Number.NaN;
  if (!Number.isFinite(ms)) throw new FeedFailure('it does not report the time of its prices');
  return ms;
}

/** Seconds or milliseconds since 1970, or an instant with its zone, of which some leave out the colon. */
function msOf(text: string): number {
  const number = Number(text);
  if (Number.isNaN(number))
    return parseInstant(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))?.getTime() ?? Number.NaN;
  return number > SECONDS_MAX ? number : number * 1_000;
}

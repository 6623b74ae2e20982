/** Reads the prices of a feed with limited time and size, and without loss of digits. */

import { readAnswer } from '../../base/input/read-answer.ts';
import { divide, expandNumber, isMore } from '../../base/money/money.ts';
import { type ExactJson, NumberToken, parseExactJson } from '../../base/text/exact-json.ts';
import { type PathStep, valueAt } from '../../base/text/json-path.ts';
import { parseInstant } from '../../base/time/instant.ts';
import { callRail } from '../../base/trace/call-rail.ts';
import type { FeedPrice } from '../../store/rails/rate-feeds.ts';
import type { FeedSettings, PriceSettings } from './settings.ts';

/** Prices from a feed. */
export interface FeedPrices {
  readonly prices: readonly FeedPrice[];
  /** Time of the prices as stated by the feed; undefined if it states none. */
  readonly atMs: number | undefined;
}

/** Reason why a feed could not be read. The message contains no secret: neither the URL nor the answer. */
export class FeedFailure extends Error {
  override readonly name = 'FeedFailure';
}

const BODY_MAX_BYTES = 1_048_576;
/** Maximum number of digits, more than any price has. */
const DIGITS_MAX = 40;
const INVERSE_DECIMALS = 30;
/** Limit below which a time is in seconds, otherwise in milliseconds. */
const SECONDS_MAX = 100_000_000_000;

/** @throws {FeedFailure} */
export async function readFeed(
  feed: FeedSettings,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<FeedPrices> {
  const text = await callRail({ rail: 'rates', name: 'GET rates' }, () =>
    fetchText(feed, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
  ).catch((error: unknown) => {
    throw error instanceof FeedFailure ? error : new FeedFailure(reasonOf(error, timeoutMs));
  });
  const json = parsed(text);
  return {
    prices: feed.prices.map((price) => ({ asset: price.asset, price: priceIn(json, price) })),
    atMs: feed.at && timeIn(json, feed.at),
  };
}

async function fetchText({ url, authorization }: FeedSettings, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) };
  // Redirects are refused, because they lead away from the configured feed.
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

/** Reads a JSON number, or a number within a text, a common form of prices. */
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

/** Reads seconds or milliseconds since 1970, or an instant with a zone, with or without a colon in it. */
function msOf(text: string): number {
  const number = Number(text);
  if (Number.isNaN(number))
    return parseInstant(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))?.getTime() ?? Number.NaN;
  return number > SECONDS_MAX ? number : number * 1_000;
}

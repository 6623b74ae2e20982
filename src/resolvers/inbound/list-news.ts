/** Reads the news of rails that an operator has to look at. */

import { GatewayError } from '../../base/errors/errors.ts';
import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import { type ListedNews, type ListedNewsState, readListedNews } from '../../store/engine/news-list.ts';
import type { Context } from '../services/context.ts';
import { findOwnNews } from './decide-news.ts';
import { maskNews } from './mask-news.ts';

/**
 * @returns news of the caller's mode, newest first unless backward. Tax ids are unmasked only for those who decide about money.
 * @throws {GatewayError} `FORBIDDEN`.
 */
export async function listNews(
  { caller, database, mode }: Context,
  state: ListedNewsState | null,
  slice: IdSlice,
): Promise<IdPart<ListedNews>> {
  const decides = requireReader(caller);
  const found = await readListedNews(database, { mode, state }, slice);
  return decides
    ? found
    : { ...found, rows: found.rows.map((row) => ({ ...row, body: maskNews(row.body) })) };
}

/** @returns news that the caller may list, whatever its state. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`. */
export async function readNewsEntry(context: Context, id: string): Promise<ListedNews> {
  const decides = requireReader(context.caller);
  const found = await findOwnNews(context, id);
  return decides ? found : { ...found, body: maskNews(found.body) };
}

/** @returns whether the caller decides about money. @throws {GatewayError} `FORBIDDEN`. */
function requireReader({ scopes }: Context['caller']): boolean {
  const decides = scopes.includes('platform:risk');
  if (decides || scopes.includes('platform:rails')) return decides;
  throw new GatewayError(
    'FORBIDDEN',
    'this requires a key with the scope "platform:rails" or "platform:risk"',
  );
}

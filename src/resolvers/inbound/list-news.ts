/** Reads the news of rails that an operator has to look at. */
import { GatewayError } from '../../base/errors.ts';
import {
  countListedNews,
  type ListedNews,
  type ListedNewsState,
  type NewsCounts,
  type NewsSlice,
  readListedNews,
} from '../../store/engine/news-list.ts';
import type { Context } from '../services/context.ts';
import { maskNews } from './mask-news.ts';

/** A part of the list, and how much there is in all and outside of its bounds. */
export interface NewsPart extends NewsCounts {
  readonly rows: readonly ListedNews[];
}

/**
 * @returns news of the caller's mode, newest first unless backward; who paid is whole to those who decide about money.
 * @throws {GatewayError} `FORBIDDEN`.
 */
export async function listNews(
  { caller, database, mode }: Context,
  state: ListedNewsState | null,
  slice: NewsSlice,
): Promise<NewsPart> {
  const decides = caller.scopes.includes('platform:risk');
  if (!decides && !caller.scopes.includes('platform:rails'))
    throw new GatewayError(
      'FORBIDDEN',
      'this requires a key with the scope "platform:rails" or "platform:risk"',
    );
  const [rows, counts] = await Promise.all([
    readListedNews(database, { mode, state }, slice),
    countListedNews(database, { mode, state }, slice),
  ]);
  return { rows: decides ? rows : rows.map((row) => ({ ...row, body: maskNews(row.body) })), ...counts };
}

/** News of rails in a batch: what was settled before does not act again, and what acts is stored with it (C-33, C-34). */
import type { AccountMode } from '../../base/account-mode.ts';
import { assert } from '../../base/assert.ts';
import type { Tx } from '../../store/database.ts';
import { type KnownNews, keepNews, readKnownNews, type SettledNews } from '../../store/engine/news.ts';
import type { AdvanceRequest } from '../services/advance.ts';
import type { Item } from './batch-item.ts';

/** Whom news was for that was settled before. */
export type Owner = Pick<KnownNews, 'accountId' | 'transactionId'>;

/** @returns what tells the news of a request from all other news; undefined where it is none. */
export function newsKeyOf({ news }: AdvanceRequest): string | undefined {
  return news && `${news.kind} ${news.key}`;
}

/** @returns the news of the batch that was settled before, by key; the accounts are locked. */
export async function knownNews(
  tx: Tx,
  mode: AccountMode,
  items: readonly Item[],
): Promise<Map<string, Owner>> {
  const keys = items.flatMap(({ request: { news } }) => (news ? [news] : []));
  const known = keys.length > 0 ? await readKnownNews(tx, mode, keys) : [];
  return new Map(known.map((each) => [`${each.kind} ${each.key}`, each]));
}

/**
 * @returns whether settled news may act again: a deposit that was dropped can be seen once more by its transaction, and one
 *   that did not fit is offered again when it is final.
 */
export function mayActAgain(owner: Owner, { request, row }: Item): boolean {
  return (
    request.trigger.on === 'deposit_seen' &&
    owner.accountId === row.accountId &&
    owner.transactionId === row.id
  );
}

/** Stores the news of what moved. */
export async function keepBatchNews(tx: Tx, moved: readonly Item[]): Promise<void> {
  const news = moved.flatMap(settledNews);
  const kept = news.length > 0 ? await keepNews(tx, news) : [];
  assert(kept.length === news.length, 'news that nobody knew acts here alone');
}

function settledNews({ request: { news }, row, isRepeat }: Item): SettledNews[] {
  if (!news || isRepeat) return [];
  return [{ ...news, outcome: 'step', accountId: row.accountId, transactionId: row.id }];
}

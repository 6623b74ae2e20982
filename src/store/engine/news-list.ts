/** News of rails that an operator has to look at: what is not settled, and reports of fraud, for which there is no step. */
import type { AccountMode } from '../../base/account-mode.ts';
import type { Instant } from '../../base/instant.ts';
import type { Tx } from '../database.ts';
import { type IdPart, type IdSlice, idList } from '../id-list.ts';

/** What is to be looked at, and why. */
export const LISTED_NEWS_STATES = {
  pending: 'It could not be settled yet, and is tried again.',
  failed: 'Its transaction never took it, and it is not tried any more.',
  reported: 'A report of fraud about a payment: there is no step for it.',
} as const;
/** Why news is to be looked at. */
export type ListedNewsState = keyof typeof LISTED_NEWS_STATES;

/** News in the list. */
export interface ListedNews {
  readonly id: bigint;
  readonly rail: string;
  readonly kind: string;
  /** Natural key, without the rail. */
  readonly key: string;
  readonly state: ListedNewsState;
  readonly attempts: number;
  readonly lastError: string | null;
  /** On the clock of the machine; null unless it is tried again. */
  readonly dueAt: Instant | null;
  readonly seenAt: Instant;
  /** Whom it is for, where that is known. */
  readonly accountId: bigint | null;
  /** Id of the transaction as callers know it. */
  readonly end2end: string | null;
  /** As the rail told it. */
  readonly body: unknown;
}

/** Which news is wanted. */
export interface NewsFilter {
  readonly mode: AccountMode;
  readonly state: ListedNewsState | null;
}

const STATE = `case when n.outcome in ('pending', 'failed') then n.outcome else 'reported' end`;
const NEWS = idList<ListedNews>({
  name: 'news',
  id: 'n.id',
  columns: `n.id, n.rail, n.kind, substr(n.key, length(n.rail) + 2) as key, ${STATE} as state, n.attempts,
      n.last_error as "lastError", n.due_at as "dueAt", n.seen_at as "seenAt", n.account_id as "accountId", t.end2end, n.body`,
  from: 'rail_news n left join transaction t on t.account_id = n.account_id and t.id = n.transaction_id',
  countedFrom: 'rail_news n',
  where: `n.mode = $1 and (n.outcome in ('pending', 'failed') or n.kind = 'infraction')
      and ($2::text is null or ${STATE} = $2)`,
  filters: 2,
});

/** @returns a part of the list. */
export function readListedNews(
  database: Tx,
  { mode, state }: NewsFilter,
  slice: IdSlice,
): Promise<IdPart<ListedNews>> {
  return NEWS(database, [mode, state], slice);
}

/** News of rails that an operator has to look at: what is not settled, and reports of fraud, for which there is no step. */
import type { AccountMode } from '../../base/account-mode.ts';
import type { Instant } from '../../base/instant.ts';
import type { Statement, Tx } from '../database.ts';

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

/** A part of the list, newest first unless backward. */
export interface NewsSlice {
  readonly limit: number;
  /** Only news with a smaller id, or with a greater one. */
  readonly below: bigint | null;
  readonly above: bigint | null;
  readonly isBackward: boolean;
}

/** How much is in the list, and whether some of it is outside of the bounds of a slice. */
export interface NewsCounts {
  readonly total: bigint;
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}

const STATE = `case when n.outcome in ('pending', 'failed') then n.outcome else 'reported' end`;
const MATCHES = `n.mode = $1 and (n.outcome in ('pending', 'failed') or n.kind = 'infraction')
  and ($2::text is null or ${STATE} = $2)`;

const pageStatement = (isBackward: boolean): Statement => ({
  name: `news_page_${isBackward ? 'asc' : 'desc'}`,
  text: `select n.id, n.rail, n.kind, substr(n.key, length(n.rail) + 2) as key, ${STATE} as state, n.attempts,
      n.last_error as "lastError", n.due_at as "dueAt", n.seen_at as "seenAt", n.account_id as "accountId", t.end2end, n.body
    from rail_news n left join transaction t on t.account_id = n.account_id and t.id = n.transaction_id
    where ${MATCHES} and ($3::bigint is null or n.id < $3) and ($4::bigint is null or n.id > $4)
    order by n.id ${isBackward ? 'asc' : 'desc'} limit $5`,
});
const FORWARD = pageStatement(false);
const BACKWARD = pageStatement(true);
const COUNT: Statement = {
  name: 'news_count',
  text: `select count(*) as total, coalesce(bool_or(n.id >= $3), false) as "hasNewer", coalesce(bool_or(n.id <= $4), false) as "hasOlder"
    from rail_news n where ${MATCHES}`,
};

/** Reads a part of the list. */
export function readListedNews(
  tx: Tx,
  { mode, state }: NewsFilter,
  { limit, below, above, isBackward }: NewsSlice,
): Promise<ListedNews[]> {
  return tx.query<ListedNews>(isBackward ? BACKWARD : FORWARD, [mode, state, below, above, limit]);
}

/** Counts the list. */
export async function countListedNews(
  tx: Tx,
  { mode, state }: NewsFilter,
  { below, above }: Pick<NewsSlice, 'below' | 'above'>,
): Promise<NewsCounts> {
  const [row] = await tx.query<NewsCounts>(COUNT, [mode, state, below, above]);
  return row ?? { total: 0n, hasNewer: false, hasOlder: false };
}

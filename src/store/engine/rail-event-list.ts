/**
 * Rail events that need an operator: unsettled events, and reports of fraud, for which there is no step; and events
 * that a person closed.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { type IdPart, type IdSlice, idList } from '../connection/id-list.ts';
import type { AnyOutcome } from './rail-events.ts';

/** States that need an operator, and the reason of each. */
export const RAIL_EVENT_STATES = {
  pending: 'It could not be settled yet, and is tried again.',
  failed: 'Its transaction never accepted it, and it is not tried any more.',
  reported: 'A report of fraud about a payment: there is no step for it.',
  closed: 'Somebody closed it by hand: it needs no further action. It is listed only on request.',
} as const;
/** Reason why a rail event needs an operator. */
export type RailEventState = keyof typeof RAIL_EVENT_STATES;

/** A rail event in the list. */
export interface ListedRailEvent {
  readonly id: bigint;
  readonly rail: string;
  readonly kind: string;
  /** Natural key, without the rail. */
  readonly key: string;
  readonly state: RailEventState;
  readonly attempts: number;
  readonly lastError: string | null;
  /** Time on the database's clock; null unless it is retried. */
  readonly dueAt: Instant | null;
  readonly seenAt: Instant;
  /** Account of the event, if known. */
  readonly accountId: bigint | null;
  /** Id of the transaction as callers know it. */
  readonly end2end: string | null;
  /** Body as the rail sent it. */
  readonly body: unknown;
  /** Reason, person and time of its manual closing; null unless it was closed. */
  readonly closeReason: string | null;
  readonly closedBy: string | null;
  readonly closedAt: Instant | null;
}

/** Filter of rail events. */
export interface RailEventFilter {
  readonly mode: AccountMode;
  readonly state: RailEventState | null;
}

const STATE = `case when n.outcome in ('pending', 'failed', 'closed') then n.outcome else 'reported' end`;
const COLUMNS = `n.id, n.rail, n.kind, substr(n.key, length(n.rail) + 2) as key, ${STATE} as state, n.attempts,
      n.last_error as "lastError", n.due_at as "dueAt", n.seen_at as "seenAt", n.account_id as "accountId", t.end2end, n.body,
      n.close_reason as "closeReason", n.closed_by as "closedBy", n.closed_at as "closedAt"`;
const FROM = 'rail_news n left join transaction t on t.account_id = n.account_id and t.id = n.transaction_id';
const SHAPE = { id: 'n.id', columns: COLUMNS, from: FROM, countedFrom: 'rail_news n', filters: 2 } as const;
const NEEDING_OPERATOR = idList<ListedRailEvent>({
  ...SHAPE,
  name: 'rail_event',
  where: `n.mode = $1 and (n.outcome in ('pending', 'failed') or n.kind = 'infraction') and n.outcome <> 'closed'
      and ($2::text is null or ${STATE} = $2)`,
});
/** List with an index of its own. */
const CLOSED = idList<ListedRailEvent>({
  ...SHAPE,
  name: 'rail_event_closed',
  where: `n.mode = $1 and n.outcome = 'closed' and n.outcome = $2`,
});
const FIND: Statement = {
  name: 'rail_event_find',
  text: `select ${COLUMNS}, n.outcome from ${FROM} where n.id = $1 and n.mode = $2`,
};

/** @returns a slice of the list. */
export function readListedRailEvents(
  database: Tx,
  { mode, state }: RailEventFilter,
  slice: IdSlice,
): Promise<IdPart<ListedRailEvent>> {
  return (state === 'closed' ? CLOSED : NEEDING_OPERATOR)(database, [mode, state], slice);
}

/** A rail event with its outcome. */
export interface FoundRailEvent extends ListedRailEvent {
  readonly outcome: AnyOutcome;
}

/** @returns the rail event with this id, whatever its outcome. */
export async function findRailEvent(
  tx: Tx,
  id: bigint,
  mode: AccountMode,
): Promise<FoundRailEvent | undefined> {
  const [row] = await tx.query<FoundRailEvent>(FIND, [id, mode]);
  return row;
}

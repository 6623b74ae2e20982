/**
 * Entries of suspense: money that arrived and that no transaction accepted, until a person decides about it (C-34).
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { type IdPart, type IdSlice, idList } from '../connection/id-list.ts';
import type { RailEventRecord } from './rail-events.ts';

/** Reason for which no transaction accepted it. */
export const SUSPENSE_REASONS = {
  not_due: 'the transaction did not wait for it: it was cancelled, had failed, or was over',
  impossible_time: 'the rail says that it was paid before its charge existed, or in the future',
  second_payment: 'the transaction had been paid already',
  no_transaction:
    'the account is known by the address, the transaction is not: another currency, or several sessions',
  payout_returned: 'it was paid out and came back, and the transaction did not take it back',
  unknown: 'nobody knows whom it is for',
} as const;
/** Name of a reason. */
export type SuspenseReason = keyof typeof SUSPENSE_REASONS;
/** State of an entry; `returning` until the rail reports that the money went back. */
export type SuspenseState = 'open' | 'assigned' | 'returning' | 'returned' | 'dropped';

/** An entry to be opened. */
export interface NewSuspense {
  readonly accountId: bigint;
  readonly railEventId: bigint;
  readonly transactionId: bigint | null;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly reason: SuspenseReason;
  readonly journalId: bigint;
  readonly openedAtMs: number;
}

/** An entry, with the rail event about its money. */
export interface SuspenseRow {
  readonly id: bigint;
  readonly accountId: bigint;
  readonly transactionId: bigint | null;
  readonly currency: string;
  readonly amountMinor: string;
  readonly reason: SuspenseReason;
  readonly state: SuspenseState;
  readonly assignedTo: bigint | null;
  /** Account that gets it after the approval of another person than `proposedBy`; null without a proposal. */
  readonly proposedTo: bigint | null;
  readonly proposedBy: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Instant | null;
  readonly openedAt: Instant;
  /** Return id of PIX under which it goes or went back; null otherwise. */
  readonly returnId: string | null;
  /** Whether its order failed so often that it is sent again only when a person returns it again. */
  readonly isStuck: boolean;
  /** Id of the transaction as callers know it. */
  readonly end2end: string | null;
  /** Body as the rail sent it. */
  readonly railEvent: unknown;
}

/** @returns the state of an entry, as a predicate for a sentence. */
export function describeState({
  state,
  assignedTo,
  proposedTo,
  isStuck,
}: Pick<SuspenseRow, 'state' | 'assignedTo' | 'proposedTo' | 'isStuck'>): string {
  switch (state) {
    case 'open':
      return proposedTo === null
        ? 'waits for a decision'
        : `waits until another person approves that account ${proposedTo} gets it`;
    case 'assigned':
      return `was credited to account ${assignedTo}`;
    case 'returning':
      return isStuck
        ? `is on its way back, but its order failed ${ATTEMPTS_MAX} times and waits for a person: return it again`
        : 'is on its way back';
    case 'returned':
      return 'went back to where it came from';
    case 'dropped':
      return 'was dropped by its network';
  }
}

/** Decision about an entry. */
export interface SuspenseDecision {
  readonly state: SuspenseState;
  readonly assignedTo: bigint | null;
  /** Null for an entry that is open again. */
  readonly decidedBy: string | null;
  readonly decidedAt: Instant | null;
  /** Return id of PIX under which it goes or went back; null otherwise. */
  readonly returnId: string | null;
  /** Time on the database's clock at which its order is sent to the rail again; null without one. Unit: ms. */
  readonly dueMs: number | null;
}

/** An entry whose order is due. */
export interface DueReturn {
  readonly id: bigint;
  readonly accountId: bigint;
}

/** Filter of entries; all given members must match. */
export interface SuspenseFilter {
  readonly mode: AccountMode;
  /** Null means all accounts. */
  readonly accountId: bigint | null;
  readonly state: SuspenseState | null;
}

const COLUMNS = `s.id, s.account_id as "accountId", s.transaction_id as "transactionId", s.currency,
  s.amount_minor::text as "amountMinor", s.reason, s.state, s.assigned_to as "assignedTo",
  s.proposed_to as "proposedTo", s.proposed_by as "proposedBy", s.decided_by as "decidedBy",
  s.decided_at as "decidedAt", s.opened_at as "openedAt", s.return_id as "returnId",
  coalesce(s.due_at = 'infinity', false) as "isStuck", t.end2end, n.body as "railEvent"`;
const FROM = `suspense_entry s join account a on a.id = s.account_id join rail_news n on n.id = s.news_id
  left join transaction t on t.account_id = s.account_id and t.id = s.transaction_id`;

const FIND: Statement = {
  name: 'suspense_find',
  text: `select ${COLUMNS} from ${FROM} where s.id = $1 and a.mode = $2`,
};
const BY_RETURN: Statement = {
  name: 'suspense_by_return',
  text: `select ${COLUMNS} from ${FROM} where s.return_id = $1 and a.mode = $2`,
};
const BY_RAIL_EVENT: Statement = {
  name: 'suspense_by_rail_event',
  text: `select ${COLUMNS} from ${FROM} where n.key = $1 and n.kind = $2 and n.mode = $3`,
};
const SHAPE = {
  id: 's.id',
  columns: COLUMNS,
  from: FROM,
  countedFrom: 'suspense_entry s join account a on a.id = s.account_id',
  filters: 3,
} as const;
const OF_MODE = 'a.mode = $1 and ($2::bigint is null or s.account_id = $2)';
const LIST = idList<SuspenseRow>({
  ...SHAPE,
  name: 'suspense',
  where: `${OF_MODE} and ($3::text is null or s.state = $3)`,
});
/** List with an index of its own. */
const OPEN = idList<SuspenseRow>({
  ...SHAPE,
  name: 'suspense_open',
  where: `${OF_MODE} and s.state = 'open' and s.state = $3`,
});
/** Number of failures, over 30 hours, after which an order waits for a person: the rail may have received it. */
const ATTEMPTS_MAX = 36;
/**
 * A claimed order is due again after 2 seconds, 8, 32 …, at most an hour, because its process may die before it reports
 * an outcome.
 */
const CLAIM_DUE: Statement = {
  name: 'suspense_take_due',
  text: `update suspense_entry s
        set due_at = $1::timestamptz + least(interval '2 seconds' * power(4, least(s.attempts, 10)), interval '1 hour')
    from (select id from suspense_entry where due_at <= $1 order by due_at, id limit $2 for update skip locked) d
    where s.id = d.id returning s.id, s.account_id as "accountId"`,
};
/**
 * A failed attempt counts unless it names the time of the next one. An entry that was decided or ordered meanwhile
 * stays unchanged.
 */
const FAILED: Statement = {
  name: 'suspense_order_failed',
  text: `update suspense_entry set attempts = attempts + ($3::timestamptz is null)::int,
        due_at = case when $3::timestamptz is null and attempts + 1 >= ${ATTEMPTS_MAX} then 'infinity'
          else coalesce($3::timestamptz, due_at) end
    where id = $1 and state = 'returning' and decided_at = $2 and isfinite(due_at)`,
};
const ORDERED: Statement = {
  name: 'suspense_ordered',
  text: `update suspense_entry set due_at = null where id = $1 and state = 'returning' and decided_at = $2`,
};
const DECIDE: Statement = {
  name: 'suspense_decide',
  text: `update suspense_entry set state = $2, assigned_to = $3, decided_by = $4, decided_at = $5, due_at = $6, return_id = $7,
      attempts = 0, proposed_to = null, proposed_by = null where id = $1`,
};
const REDUCE: Statement = {
  name: 'suspense_reduce',
  text: `update suspense_entry set amount_minor = amount_minor - $2, proposed_to = null, proposed_by = null where id = $1`,
};
const MAKE_DUE_AGAIN: Statement = {
  name: 'suspense_place_again',
  text: `update suspense_entry set due_at = $2, attempts = 0 where id = $1 and due_at = 'infinity'`,
};
const PROPOSE: Statement = {
  name: 'suspense_propose',
  text: `update suspense_entry set proposed_to = $2, proposed_by = $3 where id = $1`,
};
const ADD: Statement = {
  name: 'suspense_add',
  text: `insert into suspense_entry (account_id, news_id, transaction_id, currency, amount_minor, reason, journal_id, opened_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/** Opens an entry. */
export async function addSuspense(tx: Tx, entry: NewSuspense): Promise<void> {
  await tx.query(ADD, [
    entry.accountId,
    entry.railEventId,
    entry.transactionId,
    entry.currency,
    entry.amountMinor,
    entry.reason,
    entry.journalId,
    new Date(entry.openedAtMs).toISOString(),
  ]);
}

/** @returns the entry; undefined if it does not exist or is of the other mode. */
export async function findSuspense(tx: Tx, id: bigint, mode: AccountMode): Promise<SuspenseRow | undefined> {
  const [row] = await tx.query<SuspenseRow>(FIND, [id, mode]);
  return row;
}

/** @returns the entry with this return id, or undefined. */
export async function findByReturn(
  tx: Tx,
  returnId: string,
  mode: AccountMode,
): Promise<SuspenseRow | undefined> {
  const [row] = await tx.query<SuspenseRow>(BY_RETURN, [returnId, mode]);
  return row;
}

/** @returns the entry that this event opened, or undefined. */
export async function findByRailEventKey(
  tx: Tx,
  { mode, kind, key }: Pick<RailEventRecord, 'mode' | 'kind' | 'key'>,
): Promise<SuspenseRow | undefined> {
  const [row] = await tx.query<SuspenseRow>(BY_RAIL_EVENT, [key, kind, mode]);
  return row;
}

/** @returns a slice of the list. */
export function readSuspense(
  database: Tx,
  { mode, accountId, state }: SuspenseFilter,
  slice: IdSlice,
): Promise<IdPart<SuspenseRow>> {
  return (state === 'open' ? OPEN : LIST)(database, [mode, accountId, state], slice);
}

/**
 * Claims due orders, oldest first, for at least two seconds.
 *
 * @param nowMs - on the clock of the database.
 */
export function claimDueReturns(tx: Tx, nowMs: number, limit: number): Promise<DueReturn[]> {
  return tx.query<DueReturn>(CLAIM_DUE, [new Date(nowMs).toISOString(), limit]);
}

/** Stores that the rail has the order of that decision, so that it is not sent again. */
export async function storeOrdered(
  tx: Tx,
  { id, decidedAt }: Pick<SuspenseRow, 'id' | 'decidedAt'>,
): Promise<void> {
  await tx.query(ORDERED, [id, decidedAt]);
}

/**
 * Stores that an order failed. After the last attempt it waits for a person.
 * @param againMs - time of the next attempt on the database's clock, after a failure that says nothing about the order;
 * null for one that counts. Unit: ms.
 */
export async function failOrder(
  tx: Tx,
  { id, decidedAt }: Pick<SuspenseRow, 'id' | 'decidedAt'>,
  againMs: number | null,
): Promise<void> {
  await tx.query(FAILED, [id, decidedAt, againMs === null ? null : new Date(againMs).toISOString()]);
}

/** Stores a decision; the head of the entry's account is locked. */
export async function decideSuspense(tx: Tx, id: bigint, decision: SuspenseDecision): Promise<void> {
  const { state, assignedTo, decidedBy, decidedAt, dueMs, returnId } = decision;
  const due = dueMs === null ? null : new Date(dueMs).toISOString();
  await tx.query(DECIDE, [id, state, assignedTo, decidedBy, decidedAt, due, returnId]);
}

/**
 * Takes a part out of an open entry, and ends its proposal, which was about the larger amount; the head of the entry's
 * account is locked.
 */
export async function reduceSuspense(tx: Tx, id: bigint, lostMinor: bigint): Promise<void> {
  await tx.query(REDUCE, [id, lostMinor]);
}

/** Makes the order of a stuck entry due again; the head of the entry's account is locked. */
export async function makeDueAgain(tx: Tx, id: bigint, dueMs: number): Promise<void> {
  await tx.query(MAKE_DUE_AGAIN, [id, new Date(dueMs).toISOString()]);
}

/** Stores the proposed account of an open entry, or none; the head of the entry's account is locked. */
export async function proposeSuspense(
  tx: Tx,
  id: bigint,
  { proposedTo, proposedBy }: Pick<SuspenseRow, 'proposedTo' | 'proposedBy'>,
): Promise<void> {
  await tx.query(PROPOSE, [id, proposedTo, proposedBy]);
}

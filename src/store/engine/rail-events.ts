/**
 * Rail events in the database: stored once under their natural key, with their outcome; and their target, by the
 * facts that a rail knows (C-33, C-34).
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A rail event as it arrived. The key is natural: the rail's own name of the event, unique within its kind. */
export interface RailEventRecord {
  readonly mode: AccountMode;
  readonly rail: string;
  readonly kind: string;
  readonly key: string;
  readonly body: unknown;
}

/** Outcome of a rail event: a step of its transaction, a booking in suspense, or nothing to do. */
export type RailEventOutcome = 'step' | 'suspense' | 'noted';

/** All outcomes of rail events: settled, not settled yet, or closed by hand. */
export type AnyOutcome = RailEventOutcome | WaitingOutcome | 'closed';

/**
 * Outcome of an event that is not settled: it is retried, or its transaction never accepted it and retries have
 * ended.
 */
export type WaitingOutcome = 'pending' | 'failed';

/** A rail event with its outcome, and its target where known. */
export interface SettledRailEvent extends RailEventRecord {
  readonly outcome: RailEventOutcome;
  readonly accountId: bigint | null;
  readonly transactionId: bigint | null;
}

/** A rail event that was settled before. */
export type KnownRailEvent = Pick<SettledRailEvent, 'kind' | 'key' | 'accountId' | 'transactionId'> & {
  readonly outcome: RailEventOutcome | 'closed';
};

/**
 * Kind of reports that are not money yet: only their rail polls for them again, and retries of other events leave them
 * out.
 */
export const UNCONFIRMED = 'unconfirmed';

/** A rail event that is still to be settled. */
export interface PendingRailEvent extends RailEventRecord {
  readonly attempts: number;
  /** Number of times its transaction refused it. */
  readonly untaken: number;
}

/** Reason why an event is not settled now. */
export interface Postponement {
  readonly outcome: WaitingOutcome;
  /** Time of the next attempt, on the clock of the database; null without one. */
  readonly dueMs: number | null;
  readonly error: string;
  readonly isUntaken: boolean;
  /** Target of the event, if known. */
  readonly target: RailEventTarget | undefined;
}

/** A transaction for which money arrived; null if only the account is known. */
export interface RailEventTarget {
  readonly accountId: bigint;
  readonly transactionId: bigint | null;
}

const KNOWN: Statement = {
  name: 'rail_event_known',
  text: `select n.kind, n.key, n.outcome, n.account_id as "accountId", n.transaction_id as "transactionId"
    from unnest($1::text[], $2::text[]) g(key, kind) join rail_news n on n.key = g.key and n.kind = g.kind and n.mode = $3
    where n.outcome not in ('pending', 'failed')`,
};
const STORE: Statement = {
  name: 'rail_event_keep',
  text: `insert into rail_news as n (mode, rail, kind, key, account_id, transaction_id, body, outcome)
    select mode, rail, kind, key, account_id, transaction_id, body, outcome from jsonb_to_recordset($1::jsonb)
      g(mode text, rail text, kind text, key text, account_id bigint, transaction_id bigint, body jsonb, outcome text)
    on conflict (key, kind, mode) do update set outcome = excluded.outcome, due_at = null,
        account_id = excluded.account_id, transaction_id = excluded.transaction_id where n.outcome in ('pending', 'failed')
    returning id`,
};
/** Attempts at such a report count when the rail polls for it, not when it is repeated. */
const POSTPONE: Statement = {
  name: 'rail_event_postpone',
  text: `insert into rail_news as n (mode, rail, kind, key, body, outcome, attempts, untaken, due_at, last_error, account_id,
      transaction_id)
    values ($1, $2, $3, $4, $5::jsonb, $6, 1, $7::int, $8, $9, $10, $11)
    on conflict (key, kind, mode) do update set outcome = excluded.outcome,
        attempts = n.attempts + case when n.kind = '${UNCONFIRMED}' then 0 else 1 end,
        account_id = coalesce(excluded.account_id, n.account_id),
        transaction_id = coalesce(excluded.transaction_id, n.transaction_id),
        untaken = n.untaken + excluded.untaken, due_at = excluded.due_at, last_error = excluded.last_error
      where n.outcome in ('pending', 'failed')
    returning id`,
};
const PENDING: Statement = {
  name: 'rail_event_pending',
  text: `select mode, rail, kind, key, body, attempts, untaken from rail_news
    where outcome = 'pending' and kind <> '${UNCONFIRMED}' and due_at <= $1 order by due_at, id limit $2`,
};
const HASTEN: Statement = {
  name: 'rail_event_hasten',
  text: `update rail_news n set due_at = $3 from unnest($1::bigint[], $2::bigint[]) t(account_id, transaction_id)
    where n.outcome = 'pending' and n.account_id = t.account_id and n.transaction_id = t.transaction_id`,
};
const BY_TXID: Statement = {
  name: 'rail_event_by_txid',
  text: `select t.account_id as "accountId", t.id as "transactionId", not (t.process ? 'paid') and exists (select from med_case c
      where c.mode = $2 and c.pix_e2e = $3 and c.transaction_id is null) as "hasMedCase"
    from transaction t join account a on a.id = t.account_id and a.mode = $2 where t.txid = $1`,
};
const BY_RAIL_EVENT: Statement = {
  name: 'rail_event_by_key',
  text: `select account_id as "accountId", case when outcome = 'step' then transaction_id end as "transactionId"
    from rail_news where key = $1 and kind = $2 and mode = $3 and account_id is not null and outcome not in ('pending', 'failed')`,
};
const DISPUTE_RETURNS: Statement = {
  name: 'rail_event_dispute_returns',
  text: `select body ->> 'amount' as amount from rail_news
    where account_id = $1 and transaction_id = $2 and kind = 'dispute_returned' and outcome in ('noted', 'step')`,
};
const LOST: Statement = {
  name: 'rail_event_lost_deposit',
  text: `select 1 from rail_news n join transaction t on t.account_id = n.account_id and t.id = n.transaction_id
    where n.key = $1 and n.kind = $2 and n.mode = $3 and n.outcome = 'step' and t.process -> 'deposit' @> '{"isLost": true}'`,
};
const BY_END2END: Statement = {
  name: 'rail_event_by_end2end',
  text: `select t.account_id as "accountId", t.id as "transactionId"
    from account a join transaction t on t.account_id = a.id and t.end2end = $1 where a.mode = $2 limit 1`,
};
/** The PIX of a transaction is the received payment, or the payout: only a paid transaction has a payment. */
const BY_PIX: Statement = {
  name: 'rail_event_by_pix',
  text: `select t.account_id as "accountId", t.id as "transactionId"
    from account a cross join unnest($3::text[]) f(family)
    join list_pix x on x.account_id = a.id and x.family = f.family and x.pix_e2e = $1
    join transaction t on t.account_id = x.account_id and t.family = x.family and t.list_seq = x.list_seq and t.pix_e2e = $1
       and (t.process ? 'paid') = $4
    where a.mode = $2 limit 1`,
};
const BY_DEPOSIT: Statement = {
  name: 'rail_event_by_deposit',
  text: `select s.account_id as "accountId", s.transaction_id as "transactionId"
    from deposit_slot s join account a on a.id = s.account_id and a.mode = $4
    where s.address = $1 and s.currency = $2 and s.amount_minor = $3`,
};
/** Two matches are enough to know that the target is ambiguous. */
const BY_ADDRESS: Statement = {
  name: 'rail_event_by_address',
  text: `select s.account_id as "accountId", s.transaction_id as "transactionId"
    from deposit_slot s join account a on a.id = s.account_id and a.mode = $3
    where s.address = $1 and s.currency = $2 limit 2`,
};
const ACCOUNTS_OF_ADDRESS: Statement = {
  name: 'rail_event_accounts_of_address',
  text: `select distinct s.account_id as "accountId"
    from deposit_slot s join account a on a.id = s.account_id and a.mode = $2 where s.address = $1 limit 2`,
};
/** The attempts of the event restart. */
const RESTART: Statement = {
  name: 'rail_event_try_again',
  text: `update rail_news set outcome = 'pending', untaken = 0, due_at = $2
    where id = $1 and outcome in ('pending', 'failed') returning id`,
};
const RESTART_DISPUTE: Statement = {
  name: 'rail_event_restart_dispute',
  text: `update rail_news set outcome = 'pending', untaken = 0, due_at = $3
    where mode = $1 and key = 'pix:' || $2 and kind like 'dispute\\_%' and outcome in ('pending', 'failed')`,
};
const CLOSE: Statement = {
  name: 'rail_event_close',
  text: `update rail_news set outcome = 'closed', due_at = null, close_reason = $2, closed_by = $3, closed_at = $4
    where id = $1 and outcome in ('pending', 'failed') returning id`,
};

/** @returns the events that were settled before. */
export function readKnownRailEvents(
  tx: Tx,
  mode: AccountMode,
  events: readonly Pick<RailEventRecord, 'key' | 'kind'>[],
): Promise<KnownRailEvent[]> {
  return tx.query<KnownRailEvent>(KNOWN, [
    events.map(({ key }) => key),
    events.map(({ kind }) => kind),
    mode,
  ]);
}

/**
 * Stores rail events with their outcome.
 * @returns ids of the events that had not been settled before.
 */
export async function storeRailEvents(tx: Tx, events: readonly SettledRailEvent[]): Promise<bigint[]> {
  const records = events.map(({ accountId, transactionId, ...record }) => ({
    ...record,
    account_id: accountId === null ? null : String(accountId),
    transaction_id: transactionId === null ? null : String(transactionId),
  }));
  const rows = await tx.query<{ id: bigint }>(STORE, [JSON.stringify(records)]);
  return rows.map(({ id }) => id);
}

/**
 * Stores a rail event without a target: it is settled later, or never.
 * @returns its id; undefined if it was settled before.
 */
export async function postponeRailEvent(
  tx: Tx,
  { mode, rail, kind, key, body }: RailEventRecord,
  { outcome, dueMs, error, isUntaken, target }: Postponement,
): Promise<bigint | undefined> {
  const due = dueMs === null ? null : new Date(dueMs).toISOString();
  const words = error.slice(0, 500);
  const whom = [target?.accountId ?? null, target?.transactionId ?? null];
  const events = [mode, rail, kind, key, JSON.stringify(body)];
  const [row] = await tx.query<{ id: bigint }>(POSTPONE, [
    ...events,
    outcome,
    isUntaken ? 1 : 0,
    due,
    words,
    ...whom,
  ]);
  return row?.id;
}

/**
 * Restarts the attempts of an event.
 *
 * @returns whether it was not settled.
 */
export async function restartRailEvent(tx: Tx, id: bigint, nowMs: number): Promise<boolean> {
  return (await tx.query(RESTART, [id, new Date(nowMs).toISOString()])).length > 0;
}

/** Restarts the attempts of the reports of a dispute; `nowMs` on the clock of the database. */
export async function restartDispute(
  tx: Tx,
  { mode, reference }: { readonly mode: AccountMode; readonly reference: string },
  nowMs: number,
): Promise<void> {
  await tx.query(RESTART_DISPUTE, [mode, reference, new Date(nowMs).toISOString()]);
}

/**
 * Closes an event: it is not retried, even if the rail repeats it.
 * @returns whether it was not settled.
 */
export async function closeRailEvent(
  tx: Tx,
  id: bigint,
  { reason, by, at }: { readonly reason: string; readonly by: string; readonly at: Instant },
): Promise<boolean> {
  return (await tx.query(CLOSE, [id, reason, by, at])).length > 0;
}

/** @returns events due to be settled, oldest first. */
export function readPendingRailEvents(tx: Tx, nowMs: number, limit: number): Promise<PendingRailEvent[]> {
  return tx.query<PendingRailEvent>(PENDING, [new Date(nowMs).toISOString(), limit]);
}

/** Makes pending events of these transactions due now; `nowMs` on the clock of the database. */
export async function hastenRailEvents(
  tx: Tx,
  transactions: readonly { readonly accountId: bigint; readonly transactionId: bigint }[],
  nowMs: number,
): Promise<void> {
  const accounts = transactions.map(({ accountId }) => accountId);
  const ids = transactions.map(({ transactionId }) => transactionId);
  await tx.query(HASTEN, [accounts, ids, new Date(nowMs).toISOString()]);
}

/** The transaction that a payment is for. */
export interface PaymentTarget extends RailEventTarget {
  /** Whether a MED case about the payment was reported before it, and the transaction has no other payment. */
  readonly hasMedCase: boolean;
}

/** @returns the transaction whose charge has the txid of a payment. */
export async function findByTxid(
  tx: Tx,
  mode: AccountMode,
  { txid, endToEndId }: { readonly txid: string; readonly endToEndId: string },
): Promise<PaymentTarget | undefined> {
  const [row] = await tx.query<PaymentTarget>(BY_TXID, [txid, mode, endToEndId]);
  return row;
}

/** @returns the target of an earlier event, by its key; without a transaction when none accepted it. */
export async function findRailEventTarget(
  tx: Tx,
  { mode, kind, key }: Pick<RailEventRecord, 'mode' | 'kind' | 'key'>,
): Promise<RailEventTarget | undefined> {
  const [row] = await tx.query<RailEventTarget>(BY_RAIL_EVENT, [key, kind, mode]);
  return row;
}

/** @returns amounts of the returns that were matched with disputes of a payment; decimal BRL. */
export async function readDisputeReturns(
  tx: Tx,
  { accountId, transactionId }: { readonly accountId: bigint; readonly transactionId: bigint },
): Promise<readonly string[]> {
  const rows = await tx.query<{ amount: string }>(DISPUTE_RETURNS, [accountId, transactionId]);
  return rows.map(({ amount }) => amount);
}

/** @returns whether a transaction accepted this deposit, and its network dropped it after it had been final. */
export async function isLostDeposit(
  tx: Tx,
  { mode, kind, key }: Pick<RailEventRecord, 'mode' | 'kind' | 'key'>,
): Promise<boolean> {
  return (await tx.query(LOST, [key, kind, mode])).length > 0;
}

/** @returns the transaction that an order was about, by its id as callers know it. */
export async function findByEnd2end(
  tx: Tx,
  mode: AccountMode,
  end2end: string,
): Promise<RailEventTarget | undefined> {
  const [row] = await tx.query<RailEventTarget>(BY_END2END, [end2end, mode]);
  return row;
}

/** A PIX by its EndToEndId: a received one, or a payout. */
export interface PixFacts {
  readonly endToEndId: string;
  readonly isPayment: boolean;
}

/** @returns the transaction that accepted a PIX, or paid it out, from its own facts, which outlast the event. */
export async function findByPix(
  tx: Tx,
  mode: AccountMode,
  { endToEndId, isPayment }: PixFacts,
): Promise<RailEventTarget | undefined> {
  const [row] = await tx.query<RailEventTarget>(BY_PIX, [
    endToEndId,
    mode,
    Object.keys(FAMILY_TRAITS),
    isPayment,
  ]);
  return row;
}

/** A deposit by the facts that a network reports. */
export interface DepositFacts {
  readonly address: string;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: bigint;
}

/**
 * @returns the target of a deposit: by address and exact amount; otherwise the only session of the address; otherwise
 * the only account of the address.
 */
export async function findByDeposit(
  tx: Tx,
  mode: AccountMode,
  { address, currency, amountMinor }: DepositFacts,
): Promise<RailEventTarget | undefined> {
  const [exact] = await tx.query<RailEventTarget>(BY_DEPOSIT, [address, currency, amountMinor, mode]);
  if (exact) return exact;
  const [session, ...others] = await tx.query<RailEventTarget>(BY_ADDRESS, [address, currency, mode]);
  if (session && others.length === 0) return session;
  const accounts = await tx.query<{ accountId: bigint }>(ACCOUNTS_OF_ADDRESS, [address, mode]);
  const [account] = accounts;
  return account && accounts.length === 1 ? { accountId: account.accountId, transactionId: null } : undefined;
}

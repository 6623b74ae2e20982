/** MED cases: disputes and reports of fraud about payments by PIX, and their history. Writers have locked the account. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { type IdPart, type IdSlice, idList } from '../connection/id-list.ts';

/** Kinds of cases, with their meaning. */
export const MED_KINDS = {
  dispute: 'A dispute: its money is blocked until it is decided.',
  infraction: 'A report of fraud, which blocks no money.',
} as const;
/** Kind of a case. */
export type MedKind = keyof typeof MED_KINDS;

/** States of a case, with their meaning. */
export const MED_STATES = {
  open: 'It waits for an answer, up to `dueAt`.',
  answered: 'It was answered, and the provider has not decided it.',
  accepted: 'The provider accepted it: the money of a dispute goes back to the payer.',
  rejected: 'The provider rejected it: the money of a dispute is released.',
  cancelled: 'The payer’s bank withdrew it.',
} as const;
/** State of a case. */
export type MedState = keyof typeof MED_STATES;
/** State in which a case was decided. */
export type MedDecision = Exclude<MedState, 'open' | 'answered'>;

/** Identity of a case at the provider. */
export interface MedKey {
  readonly mode: AccountMode;
  readonly kind: MedKind;
  readonly reference: string;
}

/** Input for opening a case. */
export interface NewMedCase extends MedKey {
  /** Account of the payment; the platform's if no account has it. */
  readonly accountId: bigint;
  readonly transactionId: bigint | null;
  readonly pixE2e: string;
  /** Decimal BRL; null means the whole rest of the payment. */
  readonly amount: string | null;
  readonly reason: string | null;
  readonly openedAt: Instant;
  readonly dueAt: Instant;
}

/** A case. */
export interface MedCase extends NewMedCase {
  readonly id: bigint;
  /** Identifier of the transaction as callers know it. */
  readonly end2end: string | null;
  readonly state: MedState;
  /** Due time of the next alarm, on the clock of the mode. */
  readonly alarmAt: Instant | null;
  readonly closedAt: Instant | null;
  /** Key or person that recorded the decision; null if the provider reported it. */
  readonly closedBy: string | null;
  readonly updatedAt: Instant;
}

/** Kinds of entries of the history. */
export type MedEventName =
  | 'opened'
  | 'payment_found'
  | 'due_48h'
  | 'due_24h'
  | 'due_6h'
  | 'attached'
  | 'evidence_made'
  | 'answered'
  | 'answer_sent'
  | 'answer_refused'
  | 'answer_dropped'
  | 'answer_withdrawn'
  | 'answered_elsewhere'
  | MedDecision;

/** An entry of the history. */
export interface MedEvent {
  /** From 1. */
  readonly n: number;
  readonly at: Instant;
  readonly event: MedEventName;
  /** Key or person; null for the provider and for a timer. */
  readonly actor: string | null;
  readonly detail: string | null;
}

/** Filter of cases. */
export interface MedFilter {
  readonly mode: AccountMode;
  /** Null means all accounts. */
  readonly accountId: bigint | null;
  readonly transactionId: bigint | null;
  readonly states: readonly MedState[] | null;
}

const COLUMNS = `c.id, c.mode, c.account_id as "accountId", c.transaction_id as "transactionId", t.end2end, c.kind, c.reference,
    c.pix_e2e as "pixE2e", c.amount::text as amount, c.reason, c.state, c.opened_at as "openedAt", c.due_at as "dueAt",
    c.alarm_at as "alarmAt", c.closed_at as "closedAt", c.closed_by as "closedBy", c.updated_at as "updatedAt"`;
const FROM = 'med_case c left join transaction t on t.account_id = c.account_id and t.id = c.transaction_id';

const BY_ID: Statement = {
  name: 'med_case_by_id',
  text: `select ${COLUMNS} from ${FROM} where c.id = $1 and c.mode = $2`,
};
const BY_KEY: Statement = {
  name: 'med_case_by_key',
  text: `select ${COLUMNS} from ${FROM} where c.mode = $1 and c.kind = $2 and c.reference = $3`,
};
const LOCK: Statement = {
  name: 'med_case_lock',
  text: `select ${COLUMNS} from ${FROM} where c.id = $1 and c.mode = $2 for update of c`,
};
const UNLINKED: Statement = {
  name: 'med_case_unlinked',
  text: `select ${COLUMNS} from ${FROM} where c.mode = $1 and c.pix_e2e = $2 and c.transaction_id is null order by c.id`,
};
const DISPUTED: Statement = {
  name: 'med_case_disputed',
  text: `select c.state from med_case c where c.mode = $1 and c.kind = 'dispute' and c.pix_e2e = $2
    and (c.state in ('open', 'answered') or c.state = 'accepted' and not exists (select from rail_news n where n.mode = c.mode
      and n.kind = 'dispute_accepted' and n.key = 'pix:' || c.reference and n.outcome = 'suspense')) order by c.id limit 1`,
};
/** A transaction accepted the payment, or it is in suspense with another account. */
const LINKABLE: Statement = {
  name: 'med_case_linkable',
  text: `select c.id, a.id as "accountId", case when n.outcome = 'step' then n.transaction_id end as "transactionId"
    from med_case c join rail_news n on n.key = 'pix:' || c.pix_e2e and n.kind = 'payment' and n.mode = c.mode
    join account a on a.id = n.account_id
    where c.mode = $1 and c.transaction_id is null and n.outcome not in ('pending', 'failed')
      and (n.outcome = 'step' or a.id <> c.account_id) order by c.id limit $2`,
};
const LINK: Statement = {
  name: 'med_case_link',
  text: `update med_case set account_id = $2, transaction_id = $3, updated_at = $4 where id = $1`,
};
const INSERT: Statement = {
  name: 'med_case_insert',
  text: `insert into med_case (mode, account_id, transaction_id, kind, reference, pix_e2e, amount, reason, state, opened_at, due_at,
      alarm_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7::numeric, $8, 'open', $9, $10, $11, $9)
    on conflict do nothing returning id`,
};
const SET_STATE: Statement = {
  name: 'med_case_set_state',
  text: `update med_case set state = $2, closed_at = $3, closed_by = $4, alarm_at = null, updated_at = $5 where id = $1`,
};
const SET_ALARM: Statement = {
  name: 'med_case_set_alarm',
  text: `update med_case set alarm_at = $2 where id = $1`,
};
const DUE_ALARMS: Statement = {
  name: 'med_case_due_alarms',
  text: `select ${COLUMNS} from ${FROM} where c.mode = $1 and c.alarm_at <= $2 order by c.alarm_at limit $3`,
};
const WAITING: Statement = {
  name: 'med_case_waiting',
  text: `select ${COLUMNS} from ${FROM} where c.mode = $1 and c.state = 'open' and ($2::bigint is null or c.account_id = $2)
    order by c.due_at, c.id limit $3`,
};
const OF_TRANSACTION: Statement = {
  name: 'med_case_of_transaction',
  text: `select ${COLUMNS} from ${FROM} where c.account_id = $1 and c.transaction_id = $2 order by c.id limit $3`,
};
const ADD_EVENT: Statement = {
  name: 'med_event_add',
  text: `insert into med_event (case_id, n, at, event, actor, detail)
    select $1, coalesce(max(n), 0) + 1, $2, $3, $4, $5 from med_event where case_id = $1`,
};
const EVENTS: Statement = {
  name: 'med_event_read',
  text: `select n, at, event, actor, detail from med_event where case_id = $1 order by n limit $2`,
};
const LIST = idList<MedCase>({
  name: 'med_cases',
  id: 'c.id',
  columns: COLUMNS,
  from: FROM,
  countedFrom: 'med_case c',
  where: `c.mode = $1 and ($2::bigint is null or c.account_id = $2) and ($3::bigint is null or c.transaction_id = $3)
    and ($4::text[] is null or c.state = any ($4))`,
  filters: 4,
});

/** @returns the case with this id, of this mode. */
export async function readMedCase(tx: Tx, mode: AccountMode, id: bigint): Promise<MedCase | undefined> {
  return (await tx.query<MedCase>(BY_ID, [id, mode]))[0];
}

/** @returns the case with this identity at the provider. */
export async function findMedCase(tx: Tx, { mode, kind, reference }: MedKey): Promise<MedCase | undefined> {
  return (await tx.query<MedCase>(BY_KEY, [mode, kind, reference]))[0];
}

/** @returns the case with this id, whatever its account, locked until the end of the database transaction. */
export async function lockMedCase(tx: Tx, mode: AccountMode, id: bigint): Promise<MedCase | undefined> {
  return (await tx.query<MedCase>(LOCK, [id, mode]))[0];
}

/** @returns the cases about a payment that were reported before it was known. */
export function readUnlinkedMedCases(tx: Tx, mode: AccountMode, pixE2e: string): Promise<MedCase[]> {
  return tx.query<MedCase>(UNLINKED, [mode, pixE2e]);
}

/**
 * @returns the state of a dispute about a payment that is open, or took money out of suspense without a booking;
 * undefined without one.
 */
export async function readDisputeState(
  tx: Tx,
  mode: AccountMode,
  pixE2e: string,
): Promise<MedState | undefined> {
  return (await tx.query<{ readonly state: MedState }>(DISPUTED, [mode, pixE2e]))[0]?.state;
}

/** A case, and the location of its payment. */
export type LinkableMedCase = Pick<MedCase, 'id' | 'accountId' | 'transactionId'>;

/** @returns cases whose payment has become known since they were opened. */
export function readLinkableMedCases(tx: Tx, mode: AccountMode, limit: number): Promise<LinkableMedCase[]> {
  return tx.query<LinkableMedCase>(LINKABLE, [mode, limit]);
}

/** Links a case to the account and transaction of its payment. */
export async function linkMedCase(
  tx: Tx,
  { id, accountId, transactionId }: LinkableMedCase,
  at: Instant,
): Promise<void> {
  await tx.query(LINK, [id, accountId, transactionId, at]);
}

/** Opens a case. @returns its id; undefined if it already exists. */
export async function addMedCase(
  tx: Tx,
  input: NewMedCase,
  alarmAt: Instant | null,
): Promise<bigint | undefined> {
  const { mode, accountId, transactionId, kind, reference, pixE2e, amount, reason, openedAt, dueAt } = input;
  const values = [mode, accountId, transactionId, kind, reference, pixE2e, amount, reason, openedAt, dueAt];
  return (await tx.query<{ readonly id: bigint }>(INSERT, [...values, alarmAt]))[0]?.id;
}

/** Sets the state; an answered or decided case raises no more alarms. @param by - key or person that recorded a decision. */
export async function setMedState(
  tx: Tx,
  id: bigint,
  state: Exclude<MedState, 'open'>,
  at: Instant,
  by: string | null = null,
): Promise<void> {
  const closedAt = state === 'answered' ? null : at;
  await tx.query(SET_STATE, [id, state, closedAt, by, at]);
}

/** Sets the due time of the next alarm; null for none. */
export async function setMedAlarm(tx: Tx, id: bigint, at: Instant | null): Promise<void> {
  await tx.query(SET_ALARM, [id, at]);
}

/** @returns cases with a due alarm, longest overdue first. */
export function readDueAlarms(tx: Tx, mode: AccountMode, now: Date, limit: number): Promise<MedCase[]> {
  return tx.query<MedCase>(DUE_ALARMS, [mode, now, limit]);
}

/**
 * @param accountId - null means all accounts of the mode. @returns cases that wait for an answer, in order of their due
 * time.
 */
export function readWaitingMedCases(
  tx: Tx,
  mode: AccountMode,
  accountId: bigint | null,
  limit: number,
): Promise<MedCase[]> {
  return tx.query<MedCase>(WAITING, [mode, accountId, limit]);
}

/** @returns the cases about a transaction, oldest first. */
export function readMedCasesOf(
  tx: Tx,
  { accountId, id }: { readonly accountId: bigint; readonly id: bigint },
  limit: number,
): Promise<MedCase[]> {
  return tx.query<MedCase>(OF_TRANSACTION, [accountId, id, limit]);
}

/** @returns a slice of the cases, newest first unless backward. */
export function listMedCases(
  tx: Tx,
  { mode, accountId, transactionId, states }: MedFilter,
  slice: IdSlice,
): Promise<IdPart<MedCase>> {
  return LIST(tx, [mode, accountId, transactionId, states], slice);
}

/** Adds an entry to the history of a case, under the lock of its account. */
export async function addMedEvent(
  tx: Tx,
  caseId: bigint,
  { at, event, actor = null, detail = null }: Pick<MedEvent, 'at' | 'event'> & Partial<MedEvent>,
): Promise<void> {
  await tx.query(ADD_EVENT, [caseId, at, event, actor, detail]);
}

/** @returns the history of a case, oldest entry first. */
export function readMedEvents(tx: Tx, caseId: bigint, limit: number): Promise<MedEvent[]> {
  return tx.query<MedEvent>(EVENTS, [caseId, limit]);
}

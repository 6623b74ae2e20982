/** Transactions that wait for a decision: open ones at given steps, oldest first. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Family } from '../../templates/define.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { RuledKind } from '../../templates/out-kinds.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { PROCESS_SELECT } from './processes.ts';

/** Filter of transactions. */
export interface WaitingAt {
  readonly families: readonly Family[];
  /** As `component/state`. */
  readonly steps: readonly string[];
}

/** The index `step_waits` contains every step with a decision. */
const IS_WAITING = `t.is_waiting and t.outcome = 'OPEN' and t.family = any ($2::text[])
      and (t.component || '/' || t.state) = any ($3::text[])`;
const UNAPPROVED: Statement = {
  name: 'waiting_unapproved',
  text: `select ${PROCESS_SELECT}, m.kind as "outKind", m.brl as "outBrl", m.target as "outTarget"
    from money_out m join transaction t on t.account_id = m.account_id and t.id = m.transaction_id
    where m.account_id = $1 and m.state = 'held' and m.at > $2 and ($3::text is null or t.end2end = $3) order by m.at, t.id limit $4`,
};
const OF_ACCOUNT: Statement = {
  name: 'waiting_of_account',
  text: `select ${PROCESS_SELECT} from transaction t where t.account_id = $1 and ${IS_WAITING}
    order by t.updated_at, t.id limit $4`,
};
const OF_MODE: Statement = {
  name: 'waiting_of_mode',
  text: `select ${PROCESS_SELECT} from transaction t join account a on a.id = t.account_id and a.mode = $1
    where ${IS_WAITING} order by t.updated_at, t.account_id, t.id limit $4`,
};
/** An approved step-up is decided, even while its transaction waits at the step for the ordered work. */
const IS_UNDECIDED = `t.process ->> 'stepUp' is distinct from 'approved'`;
const STEP_UPS_OF_ACCOUNT: Statement = {
  name: 'waiting_step_ups_of_account',
  text: `select ${PROCESS_SELECT} from transaction t where t.account_id = $1 and ${IS_WAITING} and ${IS_UNDECIDED}
    order by t.updated_at, t.id limit $4`,
};
const STEP_UPS_OF_MODE: Statement = {
  name: 'waiting_step_ups_of_mode',
  text: `select ${PROCESS_SELECT} from transaction t join account a on a.id = t.account_id and a.mode = $1
    where ${IS_WAITING} and ${IS_UNDECIDED} order by t.updated_at, t.account_id, t.id limit $4`,
};
/** Ended transactions count, too, because an excess is refunded at any step. */
const REFUNDS_OF_ACCOUNT: Statement = {
  name: 'waiting_refunds_of_account',
  text: `select ${PROCESS_SELECT} from transaction t where t.account_id = $1 and t.has_open_refund
    order by t.updated_at, t.id limit $2`,
};
const REFUNDS_OF_MODE: Statement = {
  name: 'waiting_refunds_of_mode',
  text: `select ${PROCESS_SELECT} from transaction t join account a on a.id = t.account_id and a.mode = $1
    where t.has_open_refund order by t.updated_at, t.account_id, t.id limit $2`,
};

/** A transaction whose money waits to leave. */
export interface UnapprovedRow extends ProcessRow {
  readonly outKind: RuledKind;
  /** Worth in BRL. */
  readonly outBrl: string;
  /** Address or PIX key; for a refund, the tax id of its payer. */
  readonly outTarget: string;
}

/**
 * @param since - older requests no longer wait.
 * @returns money out of an account that waits for approvals, longest wait first; with an `end2end` only that
 * transaction.
 */
export function readUnapproved(
  tx: Tx,
  accountId: bigint,
  {
    since,
    end2end,
    limit,
  }: { readonly since: Date; readonly end2end: string | null; readonly limit: number },
): Promise<UnapprovedRow[]> {
  return tx.query<UnapprovedRow>(UNAPPROVED, [accountId, since, end2end, limit]);
}

/** @returns the waiting transactions of an account, longest wait first. */
export function readWaiting(tx: Tx, accountId: bigint, at: WaitingAt, limit: number): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(OF_ACCOUNT, [accountId, at.families, at.steps, limit]);
}

/** @returns the waiting transactions of all accounts of a mode. */
export function readWaitingOfMode(
  tx: Tx,
  mode: AccountMode,
  at: WaitingAt,
  limit: number,
): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(OF_MODE, [mode, at.families, at.steps, limit]);
}

/** @returns undecided step-ups of an account, longest wait first. */
export function readUndecided(
  tx: Tx,
  accountId: bigint,
  at: WaitingAt,
  limit: number,
): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(STEP_UPS_OF_ACCOUNT, [accountId, at.families, at.steps, limit]);
}

/** @returns undecided step-ups of all accounts of a mode. */
export function readUndecidedOfMode(
  tx: Tx,
  mode: AccountMode,
  at: WaitingAt,
  limit: number,
): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(STEP_UPS_OF_MODE, [mode, at.families, at.steps, limit]);
}

/** @returns transactions of the account with an open refund to a payer, under way or failed. */
export function readOpenRefunds(tx: Tx, accountId: bigint, limit: number): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(REFUNDS_OF_ACCOUNT, [accountId, limit]);
}

/** @returns such transactions of all accounts of a mode. */
export function readOpenRefundsOfMode(tx: Tx, mode: AccountMode, limit: number): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(REFUNDS_OF_MODE, [mode, limit]);
}

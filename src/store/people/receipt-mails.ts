/**
 * Receipts that payers requested by e-mail: one for each transaction. A receipt waits until its transaction has
 * succeeded; then it is claimed, sent and ended like notifications (decision 0100). The address is deleted at the end.
 * All times are those of the database.
 */
import type { Label } from '../../base/text/label.ts';
import { FINISHED } from '../../templates/status.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import type { AttemptEnd } from '../engine/notifications.ts';
import { LEASE_SECONDS } from './notification-mails.ts';

/** The transaction of a receipt. */
export interface ReceiptKey {
  readonly accountId: bigint;
  readonly transactionId: bigint;
}

/** Progress of a receipt: `waiting` for the success of its transaction, `pending`, `sent`, or `failed` permanently. */
export interface ReceiptProgress {
  readonly state: 'waiting' | 'pending' | 'sent' | 'failed';
  /** Number of addresses after the first. */
  readonly changes: number;
}

/** A receipt that is due to be sent. */
export interface ClaimedReceipt extends ReceiptKey {
  readonly email: string;
  readonly language: keyof Label;
  /** Number of this attempt, from 1. The outcome counts only if there is no newer attempt. */
  readonly attempts: number;
}

/** Maximum number of changes of the address. */
export const CHANGES_MAX = 3;
/**
 * Pause before the next check of a receipt whose transaction ended without success: a late payment may continue it.
 * Unit: min.
 */
const ENDED_PAUSE_MINUTES = 60;
const SUCCEEDED = FINISHED.map((status) => `'${status}'`).join(', ');

const READ: Statement = {
  name: 'receipt_mail_read',
  text: `select state, changes from receipt_mail where account_id = $1 and transaction_id = $2`,
};
const STORE: Statement = {
  name: 'receipt_mail_store',
  text: `insert into receipt_mail as r (account_id, transaction_id, email, language) values ($1, $2, $3, $4)
    on conflict (account_id, transaction_id) do update set email = excluded.email, language = excluded.language, at = now(),
      changes = r.changes + 1, state = 'waiting', due_at = now(), ended_at = null, last_error = null
      where r.state in ('waiting', 'failed') and r.changes < ${CHANGES_MAX}
    returning changes`,
};
const RELEASE: Statement = {
  name: 'receipt_mail_release',
  text: `with ended as materialized (
      select r.account_id, r.transaction_id, t.outcome in (${SUCCEEDED}) as succeeded
        from receipt_mail r join transaction t on t.account_id = r.account_id and t.id = r.transaction_id
       where r.state = 'waiting' and r.due_at <= now() and t.outcome <> 'OPEN' for update of r skip locked
    )
    update receipt_mail r set state = case when succeeded then 'pending' else 'waiting' end,
        due_at = case when succeeded then r.due_at else now() + interval '${ENDED_PAUSE_MINUTES} minutes' end
      from ended where r.account_id = ended.account_id and r.transaction_id = ended.transaction_id
    returning r.account_id`,
};
/** Receipts of accounts that currently send none have to wait. */
const CLAIM: Statement = {
  name: 'receipt_mail_claim',
  text: `with mine as materialized (
      select r.account_id, r.transaction_id from receipt_mail r join branding b on b.account_id = r.account_id and b.sends_receipts
       where r.state = 'pending' and r.due_at <= now() and (r.leased_until is null or r.leased_until < now())
       order by r.due_at limit 1 for update of r skip locked
    )
    update receipt_mail r set attempts = r.attempts + 1, leased_until = now() + interval '${LEASE_SECONDS} seconds'
      from mine where r.account_id = mine.account_id and r.transaction_id = mine.transaction_id
    returning r.account_id as "accountId", r.transaction_id as "transactionId", coalesce(r.email, '') as email,
      r.language, r.attempts`,
};
const END: Statement = {
  name: 'receipt_mail_end',
  text: `update receipt_mail set state = $4, last_error = $5, leased_until = null,
      email = case when $4 = 'pending' then email end,
      ended_at = case when $4 <> 'pending' then now() end,
      due_at = case when $4 = 'pending' then now() + make_interval(secs => $6::double precision / 1000) else due_at end
    where account_id = $1 and transaction_id = $2 and attempts = $3 and state = 'pending'`,
};

/** @returns the progress of the receipt of a transaction; undefined if none was requested. */
export async function readReceipt(
  database: Tx,
  { accountId, transactionId }: ReceiptKey,
): Promise<ReceiptProgress | undefined> {
  const [row] = await database.query<ReceiptProgress>(READ, [accountId, transactionId]);
  return row;
}

/**
 * Stores the address for a receipt. @returns false if it is being sent, was sent, or its address was changed too often.
 */
export async function storeReceipt(
  database: Tx,
  { accountId, transactionId, email, language }: Omit<ClaimedReceipt, 'attempts'>,
): Promise<boolean> {
  return (await database.query(STORE, [accountId, transactionId, email, language])).length > 0;
}

/** Makes the receipts due whose transactions have succeeded. */
export async function releaseReceipts(database: Database): Promise<void> {
  await database.query(RELEASE, []);
}

/** Claims the receipt with the longest wait. @returns undefined if none is due. */
export async function claimReceipt(database: Database): Promise<ClaimedReceipt | undefined> {
  const [row] = await database.query<ClaimedReceipt>(CLAIM, []);
  return row;
}

/**
 * Stores the outcome of an attempt, unless a newer one was begun since. The address stays only while it is still
 * needed.
 */
export async function endReceipt(
  database: Tx,
  { accountId, transactionId, attempts }: Omit<ClaimedReceipt, 'email' | 'language'>,
  end: AttemptEnd,
): Promise<void> {
  const error = end.state === 'sent' ? null : end.error;
  const delayMs = end.state === 'pending' ? end.delayMs : null;
  await database.query(END, [accountId, transactionId, attempts, end.state, error, delayMs]);
}

/**
 * Deletes records that are stored for a limited time. Transactions, the ledger and accounts are stored for ever, and a record
 * that is still needed is not deleted. Ages use the database's clock: moving the sandbox clock deletes nothing.
 */
import type { Database, Statement, Tx } from '../connection/database.ts';
import { UNCONFIRMED } from '../engine/rail-events.ts';

/** Kinds of records with a retention, in order of deletion. */
export const RETAINED_KINDS = [
  'idempotencyKeys',
  'attempts',
  'deliveries',
  'quotes',
  'railEvents',
  'depositSlots',
  'sandboxOrders',
  'requests',
  'sessions',
  'links',
  'notifications',
] as const;
/** A kind of records with a retention. */
export type RetainedKind = (typeof RETAINED_KINDS)[number];

/** Maximum number of records deleted by one statement: small, so that its locks are short. */
export const PRUNE_BATCH = 1_000;

/** Age limit of deleted records in days: $1; maximum number: $2; current time: $3. */
const BEFORE = `$3::timestamptz - make_interval(days => $1::int)`;

const LOCK: Statement = {
  name: 'retention_lock',
  text: `select pg_try_advisory_xact_lock(hashtext(current_schema() || '.retention')) as taken`,
};
const PRUNE: Readonly<Record<RetainedKind, string>> = {
  idempotencyKeys: `delete from idempotency_key where ctid = any (array(
    select ctid from idempotency_key where created_at < ${BEFORE} and leased_until < $3 order by created_at limit $2::int))`,
  attempts: `delete from webhook_attempt where ctid = any (array(
    select a.ctid from webhook_attempt a where a.at < ${BEFORE} and not exists (
      select from webhook_delivery d where d.account_id = a.account_id and d.id = a.delivery_id and d.state = 'pending') limit $2::int))`,
  // Attempts are deleted with their delivery.
  deliveries: `with old as materialized (
      select account_id, id from webhook_delivery
       where created_at < ${BEFORE} and ended_at < ${BEFORE} and state <> 'pending' limit $2::int),
    attempts as (delete from webhook_attempt a using old where a.account_id = old.account_id and a.delivery_id = old.id)
    delete from webhook_delivery d using old where d.account_id = old.account_id and d.id = old.id`,
  quotes: `delete from quote where ctid = any (array(select ctid from quote where expires_at < ${BEFORE} limit $2::int))`,
  // A rail may report on a transaction as long as it changes. Denied reports are not about money, and are deleted, too.
  railEvents: `delete from rail_news where ctid = any (array(
    select r.ctid from rail_news r where r.seen_at < ${BEFORE} and 
      (r.outcome not in ('pending', 'failed') or r.outcome = 'failed' and r.kind = '${UNCONFIRMED}') and not exists (
      select from suspense_entry s where s.news_id = r.id) and not exists (
      select from transaction t where t.account_id = r.account_id and t.id = r.transaction_id and t.updated_at >= ${BEFORE}) and not exists (
      select from job j where j.account_id = r.account_id and j.transaction_id = r.transaction_id) limit $2::int))`,
  depositSlots: `delete from deposit_slot where ctid = any (array(
    select s.ctid from deposit_slot s where s.held_until < ${BEFORE} and not exists (
      select from transaction t where t.account_id = s.account_id and t.id = s.transaction_id and t.updated_at >= ${BEFORE}) limit $2::int))`,
  // The order of writing: a few of many requests, or many of a few.
  requests: `delete from request_batch where id = any (array(
    select id from (select id, until, sum(requests) over (order by id) - requests as before from request_batch order by id limit $2::int) b
     where until < ${BEFORE} and before < $2::int))`,
  // Records used within this time may still be needed.
  sessions: `with old as materialized (select id from person_session where seen_at < ${BEFORE} limit $2::int),
    challenges as (delete from passkey_challenge c using old where c.session_id = old.id)
    delete from person_session s using old where s.id = old.id`,
  links: `delete from person_link where ctid = any (array(
    select ctid from person_link where expires_at < ${BEFORE} limit $2::int))`,
  // Mails and calls of endpoints are deleted with their notification; of receipts that payers requested, the addresses.
  notifications: `with receipts as (update receipt_mail set email = null, state = 'failed', ended_at = $3 where ctid = any (array(
      select ctid from receipt_mail where email is not null and at < ${BEFORE} limit $2::int)))
    delete from notification where ctid = any (array(
    select ctid from notification where at < ${BEFORE} limit $2::int))`,
  // An order that may still be sent again stays: by a job, for a refund under way, or for money being returned from
  // suspense.
  sandboxOrders: `delete from sandbox_order where ctid = any (array(
    select o.ctid from sandbox_order o where o.placed_at < ${BEFORE} and not exists (
      select from job j where j.account_id = o.account_id and j.transaction_id = o.transaction_id) and not exists (
      select from transaction t where t.account_id = o.account_id and t.id = o.transaction_id
         and t.process -> 'returns' @> jsonb_build_array(jsonb_build_object('returnId', o.key, 'state', 'requested'))) and not exists (
      select from suspense_entry s where s.state = 'returning' and s.account_id = o.account_id
         and (o.key = s.return_id or o.key like 'suspense:' || s.id || ':%')) limit $2::int))`,
};

const STATEMENTS = Object.fromEntries(
  RETAINED_KINDS.map((kind) => [kind, { name: `retention_${kind}`, text: `${PRUNE[kind]} returning 1` }]),
) as Readonly<Record<RetainedKind, Statement>>;

/** Maximum step by which the reference time of retention moves in one run. */
const STEP = `interval '1 day'`;
const BEGIN: Statement = {
  name: 'retention_begin',
  text: `update retention_time set as_of = least(clock_timestamp(), as_of + ${STEP})
    returning floor(extract(epoch from as_of) * 1000)::text as "asOfMs"`,
};

/**
 * Begins a run of retention.
 * @returns the reference time for ages: now, or a day after that of the last run if this is earlier.
 */
export async function beginRetention(database: Tx): Promise<Date> {
  const [row] = await database.query<{ asOfMs: string }>(BEGIN, []);
  return new Date(Number(row?.asOfMs));
}

/** Records to delete. */
export interface Pruned {
  readonly kind: RetainedKind;
  /** Minimum age of deleted records at `now`, in days. */
  readonly days: number;
  readonly now: Date;
}

/**
 * Deletes one batch of records.
 *
 * @returns the number of deleted records; null when another process is deleting.
 */
export async function pruneBatch(database: Database, { kind, days, now }: Pruned): Promise<number | null> {
  return database.withTx(async (tx) => {
    const [lock] = await tx.query<{ taken: boolean }>(LOCK, []);
    if (!lock?.taken) return null;
    return (await tx.query(STATEMENTS[kind], [days, PRUNE_BATCH, now])).length;
  });
}

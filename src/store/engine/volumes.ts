/**
 * Volumes that limits of customers count (C-21; docs/limits.md): of a transaction, from its step and its facts only; of
 * imported history, from its columns; and their sums, BRL by subject and day. The counting database transaction reads
 * and writes the sums under the account's lock, so limits hold under parallel requests. The cost does not grow with the
 * number of transactions: a subject has one row a day.
 */

import { BRL } from '../../base/money/currency.ts';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import type { Step, Template } from '../../templates/define.ts';
import type { Counted, ProcessRow } from '../../templates/facts.ts';
import { HISTORY_STEPS } from '../../templates/history-steps.ts';
import { leftOf } from '../../templates/returns.ts';
import { UNDONE } from '../../templates/status.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { TEMPLATE_DEFAULTS } from './pricing.ts';

/** Accounts over which a customer is counted: the merchant's own, or all accounts of the operator. */
export const LIMITS_OVER = ['account', 'operator'] as const;
/** One of LIMITS_OVER. */
export type LimitsOver = (typeof LIMITS_OVER)[number];
/** Key of the customers' locks among advisory locks. */
const CUSTOMER_LOCK = 7_838;

/** Number of days that a step-up considers, including the current one. */
export const STEP_UP_DAYS = 30;

/** Key of a volume. */
export interface VolumeKey {
  readonly accountId: bigint;
  /** A customer's tax id. */
  readonly subject: string;
  /** Day in Brasília. */
  readonly day: string;
}

/** Volumes and limits of a subject on a day; BRL as decimal text. */
export interface Volumes {
  /** Volumes of the day: the open part, and the paid part. */
  readonly open: string;
  readonly paid: string;
  /** Volume of the 30 days that end with it. */
  readonly openMonth: string;
  readonly paidMonth: string;
  readonly limitDaily: string;
  readonly stepUp30d: string;
  /** Earlier names of the customer; null if there is no such customer yet. */
  readonly names: readonly string[] | null;
}

/** Change of a day's volumes. */
export interface VolumeChange extends VolumeKey {
  readonly open: string;
  readonly paid: string;
}

/** A customer as a transaction names them. */
export interface SeenCustomer {
  readonly accountId: bigint;
  readonly taxId: string;
  /** All names, newest last; undefined if they stay unchanged. */
  readonly names: readonly string[];
  readonly isVerified: boolean;
  readonly seenAt: Date;
}

/** Part of a limit that a transaction uses. */
export interface Claim {
  /** Tax id of the customer. */
  readonly subject: string;
  /** Decimal text. */
  readonly brl: string;
  /** Time of payment; null if it can still be paid. */
  readonly paidAtMs: number | null;
}

/** The facts of a transaction that determine its claim. */
export type ClaimFacts = Pick<
  ProcessRow,
  | 'component'
  | 'state'
  | 'process'
  | 'createdAt'
  | 'sourceCurrency'
  | 'sourceAmount'
  | 'targetCurrency'
  | 'targetAmount'
  | 'fees'
  | 'networkFee'
  | 'clientTaxId'
>;

/**
 * @returns undefined if nothing counts: the transaction did not begin, its customer or amount is unknown, or it neither
 * moved nor will move money. Rejected, failed, expired and refunded transactions count nothing.
 */
export function claimOf(template: Template, row: ClaimFacts): Claim | undefined {
  const { process } = row;
  const step = template.steps.find(
    ({ component, state }) => component === row.component && state === row.state,
  );
  if (!process || !step || isVoid(step, row)) return undefined;
  // A withdrawal has no customer: the rule for money out counts it.
  if (process.worth !== undefined) return undefined;
  const brl = row.sourceCurrency === BRL.code ? row.sourceAmount : row.targetAmount;
  if (row.clientTaxId === null || brl === null) return undefined;
  return {
    subject: row.clientTaxId,
    brl,
    paidAtMs: process.paidAt === undefined ? null : Date.parse(process.paidAt),
  };
}

/** @returns the counted form of a claim: on the day of its payment, and before that on the day of its creation. */
export function countedOf({ subject, brl, paidAtMs }: Claim, nowMs: number): Counted {
  return { subject, brl, day: brasiliaDay(paidAtMs ?? nowMs), isPaid: paidAtMs !== null };
}

/** @returns whether both count the same. */
export function isSameClaim(left: Claim | undefined, right: Claim | undefined): boolean {
  if (!left || !right) return left === right;
  return left.subject === right.subject && left.brl === right.brl && left.paidAtMs === right.paidAtMs;
}

function isVoid(step: Step, row: ClaimFacts): boolean {
  const { statusCode, errorMessage, isReturn } = step;
  const { process, targetCurrency } = row;
  // A deposit that was credited instead of paid out counts nothing; a payment whose delivery failed was paid.
  if (statusCode === 'PARTIAL_SUCCESS') return targetCurrency === BRL.code;
  // As after a partial refund, the payment counts in full until nothing is left of it.
  if (step.leavesRest && leftOf(row) > 0n) return false;
  return (
    UNDONE.includes(statusCode) ||
    errorMessage.en !== '' ||
    isReturn === true ||
    process?.isOverLimit === true ||
    process?.isTurnedDown === true
  );
}

/**
 * Volumes of imported history, in terms of the columns of `transaction` (docs/limits.md). History counts as paid, on
 * the day of its creation: the time of payment was not published.
 */
export const HISTORY = {
  brl: `case when source_currency = 'BRL' then source_amount else target_amount end`,
  day: `(created_at at time zone 'America/Sao_Paulo')::date`,
  isCounted: `state not in (${listed(HISTORY_STEPS.undoneStates)})
    and (component in (${listed(HISTORY_STEPS.paidComponents)})
      or (component = '${HISTORY_STEPS.creditedComponent}' and source_currency = 'BRL'))`,
} as const;

function listed(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

const READ: Statement = {
  name: 'volumes_read',
  text: `select coalesce(w.open, 0)::text as open, coalesce(w.paid, 0)::text as paid,
      coalesce(w.open_month, 0)::text as "openMonth", coalesce(w.paid_month, 0)::text as "paidMonth",
      least(c.limit_daily, l.customer_limit_daily, coalesce(c.granted_limit_daily, s.customer_limit_daily, $5))::text as "limitDaily",
      least(c.step_up_30d, l.customer_step_up_30d, coalesce(c.granted_step_up_30d, s.customer_step_up_30d, $6))::text as "stepUp30d",
      c.names
    from unnest($1::bigint[], $2::text[], $3::date[], $4::text[]) with ordinality g(account_id, subject, day, template, place)
      left join template_setting s on s.account_id = g.account_id and s.template = g.template
      left join template_limit l on l.account_id = g.account_id and l.template = g.template
      left join customer c on c.account_id = g.account_id and c.tax_id = g.subject
      cross join lateral (
        select sum(v.open) filter (where v.day = g.day) as open, sum(v.paid) filter (where v.day = g.day) as paid,
            sum(v.open) as open_month, sum(v.paid) as paid_month
          from volume_day v
          where v.account_id = g.account_id and v.subject = g.subject and v.day between g.day - ${STEP_UP_DAYS - 1} and g.day
      ) w
    order by g.place`,
};
/**
 * @returns SQL that counts the new customers among those that an insertion returned (`account_id`, `is_new`), under the
 * lock of their accounts.
 */
export function countNew(inserted: string): string {
  return `update account_head h set customers = h.customers + n.customers
        from (select account_id, count(*) as customers from ${inserted} where is_new group by account_id) n
        where h.account_id = n.account_id`;
}

const CHANGE: Statement = {
  name: 'volumes_change',
  text: `with seen as (
      insert into customer (account_id, tax_id, names, level, first_seen_at)
        select account_id, tax_id, names, level, seen_at
          from jsonb_to_recordset($2::jsonb) c(account_id bigint, tax_id text, names text[], level text, seen_at timestamptz)
      on conflict (account_id, tax_id) do update
        set names = case when excluded.names = '{}' then customer.names else excluded.names end,
        level = case when excluded.level = 'VERIFIED' then excluded.level else customer.level end
      returning account_id, xmax = 0 as is_new
    ), total as (
      ${countNew('seen')}
    )
    insert into volume_day (account_id, subject, day, open, paid)
      select * from jsonb_to_recordset($1::jsonb) v(account_id bigint, subject text, day date, open numeric, paid numeric)
    on conflict (account_id, subject, day) do update
      set open = volume_day.open + excluded.open, paid = volume_day.paid + excluded.paid`,
};

/**
 * Like `READ`, with the volumes of the customer over all accounts of the same mode. Locks the customers until the end
 * of the database transaction, after the accounts and in one order, so that two merchants cannot together exceed a
 * limit.
 */
const LOCK_CUSTOMERS: Statement = {
  name: 'volumes_lock_customers',
  text: `select count(pg_advisory_xact_lock(${CUSTOMER_LOCK}, s.lock))
    from (select distinct hashtext(subject) as lock from unnest($1::text[]) u(subject) order by 1) s`,
};
const READ_OVER_ALL: Statement = {
  name: 'volumes_read_over_all',
  text: READ.text.replace(
    'where v.account_id = g.account_id and v.subject = g.subject and',
    `join account own on own.id = v.account_id
          where own.mode = (select mode from account where id = g.account_id) and v.subject = g.subject and`,
  ),
};

/** @returns volumes and limits of each key, in the order of the keys. */
export async function readVolumes(
  tx: Tx,
  keys: readonly (VolumeKey & { readonly template: string })[],
  over: LimitsOver = 'account',
): Promise<Volumes[]> {
  if (over === 'operator') await tx.query(LOCK_CUSTOMERS, [keys.map(({ subject }) => subject)]);
  return tx.query<Volumes>(over === 'operator' ? READ_OVER_ALL : READ, [
    keys.map(({ accountId }) => accountId),
    keys.map(({ subject }) => subject),
    keys.map(({ day }) => day),
    keys.map(({ template }) => template),
    TEMPLATE_DEFAULTS.customerLimitDaily,
    TEMPLATE_DEFAULTS.customerStepUp30d,
  ]);
}

/** Changes volumes, each key once, and stores new data of customers, each once. */
export async function changeVolumes(
  tx: Tx,
  changes: readonly VolumeChange[],
  seen: readonly SeenCustomer[],
): Promise<void> {
  await tx.query(CHANGE, [
    JSON.stringify(changes.map(({ accountId, ...change }) => ({ account_id: String(accountId), ...change }))),
    JSON.stringify(
      seen.map(({ accountId, taxId, names, isVerified, seenAt }) => ({
        account_id: String(accountId),
        tax_id: taxId,
        names,
        level: isVerified ? 'VERIFIED' : 'BASIC',
        seen_at: seenAt,
      })),
    ),
  ]);
}

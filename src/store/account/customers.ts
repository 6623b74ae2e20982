/** Customers of an account: their level and their limits (C-21). Their volumes are in store/engine/volumes.ts. */
import type { Statement, Tx } from '../connection/database.ts';
import { countNew } from '../engine/volumes.ts';

/** Limits of a customer, BRL; null if none is set. */
export interface CustomerLimits {
  /** Limits set by the account, tighter than those of the templates. */
  readonly limitDaily: string | null;
  readonly stepUp30d: string | null;
  /** Limits set by the platform, in place of those of the templates. */
  readonly grantedLimitDaily: string | null;
  readonly grantedStepUp30d: string | null;
}

/** Stored data of a customer in addition to the names. */
export interface CustomerRules extends CustomerLimits {
  readonly level: CustomerLevel;
}

/** Level of a customer: identified by name and tax id, or verified. */
export type CustomerLevel = 'BASIC' | 'VERIFIED';

const READ: Statement = {
  name: 'customer_rules',
  text: `select limit_daily as "limitDaily", step_up_30d as "stepUp30d", granted_limit_daily as "grantedLimitDaily",
      granted_step_up_30d as "grantedStepUp30d", level from customer where account_id = $1 and tax_id = $2`,
};
const SET: Statement = {
  name: 'customer_set_rules',
  text: `with kept as (
      insert into customer (account_id, tax_id, limit_daily, step_up_30d, granted_limit_daily, granted_step_up_30d, level,
          first_seen_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (account_id, tax_id) do update set limit_daily = excluded.limit_daily, step_up_30d = excluded.step_up_30d,
        granted_limit_daily = excluded.granted_limit_daily, granted_step_up_30d = excluded.granted_step_up_30d,
        level = excluded.level
      returning account_id, xmax = 0 as is_new)
    ${countNew('kept')}`,
};
const NAMES: Statement = {
  name: 'customer_newest_names',
  text: `select c.names[cardinality(c.names)] as name
    from unnest($1::bigint[], $2::text[]) with ordinality k(account_id, tax_id, position)
    left join customer c on c.account_id = k.account_id and c.tax_id = k.tax_id order by k.position`,
};
const COUNT: Statement = {
  name: 'customer_count',
  text: `select customers::int as count from account_head where account_id = $1`,
};
const PLATFORM_LIMITS: Statement = {
  name: 'customer_platform_limits',
  text: `select max(customer_limit_daily)::text as "limitDaily", max(customer_step_up_30d)::text as "stepUp30d"
    from template_setting where account_id = $1`,
};

/** @returns the newest name of each customer that a transaction named, in the order of the keys; null for others. */
export async function readNewestNames(
  tx: Tx,
  keys: readonly { readonly accountId: bigint; readonly taxId: string }[],
): Promise<readonly (string | null)[]> {
  const rows = await tx.query<{ readonly name: string | null }>(NAMES, [
    keys.map(({ accountId }) => accountId),
    keys.map(({ taxId }) => taxId),
  ]);
  return rows.map(({ name }) => name);
}

/** @returns the number of customers of an account. */
export async function countCustomers(database: Tx, accountId: bigint): Promise<number> {
  const [head] = await database.query<{ count: number }>(COUNT, [accountId]);
  return head?.count ?? 0;
}

/** Rules of a customer without any of their own. */
export const NO_RULES: CustomerRules = {
  limitDaily: null,
  stepUp30d: null,
  grantedLimitDaily: null,
  grantedStepUp30d: null,
  level: 'BASIC',
};

/** @returns the rules of a customer; default rules for an unknown one. */
export async function readCustomerRules(tx: Tx, accountId: bigint, taxId: string): Promise<CustomerRules> {
  const [row] = await tx.query<CustomerRules>(READ, [accountId, taxId]);
  return row ?? NO_RULES;
}

/** Sets the rules of a customer, who is stored if new. */
export async function setCustomerRules(
  tx: Tx,
  accountId: bigint,
  taxId: string,
  { limitDaily, stepUp30d, grantedLimitDaily, grantedStepUp30d, level }: CustomerRules,
  at: Date,
): Promise<void> {
  const limits = [limitDaily, stepUp30d, grantedLimitDaily, grantedStepUp30d];
  await tx.query(SET, [accountId, taxId, ...limits, level, at]);
}

/** @returns the widest limits of the account's templates; null if it has no settings. */
export async function readWidestLimits(
  tx: Tx,
  accountId: bigint,
): Promise<Pick<CustomerLimits, 'limitDaily' | 'stepUp30d'>> {
  const [row] = await tx.query<Pick<CustomerLimits, 'limitDaily' | 'stepUp30d'>>(PLATFORM_LIMITS, [
    accountId,
  ]);
  return row ?? NO_RULES;
}

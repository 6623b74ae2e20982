/** Settings of an account: price and limits of each template, and rules of the whole account (C-21, C-22). */
import { readShared } from '../../base/read-together.ts';
import type { Statement, Tx } from '../database.ts';

/** Price and limits of a template; fractions and BRL as decimal text. */
export interface TemplateSettings {
  readonly spread: string;
  readonly feeRate: string;
  readonly feeFixed: string;
  readonly amountMin: string;
  readonly amountMax: string;
  readonly customerStepUp30d: string;
  readonly customerLimitDaily: string;
}

/** Rules of an account. */
export interface AccountSettings {
  readonly whitelistCoolingSeconds: number;
  /** BRL of a day's withdrawals above which each further one needs a second approver; null for never. */
  readonly approvalAbove: string | null;
  readonly afterLock: AfterLock;
}

/**
 * What follows when the lock of a price ends before its session (C-21): a payment is priced when it arrives, or the session
 * ends with the lock and its payer is offered a new price.
 */
export type AfterLock = (typeof AFTER_LOCK)[number];
/** Every `AfterLock`. */
export const AFTER_LOCK = ['REPRICE', 'END'] as const;

const PLATFORM: Statement = {
  name: 'settings_platform',
  text: `select spread, fee_rate as "feeRate", fee_fixed as "feeFixed", amount_min as "amountMin", amount_max as "amountMax",
      customer_step_up_30d as "customerStepUp30d", customer_limit_daily as "customerLimitDaily"
    from template_setting where account_id = $1 and template = $2`,
};
/** What is tighter holds, of the platform's limits and of the account's own. */
const TEMPLATE: Statement = {
  name: 'settings_template',
  text: `select coalesce(s.spread, $3::numeric) as spread, coalesce(s.fee_rate, $4::numeric) as "feeRate",
      coalesce(s.fee_fixed, $5::numeric) as "feeFixed",
      greatest(coalesce(s.amount_min, $6::numeric), l.amount_min) as "amountMin",
      least(coalesce(s.amount_max, $7::numeric), l.amount_max) as "amountMax",
      least(coalesce(s.customer_step_up_30d, $8::numeric), l.customer_step_up_30d) as "customerStepUp30d",
      least(coalesce(s.customer_limit_daily, $9::numeric), l.customer_limit_daily) as "customerLimitDaily"
    from (values ($1::bigint, $2::text)) g(account_id, template)
      left join template_setting s using (account_id, template) left join template_limit l using (account_id, template)`,
};
const ACCOUNT: Statement = {
  name: 'settings_account',
  text: `select whitelist_cooling_seconds as "whitelistCoolingSeconds", approval_above as "approvalAbove", after_lock as "afterLock"
    from account_setting where account_id = $1`,
};
const SET_TEMPLATE: Statement = {
  name: 'settings_set_template',
  text: `insert into template_setting (account_id, template, spread, fee_rate, fee_fixed, amount_min, amount_max,
        customer_step_up_30d, customer_limit_daily) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (account_id, template) do update set spread = excluded.spread, fee_rate = excluded.fee_rate,
      fee_fixed = excluded.fee_fixed, amount_min = excluded.amount_min, amount_max = excluded.amount_max,
      customer_step_up_30d = excluded.customer_step_up_30d, customer_limit_daily = excluded.customer_limit_daily`,
};
const SET_ACCOUNT: Statement = {
  name: 'settings_set_account',
  text: `insert into account_setting (account_id, whitelist_cooling_seconds, approval_above, after_lock)
      values ($1, $2, $3, $4)
    on conflict (account_id) do update set whitelist_cooling_seconds = excluded.whitelist_cooling_seconds,
      approval_above = excluded.approval_above, after_lock = excluded.after_lock`,
};
/** What an account without settings of its own has (C-21, C-22). */
export const TEMPLATE_DEFAULTS: TemplateSettings = {
  spread: '0.01',
  feeRate: '0.01',
  feeFixed: '0',
  amountMin: '1',
  amountMax: '50000',
  customerStepUp30d: '10000',
  customerLimitDaily: '50000',
};
const ACCOUNT_DEFAULTS: AccountSettings = {
  whitelistCoolingSeconds: 86_400,
  approvalAbove: null,
  afterLock: 'REPRICE',
};

/** @returns price and limits of a template for an account, as they hold: the account may have tightened the limits. */
export async function readTemplateSettings(
  database: Tx,
  accountId: bigint,
  template: string,
): Promise<TemplateSettings> {
  const { spread, feeRate, feeFixed, amountMin, amountMax, customerStepUp30d, customerLimitDaily } =
    TEMPLATE_DEFAULTS;
  const defaults = [spread, feeRate, feeFixed, amountMin, amountMax, customerStepUp30d, customerLimitDaily];
  const [row] = await readShared(database, ['template settings', accountId, template], () =>
    database.query<TemplateSettings>(TEMPLATE, [accountId, template, ...defaults]),
  );
  return row ?? TEMPLATE_DEFAULTS;
}

/** @returns price and limits of a template for an account, as the platform set them. */
export async function readPlatformSettings(
  database: Tx,
  accountId: bigint,
  template: string,
): Promise<TemplateSettings> {
  const [row] = await database.query<TemplateSettings>(PLATFORM, [accountId, template]);
  return row ?? TEMPLATE_DEFAULTS;
}

/** @returns the rules of an account; one without rules of its own has no cooling time in a sandbox (C-22). */
export async function readAccountSettings(
  database: Tx,
  accountId: bigint,
  { isSandbox }: { readonly isSandbox: boolean },
): Promise<AccountSettings> {
  const [row] = await database.query<AccountSettings>(ACCOUNT, [accountId]);
  return row ?? { ...ACCOUNT_DEFAULTS, ...(isSandbox && { whitelistCoolingSeconds: 0 }) };
}

/** Sets price and limits of a template. */
export async function setTemplateSettings(
  tx: Tx,
  accountId: bigint,
  template: string,
  settings: TemplateSettings,
): Promise<void> {
  const { spread, feeRate, feeFixed, amountMin, amountMax, customerStepUp30d, customerLimitDaily } = settings;
  await tx.query(SET_TEMPLATE, [
    accountId,
    template,
    spread,
    feeRate,
    feeFixed,
    amountMin,
    amountMax,
    customerStepUp30d,
    customerLimitDaily,
  ]);
}

/** Sets the rules of an account. */
export async function setAccountSettings(
  tx: Tx,
  accountId: bigint,
  { whitelistCoolingSeconds, approvalAbove, afterLock }: AccountSettings,
): Promise<void> {
  await tx.query(SET_ACCOUNT, [accountId, whitelistCoolingSeconds, approvalAbove, afterLock]);
}

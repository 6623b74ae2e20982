/** Rules of an account for all templates (C-21, C-22). Prices and limits of each template are in engine/pricing.ts. */
import type { Statement, Tx } from '../connection/database.ts';

/** Rules of an account. */
export interface AccountSettings {
  readonly whitelistCoolingSeconds: number;
  /** BRL of money out per day that requires a second approver (C-25); null for never. */
  readonly approvalAbove: string | null;
  /** Maximum BRL of money out in an hour, and in an hour to a new target; null for no ceiling. */
  readonly outflowPerHour: string | null;
  readonly newTargetPerHour: string | null;
  readonly afterLock: AfterLock;
}

/**
 * Consequence of a price lock that ends before its session (C-21): a payment is priced on arrival, or the session ends
 * with the lock and the payer is offered a new price.
 */
export type AfterLock = (typeof AFTER_LOCK)[number];
/** Every `AfterLock`. */
export const AFTER_LOCK = ['REPRICE', 'END'] as const;

const ACCOUNT: Statement = {
  name: 'settings_account',
  text: `select whitelist_cooling_seconds as "whitelistCoolingSeconds", approval_above as "approvalAbove",
      outflow_per_hour as "outflowPerHour", new_target_per_hour as "newTargetPerHour", after_lock as "afterLock"
    from account_setting where account_id = $1`,
};
const SET_ACCOUNT: Statement = {
  name: 'settings_set_account',
  text: `insert into account_setting (account_id, whitelist_cooling_seconds, approval_above, after_lock, outflow_per_hour, new_target_per_hour)
      values ($1, $2, $3, $4, $5, $6)
    on conflict (account_id) do update set whitelist_cooling_seconds = excluded.whitelist_cooling_seconds,
      approval_above = excluded.approval_above, after_lock = excluded.after_lock, outflow_per_hour = excluded.outflow_per_hour,
      new_target_per_hour = excluded.new_target_per_hour`,
};
const ACCOUNT_DEFAULTS: AccountSettings = {
  whitelistCoolingSeconds: 86_400,
  approvalAbove: null,
  outflowPerHour: '50000',
  newTargetPerHour: '10000',
  afterLock: 'REPRICE',
};
const SANDBOX_DEFAULTS: AccountSettings = {
  ...ACCOUNT_DEFAULTS,
  whitelistCoolingSeconds: 0,
  outflowPerHour: null,
  newTargetPerHour: null,
};

/** @returns the default rules of an account: in a sandbox, without cooling time and ceiling (C-22). */
export function defaultSettings({ isSandbox }: { readonly isSandbox: boolean }): AccountSettings {
  return isSandbox ? SANDBOX_DEFAULTS : ACCOUNT_DEFAULTS;
}

/** @returns the rules of an account. */
export async function readAccountSettings(
  database: Tx,
  accountId: bigint,
  mode: { readonly isSandbox: boolean },
): Promise<AccountSettings> {
  const [row] = await database.query<AccountSettings>(ACCOUNT, [accountId]);
  return row ?? defaultSettings(mode);
}

/** Sets the rules of an account. */
export async function setAccountSettings(
  tx: Tx,
  accountId: bigint,
  settings: AccountSettings,
): Promise<void> {
  await tx.query(SET_ACCOUNT, [
    accountId,
    settings.whitelistCoolingSeconds,
    settings.approvalAbove,
    settings.afterLock,
    settings.outflowPerHour,
    settings.newTargetPerHour,
  ]);
}

/** Rules of an account, whatever the template (C-21, C-22). Prices and limits of each template: engine/pricing.ts. */
import type { Statement, Tx } from '../database.ts';

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

const ACCOUNT: Statement = {
  name: 'settings_account',
  text: `select whitelist_cooling_seconds as "whitelistCoolingSeconds", approval_above as "approvalAbove", after_lock as "afterLock"
    from account_setting where account_id = $1`,
};
const SET_ACCOUNT: Statement = {
  name: 'settings_set_account',
  text: `insert into account_setting (account_id, whitelist_cooling_seconds, approval_above, after_lock)
      values ($1, $2, $3, $4)
    on conflict (account_id) do update set whitelist_cooling_seconds = excluded.whitelist_cooling_seconds,
      approval_above = excluded.approval_above, after_lock = excluded.after_lock`,
};
const ACCOUNT_DEFAULTS: AccountSettings = {
  whitelistCoolingSeconds: 86_400,
  approvalAbove: null,
  afterLock: 'REPRICE',
};

/** @returns the rules of an account; one without rules of its own has no cooling time in a sandbox (C-22). */
export async function readAccountSettings(
  database: Tx,
  accountId: bigint,
  { isSandbox }: { readonly isSandbox: boolean },
): Promise<AccountSettings> {
  const [row] = await database.query<AccountSettings>(ACCOUNT, [accountId]);
  return row ?? { ...ACCOUNT_DEFAULTS, ...(isSandbox && { whitelistCoolingSeconds: 0 }) };
}

/** Sets the rules of an account. */
export async function setAccountSettings(
  tx: Tx,
  accountId: bigint,
  { whitelistCoolingSeconds, approvalAbove, afterLock }: AccountSettings,
): Promise<void> {
  await tx.query(SET_ACCOUNT, [accountId, whitelistCoolingSeconds, approvalAbove, afterLock]);
}

/** Changes of settings that loosen a protection wait until the current cooling time has passed (C-40). */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** The settings that protect an account's money. */
export const PROTECTIONS = [
  'whitelistCoolingSeconds',
  'approvalAbove',
  'outflowPerHour',
  'newTargetPerHour',
] as const;
/** A member of PROTECTIONS. */
export type Protection = (typeof PROTECTIONS)[number];
/** The limits that an account sets on a customer, each with its member of `CustomerRules`. */
export const CUSTOMER_SETTINGS = {
  customerLimitDaily: 'limitDaily',
  customerStepUp30d: 'stepUp30d',
} as const;
/** The limits that an account sets on a template, each with its member of `TemplateLimits`. */
export const TEMPLATE_SETTINGS = {
  templateAmountMin: 'amountMin',
  templateAmountMax: 'amountMax',
  templateStepUp30d: 'customerStepUp30d',
  templateLimitDaily: 'customerLimitDaily',
} as const;
/** A setting with a waiting change. */
export type SettingName = Protection | keyof typeof CUSTOMER_SETTINGS | keyof typeof TEMPLATE_SETTINGS;

/** Key of a setting of an account: the tax id of a customer, the name of a template, otherwise empty. */
export interface SettingKey {
  readonly name: SettingName;
  readonly subject: string;
}

/** A change that waits or is due. */
export interface SettingChange extends SettingKey {
  /** The new value; null for none. */
  readonly value: string | null;
  readonly askedAt: string;
  /** The key that requested it. */
  readonly askedBy: string;
  readonly effectiveAt: string;
}

const COLUMNS =
  'name, subject, value, asked_at as "askedAt", asked_by as "askedBy", effective_at as "effectiveAt"';
const READ_DUE: Statement = {
  name: 'setting_changes_due',
  text: `select ${COLUMNS} from setting_change where account_id = $1 and effective_at <= $2 order by effective_at, name, subject`,
};
/** Maximum number of waiting changes that are read: each customer can have several. */
export const WAITING_CHANGES_MAX = 500;
const READ_WAITING: Statement = {
  name: 'setting_changes_waiting',
  text: `select ${COLUMNS} from setting_change where account_id = $1 and effective_at > $2 and ($3::text is null or subject = $3)
    order by effective_at, name, subject limit ${WAITING_CHANGES_MAX}`,
};
const PUT: Statement = {
  name: 'setting_change_put',
  text: `insert into setting_change (account_id, name, subject, value, asked_at, asked_by, effective_at)
      values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (account_id, name, subject) do update set value = excluded.value, asked_at = excluded.asked_at,
      asked_by = excluded.asked_by, effective_at = excluded.effective_at`,
};
const DROP: Statement = {
  name: 'setting_change_drop',
  text: `delete from setting_change where account_id = $1 and name = $2 and subject = $3 returning name`,
};
const DROP_OF: Statement = {
  name: 'setting_change_drop_of',
  text: `with recursive line (id) as (
      select $2::text
      union
      select k.replaces from line l join api_key k on k.account_id = $1 and k.id = l.id)
    delete from setting_change where account_id = $1 and asked_by in (select id from line) and effective_at > $3
      returning name`,
};
const ACCOUNTS_DUE: Statement = {
  name: 'accounts_with_due_changes',
  text: `select distinct c.account_id as "accountId" from setting_change c join account a on a.id = c.account_id
    where a.mode = $1 and c.effective_at <= $2`,
};

/**
 * @returns the changes of an account that are due at a given time and not yet in its settings, in the order in which
 * they take effect.
 */
export function readDueChanges(database: Tx, accountId: bigint, at: Date): Promise<SettingChange[]> {
  return database.query<SettingChange>(READ_DUE, [accountId, at]);
}

/**
 * @param subject - customer or template of the changes; empty for changes of the account itself; undefined for all.
 * @returns waiting changes of an account at a given time, by the time at which they take effect, at most
 * `WAITING_CHANGES_MAX`.
 */
export function readWaitingChanges(
  database: Tx,
  accountId: bigint,
  at: Date,
  subject?: string,
): Promise<SettingChange[]> {
  return database.query<SettingChange>(READ_WAITING, [accountId, at, subject ?? null]);
}

/** @returns the accounts of a mode with changes that are due at a given time. */
export async function accountsWithDueChanges(database: Tx, mode: AccountMode, at: Date): Promise<bigint[]> {
  const rows = await database.query<{ accountId: bigint }>(ACCOUNTS_DUE, [mode, at]);
  return rows.map(({ accountId }) => accountId);
}

/** Stores a change; it replaces one of the same setting. */
export async function putSettingChange(
  tx: Tx,
  accountId: bigint,
  change: Pick<SettingChange, 'name' | 'subject' | 'value' | 'askedBy'> & {
    readonly askedAt: Date;
    readonly effectiveAt: Date;
  },
): Promise<void> {
  const { name, subject, value, askedAt, askedBy, effectiveAt } = change;
  await tx.query(PUT, [accountId, name, subject, value, askedAt, askedBy, effectiveAt]);
}

/** Removes a change. @returns whether there was a change. */
export async function dropSettingChange(
  tx: Tx,
  accountId: bigint,
  { name, subject }: SettingKey,
): Promise<boolean> {
  return (await tx.query(DROP, [accountId, name, subject])).length > 0;
}

/**
 * Withdraws changes requested by a person, or by a key and the keys that it replaced, that have not taken effect by then.
 * @returns the settings that stay unchanged.
 */
export async function dropChangesOf(tx: Tx, accountId: bigint, askedBy: string, at: Date): Promise<string[]> {
  const dropped = await tx.query<{ name: string }>(DROP_OF, [accountId, askedBy, at]);
  return dropped.map(({ name }) => name);
}

/**
 * Changes that loosen a protection of money: the cooling time, the approval threshold, limits that an account set itself on a
 * customer or a template. Changes wait for the cooling time in force, so that a key stolen for a short time gains nothing
 * (C-40); an applied change is in the audit log as an action of the gateway.
 */
import { maskTaxId } from '../../base/text/mask.ts';
import { readCustomerRules, setCustomerRules } from '../../store/account/customers.ts';
import {
  CUSTOMER_SETTINGS,
  dropSettingChange,
  type Protection,
  putSettingChange,
  readDueChanges,
  type SettingChange,
  type SettingKey,
  TEMPLATE_SETTINGS,
} from '../../store/account/setting-changes.ts';
import {
  type AccountSettings,
  readAccountSettings,
  setAccountSettings,
} from '../../store/account/settings.ts';
import { readTemplateLimits, setTemplateLimits } from '../../store/account/template-limits.ts';
import type { Tx } from '../../store/connection/database.ts';
import { accountObject } from '../../store/engine/audit.ts';
import { addNotifications } from '../../store/engine/notifications.ts';
import type { WriteDown } from '../checks/audited.ts';
import { type Context, GATEWAY } from '../services/context.ts';

/** A setting to be changed, and whether that loosens a protection. */
export interface Wanted extends SettingKey {
  readonly value: string | null;
  readonly isLooser: boolean;
}

/**
 * Stores changes that loosen a protection, under the lock of the account, unless there is no cooling time; and withdraws
 * earlier waiting changes of the same settings. People of the account are notified of it.
 *
 * @returns the changes that wait.
 */
export async function deferLooser(
  context: Context,
  tx: Tx,
  wanted: readonly Wanted[],
  { coolingSeconds, nowMs }: { readonly coolingSeconds: number; readonly nowMs: number },
): Promise<readonly Wanted[]> {
  const { accountId, id: askedBy } = context.caller;
  const looser = wanted.filter(({ isLooser }) => isLooser);
  for (const each of wanted) await dropSettingChange(tx, accountId, each);
  const waits = coolingSeconds > 0 ? looser : [];
  const askedAt = new Date(nowMs);
  const effectiveAt = new Date(nowMs + coolingSeconds * 1_000);
  for (const { isLooser: _, ...change } of waits)
    await putSettingChange(tx, accountId, { ...change, askedBy, askedAt, effectiveAt });
  // The subject may be a tax id, so no notification contains it.
  const facts = { effectiveAt: effectiveAt.toISOString() };
  await addNotifications(
    tx,
    accountId,
    looser.map(({ name: subject }) => ({ kind: 'protection', subject, facts })),
  );
  return waits;
}

/** Applies due changes to the settings of the account, under its lock. */
export async function settleChanges(
  context: Context,
  tx: Tx,
  writeDown: WriteDown,
  nowMs: number,
): Promise<void> {
  const { accountId } = context.caller;
  for (const change of await readDueChanges(tx, accountId, new Date(nowMs))) {
    await applyChange(context, tx, writeDown, change, nowMs);
    await dropSettingChange(tx, accountId, change);
  }
}

/** @returns the rules of an account after a change; unchanged if the change is about a customer or a template. */
export function withChange(settings: AccountSettings, { name, value }: SettingChange): AccountSettings {
  if (name === 'approvalAbove' || name === 'outflowPerHour' || name === 'newTargetPerHour')
    return { ...settings, [name]: value };
  if (name === 'whitelistCoolingSeconds') return { ...settings, whitelistCoolingSeconds: Number(value) };
  return settings;
}

async function applyChange(
  context: Context,
  tx: Tx,
  writeDown: WriteDown,
  change: SettingChange,
  nowMs: number,
): Promise<void> {
  const { accountId } = context.caller;
  const { name, subject, value, askedBy } = change;
  const factsOf = (member: string, before: unknown) => ({
    before: { [member]: before },
    after: { [member]: value },
    maker: askedBy,
    origin: GATEWAY,
  });
  if (isOf(CUSTOMER_SETTINGS, name)) {
    const member = CUSTOMER_SETTINGS[name];
    const before = await readCustomerRules(tx, accountId, subject);
    await setCustomerRules(tx, accountId, subject, { ...before, [member]: value }, new Date(nowMs));
    const object = { kind: 'customer', id: maskTaxId(subject) } as const;
    writeDown('customer.update', object, factsOf(member, before[member]));
  } else if (isOf(TEMPLATE_SETTINGS, name)) {
    const member = TEMPLATE_SETTINGS[name];
    const before = await readTemplateLimits(tx, accountId, subject);
    await setTemplateLimits(tx, accountId, subject, { ...before, [member]: value });
    const object = { kind: 'template', id: subject } as const;
    writeDown('settings.update_limits', object, factsOf(member, before[member]));
  } else {
    const before = await readAccountSettings(tx, accountId, { isSandbox: context.sandbox !== null });
    await setAccountSettings(tx, accountId, withChange(before, change));
    const protection: Protection = name;
    writeDown('settings.update_account', accountObject(accountId), factsOf(name, before[protection]));
  }
}

function isOf<Names extends object>(names: Names, name: string): name is keyof Names & string {
  return Object.hasOwn(names, name);
}

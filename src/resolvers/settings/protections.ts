/**
 * The protections of an account's money: the cooling time of new destinations, the approval threshold and the ceilings.
 * Tightening takes effect immediately. Loosening takes effect after the cooling time in force, so that a thief of a key gains
 * nothing from a short use (C-40).
 */

import { known } from '../../base/errors/assert.ts';
import { type GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { isMore } from '../../base/money/money.ts';
import { maskTaxId } from '../../base/text/mask.ts';
import { millisOf } from '../../base/time/instant.ts';
import { hereSince } from '../../store/account/api-keys.ts';
import {
  CUSTOMER_SETTINGS,
  dropSettingChange,
  PROTECTIONS,
  type Protection,
  readDueChanges,
  readWaitingChanges,
  type SettingChange,
  type SettingName,
} from '../../store/account/setting-changes.ts';
import {
  type AccountSettings,
  readAccountSettings,
  setAccountSettings,
} from '../../store/account/settings.ts';
import type { Tx } from '../../store/connection/database.ts';
import { accountObject } from '../../store/engine/audit.ts';
import { audited, type WriteDown } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { deferLooser, settleChanges, withChange } from './pending-changes.ts';

/** Protections at a time. */
export interface Protections {
  readonly settings: AccountSettings;
  /** Whether a due change is not stored yet. */
  readonly isDue: boolean;
}

/** @returns the protections at a time, whether or not changes due by then are stored yet. */
export async function readProtections(
  database: Tx,
  accountId: bigint,
  { isSandbox, nowMs }: { readonly isSandbox: boolean; readonly nowMs: number },
): Promise<Protections> {
  const stored = await readAccountSettings(database, accountId, { isSandbox });
  const due = await readDueChanges(database, accountId, new Date(nowMs));
  return { settings: due.reduce(withChange, stored), isDue: due.length > 0 };
}

/** Applies due changes to the settings, before they are used for a check. */
export async function settleProtections(context: Context): Promise<void> {
  const { isDue } = await protectionsOf(context, context.database, await context.clock.nowMs());
  if (isDue) await audited(context, (tx, writeDown, nowMs) => settleChanges(context, tx, writeDown, nowMs));
}

/**
 * Changes the settings of an account, under its lock: tightening, and settings without protection, immediately; loosening
 * later, unless there is no cooling time.
 *
 * @param wanted - the requested changes.
 * @returns the present settings.
 */
export async function changeProtections(
  context: Context,
  tx: Tx,
  wanted: Partial<AccountSettings>,
  { nowMs, writeDown }: { readonly nowMs: number; readonly writeDown: WriteDown },
): Promise<AccountSettings> {
  await settleChanges(context, tx, writeDown, nowMs);
  const before = (await protectionsOf(context, tx, nowMs)).settings;
  const requested = PROTECTIONS.flatMap((name) => {
    const value = wanted[name];
    if (value === undefined) return [];
    const isLooser = isLooserThan(name, before, { ...before, ...wanted });
    return [{ name, subject: '', value: value === null ? null : String(value), isLooser }];
  });
  const coolingSeconds = before.whitelistCoolingSeconds;
  const waits = await deferLooser(context, tx, requested, { coolingSeconds, nowMs });
  const unchanged = Object.fromEntries(waits.map(({ name }) => [name, before[name as Protection]]));
  const now: AccountSettings = { ...before, ...wanted, ...unchanged };
  await setAccountSettings(tx, context.caller.accountId, now);
  return now;
}

/**
 * Withdraws a change that has not taken effect.
 *
 * @param subject - the tax id of a customer, or the template; undefined for settings of the account.
 * @returns the present settings.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `INVALID_PARAMETER`.
 */
export async function cancelSettingChange(
  context: Context,
  name: SettingName,
  subject: Named | undefined,
  checks: CreationChecks,
): Promise<AccountSettings> {
  requirePermission(context, 'settings.cancel_change');
  const { accountId } = context.caller;
  const key = { name, subject: subjectOf(context, name, subject, checks) };
  return audited(context, async (tx, writeDown, nowMs) => {
    await settleChanges(context, tx, writeDown, nowMs);
    if (!(await dropSettingChange(tx, accountId, key))) throw notFound();
    const shown = name in CUSTOMER_SETTINGS ? maskTaxId(key.subject) : key.subject;
    const before = { pending: name, ...(shown && { subject: shown }) };
    writeDown('settings.cancel_change', accountObject(accountId), { before });
    return (await protectionsOf(context, tx, nowMs)).settings;
  });
}

/**
 * @throws {GatewayError} `INVALID_PARAMETER` unless given for settings of a customer or a template, and for no others;
 *   `NOT_FOUND` for an unknown template.
 */
function subjectOf(
  { registry }: Pick<Context, 'registry'>,
  name: SettingName,
  input: Named | undefined,
  checks: CreationChecks,
): string {
  const isOfAccount = PROTECTIONS.some((each) => each === name);
  if (isOfAccount && input)
    throw refusedSubject(input.name, 'is for settings of customers and templates only');
  if (isOfAccount) return '';
  if (!input) throw refusedSubject('subject', 'is required: the tax id of the customer, or the template');
  if (!(name in CUSTOMER_SETTINGS)) {
    const template = registry.find(input.value);
    if (!template) throw notFound();
    return template.name;
  }
  const taxId = checks.taxId(input);
  checks.refuse();
  return known(taxId, 'a tax id');
}

function refusedSubject(parameter: string, message: string): GatewayError {
  return invalidParameters([{ parameter, message }]);
}

/** @returns the logged facts of the caller's protections at a time: the settings, and the waiting values. */
export async function protectionFacts(context: Context, tx: Tx, nowMs: number): Promise<object> {
  const { settings } = await protectionsOf(context, tx, nowMs);
  const own = await readWaitingChanges(tx, context.caller.accountId, new Date(nowMs), '');
  return {
    ...settings,
    pending: Object.fromEntries(own.map(({ name, value, effectiveAt }) => [name, { value, effectiveAt }])),
  };
}

/** @returns the protections of the caller's account at a given time. */
export async function protectionsOf(context: Context, database: Tx, nowMs: number) {
  const isSandbox = context.sandbox !== null;
  return readProtections(database, context.caller.accountId, { isSandbox, nowMs });
}

/** @returns the present settings of the caller's account. */
export async function settingsNow(context: Context): Promise<AccountSettings> {
  return (await protectionsOf(context, context.database, await context.clock.nowMs())).settings;
}

/** @returns the waiting changes of the caller's account, the next one first. */
export async function changesThatWait({ database, caller, clock }: Context): Promise<SettingChange[]> {
  return readWaitingChanges(database, caller.accountId, new Date(await clock.nowMs()));
}

/**
 * One owner can have two addresses, and so count as two people: a person who is new to the account approves only after its
 * cooling time.
 *
 * @returns the time from which the caller may approve; 0 for a caller outside of the account, such as the operator.
 *   Unit: ms.
 */
export async function approvesFrom(context: Context, database: Tx, nowMs: number): Promise<number> {
  const { accountId, id } = context.caller;
  const since = await hereSince(database, accountId, id);
  const { settings } = await protectionsOf(context, database, nowMs);
  return since === undefined ? 0 : millisOf(since) + settings.whitelistCoolingSeconds * 1_000;
}

/** @returns whether the caller is newer to the account than its cooling time: then it approves nothing yet. */
export async function isNewcomer(context: Context, nowMs: number): Promise<boolean> {
  return nowMs < (await approvesFrom(context, context.database, nowMs));
}

function isLooserThan(name: Protection, before: AccountSettings, after: AccountSettings): boolean {
  if (name === 'whitelistCoolingSeconds')
    return after.whitelistCoolingSeconds < before.whitelistCoolingSeconds;
  const [was, is] = [before[name], after[name]];
  return was !== null && (is === null || isMore(is, was));
}

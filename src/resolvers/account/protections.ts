/**
 * The protections of an account's money: the cooling time of new destinations and the approval threshold. Tightening holds at
 * once. Loosening takes effect after the cooling time in force, so that whoever has a key for a moment gains nothing (C-40).
 */
import { notFound } from '../../base/errors.ts';
import { millisOf } from '../../base/instant.ts';
import { isMore } from '../../base/money.ts';
import {
  dropSettingChange,
  PROTECTIONS,
  type Protection,
  putSettingChange,
  readSettingChanges,
  type SettingChange,
} from '../../store/account/setting-changes.ts';
import {
  type AccountSettings,
  readAccountSettings,
  setAccountSettings,
} from '../../store/account/settings.ts';
import type { Tx } from '../../store/database.ts';
import { audited } from '../checks/audited.ts';
import { inTurn } from '../checks/in-turn.ts';
import { accountObject } from '../services/author.ts';
import { type Context, requireAct } from '../services/context.ts';

/** What holds now, and what is to come. */
export interface Protections {
  readonly settings: AccountSettings;
  readonly pending: readonly SettingChange[];
}

/** @returns what holds at a moment, whether or not what became due by then is stored yet. */
export async function readProtections(
  database: Tx,
  accountId: bigint,
  { isSandbox, nowMs }: { readonly isSandbox: boolean; readonly nowMs: number },
): Promise<Protections & { readonly isDue: boolean }> {
  const stored = await readAccountSettings(database, accountId, { isSandbox });
  const changes = await readSettingChanges(database, accountId);
  const due = changes.filter(({ effectiveAt }) => millisOf(effectiveAt) <= nowMs);
  return {
    settings: due.reduce(withChange, stored),
    pending: changes.filter((change) => !due.includes(change)),
    isDue: due.length > 0,
  };
}

/** Brings what became due into the settings, before something that they protect is judged by them. */
export async function settleProtections(context: Context): Promise<void> {
  const nowMs = await context.clock.nowMs();
  const { isDue } = await protectionsOf(context, context.database, nowMs);
  if (isDue) await inTurn(context, (tx) => settle(context, tx, nowMs));
}

/**
 * Changes the settings of an account, in the caller's turn of the account: what tightens, or protects nothing, at once; what
 * loosens later, unless there is no cooling time.
 *
 * @param wanted - what is to change.
 * @returns the settings now.
 */
export async function changeProtections(
  context: Context,
  tx: Tx,
  wanted: Partial<AccountSettings>,
  nowMs: number,
): Promise<AccountSettings> {
  const { accountId, id: askedBy } = context.caller;
  const before = (await settle(context, tx, nowMs)).settings;
  const coolingMs = before.whitelistCoolingSeconds * 1_000;
  const waits = PROTECTIONS.filter(
    (name) => coolingMs > 0 && wanted[name] !== undefined && isLooser(name, before, { ...before, ...wanted }),
  );
  for (const name of PROTECTIONS)
    if (wanted[name] !== undefined) await dropSettingChange(tx, accountId, name);
  for (const name of waits) {
    const value = wanted[name] == null ? null : String(wanted[name]);
    const askedAt = new Date(nowMs);
    await putSettingChange(tx, accountId, {
      name,
      value,
      askedBy,
      askedAt,
      effectiveAt: new Date(nowMs + coolingMs),
    });
  }
  const kept = Object.fromEntries(waits.map((name) => [name, before[name]]));
  const now: AccountSettings = { ...before, ...wanted, ...kept };
  await setAccountSettings(tx, accountId, now);
  return now;
}

/** Takes back a change that has not taken effect. @returns the settings now. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`. */
export async function cancelSettingChange(context: Context, name: Protection): Promise<AccountSettings> {
  requireAct(context, 'settings.cancel_change');
  const { accountId } = context.caller;
  return audited(context, async (tx, writeDown, nowMs) => {
    const { settings } = await settle(context, tx, nowMs);
    if (!(await dropSettingChange(tx, accountId, name))) throw notFound();
    writeDown('settings.cancel_change', accountObject(accountId), { before: { pending: name } });
    return settings;
  });
}

/** @returns what is told of protections: the settings, and the values that wait. */
export function protectionFacts({ settings, pending }: Protections): object {
  return {
    ...settings,
    pending: Object.fromEntries(
      pending.map(({ name, value, effectiveAt }) => [name, { value, effectiveAt }]),
    ),
  };
}

/** @returns the protections of the caller's account at a moment. */
export async function protectionsOf(context: Context, database: Tx, nowMs: number) {
  const isSandbox = context.sandbox !== null;
  return readProtections(database, context.caller.accountId, { isSandbox, nowMs });
}

/** @returns the protections of the caller's account now. */
export async function protectionsNow(context: Context) {
  return protectionsOf(context, context.database, await context.clock.nowMs());
}

async function settle(context: Context, tx: Tx, nowMs: number): Promise<Protections> {
  const { accountId } = context.caller;
  const found = await protectionsOf(context, tx, nowMs);
  if (!found.isDue) return found;
  await setAccountSettings(tx, accountId, found.settings);
  for (const name of PROTECTIONS)
    if (!found.pending.some((change) => change.name === name)) await dropSettingChange(tx, accountId, name);
  return found;
}

function withChange(settings: AccountSettings, { name, value }: SettingChange): AccountSettings {
  if (name === 'approvalAbove') return { ...settings, approvalAbove: value };
  return { ...settings, whitelistCoolingSeconds: Number(value) };
}

function isLooser(name: Protection, before: AccountSettings, after: AccountSettings): boolean {
  if (name === 'whitelistCoolingSeconds')
    return after.whitelistCoolingSeconds < before.whitelistCoolingSeconds;
  if (before.approvalAbove === null) return false;
  return after.approvalAbove === null || isMore(after.approvalAbove, before.approvalAbove);
}

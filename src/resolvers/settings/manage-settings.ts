/** Changes price and limits of a template, and the rules of an account (C-21, C-22). */

import type { Named, Violations } from '../../base/errors/violations.ts';
import { isDecimal, isMore } from '../../base/money/money.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import type { AccountSettings, AfterLock } from '../../store/account/settings.ts';
import type { Tx } from '../../store/connection/database.ts';
import { accountObject, difference } from '../../store/engine/audit.ts';
import { readPriceProposal, setPriceProposal } from '../../store/engine/price-proposals.ts';
import {
  readPlatformSettings,
  setTemplateSettings,
  type TemplateSettings,
} from '../../store/engine/pricing.ts';
import { audited, auditedChange, type WriteDown } from '../checks/audited.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { agreePrice } from './price-proposals.ts';
import { changeProtections, protectionFacts } from './protections.ts';

/** Changes of a template; each value carries the caller's own name for it. */
export type TemplateSettingsInput = {
  readonly [Name in keyof TemplateSettings]?: Named | undefined;
};

/** Changes of an account; null removes a limit. */
export interface AccountSettingsInput {
  readonly whitelistCoolingSeconds?: Named | undefined;
  readonly approvalAbove?: Named | null | undefined;
  readonly outflowPerHour?: Named | null | undefined;
  readonly newTargetPerHour?: Named | null | undefined;
  readonly afterLock?: AfterLock | undefined;
}

/** Limits of money out, BRL; each can be ended. */
export const OUT_LIMITS = ['approvalAbove', 'outflowPerHour', 'newTargetPerHour'] as const;

/** Bounds of a setting: not negative, and of limited precision. */
export interface Bounds {
  readonly decimals: number;
  readonly isFraction?: true;
}

const FRACTION: Bounds = { decimals: 8, isFraction: true };
/** An amount of BRL. */
export const BRL_AMOUNT: Bounds = { decimals: 2 };
/** Bounds of each setting of a template. */
export const TEMPLATE_BOUNDS: Readonly<Record<keyof TemplateSettings, Bounds>> = {
  spread: FRACTION,
  feeRate: FRACTION,
  feeFixed: BRL_AMOUNT,
  amountMin: BRL_AMOUNT,
  amountMax: BRL_AMOUNT,
  customerStepUp30d: BRL_AMOUNT,
  customerLimitDaily: BRL_AMOUNT,
};
/** Characters of a setting: far beyond any limit, and short enough for every sum. */
export const DECIMAL_LENGTH_MAX = 18;
/** Longest cooling time of the whitelist: 30 days. */
export const COOLING_SECONDS_MAX = 2_592_000;

/**
 * Changes price and limits of a template; a missing member leaves it as it is. A price without margin is only proposed, and
 * applies once another person sets it as well (C-25).
 *
 * @param context - of the platform, on the account whose template it is.
 * @param template - wire name of an existing one.
 * @throws {GatewayError} `FORBIDDEN`, also for the proposer of the price; `INVALID_PARAMETER` unless 0 <= spread,
 *   feeRate < 1 and 0 <= amountMin <= amountMax.
 */
export async function updateTemplateSettings(
  context: Context,
  template: string,
  input: TemplateSettingsInput,
  violations: Violations,
): Promise<void> {
  requirePermission(context, 'settings.update_template');
  const { accountId } = context.caller;
  const names = Object.keys(TEMPLATE_BOUNDS) as (keyof TemplateSettings)[];
  const change: Partial<TemplateSettings> = Object.fromEntries(
    names.flatMap((name) => {
      const value = checkDecimal(input[name], TEMPLATE_BOUNDS[name], violations);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const platform = await platformAccount(context.database, context.mode);
  const factsOf = async (tx: Tx) => ({
    ...(await readPlatformSettings(tx, accountId, template)),
    proposal: await readPriceProposal(tx, accountId, template),
  });
  const work = async (tx: Tx, writeDown: WriteDown, nowMs: number) => {
    const facts = await factsOf(tx);
    const { proposal, ...before } = facts;
    const after = { ...before, ...change };
    checkOrder(input, after, violations);
    violations.refuse();
    const agreed = await agreePrice(context, tx, { before, after, proposal, nowMs });
    await setTemplateSettings(tx, accountId, template, agreed.settings);
    await setPriceProposal(tx, accountId, template, agreed.proposal);
    const changed = difference(facts, await factsOf(tx));
    const object = { kind: 'template', id: template } as const;
    if (changed) writeDown('settings.update_template', object, { ...changed, maker: agreed.maker });
  };
  await audited(context, work, [platform]);
}

/**
 * Changes rules of the account; a missing member leaves it as it is, and loosening a protection takes effect later.
 *
 * @returns the present rules.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` unless the cooling time is 0 to 2,592,000 s and the limit
 *   of BRL is not negative.
 */
export async function updateAccountSettings(
  context: Context,
  input: AccountSettingsInput,
  violations: Violations,
): Promise<AccountSettings> {
  requirePermission(context, 'settings.update_account');
  const cooling = checkSeconds(input.whitelistCoolingSeconds, violations);
  const limits = OUT_LIMITS.flatMap((name) => {
    const supplied = input[name];
    const value = supplied === null ? null : checkDecimal(supplied, BRL_AMOUNT, violations);
    return value === undefined ? [] : [[name, value] as const];
  });
  violations.refuse();
  const wanted = {
    ...(cooling !== undefined && { whitelistCoolingSeconds: cooling }),
    ...Object.fromEntries(limits),
    ...(input.afterLock && { afterLock: input.afterLock }),
  };
  const { accountId } = context.caller;
  const factsOf = (tx: Tx, nowMs: number) => protectionFacts(context, tx, nowMs);
  return auditedChange(
    context,
    'settings.update_account',
    accountObject(accountId),
    factsOf,
    (tx, nowMs, writeDown) => changeProtections(context, tx, wanted, { nowMs, writeDown }),
  );
}

/** @returns a decimal within its bounds; undefined if omitted or refused. */
export function checkDecimal(
  supplied: Named | undefined,
  { decimals, isFraction }: Bounds,
  violations: Violations,
): string | undefined {
  if (!supplied) return undefined;
  const { name: parameter, value } = supplied;
  const fraction = value.split('.')[1] ?? '';
  const isAccepted =
    value.length <= DECIMAL_LENGTH_MAX &&
    isDecimal(value) &&
    fraction.length <= decimals &&
    !isMore('0', value) &&
    (!isFraction || isMore('1', value));
  if (isAccepted) return value;
  const range = isFraction ? 'from 0 to below 1' : 'of BRL, zero or more,';
  return violations.add({
    parameter,
    message: `must be a decimal number ${range} with at most ${decimals} decimals, such as ${isFraction ? '0.01' : '12.50'}`,
  });
}

/** The minimum of a transaction is not above the maximum, whichever of them is given. */
export function checkOrder(
  { amountMin, amountMax }: { readonly [Name in 'amountMin' | 'amountMax']?: Named | null | undefined },
  after: Pick<TemplateSettings, 'amountMin' | 'amountMax'>,
  violations: Violations,
): void {
  if (!isMore(after.amountMin, after.amountMax)) return;
  if (amountMin)
    violations.add({
      parameter: amountMin.name,
      message: `must not exceed amountMax, ${after.amountMax}`,
    });
  if (amountMax)
    violations.add({
      parameter: amountMax.name,
      message: `must not be below amountMin, ${after.amountMin}`,
    });
}

function checkSeconds(supplied: Named | undefined, violations: Violations): number | undefined {
  if (!supplied) return undefined;
  const seconds = /^\d{1,9}$/.test(supplied.value) ? Number(supplied.value) : -1;
  if (seconds >= 0 && seconds <= COOLING_SECONDS_MAX) return seconds;
  return violations.add({
    parameter: supplied.name,
    message: `must be an integer from 0 to ${COOLING_SECONDS_MAX} (seconds)`,
  });
}

/**
 * Limits that an account sets itself on its templates: within those of the platform; a looser limit takes effect later (C-21,
 * C-40).
 */

import type { Named, Violations } from '../../base/errors/violations.ts';
import { isMore } from '../../base/money/money.ts';
import { readWaitingChanges, TEMPLATE_SETTINGS } from '../../store/account/setting-changes.ts';
import {
  readTemplateLimits,
  setTemplateLimits,
  TEMPLATE_LIMITS,
  type TemplateLimits,
} from '../../store/account/template-limits.ts';
import type { Tx } from '../../store/connection/database.ts';
import { readPlatformSettings, type TemplateSettings } from '../../store/engine/pricing.ts';
import { auditedChange } from '../checks/audited.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { BRL_AMOUNT, checkDecimal, checkOrder } from './manage-settings.ts';
import { deferLooser, settleChanges } from './pending-changes.ts';
import { protectionsOf } from './protections.ts';

/** Changes; null removes a limit, and a missing member leaves it as it is. */
export type TemplateLimitsInput = {
  readonly [Name in keyof TemplateLimits]?: Named | null | undefined;
};

/** Names of a waiting change of a limit. */
const NAMES = Object.keys(TEMPLATE_SETTINGS) as (keyof typeof TEMPLATE_SETTINGS)[];

/**
 * Sets limits of the account on a template: tightening immediately, loosening after the cooling time.
 *
 * @param template - wire name of an existing one.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` for a limit beyond that of the platform, and unless the
 *   minimum of a transaction is below its maximum.
 */
export async function updateTemplateLimits(
  context: Context,
  template: string,
  input: TemplateLimitsInput,
  violations: Violations,
): Promise<void> {
  requirePermission(context, 'settings.update_limits');
  const { accountId } = context.caller;
  const change = readChange(input, violations);
  violations.refuse();
  const object = { kind: 'template', id: template } as const;
  const factsOf = async (tx: Tx, nowMs: number) => ({
    ...(await readTemplateLimits(tx, accountId, template)),
    pending: (await readWaitingChanges(tx, accountId, new Date(nowMs), template)).map(
      ({ name, value, effectiveAt }) => ({ name, value, effectiveAt }),
    ),
  });
  await auditedChange(context, 'settings.update_limits', object, factsOf, async (tx, nowMs, writeDown) => {
    await settleChanges(context, tx, writeDown, nowMs);
    const platform = await readPlatformSettings(tx, accountId, template);
    refuseWider(input, platform, violations);
    violations.refuse();
    const before = await readTemplateLimits(tx, accountId, template);
    const waits = await loosenLater(context, tx, { template, before, change, nowMs });
    const unchanged = Object.fromEntries(waits.map((member) => [member, before[member]]));
    const after = { ...before, ...change, ...unchanged };
    checkOrder(input, boundsOf({ ...before, ...change }, platform), violations);
    violations.refuse();
    checkOrder(input, boundsOf(after, platform), violations);
    violations.refuse();
    await setTemplateLimits(tx, accountId, template, after);
  });
}

function readChange(input: TemplateLimitsInput, violations: Violations): Partial<TemplateLimits> {
  return Object.fromEntries(
    TEMPLATE_LIMITS.flatMap((name) => {
      const supplied = input[name];
      const value = supplied === null ? null : checkDecimal(supplied, BRL_AMOUNT, violations);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** An account narrows what the platform allows, and never widens it (C-21). */
function refuseWider(input: TemplateLimitsInput, platform: TemplateSettings, violations: Violations): void {
  for (const name of TEMPLATE_LIMITS) {
    const supplied = input[name];
    if (!supplied || !isWider(name, supplied.value, platform[name])) continue;
    const beyond = name === 'amountMin' ? 'be below' : 'exceed';
    const message = `must not ${beyond} what the platform allows, ${platform[name]}`;
    violations.add({ parameter: supplied.name, message });
  }
}

/** @returns the members whose change waits. */
async function loosenLater(
  context: Context,
  tx: Tx,
  {
    template: subject,
    before,
    change,
    nowMs,
  }: {
    readonly template: string;
    readonly before: TemplateLimits;
    readonly change: Partial<TemplateLimits>;
    readonly nowMs: number;
  },
): Promise<readonly (keyof TemplateLimits)[]> {
  const requested = NAMES.flatMap((name) => {
    const member = TEMPLATE_SETTINGS[name];
    const value = change[member];
    if (value === undefined) return [];
    const was = before[member];
    return [
      { name, subject, value, isLooser: was !== null && (value === null || isWider(member, value, was)) },
    ];
  });
  const { whitelistCoolingSeconds: coolingSeconds } = (await protectionsOf(context, tx, nowMs)).settings;
  const waits = await deferLooser(context, tx, requested, { coolingSeconds, nowMs });
  return waits.map(({ name }) => TEMPLATE_SETTINGS[name as keyof typeof TEMPLATE_SETTINGS]);
}

/** A lower minimum of a transaction is looser; every other limit is looser when it is higher. */
function isWider(name: keyof TemplateLimits, value: string, than: string): boolean {
  return name === 'amountMin' ? isMore(than, value) : isMore(value, than);
}

function boundsOf({ amountMin, amountMax }: TemplateLimits, platform: TemplateSettings) {
  return { amountMin: amountMin ?? platform.amountMin, amountMax: amountMax ?? platform.amountMax };
}

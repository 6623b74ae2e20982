/** Changes the limits of single customers: the account within those of the platform, the platform at will (C-21, C-40). */

import { known } from '../../base/errors/assert.ts';
import type { Named, Violations } from '../../base/errors/violations.ts';
import { isMore } from '../../base/money/money.ts';
import { maskTaxId } from '../../base/text/mask.ts';
import {
  type CustomerLevel,
  type CustomerRules,
  readCustomerRules,
  readWidestLimits,
  setCustomerRules,
} from '../../store/account/customers.ts';
import { CUSTOMER_SETTINGS } from '../../store/account/setting-changes.ts';
import type { Tx } from '../../store/connection/database.ts';
import { TEMPLATE_DEFAULTS } from '../../store/engine/pricing.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { BRL_AMOUNT, checkDecimal } from './manage-settings.ts';
import { deferLooser, settleChanges } from './pending-changes.ts';
import { protectionsOf } from './protections.ts';

/** Changes of a customer's limits; null removes a limit, and a missing member leaves it as it is. */
export interface CustomerInput {
  readonly limitDaily?: Named | null | undefined;
  readonly stepUp30d?: Named | null | undefined;
}

/** Changes that the platform may make. */
export interface CustomerGrant extends CustomerInput {
  readonly level?: CustomerLevel | undefined;
}

/** The rules of a customer, under the lock of the account. */
interface RulesNow {
  readonly taxId: string;
  readonly before: CustomerRules;
  readonly nowMs: number;
}

type CustomerName = keyof typeof CUSTOMER_SETTINGS;
type LimitName = (typeof CUSTOMER_SETTINGS)[CustomerName];
const CUSTOMER_NAMES = Object.keys(CUSTOMER_SETTINGS) as CustomerName[];

/**
 * Sets limits of a customer of the caller's account; a new customer is stored from now on.
 *
 * Loosening takes effect after the cooling time.
 *
 * @returns the tax id, without punctuation.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` for a malformed tax id, and for a limit above all other limits of
 * the customer.
 */
export async function updateCustomer(
  context: Context,
  taxId: Named,
  input: CustomerInput,
  checks: CreationChecks,
): Promise<string> {
  requirePermission(context, 'customer.update');
  const change = limitsOf(input, checks);
  return setRules(context, 'customer.update', taxId, checks, async (tx, now) => {
    const { before } = now;
    const widest = await readWidestLimits(tx, context.caller.accountId);
    const { customerLimitDaily, customerStepUp30d } = TEMPLATE_DEFAULTS;
    refuseWider(
      input.limitDaily,
      before.grantedLimitDaily ?? widest.limitDaily ?? customerLimitDaily,
      checks,
    );
    refuseWider(input.stepUp30d, before.grantedStepUp30d ?? widest.stepUp30d ?? customerStepUp30d, checks);
    checks.refuse();
    return loosenLater(context, tx, now, change);
  });
}

/**
 * Sets limits of a customer that replace those of the templates, and the customer's level.
 *
 * @param context - of the platform, on the account of the customer.
 * @returns the tax id, without punctuation.
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`.
 */
export async function grantCustomer(
  context: Context,
  taxId: Named,
  { level, ...input }: CustomerGrant,
  checks: CreationChecks,
): Promise<string> {
  requirePermission(context, 'customer.grant');
  const { limitDaily, stepUp30d } = limitsOf(input, checks);
  return setRules(context, 'customer.grant', taxId, checks, async (_tx, { before }) => ({
    ...before,
    ...(limitDaily !== undefined && { grantedLimitDaily: limitDaily }),
    ...(stepUp30d !== undefined && { grantedStepUp30d: stepUp30d }),
    ...(level && { level }),
  }));
}

async function setRules(
  context: Context,
  action: 'customer.update' | 'customer.grant',
  input: Named,
  checks: CreationChecks,
  change: (tx: Tx, now: RulesNow) => Promise<CustomerRules>,
): Promise<string> {
  const taxId = checks.taxId(input);
  checks.refuse();
  const key = known(taxId, 'a tax id');
  const { accountId } = context.caller;
  await audited(context, async (tx, writeDown, nowMs) => {
    await settleChanges(context, tx, writeDown, nowMs);
    const before = await readCustomerRules(tx, accountId, key);
    const after = await change(tx, { taxId: key, before, nowMs });
    await setCustomerRules(tx, accountId, key, after, new Date(nowMs));
    writeDown(
      action,
      { kind: 'customer', id: maskTaxId(key) },
      { before: { ...before }, after: { ...after } },
    );
  });
  return key;
}

/**
 * Tightening takes effect immediately, loosening after the cooling time (C-40).
 *
 * @returns the present rules.
 */
async function loosenLater(
  context: Context,
  tx: Tx,
  { taxId: subject, before, nowMs }: RulesNow,
  change: Partial<Pick<CustomerRules, LimitName>>,
): Promise<CustomerRules> {
  const requested = CUSTOMER_NAMES.flatMap((name) => {
    const member = CUSTOMER_SETTINGS[name];
    const value = change[member];
    if (value === undefined) return [];
    const was = before[member];
    return [{ name, subject, value, isLooser: was !== null && (value === null || isMore(value, was)) }];
  });
  const { whitelistCoolingSeconds: coolingSeconds } = (await protectionsOf(context, tx, nowMs)).settings;
  const waits = await deferLooser(context, tx, requested, { coolingSeconds, nowMs });
  const unchanged = Object.fromEntries(
    waits
      .map(({ name }) => CUSTOMER_SETTINGS[name as CustomerName])
      .map((member) => [member, before[member]]),
  );
  return { ...before, ...change, ...unchanged };
}

/** @returns the given limits, checked. */
function limitsOf({ limitDaily, stepUp30d }: CustomerInput, violations: Violations) {
  const read = (input: Named | null | undefined) =>
    input === null ? null : checkDecimal(input, BRL_AMOUNT, violations);
  const [daily, stepUp] = [read(limitDaily), read(stepUp30d)];
  return {
    ...(daily !== undefined && { limitDaily: daily }),
    ...(stepUp !== undefined && { stepUp30d: stepUp }),
  };
}

/** An account can only narrow the limits that apply without its own. */
function refuseWider(input: Named | null | undefined, widest: string, violations: Violations): void {
  if (input && isMore(input.value, widest))
    violations.add({ parameter: input.name, message: `must not exceed what the platform allows, ${widest}` });
}

/** Changes the limits of single customers: the account within those of the platform, the platform at will (C-21, C-40). */
import { maskTaxId } from '../../base/mask.ts';
import { isMore } from '../../base/money.ts';
import {
  type CustomerLevel,
  type CustomerRules,
  readCustomerRules,
  readWidestLimits,
  setCustomerRules,
} from '../../store/account/customers.ts';
import { TEMPLATE_DEFAULTS } from '../../store/account/settings.ts';
import type { Tx } from '../../store/database.ts';
import { known } from '../../templates/amounts.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import type { Named, Violations } from '../checks/check-filter.ts';
import { type Context, requireAct } from '../services/context.ts';
import { BRL_AMOUNT, checkDecimal } from './manage-settings.ts';

/** What is to change of a customer's limits; null takes a limit away, and what is not given stays. */
export interface CustomerInput {
  readonly limitDaily?: Named | null | undefined;
  readonly stepUp30d?: Named | null | undefined;
}

/** What the platform may change. */
export interface CustomerGrant extends CustomerInput {
  readonly level?: CustomerLevel | undefined;
}

/**
 * Sets limits of a customer of the caller's account; a customer who was not seen yet is kept from now on.
 *
 * @returns the tax id, without punctuation.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` for no tax id, and for a limit above all that hold without it.
 */
export async function updateCustomer(
  context: Context,
  taxId: Named,
  input: CustomerInput,
  checks: CreationChecks,
): Promise<string> {
  requireAct(context, 'customer.update');
  const change = limitsOf(input, checks);
  return setRules(context, 'customer.update', taxId, checks, async (tx, before) => {
    const after = { ...before, ...change };
    const widest = await readWidestLimits(tx, context.caller.accountId);
    const { customerLimitDaily, customerStepUp30d } = TEMPLATE_DEFAULTS;
    refuseWider(
      input.limitDaily,
      before.grantedLimitDaily ?? widest.limitDaily ?? customerLimitDaily,
      checks,
    );
    refuseWider(input.stepUp30d, before.grantedStepUp30d ?? widest.stepUp30d ?? customerStepUp30d, checks);
    return after;
  });
}

/**
 * Sets limits of a customer that hold in place of those of the templates, and how well the customer is known.
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
  requireAct(context, 'customer.grant');
  const { limitDaily, stepUp30d } = limitsOf(input, checks);
  return setRules(context, 'customer.grant', taxId, checks, async (_tx, before) => ({
    ...before,
    ...(limitDaily !== undefined && { grantedLimitDaily: limitDaily }),
    ...(stepUp30d !== undefined && { grantedStepUp30d: stepUp30d }),
    ...(level && { level }),
  }));
}

async function setRules(
  context: Context,
  act: 'customer.update' | 'customer.grant',
  given: Named,
  checks: CreationChecks,
  change: (tx: Tx, before: CustomerRules) => Promise<CustomerRules>,
): Promise<string> {
  const taxId = checks.taxId(given);
  checks.refuse();
  const key = known(taxId, 'a tax id');
  const { accountId } = context.caller;
  const at = new Date(await context.clock.nowMs());
  await audited(context, async (tx, writeDown) => {
    const before = await readCustomerRules(tx, accountId, key);
    const after = await change(tx, before);
    checks.refuse();
    await setCustomerRules(tx, accountId, key, after, at);
    writeDown(act, { kind: 'customer', id: maskTaxId(key) }, { before: { ...before }, after: { ...after } });
  });
  return key;
}

/** @returns the limits that are given, checked. */
function limitsOf({ limitDaily, stepUp30d }: CustomerInput, violations: Violations) {
  const read = (given: Named | null | undefined) =>
    given === null ? null : checkDecimal(given, BRL_AMOUNT, violations);
  const [daily, stepUp] = [read(limitDaily), read(stepUp30d)];
  return {
    ...(daily !== undefined && { limitDaily: daily }),
    ...(stepUp !== undefined && { stepUp30d: stepUp }),
  };
}

/** An account can only narrow what holds without its own limit. */
function refuseWider(given: Named | null | undefined, widest: string, violations: Violations): void {
  if (given && isMore(given.value, widest))
    violations.add({ parameter: given.name, message: `must not exceed what the platform allows, ${widest}` });
}

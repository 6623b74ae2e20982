/** The amount of a checkout session that its customer enters: priced when it is entered (C-20). */

import { known } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { accepts } from '../../templates/accepts.ts';
import type { Template } from '../../templates/define.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Trigger } from '../../templates/triggers.ts';
import { CreationChecks } from '../checks/check-creation.ts';
import { advanceTransaction, conflict, isDone, type Target } from '../engine/advance-for-caller.ts';
import { endOfPriced, price } from '../pricing/price.ts';
import { type Context, requirePermission, type Services } from '../services/context.ts';
import { findOwnProcess } from '../transactions/read-transaction.ts';

/**
 * Prices a session that collects its amount; without a price, or over a limit, the session ends.
 *
 * @param amountPayment - BRL.
 * @throws {GatewayError} `INVALID_PARAMETER`; `STEP_CONFLICT` when it does not collect an amount.
 */
export async function enterAmount(
  context: Context,
  row: ProcessRow,
  amountPayment: Named,
  target: Pick<Target, 'attempt'> = {},
): Promise<ProcessRow> {
  const checks = new CreationChecks({ allowsLoopback: false });
  const amount = checks.amount(amountPayment, BRL);
  checks.refuse();
  if (isDone(target.attempt)) return row;
  const template = context.registry.of(row.template);
  if (!accepts(template, row, 'amount_given')) throw await conflict(context, row);
  const trigger = await priceTrigger(context, template, row, known(amount, 'an amount'));
  return advanceTransaction(context, target, row, trigger, 'transaction.enter_amount');
}

/** As `enterAmount`, on one of the caller's transactions. @throws {GatewayError} also `FORBIDDEN`, `NOT_FOUND`. */
export async function enterAmountOf(
  context: Context,
  target: Target,
  amountPayment: Named,
): Promise<ProcessRow> {
  requirePermission(context, 'transaction.enter_amount');
  const row = await findOwnProcess(context, target.end2end, target.family);
  return enterAmount(context, row, amountPayment, target);
}

async function priceTrigger(
  services: Services,
  template: Template,
  row: ProcessRow,
  amount: string,
): Promise<Trigger> {
  const { accountId } = row;
  const currency = currencyOfLedger(known(row.targetCurrency, 'a currency'));
  try {
    const request = { accountId, template, direction: 'in', currency, wanted: { brl: amount } } as const;
    const { facts, pricedAt } = await price(services, request);
    const expiresAt = await endOfPriced(services, { ...row, process: { pricedAt } });
    return { on: 'amount_given', price: facts, pricedAt, expiresAt };
  } catch (error) {
    const isPriceless =
      error instanceof GatewayError &&
      (error.code === 'QUOTE_UNAVAILABLE' || error.code === 'LIMIT_EXCEEDED');
    if (!isPriceless) throw error;
    return { on: 'quote_failed' };
  }
}

/** Makes offramps: crypto from the balance or from a deposit, BRL out by PIX (contract 4). */
import { assert, known } from '../../base/errors/assert.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL, type Currency } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { readAvailable } from '../../store/engine/processes.ts';
import type { ProcessRow, RenewedOrder } from '../../templates/facts.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Input, OFFRAMP_MEMBERS } from '../checks/creation-members.ts';
import type { Attempt } from '../checks/once.ts';
import type { Wanted } from '../pricing/price.ts';
import type { NewProcess } from '../services/advance.ts';
import { type Context, requirePermission, requireRails } from '../services/context.ts';
import { settleProtections } from '../settings/protections.ts';
import {
  chooseTemplate,
  createAndAwait,
  emptyProcess,
  endOf,
  orderFacts,
  priceOrder,
  uncovered,
} from './create-transaction.ts';

/** Input of a caller; each value carries the caller's own name for it. */
export interface OfframpInput extends Input<typeof OFFRAMP_MEMBERS> {
  /** Name of a template; the default one if omitted. */
  readonly template?: Named | undefined;
  readonly quoteId?: Named | undefined;
}

/** Members that identify a payee. */
export const PAYEE = ['pixKey', 'pixKeyType', 'clientName', 'clientTaxId'] as const;

/** The caller's names of members that may be missing. */
export type OfframpNames = Readonly<
  Record<'amountPaid' | 'amountSent' | 'currency' | (typeof PAYEE)[number], string>
>;

/** Differences between the interfaces. */
export interface OfframpOptions {
  readonly names: OfframpNames;
  readonly isAccepted: boolean;
  /** Whether the payee must be named now. */
  readonly needsPayee: boolean;
  /** The ended session that it replaces. */
  readonly renews?: RenewedOrder;
}

interface Checked {
  readonly currency: Currency;
  readonly isExternal: boolean;
  readonly wanted: Wanted | undefined;
  readonly quoteId: string | undefined;
  readonly expiresIn: number;
  readonly facts: Partial<NewProcess>;
}

/**
 * @returns the transaction; one from outside with the address and the exact amount of its deposit.
 * @throws {GatewayError} `INVALID_PARAMETER`, `CURRENCY_AMBIGUOUS`, `LIMIT_EXCEEDED`, `INSUFFICIENT_BALANCE`,
 *   `QUOTE_UNAVAILABLE`, `QUOTE_EXPIRED`, `UNAVAILABLE`, `STEP_UP_REQUIRED` out of the balance; nothing is stored,
 *   except with `UNAVAILABLE`.
 */
export async function createOfframp(
  context: Context,
  attempt: Attempt,
  input: OfframpInput,
  checks: CreationChecks,
  options: OfframpOptions,
): Promise<ProcessRow> {
  requireRails(context);
  const checked = check(input, checks, options);
  // An offramp out of the balance moves money out, as a withdrawal does, unless it is a quote that still has to be accepted.
  const isPayout = !checked.isExternal && options.isAccepted;
  const action = isPayout ? 'balance.pay_out' : 'offramp.create';
  requirePermission(context, action);
  const crypto = checked.isExternal ? 'external' : 'balance';
  const use = { family: 'offramps', crypto, currency: checked.currency.code } as const;
  const template = chooseTemplate(context.registry, use, input.template, options.names.currency);
  return createAndAwait(context, attempt, async () => {
    if (isPayout) await settleProtections(context);
    const { facts, process, atomically } = await priceOrder(context, {
      template,
      direction: 'out',
      currency: checked.currency,
      wanted: checked.wanted,
      quoteId: checked.quoteId,
    });
    if (!checked.isExternal)
      await refuseUncovered(context, checked.currency, known(facts.sourceAmount, 'an amount'));
    const nowMs = await context.clock.nowMs();
    const blank = emptyProcess(
      context.caller.accountId,
      template.name,
      nowMs,
      context.caller.id,
      context.database.cell,
    );
    const create: NewProcess = {
      ...blank,
      ...checked.facts,
      ...facts,
      sourceCurrency: checked.currency.code,
      targetCurrency: BRL.code,
      expiresAt: endOf(nowMs, checked.expiresIn),
      process: { ...blank.process, ...process, ...orderFacts(checked.wanted, options) },
    };
    // The transaction continues as soon as the payee is named.
    const endsWithLock = !checked.isExternal && create.pixKey === null;
    return { create, awaitsRail: checked.isExternal, endsWithLock, permission: action, atomically };
  });
}

/** @throws {GatewayError} `INSUFFICIENT_BALANCE` when the account has less than this available. */
export async function refuseUncovered(
  { database, caller }: Context,
  currency: Currency,
  amount: string,
): Promise<void> {
  const available = (await readAvailable(database, caller.accountId)).get(currency.code) ?? 0n;
  if (available < toMinor(amount, currency.decimals))
    throw uncovered({ currency, sourceAmount: amount, available });
}

function check(input: OfframpInput, checks: CreationChecks, options: OfframpOptions): Checked {
  const { names } = options;
  const currency = checks.oneCurrency(checks.required(input.currency, names.currency), { crypto: true });
  checks.oneOf(
    input.amountPaid,
    input.amountSent,
    [names.amountPaid, names.amountSent],
    input.quoteId === undefined,
  );
  const paid = checks.amount(input.amountPaid, currency);
  const sent = checks.amount(input.amountSent, BRL);
  if (options.needsPayee) for (const name of PAYEE) checks.required(input[name], names[name]);
  const key = checks.pixKey(input.pixKey, input.pixKeyType);
  const facts = {
    pixKey: key?.pixKey ?? null,
    pixKeyType: key?.pixKeyType ?? null,
    ...checks.stored(OFFRAMP_MEMBERS, input),
  };
  const { from } = input;
  if (from && from.value !== 'balance' && from.value !== 'external')
    checks.add({ parameter: from.name, message: 'must be balance or external' });
  const expiresIn = checks.expiresIn(input.expiresIn);
  const quoteId = checks.text(input.quoteId);
  checks.refuse();
  assert(currency && expiresIn !== undefined, 'a required input is present after its check');
  const wanted = paid ? { crypto: paid } : sent ? { brl: sent } : undefined;
  return { currency, isExternal: from?.value === 'external', wanted, quoteId, expiresIn, facts };
}

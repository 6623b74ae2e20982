/** Makes checkout sessions and onramps: BRL in by PIX, crypto to the balance or to a wallet (contract 4). */
import { assert } from '../../base/errors/assert.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL, type Currency } from '../../base/money/currency.ts';
import type { Family } from '../../templates/define.ts';
import type { ProcessRow, RenewedOrder } from '../../templates/facts.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Input, ONRAMP_MEMBERS } from '../checks/creation-members.ts';
import type { Attempt } from '../checks/once.ts';
import type { Wanted } from '../pricing/price.ts';
import type { NewProcess } from '../services/advance.ts';
import { type Context, requirePermission } from '../services/context.ts';
import {
  chooseTemplate,
  createAndAwait,
  emptyProcess,
  endOf,
  orderFacts,
  priceOrder,
} from './create-transaction.ts';

/** Input of a caller; each value carries the caller's own name for it. */
export interface OnrampInput extends Input<typeof ONRAMP_MEMBERS> {
  /** Name of a template; the default one if omitted. */
  readonly template?: Named | undefined;
  /** A quote to be used instead of a new price; amounts are then those of the quote. */
  readonly quoteId?: Named | undefined;
}

/** The caller's names of members that may be missing. */
export type OnrampNames = Readonly<
  Record<'amountPayment' | 'amountReceived' | 'currency' | 'clientName' | 'clientTaxId', string>
>;

/** Differences between the interfaces and the templates. */
export interface OnrampOptions {
  /** Template whose flow is `in`. */
  readonly family: Family;
  readonly names: OnrampNames;
  /** Whether making it accepts its quote. */
  readonly isAccepted: boolean;
  /** Whether the customer must be named now; a hosted page can ask later. */
  readonly needsCustomer: boolean;
  /** Whether one of the amounts must be given; a hosted page can ask later. */
  readonly needsAmount: boolean;
  /** The ended session that it replaces. */
  readonly renews?: RenewedOrder;
  /** Path of the static link that opened it. */
  readonly fixedLink?: string;
}

/** The validated input. */
interface Checked {
  readonly currency: Currency;
  readonly wanted: Wanted | undefined;
  readonly quoteId: string | undefined;
  readonly expiresIn: number;
  readonly facts: Partial<NewProcess>;
}

/**
 * @returns the transaction, payable when the customer and the amount are known.
 * @throws {GatewayError} `INVALID_PARAMETER`, `CURRENCY_AMBIGUOUS`, `LIMIT_EXCEEDED`, `QUOTE_UNAVAILABLE`,
 *   `QUOTE_EXPIRED`, `UNAVAILABLE`; nothing is stored, except with `UNAVAILABLE`.
 */
export async function createOnramp(
  context: Context,
  attempt: Attempt,
  input: OnrampInput,
  checks: CreationChecks,
  options: OnrampOptions,
): Promise<ProcessRow> {
  const { family, names } = options;
  requirePermission(context, FAMILY_TRAITS[family].permissions.create);
  const checked = check(input, checks, options);
  const crypto = checked.facts.wallet ? 'external' : 'balance';
  const use = { family, crypto, currency: checked.currency.code } as const;
  const template = chooseTemplate(context.registry, use, input.template, names.currency);
  return createAndAwait(context, attempt, async () => {
    const { facts, process, atomically } = await priceOrder(context, {
      template,
      direction: 'in',
      currency: checked.currency,
      wanted: checked.wanted,
      quoteId: checked.quoteId,
    });
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
      sourceCurrency: BRL.code,
      targetCurrency: checked.currency.code,
      fixedLink: options.fixedLink ?? null,
      expiresAt: endOf(nowMs, checked.expiresIn),
      process: { ...blank.process, ...process, ...orderFacts(checked.wanted, options) },
    };
    return { create, awaitsRail: true, atomically };
  });
}

function check(input: OnrampInput, checks: CreationChecks, options: OnrampOptions): Checked {
  const { names } = options;
  const currency = checks.oneCurrency(checks.required(input.currency, names.currency), { crypto: true });
  const usesQuote = input.quoteId !== undefined;
  checks.oneOf(
    input.amountPayment,
    input.amountReceived,
    [names.amountPayment, names.amountReceived],
    options.needsAmount && !usesQuote,
  );
  const payment = checks.amount(input.amountPayment, BRL);
  const received = checks.amount(input.amountReceived, currency);
  if (options.needsCustomer) {
    checks.required(input.clientName, names.clientName);
    checks.required(input.clientTaxId, names.clientTaxId);
  }
  const facts = {
    ...checks.stored(ONRAMP_MEMBERS, input),
    wallet: checks.wallet(input.wallet, currency) ?? null,
  };
  const expiresIn = checks.expiresIn(input.expiresIn);
  const quoteId = checks.text(input.quoteId);
  checks.refuse();
  assert(currency && expiresIn !== undefined, 'a required input is present after its check');
  const wanted = payment ? { brl: payment } : received ? { crypto: received } : undefined;
  return { currency, wanted, quoteId, expiresIn, facts };
}

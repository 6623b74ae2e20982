/** Makes offramps: crypto from the balance or from a deposit, BRL out by PIX (contract 4). */
import { assert } from '../base/assert.ts';
import { BRL, type Currency } from '../base/currency.ts';
import { GatewayError } from '../base/errors.ts';
import { toMinor } from '../base/money.ts';
import { readAvailable } from '../store/processes.ts';
import type { Template } from '../templates/define.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { NewProcess } from './advance-transaction.ts';
import type { CreationChecks } from './check-creation.ts';
import type { Named } from './check-filter.ts';
import { type Context, requireScope } from './context.ts';
import { refuseOverDay } from './customer-limits.ts';
import { emptyProcess, endOf, makeTransaction } from './make-transaction.ts';
import type { Attempt } from './once.ts';
import { price, type Wanted } from './price.ts';
import { quoteToUse, spendQuote } from './quotes.ts';

/** What a caller gives; each under the caller's own name for it. */
export interface OfframpInput {
  readonly amountPaid?: Named | undefined;
  readonly amountSent?: Named | undefined;
  readonly currency?: Named | undefined;
  readonly pixKey?: Named | undefined;
  readonly pixKeyType?: Named | undefined;
  readonly clientName?: Named | undefined;
  readonly clientTaxId?: Named | undefined;
  /** `balance` or `external`. */
  readonly from?: Named | undefined;
  readonly externalCode?: Named | undefined;
  readonly returnUrl?: Named | undefined;
  readonly webhook?: Named | undefined;
  readonly expiresIn?: Named | undefined;
  readonly quoteId?: Named | undefined;
}

/** How the caller names what may be missing. */
export type OfframpNames = Readonly<
  Record<
    'amountPaid' | 'amountSent' | 'currency' | 'pixKey' | 'pixKeyType' | 'clientName' | 'clientTaxId',
    string
  >
>;

/** What differs between the edges. */
export interface OfframpOptions {
  readonly names: OfframpNames;
  readonly isAccepted: boolean;
  /** Whether the payee must be named now. */
  readonly needsPayee: boolean;
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
 *   `QUOTE_UNAVAILABLE`, `QUOTE_EXPIRED`, `UNAVAILABLE`; nothing is stored but by the last.
 */
export async function createOfframp(
  context: Context,
  attempt: Attempt,
  input: OfframpInput,
  checks: CreationChecks,
  options: OfframpOptions,
): Promise<ProcessRow> {
  requireScope(context, 'create');
  const checked = check(input, checks, options);
  const template = context.registry.choose('offramps', checked.isExternal ? 'external' : 'balance');
  return makeTransaction(context, attempt, async () => {
    const { facts, alongside } = await priced(context, template, checked);
    if (!checked.isExternal) await refuseUncovered(context, checked.currency, facts.sourceAmount);
    const nowMs = await context.clock.nowMs();
    const blank = emptyProcess(context.caller.accountId, template.name, nowMs, context.caller.id);
    const create: NewProcess = {
      ...blank,
      ...checked.facts,
      ...facts,
      sourceCurrency: checked.currency.code,
      targetCurrency: BRL.code,
      expiresAt: endOf(nowMs, checked.expiresIn),
      process: { ...blank.process, isAccepted: options.isAccepted },
    };
    return { create, awaitsRail: checked.isExternal, alongside };
  });
}

/** @throws {GatewayError} `INSUFFICIENT_BALANCE` when the account has less than this available. */
export async function refuseUncovered(
  { database, caller }: Context,
  currency: Currency,
  amount: string | null,
): Promise<void> {
  const available = (await readAvailable(database, caller.accountId)).get(currency.code) ?? 0n;
  if (amount === null || available < toMinor(amount, currency.decimals))
    throw new GatewayError(
      'INSUFFICIENT_BALANCE',
      `the available balance of ${currency.displayName} is less than ${amount}`,
    );
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
  const required = (given: Named | undefined, name: string) =>
    options.needsPayee ? checks.required(given, name) : given;
  const key = checks.pixKey(
    required(input.pixKey, names.pixKey),
    required(input.pixKeyType, names.pixKeyType),
  );
  const facts = {
    pixKey: key?.pixKey ?? null,
    pixKeyType: key?.pixKeyType ?? null,
    clientName: checks.personName(required(input.clientName, names.clientName)) ?? null,
    clientTaxId: checks.taxId(required(input.clientTaxId, names.clientTaxId)) ?? null,
    externalCode: checks.reference(input.externalCode) ?? null,
    returnUrl: checks.url(input.returnUrl) ?? null,
    webhook: checks.url(input.webhook) ?? null,
  };
  const { from } = input;
  if (from && from.value !== 'balance' && from.value !== 'external')
    checks.add({ parameter: from.name, message: 'must be balance or external' });
  const expiresIn = checks.expiresIn(input.expiresIn);
  const quoteId = checks.text(input.quoteId);
  checks.refuse();
  assert(currency && expiresIn !== undefined, 'what is required and was not refused is there');
  const wanted = paid ? { crypto: paid } : sent ? { brl: sent } : undefined;
  return { currency, isExternal: from?.value === 'external', wanted, quoteId, expiresIn, facts };
}

async function priced(context: Context, template: Template, { currency, wanted, quoteId, facts }: Checked) {
  const { accountId } = context.caller;
  const volume = { accountId, template: template.name, clientTaxId: facts.clientTaxId };
  if (quoteId !== undefined) {
    const quote = await quoteToUse(context, quoteId, { template, currency, direction: 'out' });
    await refuseOverDay(context, { ...volume, amount: quote.facts.targetAmount });
    return { facts: quote.facts, alongside: spendQuote(context, quoteId) };
  }
  assert(wanted, 'an amount was given');
  const request = {
    accountId,
    template,
    direction: 'out',
    currency,
    wanted,
  } as const;
  const made = await price(context, request);
  await refuseOverDay(context, { ...volume, amount: made.brl });
  return { facts: made.facts, alongside: undefined };
}

/**
 * The sessions of the demo: creates transactions of customers and of the treasury, by the functions that also handle
 * requests.
 */
import { known } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { currencyOf } from '../../base/money/currency.ts';
import { CreationChecks } from '../../resolvers/checks/check-creation.ts';
import type { Attempt } from '../../resolvers/checks/once.ts';
import { createOfframp } from '../../resolvers/orders/create-offramp.ts';
import { createOnramp } from '../../resolvers/orders/create-onramp.ts';
import { createWithdrawal } from '../../resolvers/orders/create-withdrawal.ts';
import type { Context } from '../../resolvers/services/context.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { payerAddress } from './addresses.ts';

/** Payers and payees. */
export const PEOPLE = [
  ['Ana Souza', '52998224725'],
  ['Bruno Lima', '11144477735'],
  ['Carla Mendes', '12345678909'],
  ['Padaria São João Ltda', '11222333000181'],
] as const;
/** Attempt without an earlier result, which is never repeated. */
export const ONCE = { made: null, bind: async () => {} };

const ATTEMPTS_MAX = 20;

/** Input of a session. */
export interface SessionFacts {
  readonly person: readonly [name: string, taxId: string];
  /** Decimal BRL, for sessions with an amount in BRL. */
  readonly brl: string;
  /** Decimal amount of the coin, for sessions with an amount in the coin. */
  readonly crypto: string;
  readonly currency: string;
  /** The shop's reference, or the treasury's note. */
  readonly reference: string;
}

const NAMES = {
  amountPayment: 'amount_payment',
  amountReceived: 'amount_received',
  amountPaid: 'amount_paid',
  amountSent: 'amount_sent',
  currency: 'currency',
  pixKey: 'pix_key',
  pixKeyType: 'pix_key_type',
  clientName: 'client_name',
  clientTaxId: 'client_tax_id',
  groupId: 'group_id',
  address: 'address',
};

/** @returns a value with the name of its parameter. */
export function named(name: string, value: string): Named {
  return { name, value };
}

/** @returns the checks that apply to a request to a sandbox. */
export function newChecks(): CreationChecks {
  return new CreationChecks({ allowsLoopback: true });
}

/** Creates a payment by PIX, for the balance or for the customer's own wallet. */
export function sell(
  context: Context,
  facts: SessionFacts,
  {
    family,
    isDelivered = false,
  }: { readonly family: 'checkouts' | 'onramps'; readonly isDelivered?: boolean },
): Promise<ProcessRow> {
  const input = {
    ...customerOf(facts),
    ...(isDelivered && { wallet: named('wallet', payerAddress(coinOf(facts.currency))) }),
    amountPayment: named('amount_payment', facts.brl),
  };
  const options = { names: NAMES, isAccepted: true, needsCustomer: true, needsAmount: true };
  return surely((attempt) => createOnramp(context, attempt, input, newChecks(), { family, ...options }));
}

/** Creates a payout by PIX, from the balance or for arriving coins. */
export function payOut(
  context: Context,
  facts: SessionFacts,
  from: 'balance' | 'external',
): Promise<ProcessRow> {
  const input = {
    ...customerOf(facts),
    amountPaid: named('amount_paid', facts.crypto),
    pixKey: named('pix_key', 'financeiro@example.com'),
    pixKeyType: named('pix_key_type', 'email'),
    from: named('from', from),
  };
  const options = { names: NAMES, isAccepted: true, needsPayee: true };
  return surely((attempt) => createOfframp(context, attempt, input, newChecks(), options));
}

/** Creates a withdrawal of coins to a whitelist group. */
export function withdraw(context: Context, facts: SessionFacts, groupId: string): Promise<ProcessRow> {
  const input = {
    amountReceived: named('amount_received', facts.crypto),
    currency: named('currency', facts.currency),
    groupId: named('group_id', groupId),
    notes: named('notes', facts.reference),
  };
  return surely((attempt) => createWithdrawal(context, attempt, input, newChecks(), NAMES));
}

/** @returns a currency of the catalogue. */
export function coinOf(code: string) {
  return known(currencyOf(code), 'a currency of the catalogue');
}

/** Repeats a request that timed out on a busy machine, as callers do. The transaction is created once. */
async function surely(create: (attempt: Attempt) => Promise<ProcessRow>): Promise<ProcessRow> {
  let made: string | null = null;
  const bind: Attempt['bind'] = async (_tx, id) => {
    made = id;
  };
  for (let attempts = 1; ; attempts++) {
    try {
      return await create({ made, bind });
    } catch (error) {
      const isLater = error instanceof GatewayError && error.code === 'UNAVAILABLE';
      if (!isLater || attempts === ATTEMPTS_MAX) throw error;
    }
  }
}

function customerOf({ person: [clientName, clientTaxId], currency, reference }: SessionFacts) {
  return {
    clientName: named('client_name', clientName),
    clientTaxId: named('client_tax_id', clientTaxId),
    externalCode: named('external_code', reference),
    currency: named('currency', currency),
  };
}

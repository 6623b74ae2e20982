/** What the mutations that make a transaction have in common: the shape of their answers, the session, the checks. */
import { type CreationChecks, EXPIRES_IN } from '../resolvers/check-creation.ts';
import type { Named } from '../resolvers/check-filter.ts';
import type { Builder } from './builder.ts';
import type { Done } from './once.ts';
import type { TransactionRef } from './transaction.ts';

/** Descriptions of members that several inputs have. */
export const DESCRIPTIONS = {
  currency: 'Raw code (`USDT_TRX`), display name, or an asset of one network (C-6).',
  clientTaxId: 'CPF or CNPJ, with or without punctuation.',
  externalCode: 'Your own reference, at most 200 characters.',
  returnUrl: 'Where the customer is sent afterwards: an https URL.',
  webhook: 'https URL that receives the changes of state.',
  expiresIn: `Life of the session in seconds: ${EXPIRES_IN.min} to ${EXPIRES_IN.max}.`,
  quoteId: 'A quote of `createQuote`, which says the amounts; used up by this.',
  accept: 'Whether this accepts the quote; if not, `acceptQuote` does later.',
  pixKeyType: 'One of cpf, cnpj, email, phone, random.',
} as const;

/** Defines the answer of a mutation that makes a transaction; what else it has is added by the file of that mutation. */
export function definePayload(builder: Builder, transaction: TransactionRef, name: string) {
  return builder.objectRef<Done>(name).implement({
    description: 'The transaction that was made, and what it takes to go on with it.',
    fields: (t) => ({
      transaction: t.field({ type: transaction, resolve: ({ row }) => row as never }),
      replayed: t.exposeBoolean('isReplayed', {
        description: 'Whether the `idempotencyKey` was used before: then nothing was made now.',
      }),
    }),
  });
}

/** Defines the input of the session of a new transaction; the members stand in the input of each creation. */
export function sessionFields(t: InputFields) {
  return {
    externalCode: t.string({ description: DESCRIPTIONS.externalCode }),
    returnUrl: t.string({ description: DESCRIPTIONS.returnUrl }),
    webhook: t.string({ description: DESCRIPTIONS.webhook }),
    expiresIn: t.int({ defaultValue: EXPIRES_IN.default, description: DESCRIPTIONS.expiresIn }),
  };
}

/** What defines the members of an input object. */
export type InputFields = Parameters<Parameters<Builder['inputType']>[1]['fields']>[0];

/** Notes amounts that are given besides a quote, which says them. */
export function refuseBesides(
  checks: CreationChecks,
  quoteId: Named | undefined,
  amounts: readonly (Named | undefined)[],
): void {
  for (const amount of amounts)
    if (quoteId && amount)
      checks.add({ parameter: amount.name, message: `must not be given together with ${quoteId.name}` });
}

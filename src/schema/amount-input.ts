/** Amounts of orders as inputs: one side, or a reserved quote that fixes both. */
import type { Named } from '../base/errors/violations.ts';
import { AMOUNT_LENGTH_MAX, bounded } from '../resolvers/checks/lengths.ts';
import type { Builder } from './builder.ts';
import type { InputFields } from './creation.ts';
import { DESCRIPTIONS } from './descriptions.ts';

const SIDES = 'The other side follows from the price.';

/** Defines `QuoteAmountInput` and `OrderAmountInput`. */
export function defineAmountInputs(builder: Builder) {
  const quoteAmount = builder.inputType('QuoteAmountInput', {
    isOneOf: true,
    description: `Amount of an order by one of its sides. ${SIDES}`,
    fields: sideFields,
  });
  const orderAmount = builder.inputType('OrderAmountInput', {
    isOneOf: true,
    description: `Amount of an order by one of its sides, or by a quote. ${SIDES}`,
    fields: (t) => ({ ...sideFields(t), quoteId: t.string({ description: DESCRIPTIONS.quoteId }) }),
  });
  return { quoteAmount, orderAmount };
}

/** The inputs of amounts. */
export type AmountInputRefs = ReturnType<typeof defineAmountInputs>;

function sideFields(t: InputFields) {
  return {
    brl: t.field({
      type: 'Decimal',
      description: `BRL that the customer pays, or that the payee receives. Above 0, at most 2 decimals and ${AMOUNT_LENGTH_MAX} characters.`,
    }),
    crypto: t.field({
      type: 'Decimal',
      description: bounded(
        'Crypto that is received or paid. Above 0, no more decimals than the currency has.',
        AMOUNT_LENGTH_MAX,
      ),
    }),
  };
}

/** A client's amount: one member. */
export type AmountMember = { readonly [Side in 'brl' | 'crypto' | 'quoteId']?: string | null | undefined };

/** Paths of the members of the amount. */
export const AMOUNT_PATHS = {
  brl: 'input.amount.brl',
  crypto: 'input.amount.crypto',
  quoteId: 'input.amount.quoteId',
} as const;

/** An amount by its member, each under its path. */
export type NamedAmount = { readonly [Side in keyof typeof AMOUNT_PATHS]?: Named | undefined };

/** @returns the member that is present, under its path. */
export function namedAmount(amount: AmountMember | null | undefined): NamedAmount {
  return Object.fromEntries(
    Object.entries(amount ?? {}).flatMap(([side, value]) =>
      value == null ? [] : [[side, { name: AMOUNT_PATHS[side as keyof typeof AMOUNT_PATHS], value }]],
    ),
  );
}

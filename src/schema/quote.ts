/** Quote: the price of an order, and reserved prices: `Query.quote`, `Mutation.createQuote`. */

import { assert } from '../base/errors/assert.ts';
import { BRL, currencyOfLedger } from '../base/money/currency.ts';
import { trimDecimal } from '../base/money/money.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import type { PriceRequest } from '../resolvers/pricing/price.ts';
import { createQuote, QUOTE_LIFE_MS, readQuote } from '../resolvers/pricing/quotes.ts';
import type { QuoteRow } from '../store/engine/quotes.ts';
import type { Family } from '../templates/define.ts';
import { type AmountInputRefs, type AmountMember, namedAmount } from './amount-input.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import type { InputFields } from './creation.ts';
import type { CurrencyRefs } from './currency.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { pathsOf } from './named.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';
import type { TemplateRef } from './template.ts';

const NAMES = pathsOf('input', ['template', 'currency']);
/** Direction in which each family converts; a family without one has no price. */
const DIRECTIONS: Readonly<Partial<Record<Family, PriceRequest['direction']>>> = {
  checkouts: 'in',
  onramps: 'in',
  offramps: 'out',
};

/** Defines `Quote`, `Query.quote` and `Mutation.createQuote`. */
export function defineQuote(
  builder: Builder,
  template: TemplateRef,
  { quoteAmount, ...currencies }: CurrencyRefs & AmountInputRefs,
): void {
  const quote = defineType(builder, template, currencies);
  const input = builder.inputType('QuoteInput', {
    description: ORDER,
    fields: (t) => orderFields(t, { template, quoteAmount }),
  });
  builder.queryField('quote', (t) =>
    t.field({
      type: quote,
      description:
        'The price of an order now. It is not reserved; `createQuote` does that. Needs the scope `read`.',
      args: { input: t.arg({ type: input, required: true, description: 'The order.' }) },
      resolve: (_root, args, context) => readQuote(context, requestOf(context, args.input)),
    }),
  );
  defineMutation(builder, 'createQuote', {
    result: ['quote', quote],
    description: `Prices an order and holds the price for ${QUOTE_LIFE_MS / 60_000} minutes, for one use. Error \`QUOTE_UNAVAILABLE\` without a rate of the last 60 seconds. Needs the scope \`create\`; for an offramp from the balance, \`move\` is enough.`,
    inputDescription: ORDER,
    input: (t) => ({
      ...orderFields(t, { template, quoteAmount }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'createQuote', action: null, args } as const;
      const { stored } = await performOnce(context, keyed, (attempt) =>
        createQuote(context, requestOf(context, args), attempt),
      );
      return stored;
    },
  });
}

const ORDER = 'An order to be priced.';

function orderFields(
  t: InputFields,
  { template, quoteAmount }: { readonly template: TemplateRef } & Pick<AmountInputRefs, 'quoteAmount'>,
) {
  return {
    template: t.field({
      type: template,
      required: true,
      description:
        'Template of the order. It determines the direction and the price settings. Withdrawals have no quote.',
    }),
    currency: t.string({
      required: true,
      description: `The crypto that is bought or sold. ${DESCRIPTIONS.currency}`,
    }),
    amount: t.field({ type: quoteAmount, required: true, description: 'Amount of the order.' }),
  };
}

function defineType(builder: Builder, template: TemplateRef, { currency }: CurrencyRefs) {
  return builder.objectRef<QuoteRow>('Quote').implement({
    description: 'The price of an order (C-21).',
    fields: (t) => {
      const decimal = (name: DecimalName, description: string) =>
        t.field({ type: 'Decimal', description, resolve: (row) => trimDecimal(row[name]) });
      return {
        quoteId: t.string({
          nullable: true,
          description:
            'Identifier of the reserved price, for `amount`; null for a price that is not reserved.',
          resolve: ({ id }) => id || null,
        }),
        template: t.field({
          type: template,
          description: 'Template of the order.',
          resolve: (row) => row.template,
        }),
        currency: t.field({
          type: currency,
          description: 'The crypto that is bought or sold.',
          resolve: (row) => currencyOfLedger(row.currency),
        }),
        rate: decimal('quote', 'Price in BRL of one unit of crypto, spread included.'),
        refQuote: decimal('refQuote', 'Mid-market rate in BRL for one unit of crypto.'),
        brlAmount: decimal('brlAmount', 'BRL that the customer pays, or that the payee receives.'),
        cryptoAmount: decimal('cryptoAmount', 'Crypto that is received or paid.'),
        fees: decimal('fees', 'Total fees, BRL.'),
        networkFee: decimal(
          'networkFee',
          'Network fee in the crypto, on top of `fees`; 0 when nothing is delivered on-chain.',
        ),
        createdAt: t.field({
          type: 'DateTime',
          description: 'When the order was priced.',
          resolve: (row) => isoOf(row.createdAt),
        }),
        expiresAt: t.field({
          type: 'DateTime',
          nullable: true,
          description: 'When the reserved price ends; null for a price that is not reserved.',
          resolve: ({ id, expiresAt }) => (id ? isoOf(expiresAt) : null),
        }),
      };
    },
  });
}

type DecimalName = 'quote' | 'refQuote' | 'brlAmount' | 'cryptoAmount' | 'fees' | 'networkFee';

interface QuoteInput {
  readonly template: string;
  readonly currency: string;
  readonly amount: AmountMember;
}

function requestOf(
  context: GraphqlContext,
  { template: name, currency: code, amount }: QuoteInput,
): Omit<PriceRequest, 'accountId'> {
  const named = namedAmount(amount);
  const checks = checksOf(context);
  const template = context.registry.find(name);
  const direction = template && DIRECTIONS[template.family];
  if (!direction)
    checks.add({
      parameter: NAMES.template,
      message: 'must be a template that converts: withdrawals have no quote',
    });
  const currency = checks.oneCurrency({ name: NAMES.currency, value: code }, { crypto: true });
  const brl = checks.amount(named.brl, BRL);
  const crypto = checks.amount(named.crypto, currency);
  checks.refuse();
  assert(template && direction && currency, 'a required input is present after its check');
  return { template, direction, currency, wanted: brl ? { brl } : { crypto: crypto as string } };
}

/** Quote: what an order would cost, and prices that are kept: `Query.quote`, `Mutation.createQuote`. */

import { assert } from '../base/assert.ts';
import { BRL, currencyOfLedger } from '../base/currency.ts';
import { trimDecimal } from '../base/money.ts';
import { checksOf } from '../resolvers/check-creation.ts';
import type { Named } from '../resolvers/check-filter.ts';
import type { PriceRequest } from '../resolvers/price.ts';
import { createQuote, QUOTE_LIFE_MS, readQuote } from '../resolvers/quotes.ts';
import type { QuoteRow } from '../store/quotes.ts';
import type { Family } from '../templates/define.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { DESCRIPTIONS } from './creation.ts';
import type { CurrencyRefs } from './currency.ts';
import { isoOf } from './moment.ts';
import { namedMembers, pathsOf } from './named.ts';
import { KEY_ARGUMENT, keepOnce } from './once.ts';
import type { TemplateRef } from './template.ts';

const NAMES = pathsOf('input', ['template', 'brlAmount', 'cryptoAmount']);
/** Which way each family converts; what has none has no price. */
const DIRECTIONS: Readonly<Partial<Record<Family, PriceRequest['direction']>>> = {
  checkouts: 'in',
  onramps: 'in',
  offramps: 'out',
};

/** Defines `Quote`, `Query.quote` and `Mutation.createQuote`. */
export function defineQuote(builder: Builder, template: TemplateRef, currencies: CurrencyRefs): void {
  const quote = defineType(builder, template, currencies);
  const input = builder.inputType('QuoteInput', {
    description: 'An order by one of its amounts.',
    fields: (t) => ({
      template: t.field({
        type: template,
        required: true,
        description: 'What the order is to be. It says which way is converted, and by which settings.',
      }),
      currency: t.string({ required: true, description: `The crypto. ${DESCRIPTIONS.currency}` }),
      brlAmount: t.field({ type: 'Decimal', description: 'BRL that is paid in, or out to the payee.' }),
      cryptoAmount: t.field({
        type: 'Decimal',
        description: 'Crypto that is received or paid; instead of `brlAmount`.',
      }),
    }),
  });
  builder.queryField('quote', (t) =>
    t.field({
      type: quote,
      description: 'What an order would cost now; nothing is promised. Needs the scope `read`.',
      args: { input: t.arg({ type: input, required: true }) },
      resolve: (_root, args, context) => readQuote(context, requestOf(context, args.input)),
    }),
  );
  builder.mutationField('createQuote', (t) =>
    t.field({
      type: quote,
      description: `Prices an order and keeps the price for ${QUOTE_LIFE_MS / 60_000} minutes, to be used once. Needs the scope \`create\`.`,
      args: { input: t.arg({ type: input, required: true }), idempotencyKey: t.arg.string(KEY_ARGUMENT) },
      resolve: async (_root, args, context) => {
        const keyed = { mutation: 'createQuote', scope: 'create', args } as const;
        const { kept } = await keepOnce(context, keyed, () =>
          createQuote(context, requestOf(context, args.input)),
        );
        return kept;
      },
    }),
  );
}

function defineType(builder: Builder, template: TemplateRef, { currency }: CurrencyRefs) {
  return builder.objectRef<QuoteRow>('Quote').implement({
    description: 'The price of an order (C-21).',
    fields: (t) => {
      const decimal = (name: DecimalName, description: string) =>
        t.field({ type: 'Decimal', description, resolve: (row) => trimDecimal(row[name]) });
      return {
        id: t.string({
          nullable: true,
          description: 'To be given as `quoteId`; null where nothing was promised.',
          resolve: ({ id }) => id || null,
        }),
        template: t.field({ type: template, resolve: (row) => row.template }),
        currency: t.field({ type: currency, resolve: (row) => currencyOfLedger(row.currency) }),
        rate: decimal('quote', 'BRL for one unit of crypto, with the spread.'),
        refQuote: decimal('refQuote', 'Mid-market reference rate.'),
        brlAmount: decimal('brlAmount', 'BRL that is paid in, or out to the payee.'),
        cryptoAmount: decimal('cryptoAmount', 'Crypto that is received or paid.'),
        fees: decimal('fees', 'Total fees, BRL.'),
        networkFee: decimal(
          'networkFee',
          'What the network takes besides, in the crypto; 0 where nothing is delivered.',
        ),
        createdAt: t.field({ type: 'DateTime', resolve: (row) => isoOf(row.createdAt) }),
        expiresAt: t.field({
          type: 'DateTime',
          nullable: true,
          description: 'Until when it can be used; null where nothing was promised.',
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
  readonly brlAmount?: string | null | undefined;
  readonly cryptoAmount?: string | null | undefined;
}

function requestOf(
  context: GraphqlContext,
  { template: name, ...rest }: QuoteInput,
): Omit<PriceRequest, 'accountId'> {
  const given = namedMembers<{ currency: Named; brlAmount?: Named; cryptoAmount?: Named }>('input', {
    ...rest,
  });
  const checks = checksOf(context);
  const template = context.registry.find(name);
  const direction = template && DIRECTIONS[template.family];
  if (!direction) checks.add({ parameter: NAMES.template, message: 'must be one that converts' });
  const currency = checks.oneCurrency(given.currency, { crypto: true });
  checks.oneOf(given.brlAmount, given.cryptoAmount, [NAMES.brlAmount, NAMES.cryptoAmount], true);
  const brl = checks.amount(given.brlAmount, BRL);
  const crypto = checks.amount(given.cryptoAmount, currency);
  checks.refuse();
  assert(template && direction && currency, 'what is required and was not refused is there');
  return { template, direction, currency, wanted: brl ? { brl } : { crypto: crypto as string } };
}

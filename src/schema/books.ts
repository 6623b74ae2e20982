/** The mutation of the operator's books that settles receivables. */
import { ACTIONS } from '../base/access/actions.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { contextOnAccount } from '../resolvers/checks/context-on-account.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import { BOOKED_MAX, type Booking, settleReceivable } from '../resolvers/ledger/book-house.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';

/** Defines `Booking` and `Mutation.settleReceivable`. */
export function defineBooks(builder: Builder): void {
  defineReceivable(builder, defineBooking(builder));
}

type BookingRef = ReturnType<typeof defineBooking>;

function defineBooking(builder: Builder) {
  return builder.objectRef<Booking>('Booking').implement({
    description: 'A journal that the operator booked.',
    fields: (t) => ({
      journalId: t.exposeString('journalId', { description: 'Id of the journal, within its account.' }),
      currency: t.exposeString('currency', { description: 'Raw code of the currency, `USDT_TRX`.' }),
      amount: t.field({
        type: 'Decimal',
        description: 'Amount that was booked.',
        resolve: (row) => row.amount,
      }),
    }),
  });
}

function defineReceivable(builder: Builder, booking: BookingRef): void {
  const source = builder.enumType('ReceivableSource', {
    description: 'Source that settles a receivable.',
    values: {
      BALANCE: { value: 'balance', description: 'The available balance of the account.' },
      CAPITAL: { value: 'capital', description: 'Capital of the house: it bears the loss.' },
    } as const,
  });
  defineMutation(builder, 'settleReceivable', {
    result: ['booking', booking],
    description: `Settles what an account owes the house after a lost dispute or a dropped deposit, or a part of it. Error \`LIMIT_EXCEEDED\` beyond what is owed; \`INSUFFICIENT_BALANCE\`. Needs the scope \`${ACTIONS['receivable.settle'].scope}\`.`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      currency: t.string({ required: true, description: DESCRIPTIONS.currency }),
      amount: t.field({
        type: 'Decimal',
        required: true,
        description: `Amount to settle, above 0, at most ${inProse(Number(BOOKED_MAX))}.`,
      }),
      source: t.field({ type: source, required: true, description: 'Source of the settlement.' }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const own = await contextOnAccount(context, 'receivable.settle', args.account);
      const keyed = { mutation: 'settleReceivable', action: 'receivable.settle', args } as const;
      const input = {
        currency: { name: 'input.currency', value: args.currency },
        amount: { name: 'input.amount', value: args.amount },
      };
      const { stored } = await performOnce(own, keyed, (attempt) =>
        settleReceivable(own, input, args.source, attempt, checksOf(own)),
      );
      return stored;
    },
  });
}

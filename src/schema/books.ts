/** The mutations of the operator's books: receivables and capital. */
import { ACTS } from '../base/acts.ts';
import { actOnAccount } from '../resolvers/checks/act-on-account.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import { BOOKED_MAX, type Booking, bookCapital, settleReceivable } from '../resolvers/ledger/book-house.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { KEY_ARGUMENT, keepOnce } from './once.ts';

/** Defines `Booking`, `Mutation.settleReceivable` and `Mutation.bookCapital`. */
export function defineBooks(builder: Builder): void {
  const booking = defineBooking(builder);
  defineReceivable(builder, booking);
  defineCapital(builder, booking);
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

const amountOf = (args: { readonly currency: string; readonly amount: string }) => ({
  currency: { name: 'currency', value: args.currency },
  amount: { name: 'amount', value: args.amount },
});

function defineReceivable(builder: Builder, booking: BookingRef): void {
  const source = builder.enumType('ReceivableSource', {
    description: 'What settles a receivable.',
    values: {
      BALANCE: { value: 'balance', description: 'The available balance of the account.' },
      CAPITAL: { value: 'capital', description: 'Capital of the house: it bears the loss.' },
    } as const,
  });
  builder.mutationField('settleReceivable', (t) =>
    t.field({
      type: booking,
      description: `Settles what an account owes the house after a lost dispute or a dropped deposit, or a part of it. Error \`LIMIT_EXCEEDED\` beyond what is owed; \`INSUFFICIENT_BALANCE\`. Needs the scope \`${ACTS['receivable.settle'].scope}\`.`,
      args: {
        account: t.arg.string({ required: true, description: DESCRIPTIONS.actedOn }),
        currency: t.arg.string({ required: true, description: DESCRIPTIONS.currency }),
        amount: t.arg({
          type: 'Decimal',
          required: true,
          description: `How much to settle, above 0, at most ${inProse(Number(BOOKED_MAX))}.`,
        }),
        source: t.arg({ type: source, required: true, description: 'What settles it.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (_root, args, context) => {
        const own = await actOnAccount(context, 'receivable.settle', args.account);
        const keyed = { mutation: 'settleReceivable', act: 'receivable.settle', args } as const;
        const { kept } = await keepOnce(own, keyed, (attempt) =>
          settleReceivable(own, amountOf(args), args.source, attempt, checksOf(own)),
        );
        return kept;
      },
    }),
  );
}

function defineCapital(builder: Builder, booking: BookingRef): void {
  const direction = builder.enumType('CapitalDirection', {
    description: 'Whether capital comes or goes.',
    values: {
      IN: { value: 'in', description: 'The operator pays capital in.' },
      OUT: { value: 'out', description: 'The operator takes capital out.' },
    } as const,
  });
  builder.mutationField('bookCapital', (t) =>
    t.field({
      type: booking,
      description: `Books capital that the operator pays in or takes out: BRL at the settlement bank, coins in custody. It is booked on the account of the platform. Needs the scope \`${ACTS['capital.book'].scope}\`.`,
      args: {
        currency: t.arg.string({ required: true, description: DESCRIPTIONS.currency }),
        amount: t.arg({
          type: 'Decimal',
          required: true,
          description: `How much, above 0, at most ${inProse(Number(BOOKED_MAX))}.`,
        }),
        direction: t.arg({ type: direction, required: true, description: 'Whether it comes or goes.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (_root, args, context) => {
        const keyed = { mutation: 'bookCapital', act: 'capital.book', args } as const;
        const { kept } = await keepOnce(context, keyed, (attempt) =>
          bookCapital(context, amountOf(args), args.direction, attempt, checksOf(context)),
        );
        return kept;
      },
    }),
  );
}

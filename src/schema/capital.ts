/** `Mutation.bookCapital`: capital of the house, which two people book. */
import { ACTIONS } from '../base/access/actions.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import { bookCapital } from '../resolvers/ledger/book-capital.ts';
import { BOOKED_MAX } from '../resolvers/ledger/book-house.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { decideOnce, type JournalRef } from './manual-journal.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT } from './once.ts';

/** Defines `Mutation.bookCapital`. */
export function defineCapital(builder: Builder, journal: JournalRef): void {
  const direction = builder.enumType('CapitalDirection', {
    description: 'Whether capital comes or goes.',
    values: {
      IN: { value: 'in', description: 'The operator pays capital in.' },
      OUT: { value: 'out', description: 'The operator takes capital out.' },
    } as const,
  });
  defineMutation(builder, 'bookCapital', {
    result: ['manualJournal', journal],
    description: `Proposes capital that the operator pays in or takes out: BRL at the settlement bank, coins in custody. It is booked on the account of the platform when another person approves it with \`approveJournal\`. Needs the scope \`${ACTIONS['capital.book'].scope}\`.`,
    input: (t) => ({
      currency: t.string({ required: true, description: DESCRIPTIONS.currency }),
      amount: t.field({
        type: 'Decimal',
        required: true,
        description: `Amount, above 0, at most ${inProse(Number(BOOKED_MAX))}.`,
      }),
      direction: t.field({ type: direction, required: true, description: 'Whether it comes or goes.' }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) => {
      const input = {
        currency: { name: 'input.currency', value: args.currency },
        amount: { name: 'input.amount', value: args.amount },
      };
      const keyed = { mutation: 'bookCapital', action: 'capital.book', args } as const;
      return decideOnce(context, keyed, (attempt) =>
        bookCapital(context, input, args.direction, attempt, checksOf(context)),
      );
    },
  });
}

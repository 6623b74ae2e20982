/** The close of a day: `Query.bookCloses` and `Mutation.closeBooks`. */
import { ACTS } from '../base/access/acts.ts';
import { isoMillis } from '../base/time/instant.ts';
import { CLOSES_MAX, closeBooks, FIRST_CLOSE_DAYS, listBookCloses } from '../resolvers/ledger/close-books.ts';
import type { BookClose } from '../store/ledger/book-closes.ts';
import type { Builder } from './builder.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT, keepOnce } from './once.ts';

/** Defines `BookClose`, `Query.bookCloses` and `Mutation.closeBooks`. */
export function defineBookCloses(builder: Builder): void {
  const close = builder.objectRef<BookClose>('BookClose').implement({
    description:
      'A day whose books are closed: no journal can be added to it any more, for any account of your mode.',
    fields: (t) => ({
      day: t.field({
        type: 'Date',
        description: 'The day, in Brasília.',
        resolve: ({ day }) => day,
      }),
      closedAt: t.field({
        type: 'DateTime',
        description: 'When it was closed.',
        resolve: ({ closedAt }) => isoMillis(closedAt),
      }),
      closedBy: t.exposeString('closedBy', {
        description: 'Closer of the day, as the audit log names actors.',
      }),
      hash: t.exposeString('hash', {
        description:
          'SHA-256, hexadecimal, over the hash of the day before and all movements of the day. It is also in the audit log, and `crossramp verify` checks it.',
      }),
      ledgerAccounts: t.exposeInt('ledgerAccounts', {
        description: 'Number of ledger accounts that moved on the day.',
      }),
    }),
  });
  builder.queryField('bookCloses', (t) =>
    t.field({
      type: [close],
      description: 'Days that are closed, the newest first. Needs the scope `platform:books`.',
      args: {
        first: t.arg.int({ defaultValue: 31, description: `Number, 1 to ${CLOSES_MAX}.` }),
        before: t.arg.string({ description: 'Only days before this one, `YYYY-MM-DD`.' }),
      },
      complexity: ({ first }) => ({ field: 1, multiplier: Math.max(1, first ?? 31) }),
      resolve: (_root, { first, before }, context) =>
        listBookCloses(context, {
          first: { name: 'first', value: first ?? 31 },
          before: before == null ? undefined : { name: 'before', value: before },
        }),
    }),
  );
  defineMutation(builder, 'closeBooks', {
    result: ['bookClose', close],
    description: `Closes the books of a day: the day after the last closed day. The first close takes one of the last ${FIRST_CLOSE_DAYS} days, or any past day with \`begin\`. Error \`STEP_CONFLICT\` for another day. Money in suspense may stay there. Needs the scope \`${ACTS['books.close'].scope}\`.`,
    input: (t) => ({
      day: t.field({ type: 'Date', required: true, description: 'The day, in Brasília.' }),
      begin: t.boolean({
        description: `Whether closing starts with this day, even if it is more than ${FIRST_CLOSE_DAYS} days ago.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'closeBooks', act: 'books.close', args } as const;
      const { kept } = await keepOnce(context, keyed, (attempt) =>
        closeBooks(
          context,
          { name: 'input.day', value: args.day },
          { name: 'input.begin', value: args.begin ?? false },
          attempt,
        ),
      );
      return kept;
    },
  });
}

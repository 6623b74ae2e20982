/** The close of a day: `Query.bookCloses` and `Mutation.closeBooks`. */
import { ACTIONS } from '../base/access/actions.ts';
import { isoMillis } from '../base/time/instant.ts';
import { closeBooks, FIRST_CLOSE_DAYS, readCloses } from '../resolvers/ledger/close-books.ts';
import type { BookClose } from '../store/ledger/book-closes.ts';
import { actorNameField } from './actor-name.ts';
import type { Builder } from './builder.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

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
      closedByName: t.field(actorNameField<BookClose>(({ closedBy }) => closedBy)),
      hash: t.exposeString('hash', {
        description:
          'SHA-256, hexadecimal, over the hash of the previous day and all movements of the day. It is also in the audit log, and `crossramp verify` checks it.',
      }),
      ledgerAccounts: t.exposeInt('ledgerAccounts', {
        description: 'Number of ledger accounts that moved on the day.',
      }),
    }),
  });
  const connection = exactConnection(builder, close, {
    name: 'BookClose',
    page: 'A page of closed days.',
    edge: 'A closed day and its cursor.',
    total: 'Number of all closed days, not only of this page. Exact.',
  });
  builder.queryField('bookCloses', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: connection,
      description: 'Closed days, the newest first. Needs the scope `platform:books`.',
      args: countedArguments(t.arg),
      complexity: countedComplexity,
      resolve: async (_root, args, context) =>
        (await idConnection(args, (slice) => readCloses(context, slice))) as never,
    }),
  );
  defineMutation(builder, 'closeBooks', {
    result: ['bookClose', close],
    description: `Closes the books of a day: the day after the last closed day. The first close takes one of the last ${FIRST_CLOSE_DAYS} days, or any past day with \`begin\`. Error \`STEP_CONFLICT\` for another day. Money in suspense does not prevent it. Needs the scope \`${ACTIONS['books.close'].scope}\`.`,
    input: (t) => ({
      day: t.field({ type: 'Date', required: true, description: 'The day, in Brasília.' }),
      begin: t.boolean({
        description: `Whether the books begin with this day, even if it is more than ${FIRST_CLOSE_DAYS} days ago.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'closeBooks', action: 'books.close', args } as const;
      const { stored } = await performOnce(context, keyed, (attempt) =>
        closeBooks(
          context,
          { name: 'input.day', value: args.day },
          { name: 'input.begin', value: args.begin ?? false },
          attempt,
        ),
      );
      return stored;
    },
  });
}

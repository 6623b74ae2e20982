/** The journals behind a line of the books: `Query.bookEntries`. */
import { BOOK_ENTRIES_MAX, type BookEntry, bookEntries } from '../resolvers/ledger/read-book-entries.ts';
import type { Builder } from './builder.ts';
import { COUNT_POINTS } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';
import { periodArguments, periodOf } from './treasury.ts';

/** Defines the query and its type. */
export function defineBookEntries(builder: Builder): void {
  const entry = builder.objectRef<BookEntry>('BookEntry').implement({
    description: 'A line of a journal on a ledger account of the house.',
    fields: (t) => ({
      journalId: t.string({
        description: 'Id of the journal, within its account.',
        resolve: ({ journalId }) => String(journalId),
      }),
      account: t.string({
        description: 'Identifier of the account whose journal it is.',
        resolve: ({ accountId }) => String(accountId),
      }),
      end2end: t.exposeString('end2end', {
        nullable: true,
        description: 'Its transaction; null for a journal without one.',
      }),
      postedAt: t.expose('postedAt', { type: 'DateTime', description: 'When it was posted.' }),
      amount: t.expose('amount', {
        type: 'Decimal',
        description:
          'Its amount. Positive on the normal side of the class: debits for assets and expenses, credits for the others.',
      }),
    }),
  });
  builder.queryField('bookEntries', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [entry],
      description: `Journals behind a line of \`trialBalance\` or \`profitAndLoss\`, newest first: at most ${BOOK_ENTRIES_MAX}. Needs the scope \`platform:books\`.`,
      args: {
        ledgerAccount: t.arg.string({
          required: true,
          description: 'Name of the ledger account in the chart, such as `R.fee`.',
        }),
        currency: t.arg.string({ required: true, description: 'Raw code of the currency, `USDT_TRX`.' }),
        ...periodArguments(t.arg),
      },
      complexity: { field: COUNT_POINTS, multiplier: 5 },
      resolve: async (_root, { ledgerAccount, currency, ...args }, context) => [
        ...(await bookEntries(context, {
          ...periodOf(args),
          ledgerAccount: { name: 'ledgerAccount', value: ledgerAccount },
          currency: { name: 'currency', value: currency },
        })),
      ],
    }),
  );
}

/** `Query.search`: one field for any identifier. */
import { LONGEST_TEXT } from '../base/errors/violations.ts';
import { FOUND_MAX, search } from '../resolvers/account/search.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { SEARCH_MATCHES } from '../store/engine/search.ts';
import type { TransactionRow } from '../templates/facts.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { describedValues } from './described-values.ts';
import type { TransactionRef } from './transaction.ts';
import type { EntryRef } from './whitelist.ts';

const MATCHES = {
  end2end: 'Its id, `end2end`.',
  pix_e2e: 'PIX end-to-end id of the payment or payout.',
  txid: 'The txid of its PIX charge.',
  hash: 'Its on-chain hash.',
  external_code: 'Your own reference.',
  address: 'Its wallet, the address that the deposit came from, or the deposit address.',
  tax_id: 'CPF or CNPJ of the customer or payee.',
  name: 'The name of the customer or payee begins with the text.',
  destination: 'Address, PIX key or label of a destination of the whitelist.',
} as const satisfies Record<(typeof SEARCH_MATCHES)[number] | 'destination', string>;
type Match = keyof typeof MATCHES;

interface Hit {
  readonly match: Match;
  readonly transaction: TransactionRow | null;
  readonly destination: string | null;
}

/** Defines `Query.search`. */
export function defineSearch(
  builder: Builder,
  refs: { readonly transaction: TransactionRef; readonly entry: EntryRef },
): void {
  const match = builder.enumType('SearchMatch', {
    description: 'The part of a record that a search matched.',
    values: describedValues(MATCHES),
  });
  const hit = builder.objectRef<Hit>('SearchHit').implement({
    description: 'A record that was found.',
    fields: (t) => ({
      match: t.field({
        type: match,
        description: 'The part of the record that matched.',
        resolve: (row) => row.match,
      }),
      transaction: t.field({
        type: refs.transaction,
        nullable: true,
        description: 'The transaction; null for a destination of the whitelist.',
        resolve: (row) => row.transaction as never,
      }),
      whitelistEntry: t.prismaField({
        type: refs.entry,
        nullable: true,
        description: 'The destination of the whitelist; null for a transaction.',
        resolve: (query, { destination }, _args, { database, caller }) =>
          destination === null
            ? null
            : prismaOf(database).whitelistEntry.findUnique({
                ...query,
                where: { accountId_id: { accountId: caller.accountId, id: destination } },
              }),
      }),
    }),
  });
  builder.queryField('search', (t) =>
    t.field({
      type: [hit],
      description: `Finds transactions by end2end, PIX end-to-end id, txid, hash, your reference, address, CPF or CNPJ, or beginnings of words of a name (with or without accents), and destinations of the whitelist. Exact matches come first, then the newest; at most ${FOUND_MAX}.`,
      args: {
        text: t.arg.string({
          required: true,
          description: `Text to find, 1 to ${LONGEST_TEXT} characters.`,
        }),
      },
      resolve: (_root, { text }, context) => find(context, text),
    }),
  );
}

async function find(context: GraphqlContext, text: string): Promise<Hit[]> {
  const { transactions, destinations } = await search(context, { name: 'text', value: text });
  return [
    ...transactions.map(({ match, row }) => ({ match, transaction: row, destination: null })),
    ...destinations.map((id) => ({ match: 'destination' as const, transaction: null, destination: id })),
  ];
}

/** News of rails that an operator has to look at: `Query.railNews`. */
import { listNews } from '../resolvers/inbound/list-news.ts';
import { LISTED_NEWS_STATES, type ListedNews, type ListedNewsState } from '../store/engine/news-list.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './moment.ts';
import { exactConnection, idConnection, pageArguments, pageComplexity } from './pagination.ts';

/** Defines `RailNews` and `Query.railNews`. */
export function defineRailNews(builder: Builder): void {
  const state = builder.enumType('RailNewsState', {
    description: 'Why news of a rail is to be looked at.',
    values: describedValues(LISTED_NEWS_STATES),
  });
  const connection = exactConnection(builder, defineNews(builder, state), {
    name: 'RailNews',
    page: 'A page of the news of rails.',
    edge: 'News of a rail and its cursor.',
    total: 'Number of all news that matches, not only of this page. Exact.',
  });
  builder.queryField('railNews', (t) =>
    t.field({
      type: connection,
      description:
        'What rails told and what is to be looked at, newest first: what is not settled, and reports of fraud. Needs the scope `platform:rails` or `platform:risk`.',
      args: {
        state: t.arg({ type: state, description: 'Only news in this state; default: all.' }),
        ...pageArguments(t.arg),
      },
      complexity: pageComplexity,
      resolve: async (_root, { state: wanted, ...args }, context) =>
        (await idConnection(args, (slice) => listNews(context, wanted ?? null, slice))) as never,
    }),
  );
}

function defineNews(
  builder: Builder,
  state: ReturnType<typeof builder.enumType<'RailNewsState', Record<string, { value: ListedNewsState }>>>,
) {
  return builder.objectRef<ListedNews>('RailNews').implement({
    description: 'Something that a rail told.',
    fields: (t) => ({
      id: t.id({ description: 'Identifier of the news.', resolve: ({ id }) => String(id) }),
      rail: t.exposeString('rail', { description: 'Which rail told it: `pix`, or `chain` for a network.' }),
      kind: t.exposeString('kind', {
        description: 'What it is about, such as `payout_ended`; docs/ledger.md lists the kinds.',
      }),
      key: t.exposeString('key', { description: 'The rail’s own name for what happened.' }),
      state: t.field({ type: state, description: 'Why it is to be looked at.', resolve: (row) => row.state }),
      tries: t.int({
        description: 'How often it was tried and could not be settled.',
        resolve: ({ attempts }) => attempts,
      }),
      lastError: t.exposeString('lastError', {
        nullable: true,
        description: 'Why the last try failed; null where none did.',
      }),
      nextTryAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it is tried again; null when it is not.',
        resolve: ({ dueAt }) => dueAt && isoOf(dueAt),
      }),
      seenAt: t.field({
        type: 'DateTime',
        description: 'When the rail told it first.',
        resolve: ({ seenAt }) => isoOf(seenAt),
      }),
      account: t.string({
        nullable: true,
        description: 'Identifier of the account that it is for; null where that is not known.',
        resolve: ({ accountId }) => (accountId === null ? null : String(accountId)),
      }),
      end2end: t.exposeString('end2end', {
        nullable: true,
        description: 'Transaction that it is for; null where that is not known.',
      }),
      news: t.string({
        description: 'JSON text: what the rail told. With `platform:risk` the tax id of a payer is whole.',
        resolve: ({ body }) => JSON.stringify(body),
      }),
    }),
  });
}

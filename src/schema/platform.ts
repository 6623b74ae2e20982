/** What an operator sees over all accounts: who they are, and how the rails are doing. */
import { listHolders } from '../resolvers/account/list-holders.ts';
import { RAILS, type RailHealth, railHealth } from '../resolvers/inbound/rail-health.ts';
import type { AccountRow } from '../store/account/accounts.ts';
import { NEWS_LOOKED_THROUGH } from '../store/engine/rail-health.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './moment.ts';
import { exactConnection, idConnection, pageArguments, pageComplexity } from './pagination.ts';

/** Defines `Query.accounts` and `Query.railHealth`. */
export function definePlatform(builder: Builder): void {
  defineAccounts(builder);
  defineRailHealth(builder);
}

function defineAccounts(builder: Builder): void {
  const holder = builder.objectRef<AccountRow>('AccountHolder').implement({
    description: 'An account holder, as the operator sees it.',
    fields: (t) => ({
      accountId: t.string({ description: 'Identifier of the account.', resolve: ({ id }) => String(id) }),
      handle: t.exposeString('handle', {
        nullable: true,
        description: 'Short name by which commands find it; null where it has none.',
      }),
      name: t.exposeString('name', { description: 'Name of the account holder.' }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When the account was opened.',
        resolve: ({ createdAt }) => isoOf(createdAt),
      }),
    }),
  });
  const connection = exactConnection(builder, holder, {
    name: 'AccountHolder',
    page: 'A page of the account holders.',
    edge: 'An account holder and its cursor.',
    total: 'Number of all account holders of your mode. Exact.',
  });
  builder.queryField('accounts', (t) =>
    t.field({
      type: connection,
      description: 'The account holders of your mode, the newest first. Needs a scope of the platform.',
      args: pageArguments(t.arg),
      complexity: pageComplexity,
      resolve: async (_root, args, context) =>
        (await idConnection(args, (slice) => listHolders(context, slice))) as never,
    }),
  );
}

function defineRailHealth(builder: Builder): void {
  const rail = builder.enumType('Rail', {
    description: 'What the gateway works with outside of itself.',
    values: describedValues(RAILS),
  });
  const health = builder.objectRef<RailHealth>('RailHealth').implement({
    description: 'How a rail is doing.',
    fields: (t) => ({
      rail: t.field({ type: rail, description: 'Which rail.', resolve: (row) => row.rail }),
      lastNewsAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: `When it told something last; null when that is not among the newest ${NEWS_LOOKED_THROUGH} news of all rails. Only \`PIX\` and \`CHAIN\` tell news.`,
        resolve: ({ lastNewsAt }) => lastNewsAt && isoOf(lastNewsAt),
      }),
      unsettledNews: t.exposeInt('unsettledNews', {
        description: 'Its news that is not settled; `railNews` lists it.',
      }),
      pendingOrders: t.exposeInt('pendingOrders', { description: 'Orders that it should have got by now.' }),
      failingOrders: t.exposeInt('failingOrders', {
        description: 'Orders that failed and are tried again.',
      }),
    }),
  });
  builder.queryField('railHealth', (t) =>
    t.field({
      type: [health],
      complexity: 20,
      description: 'How the rails of your mode are doing. Needs a scope of the platform.',
      resolve: async (_root, _args, context) => [...(await railHealth(context))],
    }),
  );
}

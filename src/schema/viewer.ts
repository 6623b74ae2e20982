/** Viewer: the key that asks, and its account. */
import { requireScope } from '../resolvers/context.ts';
import type { Builder } from './builder.ts';

/** Defines `Query.viewer`, and gives the type of its account. */
export function defineViewer(builder: Builder): AccountRef {
  const apiKey = defineApiKey(builder);
  const account = defineAccount(builder);
  const viewer = builder.objectRef<object>('Viewer').implement({
    description: 'Who asks.',
    fields: (t) => ({
      account: t.prismaField({
        type: account,
        resolve: (query, _viewer, _args, { database, caller }) =>
          database.prisma.account.findUniqueOrThrow({ ...query, where: { id: caller.accountId } }),
      }),
      key: t.prismaField({
        type: apiKey,
        resolve: (query, _viewer, _args, { database, caller }) =>
          database.prisma.apiKey.findUniqueOrThrow({
            ...query,
            where: { accountId_id: { accountId: caller.accountId, id: caller.id } },
          }),
      }),
      keys: t.prismaField({
        type: [apiKey],
        description: 'All keys of the account, newest first; needs the scope `admin`.',
        resolve: (query, _viewer, _args, context) => {
          requireScope(context, 'admin');
          const { database, caller } = context;
          return database.prisma.apiKey.findMany({
            ...query,
            where: { accountId: caller.accountId },
            orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
          });
        },
      }),
    }),
  });
  builder.queryField('viewer', (t) =>
    t.field({
      type: viewer,
      resolve: (_root, _args, context) => {
        requireScope(context, 'read');
        return {};
      },
    }),
  );
  return account;
}

function defineApiKey(builder: Builder) {
  return builder.prismaObject('ApiKey', {
    description: 'An API key; its text is known to its holder only.',
    fields: (t) => ({
      keyId: t.exposeString('id'),
      name: t.exposeString('name'),
      hint: t.exposeString('hint', { description: 'The last four characters of the key.' }),
      mode: t.exposeString('mode', { description: '`test` or `live`.' }),
      scopes: t.exposeStringList('scopes'),
      allowedCidrs: t.exposeStringList('allowedCidrs', {
        description: 'Networks it may be used from; empty means any.',
      }),
      createdAt: t.field({ type: 'DateTime', resolve: (key) => key.createdAt.toISOString() }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        resolve: (key) => key.expiresAt?.toISOString() ?? null,
      }),
      revokedAt: t.field({
        type: 'DateTime',
        nullable: true,
        resolve: (key) => key.revokedAt?.toISOString() ?? null,
      }),
      lastUsedAt: t.field({
        type: 'DateTime',
        nullable: true,
        resolve: (key) => key.lastUsedAt?.toISOString() ?? null,
      }),
    }),
  });
}

function defineAccount(builder: Builder) {
  return builder.prismaObject('Account', {
    description: 'The account holder.',
    fields: (t) => ({
      accountId: t.string({ resolve: ({ id }) => String(id) }),
      name: t.exposeString('name'),
      createdAt: t.field({ type: 'DateTime', resolve: (row) => row.createdAt.toISOString() }),
    }),
  });
}

/** The type `Account`; the files of what is administered on it add its fields. */
export type AccountRef = ReturnType<typeof defineAccount>;

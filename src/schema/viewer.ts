/** Viewer: the key or the person that sends the request, and the account. */

import type { AccountMode } from '../base/access/account-mode.ts';
import { GatewayError } from '../base/errors/errors.ts';
import { requireScope } from '../resolvers/services/context.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { Builder } from './builder.ts';
import { nodeType, numberOf } from './node.ts';
import { describedWith } from './platform-only.ts';
import { KEY_LIST, readKeys } from './whole-lists.ts';

/** Defines `Query.viewer`, with its type and those of its account and its key. */
export function defineViewer(builder: Builder): {
  readonly viewer: ViewerRef;
  readonly account: AccountRef;
  readonly apiKey: ApiKeyRef;
} {
  const apiKey = defineApiKey(builder);
  const account = defineAccount(builder);
  const viewer = defineCaller(builder, account, apiKey);
  builder.queryField('viewer', (t) =>
    t.field({
      type: viewer,
      description: 'The caller: an API key or a person, and the account.',
      resolve: (_root, _args, context) => {
        requireScope(context, 'read');
        return {};
      },
    }),
  );
  return { viewer, account, apiKey };
}

/** The type `Viewer`; the file of people adds to it. */
export type ViewerRef = ReturnType<typeof defineCaller>;

function defineCaller(builder: Builder, account: AccountRef, apiKey: ApiKeyRef) {
  return builder.objectRef<object>('Viewer').implement({
    description: 'The caller: an API key or a person, and the account.',
    fields: (t) => ({
      account: t.prismaField({
        type: account,
        description: 'The account that the caller acts on.',
        resolve: (query, _viewer, _args, { database, caller }) =>
          prismaOf(database).account.findUniqueOrThrow({ ...query, where: { id: caller.accountId } }),
      }),
      key: t.prismaField({
        type: apiKey,
        description: 'The key of this request. Null for a person; read `person` then.',
        resolve: (query, _viewer, _args, { database, caller }) => {
          if (caller.person)
            throw new GatewayError(
              'FORBIDDEN',
              'you are signed in as a person and have no key: ask for `person`',
            );
          return prismaOf(database).apiKey.findUniqueOrThrow({
            ...query,
            where: { accountId_id: { accountId: caller.accountId, id: caller.id } },
          });
        },
      }),
      keys: t.prismaField({
        type: [apiKey],
        ...KEY_LIST,
        resolve: (query, _viewer, _args, context) => readKeys(context, query),
      }),
    }),
  });
}

/** The type `ApiKey`. */
export type ApiKeyRef = ReturnType<typeof defineApiKey>;

function defineApiKey(builder: Builder) {
  const node = nodeType<{ id: string }>(builder, 'ApiKey', {
    rawId: ({ id }) => id,
    read: (context, id) => {
      requireScope(context, 'admin');
      const { database, caller } = context;
      const where = { accountId_id: { accountId: caller.accountId, id } };
      return prismaOf(database).apiKey.findUnique({ where });
    },
  });
  return builder.prismaObject('ApiKey', {
    description: 'An API key. Its secret text is shown once, when it is issued.',
    interfaces: [node],
    fields: (t) => ({
      keyId: t.exposeString('id', { description: 'Identifier of the key; not its secret text.' }),
      name: t.exposeString('name', { description: 'Name that it was issued under.' }),
      hint: t.exposeString('hint', { description: 'The last four characters of its secret text.' }),
      mode: t.exposeString('mode', {
        description: '`test` or `live`: whether it may use the sandbox or real rails.',
      }),
      scopes: t.exposeStringList('scopes', {
        ...describedWith(
          'Its rights: `read`, `create`, `move`, `admin`.',
          'For keys of the operator also `platform:…`.',
        ),
      }),
      allowedCidrs: t.exposeStringList('allowedCidrs', {
        description: 'Networks that it may be used from, in CIDR form; empty: any.',
      }),
      madeBy: t.string({
        nullable: true,
        description: '`keyId` of the key, or id of the person, that created it; null: the operator did.',
        resolve: (key) => key.madeBy ?? key.madeByPerson,
      }),
      replaces: t.exposeString('replaces', {
        nullable: true,
        description: '`keyId` of the key that it replaced by rotation; null: none.',
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When it was issued.',
        resolve: (key) => key.createdAt.toISOString(),
      }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it stops working; null: never.',
        resolve: (key) => key.expiresAt?.toISOString() ?? null,
      }),
      revokedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was revoked; null: not revoked.',
        resolve: (key) => key.revokedAt?.toISOString() ?? null,
      }),
      lastUsedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was last used, to about a minute; null: never.',
        resolve: (key) => key.lastUsedAt?.toISOString() ?? null,
      }),
    }),
  });
}

function defineAccount(builder: Builder) {
  const mode = builder.enumType('AccountMode', {
    description: 'Whether an account moves play money or real money. It never changes.',
    values: {
      SANDBOX: { value: 'sandbox', description: 'Play money; its keys are test keys.' },
      LIVE: { value: 'live', description: 'Real money; its keys are live keys.' },
    },
  });
  const node = nodeType<{ id: bigint }>(builder, 'Account', {
    rawId: ({ id }) => String(id),
    read: async (context, rawId) => {
      requireScope(context, 'read');
      const { accountId: id } = context.caller;
      return numberOf(rawId) === id ? prismaOf(context.database).account.findUnique({ where: { id } }) : null;
    },
  });
  return builder.prismaObject('Account', {
    description: 'The account holder.',
    interfaces: [node],
    fields: (t) => ({
      accountId: t.string({ description: 'Identifier of the account.', resolve: ({ id }) => String(id) }),
      name: t.exposeString('name', { description: 'Name of the account holder.' }),
      mode: t.field({
        type: mode,
        description: 'Play money or real money.',
        resolve: (row) => row.mode as AccountMode,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When the account was opened.',
        resolve: (row) => row.createdAt.toISOString(),
      }),
      now: t.field({
        type: 'DateTime',
        description: 'The time on the clock of the account: of the machine, or of the sandbox clock.',
        resolve: async (_row, _args, { clock }) => new Date(await clock.nowMs()).toISOString(),
      }),
    }),
  });
}

/** The type `Account`; the files of its settings and records add their fields. */
export type AccountRef = ReturnType<typeof defineAccount>;

/** Whitelists: whom withdrawals may go to (C-22). */

import { PIX_KEY_TYPES } from '../base/pix-key.ts';
import { checksOf } from '../resolvers/check-creation.ts';
import {
  addWhitelistEntry,
  createWhitelistGroup,
  removeWhitelistEntry,
  type WhitelistEntryInput,
} from '../resolvers/manage-whitelist.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { isoOf } from './moment.ts';
import { namedMembers, pathsOf } from './named.ts';
import { KEY_ARGUMENT, keepOnce } from './once.ts';
import type { AccountRef } from './viewer.ts';

const NAMES = pathsOf('input', ['network', 'address', 'pixKeyType', 'pixKey']);

/** Defines `WhitelistGroup`, `WhitelistEntry`, `Account.whitelistGroups` and the mutations that change them. */
export function defineWhitelist(builder: Builder, account: AccountRef): void {
  const entry = defineEntry(builder);
  const group = defineGroup(builder, entry);
  builder.prismaObjectField(account, 'whitelistGroups', (t) =>
    t.relation('whitelistGroups', {
      type: group,
      description: 'Whom withdrawals may go to.',
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
    }),
  );
  defineCreateGroup(builder, group);
  defineAddEntry(builder, entry);
  defineRemoveEntry(builder, entry);
}

function defineGroup(builder: Builder, entry: EntryRef) {
  return builder.prismaObject('WhitelistGroup', {
    description: 'A group of destinations that withdrawals may go to.',
    fields: (t) => ({
      id: t.exposeString('id', { description: '`grp_…`.' }),
      name: t.exposeString('name'),
      createdAt: t.field({ type: 'DateTime', resolve: (row) => isoOf(row.createdAt) }),
      entries: t.relation('entries', {
        type: entry,
        description:
          'Its destinations, in the order in which they were added; without those that were removed.',
        query: { where: { removedAt: null }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
      }),
    }),
  });
}

type GroupRef = ReturnType<typeof defineGroup>;

function defineEntry(builder: Builder) {
  return builder.prismaObject('WhitelistEntry', {
    description: 'One destination: an address on a network, or a PIX key.',
    fields: (t) => ({
      id: t.exposeString('id', { description: '`wle_…`.' }),
      groupId: t.exposeString('groupId'),
      label: t.exposeString('label', { nullable: true }),
      network: t.exposeString('network', {
        nullable: true,
        description: 'Of an address; null for a PIX key.',
      }),
      pixKeyType: t.exposeString('pixKeyType', {
        nullable: true,
        description: 'Of a PIX key; null for an address.',
      }),
      target: t.exposeString('target', { description: 'The address or PIX key, in its canonical form.' }),
      createdAt: t.field({ type: 'DateTime', resolve: (row) => isoOf(row.createdAt) }),
      usableAt: t.field({
        type: 'DateTime',
        description: 'From when withdrawals may go there.',
        resolve: (row) => isoOf(row.usableAt),
      }),
      removedAt: t.field({
        type: 'DateTime',
        nullable: true,
        resolve: ({ removedAt }) => removedAt && isoOf(removedAt),
      }),
    }),
  });
}

type EntryRef = ReturnType<typeof defineEntry>;

function defineCreateGroup(builder: Builder, group: GroupRef): void {
  builder.mutationField('createWhitelistGroup', (t) =>
    t.prismaField({
      type: group,
      description: 'Makes a group without destinations. Needs the scope `move`.',
      args: {
        name: t.arg.string({ required: true, description: 'At most 200 characters.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (query, _root, args, context) => {
        const { database, caller } = context;
        const keyed = { mutation: 'createWhitelistGroup', scope: 'move', args } as const;
        const { kept } = await keepOnce(context, keyed, async () => ({
          id: await createWhitelistGroup(context, { name: 'name', value: args.name }, checksOf(context)),
        }));
        const where = { accountId_id: { accountId: caller.accountId, id: kept.id } };
        return database.prisma.whitelistGroup.findUniqueOrThrow({ ...query, where });
      },
    }),
  );
}

function defineAddEntry(builder: Builder, entry: EntryRef): void {
  const input = builder.inputType('WhitelistEntryInput', {
    description: 'An address on a network, or a PIX key.',
    fields: (t) => ({
      network: t.string({ description: 'Of the address, as in the codes of currencies: `TRX`, `ETH`.' }),
      address: t.string(),
      pixKeyType: t.string({ description: `One of ${PIX_KEY_TYPES.join(', ')}.` }),
      pixKey: t.string(),
      label: t.string({ description: 'Your own name for it, at most 200 characters.' }),
    }),
  });
  builder.mutationField('addWhitelistEntry', (t) =>
    t.prismaField({
      type: entry,
      description:
        'Adds a destination to a group; it is usable after the cooling time of the account. Needs the scope `move`.',
      args: {
        groupId: t.arg.string({ required: true }),
        input: t.arg({ type: input, required: true }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (query, _root, args, context) => {
        const given = namedMembers<WhitelistEntryInput>('input', args.input);
        const keyed = { mutation: 'addWhitelistEntry', scope: 'move', args } as const;
        const { kept } = await keepOnce(context, keyed, async () => ({
          id: await addWhitelistEntry(context, args.groupId, given, checksOf(context), NAMES),
        }));
        return readEntry(context, query, kept.id);
      },
    }),
  );
}

function defineRemoveEntry(builder: Builder, entry: EntryRef): void {
  builder.mutationField('removeWhitelistEntry', (t) =>
    t.prismaField({
      type: entry,
      description:
        'Takes a destination out of its group, at once; again is the same. Needs the scope `move`.',
      args: { id: t.arg.string({ required: true }) },
      resolve: async (query, _root, { id }, context) => {
        await removeWhitelistEntry(context, id);
        return readEntry(context, query, id);
      },
    }),
  );
}

function readEntry({ database, caller }: GraphqlContext, query: object, id: string) {
  const where = { accountId_id: { accountId: caller.accountId, id } };
  return database.prisma.whitelistEntry.findUniqueOrThrow({ ...query, where });
}

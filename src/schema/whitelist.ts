/** Whitelists: whom withdrawals may go to (C-22). */

import type { PixKeyType } from '../base/pix-key.ts';
import {
  addWhitelistEntry,
  createWhitelistGroup,
  type GivenProof,
  PROOF_LENGTHS,
  removeWhitelistEntry,
  WHITELIST_MAX,
  type WhitelistEntryInput,
  withdrawProof,
} from '../resolvers/account/manage-whitelist.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { bounded, inProse, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './moment.ts';
import { namedMembers, pathsOf } from './named.ts';
import { KEY_ARGUMENT, makeOnce } from './once.ts';
import type { PixKeyTypeRef } from './pix-key-type.ts';
import type { AccountRef } from './viewer.ts';

const NAMES = pathsOf('input', ['network', 'address', 'pixKeyType', 'pixKey']);

/** Defines `WhitelistGroup`, `WhitelistEntry`, `Account.whitelistGroups` and the mutations that change them. */
export function defineWhitelist(builder: Builder, account: AccountRef, pixKeyType: PixKeyTypeRef) {
  const entry = defineEntry(builder, pixKeyType);
  const group = defineGroup(builder, entry);
  builder.prismaObjectField(account, 'whitelistGroups', (t) =>
    t.relation('whitelistGroups', {
      type: group,
      description: `The whitelist groups: where withdrawals may go. At most ${WHITELIST_MAX.groups}.`,
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
      complexity: { field: 1, multiplier: 20 },
    }),
  );
  defineCreateGroup(builder, group);
  defineAddEntry(builder, entry, pixKeyType);
  defineRemoveEntry(builder, entry);
  defineWithdrawProof(builder, entry);
  return entry;
}

function defineGroup(builder: Builder, entry: EntryRef) {
  return builder.prismaObject('WhitelistGroup', {
    description: 'A group of destinations that withdrawals may go to (C-22).',
    fields: (t) => ({
      id: t.exposeString('id', { description: '`grp_…`.' }),
      name: t.exposeString('name', { description: 'Your own name for it.' }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When it was created.',
        resolve: (row) => isoOf(row.createdAt),
      }),
      entries: t.relation('entries', {
        type: entry,
        description: `Its destinations in the order in which they were added, without removed ones; at most ${inProse(WHITELIST_MAX.entries)} in all groups of an account.`,
        query: { where: { removedAt: null }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
        complexity: { field: 1, multiplier: 20 },
      }),
    }),
  });
}

type GroupRef = ReturnType<typeof defineGroup>;

function defineEntry(builder: Builder, pixKeyType: PixKeyTypeRef) {
  return builder.prismaObject('WhitelistEntry', {
    description: 'One destination: an address on a network, or a PIX key.',
    fields: (t) => ({
      id: t.exposeString('id', { description: '`wle_…`.' }),
      groupId: t.exposeString('groupId', { description: 'The group that it belongs to, `grp_…`.' }),
      label: t.exposeString('label', { nullable: true, description: 'Your own name for it.' }),
      network: t.exposeString('network', {
        nullable: true,
        description: 'Network of an address, such as `TRX`; null for a PIX key.',
      }),
      pixKeyType: t.field({
        type: pixKeyType,
        nullable: true,
        description: 'Type of a PIX key; null for an address.',
        resolve: (row) => row.pixKeyType as PixKeyType | null,
      }),
      target: t.exposeString('target', { description: 'The address or PIX key, in its canonical form.' }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When it was created.',
        resolve: (row) => isoOf(row.createdAt),
      }),
      usableAt: t.field({
        type: 'DateTime',
        description: 'Time from which withdrawals may go there: the end of the cooling time.',
        resolve: (row) => isoOf(row.usableAt),
      }),
      isProven: t.boolean({
        description: 'Whether there is a proof of the address for the signer of networks.',
        resolve: ({ proof }) => proof !== null,
      }),
      removedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was removed; null while it is in the group.',
        resolve: ({ removedAt }) => removedAt && isoOf(removedAt),
      }),
    }),
  });
}

/** The type `WhitelistEntry`. */
export type EntryRef = ReturnType<typeof defineEntry>;

function defineCreateGroup(builder: Builder, group: GroupRef): void {
  builder.mutationField('createWhitelistGroup', (t) =>
    t.prismaField({
      type: group,
      description: `Creates an empty whitelist group. An account can have at most ${WHITELIST_MAX.groups}. Needs the scope \`move\`.`,
      args: {
        name: t.arg.string({
          required: true,
          description: bounded('Your own name for it.', REFERENCE_LENGTH_MAX),
        }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (query, _root, args, context) => {
        const { database, caller } = context;
        const keyed = { mutation: 'createWhitelistGroup', act: 'whitelist.create_group', args } as const;
        const name = { name: 'name', value: args.name };
        const id = await makeOnce(context, keyed, (attempt) =>
          createWhitelistGroup(context, name, checksOf(context), attempt),
        );
        const where = { accountId_id: { accountId: caller.accountId, id } };
        return database.prisma.whitelistGroup.findUniqueOrThrow({ ...query, where });
      },
    }),
  );
}

function defineAddEntry(builder: Builder, entry: EntryRef, pixKeyType: PixKeyTypeRef): void {
  const proof = builder.inputType('WhitelistProofInput', {
    description:
      'Proof that a person chose an address, made outside of the gateway, where networks are real: a signature of its statement (docs/signer.md).',
    fields: (t) => ({
      id: t.string({
        required: true,
        description: bounded(
          'Id of the passkey, or name of the key, as the signer knows it.',
          PROOF_LENGTHS.id,
        ),
      }),
      signature: t.string({
        required: true,
        description: bounded('The signature, base64url.', PROOF_LENGTHS.text),
      }),
      authenticatorData: t.string({
        description: bounded('For a passkey: `authenticatorData`, base64url.', PROOF_LENGTHS.text),
      }),
      clientDataJSON: t.string({
        description: bounded('For a passkey: `clientDataJSON`, base64url.', PROOF_LENGTHS.text),
      }),
    }),
  });
  const input = builder.inputType('WhitelistEntryInput', {
    description: 'A destination: `network` and `address`, or `pixKeyType` and `pixKey`.',
    fields: (t) => ({
      network: t.string({ description: 'Network of the address, as in currency codes: `TRX`, `ETH`.' }),
      address: t.string({ description: 'Address on the network; its checksum is checked where it has one.' }),
      pixKeyType: t.field({ type: pixKeyType, description: DESCRIPTIONS.pixKeyType }),
      pixKey: t.string({ description: 'PIX key, in the form that its type asks for.' }),
      label: t.string({ description: bounded('Your own name for it.', REFERENCE_LENGTH_MAX) }),
      proof: t.field({ type: proof, description: 'Proof of the address, if the signer requires one.' }),
    }),
  });
  builder.mutationField('addWhitelistEntry', (t) =>
    t.prismaField({
      type: entry,
      description: `Adds a destination to a group. Withdrawals may use it after the cooling time of the account, which can have at most ${inProse(WHITELIST_MAX.entries)} destinations. Needs the scope \`move\`.`,
      args: {
        groupId: t.arg.string({ required: true, description: 'The group, `grp_…`.' }),
        input: t.arg({ type: input, required: true, description: 'The destination.' }),
        idempotencyKey: t.arg.string(KEY_ARGUMENT),
      },
      resolve: async (query, _root, args, context) => {
        const { proof: shown, ...members } = args.input;
        const given = namedMembers<WhitelistEntryInput>('input', members);
        const proven: GivenProof | undefined = shown ? { ...shown, name: 'input.proof' } : undefined;
        const keyed = { mutation: 'addWhitelistEntry', act: 'whitelist.add_entry', args } as const;
        const id = await makeOnce(context, keyed, (attempt) =>
          addWhitelistEntry(context, args.groupId, given, checksOf(context), {
            names: NAMES,
            proof: proven,
            attempt,
          }),
        );
        return readEntry(context, query, id);
      },
    }),
  );
}

function defineRemoveEntry(builder: Builder, entry: EntryRef): void {
  builder.mutationField('removeWhitelistEntry', (t) =>
    t.prismaField({
      type: entry,
      description:
        'Removes a destination from its group, at once. Repeating it changes nothing. Needs the scope `move`.',
      args: { id: t.arg.string({ required: true, description: 'The entry, `wle_…`.' }) },
      resolve: async (query, _root, { id }, context) => {
        await removeWhitelistEntry(context, id);
        return readEntry(context, query, id);
      },
    }),
  );
}

function defineWithdrawProof(builder: Builder, entry: EntryRef): void {
  builder.mutationField('withdrawWhitelistProof', (t) =>
    t.prismaField({
      type: entry,
      description:
        'Withdraws the proof of an address, at once, for this entry and for every other one with the same address. The signer refuses withdrawals there that are ordered later, until it is proven again. Repeating it changes nothing. Needs the scope `move`.',
      args: { id: t.arg.string({ required: true, description: 'The entry, `wle_…`.' }) },
      resolve: async (query, _root, { id }, context) => {
        await withdrawProof(context, id);
        return readEntry(context, query, id);
      },
    }),
  );
}

function readEntry({ database, caller }: GraphqlContext, query: object, id: string) {
  const where = { accountId_id: { accountId: caller.accountId, id } };
  return database.prisma.whitelistEntry.findUniqueOrThrow({ ...query, where });
}

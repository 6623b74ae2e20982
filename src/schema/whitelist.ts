/** Whitelists: destinations of withdrawals (C-22). */

import type { PixKeyType } from '../base/pix/pix-key.ts';
import type { WhitelistProof } from '../chains/whitelist-proof.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { bounded, inProse, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import { requireScope } from '../resolvers/services/context.ts';
import {
  addProof,
  addWhitelistEntry,
  createWhitelistGroup,
  type NamedProof,
  PROOF_LENGTHS,
  removeWhitelistEntry,
  WHITELIST_MAX,
  type WhitelistEntryInput,
  withdrawProof,
} from '../resolvers/settings/manage-whitelist.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { namedMembers, pathsOf } from './named.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, makeOnce } from './once.ts';
import type { PixKeyTypeRef } from './pix-key-type.ts';
import type { AccountRef } from './viewer.ts';

const NAMES = {
  ...pathsOf('input.target.wallet', ['network', 'address']),
  pixKeyType: 'input.target.pixKey.type',
  pixKey: 'input.target.pixKey.key',
};

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
  const proof = defineProofInput(builder);
  defineAddEntry(builder, entry, defineTargetInput(builder, pixKeyType), proof);
  defineRemoveEntry(builder, entry);
  defineAddProof(builder, entry, proof);
  defineWithdrawProof(builder, entry);
  return entry;
}

function defineGroup(builder: Builder, entry: EntryRef) {
  const node = nodeType<{ id: string }>(builder, 'WhitelistGroup', {
    rawId: ({ id }) => id,
    read: async (context, id) => {
      requireScope(context, 'read');
      const where = { accountId_id: { accountId: context.caller.accountId, id } };
      return prismaOf(context.database).whitelistGroup.findUnique({ where });
    },
  });
  return builder.prismaObject('WhitelistGroup', {
    interfaces: [node],
    description: 'A group of destinations that withdrawals may go to (C-22).',
    fields: (t) => ({
      groupId: t.exposeString('id', { description: 'Identifier of the group, `grp_…`.' }),
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
  const node = nodeType<{ id: string }>(builder, 'WhitelistEntry', {
    rawId: ({ id }) => id,
    read: async (context, id) => {
      requireScope(context, 'read');
      const where = { accountId_id: { accountId: context.caller.accountId, id } };
      return prismaOf(context.database).whitelistEntry.findUnique({ where });
    },
  });
  return builder.prismaObject('WhitelistEntry', {
    interfaces: [node],
    description: 'One destination: an address on a network, or a PIX key.',
    fields: (t) => ({
      entryId: t.exposeString('id', { description: 'Identifier of the entry, `wle_…`.' }),
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
        description:
          'Whether there is a proof of the address for the signer of networks; it may have expired (`provenUntil`).',
        resolve: ({ proof }) => proof !== null,
      }),
      provenUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When the proof of the address expires; null: it has none.',
        resolve: ({ proof }) => (proof as WhitelistProof | null)?.expiresAt ?? null,
      }),
      proveUrl: t.string({
        nullable: true,
        description:
          'Page of the signer on which a person proves the address; null for a PIX key, and where the signer has no page.',
        resolve: ({ id, accountId, network, target }, _args, { rails }) =>
          rails.signerPage === undefined || network === null
            ? null
            : `${rails.signerPage}/prove?${new URLSearchParams({ account: String(accountId), network, address: target, entry: id })}`,
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
  defineMutation(builder, 'createWhitelistGroup', {
    result: ['whitelistGroup', group],
    description: `Creates an empty whitelist group. An account can have at most ${WHITELIST_MAX.groups}. Needs the scope \`move\`.`,
    input: (t) => ({
      name: t.string({
        required: true,
        description: bounded('Your own name for it.', REFERENCE_LENGTH_MAX),
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context, query) => {
      const { database, caller } = context;
      const keyed = { mutation: 'createWhitelistGroup', action: 'whitelist.create_group', args } as const;
      const name = { name: 'input.name', value: args.name };
      const id = await makeOnce(context, keyed, (attempt) =>
        createWhitelistGroup(context, name, checksOf(context), attempt),
      );
      const where = { accountId_id: { accountId: caller.accountId, id } };
      return prismaOf(database).whitelistGroup.findUniqueOrThrow({ ...query(), where });
    },
  });
}

function defineProofInput(builder: Builder) {
  return builder.inputType('WhitelistProofInput', {
    description:
      'Proof that a person chose an address, made outside of the gateway: on the page of the signer by a passkey, or by a key (docs/signer.md).',
    fields: (t) => ({
      id: t.string({
        required: true,
        description: bounded(
          'Id of the proof as the page of the signer shows it, or name of the key in the policy of the signer.',
          PROOF_LENGTHS.id,
        ),
      }),
      expiresAt: t.field({
        type: 'DateTime',
        required: true,
        description: 'When it expires, as the page of the signer shows it, or as the key has signed it.',
      }),
      signature: t.string({
        description: bounded('Signature of the statement by the key, base64url.', PROOF_LENGTHS.text),
      }),
    }),
  });
}

type ProofInputRef = ReturnType<typeof defineProofInput>;

function defineTargetInput(builder: Builder, pixKeyType: PixKeyTypeRef) {
  const wallet = builder.inputType('WalletTargetInput', {
    description: 'An address on a network.',
    fields: (t) => ({
      network: t.string({
        required: true,
        description: 'Network of the address, as in currency codes: `TRX`, `ETH`.',
      }),
      address: t.string({
        required: true,
        description: 'Address on the network; its checksum is checked where it has one.',
      }),
    }),
  });
  const pixKey = builder.inputType('PixKeyTargetInput', {
    description: 'A PIX key.',
    fields: (t) => ({
      type: t.field({ type: pixKeyType, required: true, description: 'Type of the key.' }),
      key: t.string({ required: true, description: 'The key, in the form of its type.' }),
    }),
  });
  return builder.inputType('WhitelistTargetInput', {
    isOneOf: true,
    description: 'Destination of withdrawals: an address, or a PIX key.',
    fields: (t) => ({
      wallet: t.field({ type: wallet, description: 'An address on a network.' }),
      pixKey: t.field({ type: pixKey, description: 'A PIX key.' }),
    }),
  });
}

type TargetInputRef = ReturnType<typeof defineTargetInput>;

function defineAddEntry(
  builder: Builder,
  entry: EntryRef,
  target: TargetInputRef,
  proof: ProofInputRef,
): void {
  defineMutation(builder, 'addWhitelistEntry', {
    result: ['whitelistEntry', entry],
    description: `Adds a destination to a group. Withdrawals may use it after the cooling time of the account, which can have at most ${inProse(WHITELIST_MAX.entries)} destinations. Needs the scope \`move\`.`,
    input: (t) => ({
      groupId: t.string({ required: true, description: 'The group, `grp_…`.' }),
      target: t.field({ type: target, required: true, description: 'The destination.' }),
      label: t.string({ description: bounded('Your own name for it.', REFERENCE_LENGTH_MAX) }),
      proof: t.field({ type: proof, description: 'Proof of the address, if the signer requires one.' }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context, query) => {
      const { groupId, proof: shown, target: to, label } = args;
      const input = {
        ...namedMembers<WhitelistEntryInput>('input', { label }),
        ...namedMembers<WhitelistEntryInput>('input.target.wallet', to.wallet),
        ...(to.pixKey && {
          pixKeyType: { name: NAMES.pixKeyType, value: to.pixKey.type },
          pixKey: { name: NAMES.pixKey, value: to.pixKey.key },
        }),
      };
      const proven = shown ? proofInput('input.proof', shown) : undefined;
      const keyed = { mutation: 'addWhitelistEntry', action: 'whitelist.add_entry', args } as const;
      const id = await makeOnce(context, keyed, (attempt) =>
        addWhitelistEntry(context, groupId, input, checksOf(context), {
          names: NAMES,
          proof: proven,
          attempt,
        }),
      );
      return readEntry(context, query(), id);
    },
  });
}

function defineRemoveEntry(builder: Builder, entry: EntryRef): void {
  defineMutation(builder, 'removeWhitelistEntry', {
    result: ['whitelistEntry', entry],
    description:
      'Removes a destination from its group, at once. Repeating it changes nothing. Needs the scope `move`.',
    input: (t) => ({ entryId: t.string({ required: true, description: 'The entry, `wle_…`.' }) }),
    resolve: async ({ entryId: id }, context, query) => {
      await removeWhitelistEntry(context, id);
      return readEntry(context, query(), id);
    },
  });
}

/** @param name - name of the member with the proof. */
function proofInput(
  name: string,
  proof: { id: string; expiresAt: Date; signature?: string | null | undefined },
): NamedProof {
  return { ...proof, name };
}

function defineAddProof(builder: Builder, entry: EntryRef, proof: ProofInputRef): void {
  defineMutation(builder, 'addWhitelistProof', {
    result: ['whitelistEntry', entry],
    description:
      'Stores the proof of an address with its entry, replacing an earlier one: it goes to the signer with each withdrawal there. Needs the scope `move`.',
    input: (t) => ({
      entryId: t.string({ required: true, description: 'The entry, `wle_…`.' }),
      proof: t.field({ type: proof, required: true, description: 'The proof.' }),
    }),
    resolve: async (args, context, query) => {
      await addProof(context, args.entryId, proofInput('proof', args.proof), checksOf(context));
      return readEntry(context, query(), args.entryId);
    },
  });
}

function defineWithdrawProof(builder: Builder, entry: EntryRef): void {
  defineMutation(builder, 'withdrawWhitelistProof', {
    result: ['whitelistEntry', entry],
    description:
      'Withdraws the proof of an address, at once, for this entry and for every other one with the same address. The signer refuses later withdrawals there until the address is proven again. Repeating it changes nothing. Needs the scope `move`.',
    input: (t) => ({ entryId: t.string({ required: true, description: 'The entry, `wle_…`.' }) }),
    resolve: async ({ entryId: id }, context, query) => {
      await withdrawProof(context, id);
      return readEntry(context, query(), id);
    },
  });
}

function readEntry({ database, caller }: GraphqlContext, query: object, id: string) {
  const where = { accountId_id: { accountId: caller.accountId, id } };
  return prismaOf(database).whitelistEntry.findUniqueOrThrow({ ...query, where });
}

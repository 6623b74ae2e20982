/** The whitelist in `/v2`: groups of destinations for withdrawals (C-22). */
import { PIX_KEY_TYPES } from '../base/pix/pix-key.ts';
import { parseInstant } from '../base/time/instant.ts';
import type { CreationChecks } from '../resolvers/checks/check-creation.ts';
import { inProse, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Context } from '../resolvers/services/context.ts';
import {
  addProof,
  addWhitelistEntry,
  createWhitelistGroup,
  type NamedProof,
  PROOF_LENGTHS,
  removeWhitelistEntry,
  WHITELIST_MAX,
  withdrawProof,
} from '../resolvers/settings/manage-whitelist.ts';
import {
  type GroupWithEntries,
  listWhitelistGroups,
  readWhitelistEntry,
  readWhitelistGroup,
} from '../resolvers/settings/read-whitelist.ts';
import type { EntryRecord } from '../store/account/whitelist.ts';
import type { Body, BodyShape } from './input.ts';
import { text } from './members.ts';
import { listSchema, oneSchema, type RecordRead, type RecordWrite } from './record-route.ts';
import { membersOf, type RecordShape, recordJson } from './record-shape.ts';

const entry = membersOf<EntryRecord>();
const group = membersOf<GroupWithEntries>();

/** Destinations. */
export const WHITELIST_ENTRY: RecordShape<EntryRecord> = {
  name: 'WhitelistEntry',
  members: {
    id: entry.text('Identifier, `wle_…`.', ({ id }) => id),
    group_id: entry.text('Group that it belongs to, `grp_…`.', ({ groupId }) => groupId),
    label: entry.textOrNull('Your own name for it.', ({ label }) => label),
    network: entry.textOrNull('Network of an address; null for a PIX key.', ({ network }) => network),
    pix_key_type: entry.textOrNull('Type of a PIX key; null for an address.', ({ pixKeyType }) => pixKeyType),
    target: entry.text('Address or PIX key, in its canonical form.', ({ target }) => target),
    created_at: entry.time('When it was created.', ({ createdAt }) => createdAt),
    usable_at: entry.time(
      'Time from which withdrawals may go there: the end of the cooling time.',
      ({ usableAt }) => usableAt,
    ),
    is_proven: entry.flag(
      'Whether there is a proof of the address for the signer; it may have expired.',
      ({ isProven }) => isProven,
    ),
    proven_until: entry.textOrNull('When the proof expires.', ({ provenUntil }) => provenUntil, {
      format: 'date-time',
    }),
    removed_at: entry.timeOrNull('When it was removed.', ({ removedAt }) => removedAt),
  },
};

/** Groups with their destinations. */
export const WHITELIST_GROUP: RecordShape<GroupWithEntries> = {
  name: 'WhitelistGroup',
  members: {
    id: group.text('Identifier, `grp_…`.', ({ id }) => id),
    name: group.text('Your own name for it.', ({ name }) => name),
    created_at: group.time('When it was created.', ({ createdAt }) => createdAt),
    entries: group.records(
      'Its destinations, oldest first, without removed ones.',
      WHITELIST_ENTRY,
      ({ entries }) => entries,
    ),
  },
};

const TAG = 'whitelist';
const ENTRY_ID = 'The destination, `wle_…`.';
const DESTINATION_NAMES = {
  network: 'network',
  address: 'address',
  pixKeyType: 'pix_key_type',
  pixKey: 'pix_key',
} as const;
const PROOF: BodyShape = {
  proof_id: text('Id of the proof as the page of the signer shows it, or name of the key that signed it.', {
    maxLength: PROOF_LENGTHS.id,
    example: 'proof-1',
  }),
  proof_expires_at: text(
    'When it expires, as the page of the signer shows it, or as the key has signed it.',
    {
      format: 'date-time',
      example: '2036-01-31T12:00:00Z',
    },
  ),
  proof_signature: text('Signature of the statement by the key, base64url.', {
    maxLength: PROOF_LENGTHS.text,
  }),
};

/** @returns the proof of a body; undefined without one. */
function proofOf(body: Body, checks: CreationChecks, isRequired: boolean): NamedProof | undefined {
  const [id, end, signature] = [
    body.get('proof_id'),
    body.get('proof_expires_at'),
    body.get('proof_signature'),
  ];
  if (!id && !end && !signature && !isRequired) return undefined;
  checks.required(id, 'proof_id');
  checks.required(end, 'proof_expires_at');
  const expiresAt = end && parseInstant(end.value);
  if (end && !expiresAt)
    checks.add({ parameter: end.name, message: 'must be a time such as 2027-01-31T12:00:00Z' });
  if (!id || !expiresAt) return undefined;
  const names = { id: 'proof_id', signature: 'proof_signature' };
  return { name: 'proof_id', names, id: id.value, expiresAt, signature: signature?.value };
}

async function oneEntry(context: Context, id: string) {
  return { answer: recordJson(WHITELIST_ENTRY, await readWhitelistEntry(context, id), context) };
}

async function oneGroup(context: Context, id: string) {
  return { answer: recordJson(WHITELIST_GROUP, await readWhitelistGroup(context, id), context) };
}

/** Routes for reading. */
export const WHITELIST_READS: readonly RecordRead[] = [
  {
    path: '/v2/whitelist_groups',
    ...{ tag: TAG, operation: 'list_whitelist_groups', schema: listSchema(WHITELIST_GROUP.name) },
    summary: 'Lists the whitelist groups with their destinations, oldest first',
    respond: async (context, _request, violations) => {
      violations.refuse();
      const rows = await listWhitelistGroups(context);
      return { results: rows.map((row) => recordJson(WHITELIST_GROUP, row, context)) };
    },
  },
  {
    path: '/v2/whitelist_group/{id}',
    ...{ tag: TAG, operation: 'get_whitelist_group', schema: oneSchema(WHITELIST_GROUP.name) },
    id: 'The group, `grp_…`.',
    summary: 'Reads a whitelist group with its destinations',
    respond: async (context, { id }, violations) => {
      violations.refuse();
      return (await oneGroup(context, id)).answer;
    },
  },
  {
    path: '/v2/whitelist_entry/{id}',
    ...{ tag: TAG, operation: 'get_whitelist_entry', schema: oneSchema(WHITELIST_ENTRY.name), id: ENTRY_ID },
    summary: 'Reads a destination of the whitelist',
    respond: async (context, { id }, violations) => {
      violations.refuse();
      return (await oneEntry(context, id)).answer;
    },
  },
];

function onEntry(
  name: string,
  action: RecordWrite['action'],
  operation: string,
  summary: string,
  perform: (context: Context, id: string) => Promise<void>,
): RecordWrite {
  return {
    path: `/v2/whitelist_entry/{id}/${name}`,
    ...{ tag: TAG, operation, schema: oneSchema(WHITELIST_ENTRY.name), id: ENTRY_ID, action, summary },
    perform: async (context, _attempt, { id, checks }) => {
      checks.refuse();
      await perform(context, id);
      return oneEntry(context, id);
    },
  };
}

/** Routes for writing. */
export const WHITELIST_WRITES: readonly RecordWrite[] = [
  {
    path: '/v2/whitelist_group',
    ...{ tag: TAG, operation: 'create_whitelist_group', schema: oneSchema(WHITELIST_GROUP.name) },
    action: 'whitelist.create_group',
    summary: `Creates an empty whitelist group. An account can have ${WHITELIST_MAX.groups}`,
    status: 201,
    shape: {
      name: text('Your own name for it.', {
        ...{ example: 'Treasury', minLength: 1, maxLength: REFERENCE_LENGTH_MAX },
      }),
    },
    needs: { all: ['name'] },
    perform: async (context, attempt, { body, checks }) => {
      const name = body.get('name') ?? { name: 'name', value: '' };
      return oneGroup(context, attempt.made ?? (await createWhitelistGroup(context, name, checks, attempt)));
    },
  },
  {
    path: '/v2/whitelist_entry',
    ...{ tag: TAG, operation: 'add_whitelist_entry', schema: oneSchema(WHITELIST_ENTRY.name) },
    action: 'whitelist.add_entry',
    summary: `Adds a destination to a group: \`network\` and \`address\`, or \`pix_key_type\` and \`pix_key\`. Withdrawals may use it after the cooling time. An account can have ${inProse(WHITELIST_MAX.entries)}`,
    status: 201,
    shape: {
      group_id: text('The group, `grp_…`.', { example: 'grp_3vE0qz8hQ1kXn2Lw' }),
      network: text('Network of the address, as in currency codes.', { example: 'TRX' }),
      address: text('Address on the network; its checksum is checked where it has one.', {
        example: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
      }),
      pix_key_type: text('Type of the PIX key.', { enum: PIX_KEY_TYPES }),
      pix_key: text('PIX key, in the form that its type asks for.'),
      label: text('Your own name for it.', { minLength: 1, maxLength: REFERENCE_LENGTH_MAX }),
      ...PROOF,
    },
    needs: { all: ['group_id'], oneOf: ['address', 'pix_key'], shown: ['network'] },
    perform: async (context, attempt, { body, checks }) => {
      const proof = proofOf(body, checks, false);
      const input = {
        network: body.get('network'),
        address: body.get('address'),
        pixKeyType: body.get('pix_key_type'),
        pixKey: body.get('pix_key'),
        label: body.get('label'),
      };
      const options = { names: DESTINATION_NAMES, proof, attempt };
      const groupId = body.get('group_id')?.value ?? '';
      const id = attempt.made ?? (await addWhitelistEntry(context, groupId, input, checks, options));
      return oneEntry(context, id);
    },
  },
  onEntry(
    'remove',
    'whitelist.remove_entry',
    'remove_whitelist_entry',
    'Removes a destination from its group at once',
    removeWhitelistEntry,
  ),
  {
    path: '/v2/whitelist_entry/{id}/prove',
    ...{ tag: TAG, operation: 'add_whitelist_proof', schema: oneSchema(WHITELIST_ENTRY.name), id: ENTRY_ID },
    action: 'whitelist.add_proof',
    summary:
      'Stores the proof of an address, in place of one that it had: it goes to the signer with each withdrawal there',
    shape: PROOF,
    needs: { all: ['proof_id', 'proof_expires_at'] },
    perform: async (context, _attempt, { id, body, checks }) => {
      const proof = proofOf(body, checks, true);
      if (!proof) checks.refuse();
      else await addProof(context, id, proof, checks);
      return oneEntry(context, id);
    },
  },
  onEntry(
    'withdraw_proof',
    'whitelist.withdraw_proof',
    'withdraw_whitelist_proof',
    'Withdraws the proof of an address at once, for every destination with the same address',
    withdrawProof,
  ),
];

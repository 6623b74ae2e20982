/** Changes the destinations of withdrawals (C-22). An added one is usable after the cooling time of the account. */
import { randomBytes } from 'node:crypto';
import { addressForm, isRefusedDestination, parseAddress } from '../../base/chain/address.ts';
import { assert } from '../../base/errors/assert.ts';
import { invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { CURRENCIES } from '../../base/money/currency.ts';
import { maskPixKey } from '../../base/text/mask.ts';
import { expiryText, type WhitelistProof } from '../../chains/whitelist-proof.ts';
import {
  addEntry,
  addGroup,
  countWhitelist,
  dropProofs,
  findEntry,
  hasGroup,
  readProvenEntries,
  removeEntry,
  storeProof,
} from '../../store/account/whitelist.ts';
import type { Tx } from '../../store/connection/database.ts';
import { audited, auditedChange } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { refuseMore } from '../checks/refuse-more.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { protectionsOf } from './protections.ts';

/** A destination to be added; each value carries the caller's own name for it: an address on a network, or a PIX key. */
export interface WhitelistEntryInput {
  readonly network?: Named | undefined;
  readonly address?: Named | undefined;
  readonly pixKeyType?: Named | undefined;
  readonly pixKey?: Named | undefined;
  readonly label?: Named | undefined;
}

/** Proof of an address, with the caller's names for its members. */
export interface NamedProof {
  readonly name: string;
  /** Names of its members; by default as those of an object `name`. */
  readonly names?: Readonly<Record<'id' | 'signature', string>>;
  /** Id of a proof that was made on the page of the signer; of a key, its name. */
  readonly id: string;
  readonly expiresAt: Date;
  /** Of a key only. */
  readonly signature?: string | null | undefined;
}

/** The caller's names of members that may be missing. */
export type WhitelistEntryNames = Readonly<Record<'network' | 'address' | 'pixKeyType' | 'pixKey', string>>;

/** A canonical destination: an address with its network, or a PIX key with its type. */
interface Destination {
  readonly network: string | null;
  readonly pixKeyType: string | null;
  readonly target: string;
  /** The caller's name of the target. */
  readonly parameter: string;
}

/** Groups that an account can have, and destinations in all of them. */
export const WHITELIST_MAX = { groups: 200, entries: 5_000 } as const;
/** Characters of a proof: of its id, or the name of its key, and of its signature. */
export const PROOF_LENGTHS = { id: 200, text: 2_000 } as const;
const PROOF_ID = new RegExp(`^[\\x21-\\x7e][\\x20-\\x7e]{0,${PROOF_LENGTHS.id - 1}}$`);
const BASE64URL = new RegExp(`^[\\w-]{1,${PROOF_LENGTHS.text}}$`);
const ID_BYTES = 12;
const ID = /^(?:grp|wle)_[\w-]{16}$/;
const NETWORKS: readonly string[] = [
  ...new Set(CURRENCIES.flatMap(({ network }) => (network ? [network] : []))),
];

/**
 * Makes a group without entries.
 *
 * @param name - 1 to 200 characters.
 * @returns its id, `grp_…`.
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`.
 */
export async function createWhitelistGroup(
  context: Context,
  name: Named,
  checks: CreationChecks,
  { bind }: Pick<Attempt, 'bind'> = UNKEYED,
): Promise<string> {
  requirePermission(context, 'whitelist.create_group');
  const checked = checks.reference(name);
  checks.refuse();
  assert(checked, 'an accepted input is present');
  const id = newId('grp');
  return audited(context, async (tx, writeDown, nowMs) => {
    const { groups } = await countWhitelist(tx, context.caller.accountId);
    refuseMore(name.name, groups, WHITELIST_MAX.groups, 'groups');
    await addGroup(tx, context.caller.accountId, { id, name: checked, createdAt: new Date(nowMs) });
    writeDown('whitelist.create_group', { kind: 'whitelist_group', id }, { after: { name: checked } });
    await bind(tx, id);
    return id;
  });
}

/**
 * Adds a destination to a group of the account.
 *
 * @returns the id of the entry, `wle_…`.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND` for the group, `INVALID_PARAMETER`, also when the group has the target.
 */
export async function addWhitelistEntry(
  context: Context,
  groupId: string,
  input: WhitelistEntryInput,
  checks: CreationChecks,
  {
    names,
    proof: value,
    attempt: { bind } = UNKEYED,
  }: {
    readonly names: WhitelistEntryNames;
    readonly proof?: NamedProof | undefined;
    readonly attempt?: Pick<Attempt, 'bind'>;
  },
): Promise<string> {
  requirePermission(context, 'whitelist.add_entry');
  const { database, caller } = context;
  const destination = checkDestination(input, checks, names);
  const label = checks.reference(input.label) ?? null;
  if (value && !input.address) checks.add({ parameter: value.name, message: 'is for an address only' });
  const proof = (value && checkProof(context, value, checks)) ?? null;
  checks.refuse();
  assert(destination, 'a required input is present after its check');
  if (!ID.test(groupId) || !(await hasGroup(database, caller.accountId, groupId))) throw notFound();
  const { parameter, ...target } = destination;
  const id = newId('wle');
  return audited(context, async (tx, writeDown, nowMs) => {
    const { settings } = await protectionsOf(context, tx, nowMs);
    const { entries } = await countWhitelist(tx, caller.accountId);
    refuseMore(parameter, entries, WHITELIST_MAX.entries, 'destinations');
    const isAdded = await addEntry(tx, caller.accountId, {
      ...target,
      id,
      groupId,
      label,
      proof,
      createdAt: new Date(nowMs),
      usableAt: new Date(nowMs + settings.whitelistCoolingSeconds * 1_000),
    });
    if (!isAdded) throw invalidParameters([{ parameter, message: 'is already in the group' }]);
    const after = await entryFacts(tx, caller.accountId, id);
    writeDown('whitelist.add_entry', { kind: 'whitelist_entry', id }, { after });
    await bind(tx, id);
    return id;
  });
}

/** Removes an entry from its group; a repetition changes nothing. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`. */
export async function removeWhitelistEntry(context: Context, id: string): Promise<void> {
  requirePermission(context, 'whitelist.remove_entry');
  const { accountId } = context.caller;
  if (!ID.test(id)) throw notFound();
  const object = { kind: 'whitelist_entry', id } as const;
  const factsOf = (tx: Tx) => entryFacts(tx, accountId, id);
  const isThere = await auditedChange(context, 'whitelist.remove_entry', object, factsOf, (tx, nowMs) =>
    removeEntry(tx, accountId, id, new Date(nowMs)),
  );
  if (!isThere) throw notFound();
}

/**
 * Stores the proof of an address with its entry, replacing an earlier one. It counts if the signer finds it valid.
 *
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`; `NOT_FOUND`, also for a PIX key, and for an entry that was
 *   removed.
 */
export async function addProof(
  context: Context,
  id: string,
  value: NamedProof,
  checks: CreationChecks,
): Promise<void> {
  requirePermission(context, 'whitelist.add_proof');
  const { accountId } = context.caller;
  const proof = checkProof(context, value, checks);
  checks.refuse();
  assert(proof, 'an accepted input is present');
  const entry = ID.test(id) ? await findEntry(context.database, accountId, id) : undefined;
  if (!entry || entry.isRemoved || entry.network === null) throw notFound();
  const object = { kind: 'whitelist_entry', id } as const;
  const factsOf = (tx: Tx) => entryFacts(tx, accountId, id);
  await auditedChange(context, 'whitelist.add_proof', object, factsOf, (tx) =>
    storeProof(tx, accountId, id, proof),
  );
}

/**
 * Withdraws the proof of an address, so that it is no longer sent to the signer: that of an entry, and of every other entry
 * with its address. Repeating is harmless.
 *
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`, also for a PIX key, which has none.
 */
export async function withdrawProof(context: Context, id: string): Promise<void> {
  requirePermission(context, 'whitelist.withdraw_proof');
  const { accountId } = context.caller;
  const entry = ID.test(id) ? await findEntry(context.database, accountId, id) : undefined;
  if (!entry || entry.network === null) throw notFound();
  const { network, target } = entry;
  const object = { kind: 'whitelist_entry', id } as const;
  const factsOf = async (tx: Tx) => ({
    ...(await entryFacts(tx, accountId, id)),
    provenEntries: await readProvenEntries(tx, accountId, network, target),
  });
  await auditedChange(context, 'whitelist.withdraw_proof', object, factsOf, (tx) =>
    dropProofs(tx, accountId, network, target),
  );
}

/** A PIX key identifies a person: it is masked as in the logs. */
async function entryFacts(tx: Tx, accountId: bigint, id: string): Promise<object> {
  const { target, id: _id, ...entry } = (await findEntry(tx, accountId, id)) ?? { target: '', id };
  const isPixKey = 'pixKeyType' in entry && entry.pixKeyType !== null;
  return { ...entry, target: isPixKey ? maskPixKey(target) : target };
}

function newId(prefix: 'grp' | 'wle'): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`;
}

/** The signer, which knows the keys and passkeys, checks the proof; here its form is checked. */
function checkProof(
  { caller }: Context,
  { name, names, id, signature, expiresAt }: NamedProof,
  checks: CreationChecks,
): WhitelistProof | undefined {
  const named = names ?? { id: `${name}.id`, signature: `${name}.signature` };
  if (!PROOF_ID.test(id))
    return checks.add({ parameter: named.id, message: `must be 1 to ${PROOF_LENGTHS.id} characters` });
  const proof = { id, account: String(caller.accountId), expiresAt: expiryText(expiresAt.getTime()) };
  if (signature == null) return { kind: 'passkey', ...proof };
  if (!BASE64URL.test(signature))
    return checks.add({
      parameter: named.signature,
      message: `must be base64url, ${PROOF_LENGTHS.text} characters at most`,
    });
  return { kind: 'key', ...proof, signature };
}

function checkDestination(
  input: WhitelistEntryInput,
  checks: CreationChecks,
  names: WhitelistEntryNames,
): Destination | undefined {
  const { network, address, pixKeyType, pixKey } = input;
  const ofAddress = address ?? network;
  const ofKey = pixKey ?? pixKeyType;
  if (!ofAddress && !ofKey)
    return checks.add({
      parameter: names.address,
      message: `is required with ${names.network}, or ${names.pixKey} with ${names.pixKeyType} instead`,
    });
  if (ofAddress && ofKey)
    return checks.add({
      parameter: ofKey.name,
      message: `must not be given together with ${ofAddress.name}`,
    });
  if (ofAddress) return checkAddress(checks.required(network, names.network), address, checks, names);
  const key = checks.pixKey(
    checks.required(pixKey, names.pixKey),
    checks.required(pixKeyType, names.pixKeyType),
  );
  return key && { network: null, pixKeyType: key.pixKeyType, target: key.pixKey, parameter: names.pixKey };
}

function checkAddress(
  network: Named | undefined,
  value: Named | undefined,
  checks: CreationChecks,
  names: WhitelistEntryNames,
): Destination | undefined {
  const address = checks.required(value, names.address);
  if (network && !NETWORKS.includes(network.value))
    return checks.add({ parameter: network.name, message: `must be one of ${NETWORKS.join(', ')}` });
  if (!network || !address) return undefined;
  const parameter = address.name;
  const target = parseAddress(network.value, address.value);
  if (!target) return checks.add({ parameter, message: `must be ${addressForm(network.value)}` });
  const refused = isRefusedDestination(network.value, target);
  if (refused) return checks.add({ parameter, message: `must not be ${refused}` });
  return { network: network.value, pixKeyType: null, target, parameter };
}

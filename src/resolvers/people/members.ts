/**
 * The people of an account: invites them, changes their roles, removes them. No one can grant a role that exceeds their own,
 * and only an owner makes or removes owners (C-40).
 */
import { ACTIONS } from '../../base/access/actions.ts';
import { randomBase62 } from '../../base/access/api-key.ts';
import { newPersonToken, personTokenHash } from '../../base/access/person-token.ts';
import { isOwner, ROLE_NAMES, type Role, rolesOf, scopesOf } from '../../base/access/roles.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { EMAIL_MESSAGE, parseEmail } from '../../base/input/email-address.ts';
import { linkUrl } from '../../base/pages/console-url.ts';
import { readHolder } from '../../store/account/accounts.ts';
import { haveOneMaker } from '../../store/account/api-keys.ts';
import { dropChangesOf } from '../../store/account/setting-changes.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { AuditObject } from '../../store/engine/audit.ts';
import {
  addPerson,
  confirmPerson,
  countMembers,
  invite,
  type Member,
  noteInviter,
  readMember,
  readMembers,
  readOpenInviters,
  removeMembership,
  setRole,
} from '../../store/people/people.ts';
import { endLinks, storeLink } from '../../store/people/person-links.ts';
import { endedDeciders, isOwnerNow, requireAccess } from '../checks/access.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { refuseMore } from '../checks/refuse-more.ts';
import { type Context, requirePermission, requireScope } from '../services/context.ts';

/** Person to be invited; each value carries the caller's own name for it. */
export interface InvitationInput {
  readonly name: Named;
  readonly email: Named;
  readonly role: Named;
}

/** An invitation. Its link is returned here once and cannot be read again. */
export interface Invitation {
  readonly member: Member;
  readonly url: string;
  readonly expiresAt: Date;
}

/** Lifetime of links. Unit: ms. */
export const LINK_MS = { INVITATION: 7 * 86_400_000, SIGN_IN: 12 * 3_600_000 } as const;

/** People of an account, including those who have not accepted their invitation. */
export const MEMBERS_MAX = 500;

/** @returns the people of the caller's account. @throws {GatewayError} `FORBIDDEN`. */
export function listMembers(context: Context): Promise<Member[]> {
  requireScope(context, 'admin');
  return readMembers(context.database, context.caller.accountId);
}

/**
 * Invites a person, or creates a new link for one who has not signed in yet.
 *
 * @throws {GatewayError} `FORBIDDEN` for a role that can do more than the caller; `INVALID_PARAMETER`, also for a person who
 *   is a member already.
 */
export async function inviteMember(
  context: Context,
  input: InvitationInput,
  checks: CreationChecks,
): Promise<Invitation> {
  requirePermission(context, 'person.invite');
  const checked = { name: checks.reference(input.name), email: emailOf(input.email, checks) };
  const role = await roleOf(context, input.role, checks);
  checks.refuse();
  const { name, email } = checked;
  assert(name && email && role, 'an accepted input is present');
  const { accountId } = context.caller;
  return audited(context, async (tx, writeDown) => {
    await requireRuleOver(context, tx, role);
    const at = new Date(context.database.nowMs());
    const person = await addPerson(tx, { id: `per_${randomBase62(16)}`, name, email }, at);
    const before = await readMember(tx, accountId, person.id);
    if (before?.joinedAt)
      throw invalidParameters([
        { parameter: input.email.name, message: 'is that of a member of the account' },
      ]);
    if (before) {
      await requireRuleOver(context, tx, before.role);
      await setRole(tx, accountId, person.id, role);
    } else {
      refuseMore(input.email.name, await countMembers(tx, accountId), MEMBERS_MAX, 'people');
      await invite(tx, { accountId, personId: person.id, role, at, ...inviterOf(context) });
    }
    // The sender of a repeated link holds it as well.
    if (context.origin.actor === undefined) await noteInviter(tx, accountId, person.id, context.caller.id);
    await endLinks(tx, accountId, person.id, at);
    const link = await makeLink(tx, context, person.id, 'INVITATION', at);
    writeDown('person.invite', objectOf(person.id), { after: { email, role } });
    const member = await readMember(tx, accountId, person.id);
    assert(member, 'who was invited is there');
    return { member, ...link };
  });
}

/** Creates a link that signs a person in once, in the caller's database transaction. */
export async function makeLink(
  tx: Tx,
  { publicUrl, database, caller: { accountId } }: Context,
  personId: string,
  kind: keyof typeof LINK_MS,
  at: Date,
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  const token = newPersonToken(database.cell);
  const expiresAt = new Date(at.getTime() + LINK_MS[kind]);
  await storeLink(tx, personTokenHash(token), { personId, accountId, kind, at, expiresAt });
  return { url: linkUrl(publicUrl, token), expiresAt };
}

/**
 * Gives a member another role.
 *
 * @throws {GatewayError} `FORBIDDEN` where the old role or the new one can do more than the caller; `NOT_FOUND`;
 *   `INVALID_PARAMETER` for the last owner.
 */
export async function changeMemberRole(
  context: Context,
  personId: Named,
  checked: Named,
  checks: CreationChecks,
): Promise<Member> {
  requirePermission(context, 'person.change_role');
  const role = await roleOf(context, checked, checks);
  checks.refuse();
  assert(role, 'an accepted input is present');
  const { accountId } = context.caller;
  return audited(context, async (tx, writeDown, nowMs) => {
    const before = await findMember(tx, context, personId.value);
    await requireRuleOver(context, tx, before.role);
    await requireRuleOver(context, tx, role);
    if (before.role === role) return before;
    if (!isOwner(role)) await requireOwnerLeft(tx, accountId, before, checked.name);
    // A person who may no longer request such changes loses their waiting ones.
    if (!scopesOf(role).includes('admin')) await dropChangesOf(tx, accountId, before.id, new Date(nowMs));
    await setRole(tx, accountId, before.id, role);
    writeDown('person.change_role', objectOf(before.id), { before: { role: before.role }, after: { role } });
    return { ...before, role };
  });
}

/**
 * Removes a person from the account; the sessions there end within a second. @throws {GatewayError} as `changeMemberRole`.
 */
export async function removeMember(context: Context, personId: Named): Promise<Member> {
  requirePermission(context, 'person.remove');
  const { accountId } = context.caller;
  return audited(context, async (tx, writeDown, nowMs) => {
    const member = await findMember(tx, context, personId.value);
    await requireRuleOver(context, tx, member.role);
    await requireOwnerLeft(tx, accountId, member, personId.name);
    await dropChangesOf(tx, accountId, member.id, new Date(nowMs));
    await endLinks(tx, accountId, member.id, new Date(context.database.nowMs()));
    await removeMembership(tx, accountId, member.id);
    writeDown('person.remove', objectOf(member.id), { before: { email: member.email, role: member.role } });
    return member;
  });
}

/**
 * Confirms a person: they count as a maker of their own, separate from their inviter. Once the access of all their inviters has
 * ended, an owner takes the place of these, and another one confirms.
 *
 * @throws {GatewayError} `FORBIDDEN` unless the operator asks, or an owner who does not count as one maker with the person;
 *   `NOT_FOUND`.
 */
export async function confirmMember(context: Context, personId: string): Promise<Member> {
  requirePermission(context, 'person.confirm');
  const { caller, origin } = context;
  const { accountId } = caller;
  const isOperator = origin.actor !== undefined;
  return audited(context, async (tx, writeDown, nowMs) => {
    if (!isOperator && !(await isOwnerNow(context, tx)))
      throw new GatewayError('FORBIDDEN', 'only an owner confirms who was invited');
    const member = await findMember(tx, context, personId);
    if (!isOperator && (await haveOneMaker(tx, accountId, caller.id, member.id)))
      throw new GatewayError(
        'FORBIDDEN',
        'an owner who invited the person, or counts as one maker with whoever did, cannot confirm them: another owner or the operator can',
      );
    if (!isOperator && !(await hasPresentInviter(tx, accountId, member.id))) {
      await noteInviter(tx, accountId, member.id, caller.id);
      writeDown('person.confirm', objectOf(member.id), {
        after: { email: member.email, isConfirmed: false },
      });
      return member;
    }
    const by = origin.actor?.id ?? caller.id;
    if (await confirmPerson(tx, accountId, member.id, { by, at: new Date(nowMs) }))
      writeDown('person.confirm', objectOf(member.id), { after: { email: member.email } });
    return { ...member, isConfirmed: true };
  });
}

/** @returns whether a person counts as one with nobody, or with an inviter whose access lasts. */
async function hasPresentInviter(tx: Tx, accountId: bigint, personId: string): Promise<boolean> {
  const inviters = (await readOpenInviters(tx, accountId, personId)).map((id) => ({ accountId, id }));
  const hasEnded = await endedDeciders(tx, inviters, ACTIONS['person.invite'].scope);
  return inviters.length === 0 || !inviters.every(hasEnded);
}

/** @returns a person as the audit log names it. */
export function objectOf(personId: string): AuditObject {
  return { kind: 'person', id: personId };
}

/** @throws {GatewayError} `FORBIDDEN` naming the right that the caller lacks, under the lock of the account, to decide about people of a role. */
async function requireRuleOver(context: Context, tx: Tx, role: Role): Promise<void> {
  const scopes = scopesOf(role);
  for (const scope of scopes) requireScope(context, scope);
  await requireAccess(context, tx, ['admin', ...scopes]);
  if (isOwner(role) && context.origin.actor === undefined && !(await isOwnerNow(context, tx)))
    throw new GatewayError('FORBIDDEN', `only an owner decides who has the role "${role}"`);
}

function inviterOf({ caller, origin }: Context): { invitedBy: string; invitedByKey: string | null } {
  const isKey = origin.actor === undefined && caller.person === undefined;
  return { invitedBy: origin.actor?.id ?? caller.id, invitedByKey: isKey ? caller.id : null };
}

async function findMember(tx: Tx, { caller }: Context, personId: string): Promise<Member> {
  const member = /^per_\w{1,60}$/.test(personId) && (await readMember(tx, caller.accountId, personId));
  if (!member) throw notFound();
  return member;
}

async function requireOwnerLeft(tx: Tx, accountId: bigint, member: Member, parameter: string): Promise<void> {
  if (!isOwner(member.role) || !member.joinedAt) return;
  const members = await readMembers(tx, accountId);
  if (members.some(({ id, role, joinedAt }) => id !== member.id && isOwner(role) && joinedAt)) return;
  throw invalidParameters([{ parameter, message: 'is the last owner: another person must be one first' }]);
}

async function roleOf(
  { database, caller }: Context,
  { name: parameter, value }: Named,
  checks: CreationChecks,
): Promise<Role | undefined> {
  const holder = await readHolder(database, caller.accountId);
  const roles: readonly Role[] = holder ? rolesOf(holder) : ROLE_NAMES;
  const role = roles.find((each) => each === value);
  return role ?? checks.add({ parameter, message: `must be one of ${roles.join(', ')}` });
}

function emailOf(checked: Named, checks: CreationChecks): string | undefined {
  const { name: parameter, value } = checked;
  return parseEmail(value) ?? checks.add({ parameter, message: EMAIL_MESSAGE });
}

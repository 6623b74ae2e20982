/** Links that sign a person in once. Only the form on its page uses a link up; opening the page does not. */
import { keyModeOf } from '../../base/access/account-mode.ts';
import { PLATFORM_SCOPES, SCOPES } from '../../base/access/api-key.ts';
import { isPersonToken, personTokenHash } from '../../base/access/person-token.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import { findAccount, platformAccount, SANDBOX_HANDLE } from '../../store/account/accounts.ts';
import type { Database } from '../../store/connection/database.ts';
import { addPerson, findPerson, invite, joinAccount, readMember } from '../../store/people/people.ts';
import { findOpenLink, type OpenLink, useLink } from '../../store/people/person-links.ts';
import { hasSession } from '../../store/people/person-sessions.ts';
import { audited } from '../checks/audited.ts';
import { type Context, requirePermission, type Services } from '../services/context.ts';
import { acceptInvitation, endEarlierSignIns } from './earlier-sign-ins.ts';
import { makeLink, objectOf } from './members.ts';
import { type Device, signIn } from './sessions.ts';
import type { PersonCaller } from './signed-in.ts';

/** First person of a sandbox, signed in by the gateway itself; no mail is sent to this address. */
const NEWCOMER = { id: 'per_sandbox', name: 'Sandbox owner', email: 'owner@sandbox.invalid' } as const;

/** @returns the link of this token. @throws {GatewayError} `NOT_FOUND` where it was used or has expired. */
export async function readLink({ database }: Services, token: string): Promise<OpenLink> {
  const link = isPersonToken(token)
    ? await findOpenLink(database, personTokenHash(token), new Date(database.nowMs()))
    : undefined;
  if (!link) throw notFound();
  return link;
}

/**
 * @param caller - the person signed in in this browser.
 * @returns whether the link alone signs its holder in: a person with a role elsewhere has to sign in first, because the
 * inviter holds the link as well.
 */
export function isEnough(link: OpenLink, caller: PersonCaller | undefined): boolean {
  return link.kind === 'SIGN_IN' || !link.isKnown || caller?.id === link.personId;
}

/**
 * Uses a link: accepts the invitation, and signs the person in.
 *
 * @returns the token of the new session.
 * @throws {GatewayError} `NOT_FOUND`; `FORBIDDEN` where the person has to sign in first.
 */
export async function acceptLink(
  services: Services,
  token: string,
  device: Device,
  caller: PersonCaller | undefined,
): Promise<string> {
  const link = await readLink(services, token);
  const requireEnough = (isKnown: boolean, by: PersonCaller | undefined) => {
    if (!isEnough({ ...link, isKnown }, by))
      throw new GatewayError('FORBIDDEN', `sign in as ${link.email} first, and open this link again`);
  };
  requireEnough(link.isKnown, caller);
  const { personId, accountId } = link;
  return signIn(services, { personId, accountId, method: 'LINK' }, device, async (tx) => {
    const at = new Date(services.database.nowMs());
    if (!(await useLink(tx, personTokenHash(token), at))) throw notFound();
    const hadRole = await acceptInvitation(tx, { accountId, personId, at });
    // While this waited for the lock, the person may have got a role elsewhere, and the sign-in in this browser may have ended.
    const isSignedIn = caller && (await hasSession(tx, caller.id, caller.person.sessionId, at));
    requireEnough(hadRole, isSignedIn ? caller : undefined);
  });
}

/**
 * Makes a link that signs a member in, as the operator.
 *
 * @param forgetsPasskeys - whether the person's passkeys are removed, after they were lost; all sessions end then.
 * @throws {GatewayError} `NOT_FOUND` when no member of the account has the e-mail address.
 */
export async function makeSignInLink(
  context: Context,
  email: string,
  forgetsPasskeys = false,
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  requirePermission(context, 'person.link');
  const { accountId } = context.caller;
  return audited(context, async (tx, writeDown) => {
    const person = await findPerson(tx, email.trim().toLowerCase());
    const member = person && (await readMember(tx, accountId, person.id));
    if (!member) throw notFound();
    const at = new Date(context.database.nowMs());
    if (forgetsPasskeys) {
      const passkeys = await endEarlierSignIns(tx, member.id, at);
      writeDown('passkey.reset', objectOf(member.id), { before: { passkeys } });
    }
    const kind = member.joinedAt ? 'SIGN_IN' : 'INVITATION';
    const link = await makeLink(tx, context, member.id, kind, at);
    writeDown('person.link', objectOf(member.id), { after: { kind, expiresAt: link.expiresAt } });
    return link;
  });
}

/**
 * Creates a link for the person who starts a sandbox: owner of its account, and of the platform for sandbox accounts only.
 *
 * @param contextOf - returns the operator's context.
 */
export async function makeNewcomerLink(
  database: Database,
  contextOf: (accountId: bigint) => Promise<Context>,
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  const accountId = await findAccount(database, SANDBOX_HANDLE);
  assert(accountId, 'a sandbox has its account');
  const memberships = [
    [accountId, 'owner'],
    [await platformAccount(database, 'sandbox'), 'platform_owner'],
  ] as const;
  for (const [membership, role] of memberships)
    await audited(await contextOf(membership), async (tx, writeDown) => {
      const at = new Date(database.nowMs());
      const { id } = await addPerson(tx, NEWCOMER, at);
      if (await readMember(tx, membership, id)) return;
      await invite(tx, {
        accountId: membership,
        personId: id,
        role,
        invitedBy: 'start',
        invitedByKey: null,
        at,
      });
      await joinAccount(tx, membership, id, at);
      writeDown('person.invite', objectOf(id), { after: { email: NEWCOMER.email, role } });
    });
  return makeSignInLink(await contextOf(accountId), NEWCOMER.email);
}

/** @returns the context of a start for an account of the sandbox. */
export function startContext(services: Services): (accountId: bigint) => Promise<Context> {
  return async (accountId) => {
    const own = await services.forAccount(accountId);
    const caller = {
      accountId,
      id: 'start',
      mode: keyModeOf(own.mode),
      scopes: [...SCOPES, ...PLATFORM_SCOPES],
      allowedCidrs: [],
      allowedOrigins: [],
    };
    const origin = { requestId: null, address: null, actor: { kind: 'SYSTEM', id: 'start' } } as const;
    return { ...own, caller, origin };
  };
}

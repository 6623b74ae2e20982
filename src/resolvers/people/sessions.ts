/** Signs people in and out, and ends their sessions. */
import { randomBase62 } from '../../base/access/api-key.ts';
import { newPersonToken, personTokenHash } from '../../base/access/person-token.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Tx } from '../../store/connection/database.ts';
import { findOwnAccount, type OwnAccount, readMember, readOwnAccounts } from '../../store/people/people.ts';
import {
  endSession,
  hasSession,
  type OwnSession,
  readOwnSessions,
  storeSession,
  switchSession,
} from '../../store/people/person-sessions.ts';
import { audited, type WriteDown } from '../checks/audited.ts';
import {
  type Context,
  type Origin,
  requirePermission,
  requireScope,
  type Services,
} from '../services/context.ts';
import { type PersonCaller, personCaller } from './signed-in.ts';

/** Way of a person's sign-in. */
export type SignInMethod = 'LINK' | 'PASSKEY' | 'OIDC' | 'CELL';

/** The browser of a person. */
export interface Device {
  readonly origin: Origin;
  readonly userAgent: string | null;
}

/** Signed-in person, and the account. */
export interface SignIn {
  readonly personId: string;
  readonly accountId: bigint;
  readonly method: SignInMethod;
  /** When the person signed in, in another cell; default now. */
  readonly begunAt?: Date;
}

const USER_AGENT_LENGTH_MAX = 300;

/**
 * Signs a person in to an account.
 *
 * @param prepare - earlier work in the same database transaction, under the lock of the account.
 * @returns the token of the session, which only the browser knows.
 * @throws {GatewayError} `UNAUTHORIZED` when the person has no role there.
 */
export async function signIn(
  services: Services,
  { personId, accountId, method, begunAt }: SignIn,
  { origin, userAgent }: Device,
  prepare: (tx: Tx, writeDown: WriteDown) => Promise<void> = async () => {},
): Promise<string> {
  const own = await services.forAccount(accountId);
  const { database, mode, clock } = own;
  const token = newPersonToken(database.cell);
  const id = `ses_${randomBase62(16)}`;
  const caller = blankCaller(own, personId, accountId);
  await audited({ database, mode, clock, caller, origin }, async (tx, writeDown) => {
    await prepare(tx, writeDown);
    const member = await readMember(tx, accountId, personId);
    if (!member?.joinedAt) throw new GatewayError('UNAUTHORIZED', 'the person has no role in this account');
    const at = new Date(database.nowMs());
    const device = {
      userAgent: userAgent?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
      address: origin.address,
    };
    await storeSession(tx, {
      id,
      personId,
      accountId,
      hash: personTokenHash(token),
      begunAt: begunAt ?? at,
      at,
      verifiedAt: method === 'PASSKEY' ? at : null,
      ...device,
    });
    writeDown('person.sign_in', { kind: 'session', id }, { after: { way: method, role: member.role } });
  });
  return token;
}

/** The person, before more of the session is known: the audit log needs only their identity, and signing in no right. */
function blankCaller({ mode }: Services, personId: string, accountId: bigint): PersonCaller {
  const nothing = {
    sessionId: '',
    name: '',
    email: '',
    verifiedAt: null,
    hasPasskey: false,
    hasJustSignedIn: false,
    needsPasskey: false,
  };
  const caller = personCaller({ ...nothing, personId, accountId, mode, role: 'viewer', allowedOrigins: [] });
  return { ...caller, scopes: [] };
}

/** Ends the session of the person who sends the request; does nothing if it has ended. */
export async function signOut(context: Context): Promise<void> {
  const { caller } = context;
  assert(caller.person, 'only people sign out');
  const { sessionId } = caller.person;
  await audited(context, async (tx, writeDown) => {
    const at = new Date(context.database.nowMs());
    if (!(await hasSession(tx, caller.id, sessionId, at))) return;
    await endSession(tx, caller.id, sessionId, at);
    writeDown('person.sign_out', { kind: 'session', id: sessionId });
  });
}

/**
 * Switches the person to another account, which records it in its audit log. @throws {GatewayError} `NOT_FOUND` where
 * the person has no role there.
 */
export async function switchAccount(context: Context, accountId: bigint): Promise<void> {
  const { caller, database, origin } = context;
  assert(caller.person, 'only people have sessions');
  const { sessionId } = caller.person;
  const membership = await findOwnAccount(database, caller.id, accountId);
  if (!membership) throw notFound();
  const { mode, role } = membership;
  const { clock } = context.forMode(mode);
  const there = { database, caller: { ...caller, accountId }, origin, mode, clock };
  await audited(there, async (tx, writeDown) => {
    if (!(await switchSession(tx, sessionId, accountId))) throw notFound();
    writeDown('person.switch_account', { kind: 'session', id: sessionId }, { after: { role } });
  });
}

/** @returns the sessions of the calling person, the last used first; none for a key. */
export async function ownSessions(context: Context): Promise<OwnSession[]> {
  requireScope(context, 'read');
  const { caller, database } = context;
  return caller.person ? readOwnSessions(database, caller.id, new Date(database.nowMs())) : [];
}

/**
 * Ends one of the person's own sessions; every process refuses it immediately. @throws {GatewayError} `FORBIDDEN`,
 * `NOT_FOUND`.
 */
export async function revokeSession(context: Context, id: string): Promise<void> {
  requirePermission(context, 'session.revoke');
  const { caller } = context;
  await audited(context, async (tx, writeDown) => {
    const at = new Date(context.database.nowMs());
    if (!caller.person || !/^ses_\w{1,60}$/.test(id) || !(await hasSession(tx, caller.id, id, at)))
      throw notFound();
    await endSession(tx, caller.id, id, at);
    writeDown('session.revoke', { kind: 'session', id });
  });
}

/** @returns the accounts in which the calling person has a role; none for a key. */
export async function ownAccounts({ caller, database }: Context): Promise<OwnAccount[]> {
  return caller.person ? readOwnAccounts(database, caller.id) : [];
}

/**
 * Access of keys and people to an account, and the sessions of people, read under its lock: a request that was let in may
 * have waited for the lock (C-40).
 */
import type { Scope } from '../../base/access/api-key.ts';
import { isOwner, scopesOf } from '../../base/access/roles.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { type Access, readAccess } from '../../store/account/api-keys.ts';
import type { Tx } from '../../store/connection/database.ts';
import { readMember } from '../../store/people/people.ts';
import { hasSession } from '../../store/people/person-sessions.ts';
import { type Context, homeOf } from '../services/context.ts';

/** A key or person that decided for an account. */
export interface Decider {
  readonly accountId: bigint;
  readonly id: string;
}

/** Caller of a request, and the clock. */
type Requester = Pick<Context, 'caller' | 'origin' | 'database'>;

/** @returns a function that says whether the access of one of the deciders, with any of these scopes, has ended. */
export async function endedDeciders(
  tx: Tx,
  deciders: readonly Decider[],
  ...scopes: readonly Scope[]
): Promise<(decider: Decider) => boolean> {
  const access = deciders.length > 0 ? await readAccess(tx, deciders) : [];
  const ended = access.filter((each) => scopes.some((scope) => lacks(each, scope)));
  return ({ accountId, id }) => ended.some((each) => each.accountId === accountId && each.id === id);
}

/** Scopes of a key never change. */
function lacks({ isEnded, isPerson, role }: Access, scope: Scope): boolean {
  return isEnded || (isPerson && (role === null || !scopesOf(role).includes(scope)));
}

/**
 * Reads the access of a caller before their work changes it: people may end their own access.
 *
 * @returns a function that says whether the caller had a scope when the request began, and has lost it since. Nobody but keys and
 *   people loses any; a person loses all with the session of the request.
 */
export async function lostScopes(
  { caller, origin, database }: Requester,
  tx: Tx,
): Promise<(scope: Scope) => boolean> {
  const { id, person, scopes, transactionId } = caller;
  if (origin.actor !== undefined || transactionId !== undefined || scopes.length === 0) return () => false;
  const [access] = await readAccess(tx, [{ accountId: homeOf(caller), id }]);
  assert(access, 'each caller has a row');
  const isSignedOut =
    person !== undefined && !(await hasSession(tx, id, person.sessionId, new Date(database.nowMs())));
  return (scope) => scopes.includes(scope) && (isSignedOut || lacks(access, scope));
}

/** @throws {GatewayError} `FORBIDDEN` for a caller who has lost one of these scopes since the request began. */
export async function requireAccess(context: Requester, tx: Tx, scopes: readonly Scope[]): Promise<void> {
  const hasLost = await lostScopes(context, tx);
  if (scopes.some(hasLost)) throw accessEnded();
}

/** @returns whether the caller is an owner in person, whatever their role was when the request began. */
export async function isOwnerNow({ caller }: Pick<Context, 'caller'>, tx: Tx): Promise<boolean> {
  const own = caller.person && (await readMember(tx, caller.accountId, caller.id));
  return own?.joinedAt != null && isOwner(own.role);
}

/** @returns the refusal of a caller whose access has ended since the request. */
export function accessEnded(): GatewayError {
  return new GatewayError('FORBIDDEN', 'your access has ended');
}

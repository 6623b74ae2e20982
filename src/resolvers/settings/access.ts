/**
 * Access of keys and people to an account, read under its lock, under which it ends: a request that was let in may have
 * waited for the lock (C-40).
 */
import type { Scope } from '../../base/access/api-key.ts';
import { isOwner, ROLE_NAMES, scopesOf } from '../../base/access/roles.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { readEndedAccess } from '../../store/account/api-keys.ts';
import type { Tx } from '../../store/connection/database.ts';
import { readMember } from '../../store/people/people.ts';
import type { Context } from '../services/context.ts';

/** A key or person that decided for an account. */
export interface Decider {
  readonly accountId: bigint;
  readonly id: string;
}

/** @returns a function that says whether the access of one of the deciders, with any of these scopes, has ended. */
export async function endedDeciders(
  tx: Tx,
  deciders: readonly Decider[],
  ...scopes: readonly Scope[]
): Promise<(decider: Decider) => boolean> {
  const roles = ROLE_NAMES.filter((role) => scopes.every((scope) => scopesOf(role).includes(scope)));
  const ended = deciders.length > 0 ? await readEndedAccess(tx, deciders, roles) : [];
  return ({ accountId, id }) => ended.some((each) => each.accountId === accountId && each.id === id);
}

/** @throws {GatewayError} `FORBIDDEN` for a caller whose access with one of these scopes has ended. */
export async function requireAccess(
  { caller }: Pick<Context, 'caller'>,
  tx: Tx,
  scopes: readonly Scope[],
): Promise<void> {
  const hasEnded = await endedDeciders(tx, [caller], ...scopes);
  if (hasEnded(caller)) throw accessEnded();
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

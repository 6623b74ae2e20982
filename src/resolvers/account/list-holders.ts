/** The account holders of a mode, for the operator: the list, and a single one. */
import { GatewayError } from '../../base/errors/errors.ts';
import { type AccountRow, findHolder, readHolders } from '../../store/account/accounts.ts';
import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import { type Context, requirePlatform } from '../services/context.ts';

/** @returns the account holders, newest first unless backward. @throws {GatewayError} `FORBIDDEN`. */
export async function listHolders(context: Context, slice: IdSlice): Promise<IdPart<AccountRow>> {
  requirePlatform(context);
  return readHolders(context.database, context.mode, slice);
}

const ID = /^[1-9]\d{0,17}$/;

/** @returns the account holder with this id; null where the mode has none. @throws {GatewayError} `FORBIDDEN`. */
export async function readHolder(context: Context, accountId: string): Promise<AccountRow | null> {
  requirePlatform(context);
  return ID.test(accountId) ? findHolder(context.database, context.mode, BigInt(accountId)) : null;
}

/** @throws {GatewayError} `FORBIDDEN` unless the caller decides about customers: their tax ids are theirs. */
export function requireCustomersOfOthers({ caller }: Context): void {
  if (!caller.scopes.some((scope) => scope === 'platform:pricing' || scope === 'platform:risk'))
    throw new GatewayError(
      'FORBIDDEN',
      'this requires a key with the scope "platform:pricing" or "platform:risk"',
    );
}

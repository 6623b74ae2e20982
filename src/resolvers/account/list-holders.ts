/** Lists the account holders of a mode, for the operator. */
import { type AccountRow, readHolders } from '../../store/account/accounts.ts';
import type { IdPart, IdSlice } from '../../store/id-list.ts';
import { type Context, requirePlatform } from '../services/context.ts';

/** @returns the account holders, newest first unless backward. @throws {GatewayError} `FORBIDDEN`. */
export async function listHolders(context: Context, slice: IdSlice): Promise<IdPart<AccountRow>> {
  requirePlatform(context);
  return readHolders(context.database, context.mode, slice);
}

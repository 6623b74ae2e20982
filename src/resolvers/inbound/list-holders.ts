/** Lists the account holders of a mode, for the operator. */
import {
  type AccountRow,
  countHolders,
  type HolderSlice,
  readHolders,
} from '../../store/account/accounts.ts';
import type { Context } from '../services/context.ts';
import { requirePlatform } from './rail-health.ts';

/** A part of the list, and how many there are in all and outside of its bounds. */
export interface HolderPart {
  readonly rows: readonly AccountRow[];
  readonly total: bigint;
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}

/** @returns the account holders, newest first unless backward. @throws {GatewayError} `FORBIDDEN`. */
export async function listHolders(context: Context, slice: HolderSlice): Promise<HolderPart> {
  requirePlatform(context);
  const { database, mode } = context;
  const [rows, counts] = await Promise.all([
    readHolders(database, mode, slice),
    countHolders(database, mode, slice),
  ]);
  return { rows, ...counts };
}

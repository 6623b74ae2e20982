/** Lists what account holders owe the house after lost disputes and dropped deposits. */
import {
  countReceivables,
  type Receivable,
  type ReceivableCounts,
  type ReceivableSlice,
  readReceivables,
} from '../../store/ledger/house.ts';
import { type Context, requireScope } from '../services/context.ts';

/** A part of the list, and what is outside of it. */
export interface ReceivablePart extends ReceivableCounts {
  readonly rows: readonly Receivable[];
}

/**
 * @returns those of the accounts of the caller's mode, by account and currency.
 * @throws {GatewayError} `FORBIDDEN`.
 */
export async function listReceivables(context: Context, slice: ReceivableSlice): Promise<ReceivablePart> {
  requireScope(context, 'platform:books');
  const { database, mode } = context;
  const [rows, counts] = await Promise.all([
    readReceivables(database, mode, slice),
    countReceivables(database, mode, slice),
  ]);
  return { rows, ...counts };
}

/** Lists receivables from account holders after lost disputes and dropped deposits. */
import {
  countReceivables,
  type Receivable,
  type ReceivableCounts,
  type ReceivableSlice,
  readReceivables,
} from '../../store/ledger/house.ts';
import { type Context, requireScope } from '../services/context.ts';

/** A part of the list, and whether others precede or follow. */
export interface ReceivablePart extends ReceivableCounts {
  readonly rows: readonly Receivable[];
}

/**
 * @returns the receivables from accounts of the caller's mode, by account and currency.
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

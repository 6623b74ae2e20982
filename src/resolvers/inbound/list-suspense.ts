/** Reads money in suspense: an account its own, the operator that of all accounts of a mode. */

import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import { readSuspense, type SuspenseRow, type SuspenseState } from '../../store/engine/suspense.ts';
import { type Context, requireScope } from '../services/context.ts';
import { findEntry } from './decide-suspense.ts';
import { maskRailEvent } from './mask-rail-event.ts';

/** @returns the entries, newest first unless backward. @throws {GatewayError} `FORBIDDEN`. */
export async function listSuspense(
  context: Context,
  state: SuspenseState | null,
  slice: IdSlice,
): Promise<IdPart<SuspenseRow>> {
  const { caller, database, mode } = context;
  const isOperator = caller.scopes.includes('platform:risk');
  if (!isOperator) requireScope(context, 'read');
  const filter = { mode, accountId: isOperator ? null : caller.accountId, state };
  const found = await readSuspense(database, filter, slice);
  return isOperator ? found : { ...found, rows: found.rows.map((row) => forHolder(row, caller.accountId)) };
}

/** @returns an entry that the caller may list. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`. */
export async function readSuspenseEntry(context: Context, id: string): Promise<SuspenseRow | null> {
  const { caller } = context;
  if (caller.scopes.includes('platform:risk')) return findEntry(context, id);
  requireScope(context, 'read');
  const found = await findEntry(context, id);
  return found.accountId === caller.accountId ? forHolder(found, caller.accountId) : null;
}

/**
 * @returns an entry as its account sees it: without the payer, and without another account that received or will receive the
 * money.
 */
export function forHolder(row: SuspenseRow, accountId: bigint): SuspenseRow {
  const assignedTo = row.assignedTo === accountId ? accountId : null;
  return { ...row, railEvent: maskRailEvent(row.railEvent), assignedTo, proposedTo: null, proposedBy: null };
}

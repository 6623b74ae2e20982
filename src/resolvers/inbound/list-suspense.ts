/** Reads money in suspense: an account its own, the operator that of all accounts of a mode. */
import {
  countSuspense,
  readSuspense,
  type SuspenseRow,
  type SuspenseSlice,
  type SuspenseState,
} from '../../store/engine/suspense.ts';
import { type Context, requireScope } from '../services/context.ts';
import { maskNews } from './mask-news.ts';

/** A part of the list, and how much there is in all and outside of its bounds. */
export interface SuspensePart {
  readonly rows: readonly SuspenseRow[];
  readonly total: bigint;
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}

/** @returns the entries, newest first unless backward. @throws {GatewayError} `FORBIDDEN`. */
export async function listSuspense(
  context: Context,
  state: SuspenseState | null,
  slice: SuspenseSlice,
): Promise<SuspensePart> {
  const { caller, database, mode } = context;
  const isOperator = caller.scopes.includes('platform:risk');
  if (!isOperator) requireScope(context, 'read');
  const filter = { mode, accountId: isOperator ? null : caller.accountId, state };
  const [rows, counts] = await Promise.all([
    readSuspense(database, filter, slice),
    countSuspense(database, filter, slice),
  ]);
  return { rows: isOperator ? rows : rows.map((row) => forHolder(row, caller.accountId)), ...counts };
}

/** A holder reads neither who paid nor which other account got the money. */
function forHolder(row: SuspenseRow, accountId: bigint): SuspenseRow {
  const assignedTo = row.assignedTo === accountId ? accountId : null;
  return { ...row, news: maskNews(row.news), assignedTo };
}

/** Reads one transaction. */
import { notFound } from '../base/errors.ts';
import { findTransaction } from '../store/transactions.ts';
import type { Family } from '../templates/define.ts';
import type { TransactionRow } from '../templates/facts.ts';
import type { Context } from './context.ts';
import { requireScope } from './context.ts';

const LONGEST_ID = 200;

/**
 * @param end2end - as the caller gave it; anything that cannot be an id is answered as missing.
 * @param family - when given, a transaction of another family is answered as missing.
 * @throws {GatewayError} `NOT_FOUND` when there is none, or it is another account's (C-15).
 */
export async function readTransaction(
  context: Context,
  end2end: string,
  family?: Family,
): Promise<TransactionRow> {
  requireScope(context, 'read');
  return findOwn(context, end2end, family);
}

/** As `readTransaction`, for callers that may act on it without reading. @throws {GatewayError} `NOT_FOUND`. */
export async function findOwn(context: Context, end2end: string, family?: Family): Promise<TransactionRow> {
  const { database, registry, caller } = context;
  if (end2end.length > LONGEST_ID || end2end.includes('\0') || !end2end.isWellFormed()) throw notFound();
  const row = await findTransaction(database, caller.accountId, end2end);
  if (!row || (family && registry.find(row.template)?.family !== family)) throw notFound();
  return row;
}

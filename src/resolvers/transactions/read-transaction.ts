/** Reads one transaction. */
import { notFound } from '../../base/errors/errors.ts';
import type { Tx } from '../../store/connection/database.ts';
import { findProcess } from '../../store/engine/processes.ts';
import { findTransaction } from '../../store/engine/transactions.ts';
import type { Family } from '../../templates/define.ts';
import type { ProcessRow, TransactionRow } from '../../templates/facts.ts';
import type { Context } from '../services/context.ts';
import { requireScope } from '../services/context.ts';

const LONGEST_ID = 200;

/**
 * @param end2end - in the caller's form; anything that cannot be an id is answered as missing.
 * @param family - if given, a transaction of another family is answered as missing.
 * @throws {GatewayError} `NOT_FOUND` if there is none, or it belongs to another account (C-15).
 */
export async function readTransaction(
  context: Context,
  end2end: string,
  family?: Family,
): Promise<TransactionRow> {
  requireScope(context, 'read');
  return findOwn(context, findTransaction, end2end, family);
}

/** As `readTransaction` with its working facts, for callers that may change it without reading it. @throws `NOT_FOUND`. */
export function findOwnProcess(context: Context, end2end: string, family?: Family): Promise<ProcessRow> {
  return findOwn(context, findProcess, end2end, family);
}

/** @returns whether the text cannot be the id of any record: it is then never sent to the database. */
export function isOddId(end2end: string): boolean {
  return end2end.length > LONGEST_ID || end2end.includes('\0') || !end2end.isWellFormed();
}

async function findOwn<Row extends TransactionRow>(
  { database, registry, caller }: Context,
  find: (database: Tx, accountId: bigint, end2end: string) => Promise<Row | undefined>,
  end2end: string,
  family: Family | undefined,
): Promise<Row> {
  if (isOddId(end2end)) throw notFound();
  const row = await find(database, caller.accountId, end2end);
  if (!row || (family && registry.find(row.template)?.family !== family)) throw notFound();
  return row;
}

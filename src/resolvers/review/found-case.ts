/** A case that waits for a person, as the sources of the review queue report it. */
import { type Instant, isoMillis, millisOf } from '../../base/time/instant.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Context } from '../services/context.ts';

/** A case that waits for a person, as its source reports it. */
export interface FoundCase {
  /** Account of the case; null for cases of the house. */
  readonly accountId: bigint | null;
  /** Names it within its kind and account: `end2end` of its transaction, or the id of its record. */
  readonly reference: string;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601; null without a deadline. */
  readonly dueAt: string | null;
  /** Raw ledger code and decimal text; null if it has no amount, or the transaction has it. */
  readonly money: { readonly currency: string; readonly amount: string } | null;
  readonly row: ProcessRow | null;
  /** Person, reason, address or day of the case, from its source. */
  readonly detail: string | null;
}

/** Reader: the caller, and the account of the cases; null for all accounts of the mode. */
export interface CaseReader {
  readonly context: Context;
  readonly accountId: bigint | null;
}

/** Maximum number of cases of one kind that are read, the oldest first. */
export const CASES_MAX = 200;

/** @returns the scope in which sources are read. */
export function scopeOf({ mode }: Pick<Context, 'mode'>, accountId: bigint | null) {
  return { mode, accountId, limit: CASES_MAX };
}

/** @returns a transaction that waits. */
export function caseOf(row: ProcessRow): FoundCase {
  return {
    accountId: row.accountId,
    reference: row.end2end,
    since: isoMillis(row.updatedAt),
    dueAt: null,
    money: null,
    row,
    detail: row.clientName ?? row.wallet ?? row.pixKey,
  };
}

/** @returns a case of the house, without an amount and a deadline. */
export function ofHouse(reference: string, since: string): FoundCase {
  return { accountId: null, reference, since, dueAt: null, money: null, row: null, detail: null };
}

/** @returns the time after an instant, ISO 8601. */
export function after(instant: Instant, ms: number): string {
  return new Date(millisOf(instant) + ms).toISOString();
}

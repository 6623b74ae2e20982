/** Statement entries and their envelope (`service.md` 2.8). */

import { fromMinor } from '../base/money/money.ts';
import { quoted } from '../base/text/quoted.ts';
import { isoSeconds } from '../base/time/instant.ts';
import type { PublishedRow } from '../templates/facts.ts';
import { type JsonText, listPieces } from './list.ts';

/** Facts of a statement entry. */
export interface EntryFacts {
  readonly id: bigint | string;
  readonly postedAt: string;
  /** Minor units of the ledger account's scale; a credit is positive. */
  readonly delta: string;
  readonly balanceBefore: string;
  readonly balanceAfter: string;
  readonly ledgerAccount: {
    readonly id: bigint | string;
    readonly name: string;
    readonly code: string;
    readonly currency: string;
    readonly prettyName: string;
    readonly scale: number;
  };
}

/** @returns debit and credit of a change as decimals; the other side is `0`. */
export function sidesOf(delta: string, scale: number): { debit: string; credit: string } {
  const isDebit = delta.startsWith('-');
  const amount = fromMinor(isDebit ? delta.slice(1) : delta, scale);
  return isDebit ? { debit: amount, credit: '0' } : { debit: '0', credit: amount };
}

/** Amounts of a line as decimals. */
export function lineAmounts(
  line: Pick<EntryFacts, 'delta' | 'balanceBefore' | 'balanceAfter'>,
  scale: number,
) {
  return {
    ...sidesOf(line.delta, scale),
    previousBalance: fromMinor(line.balanceBefore, scale),
    balance: fromMinor(line.balanceAfter, scale),
  };
}

/**
 * @param date - time of the journal as ISO 8601 text.
 * @param transaction - JSON text of the entry's `transaction`; `null` for an adjustment.
 * @returns the JSON text of one entry.
 */
export function statementEntry(line: EntryFacts, date: string, transaction: string): string {
  const account = line.ledgerAccount;
  const amounts = lineAmounts(line, account.scale);
  return (
    `{"id":${line.id},"date":"${date}","account":{"id":${account.id},"name":${quoted(account.name)},` +
    `"code":${quoted(account.code)},"currency":${quoted(account.currency)},"currency_pretty_name":${quoted(account.prettyName)}},` +
    `"debit":${amounts.debit},"credit":${amounts.credit},"previous_balance":${amounts.previousBalance},"balance":${amounts.balance},` +
    `"transaction":${transaction}}`
  );
}

/** Writes a page; the statement's envelope has no version. */
export function statementEnvelope(
  total: bigint,
  page: { limit: number; offset: number },
  lines: readonly (EntryFacts & { readonly transaction: PublishedRow | null })[],
  embedded: (row: PublishedRow) => string,
): JsonText {
  const entries = lines.map((line) =>
    statementEntry(line, isoSeconds(line.postedAt), line.transaction ? embedded(line.transaction) : 'null'),
  );
  const head = `{"total":${total},"limit":${page.limit},"offset":${page.offset},"entries":[`;
  return listPieces(head, entries);
}

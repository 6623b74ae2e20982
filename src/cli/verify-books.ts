/** Verification of the books of a database, for `crossramp verify` and for a move of a cell. */
import { ACCOUNT_MODES } from '../base/access/account-mode.ts';
import { allAccounts } from '../store/account/accounts.ts';
import type { Database } from '../store/connection/database.ts';
import { readBrokenCloses } from '../store/ledger/book-closes.ts';
import { clearingDefects, type Defect, verifyLedger } from '../store/ledger/verify.ts';

/** A defect as commands show it. */
export interface ShownDefect {
  /** `all` for a defect of no account alone. */
  readonly accountId: string;
  readonly defect: string;
  readonly ledgerAccountId: number | null;
  readonly at: number | null;
  readonly detail: string;
}

/** Verifies these accounts. @param onProgress - called with the number of ledger lines that were checked. */
export async function verifyAccounts(
  database: Database,
  accounts: readonly bigint[],
  onProgress: (lines: number) => void,
): Promise<{ checked: number; defects: ShownDefect[] }> {
  const result = { checked: 0, defects: [] as ShownDefect[] };
  for (const accountId of accounts) {
    const account = await verifyLedger(database, accountId, {
      onProgress: (lines) => onProgress(result.checked + lines),
    });
    result.checked += account.checked;
    result.defects.push(...account.defects.map((defect) => shownDefect(accountId, defect)));
  }
  return result;
}

/** Verifies all accounts, and what holds over all of them together. */
export async function verifyBooks(
  database: Database,
  onProgress: (lines: number) => void,
): Promise<{ checked: number; defects: ShownDefect[] }> {
  const { checked, defects } = await verifyAccounts(database, await allAccounts(database), onProgress);
  return {
    checked,
    defects: [...defects, ...(await verifyClearing(database)), ...(await brokenCloses(database))],
  };
}

/** @returns the currencies in which transfers between accounts do not balance. */
export async function verifyClearing(database: Database): Promise<ShownDefect[]> {
  return (await clearingDefects(database)).map(({ currency, sum }) => ({
    accountId: 'all',
    defect: 'clearing is not zero',
    ledgerAccountId: null,
    at: null,
    detail: `${currency} is ${sum} over all accounts`,
  }));
}

/** @returns a defect in one line, with its ledger account and the number of its journal or line. */
export function defectText({ accountId, ledgerAccountId, at, defect, detail }: ShownDefect): string {
  const parts = [`account ${accountId}`];
  if (ledgerAccountId !== null) parts.push(`ledger account ${ledgerAccountId}`);
  if (at !== null) parts.push(`at ${at}`);
  return `${parts.join(', ')}: ${defect}: ${detail}`;
}

/** Closed days whose hash does not follow from the day before and from what moved. */
async function brokenCloses(database: Database): Promise<ShownDefect[]> {
  const days = await Promise.all(ACCOUNT_MODES.map((mode) => readBrokenCloses(database, mode)));
  return days.flat().map((day) => ({
    accountId: 'all',
    defect: 'hash of a closed day',
    ledgerAccountId: null,
    at: null,
    detail: `that of ${day} does not follow from what moved`,
  }));
}

function shownDefect(accountId: bigint, { defect, ledgerAccountId, at, detail }: Defect): ShownDefect {
  const number = (value: bigint | null) => (value === null ? null : Number(value));
  return {
    accountId: String(accountId),
    defect,
    ledgerAccountId: number(ledgerAccountId),
    at: number(at),
    detail,
  };
}

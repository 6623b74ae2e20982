/** Imports an account's history: a file as a whole, or nothing of it (contract C-70). */
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { houseSheet } from '../../ledger/chart.ts';
import {
  compareEntries,
  type FreshEntry,
  freshEntries,
  insertFresh,
  knownTransactions,
  resolveEntries,
  type StagedSheet,
  stagedSheets,
} from '../../store/account/staged-history.ts';
import type { Database, Tx } from '../../store/connection/database.ts';
import {
  importLines,
  type LedgerTail,
  ledgerAccounts,
  ledgerTails,
  lockAccount,
  openLedgerAccounts,
} from '../../store/ledger/history.ts';
import { withCancellableTx } from '../../store/ledger/long-transaction.ts';
import type { Registry } from '../../templates/registry.ts';
import { digester, ImportRefused, type Lines, type StagedHistory, stageHistory } from './stage-history.ts';

/** Numbers of new and of existing records. */
export interface ImportSummary {
  readonly transactions: { readonly taken: number; readonly known: number };
  readonly entries: { readonly taken: number; readonly known: number };
}

/** Progress of an import. */
export interface ImportProgress {
  readonly phase: 'reading' | 'waiting' | 'transactions' | 'entries';
  /** Number of lines read, seconds of waiting for another writer of the account, or number of imported records. */
  readonly done: number;
  /** Of how many; null where that is not known: while the file is read, and while it waits. */
  readonly of: number | null;
}

/** Hooks to follow and stop an import. */
export interface ImportOptions {
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called with the imported records, in the same database transaction and under the lock of the account. */
  readonly atomically?: (tx: Tx, summary: ImportSummary) => Promise<void>;
  /** Ends the import, including its running statement; nothing is imported then. */
  readonly signal?: AbortSignal;
}

type Refuse = (line: number, reason: string) => ImportRefused;

/**
 * @param file - its name, for messages.
 * @param lines - of NDJSON, one record per line, in any order. Records are read one at a time, and never held all together.
 * @throws {ImportRefused} naming file, line and reason; nothing is imported then.
 */
export async function importAccount(
  database: Database,
  registry: Registry,
  accountId: bigint,
  file: string,
  lines: Lines,
  { onProgress = () => {}, atomically, signal }: ImportOptions = {},
): Promise<ImportSummary> {
  const refuse: Refuse = (line, reason) => new ImportRefused(file, line, reason);
  const report = (progress: ImportProgress) => {
    signal?.throwIfAborted();
    onProgress(progress);
  };
  return withCancellableTx(database, signal, async (tx) => {
    const onRead = (done: number) => report({ phase: 'reading', done, of: null });
    const staged = await stageHistory(tx, registry, file, lines, onRead);
    // Called late, so that other writers of the account do not wait for the file to be read.
    let waited = 0;
    await lockAccount(tx, accountId, () => {
      waited += 1;
      report({ phase: 'waiting', done: waited, of: null });
    });
    const transactions = await importTransactions(tx, registry, accountId, staged, refuse, report);
    const entries = await importEntries(tx, accountId, staged, refuse, report);
    const summary = {
      transactions: { taken: transactions, known: staged.transactions - transactions },
      entries: { taken: entries, known: staged.entries - entries },
    };
    await atomically?.(tx, summary);
    return summary;
  });
}

type ReportProgress = (progress: ImportProgress) => void;

/** @returns the number of new records. */
async function importTransactions(
  tx: Tx,
  registry: Registry,
  accountId: bigint,
  staged: StagedHistory,
  refuse: Refuse,
  report: ReportProgress,
): Promise<number> {
  const digestOf = digester(registry);
  let known = 0;
  for await (const { line, digest, row } of knownTransactions(tx, accountId)) {
    if (digest !== digestOf(row))
      throw refuse(line, `clashes with the account's transaction ${row.end2end}, which is different`);
    known += 1;
  }
  const fresh = staged.transactions - known;
  if (fresh === 0) return 0;
  for await (const done of insertFresh(tx, accountId)) report({ phase: 'transactions', done, of: fresh });
  return fresh;
}

/** @returns the number of new lines. */
async function importEntries(
  tx: Tx,
  accountId: bigint,
  staged: StagedHistory,
  refuse: Refuse,
  report: ReportProgress,
): Promise<number> {
  const unknown = await resolveEntries(tx, accountId);
  if (unknown) throw refuse(unknown.line, `names an unknown transaction ${unknown.name}`);
  const other = await compareEntries(tx, accountId);
  if (other)
    throw refuse(other.line, `clashes with the account's statement entry ${other.name}, which is different`);
  const sheets = await openAccounts(tx, accountId, await stagedSheets(tx), refuse);
  const check = chainChecker(await ledgerTails(tx, accountId), sheets, refuse);
  let added = 0;
  for await (const entries of freshEntries(tx)) {
    for (const entry of entries) check(entry);
    await importLines(tx, accountId, entries);
    added += entries.length;
    report({ phase: 'entries', done: added, of: staged.entries });
  }
  return added;
}

/** Fields that must be equal wherever a ledger account is named. */
const SHEET_FIELDS = ['id', 'code', 'name', 'currency', 'prettyName', 'subAccount'] as const;

/**
 * Opens the ledger accounts that entries name, with the given properties, and the house accounts of the other side.
 *
 * @returns all named accounts, by id.
 */
async function openAccounts(
  tx: Tx,
  accountId: bigint,
  named: readonly (StagedSheet & { line: number })[],
  refuse: Refuse,
): Promise<ReadonlyMap<bigint, StagedSheet>> {
  const sheets = new Map<string, StagedSheet>();
  const enter = (sheet: StagedSheet) => {
    sheets.set(`id ${sheet.id}`, sheet);
    sheets.set(`${sheet.currency} ${sheet.subAccount}`, sheet);
  };
  for (const held of await ledgerAccounts(tx, accountId)) enter(held);
  const opened: StagedSheet[] = [];
  for (const { line, ...sheet } of named) {
    const held = sheets.get(`id ${sheet.id}`) ?? sheets.get(`${sheet.currency} ${sheet.subAccount}`);
    if (!held) {
      enter(sheet);
      opened.push(sheet);
    } else if (SHEET_FIELDS.some((field) => held[field] !== sheet[field])) {
      throw refuse(line, `clashes with ledger account ${held.id} ${held.code} ${held.name}`);
    }
  }
  const houses = [...new Set(named.map((sheet) => sheet.currency))].map((code) => {
    return houseSheet(accountId, currencyOfLedger(code), 'E.opening');
  });
  await openLedgerAccounts(tx, accountId, [
    ...opened.map((sheet) => ({ ...sheet, house: null })),
    ...houses.map((house) => ({ ...house, id: null })),
  ]);
  return new Map(named.map((sheet) => [sheet.id, sheet]));
}

/** @returns a check that each line starts where the one before it ended, with a greater id and no earlier day. */
function chainChecker(
  tails: ReadonlyMap<bigint, LedgerTail>,
  sheets: ReadonlyMap<bigint, StagedSheet>,
  refuse: Refuse,
): (entry: FreshEntry) => void {
  const ends = new Map<bigint, { id: bigint; balance: bigint; day: string }>();
  for (const tail of tails.values()) {
    if (tail.lastLineId === null || tail.lastPostedAt === null) continue;
    ends.set(tail.ledgerAccountId, {
      id: tail.lastLineId,
      balance: BigInt(tail.balance),
      day: tail.lastPostedAt.slice(0, 10),
    });
  }
  return ({ line, id, ledgerAccountId, postedAt, delta, ...entry }) => {
    const balanceBefore = BigInt(entry.balanceBefore);
    const day = postedAt.slice(0, 10);
    const end = ends.get(ledgerAccountId);
    const { name = '', scale = 0 } = sheets.get(ledgerAccountId) ?? {};
    if (end && id <= end.id)
      throw refuse(line, `clashes: entry ${id} comes before the account's newest line ${end.id} of ${name}`);
    if (end && balanceBefore !== end.balance)
      throw refuse(
        line,
        `does not chain: previous_balance ${fromMinor(balanceBefore, scale)} of ${name}, the line before ended at ${fromMinor(end.balance, scale)}`,
      );
    if (end && day < end.day)
      throw refuse(line, `does not chain: its day is before that of the line before (${end.day})`);
    ends.set(ledgerAccountId, { id, balance: balanceBefore + BigInt(delta), day });
  };
}

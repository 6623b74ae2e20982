/** Takes an account's history in: a file whole, or nothing of it (contract C-70). */
import { assert } from '../base/assert.ts';
import { type ExactJson, isExactObject, parseExactJson } from '../base/exact-json.ts';
import { fromMinor } from '../base/money.ts';
import { houseSheet } from '../ledger/chart.ts';
import type { Database, Tx } from '../store/database.ts';
import {
  importLines,
  insertTransactions,
  knownLines,
  knownTransactions,
  type LedgerTail,
  ledgerAccounts,
  ledgerTails,
  lockAccount,
  type NewLine,
  openLedgerAccounts,
} from '../store/history.ts';
import type { LedgerAccountRow } from '../store/ledger.ts';
import type { Registry } from '../templates/registry.ts';
import { envelopeWriter } from '../wire/envelope.ts';
import {
  type HistoryEntry,
  HistoryError,
  type HistoryTransaction,
  readEntry,
  readTransaction,
} from '../wire/history.ts';

/** A file of history that is not taken. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  /** @param line - from 1. */
  constructor(file: string, line: number, reason: string) {
    super(`${file}:${line}: ${reason}`);
  }
}

/** What came in, and what the account had already. */
export interface ImportSummary {
  readonly transactions: { readonly taken: number; readonly known: number };
  readonly entries: { readonly taken: number; readonly known: number };
}

interface Placed<Record> {
  readonly line: number;
  readonly record: Record;
}

interface History {
  readonly transactions: readonly Placed<HistoryTransaction>[];
  readonly entries: readonly Placed<HistoryEntry>[];
}

/**
 * @param file - its name, for messages.
 * @param text - NDJSON, one record a line, in any order.
 * @throws {ImportRefused} naming file, line and reason; nothing is taken then.
 */
export async function importAccount(
  database: Database,
  registry: Registry,
  accountId: bigint,
  file: string,
  text: string,
): Promise<ImportSummary> {
  const history = parseHistory(registry, file, text);
  const refuse = (line: number, reason: string) => new ImportRefused(file, line, reason);
  return database.withTx(async (tx) => {
    await lockAccount(tx, accountId);
    const { ids, taken } = await takeTransactions(tx, registry, accountId, history, refuse);
    const entries = await takeEntries(tx, accountId, history, ids, refuse);
    return {
      transactions: { taken, known: history.transactions.length - taken },
      entries: { taken: entries, known: history.entries.length - entries },
    };
  });
}

type Refuse = (line: number, reason: string) => ImportRefused;

function parseHistory(registry: Registry, file: string, text: string): History {
  const transactions: Placed<HistoryTransaction>[] = [];
  const entries: Placed<HistoryEntry>[] = [];
  const lines = text.split('\n');
  for (const [index, raw] of lines.entries()) {
    if (raw.trim() === '') continue;
    const line = index + 1;
    try {
      const { type, body } = parseLine(raw);
      if (type === 'transaction') transactions.push({ line, record: readTransaction(registry, body) });
      else entries.push({ line, record: readEntry(body) });
    } catch (error) {
      if (error instanceof HistoryError) throw new ImportRefused(file, line, error.message);
      throw error;
    }
  }
  refuseRepeats(file, transactions, (transaction) => transaction.end2end);
  refuseRepeats(file, entries, (entry) => `statement entry ${entry.id}`);
  return { transactions, entries };
}

function parseLine(raw: string): {
  type: 'transaction' | 'statement_entry';
  body: { readonly [name: string]: ExactJson };
} {
  let value: ExactJson;
  try {
    value = parseExactJson(raw);
  } catch {
    throw new HistoryError('not JSON');
  }
  if (!isExactObject(value)) throw new HistoryError('expected an object');
  const { type, ...body } = value;
  if (type !== 'transaction' && type !== 'statement_entry')
    throw new HistoryError('type: expected transaction or statement_entry');
  return { type, body };
}

function refuseRepeats<Record>(
  file: string,
  placed: readonly Placed<Record>[],
  nameOf: (record: Record) => string,
): void {
  const first = new Map<string, number>();
  for (const { line, record } of placed) {
    const name = nameOf(record);
    const before = first.get(name);
    if (before !== undefined)
      throw new ImportRefused(file, line, `clashes with line ${before}: ${name} stands twice`);
    first.set(name, line);
  }
}

/** @returns ids of all transactions that the file names, and how many were new. */
async function takeTransactions(
  tx: Tx,
  registry: Registry,
  accountId: bigint,
  history: History,
  refuse: Refuse,
) {
  const named = new Set(history.transactions.map(({ record }) => record.end2end));
  for (const { record } of history.entries) if (record.end2end !== null) named.add(record.end2end);
  const known = await knownTransactions(tx, accountId, [...named]);
  const { envelope } = envelopeWriter(registry, { exactIntegers: true, exactInstants: true });
  const fresh = history.transactions.filter(({ line, record }) => {
    const existing = known.get(record.end2end);
    if (!existing) return true;
    if (envelope(existing) !== envelope({ ...record, accountId, id: existing.id })) {
      throw refuse(line, `clashes with the account's transaction ${record.end2end}, which is different`);
    }
    return false;
  });
  const ids = new Map([...known].map(([end2end, row]) => [end2end, row.id]));
  if (fresh.length > 0) {
    const rows = fresh.map(({ record }) => {
      const template = registry.find(record.template);
      assert(template, `template ${record.template} was checked when its line was read`);
      return { ...record, family: template.family };
    });
    for (const [end2end, id] of await insertTransactions(tx, accountId, rows)) ids.set(end2end, id);
  }
  return { ids, taken: fresh.length };
}

/** @returns how many lines were new. */
async function takeEntries(
  tx: Tx,
  accountId: bigint,
  history: History,
  transactionIds: ReadonlyMap<string, bigint>,
  refuse: Refuse,
): Promise<number> {
  const known = await knownLines(
    tx,
    accountId,
    history.entries.map(({ record }) => record.id),
  );
  const fresh = history.entries
    .filter(({ line, record }) => {
      if (record.end2end !== null && !transactionIds.has(record.end2end)) {
        throw refuse(line, `names an unknown transaction ${record.end2end}`);
      }
      const existing = known.get(record.id);
      if (!existing) return true;
      const same =
        existing.ledgerAccountId === record.account.id &&
        new Date(existing.postedAt).getTime() === record.date.getTime() &&
        existing.transactionId === (record.end2end === null ? null : transactionIds.get(record.end2end)) &&
        BigInt(existing.delta) === record.delta &&
        BigInt(existing.balanceBefore) === record.balanceBefore;
      if (!same)
        throw refuse(line, `clashes with the account's statement entry ${record.id}, which is different`);
      return false;
    })
    .sort((left, right) => (left.record.id < right.record.id ? -1 : 1));
  await openAccounts(tx, accountId, history.entries, refuse);
  if (fresh.length === 0) return 0;
  checkChains(fresh, await ledgerTails(tx, accountId), refuse);
  await importLines(
    tx,
    accountId,
    fresh.map(({ record }) => newLine(record, transactionIds)),
  );
  return fresh.length;
}

function newLine(record: HistoryEntry, transactionIds: ReadonlyMap<string, bigint>): NewLine {
  return {
    ledgerAccountId: record.account.id,
    id: record.id,
    postedAt: record.date,
    transactionId: record.end2end === null ? null : (transactionIds.get(record.end2end) ?? null),
    balanceBefore: record.balanceBefore,
    delta: record.delta,
  };
}

/** Opens the ledger accounts that entries name, as they name them, and the house accounts of the other side. */
async function openAccounts(
  tx: Tx,
  accountId: bigint,
  entries: readonly Placed<HistoryEntry>[],
  refuse: Refuse,
): Promise<void> {
  const sheets = new Map<string, Sheet>();
  const enter = (sheet: Sheet) => {
    sheets.set(`id ${sheet.id}`, sheet);
    sheets.set(`${sheet.currency} ${sheet.subAccount}`, sheet);
  };
  for (const held of await ledgerAccounts(tx, accountId)) enter(held);
  const opened: Sheet[] = [];
  for (const { line, record } of entries) {
    const sheet = sheetOf(record.account);
    const held = sheets.get(`id ${sheet.id}`) ?? sheets.get(`${sheet.currency} ${sheet.subAccount}`);
    if (!held) {
      enter(sheet);
      opened.push(sheet);
    } else if (SHEET_FIELDS.some((field) => held[field] !== sheet[field])) {
      throw refuse(line, `clashes with ledger account ${held.id} ${held.code} ${held.name}`);
    }
  }
  const currencies = new Map(
    entries.map(({ record }) => [record.account.currency.code, record.account.currency]),
  );
  const houses = [...currencies.values()].map((currency) => houseSheet(accountId, currency, 'E.opening'));
  await openLedgerAccounts(tx, accountId, [
    ...opened.map((sheet) => ({ ...sheet, house: null })),
    ...houses.map((house) => ({ ...house, id: null })),
  ]);
}

/** What must be the same wherever a ledger account is named. */
const SHEET_FIELDS = ['id', 'code', 'name', 'currency', 'prettyName', 'subAccount'] as const;
type Sheet = Pick<LedgerAccountRow, (typeof SHEET_FIELDS)[number] | 'scale'>;

function sheetOf(account: HistoryEntry['account']): Sheet {
  const { id, code, name, prettyName, subAccount, currency } = account;
  return { id, code, name, prettyName, subAccount, currency: currency.code, scale: currency.decimals };
}

/** Each line must start where the one before it ended, with a greater id and no earlier day. */
function checkChains(
  fresh: readonly Placed<HistoryEntry>[],
  tails: ReadonlyMap<bigint, LedgerTail>,
  refuse: Refuse,
): void {
  const ends = new Map<bigint, { id: bigint; balance: bigint; day: string }>();
  for (const tail of tails.values()) {
    if (tail.lastLineId === null || tail.lastPostedAt === null) continue;
    ends.set(tail.ledgerAccountId, {
      id: tail.lastLineId,
      balance: BigInt(tail.balance),
      day: tail.lastPostedAt.slice(0, 10),
    });
  }
  for (const { line, record } of fresh) {
    const { account, id, balanceBefore, balanceAfter } = record;
    const day = record.date.toISOString().slice(0, 10);
    const end = ends.get(account.id);
    if (end && id <= end.id)
      throw refuse(
        line,
        `clashes: entry ${id} comes before the account's newest line ${end.id} of ${account.name}`,
      );
    if (end && balanceBefore !== end.balance) {
      const scale = account.currency.decimals;
      throw refuse(
        line,
        `does not chain: previous_balance ${fromMinor(balanceBefore, scale)} of ${account.name}, the line before ended at ${fromMinor(end.balance, scale)}`,
      );
    }
    if (end && day < end.day)
      throw refuse(line, `does not chain: its day is before that of the line before (${end.day})`);
    ends.set(account.id, { id, balance: balanceAfter, day });
  }
}

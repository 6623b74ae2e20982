/** Reads a file of history line by line and stages its records until all of it has been read (contract C-70). */
import { createHash } from 'node:crypto';
import { assert } from '../../base/errors/assert.ts';
import { type ExactJson, isExactObject, parseExactJson } from '../../base/text/exact-json.ts';
import {
  closeStaging,
  openStaging,
  type StagedEntry,
  type StagedTransaction,
  stageEntries,
  stageTransactions,
} from '../../store/account/staged-history.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { PublishedRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import { envelopeWriter } from '../../wire/envelope.ts';
import { HistoryError, readEntry, readTransaction } from '../../wire/history.ts';

/** A file of history that is refused. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  /** @param line - from 1. */
  constructor(file: string, line: number, reason: string) {
    super(`${file}:${line}: ${reason}`);
  }
}

/** The records of a file. */
export interface StagedHistory {
  readonly transactions: number;
  readonly entries: number;
}

/** Lines of a file, without their ends. */
export type Lines = Iterable<string> | AsyncIterable<string>;

const BATCH = 1_000;

/**
 * @param onRead - called from time to time with the number of lines read.
 * @throws {ImportRefused} naming the first line that cannot be read, or whose record appears twice.
 */
export async function stageHistory(
  tx: Tx,
  registry: Registry,
  file: string,
  lines: Lines,
  onRead: (lines: number) => void,
): Promise<StagedHistory> {
  await openStaging(tx);
  const digestOf = digester(registry);
  let transactions: StagedTransaction[] = [];
  let entries: StagedEntry[] = [];
  const counted = { transactions: 0, entries: 0 };
  const flush = async () => {
    if (transactions.length > 0) await stageTransactions(tx, transactions);
    if (entries.length > 0) await stageEntries(tx, entries);
    counted.transactions += transactions.length;
    counted.entries += entries.length;
    transactions = [];
    entries = [];
  };
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const read = recordOf(registry, file, line, text);
    if ('entry' in read) entries.push(read.entry);
    else transactions.push({ line, digest: digestOf(read.transaction), record: read.transaction });
    if (transactions.length + entries.length < BATCH) continue;
    await flush();
    onRead(line);
  }
  await flush();
  onRead(line);
  const repeated = await closeStaging(tx);
  if (repeated)
    throw new ImportRefused(
      file,
      repeated.line,
      `clashes with line ${repeated.first}: ${repeated.name} appears twice`,
    );
  return counted;
}

/** @returns a function that says whether two transactions have the same published text: the same digest. */
export function digester(registry: Registry): (row: PublishedRow) => string {
  const { envelope } = envelopeWriter(registry, { exactIntegers: true, exactInstants: true });
  return (row) => createHash('sha256').update(envelope(row)).digest('base64');
}

type Read = { transaction: StagedTransaction['record'] } | { entry: StagedEntry };

function recordOf(registry: Registry, file: string, line: number, text: string): Read {
  try {
    const { type, body } = parseLine(text);
    if (type === 'statement_entry') return { entry: stagedEntry(line, readEntry(body)) };
    const transaction = readTransaction(registry, body);
    const template = registry.find(transaction.template);
    assert(template, `template ${transaction.template} was checked when its line was read`);
    return { transaction: { ...transaction, family: template.family } };
  } catch (error) {
    if (error instanceof HistoryError) throw new ImportRefused(file, line, error.message);
    throw error;
  }
}

function stagedEntry(line: number, entry: ReturnType<typeof readEntry>): StagedEntry {
  const { id, date: postedAt, end2end, balanceBefore, delta, account } = entry;
  const { currency, ...named } = account;
  const sheet = { ...named, currency: currency.code, scale: currency.decimals };
  return { line, id, postedAt, end2end, balanceBefore, delta, account: sheet };
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

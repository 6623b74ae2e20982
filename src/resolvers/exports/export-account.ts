/** Exports an account: its history in the form that import accepts (contract C-70), or its journals for accountants. */
import { isoExact } from '../../base/time/instant.ts';
import type { Tx } from '../../store/connection/database.ts';
import { type ExportedLine, exportLines, exportTransactions } from '../../store/ledger/history.ts';
import { readJournals, readPostings } from '../../store/ledger/journals.ts';
import type { Registry } from '../../templates/registry.ts';
import { envelopeWriter } from '../../wire/envelope.ts';
import { journalEntry } from '../../wire/journal.ts';
import { statementEntry } from '../../wire/statement.ts';

const BATCH = 1_000;
const EXACT = { exactIntegers: true, exactInstants: true };

/**
 * Yields NDJSON lines: transactions, then statement entries, oldest first. Numbers that the interface rounds are written
 * exactly (C-4), and times with their fraction (C-2), so that a later import loses nothing.
 *
 * @param tx - a snapshot, so that the written records are consistent.
 */
export async function* exportAccount(tx: Tx, registry: Registry, accountId: bigint): AsyncGenerator<string> {
  const { envelope } = envelopeWriter(registry, EXACT);
  for (let after = 0n; ; ) {
    const rows = await exportTransactions(tx, accountId, after, BATCH);
    for (const row of rows) yield `{"type":"transaction",${envelope(row).slice(1)}\n`;
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  for (let after = 0n; ; ) {
    const lines = await exportLines(tx, accountId, after, BATCH);
    for (const line of lines) yield `{"type":"statement_entry",${exportedEntry(line).slice(1)}\n`;
    const last = lines.at(-1);
    if (!last) break;
    after = last.id;
  }
}

/**
 * Yields NDJSON lines: every journal with both its sides, oldest first. Together with the statement it is the whole double
 * entry of the account; of house accounts it has the class and the movements, no names and no balances.
 *
 * @param tx - a snapshot.
 */
export async function* exportJournals(tx: Tx, accountId: bigint): AsyncGenerator<string> {
  for (let after = 0n; ; ) {
    const journals = await readJournals(tx, accountId, after, BATCH);
    const ids = journals.map(({ id }) => id);
    const postings = await readPostings(tx, accountId, ids);
    for (const journal of journals) yield `${journalEntry(journal, postings.get(journal.id) ?? [])}\n`;
    const last = ids.at(-1);
    if (last === undefined) break;
    after = last;
  }
}

function exportedEntry(line: ExportedLine): string {
  const ledgerAccount = { ...line, id: line.ledgerAccountId };
  return statementEntry({ ...line, ledgerAccount }, isoExact(line.postedAt), JSON.stringify(line.end2end));
}

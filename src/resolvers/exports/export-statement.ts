/** Writes the statement of an account out, oldest line first: CSV, JSON lines, OFX for BRL, or a journal for hledger. */

import { Violations } from '../../base/errors/violations.ts';
import { BRL } from '../../base/money/currency.ts';
import { fromMinor, sum } from '../../base/money/money.ts';
import { type Instant, instantOf, isoExact } from '../../base/time/instant.ts';
import { boundsIn, dayIn, isWithin, startOf, utcDaysOf, type Zone } from '../../base/time/zone.ts';
import { SUB_ACCOUNTS } from '../../ledger/chart.ts';
import { findTransactions } from '../../store/engine/transactions.ts';
import {
  type LedgerEnd,
  readCurrencies,
  readJournalRange,
  readLedgerEnd,
} from '../../store/ledger/export-ledger.ts';
import { readPostings } from '../../store/ledger/journals.ts';
import { type LedgerLineRow, readStatementLines, type StatementFilter } from '../../store/ledger/ledger.ts';
import { CSV_FORMS, type CsvLanguage, csvLine } from '../../wire/csv.ts';
import { hledgerClosing, hledgerHead, hledgerJournal, hledgerOpening } from '../../wire/hledger.ts';
import { ofxHead, ofxMovement, ofxTail } from '../../wire/ofx.ts';
import { lineAmounts, statementEntry } from '../../wire/statement.ts';
import { checkStatementFilter, type StatementFilterInput } from '../ledger/read-statement.ts';
import { type Context, requireScope } from '../services/context.ts';
import { type Movement, type StatementAmounts, statementColumns } from './statement-columns.ts';

/** Formats of a statement. */
export type StatementFormat = 'csv' | 'jsonl' | 'ofx' | 'hledger';

const BATCH = 1_000;

/** Source of an export. */
interface Source {
  readonly context: Context;
  /** Days of `zone`. */
  readonly filter: StatementFilter;
  readonly zone: Zone;
  /** End of the export, which excludes later lines. */
  readonly end: LedgerEnd;
}

/** Form of a file. */
export interface StatementForm {
  readonly format: StatementFormat;
  readonly language: CsvLanguage;
  /** Zone of days and times. */
  readonly zone: Zone;
}

/**
 * @returns text in parts; the last part has the sums of the lines.
 * @throws {GatewayError} `INVALID_PARAMETER`, `FORBIDDEN`, before the first part.
 */
export async function* exportStatement(
  context: Context,
  input: StatementFilterInput,
  { format, language, zone }: StatementForm,
): AsyncGenerator<string> {
  requireScope(context, 'read');
  const violations = new Violations();
  const checked = await checkStatementFilter(context, input, violations);
  if (format === 'ofx' && checked.currencies?.every((code) => code === BRL.code) === false)
    violations.add({ parameter: input.currency?.name ?? 'currency', message: 'must be BRL for OFX' });
  violations.refuse();
  // An OFX file is the statement of one account of a bank.
  const one = { currencies: [BRL.code], subAccount: checked.subAccount ?? SUB_ACCOUNTS.available };
  const filter = format === 'ofx' ? { ...checked, ...one } : checked;
  const { to } = boundsIn(zone, filter);
  const until = to === undefined ? undefined : new Date(to - 1);
  const end = await readLedgerEnd(context.database, context.caller.accountId, until);
  const source = { context, filter, zone, end };
  if (format === 'ofx') yield* ofx(source);
  else if (format === 'hledger') yield* hledger(source);
  else yield* lines(source, format, language);
}

async function* movements({ context, filter, zone, end }: Source): AsyncGenerator<readonly Movement[]> {
  const { database, caller } = context;
  const { dateFrom: _from, dateTo: _to, ...others } = filter;
  const read = { ...others, ...utcDaysOf(zone, filter) };
  for (let above: bigint | undefined; ; ) {
    const slice = { limit: BATCH, above, below: end.lastLine + 1n, isBackward: true };
    const { lines: found } = await readStatementLines(database, caller.accountId, read, slice);
    if (found.length === 0) return;
    const lines = found.filter(({ postedAt }) => isWithin(zone, filter, postedAt));
    const ids = [...new Set(lines.flatMap(({ transactionId }) => transactionId ?? []))];
    const rows = await findTransactions(database, caller.accountId, ids);
    const byId = new Map(rows.map((row) => [row.id, row]));
    yield lines.map((line) => ({
      line,
      transaction: line.transactionId === null ? null : (byId.get(line.transactionId) ?? null),
    }));
    above = found.at(-1)?.id;
    if (found.length < BATCH) return;
  }
}

async function* lines(
  source: Source,
  format: 'csv' | 'jsonl',
  language: CsvLanguage,
): AsyncGenerator<string> {
  const totals = new Map<string, StatementAmounts & { readonly line: LedgerLineRow }>();
  let count = 0;
  const form = CSV_FORMS[language];
  const csv = statementColumns(source.context.registry, language, source.zone);
  if (format === 'csv') yield form.mark + csvLine(form, csv.headings);
  for await (const batch of movements(source)) {
    for (const { line } of batch) {
      const { code, scale } = line.ledgerAccount;
      const { debit, credit, balance } = lineAmounts(line, scale);
      const before = totals.get(code) ?? { debit: '0', credit: '0' };
      totals.set(code, {
        line,
        debit: sum([before.debit, debit]),
        credit: sum([before.credit, credit]),
        balance,
      });
    }
    count += batch.length;
    yield batch.map((each) => (format === 'csv' ? csvLine(form, csv.cells(each)) : jsonLine(each))).join('');
  }
  const all = [...totals.values()];
  if (format === 'csv') {
    for (const { line, ...total } of all) yield csvLine(form, csv.total(line, total));
    yield csvLine(form, csv.count(count));
  } else {
    const sums = all.map(
      ({
        line: {
          ledgerAccount: { code, currency },
        },
        debit,
        credit,
        balance,
      }) =>
        `{"account":${JSON.stringify(code)},"currency":${JSON.stringify(currency)},"debit":${debit},"credit":${credit},"balance":${balance}}`,
    );
    yield `{"type":"totals","count":${count},"sums":[${sums.join(',')}]}\n`;
  }
}

function jsonLine({ line, transaction }: Movement): string {
  const end2end = JSON.stringify(transaction?.end2end ?? null);
  return `{"type":"statement_entry",${statementEntry(line, isoExact(line.postedAt), end2end).slice(1)}\n`;
}

async function* ofx(source: Source): AsyncGenerator<string> {
  const { context, filter, zone, end } = source;
  const { subAccount, dateFrom } = filter;
  const last = boundsIn(zone, filter).to;
  const to = instantOf(new Date(last === undefined ? await context.clock.nowMs() : last - 1));
  let isBegun = false;
  const head = (first: Instant) => {
    const from = dateFrom === undefined ? first : instantOf(new Date(startOf(zone, dateFrom)));
    const [name = ''] = Object.entries(SUB_ACCOUNTS).find(([, number]) => number === subAccount) ?? [];
    return ofxHead({ accountId: String(context.caller.accountId), subAccount: name, from, to, zone });
  };
  for await (const batch of movements(source)) {
    if (!isBegun) yield head(batch[0]?.line.postedAt ?? to);
    isBegun = true;
    yield batch.map((each) => ofxLine(each, zone)).join('');
  }
  if (!isBegun) yield head(to);
  const held = end.balances.find((row) => row.currency === BRL.code && row.subAccount === subAccount);
  yield ofxTail(held ? fromMinor(held.balance, held.scale) : '0', to, zone);
}

function ofxLine({ line, transaction }: Movement, zone: Zone): string {
  const memo = [transaction?.clientName, transaction?.externalCode].filter(Boolean).join(' ');
  const movement = {
    id: String(line.id),
    at: line.postedAt,
    amount: fromMinor(line.delta, line.ledgerAccount.scale),
    name: transaction?.end2end ?? 'adjustment',
    memo: memo === '' ? null : memo,
  };
  return ofxMovement(movement, zone);
}

async function* hledger({ context, filter, zone, end }: Source): AsyncGenerator<string> {
  const { database, caller } = context;
  const { currencies, dateFrom, dateTo } = filter;
  const isWanted = (each: { readonly currency: string }) => currencies?.includes(each.currency) ?? true;
  yield hledgerHead(await readCurrencies(database, caller.accountId));
  if (dateFrom !== undefined) {
    const before = new Date(startOf(zone, dateFrom) - 1);
    const { balances } = await readLedgerEnd(database, caller.accountId, before);
    yield hledgerOpening(dateFrom, balances.filter(isWanted));
  }
  const bounds = boundsIn(zone, filter);
  const [from, to] = [bounds.from, bounds.to].map((ms) => (ms === undefined ? null : new Date(ms))) as [
    Date | null,
    Date | null,
  ];
  let lastDay = dateFrom;
  for (let after = 0n; ; ) {
    const range = { after, last: end.lastJournal, from, to };
    const journals = await readJournalRange(database, caller.accountId, range, BATCH);
    const ids = journals.map(({ id }) => id);
    const postings = await readPostings(database, caller.accountId, ids);
    for (const journal of journals) {
      const own = (postings.get(journal.id) ?? []).filter(isWanted);
      if (own.length === 0) continue;
      const day = dayIn(zone, journal.postedAt);
      if (lastDay === undefined || day > lastDay) lastDay = day;
      yield hledgerJournal({ ...journal, day }, own);
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < BATCH) break;
    after = last;
  }
  const closing = dateTo ?? lastDay;
  if (closing !== undefined) yield hledgerClosing(closing, end.balances.filter(isWanted));
}

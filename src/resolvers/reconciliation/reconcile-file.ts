/**
 * Reconciles an exported bank file, for providers without a readable statement: each day of it has a report. The same file
 * again returns the earlier reports, and changes nothing.
 */
import { createHash } from 'node:crypto';
import { invalidParameters } from '../../base/errors/errors.ts';
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { addReconciliation, listIdsBySource } from '../../store/rails/reconciliation.ts';
import { BankFileError, type BankForm, isSameAccount } from '../../wire/bank/bank-row.ts';
import { type BankBytes, inspectBankFile, readBankFile } from '../../wire/bank/read-bank-file.ts';
import { audited } from '../checks/audited.ts';
import { authorOf, type Context, requirePermission } from '../services/context.ts';
import type { RailStatement } from '../services/statement.ts';
import { BankEntries, type BankFileSummary } from './bank-entries.ts';
import { compareStatement } from './compare-statement.ts';
import { refuseMatched } from './known-entries.ts';
import { countsOf } from './reconcile.ts';
import { BANK_FILE } from './reported-entries.ts';

/** A file, as the caller names it. */
export interface BankFile {
  readonly parameter: string;
  readonly bytes: BankBytes;
  readonly form: BankForm;
}

/** Reports of a file, and their subject. */
export interface FileReports {
  readonly file: BankFileSummary;
  /** Ids of the reports, one per day, the oldest first: together they may have hundreds of thousands of findings. */
  readonly reportIds: readonly string[];
}

interface ReadFile {
  readonly file: BankFileSummary;
  readonly read: BankEntries;
  readonly days: readonly [string, ...string[]];
  /** Digest of the file and of its form. */
  readonly source: string;
}

const DAYS_MAX = 366;

/**
 * @returns the content of a file, without a comparison.
 * @throws {GatewayError} as `reconcileFile`.
 */
export async function previewFile(context: Context, file: BankFile): Promise<BankFileSummary> {
  requirePermission(context, 'books.reconcile');
  return (await readFile(context, file, await context.clock.nowMs())).file;
}

/** @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`. */
export async function reconcileFile(context: Context, bankFile: BankFile): Promise<FileReports> {
  requirePermission(context, 'books.reconcile');
  const { database, mode } = context;
  const nowMs = await context.clock.nowMs();
  const { file, read, days, source } = await readFile(context, bankFile, nowMs);
  const known = await listIdsBySource(database, mode, source);
  if (known.length > 0) return { file, reportIds: known };
  const comparison = { rail: BANK_FILE, statement: statementOf(read), days, nowMs, withBalances: false };
  const made = await compareStatement(context, comparison);
  const madeBy = authorOf(context, 'books.reconcile').actorId;
  return audited(context, async (tx, writeDown) => {
    // A parallel request may have read the same file.
    const before = await listIdsBySource(tx, mode, source);
    if (before.length > 0) return { file, reportIds: before };
    await refuseMatched({ database: tx, mode }, BANK_FILE, made);
    const reportIds: string[] = [];
    for (const report of made) {
      const stored = await addReconciliation(tx, mode, { ...report, madeBy, source });
      const after = { rail: BANK_FILE, ...countsOf(stored) };
      writeDown('books.reconcile', { kind: 'book_day', id: report.day }, { after });
      reportIds.push(String(stored.id));
    }
    return { file, reportIds };
  });
}

async function readFile(context: Context, file: BankFile, nowMs: number): Promise<ReadFile> {
  const { parameter, bytes } = file;
  const refuse = (message: string) => invalidParameters([{ parameter, message }]);
  try {
    const form = formOf(context, file.form);
    const kind = await inspectBankFile(bytes);
    const read = new BankEntries();
    for await (const row of readBankFile(bytes, kind, form)) read.add(row);
    const [first, last] = [read.days.toSorted()[0], read.days.toSorted().at(-1)];
    if (first === undefined || last === undefined) throw refuse('must have a movement');
    const today = brasiliaDay(nowMs);
    if (last > today) throw refuse(`must have no day after ${today}, and has ${last}`);
    const days = daysBetween(first, last);
    if (days.length > DAYS_MAX) throw refuse(`must have at most ${DAYS_MAX} days`);
    const source = createHash('sha256').update(kind.digest).update(JSON.stringify(form)).digest('hex');
    return { file: read.summary(), read, days, source };
  } catch (error) {
    throw error instanceof BankFileError ? refuse(error.message) : error;
  }
}

/** Only files of the rail's account count, if that is configured. */
function formOf({ rails }: Context, form: BankForm): BankForm {
  const account = rails.bankAccount ?? null;
  if (account !== null && form.account !== null && !isSameAccount(account, form.account))
    throw new BankFileError(`must be of the account ${account}, which RAILS_FILE names, not ${form.account}`);
  return { ...form, account: account ?? form.account };
}

/** @returns each day, at most one more than `DAYS_MAX`: the ledger may have lines on days without movements in the file. */
function daysBetween(first: string, last: string): readonly [string, ...string[]] {
  const days: [string, ...string[]] = [first];
  for (let day = dayAfter(first); day <= last && days.length <= DAYS_MAX; day = dayAfter(day)) days.push(day);
  return days;
}

function statementOf(read: BankEntries): RailStatement {
  return {
    kinds: ['payment', 'refund', 'dispute', 'payout', 'payout_return'],
    read: async ({ from, to }) => read.entries().filter(({ at }) => at >= from && at < to),
  };
}

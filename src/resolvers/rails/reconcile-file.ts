/**
 * Reconciles a file that a bank exports, for providers without a statement to be read: each day of it has a report. The same file again
 * has the reports of before, and changes nothing.
 */
import { createHash } from 'node:crypto';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../base/brasilia-day.ts';
import { BRL } from '../../base/currency.ts';
import { isEndToEndId, isReturnId } from '../../base/end-to-end-id.ts';
import { invalidParameters } from '../../base/errors.ts';
import { fromMinor } from '../../base/money.ts';
import { addReconciliation, listBySource } from '../../store/rails/reconciliation.ts';
import { type BankColumns, BankFileError, type BankMovement, readBankFile } from '../../wire/bank-file.ts';
import { audited } from '../checks/audited.ts';
import { authorOf, type Context, requireAct } from '../services/context.ts';
import type { RailStatement, StatementEntry } from '../services/statement.ts';
import { compareStatement } from './compare-statement.ts';
import { refuseTaken } from './known-entries.ts';
import { countsOf, type Reconciliation, reportOf } from './reconcile.ts';
import { BANK_FILE } from './told-entries.ts';

/** A file, as the caller names it. */
export interface BankFile {
  readonly parameter: string;
  readonly bytes: Uint8Array;
  readonly columns: BankColumns;
}

const DAYS_MAX = 366;
/** Movements have no time: they stand at noon. Unit: ms. */
const NOON_MS = 12 * 3_600_000;
const PLAIN = ['payment', 'payout'] as const;
const PIX_ID = /[ED][0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}/;

/** @returns a report for each day of the file, the oldest first. @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`. */
export async function reconcileFile(context: Context, file: BankFile): Promise<readonly Reconciliation[]> {
  requireAct(context, 'books.reconcile');
  const { database, mode } = context;
  const nowMs = await context.clock.nowMs();
  const movements = movementsOf(file, brasiliaDay(nowMs));
  const source = createHash('sha256').update(file.bytes).update(JSON.stringify(file.columns)).digest('hex');
  const known = await listBySource(database, mode, source);
  if (known.length > 0) return known.map(reportOf);
  const statement = statementOf(movements);
  const comparison = { rail: BANK_FILE, statement, days: daysOf(movements), nowMs, withBalances: false };
  const made = await compareStatement(context, comparison);
  const madeBy = authorOf(context, 'books.reconcile').actorId;
  return audited(context, async (tx, writeDown) => {
    // Somebody else may have read the same file meanwhile.
    const before = await listBySource(tx, mode, source);
    if (before.length > 0) return before.map(reportOf);
    await refuseTaken({ database: tx, mode }, BANK_FILE, made);
    const reports: Reconciliation[] = [];
    for (const report of made) {
      const stored = await addReconciliation(tx, mode, { ...report, madeBy, source });
      const after = { rail: BANK_FILE, ...countsOf(stored) };
      writeDown('books.reconcile', { kind: 'book_day', id: report.day }, { after });
      reports.push(reportOf(stored));
    }
    return reports;
  });
}

function movementsOf({ parameter, bytes, columns }: BankFile, today: string): readonly BankMovement[] {
  const refuse = (message: string) => invalidParameters([{ parameter, message }]);
  try {
    const movements = readBankFile(bytes, columns);
    if (movements.length === 0) throw refuse('must have a movement');
    const late = movements.find(({ day }) => day > today);
    if (late) throw refuse(`must have no day after ${today}, and has ${late.day}`);
    if (daysOf(movements).length > DAYS_MAX) throw refuse(`must have at most ${DAYS_MAX} days`);
    return movements;
  } catch (error) {
    throw error instanceof BankFileError ? refuse(error.message) : error;
  }
}

/** @returns each day from the first to the last, one more than `DAYS_MAX` at most: the ledger may have something where the bank has nothing. */
function daysOf(movements: readonly BankMovement[]): readonly [string, ...string[]] {
  const given = movements.map(({ day }) => day).toSorted();
  const [first = '', last = ''] = [given[0], given.at(-1)];
  const days: [string, ...string[]] = [first];
  for (let day = dayAfter(first); day <= last && days.length <= DAYS_MAX; day = dayAfter(day)) days.push(day);
  return days;
}

function statementOf(movements: readonly BankMovement[]): RailStatement {
  const named = new Set<string>();
  const entries = movements
    .filter(({ minor }) => minor !== 0n)
    .toSorted((one, other) => Number(sizeOf(other) > sizeOf(one)) - Number(sizeOf(other) < sizeOf(one)))
    .map((movement) => entryOf(movement, named));
  return {
    kinds: ['payment', 'refund', 'dispute', 'payout', 'payout_return'],
    read: async ({ from, to }) => entries.filter(({ at }) => at >= from && at < to),
  };
}

const sizeOf = ({ minor }: BankMovement) => (minor < 0n ? -minor : minor);

/**
 * A movement that tells the id of a PIX is that PIX, or what was paid by hand; any other is found by its amount and day. Of several that tell one id, such as a
 * payout and its fee, the largest is the PIX.
 */
function entryOf(movement: BankMovement, named: Set<string>): StatementEntry {
  const { day, minor, id, text } = movement;
  const [pixId] = PIX_ID.exec(`${id} ${text}`) ?? [];
  const known = pixId && (isEndToEndId(pixId) || isReturnId(pixId)) ? pixId : undefined;
  const [coming, going] = known?.startsWith('D') ? (['payout_return', 'refund'] as const) : PLAIN;
  const kind = minor > 0n ? coming : going;
  const amount = fromMinor(sizeOf(movement), BRL.decimals);
  const at = new Date(brasiliaMidnight(day) + NOON_MS);
  const isAgain = named.has(`${kind} ${known}`);
  if (known && !isAgain) {
    named.add(`${kind} ${known}`);
    return { kind, id: known, amount, at, untold: 'paid_by_hand' };
  }
  const key = `bank:${id}`;
  return { kind, id: isAgain ? key : id, amount, at, news: { kind: 'unknown', key }, untold: 'any' };
}

/**
 * Reconciles a day: the statement of the PIX provider is held against the ledger, and the report is kept. It changes nothing else:
 * what is open, people look at.
 */
import { assert } from '../../base/assert.ts';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../base/brasilia-day.ts';
import { GatewayError, invalidParameters } from '../../base/errors.ts';
import { type Instant, instantOf, millisOf, parseDay } from '../../base/instant.ts';
import { type Named, Violations } from '../../base/violations.ts';
import {
  addReconciliation,
  findReconciliation,
  listReconciliations,
  type NewReconciliation,
  readBookedNews,
  readLinesBetween,
  readLinesOf,
  readOpenSuspense,
  type StoredReconciliation,
} from '../../store/rails/reconciliation.ts';
import { audited } from '../checks/audited.ts';
import type { Attempt } from '../checks/once.ts';
import { authorOf } from '../services/author.ts';
import { type Context, requireAct, requireScope } from '../services/context.ts';
import { railsMissing } from '../services/no-rails.ts';
import type { EntryKind, RailStatement, StatementEntry } from '../services/statement.ts';
import { type Finding, matchStatement, type ToldEntry } from './match-statement.ts';

/** A report. */
export interface Reconciliation extends Omit<StoredReconciliation, 'id' | 'findings'> {
  readonly id: string;
  /** The oldest of them, FINDINGS_MAX at most. */
  readonly findings: readonly Finding[];
}

/** Most findings that a report keeps; their numbers are exact. */
export const FINDINGS_MAX = 1_000;
/** Most reports that are listed at once. */
export const RECONCILIATIONS_MAX = 100;

/** What is booked late has its entry on the day before; what is booked at once may be on the statement a little later. Unit: ms. */
const BEFORE_MS = 24 * 3_600_000;
const AFTER_MS = 3_600_000;
/** Kinds of news by kind of entry. */
const NEWS_KINDS: Readonly<Record<EntryKind, string>> = {
  payment: 'payment',
  refund: 'refund_ended',
  dispute: 'dispute_accepted',
  payout: 'payout_ended',
  payout_return: 'payout_returned',
};

/**
 * @param given - a day in Brasília, yesterday when not given; today is reconciled up to now.
 * @throws {GatewayError} `FORBIDDEN`; `RAILS_MISSING` where there is no statement; `INVALID_PARAMETER`; `UNAVAILABLE` while the
 *   statement cannot be read.
 */
export async function reconcile(
  context: Context,
  given: Named | undefined,
  attempt: Attempt,
): Promise<Reconciliation> {
  requireAct(context, 'books.reconcile');
  const { statement } = context.rails.pix;
  if (!statement) throw railsMissing(['pix']);
  const nowMs = await context.clock.nowMs();
  const day = dayOf(given, nowMs);
  const { database, mode } = context;
  if (attempt.made === null) {
    const report = await compare(context, statement, day, nowMs);
    const madeBy = authorOf(context, 'books.reconcile').actorId;
    return audited(context, async (tx, writeDown) => {
      const stored = await addReconciliation(tx, mode, { ...report, madeBy });
      await attempt.bind(tx, String(stored.id));
      const { matched, missingHere, missingThere, amountDiffers, inSuspense } = stored;
      const after = { matched, missingHere, missingThere, amountDiffers, inSuspense };
      writeDown('books.reconcile', { kind: 'book_day', id: day }, { after });
      return reportOf(stored);
    });
  }
  const stored = await findReconciliation(database, mode, BigInt(attempt.made));
  assert(stored, 'a report that was kept stays');
  return reportOf(stored);
}

/** @returns the newest reports first. @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`. */
export async function readReconciliations(
  context: Context,
  {
    day,
    first,
  }: { readonly day: Named | undefined; readonly first: { readonly name: string; readonly value: number } },
): Promise<readonly Reconciliation[]> {
  requireScope(context, 'platform:books');
  const violations = new Violations();
  if (first.value < 1 || first.value > RECONCILIATIONS_MAX)
    violations.add({
      parameter: first.name,
      message: `must be an integer from 1 to ${RECONCILIATIONS_MAX}`,
    });
  const { dateFrom } = violations.days(day, undefined);
  violations.refuse();
  const filter = { day: dateFrom, limit: first.value };
  return (await listReconciliations(context.database, context.mode, filter)).map(reportOf);
}

/** @returns whether somebody has to look at something. */
export function isOpen({ missingHere, missingThere, amountDiffers, inSuspense }: Reconciliation): boolean {
  return missingHere + missingThere + amountDiffers + inSuspense > 0;
}

async function compare(
  { database, mode }: Context,
  statement: RailStatement,
  day: string,
  nowMs: number,
): Promise<Omit<NewReconciliation, 'madeBy'>> {
  const from = new Date(brasiliaMidnight(day));
  const to = new Date(Math.min(brasiliaMidnight(dayAfter(day)), nowMs));
  const around = {
    from: new Date(from.getTime() - BEFORE_MS),
    to: new Date(Math.min(to.getTime() + AFTER_MS, Math.max(nowMs, to.getTime()))),
  };
  // The ledger first: what comes while the statement is read is not missing there.
  const ofDay = await readLinesBetween(database, mode, from, to);
  const entries = eachOnce(await readWhole(statement, around));
  const names = entries.map(({ kind, id }) => ({ kind: NEWS_KINDS[kind], key: `pix:${id}` }));
  const booked = await readBookedNews(database, mode, names);
  const byPlace = new Map(booked.map((each) => [each.place, each]));
  const told = entries.map(
    (entry, index): ToldEntry => ({
      entry,
      booked: byPlace.get(index + 1),
      isOfDay: entry.at >= from && entry.at < to,
    }),
  );
  const lines = [...ofDay, ...(await readLinesOf(database, booked))];
  const inDay = ({ postedAt }: { readonly postedAt: Instant }) => {
    const ms = millisOf(postedAt);
    return ms >= from.getTime() && ms < to.getTime();
  };
  const { matched, findings } = matchStatement(told, lines, { isOfDay: inDay, kinds: statement.kinds });
  const suspense = await readOpenSuspense(database, mode, to);
  const count = (kind: Finding['finding']) => findings.filter(({ finding }) => finding === kind).length;
  const oldest = [findings[0]?.at, suspense.oldestAt].filter((at) => at != null).toSorted();
  return {
    day,
    until: instantOf(to),
    madeAt: instantOf(new Date(nowMs)),
    matched,
    missingHere: count('missing_here'),
    missingThere: count('missing_there'),
    amountDiffers: count('amount_differs'),
    inSuspense: suspense.count,
    oldestOpenAt: oldest[0] ?? null,
    findings: findings.slice(0, FINDINGS_MAX),
  };
}

/** A rail that is away is no fault of the gateway's. */
async function readWhole(
  statement: RailStatement,
  period: Parameters<RailStatement['read']>[0],
): Promise<readonly StatementEntry[]> {
  try {
    return await statement.read(period);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new GatewayError('UNAVAILABLE', `the statement of the PIX provider cannot be read: ${words}`);
  }
}

/** Pages may overlap. */
function eachOnce(entries: readonly StatementEntry[]): readonly StatementEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.kind} ${entry.id}`, entry])).values()];
}

function dayOf(given: Named | undefined, nowMs: number): string {
  const today = brasiliaDay(nowMs);
  if (!given) return dayAfter(today, -1);
  const day = parseDay(given.value);
  const refuse = (message: string) => invalidParameters([{ parameter: given.name, message }]);
  if (!day) throw refuse('must be an existing day, YYYY-MM-DD');
  if (day > today) throw refuse(`must be ${today} or before`);
  return day;
}

function reportOf({ id, findings, ...report }: StoredReconciliation): Reconciliation {
  return { ...report, id: String(id), findings: findings as readonly Finding[] };
}

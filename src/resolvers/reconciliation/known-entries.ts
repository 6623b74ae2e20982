/**
 * Stored matches of reports for entries that may belong to no rail event: the line of the ledger of each, permanently, and
 * unordered ones that still wait for a booking. A report of other days uses no line that is already matched.
 */

import { GatewayError } from '../../base/errors/errors.ts';
import { BRL } from '../../base/money/currency.ts';
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { type Instant, instantOf, millisOf } from '../../base/time/instant.ts';
import type { Tx } from '../../store/connection/database.ts';
import { readReportEntries } from '../../store/rails/reconciliation.ts';
import type { Services } from '../services/context.ts';
import { type EntryKind, NO_RAIL_EVENT, type StatementEntry } from '../services/statement.ts';
import type { ReportedEntry } from './finding.ts';
import { MANUAL_WITHIN_DAYS, type Match, nameOf } from './match-statement.ts';
import { BANK_FILE } from './reported-entries.ts';

/** An entry in the form in which its report stores it. */
export interface StoredEntry {
  readonly kind: EntryKind;
  readonly id: string;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amount: string | null;
  readonly at: Instant;
  /** Name of its matching line; null while it waits for one. */
  readonly line: string | null;
}

/** Knowledge of earlier reports for a report of some days. */
export interface Known {
  /** For each key of an entry of these days, the name of its matching line. */
  readonly own: ReadonlyMap<string, string>;
  /** For each name of a line, the day and key of the entry of another day that it matches. */
  readonly held: ReadonlyMap<string, string>;
  /** Unordered entries without a booking, of the days before, oldest first: a later booking may be about them. */
  readonly waiting: readonly StatementEntry[];
}

/**
 * Entries of a file match lines of their own day and of the neighbouring ones: so do those of another file two days
 * away.
 */
const FILE_REACH = [1, 2];
/** A line of the last day that counts may match an entry that many days before it, and so may a line of the first. */
const REACH = 2 * MANUAL_WITHIN_DAYS;

/** Scope of reports. */
interface Where extends Pick<Services, 'mode'> {
  readonly database: Tx;
}
type Days = readonly [string, ...string[]];

/** @param days - consecutive. */
export async function readKnown({ database, mode }: Where, rail: string, days: Days): Promise<Known> {
  const byDay = new Map<string, Map<string, StoredEntry>>();
  for (const { day, entries } of await readReportEntries(database, { mode, rail }, daysAround(rail, days))) {
    // The newest report of a day decides which entries it has; the newest report with a matched entry decides its line.
    byDay.set(day, new Map());
    for (const each of entries as readonly StoredEntry[]) {
      const own = brasiliaDay(millisOf(each.at));
      byDay.set(own, (byDay.get(own) ?? new Map()).set(keyOf(each), each));
    }
  }
  const known = [...byDay].flatMap(([day, entries]) =>
    [...entries].map(([key, entry]) => ({ day, key, entry })),
  );
  const isOwn = new Set<string>(days);
  const first = dayAfter(days[0], -MANUAL_WITHIN_DAYS);
  const own = new Map<string, string>();
  const held = new Map<string, string>();
  const waiting: StatementEntry[] = [];
  for (const { day, key, entry } of known)
    if (entry.line === null) {
      if (day >= first && day < days[0]) waiting.push(entryOf(entry));
    } else if (isOwn.has(day)) own.set(key, entry.line);
    else held.set(entry.line, `${day} ${key}`);
  return { own, held, waiting: waiting.toSorted((one, other) => one.at.getTime() - other.at.getTime()) };
}

/** @returns the stored part of the report of each of the days. */
export function storedEntries(
  reported: readonly ReportedEntry[],
  { matched }: Pick<Match, 'matched'>,
  days: Days,
): ReadonlyMap<string, readonly StoredEntry[]> {
  // A waiting entry is stored in its first report only.
  const stored = reported.filter(
    (each) => each.entry.untold && (matched.has(each) || (each.isOfDay && each.entry.untold === 'capital')),
  );
  const dayOf = ({ entry, isOfDay }: ReportedEntry) => (isOfDay ? brasiliaDay(entry.at.getTime()) : days[0]);
  const byDay = Map.groupBy(stored, dayOf);
  return new Map(
    [...byDay].map(([day, entries]) => [
      day,
      entries.map((each) => {
        const { kind, id, currency = BRL.code, amount, at } = each.entry;
        const line = matched.get(each);
        return { kind, id, currency, amount, at: instantOf(at), line: line ? nameOf(line) : null };
      }),
    ]),
  );
}

/**
 * @throws {GatewayError} `UNAVAILABLE` if another report, made meanwhile, used a line for another entry, or found the line of
 * a waiting entry in these.
 */
export async function refuseMatched(
  where: Where,
  rail: string,
  reports: readonly { readonly day: string; readonly entries: readonly StoredEntry[] }[],
): Promise<void> {
  const [first, ...rest] = reports.map(({ day }) => day);
  if (first === undefined) return;
  const { own, held } = await readKnown(where, rail, [first, ...rest]);
  const isStale = (each: StoredEntry) => {
    if (each.line === null) {
      const found = own.get(keyOf(each));
      return found !== undefined && !held.has(found);
    }
    // Files of a bank may give one name to entries of several days.
    const holder = held.get(each.line);
    return holder !== undefined && holder !== `${brasiliaDay(millisOf(each.at))} ${keyOf(each)}`;
  };
  if (reports.some(({ entries }) => entries.some(isStale)))
    throw new GatewayError('UNAVAILABLE', 'another report was made meanwhile: send the request again');
}

/** @returns the identity of an entry among those of its rail and day. */
export function keyOf({ kind, id }: Pick<StoredEntry, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

function entryOf({ kind, id, currency, amount, at }: StoredEntry): StatementEntry {
  return {
    kind,
    id,
    currency,
    amount,
    at: new Date(millisOf(at)),
    eventName: NO_RAIL_EVENT,
    untold: 'capital',
  };
}

function daysAround(rail: string, days: Days): readonly string[] {
  const last = days.at(-1) ?? days[0];
  const before = (count: number) => dayAfter(days[0], -count);
  const after = (count: number) => dayAfter(last, count);
  if (rail === BANK_FILE) return [...FILE_REACH.map(before), ...FILE_REACH.map(after)];
  const reach = Array.from({ length: REACH }, (_, index) => index + 1);
  return [...reach.map(before), ...days, ...reach.map(after)];
}

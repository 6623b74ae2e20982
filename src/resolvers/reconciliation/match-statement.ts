/**
 * Matches the entries of a statement with lines of the ledger: each entry uses its line once; the remainder of either side,
 * and differences, are findings.
 */

import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { millisOf } from '../../base/time/instant.ts';
import type { BookedRailEvent, VaultLine } from '../../store/rails/vault.ts';
import type { EntryKind, StatementEntry, Untold } from '../services/statement.ts';
import {
  entryFinding,
  type Finding,
  kindOf,
  lineFinding,
  oddFinding,
  type ReportedEntry,
  sizeOf,
} from './finding.ts';
import { pairByDay, pairWithin } from './pair-by-day.ts';

/** Journals that reverse a deposit that its network dropped: neither is on a statement. */
const DROPS = ['L54', 'L55', 'L56', 'L58'];
/** Kinds of money in. */
const INCOMING: readonly EntryKind[] = ['payment', 'payout_return', 'deposit', 'funding'];
/** Journals that rail events book by themselves: arrivals in suspense, and returns from there. */
const OF_SUSPENSE = ['L37', 'L50', 'L51'];
/** Outcomes of rail events that booked nothing. */
const UNSETTLED = ['pending', 'failed', 'closed'];
/** Journals that people book about money that moved without the gateway. */
export const MANUAL_JOURNALS = ['L65', 'L66', 'adjustment', 'manual'];
/** People book reported money within some days. */
export const MANUAL_WITHIN_DAYS = 7;
/** Journal of payments to a payer by hand. */
const PAID_MANUALLY = 'L62';

/** Matches and differences. */
export interface Match {
  /** Entries of the days that have their line. */
  readonly agreed: readonly ReportedEntry[];
  /** Findings of the days, oldest first, each made when it is reached: there may be hundreds of thousands. */
  readonly findings: Iterable<Finding>;
  /** The matching line of each entry that has one. */
  readonly matched: ReadonlyMap<ReportedEntry, VaultLine>;
}

/** Rules that identify entries and lines. */
export interface MatchRules {
  /** Whether a line is of the days. */
  readonly isOfDay: (line: VaultLine) => boolean;
  /** Kinds of entries on the statement: lines of other kinds are not expected there. */
  readonly kinds: readonly EntryKind[];
  /** @returns the name of the line that matched an entry in an earlier report. */
  readonly before?: (entry: StatementEntry) => string | undefined;
}

/** @param lines - of the days, and all others that belong to an entry; a line may appear more than once. */
export function matchStatement(
  reported: readonly ReportedEntry[],
  lines: readonly VaultLine[],
  { isOfDay, kinds, before = () => undefined }: MatchRules,
): Match {
  const known = lines.filter(({ name, isDropped }) => !isDropped && !DROPS.includes(name));
  const free = new Map(known.map((line) => [nameOf(line), line]));
  const matched = new Map<ReportedEntry, VaultLine>();
  const match = (each: ReportedEntry, line: VaultLine | undefined): boolean => {
    if (!line) return false;
    matched.set(each, line);
    return free.delete(nameOf(line));
  };
  const candidates = candidatesAmong([...free.values()], reported);
  const matchFirst = (each: ReportedEntry, fits: (line: VaultLine) => boolean): boolean =>
    match(
      each,
      candidates(each).find((line) => free.has(nameOf(line)) && fits(line)),
    );
  const expected = reported
    .filter(({ entry }) => entry.own === undefined)
    .toSorted((one, other) => one.entry.at.getTime() - other.entry.at.getTime());
  // Exact matches first, so that no entry uses another's line; entries without an event use lines of no other entry.
  const booked = expected.filter((each) => each.booked);
  const differing = new Set(booked.filter((each) => !matchFirst(each, (line) => agrees(each, line))));
  for (const each of differing) matchFirst(each, () => true);
  for (const untold of ['capital', 'any', 'paid_by_hand'] as const) {
    const others = expected
      .filter((each) => !each.booked && each.entry.untold === untold)
      .filter((each) => !match(each, free.get(before(each.entry) ?? '')));
    for (const [each, line] of pairsOf(untold, others, free)) match(each, line);
  }
  const agreed = (each: ReportedEntry) =>
    each.entry.own !== undefined || (matched.has(each) && !differing.has(each));
  const ofDay = reported.filter((each) => each.isOfDay);
  const isOdd = (each: ReportedEntry) => !agreed(each) || oddFinding(each).length > 0;
  const left = [...free.values()].filter((line) => {
    const kind = kindOf(line);
    return isOfDay(line) && kind !== undefined && kinds.includes(kind);
  });
  const open = [...ofDay.filter(isOdd), ...left].toSorted((one, other) => timeOf(one) - timeOf(other));
  const findingsOf = (each: ReportedEntry | VaultLine) => {
    if (!('entry' in each)) return [lineFinding(each)];
    return agreed(each) ? oddFinding(each) : [entryFinding(each, matched.get(each))];
  };
  return {
    agreed: ofDay.filter((each) => !isOdd(each)),
    findings: {
      *[Symbol.iterator]() {
        for (const each of open) yield* findingsOf(each);
      },
    },
    matched,
  };
}

function timeOf(each: ReportedEntry | VaultLine): number {
  return 'entry' in each ? each.entry.at.getTime() : millisOf(each.postedAt);
}

/** @returns the lines that a rail event may have booked, the most likely first. */
function candidatesAmong(
  lines: readonly VaultLine[],
  reported: readonly ReportedEntry[],
): (each: ReportedEntry) => readonly VaultLine[] {
  const byJournal = Map.groupBy(lines, journalOf);
  // A journal that a rail event booked by itself belongs to that event, though it is of the same transaction as others.
  const journalsOfEvents = new Set(reported.flatMap(({ booked }) => (booked ? ownJournals(booked) : [])));
  const ofSteps = lines.filter((line) => !journalsOfEvents.has(journalOf(line)));
  const byPosition = Map.groupBy(ofSteps, positionOf);
  return ({ entry, booked }) => {
    if (!booked || booked.accountId === null) return [];
    const { accountId, transactionId, gasJournalId } = booked;
    const journalId = entry.kind === 'gas' && gasJournalId !== null ? gasJournalId : booked.journalId;
    if (journalId !== null) return byJournal.get(journalOf({ accountId, journalId })) ?? [];
    if (UNSETTLED.includes(booked.outcome)) return [];
    // Bookings of steps before those that may belong to unreported events; among several, the nearest in time.
    const ofPosition = byPosition.get(`${accountId}:${transactionId}:${entry.kind}`) ?? [];
    const rank = ({ name }: VaultLine) => Number(OF_SUSPENSE.includes(name));
    const distance = ({ postedAt }: VaultLine) => Math.abs(entry.at.getTime() - millisOf(postedAt));
    return ofPosition.toSorted((one, other) => rank(one) - rank(other) || distance(one) - distance(other));
  };
}

/** @returns the free line for each entry that no rail event reports and that has one. */
function pairsOf(
  untold: Untold,
  entries: readonly ReportedEntry[],
  free: ReadonlyMap<string, VaultLine>,
): readonly (readonly [ReportedEntry, VaultLine])[] {
  if (entries.length === 0) return [];
  // The movements of a file share the time of their day.
  const days = new Map<number, string>();
  const dayOf = (ms: number) => {
    const day = days.get(ms) ?? brasiliaDay(ms);
    days.set(ms, day);
    return day;
  };
  const wanted = entries.map((each) => {
    return { each, money: moneyOf(each.entry), day: dayOf(each.entry.at.getTime()) };
  });
  const lines = [...free.values()]
    .filter(({ name }) => {
      if (untold === 'capital') return MANUAL_JOURNALS.includes(name);
      return untold === 'any' || name === PAID_MANUALLY;
    })
    .map((line) => ({ line, ms: millisOf(line.postedAt), money: moneyOfLine(line) }))
    .toSorted((one, other) => one.ms - other.ms)
    .map((each) => ({ ...each, day: brasiliaDay(each.ms) }));
  const pairs =
    untold === 'capital' ? pairWithin(wanted, lines, MANUAL_WITHIN_DAYS) : pairByDay(wanted, lines);
  return [...pairs].map(([{ each }, { line }]) => [each, line]);
}

/** @returns amount, direction and currency of an entry. */
export function moneyOf({ amount, kind, currency = BRL.code }: StatementEntry): string {
  const minor = toMinor(amount ?? '0', currencyOfLedger(currency).decimals);
  return `${currency} ${INCOMING.includes(kind) ? minor : -minor}`;
}

/** @returns the same of a line. */
export function moneyOfLine({ currency, minor }: VaultLine): string {
  return `${currency} ${minor}`;
}

/** @returns the name of a line: a journal may have several, in several currencies. */
export function nameOf({ accountId, journalId, currency, minor }: VaultLine): string {
  return `${accountId}:${journalId}:${currency}:${minor}`;
}

function journalOf({ accountId, journalId }: Pick<BookedRailEvent, 'accountId' | 'journalId'>): string {
  return `${accountId}:${journalId}`;
}

/** Journals that rail events booked by themselves, not by a step of their transaction. */
function ownJournals({ accountId, journalId, gasJournalId }: BookedRailEvent): readonly string[] {
  return [journalId, gasJournalId].flatMap((id) =>
    id === null ? [] : journalOf({ accountId, journalId: id }),
  );
}

function positionOf(line: VaultLine): string {
  return `${line.accountId}:${line.transactionId}:${kindOf(line)}`;
}

function agrees({ entry }: ReportedEntry, line: VaultLine): boolean {
  const { amount, currency = BRL.code } = entry;
  if (amount === null) return true;
  return currency === line.currency && toMinor(amount, currencyOfLedger(currency).decimals) === sizeOf(line);
}

/**
 * Holds the entries of a statement against lines of the ledger: each entry takes the line of its money, once; what is left on either
 * side, or is not the same, is a finding.
 */
import { brasiliaDay } from '../../base/brasilia-day.ts';
import { BRL, currencyOfLedger } from '../../base/currency.ts';
import { millisOf } from '../../base/instant.ts';
import { toMinor } from '../../base/money.ts';
import type { BookedNews, VaultLine } from '../../store/rails/vault.ts';
import type { EntryKind, StatementEntry, Untold } from '../services/statement.ts';
import {
  entryFinding,
  type Finding,
  kindOf,
  lineFinding,
  oddFinding,
  sizeOf,
  type ToldEntry,
} from './finding.ts';
import { pairByDay, pairWithin } from './pair-by-day.ts';

/** Journals by which a deposit that its network dropped is taken back: neither is on a statement. */
const DROPS = ['L54', 'L55', 'L56', 'L58'];
/** Kinds of what comes in. */
const INCOMING: readonly EntryKind[] = ['payment', 'payout_return', 'deposit', 'funding'];
/** Journals that news books by itself: what comes to suspense, and what goes back from there. */
const OF_SUSPENSE = ['L37', 'L50', 'L51'];
/** Outcomes of news that nothing was booked by. */
const UNSETTLED = ['pending', 'failed', 'closed'];
/** Journals that people book about money that moved without the gateway. */
export const BY_HAND = ['L65', 'L66', 'adjustment', 'manual'];
/** People book what they were told of within some days. */
export const BY_HAND_WITHIN_DAYS = 7;
/** What people paid out for a payer. */
const PAID_BY_HAND = 'L62';

/** What agrees, and what does not. */
export interface Match {
  /** Entries of the days that have their line. */
  readonly agreed: readonly ToldEntry[];
  /** Of the days, the oldest first. */
  readonly findings: readonly Finding[];
  /** The line that stands for each entry that has one. */
  readonly taken: ReadonlyMap<ToldEntry, VaultLine>;
}

/** How entries and lines are told apart. */
export interface MatchRules {
  /** Whether a line is of the days. */
  readonly isOfDay: (line: VaultLine) => boolean;
  /** What is on the statement: lines of other kinds are not expected there. */
  readonly kinds: readonly EntryKind[];
  /** @returns the name of the line that stood for an entry in a report before. */
  readonly before?: (entry: StatementEntry) => string | undefined;
}

/** @param lines - of the days, and all others that belong to an entry; a line may come more than once. */
export function matchStatement(
  told: readonly ToldEntry[],
  lines: readonly VaultLine[],
  { isOfDay, kinds, before = () => undefined }: MatchRules,
): Match {
  const known = lines.filter(({ name, isDropped }) => !isDropped && !DROPS.includes(name));
  const free = new Map(known.map((line) => [nameOf(line), line]));
  const taken = new Map<ToldEntry, VaultLine>();
  const take = (each: ToldEntry, line: VaultLine | undefined): boolean => {
    if (!line) return false;
    taken.set(each, line);
    return free.delete(nameOf(line));
  };
  const candidates = candidatesAmong([...free.values()], told);
  const takeFirst = (each: ToldEntry, fits: (line: VaultLine) => boolean): boolean =>
    take(
      each,
      candidates(each).find((line) => free.has(nameOf(line)) && fits(line)),
    );
  const expected = told
    .filter(({ entry }) => entry.own === undefined)
    .toSorted((one, other) => one.entry.at.getTime() - other.entry.at.getTime());
  // First what agrees, so that nothing takes the line of another entry; what no news tells of takes what is nobody's.
  const booked = expected.filter((each) => each.booked);
  const differing = new Set(booked.filter((each) => !takeFirst(each, (line) => agrees(each, line))));
  for (const each of differing) takeFirst(each, () => true);
  for (const untold of ['capital', 'any', 'paid_by_hand'] as const) {
    const others = expected
      .filter((each) => !each.booked && each.entry.untold === untold)
      .filter((each) => !take(each, free.get(before(each.entry) ?? '')));
    for (const [each, line] of pairsOf(untold, others, free)) take(each, line);
  }
  const agreed = (each: ToldEntry) =>
    each.entry.own !== undefined || (taken.has(each) && !differing.has(each));
  const ofDay = told
    .filter((each) => each.isOfDay)
    .map((each) => ({
      each,
      found: agreed(each) ? oddFinding(each) : [entryFinding(each, taken.get(each))],
    }));
  const left = [...free.values()].filter((line) => {
    const kind = kindOf(line);
    return isOfDay(line) && kind !== undefined && kinds.includes(kind);
  });
  const all = [...ofDay.flatMap(({ found }) => found), ...left.map(lineFinding)];
  return {
    agreed: ofDay.filter(({ found }) => found.length === 0).map(({ each }) => each),
    findings: all.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
    taken,
  };
}

/** @returns the lines that news may have booked, those that are most likely its own first. */
function candidatesAmong(
  lines: readonly VaultLine[],
  told: readonly ToldEntry[],
): (each: ToldEntry) => readonly VaultLine[] {
  const byJournal = Map.groupBy(lines, journalOf);
  // A journal that news booked by itself is that news's, though it is of the same transaction as others.
  const ofNews = new Set(told.flatMap(({ booked }) => (booked ? ownJournals(booked) : [])));
  const ofSteps = lines.filter((line) => !ofNews.has(journalOf(line)));
  const byPlace = Map.groupBy(ofSteps, placeOf);
  return ({ entry, booked }) => {
    if (!booked || booked.accountId === null) return [];
    const { accountId, transactionId, gasJournalId } = booked;
    const journalId = entry.kind === 'gas' && gasJournalId !== null ? gasJournalId : booked.journalId;
    if (journalId !== null) return byJournal.get(journalOf({ accountId, journalId })) ?? [];
    if (UNSETTLED.includes(booked.outcome)) return [];
    // What steps booked before what may be of news that was not told here, and of several the nearest in time.
    const ofPlace = byPlace.get(`${accountId}:${transactionId}:${entry.kind}`) ?? [];
    const rank = ({ name }: VaultLine) => Number(OF_SUSPENSE.includes(name));
    const distance = ({ postedAt }: VaultLine) => Math.abs(entry.at.getTime() - millisOf(postedAt));
    return ofPlace.toSorted((one, other) => rank(one) - rank(other) || distance(one) - distance(other));
  };
}

/** @returns the line of what is free for each entry that no news tells of and that has one. */
function pairsOf(
  untold: Untold,
  entries: readonly ToldEntry[],
  free: ReadonlyMap<string, VaultLine>,
): readonly (readonly [ToldEntry, VaultLine])[] {
  if (entries.length === 0) return [];
  const wanted = entries.map((each) => {
    const { amount, kind, currency = BRL.code, at } = each.entry;
    const minor = toMinor(amount ?? '0', currencyOfLedger(currency).decimals);
    const money = `${currency} ${INCOMING.includes(kind) ? minor : -minor}`;
    return { each, money, day: brasiliaDay(at.getTime()) };
  });
  const lines = [...free.values()]
    .filter(({ name }) => {
      if (untold === 'capital') return BY_HAND.includes(name);
      return untold === 'any' || name === PAID_BY_HAND;
    })
    .map((line) => ({ line, ms: millisOf(line.postedAt), money: `${line.currency} ${line.minor}` }))
    .toSorted((one, other) => one.ms - other.ms)
    .map((each) => ({ ...each, day: brasiliaDay(each.ms) }));
  const pairs =
    untold === 'capital' ? pairWithin(wanted, lines, BY_HAND_WITHIN_DAYS) : pairByDay(wanted, lines);
  return [...pairs].map(([{ each }, { line }]) => [each, line]);
}

/** @returns the name of a line: a journal may have several, in several currencies. */
export function nameOf({ accountId, journalId, currency, minor }: VaultLine): string {
  return `${accountId}:${journalId}:${currency}:${minor}`;
}

function journalOf({ accountId, journalId }: Pick<BookedNews, 'accountId' | 'journalId'>): string {
  return `${accountId}:${journalId}`;
}

/** Journals that news booked by itself, not by a step of its transaction. */
function ownJournals({ accountId, journalId, gasJournalId }: BookedNews): readonly string[] {
  return [journalId, gasJournalId].flatMap((id) =>
    id === null ? [] : journalOf({ accountId, journalId: id }),
  );
}

function placeOf(line: VaultLine): string {
  return `${line.accountId}:${line.transactionId}:${kindOf(line)}`;
}

function agrees({ entry }: ToldEntry, line: VaultLine): boolean {
  const { amount, currency = BRL.code } = entry;
  if (amount === null) return true;
  return currency === line.currency && toMinor(amount, currencyOfLedger(currency).decimals) === sizeOf(line);
}

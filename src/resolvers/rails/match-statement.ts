/**
 * Holds the entries of a statement against lines of the ledger: each entry takes the line of its money, once; what is left on either
 * side, or is not the same, is a finding.
 */
import { brasiliaDay } from '../../base/brasilia-day.ts';
import { BRL, currencyOfLedger } from '../../base/currency.ts';
import { millisOf } from '../../base/instant.ts';
import { toMinor } from '../../base/money.ts';
import type { BookedNews, VaultLine } from '../../store/rails/vault.ts';
import type { EntryKind } from '../services/statement.ts';
import {
  entryFinding,
  type Finding,
  kindOf,
  lineFinding,
  oddFinding,
  sizeOf,
  type ToldEntry,
} from './finding.ts';
import { pairByDay } from './pair-by-day.ts';

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

/** What agrees, and what does not. */
export interface Match {
  /** Entries of the days that have their line. */
  readonly agreed: readonly ToldEntry[];
  /** Of the days, the oldest first. */
  readonly findings: readonly Finding[];
}

/**
 * @param lines - of the days, and all others that belong to an entry; a line may come more than once.
 * @param isOfDay - whether a line is of the days.
 * @param kinds - what is on the statement: lines of other kinds are not expected there.
 */
export function matchStatement(
  told: readonly ToldEntry[],
  lines: readonly VaultLine[],
  { isOfDay, kinds }: { isOfDay: (line: VaultLine) => boolean; kinds: readonly EntryKind[] },
): Match {
  const known = lines.filter(({ name, isDropped }) => !isDropped && !DROPS.includes(name));
  const free = new Map(known.map((line) => [nameOf(line), line]));
  const candidates = candidatesAmong([...free.values()], told);
  const take = (each: ToldEntry, fits: (line: VaultLine) => boolean): VaultLine | undefined => {
    const line = candidates(each).find((one) => free.has(nameOf(one)) && fits(one));
    if (line) free.delete(nameOf(line));
    return line;
  };
  const expected = told
    .filter(({ entry }) => entry.own === undefined)
    .toSorted((one, other) => one.entry.at.getTime() - other.entry.at.getTime());
  const named = expected.filter(({ entry }) => !entry.isNameless);
  // First what agrees, so that nothing takes the line of another entry; what has no name takes what is nobody's.
  const apart = named.filter((each) => !take(each, (line) => agrees(each, line)));
  const differing = new Map(apart.map((each) => [each, each.booked && take(each, () => true)]));
  for (const [each, line] of pairsOfNameless(expected, free)) {
    if (line) free.delete(nameOf(line));
    else differing.set(each, undefined);
  }
  const ofDay = told
    .filter((each) => each.isOfDay)
    .map((each) => ({
      each,
      found: differing.has(each) ? [entryFinding(each, differing.get(each))] : oddFinding(each),
    }));
  const left = [...free.values()].filter((line) => {
    const kind = kindOf(line);
    return isOfDay(line) && kind !== undefined && kinds.includes(kind);
  });
  const all = [...ofDay.flatMap(({ found }) => found), ...left.map(lineFinding)];
  return {
    agreed: ofDay.filter(({ found }) => found.length === 0).map(({ each }) => each),
    findings: all.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
  };
}

/** @returns the lines that an entry with a name may take, those that are most likely its own first. */
function candidatesAmong(
  lines: readonly VaultLine[],
  told: readonly ToldEntry[],
): (each: ToldEntry) => readonly VaultLine[] {
  const byJournal = Map.groupBy(lines, journalOf);
  // A journal that news booked by itself is that news's, though it is of the same transaction as others.
  const ofNews = new Set(told.flatMap(({ booked }) => (booked ? ownJournals(booked) : [])));
  const ofSteps = lines.filter((line) => !ofNews.has(journalOf(line)));
  const byPlace = Map.groupBy(ofSteps, placeOf);
  const byHand = lines.filter(({ name }) => BY_HAND.includes(name));
  return ({ entry, booked }) => {
    if (!booked || booked.accountId === null) return booked ? [] : byHand;
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

/** @returns each entry without a name, and its line of what is free. */
function pairsOfNameless(
  expected: readonly ToldEntry[],
  free: ReadonlyMap<string, VaultLine>,
): readonly (readonly [ToldEntry, VaultLine | undefined])[] {
  const nameless = expected.flatMap((each) => {
    const { isNameless, amount, kind, currency = BRL.code, at } = each.entry;
    if (!isNameless) return [];
    const minor = toMinor(amount ?? '0', currencyOfLedger(currency).decimals);
    const money = `${currency} ${INCOMING.includes(kind) ? minor : -minor}`;
    return [{ each, money, day: brasiliaDay(at.getTime()) }];
  });
  if (nameless.length === 0) return [];
  const lines = [...free.values()].map((line) => {
    const ms = millisOf(line.postedAt);
    return { line, ms, money: `${line.currency} ${line.minor}`, day: brasiliaDay(ms) };
  });
  const pairs = pairByDay(
    nameless,
    lines.toSorted((one, other) => one.ms - other.ms),
  );
  return nameless.map((entry) => [entry.each, pairs.get(entry)?.line]);
}

function nameOf({ accountId, journalId, currency, minor }: VaultLine): string {
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

function agrees({ entry, booked }: ToldEntry, line: VaultLine): boolean {
  const { amount, currency = BRL.code, kind } = entry;
  if (amount === null) return true;
  const minor = toMinor(amount, currencyOfLedger(currency).decimals);
  if (currency !== line.currency || minor !== sizeOf(line)) return false;
  // What people booked goes the way of the money.
  return booked !== undefined || BigInt(line.minor) > 0n === INCOMING.includes(kind);
}

/**
 * Holds the entries of a statement against lines of the ledger: each entry takes the line of its money, once; what is left on either
 * side, or is not the same, is a finding.
 */
import { brasiliaDay } from '../../base/brasilia-day.ts';
import { BRL, currencyOfLedger } from '../../base/currency.ts';
import { type Instant, instantOf, millisOf } from '../../base/instant.ts';
import { fromMinor, toMinor } from '../../base/money.ts';
import type { BookedNews, VaultLine } from '../../store/rails/vault.ts';
import type { EntryKind, StatementEntry } from '../services/statement.ts';

/** What can be wrong. */
export const FINDING_KINDS = {
  missing_here: 'It is on the statement, and the ledger does not have it.',
  missing_there: 'It is in the ledger, or was ordered, and the statement does not have it.',
  amount_differs: 'Both have it, and the amounts are not the same.',
  details_differ: 'Both have it, and it went to another address, or is another currency.',
  balance_differs: 'What there is in all is not what the ledger says.',
} as const;
/** One of FINDING_KINDS. */
export type FindingKind = keyof typeof FINDING_KINDS;

/** Something that does not agree. */
export interface Finding {
  readonly finding: FindingKind;
  readonly kind: EntryKind;
  /** Raw ledger code. */
  readonly currency: string;
  /** The rail's name for it; null for a line of the ledger that nothing on the statement stands for, and for a balance. */
  readonly id: string | null;
  /** Decimal text; null where the statement does not have it, or does not tell. */
  readonly amountThere: string | null;
  /** Decimal text; null where the ledger does not have it. */
  readonly amountHere: string | null;
  readonly at: Instant;
  readonly account: string | null;
  /** Id of the transaction as callers know it. */
  readonly transaction: string | null;
  readonly journal: string | null;
  readonly why: string;
}

/** An entry, and what became of its news; undefined where it was never told. */
export interface ToldEntry {
  readonly entry: StatementEntry;
  readonly booked: BookedNews | undefined;
  /** It is of the day; the others only take their lines. */
  readonly isOfDay: boolean;
}

/** Kinds of entries by the journals that book them. */
const KIND_OF: Readonly<Record<string, EntryKind>> = {
  L1: 'payment',
  L50: 'payment',
  L4: 'refund',
  L9: 'refund',
  L34: 'refund',
  L51: 'refund',
  L8: 'dispute',
  L8b: 'dispute',
  L22: 'payout',
  L48: 'payout',
  L25: 'payout_return',
  L31: 'deposit',
  L37: 'deposit',
  L11: 'transfer',
  L42: 'transfer',
  L12: 'gas',
};
/** Journals by which a deposit that the network dropped is taken back: neither is on a statement. */
const DROPS = ['L54', 'L55', 'L56', 'L58'];
/** From the middle of a day to the end of the next, and to the beginning of the one before. Unit: ms. */
const NEAR_MS = 36 * 3_600_000;
/** Kinds of what comes in. */
const INCOMING: readonly EntryKind[] = ['payment', 'payout_return', 'deposit', 'funding'];
/** Journals that news books by itself: what comes to suspense, and what goes back from there. */
const OF_SUSPENSE = ['L37', 'L50', 'L51'];
/** Outcomes of news that nothing was booked by. */
const UNSETTLED = ['pending', 'failed', 'closed'];
/** Journals that people book about money that moved without the gateway. */
const BY_HAND = ['L65', 'L66', 'adjustment', 'manual'];

/**
 * @param lines - of the day, and all others that belong to an entry; a line may come more than once.
 * @param isOfDay - whether a line is of the day.
 * @param kinds - what is on the statement: lines of other kinds are not expected there.
 * @returns how many entries of the day agree, and what does not, the oldest first.
 */
export function matchStatement(
  told: readonly ToldEntry[],
  lines: readonly VaultLine[],
  { isOfDay, kinds }: { isOfDay: (line: VaultLine) => boolean; kinds: readonly EntryKind[] },
): { readonly matched: number; readonly findings: readonly Finding[] } {
  const free = new Map(lines.map((line) => [nameOf(line), line]));
  withoutDropped(free);
  const byJournal = Map.groupBy(free.values(), journalOf);
  // A journal that news booked by itself is that news's, though it is of the same transaction as others.
  const ofNews = new Set(told.flatMap(({ booked }) => (booked ? ownJournals(booked) : [])));
  const ofSteps = [...free.values()].filter((line) => !ofNews.has(journalOf(line)));
  const byPlace = Map.groupBy(ofSteps, placeOf);
  const byHand = [...free.values()].filter(({ name }) => BY_HAND.includes(name));
  const candidates = ({ entry, booked }: ToldEntry): readonly VaultLine[] => {
    if (entry.isNameless) return [...free.values()];
    if (!booked || booked.accountId === null) return booked || entry.own ? [] : byHand;
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
  const take = (each: ToldEntry, fits: (line: VaultLine) => boolean): VaultLine | undefined => {
    const line = candidates(each).find((one) => free.has(nameOf(one)) && fits(one));
    if (line) free.delete(nameOf(line));
    return line;
  };
  // First what agrees, so that nothing takes the line of another entry.
  const taken = new Set<ToldEntry>();
  for (const fits of [isNamed, isSameDay, isNear])
    for (const each of told)
      if (each.entry.own === undefined && !taken.has(each))
        if (take(each, (line) => fits(each, line) && agrees(each, line))) taken.add(each);
  const apart = told.filter((each) => each.entry.own === undefined && !taken.has(each));
  const findings = apart.flatMap((each): readonly Finding[] => {
    const line = each.booked && take(each, () => true);
    return each.isOfDay ? [entryFinding(each, line)] : [];
  });
  const odd = told.filter((each) => each.isOfDay && !apart.includes(each)).flatMap(oddFinding);
  const left = [...free.values()].filter((line) => {
    const kind = kindOf(line);
    return isOfDay(line) && kind !== undefined && kinds.includes(kind);
  });
  const all = [...findings, ...odd, ...left.map(lineFinding)];
  return {
    matched: told.filter(({ isOfDay: counts }) => counts).length - findings.length - odd.length,
    findings: all.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
  };
}

/** What has no name takes a line of its day, or else of the day before or after. */
const isNamed = ({ entry }: ToldEntry) => !entry.isNameless;
const isSameDay = ({ entry }: ToldEntry, line: VaultLine) =>
  brasiliaDay(entry.at.getTime()) === brasiliaDay(millisOf(line.postedAt));
const isNear = ({ entry }: ToldEntry, line: VaultLine) =>
  Math.abs(entry.at.getTime() - millisOf(line.postedAt)) <= NEAR_MS;

function nameOf({ accountId, journalId, currency, minor }: VaultLine): string {
  return `${accountId}:${journalId}:${currency}:${minor}`;
}

function kindOf({ name, isReturn }: VaultLine): EntryKind | undefined {
  return isReturn ? 'payout_return' : KIND_OF[name];
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

/** Takes deposits out that were dropped, with what took them back. */
function withoutDropped(free: Map<string, VaultLine>): void {
  const sameMoney = ({ accountId, transactionId, currency, minor }: VaultLine) =>
    `${accountId}:${transactionId}:${currency}:${minor.replace('-', '')}`;
  for (const [name, drop] of [...free]) {
    if (!DROPS.includes(drop.name)) continue;
    const found = [...free].find(
      ([, line]) => kindOf(line) === 'deposit' && sameMoney(line) === sameMoney(drop),
    );
    if (found) free.delete(found[0]);
    free.delete(name);
  }
}

function agrees({ entry, booked }: ToldEntry, line: VaultLine): boolean {
  const { amount, currency = BRL.code, kind } = entry;
  if (amount === null) return true;
  const minor = toMinor(amount, currencyOfLedger(currency).decimals);
  if (currency !== line.currency || minor !== sizeOf(line)) return false;
  // What people booked goes the way of the money.
  return booked !== undefined || BigInt(line.minor) > 0n === INCOMING.includes(kind);
}

function sizeOf({ minor }: VaultLine): bigint {
  const amount = BigInt(minor);
  return amount < 0n ? -amount : amount;
}

function textOf(line: VaultLine): string {
  return fromMinor(sizeOf(line), currencyOfLedger(line.currency).decimals);
}

function entryFinding({ entry, booked }: ToldEntry, line: VaultLine | undefined): Finding {
  const { currency = BRL.code } = entry;
  const isOther = line !== undefined && line.currency !== currency;
  const finding = isOther ? 'details_differ' : line ? 'amount_differs' : 'missing_here';
  const why = isOther ? `the ledger has it in ${line.currency}` : line && 'the ledger has another amount';
  return {
    ...ofEntry({ entry, booked }),
    finding,
    amountHere: line ? textOf(line) : null,
    journal: line ? String(line.journalId) : null,
    why: [why ?? whyMissing(entry, booked), entry.differs].filter(Boolean).join('; '),
  };
}

function ofEntry({ entry, booked }: Pick<ToldEntry, 'entry' | 'booked'>) {
  return {
    kind: entry.kind,
    currency: entry.currency ?? BRL.code,
    id: entry.id,
    amountThere: entry.own === 'absent' ? null : entry.amount,
    at: instantOf(entry.at),
    account: booked?.accountId == null ? null : String(booked.accountId),
    transaction: booked?.end2end ?? null,
  };
}

/** What agrees in its amount and not otherwise, and what is no line of the ledger, because both addresses are ours. */
function oddFinding({ entry, booked }: ToldEntry): readonly Finding[] {
  const { own, amount, ordered = amount, differs } = entry;
  const found = (finding: FindingKind, why: string): readonly Finding[] => [
    { ...ofEntry({ entry, booked }), finding, amountHere: ordered, journal: null, why },
  ];
  if (own === 'absent')
    return found('missing_there', 'it was ordered and told to be done, and the network does not have it');
  if (differs !== undefined) return found('details_differ', differs);
  return ordered === amount ? [] : found('amount_differs', 'another amount was ordered');
}

function whyMissing({ kind, isNameless }: StatementEntry, booked: BookedNews | undefined): string {
  if (isNameless) return 'the ledger has no such amount on this day, the day before or the day after';
  switch (booked?.outcome) {
    case undefined:
      if (kind === 'funding')
        return 'nobody booked it: it is no deposit, and no capital of this amount was booked';
      if (kind === 'transfer') return 'the gateway did not order it: look who else has the key';
      if (kind === 'sweep') return 'the gateway did not order it, though both addresses are its own';
      return 'the rail never told it';
    case 'pending':
    case 'failed':
      return 'the rail told it, and it is not settled';
    case 'closed':
      return 'the rail told it, and somebody closed it';
    default:
      return 'the rail told it, and nothing was booked';
  }
}

function lineFinding(line: VaultLine): Finding {
  return {
    finding: 'missing_there',
    kind: kindOf(line) as EntryKind,
    currency: line.currency,
    id: null,
    amountThere: null,
    amountHere: textOf(line),
    at: line.postedAt,
    account: String(line.accountId),
    transaction: line.end2end,
    journal: String(line.journalId),
    why: `the ledger has it by ${line.name}`,
  };
}

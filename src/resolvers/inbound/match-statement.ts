/**
 * Holds the entries of a statement against lines of the ledger: each entry takes the line of its money, once; what is left on either
 * side, or is not the same amount, is a finding.
 */
import { BRL } from '../../base/currency.ts';
import { type Instant, instantOf } from '../../base/instant.ts';
import { fromMinor, toMinor } from '../../base/money.ts';
import type { BankLine, BookedNews } from '../../store/rails/reconciliation.ts';
import type { EntryKind, StatementEntry } from '../services/statement.ts';

/** What can be wrong. */
export const FINDING_KINDS = {
  missing_here: 'It is on the statement, and the ledger does not have it.',
  missing_there: 'It is in the ledger, and the statement does not have it.',
  amount_differs: 'Both have it, and the amounts are not the same.',
} as const;
/** One of FINDING_KINDS. */
export type FindingKind = keyof typeof FINDING_KINDS;

/** Something that does not agree. */
export interface Finding {
  readonly finding: FindingKind;
  readonly kind: EntryKind;
  /** The rail's name for it; null for a line of the ledger that nothing on the statement stands for. */
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
  L51: 'refund',
  L8: 'dispute',
  L8b: 'dispute',
  L22: 'payout',
  L48: 'payout',
  L25: 'payout_return',
};

/**
 * @param lines - of the day, and all others that belong to an entry; a line may come more than once.
 * @param isOfDay - whether a line is of the day.
 * @param kinds - what is on the statement: lines of other kinds are not expected there.
 * @returns how many entries of the day agree, and what does not, the oldest first.
 */
export function matchStatement(
  told: readonly ToldEntry[],
  lines: readonly BankLine[],
  { isOfDay, kinds }: { isOfDay: (line: BankLine) => boolean; kinds: readonly EntryKind[] },
): { readonly matched: number; readonly findings: readonly Finding[] } {
  const free = new Map(lines.map((line) => [nameOf(line), line]));
  const byPlace = Map.groupBy(free.values(), placeOf);
  const byJournal = Map.groupBy(free.values(), ({ accountId, journalId }) => `${accountId}:${journalId}`);
  const candidates = ({ entry, booked }: ToldEntry): readonly BankLine[] => {
    if (!booked || booked.accountId === null) return [];
    const { accountId, journalId, transactionId } = booked;
    if (journalId !== null) return byJournal.get(`${accountId}:${journalId}`) ?? [];
    return byPlace.get(`${accountId}:${transactionId}:${entry.kind}`) ?? [];
  };
  const take = (each: ToldEntry, fits: (line: BankLine) => boolean): BankLine | undefined => {
    const line = candidates(each).find((one) => free.has(nameOf(one)) && fits(one));
    if (line) free.delete(nameOf(line));
    return line;
  };
  // First what agrees, so that nothing takes the line of another entry.
  const apart = told.filter((each) => !take(each, (line) => agrees(each.entry, line)));
  const findings = apart.flatMap((each): readonly Finding[] => {
    const line = take(each, () => true);
    return each.isOfDay ? [entryFinding(each, line)] : [];
  });
  const left = [...free.values()].filter((line) => {
    const kind = KIND_OF[line.name];
    return isOfDay(line) && kind !== undefined && kinds.includes(kind);
  });
  const all = [...findings, ...left.map(lineFinding)];
  return {
    matched: told.filter(({ isOfDay: counts }) => counts).length - findings.length,
    findings: all.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
  };
}

function nameOf({ accountId, journalId, minor }: BankLine): string {
  return `${accountId}:${journalId}:${minor}`;
}

function placeOf({ accountId, transactionId, name }: BankLine): string {
  return `${accountId}:${transactionId}:${KIND_OF[name]}`;
}

function agrees({ amount }: StatementEntry, line: BankLine): boolean {
  return amount === null || toMinor(amount, BRL.decimals) === sizeOf(line);
}

function sizeOf({ minor }: BankLine): bigint {
  const amount = BigInt(minor);
  return amount < 0n ? -amount : amount;
}

function entryFinding({ entry, booked }: ToldEntry, line: BankLine | undefined): Finding {
  return {
    finding: line ? 'amount_differs' : 'missing_here',
    kind: entry.kind,
    id: entry.id,
    amountThere: entry.amount,
    amountHere: line ? fromMinor(sizeOf(line), BRL.decimals) : null,
    at: instantOf(entry.at),
    account: booked?.accountId == null ? null : String(booked.accountId),
    transaction: booked?.end2end ?? null,
    journal: line ? String(line.journalId) : null,
    why: line ? 'the ledger has another amount' : whyMissing(booked),
  };
}

function whyMissing(booked: BookedNews | undefined): string {
  switch (booked?.outcome) {
    case undefined:
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

function lineFinding(line: BankLine): Finding {
  return {
    finding: 'missing_there',
    kind: KIND_OF[line.name] as EntryKind,
    id: null,
    amountThere: null,
    amountHere: fromMinor(sizeOf(line), BRL.decimals),
    at: line.postedAt,
    account: String(line.accountId),
    transaction: line.end2end,
    journal: String(line.journalId),
    why: `the ledger has it by ${line.name}`,
  };
}

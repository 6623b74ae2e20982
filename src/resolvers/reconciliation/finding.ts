/** Findings of reconciliation: their kinds, and their description of a statement's entry or a line of the ledger. */
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { type Instant, instantOf } from '../../base/time/instant.ts';
import type { BookedRailEvent, VaultLine } from '../../store/rails/vault.ts';
import type { EntryKind, StatementEntry } from '../services/statement.ts';

/** Kinds of differences. */
export const FINDING_KINDS = {
  missing_here: 'It is on the statement, but not in the ledger.',
  missing_there: 'It is in the ledger, or was ordered, but is not on the statement.',
  amount_differs: 'Both have it, but the amounts differ.',
  details_differ: 'Both have it, but the addresses or currencies differ.',
  balance_differs: 'The total balance differs from that of the ledger.',
} as const;
/** A member of FINDING_KINDS. */
export type FindingKind = keyof typeof FINDING_KINDS;

/** Something that does not agree. */
export interface Finding {
  readonly finding: FindingKind;
  readonly kind: EntryKind;
  /** Raw ledger code. */
  readonly currency: string;
  /** The rail's name for it; null for a line of the ledger without an entry on the statement, and for a balance. */
  readonly id: string | null;
  /** Decimal text; null if the statement does not have it, or does not report it. */
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

/** An entry, and the outcome of its rail event; undefined if none was reported. */
export interface ReportedEntry {
  readonly entry: StatementEntry;
  readonly booked: BookedRailEvent | undefined;
  /** Whether it belongs to the compared days; others only occupy their lines. */
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
  L67: 'dispute',
  L22: 'payout',
  L48: 'payout',
  L25: 'payout_return',
  L31: 'deposit',
  L37: 'deposit',
  L11: 'transfer',
  L42: 'transfer',
  L12: 'gas',
};

/** @returns the kind of entry that a line would be on a statement; undefined for lines that are on none. */
export function kindOf({ name, isReturn }: VaultLine): EntryKind | undefined {
  return isReturn ? 'payout_return' : KIND_OF[name];
}

/** @returns minor units of a line, without its direction. */
export function sizeOf({ minor }: VaultLine): bigint {
  const amount = BigInt(minor);
  return amount < 0n ? -amount : amount;
}

function textOf(line: VaultLine): string {
  return fromMinor(sizeOf(line), currencyOfLedger(line.currency).decimals);
}

/** @returns the finding about an entry, given the line that it most likely belongs to. */
export function entryFinding({ entry, booked }: ReportedEntry, line: VaultLine | undefined): Finding {
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

function ofEntry({ entry, booked }: Pick<ReportedEntry, 'entry' | 'booked'>) {
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

/**
 * @returns the findings about an entry that agrees in its amount but not otherwise, or that is no line of the ledger,
 *   because both addresses are ours.
 */
export function oddFinding({ entry, booked }: ReportedEntry): readonly Finding[] {
  const { own, amount, ordered = amount, differs } = entry;
  const found = (finding: FindingKind, why: string): readonly Finding[] => [
    { ...ofEntry({ entry, booked }), finding, amountHere: ordered, journal: null, why },
  ];
  if (own === 'absent')
    return found('missing_there', 'it was ordered and told to be done, and the network does not have it');
  if (differs !== undefined) return found('details_differ', differs);
  return ordered === amount ? [] : found('amount_differs', 'another amount was ordered');
}

function whyMissing({ kind, untold }: StatementEntry, booked: BookedRailEvent | undefined): string {
  if (untold === 'any') return 'the ledger has no such amount on this day, the day before or the day after';
  if (booked?.isDropped) return 'the rail told that it was dropped, and has it';
  switch (booked?.outcome) {
    case undefined:
      if (untold !== 'capital') return 'the rail never told it';
      if (kind === 'funding')
        return 'nobody booked it: it is no deposit, and no capital of this amount was booked';
      if (kind === 'sweep') return 'the gateway did not order it, though both addresses are its own';
      return 'the gateway did not order it: look who else has the key';
    case 'pending':
    case 'failed':
      return 'the rail told it, and it is not settled';
    case 'closed':
      return 'the rail told it, and somebody closed it';
    default:
      return 'the rail told it, and nothing was booked, or what was stands for another entry';
  }
}

/** @returns the finding about a line without an entry. */
export function lineFinding(line: VaultLine): Finding {
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

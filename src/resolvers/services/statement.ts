/** Statements of rails: the real movements of a period, from the outside world, for comparison with the ledger. */
import type { RailEventName } from '../../store/rails/vault.ts';

/** Kinds of a statement's entries. */
export const ENTRY_KINDS = {
  payment: 'A PIX that came.',
  refund: 'A return of received money that we ordered.',
  dispute: 'A PIX that came and was taken back by a dispute (MED).',
  payout: 'A PIX that we sent.',
  payout_return: 'A PIX that we sent and that came back, whole or in part.',
  deposit: 'A transfer to a deposit address.',
  transfer: 'A transfer on a network that left us.',
  funding: 'A transfer to the hot wallet by somebody else.',
  sweep: 'A transfer between our own addresses: a deposit that is swept, or gas for that.',
  gas: 'Fee that a network charged for a transaction of ours.',
  balance: 'The total balance.',
} as const;
/** A member of ENTRY_KINDS. */
export type EntryKind = keyof typeof ENTRY_KINDS;

/**
 * Match of an entry without a rail event. `capital`: an unordered transfer, which a person books on its day or soon after;
 * `any`: it has no name that an event could have, and is found by its amount and day; `paid_by_hand`: it has an event, and
 * may also be a payment by a person (L62), found by amount and day.
 */
export type Untold = 'capital' | 'any' | 'paid_by_hand';

/** Name of the rail event of an entry that no rail event can report. */
export const NO_RAIL_EVENT: RailEventName = { kind: 'unknown', key: 'none' };

/** Money that moved. */
export interface StatementEntry {
  readonly kind: EntryKind;
  /** The rail's own name for it, under which its event is stored unless `eventName` says otherwise. */
  readonly id: string;
  /** Decimal text in the currency; null if the rail does not report it. */
  readonly amount: string | null;
  /** Raw ledger code; BRL where it is left out. */
  readonly currency?: string;
  readonly at: Date;
  /** Destination of a transfer that left, canonical form. */
  readonly to?: string;
  /** Natural key of the rail event that reports it. */
  readonly eventName?: RailEventName;
  /** Match when no event reports it; none when left out. */
  readonly untold?: Untold;
  /** Another address or currency than ordered or reported, as text. */
  readonly differs?: string | undefined;
  /** Of a transfer between our own addresses: the ordered amount, decimal text. */
  readonly ordered?: string;
  /**
   * It is in no account of the ledger, because both ends are ours: the rail has the order and the transfer, or (`absent`) the
   * order alone.
   */
  readonly own?: 'known' | 'absent';
}

/** From the first instant of a period to the first after it. */
export interface StatementPeriod {
  readonly from: Date;
  readonly to: Date;
  /** Time up to which the rail must have settled all; later orders may be under way. */
  readonly whole?: Date;
}

/** Total of a currency at a rail, and the ledger's at that time; decimal texts. */
export interface ReportedBalance {
  /** Raw ledger code. */
  readonly currency: string;
  readonly there: string;
  readonly here: string;
  /** By how much `there` is more because something is not booked yet, or is booked and not there yet. */
  readonly inFlight: string;
}

/** Progress of reading a statement, in rows or in blocks of a network. */
export interface ReadProgress {
  readonly phase: 'rows' | 'blocks';
  readonly done: number;
  /** Null while it is not known. */
  readonly total: number | null;
}

/** The statement of a rail. */
export interface RailStatement {
  /** Kinds of its entries, without any statement about other kinds. */
  readonly kinds: readonly EntryKind[];
  /**
   * @param report - called as reading goes on.
   * @returns movements of the period, in any order; for a network only final ones that were settled here.
   * @throws while it cannot be read whole.
   */
  readonly read: (
    period: StatementPeriod,
    report?: (progress: ReadProgress) => void,
  ) => Promise<Iterable<StatementEntry>>;
  /** @returns entries by the names of their events, of any time; missing ones are left out. */
  readonly find?: (names: readonly RailEventName[]) => Promise<readonly StatementEntry[]>;
  /** Present balances. @throws while they cannot be read. */
  readonly balances?: () => Promise<readonly ReportedBalance[]>;
}

/** Statements of rails: what really moved in a period, as the outside world has it. Reconciliation holds them against the ledger. */

/** What an entry of a statement can be. */
export const ENTRY_KINDS = {
  payment: 'A PIX that came.',
  refund: 'A PIX that came and went back, because we ordered it.',
  dispute: 'A PIX that came and was taken back by the special mechanism (MED).',
  payout: 'A PIX that we sent.',
  payout_return: 'A PIX that we sent and that came back, whole or in part.',
} as const;
/** One of ENTRY_KINDS. */
export type EntryKind = keyof typeof ENTRY_KINDS;

/** Money that moved. */
export interface StatementEntry {
  readonly kind: EntryKind;
  /** The rail's own name for it, under which its news is stored. */
  readonly id: string;
  /** Decimal text in the currency of the rail; null where the rail does not tell. */
  readonly amount: string | null;
  readonly at: Date;
}

/** From the first moment of a period to the first after it. */
export interface StatementPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** The statement of a rail. */
export interface RailStatement {
  /** What is on it: of other kinds nothing is said. */
  readonly kinds: readonly EntryKind[];
  /** @returns what moved in the period, in any order. @throws while it cannot be read whole. */
  readonly read: (period: StatementPeriod) => Promise<readonly StatementEntry[]>;
}

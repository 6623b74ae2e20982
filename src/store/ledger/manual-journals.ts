/** Manual journals: proposed, then posted or rejected. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { assert } from '../../base/errors/assert.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { HouseAccount } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** States of a manual journal. */
export const MANUAL_JOURNAL_STATES = ['proposed', 'posted', 'rejected'] as const;
/** A member of MANUAL_JOURNAL_STATES. */
export type ManualJournalState = (typeof MANUAL_JOURNAL_STATES)[number];

/** Kinds in the books: a manual journal, capital paid in (L65), capital withdrawn (L66). */
export type ProposedName = 'manual' | 'L65' | 'L66';

/** A proposed journal. */
export interface NewManualJournal {
  readonly name: ProposedName;
  readonly accountId: bigint;
  readonly debit: HouseAccount;
  readonly credit: HouseAccount;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: string;
  readonly reason: string;
  /** Id of the key or person that proposes it. */
  readonly maker: string;
  readonly madeAt: Instant;
}

/** A manual journal. */
export interface ManualJournal extends NewManualJournal {
  readonly id: bigint;
  readonly state: ManualJournalState;
  readonly decidedBy: string | null;
  readonly decidedAt: Instant | null;
  /** Number within its account; null unless it was posted. */
  readonly journalId: bigint | null;
}

/** Decision about a proposal. */
export interface ManualDecision {
  readonly decidedBy: string;
  readonly decidedAt: string;
  /** Null if it is rejected. */
  readonly journalId: bigint | null;
}

const COLUMNS = `id, name, account_id as "accountId", debit, credit, currency, amount_minor::text as "amountMinor", reason, maker,
  made_at as "madeAt", state, decided_by as "decidedBy", decided_at as "decidedAt", journal_id as "journalId"`;
const ADD: Statement = {
  name: 'manual_journal_add',
  text: `insert into manual_journal (mode, account_id, debit, credit, currency, amount_minor, reason, maker, made_at, name)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
};
const FIND: Statement = {
  name: 'manual_journal',
  text: `select ${COLUMNS} from manual_journal where id = $1 and mode = $2`,
};
const LIST: Statement = {
  name: 'manual_journals',
  text: `select ${COLUMNS} from manual_journal where mode = $1 and ($2::text is null or state = $2) order by id desc limit $3`,
};
const DECIDE: Statement = {
  name: 'manual_journal_decide',
  text: `update manual_journal set state = case when $4::bigint is null then 'rejected' else 'posted' end,
      decided_by = $2, decided_at = $3, journal_id = $4
    where id = $1 and state = 'proposed' returning ${COLUMNS}`,
};
const REPLACE_MAKER: Statement = {
  name: 'manual_journal_replace_maker',
  text: `update manual_journal set maker = $2, made_at = $3 where id = $1 and state = 'proposed' returning ${COLUMNS}`,
};

/**
 * Stores a proposal.
 *
 * @returns the proposal.
 */
export async function addManualJournal(
  tx: Tx,
  mode: AccountMode,
  { accountId, debit, credit, currency, amountMinor, reason, maker, madeAt, name }: NewManualJournal,
): Promise<ManualJournal> {
  const values = [mode, accountId, debit, credit, currency, amountMinor, reason, maker, madeAt, name];
  const [row] = await tx.query<ManualJournal>(ADD, values);
  assert(row, 'an insert returns its row');
  return row;
}

/** @returns the journal of this id in a mode. */
export async function findManualJournal(
  tx: Tx,
  id: bigint,
  mode: AccountMode,
): Promise<ManualJournal | undefined> {
  const [row] = await tx.query<ManualJournal>(FIND, [id, mode]);
  return row;
}

/** @returns the journals, newest first. */
export function readManualJournals(
  tx: Tx,
  mode: AccountMode,
  { state, limit }: { readonly state?: ManualJournalState | undefined; readonly limit: number },
): Promise<ManualJournal[]> {
  return tx.query<ManualJournal>(LIST, [mode, state ?? null, limit]);
}

/**
 * Stores the decision about a proposal.
 * @returns the proposal; undefined if it was decided before.
 */
export async function decideManualJournal(
  tx: Tx,
  id: bigint,
  { decidedBy, decidedAt, journalId }: ManualDecision,
): Promise<ManualJournal | undefined> {
  const [row] = await tx.query<ManualJournal>(DECIDE, [id, decidedBy, decidedAt, journalId]);
  return row;
}

/**
 * Makes another key or person the proposer.
 *
 * @returns the proposal; undefined when it was decided before.
 */
export async function replaceJournalMaker(
  tx: Tx,
  id: bigint,
  { maker, madeAt }: Pick<NewManualJournal, 'maker' | 'madeAt'>,
): Promise<ManualJournal | undefined> {
  const [row] = await tx.query<ManualJournal>(REPLACE_MAKER, [id, maker, madeAt]);
  return row;
}

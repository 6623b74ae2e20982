/** Reports of reconciliation, which are made once and never changed. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { assert } from '../../base/errors/assert.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { idList } from '../connection/id-list.ts';

/** A report to store. */
export interface NewReconciliation {
  /** `pix`, `bank`, or the name of a network. */
  readonly rail: string;
  /** Brasília day, `YYYY-MM-DD`. */
  readonly day: string;
  /** Time up to which the statement was read. */
  readonly until: Instant;
  readonly madeAt: Instant;
  /** Author, as the audit log names actors. */
  readonly madeBy: string;
  readonly matched: number;
  readonly missingHere: number;
  readonly missingThere: number;
  readonly amountDiffers: number;
  readonly detailsDiffer: number;
  readonly balancesDiffer: number;
  readonly inSuspense: number;
  /** Null if there are no open findings. */
  readonly oldestOpenAt: Instant | null;
  readonly findings: readonly unknown[];
  readonly balances: readonly unknown[];
  /** Digest of a file, which identifies it later. */
  readonly source: string | null;
  /** Entries that may have no rail event, each with its line of the ledger. */
  readonly entries: readonly unknown[];
}

/** A stored report without its entries, which may be many. */
export interface StoredReconciliation extends Omit<NewReconciliation, 'entries'> {
  readonly id: bigint;
}

/** Filter of reports. */
export interface ReconciliationFilter {
  readonly day: string | undefined;
  readonly rail: string | undefined;
  readonly limit: number;
}

const FACTS = `id, rail, day::text as day, until, made_at as "madeAt", made_by as "madeBy", matched, missing_here as "missingHere",
  missing_there as "missingThere", amount_differs as "amountDiffers", details_differ as "detailsDiffer",
  balances_differ as "balancesDiffer", in_suspense as "inSuspense", oldest_open_at as "oldestOpenAt", source`;
const COLUMNS = `${FACTS}, findings, balances`;
const ADD: Statement = {
  name: 'reconciliation_add',
  text: `insert into reconciliation (mode, rail, day, until, made_at, made_by, matched, missing_here, missing_there, amount_differs,
      details_differ, balances_differ, in_suspense, oldest_open_at, findings, balances, source, entries)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16::jsonb, $17, $18::jsonb) returning ${FACTS}`,
};
const FIND: Statement = {
  name: 'reconciliation_find',
  text: `select ${COLUMNS} from reconciliation where mode = $1 and id = $2`,
};
const BY_SOURCE: Statement = {
  name: 'reconciliations_by_source',
  text: `select id::text as id from reconciliation where mode = $1 and source = $2 order by day`,
};
const ENTRIES: Statement = {
  name: 'reconciliation_entries',
  text: `select day::text as day, entries from reconciliation where mode = $1 and rail = $2 and day = any ($3::date[]) order by id`,
};
const LIST: Statement = {
  name: 'reconciliations',
  text: `select ${COLUMNS} from reconciliation
    where mode = $1 and ($2::date is null or day = $2) and ($4::text is null or rail = $4) order by day desc, id desc limit $3`,
};

/**
 * Lists the reports of a mode (`$1`), newest first; a day (`$2`) and a rail (`$3`) restrict the list unless they are
 * null.
 */
export const reconciliationList = idList<StoredReconciliation>({
  name: 'reconciliations_listed',
  id: 'id',
  columns: COLUMNS,
  from: 'reconciliation',
  where: 'mode = $1 and ($2::date is null or day = $2) and ($3::text is null or rail = $3)',
  filters: 3,
});

/** The newest report of a rail and day replaces the earlier ones. */
const OPEN: Statement = {
  name: 'reconciliations_open',
  text: `select ${COLUMNS} from (
      select distinct on (rail, day) * from reconciliation where mode = $1 and day >= $2::date order by rail, day desc, id desc) r
    where missing_here + missing_there + amount_differs + details_differ + balances_differ + in_suspense > 0
    order by day, id limit $3`,
};

/** @returns the newest report of each rail and day since a day, if it has open findings; the oldest day first. */
export function readOpenReconciliations(
  tx: Tx,
  mode: AccountMode,
  { since, limit }: { readonly since: string; readonly limit: number },
): Promise<StoredReconciliation[]> {
  return tx.query<StoredReconciliation>(OPEN, [mode, since, limit]);
}

/** @returns the ids of the reports about a file, the oldest day first. */
export async function listIdsBySource(tx: Tx, mode: AccountMode, source: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(BY_SOURCE, [mode, source]);
  return rows.map(({ id }) => id);
}

/**
 * Stores a report.
 *
 * @returns the report with its id.
 */
export async function addReconciliation(
  tx: Tx,
  mode: AccountMode,
  report: NewReconciliation,
): Promise<StoredReconciliation> {
  const { rail, day, until, madeAt, madeBy, matched, missingHere, missingThere, amountDiffers } = report;
  const { detailsDiffer, balancesDiffer, inSuspense, oldestOpenAt, findings, balances, source, entries } =
    report;
  const counts = [matched, missingHere, missingThere, amountDiffers, detailsDiffer, balancesDiffer];
  const lists = [JSON.stringify(findings), JSON.stringify(balances), source, JSON.stringify(entries)];
  const values = [mode, rail, day, until, madeAt, madeBy, ...counts, inSuspense, oldestOpenAt, ...lists];
  const [row] = await tx.query<Omit<StoredReconciliation, 'findings' | 'balances'>>(ADD, values);
  assert(row, 'an insert returns its row');
  return { ...row, findings, balances };
}

/** @returns the report with this id, or undefined. */
export async function findReconciliation(
  tx: Tx,
  mode: AccountMode,
  id: bigint,
): Promise<StoredReconciliation | undefined> {
  const [row] = await tx.query<StoredReconciliation>(FIND, [mode, id]);
  return row;
}

/** @returns the stored entries of all reports of these days, in the order of creation. */
export function readReportEntries(
  tx: Tx,
  { mode, rail }: { readonly mode: AccountMode; readonly rail: string },
  days: readonly string[],
): Promise<{ readonly day: string; readonly entries: readonly unknown[] }[]> {
  return tx.query(ENTRIES, [mode, rail, days]);
}

/** @returns the newest days first, and for each day the newest report first. */
export function listReconciliations(
  tx: Tx,
  mode: AccountMode,
  { day, rail, limit }: ReconciliationFilter,
): Promise<StoredReconciliation[]> {
  return tx.query<StoredReconciliation>(LIST, [mode, day ?? null, limit, rail ?? null]);
}

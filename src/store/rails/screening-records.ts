/** Records of screenings of transactions: what was compared, when, with which lists and providers, and the outcome. No names or numbers. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A screening of a transaction. */
export interface ScreeningRecord {
  readonly stage: 'creation' | 'arrival' | 'return';
  readonly outcome: 'cleared' | 'held' | 'frozen';
  /** Lists with their versions, and providers. */
  readonly screeners: readonly string[];
  /** Parts of the transaction that were compared. */
  readonly roles: readonly string[];
}

/** A stored screening. */
export interface StoredScreening extends ScreeningRecord {
  /** Of repeated screenings with the same outcome, that of the first one. */
  readonly screenedAt: Instant;
}

type Row = Omit<StoredScreening, 'screeners'> & { readonly screeners: string };

const SEPARATOR = ', ';
const STORE: Statement = {
  name: 'screening_record_store',
  text: `insert into screening_record (account_id, transaction_id, stage, outcome, screeners, roles, screened_at)
    values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
};
const READ: Statement = {
  name: 'screening_record_read',
  text: `select stage, outcome, screeners, roles, screened_at as "screenedAt" from screening_record
    where account_id = $1 and transaction_id = $2 order by screened_at, stage, outcome, screeners limit $3`,
};

/** Stores a screening; one with the same stage, outcome and screeners stays as it was stored first. */
export async function storeScreening(
  tx: Tx,
  { accountId, transactionId }: { readonly accountId: bigint; readonly transactionId: bigint },
  { stage, outcome, screeners, roles }: ScreeningRecord,
  at: Date,
): Promise<void> {
  await tx.query(STORE, [accountId, transactionId, stage, outcome, screeners.join(SEPARATOR), roles, at]);
}

/** @returns the screenings of a transaction, oldest first. */
export async function readScreenings(
  tx: Tx,
  accountId: bigint,
  transactionId: bigint,
  limit: number,
): Promise<StoredScreening[]> {
  const rows = await tx.query<Row>(READ, [accountId, transactionId, limit]);
  return rows.map(({ screeners, ...rest }) => ({ ...rest, screeners: screeners.split(SEPARATOR) }));
}

/** Recorded facts of transactions for authorities: a transaction without facts has no row (docs/records.md). */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Holder of a wallet's keys: its owner, or a provider. */
export type WalletCustody = 'self_custody' | 'custodial';

/** Facts that can be recorded; null when unknown. */
export interface RecordFacts {
  readonly walletCustody: WalletCustody | null;
  readonly walletHolder: string | null;
  readonly walletVasp: string | null;
  readonly walletCountry: string | null;
  readonly purposeCode: string | null;
  readonly counterpartyCountry: string | null;
  /** Decimal text. */
  readonly usdValue: string | null;
  /** The time for which the value was computed. */
  readonly usdValueAt: Instant | null;
  /** BRL for one USD in the computation; null if the value was entered. */
  readonly usdRate: string | null;
}

/** A record with its transaction. */
export interface TransactionRecord extends RecordFacts {
  readonly accountId: bigint;
  readonly transactionId: bigint;
}

/** A transaction without a record. */
export const NO_RECORD: RecordFacts = {
  walletCustody: null,
  walletHolder: null,
  walletVasp: null,
  walletCountry: null,
  purposeCode: null,
  counterpartyCountry: null,
  usdValue: null,
  usdValueAt: null,
  usdRate: null,
};

const FACTS = `wallet_custody, wallet_holder, wallet_vasp, wallet_country, purpose_code, counterparty_country, usd_value,
  usd_value_at, usd_rate`;
const READ: Statement = {
  name: 'transaction_records',
  text: `select account_id as "accountId", transaction_id as "transactionId", wallet_custody as "walletCustody",
      wallet_holder as "walletHolder", wallet_vasp as "walletVasp", wallet_country as "walletCountry",
      purpose_code as "purposeCode", counterparty_country as "counterpartyCountry", usd_value as "usdValue",
      usd_value_at as "usdValueAt", usd_rate as "usdRate"
    from unnest($1::bigint[], $2::bigint[]) u(account_id, transaction_id) join transaction_record using (account_id, transaction_id)`,
};
const STORE: Statement = {
  name: 'transaction_record_store',
  text: `insert into transaction_record (account_id, transaction_id, ${FACTS})
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    on conflict (account_id, transaction_id) do update set (${FACTS}) = (excluded.wallet_custody, excluded.wallet_holder,
      excluded.wallet_vasp, excluded.wallet_country, excluded.purpose_code, excluded.counterparty_country, excluded.usd_value,
      excluded.usd_value_at, excluded.usd_rate)`,
};

/** A transaction, by its account and its number. */
type Key = Readonly<Record<'accountId' | 'id', bigint>>;

/** @returns the records of these transactions, in no order; missing if nothing is recorded. */
export function readRecords(tx: Tx, transactions: readonly Key[]): Promise<TransactionRecord[]> {
  const accountIds = transactions.map(({ accountId }) => accountId);
  const ids = transactions.map(({ id }) => id);
  return tx.query<TransactionRecord>(READ, [accountIds, ids]);
}

/** @returns the recorded facts of a transaction. */
export async function readRecord(tx: Tx, transaction: Key): Promise<RecordFacts> {
  const [row] = await readRecords(tx, [transaction]);
  if (!row) return NO_RECORD;
  const { accountId: _accountId, transactionId: _id, ...facts } = row;
  return facts;
}

/** Stores the recorded facts of a transaction, replacing earlier ones. */
export async function storeRecord(tx: Tx, { accountId, id }: Key, facts: RecordFacts): Promise<void> {
  const { walletCustody, walletHolder, walletVasp, walletCountry } = facts;
  const wallet = [walletCustody, walletHolder, walletVasp, walletCountry];
  const { purposeCode, counterpartyCountry, usdValue, usdValueAt, usdRate } = facts;
  await tx.query(STORE, [
    ...[accountId, id, ...wallet, purposeCode, counterpartyCountry],
    ...[usdValue, usdValueAt, usdRate],
  ]);
}

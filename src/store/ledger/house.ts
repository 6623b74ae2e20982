/** Balances of house accounts. */
import type { HouseAccount } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../database.ts';

const BALANCE: Statement = {
  name: 'house_balance',
  text: `select b.balance::text from ledger_account a
    join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    where a.account_id = $1 and a.currency = $2 and a.house = $3`,
};

/** @returns minor units, a debit below zero; zero for a house account that was never opened. */
export async function readHouseBalance(
  tx: Tx,
  accountId: bigint,
  currency: string,
  house: HouseAccount,
): Promise<bigint> {
  const [row] = await tx.query<{ balance: string }>(BALANCE, [accountId, currency, house]);
  return BigInt(row?.balance ?? 0);
}

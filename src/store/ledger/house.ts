/** Balances of house accounts, and the list of receivables from account holders. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { HouseAccount } from '../../ledger/chart.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Receivable from an account holder in one currency. */
export interface Receivable {
  readonly accountId: bigint;
  /** Name of the account holder. */
  readonly accountName: string;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: string;
}

/** Position of a receivable in the list. */
export type ReceivableKey = Pick<Receivable, 'accountId' | 'currency'>;

/** A slice of the list, in its order unless backward. */
export interface ReceivableSlice {
  readonly limit: number;
  readonly after?: ReceivableKey | undefined;
  readonly before?: ReceivableKey | undefined;
  readonly isBackward: boolean;
  /** Number of receivables before the slice; 0 by default. */
  readonly skip?: number;
}

const BALANCE: Statement = {
  name: 'house_balance',
  text: `select b.balance::text from ledger_account a
    join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    where a.account_id = $1 and a.currency = $2 and a.house = $3`,
};
// A receivable is an asset, so its balance is a debit and negative.
const RECEIVABLES = `from ledger_account l join account a on a.id = l.account_id and a.mode = $1
    join ledger_balance b on b.account_id = l.account_id and b.ledger_account_id = l.id
    where l.house = 'A.recv' and b.balance < 0`;
const receivablesStatement = (isBackward: boolean): Statement => {
  const order = isBackward ? 'desc' : 'asc';
  return {
    name: `receivables_${order}`,
    text: `select a.id as "accountId", a.name as "accountName", l.currency, (-b.balance)::text as "amountMinor" ${RECEIVABLES}
      and ($2::bigint is null or (l.account_id, l.currency) > ($2, $3::text))
      and ($4::bigint is null or (l.account_id, l.currency) < ($4, $5::text))
      order by l.account_id ${order}, l.currency ${order} limit $6 offset $7`,
  };
};
const RECEIVABLES_FORWARD = receivablesStatement(false);
const RECEIVABLES_BACKWARD = receivablesStatement(true);
const COUNT_RECEIVABLES: Statement = {
  name: 'receivables_count',
  text: `select count(*) as total,
      coalesce(bool_or((l.account_id, l.currency) <= ($2::bigint, $3::text)), false) as "isPreceded",
      coalesce(bool_or((l.account_id, l.currency) >= ($4::bigint, $5::text)), false) as "isFollowed" ${RECEIVABLES}`,
};

/** Total number of receivables, and whether some are outside of the bounds of a slice. */
export interface ReceivableCounts {
  readonly total: bigint;
  readonly isPreceded: boolean;
  readonly isFollowed: boolean;
}

/** Reads a slice of the receivables from account holders of a mode, by account and currency. */
export function readReceivables(
  tx: Tx,
  mode: AccountMode,
  { limit, isBackward, skip = 0, ...bounds }: ReceivableSlice,
): Promise<Receivable[]> {
  const values = [mode, ...boundsOf(bounds), limit, skip];
  return tx.query<Receivable>(isBackward ? RECEIVABLES_BACKWARD : RECEIVABLES_FORWARD, values);
}

/** Counts the receivables from account holders of a mode. */
export async function countReceivables(
  tx: Tx,
  mode: AccountMode,
  bounds: Pick<ReceivableSlice, 'after' | 'before'>,
): Promise<ReceivableCounts> {
  const [row] = await tx.query<ReceivableCounts>(COUNT_RECEIVABLES, [mode, ...boundsOf(bounds)]);
  return row ?? { total: 0n, isPreceded: false, isFollowed: false };
}

function boundsOf({ after, before }: Pick<ReceivableSlice, 'after' | 'before'>) {
  return [
    after?.accountId ?? null,
    after?.currency ?? null,
    before?.accountId ?? null,
    before?.currency ?? null,
  ];
}

/** @returns minor units, debits negative; zero for a house account that was never opened. */
export async function readHouseBalance(
  tx: Tx,
  accountId: bigint,
  currency: string,
  house: HouseAccount,
): Promise<bigint> {
  const [row] = await tx.query<{ balance: string }>(BALANCE, [accountId, currency, house]);
  return BigInt(row?.balance ?? 0);
}

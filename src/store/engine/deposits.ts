/** Deposit addresses and exact amounts: each amount at an address is reserved for one session. */
import type { Database, Statement, Tx } from '../connection/database.ts';

/** An exact amount at an address, reserved for one session. */
export interface Slot {
  readonly accountId: bigint;
  readonly transactionId: bigint;
  readonly address: string;
  /** Raw ledger code. */
  readonly currency: string;
  readonly amountMinor: bigint;
  /** Time until which the amount is reserved. */
  readonly heldUntil: Date;
}

const NEXT_INDEX: Statement = {
  name: 'deposit_next_index',
  text: `insert into deposit_index as d (chain, next) values ($1, 1) on conflict (chain) do update set next = d.next + 1 returning next - 1 as index`,
};
const HOLD: Statement = {
  name: 'deposit_hold',
  text: `insert into deposit_slot as s (account_id, transaction_id, address, currency, amount_minor, held_until)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (address, currency, amount_minor) do update
      set account_id = excluded.account_id, transaction_id = excluded.transaction_id, held_until = excluded.held_until
      where s.held_until < $7 or (s.account_id = excluded.account_id and s.transaction_id = excluded.transaction_id)
    returning s.address`,
};
const HELD: Statement = {
  name: 'deposit_held',
  text: `select address, amount_minor as "amountMinor" from deposit_slot
    where account_id = $1 and transaction_id = $2 and currency = $3 order by held_until desc limit 1`,
};

/** @returns the next derivation index of a chain; each is used once. */
export async function nextDepositIndex(database: Database, chain: string): Promise<number> {
  const [row] = await database.query<{ index: number }>(NEXT_INDEX, [chain]);
  return row?.index as number;
}

/** Reserves an exact amount. @returns whether the amount was free; a unique index decides. */
export async function holdSlot(database: Tx, slot: Slot, now: Date): Promise<boolean> {
  const { accountId, transactionId, address, currency, amountMinor, heldUntil } = slot;
  const rows = await database.query(HOLD, [
    accountId,
    transactionId,
    address,
    currency,
    amountMinor,
    heldUntil,
    now,
  ]);
  return rows.length > 0;
}

/** @returns the address and the exact amount that are already reserved for a transaction. */
export async function readHeldSlot(
  database: Tx,
  { accountId, transactionId, currency }: Pick<Slot, 'accountId' | 'transactionId' | 'currency'>,
): Promise<Pick<Slot, 'address' | 'amountMinor'> | undefined> {
  const [row] = await database.query<{ address: string; amountMinor: string }>(HELD, [
    accountId,
    transactionId,
    currency,
  ]);
  return row && { address: row.address, amountMinor: BigInt(row.amountMinor) };
}

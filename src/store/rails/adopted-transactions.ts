/** Transactions on networks that a lost history of this database made for orders. */
import type { Database, Statement } from '../connection/database.ts';

const ADOPT: Statement = {
  name: 'chain_attempt_adopt',
  text: `insert into chain_attempt (order_id, number, unsigned, cost_minor, made_at, raw, hash, signed_at)
    select o.id, coalesce(max(a.number), 0) + 1, '', 0, $3, '', $2, $3
      from chain_order o left join chain_attempt a on a.order_id = o.id where o.id = $1 group by o.id`,
};
const ADOPTED: Statement = {
  name: 'chain_order_adopted',
  text: `update chain_order set state = 'sent', place = null, last_error = null where id = $1 and state in ('queued', 'signing') returning id`,
};

/**
 * Assigns to an order the transaction that carried it out in a lost history: it is followed to its end, and never
 * broadcast, because its bytes were lost.
 * @returns false if the order has left or ended since it was read.
 */
export async function adoptTransaction(
  database: Pick<Database, 'withTx'>,
  orderId: bigint,
  hash: string,
  nowMs: number,
): Promise<boolean> {
  return database.withTx(async (tx) => {
    if ((await tx.query(ADOPTED, [orderId])).length === 0) return false;
    await tx.query(ADOPT, [orderId, hash, new Date(nowMs).toISOString()]);
    return true;
  });
}

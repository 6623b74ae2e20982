/** What moved by PIX in the sandbox: what was told, with the amounts that were ordered. */
import type { Statement, Tx } from '../connection/database.ts';
import { keptKey } from './sandbox-orders.ts';

/** Money that moved. */
export interface SandboxMovement {
  /** Kind of the news that told of it. */
  readonly kind: string;
  /** The rail's name for it. */
  readonly id: string;
  /** Decimal BRL; null where nobody told it. */
  readonly amount: string | null;
  /** By the clock of the sandbox, where it was told. */
  readonly at: string | null;
  /** On the database's clock: when it was told. */
  readonly toldAt: string;
}

// The clock of the sandbox is ahead of the machine's by so much at most: what happened in the period was told no earlier than this.
const MOVED: Statement = {
  name: 'sandbox_moved',
  text: `select n.kind, substr(n.key, 5) as id, coalesce(n.body ->> 'amount', o.request ->> 'amount') as amount,
      n.body ->> 'settledAt' as at, n.seen_at as "toldAt"
    from rail_news n left join sandbox_order o on o.account_id = n.account_id
      and o.key = ${keptKey("n.body ->> 'order'")}
    where n.mode = 'sandbox' and n.rail = 'pix' and n.seen_at >= $1::timestamptz and n.seen_at < $2::timestamptz
      and (n.kind in ('payment', 'payout_returned', 'dispute_accepted')
        or n.kind in ('payout_ended', 'refund_ended') and n.body @> '{"isDone": true}')
    order by n.id`,
};

/** @returns what was told between two moments of the database's clock, in the order in which it was. */
export function readSandboxMovements(tx: Tx, from: Date, to: Date): Promise<SandboxMovement[]> {
  return tx.query<SandboxMovement>(MOVED, [from.toISOString(), to.toISOString()]);
}

/** PIX movements of the sandbox: reported ones, with the ordered amounts. */
import type { Statement, Tx } from '../connection/database.ts';
import { storedKey } from './sandbox-orders.ts';

/** Money that moved. */
export interface SandboxMovement {
  /** Kind of the rail event that reported it. */
  readonly kind: string;
  /** The rail's name for it. */
  readonly id: string;
  /** Decimal BRL; null if it was not reported. */
  readonly amount: string | null;
  /** Time on the sandbox's clock, if reported. */
  readonly at: string | null;
  /** Time of the report on the database's clock. */
  readonly toldAt: string;
}

// Maximum lead of the sandbox's clock over the machine's: movements of the period were reported no earlier than this.
const MOVED: Statement = {
  name: 'sandbox_moved',
  text: `select n.kind, substr(n.key, 5) as id, coalesce(n.body ->> 'amount', o.request ->> 'amount') as amount,
      n.body ->> 'settledAt' as at, n.seen_at as "toldAt"
    from rail_news n left join sandbox_order o on o.account_id = n.account_id
      and o.key = ${storedKey("n.body ->> 'order'")}
    where n.mode = 'sandbox' and n.rail = 'pix' and n.seen_at >= $1::timestamptz and n.seen_at < $2::timestamptz
      and (n.kind in ('payment', 'payout_returned', 'dispute_accepted')
        or n.kind in ('payout_ended', 'refund_ended') and n.body @> '{"isDone": true}')
    order by n.id`,
};

/** @returns movements reported in a period of the database's clock, in order. */
export function readSandboxMovements(tx: Tx, from: Date, to: Date): Promise<SandboxMovement[]> {
  return tx.query<SandboxMovement>(MOVED, [from.toISOString(), to.toISOString()]);
}

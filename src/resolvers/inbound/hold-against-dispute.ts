/**
 * A return by MED at a provider that lists disputes separately (C-33, C-34). The dispute has already booked the money, so the
 * return books nothing: it is matched with a dispute about the same amount, each dispute with one return.
 */
import { known } from '../../base/errors/assert.ts';
import { BRL } from '../../base/money/currency.ts';
import { withDecimals } from '../../base/money/money.ts';
import { readProcesses } from '../../store/engine/processes.ts';
import { type RailEventRecord, readDisputeReturns, storeRailEvents } from '../../store/engine/rail-events.ts';
import { cents } from '../../templates/amounts.ts';
import { isDisputed } from '../../templates/dispute-claims.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { isHeldByDispute } from '../../templates/refund-dispute-machine.ts';
import { brlText, returnsOf, sumOf } from '../../templates/returns.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type { DisputeReturnEvent, Receipt } from '../services/rail-event.ts';

/** Reasons for which a return matches no dispute. */
interface Unmatched {
  readonly error: string;
  /** Whether a dispute is open, which may be the one: the return waits until it ends. */
  readonly isEarly: boolean;
}

/** @returns the outcome of the event; otherwise the reason to wait, with the amounts as text. */
export async function holdAgainstDispute(
  services: Services,
  { amount }: DisputeReturnEvent,
  record: RailEventRecord,
  target: { readonly accountId: bigint; readonly transactionId: bigint },
): Promise<Receipt | Unmatched> {
  // With refunds under way, the bank may have taken more than is booked.
  const trigger = { on: 'dispute_returned', amount } as const;
  const { code, row: after } = await services.advance({ target, trigger, railEvent: record });
  if (code !== 'STEP_CONFLICT') return { outcome: code === 'ADVANCED' ? 'step' : 'duplicate', row: after };
  return withAccounts(services, [target.accountId], async (tx) => {
    const [found] = await readProcesses(tx, [target]);
    const row = known(found, 'the transaction of a payment');
    const open = [...acceptedIn(row)];
    for (const earlier of await readDisputeReturns(tx, target)) {
      const index = open.indexOf(cents(earlier));
      if (index >= 0) open.splice(index, 1);
    }
    if (!open.includes(cents(amount))) return { error: wordsOf(amount, open), isEarly: isEarly(row) };
    const stored = await storeRailEvents(tx, [{ ...record, outcome: 'noted', ...target }]);
    return { outcome: stored.length > 0 ? 'noted' : 'duplicate', row };
  });
}

/** Amounts of accepted disputes: as listed, and of those that paid the payer in place of a failed refund. */
function acceptedIn({ process }: ProcessRow): readonly bigint[] {
  const returns = returnsOf(process ?? {});
  const listed = returns.flatMap(({ kind, amount }) => (kind === 'dispute' ? [cents(amount)] : []));
  const settled = Map.groupBy(
    returns.filter(({ kind, dispute }) => kind !== 'dispute' && dispute !== undefined),
    ({ dispute }) => dispute,
  );
  return [...listed, ...[...settled.values()].map(sumOf)];
}

/** Whether a dispute is open, or a refund under way: the return may have to wait for its end. */
function isEarly(row: ProcessRow): boolean {
  return (
    isDisputed(row) ||
    isHeldByDispute(row) ||
    returnsOf(row.process ?? {}).some(({ state }) => state === 'requested')
  );
}

function wordsOf(amount: string, open: readonly bigint[]): string {
  const disputes =
    open.length === 0
      ? 'no accepted dispute of this payment is without its return'
      : `a dispute about ${open.map(textOf).join(', and one about ')} was accepted`;
  return `${amount} went back by MED, and ${disputes}: somebody has to decide`;
}

function textOf(amount: bigint): string {
  return withDecimals(brlText(amount), BRL.decimals);
}

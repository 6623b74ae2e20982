/** Books money of a PIX in suspense that an accepted MED dispute took back: it went to its payer, as by a return (C-33, C-34). */
import { assert } from '../../base/errors/assert.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import * as journals from '../../ledger/journals.ts';
import { type RailEventRecord, storeRailEvents } from '../../store/engine/rail-events.ts';
import {
  decideSuspense,
  findByRailEventKey,
  findSuspense,
  reduceSuspense,
} from '../../store/engine/suspense.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type { DisputeEvent, Receipt } from '../services/rail-event.ts';
import { postReturned } from './return-suspense.ts';

/** @returns the outcome of the event; undefined where the payment has no open entry in suspense. The rest stays open. */
export async function bookDisputedSuspense(
  services: Services,
  { disputeId, endToEndId, amount }: DisputeEvent,
  record: RailEventRecord,
): Promise<Receipt | undefined> {
  const { database, mode, notifier } = services;
  const found = await findByRailEventKey(database, { mode, kind: 'payment', key: `pix:${endToEndId}` });
  if (found?.state !== 'open') return undefined;
  const { id, accountId, transactionId } = found;
  const outcome = await withAccounts(services, [accountId], async (tx, { nowMs, at }) => {
    const entry = await findSuspense(tx, id, mode);
    assert(entry, 'a suspense entry is never deleted');
    const currency = currencyOfLedger(entry.currency);
    const held = BigInt(entry.amountMinor);
    if (entry.state !== 'open') return undefined;
    const wanted = amount === null ? held : toMinor(amount, currency.decimals);
    const lost = wanted < held ? wanted : held;
    const settled = { ...record, outcome: 'suspense', accountId, transactionId } as const;
    if ((await storeRailEvents(tx, [settled])).length === 0) return 'duplicate' as const;
    const journal = journals.suspenseReturned(currency, { amount: lost, networkFee: 0n });
    await postReturned(tx, found, [{ ref: `suspense:${id}:med:${disputeId}`, journal }], nowMs);
    if (lost < held) {
      await reduceSuspense(tx, id, lost);
      return 'suspense' as const;
    }
    const decision = { state: 'returned', assignedTo: null, decidedBy: null, returnId: null } as const;
    await decideSuspense(tx, id, { ...decision, decidedAt: at, dueMs: null });
    return 'suspense' as const;
  });
  if (outcome === undefined) return undefined;
  notifier.notify([accountId]);
  return { outcome };
}

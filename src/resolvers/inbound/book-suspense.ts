/** Books money that no transaction accepts in the suspense of the account that it is for (C-34). */
import { assert } from '../../base/errors/assert.ts';
import { BRL } from '../../base/money/currency.ts';
import * as journals from '../../ledger/journals.ts';
import type { Tx } from '../../store/connection/database.ts';
import {
  type RailEventRecord,
  type RailEventTarget,
  storeRailEvents,
} from '../../store/engine/rail-events.ts';
import { addSuspense, type SuspenseReason } from '../../store/engine/suspense.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import type { Money } from './rail-events.ts';

/** Money to be booked, with the rail event that reported it. */
export interface Arrived extends Money, RailEventTarget {
  readonly record: RailEventRecord;
  readonly reason: SuspenseReason;
  readonly nowMs: number;
}

/**
 * Stores the event, posts the journal and opens the entry; the account's head is locked by the caller.
 *
 * @returns whether that was done: false for an event that was settled before.
 */
export async function bookSuspense(tx: Tx, arrived: Arrived): Promise<boolean> {
  const { record, accountId, transactionId, currency, amountMinor, reason, nowMs } = arrived;
  const [railEventId] = await storeRailEvents(tx, [
    { ...record, outcome: 'suspense', accountId, transactionId },
  ]);
  if (railEventId === undefined) return false;
  const journal =
    currency.code === BRL.code
      ? journals.pixUnmatched(amountMinor)
      : journals.depositUnmatched(currency, amountMinor);
  const request = { accountId, ref: `news:${railEventId}`, transactionId, journal };
  const [posted] = await postJournals(tx, [request], new Date(nowMs));
  assert(posted?.code === 'POSTED' && posted.journalId !== null, 'suspense under a new ref is posted');
  await addSuspense(tx, {
    accountId,
    railEventId,
    transactionId,
    currency: currency.code,
    amountMinor,
    reason,
    journalId: posted.journalId,
    openedAtMs: nowMs,
  });
  return true;
}

/**
 * Books deposits in suspense that their network dropped after they had been final. The earlier decision about a deposit
 * determines who bears the loss. A transfer that arrives again is a new deposit (C-34).
 */

import { assert } from '../../base/errors/assert.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import * as journals from '../../ledger/journals.ts';
import type { Journal } from '../../ledger/posting.ts';
import type { Tx } from '../../store/connection/database.ts';
import { isLostDeposit, type RailEventRecord, storeRailEvents } from '../../store/engine/rail-events.ts';
import {
  decideSuspense,
  findByRailEventKey,
  findSuspense,
  type SuspenseRow,
} from '../../store/engine/suspense.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import { AGAIN, type DepositEvent, type Receipt } from '../services/rail-event.ts';

/** A rail event under its key, and the money of that key in suspense, unless that was dropped. */
export interface RailEventPosition {
  readonly record: RailEventRecord;
  readonly entry?: SuspenseRow | undefined;
}

/** @returns the position of events about a final or dropped deposit: one that arrived again has a key of its own. */
export async function positionOfDeposit(
  tx: Tx,
  record: RailEventRecord,
  event: Pick<DepositEvent, 'kind'>,
): Promise<RailEventPosition> {
  const { mode, key } = record;
  const confirmed = { mode, kind: 'deposit_confirmed', key };
  const entry = await findByRailEventKey(tx, confirmed);
  const isGone = entry ? entry.state === 'dropped' : await isLostDeposit(tx, confirmed);
  if (!isGone) return { record, entry };
  const next = await positionOfDeposit(tx, { ...record, key: `${key}${AGAIN}` }, event);
  // A deposit that was dropped and did not arrive again: this drop was reported before.
  return event.kind === 'deposit_dropped' && !next.entry ? { record } : next;
}

/**
 * Books that a deposit in suspense is gone.
 *
 * @returns the outcome of the event; undefined while the money is being returned: the end of that must be known
 *   first.
 */
export async function dropSuspense(
  services: Services,
  { id, accountId, assignedTo }: SuspenseRow,
  record: RailEventRecord,
): Promise<Receipt | undefined> {
  const { mode, notifier } = services;
  const concerned = [accountId, assignedTo ?? accountId];
  const receipt = await withAccounts<Receipt | undefined>(
    services,
    concerned,
    async (tx, { nowMs, at: decidedAt }) => {
      const now = await findSuspense(tx, id, mode);
      assert(now, 'a suspense entry is never deleted');
      if (now.state === 'returning' || now.assignedTo !== assignedTo) return undefined;
      const { transactionId, decidedBy, returnId } = now;
      const settled = { ...record, outcome: 'suspense', accountId, transactionId } as const;
      if ((await storeRailEvents(tx, [settled])).length === 0) return { outcome: 'duplicate' };
      const requests = lossOf(now).map(([holder, journal]) => ({
        accountId: holder,
        ref: `suspense:${id}:${journal.name}`,
        transactionId: holder === accountId ? transactionId : null,
        journal,
      }));
      const posted = await postJournals(tx, requests, new Date(nowMs));
      assert(
        posted.every(({ code }) => code === 'POSTED'),
        'a dropped deposit can be booked',
      );
      const decision = { state: 'dropped', assignedTo, decidedBy, decidedAt, returnId } as const;
      await decideSuspense(tx, id, { ...decision, dueMs: null });
      return { outcome: 'suspense' };
    },
  );
  notifier.notify(concerned);
  return receipt;
}

/**
 * An open deposit is no one's loss. An account that was credited owes the amount to the house. The house bears money that it
 * had already sent back.
 */
function lossOf(entry: SuspenseRow): readonly (readonly [bigint, Journal])[] {
  const { accountId, assignedTo, state } = entry;
  const currency = currencyOfLedger(entry.currency);
  const amount = BigInt(entry.amountMinor);
  if (state === 'open') return [[accountId, journals.suspenseDropped(currency, amount)]];
  if (assignedTo === null) return [[accountId, journals.returnedDropped(currency, amount)]];
  if (assignedTo === accountId) return [[accountId, journals.creditedDropped(currency, amount)]];
  return [
    [accountId, journals.releasedDropped(currency, amount)],
    [assignedTo, journals.receivedDropped(currency, amount)],
  ];
}

/** Returns money in suspense: orders it from the rail, and books it when the rail confirms it (L51). */
import type { Logger } from 'pino';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import { millisOf } from '../../base/time/instant.ts';
import * as journals from '../../ledger/journals.ts';
import type { Journal } from '../../ledger/posting.ts';
import type { Tx } from '../../store/connection/database.ts';
import { type RailEventRecord, storeRailEvents } from '../../store/engine/rail-events.ts';
import {
  claimDueReturns,
  decideSuspense,
  failOrder,
  findByReturn,
  findSuspense,
  type SuspenseRow,
  storeOrdered,
} from '../../store/engine/suspense.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { readDisputeState } from '../../store/rails/med-cases.ts';
import { gasJournals } from '../../templates/gas.ts';
import { pauseOf } from '../engine/uncounted-failures.ts';
import type { Services } from '../services/context.ts';
import { type Locked, withAccounts } from '../services/lock-accounts.ts';
import type { ArrivalEvent, Receipt, RefundEvent } from '../services/rail-event.ts';
import { RailRefused } from '../services/rails.ts';
import { railEventRecordOf } from './rail-events.ts';

const ORDER = /^suspense:(\d+):(\d+)$/;
const BATCH_MAX = 100;
/** Pause before an order that a dispute holds is tried again. Unit: s. */
const HELD_SECONDS = 600;

/**
 * Orders the return at the rail; a final refusal opens the entry again.
 *
 * @throws any other obstacle.
 */
export async function orderReturn(services: Services, entry: SuspenseRow): Promise<void> {
  try {
    await submitOrder(services, entry);
    await storeOrdered(services.database, entry);
  } catch (error) {
    if (!(error instanceof RailRefused)) throw error;
    const event = entry.railEvent as ArrivalEvent;
    const isPix = event.kind === 'payment';
    const railEvent: RefundEvent = {
      kind: 'refund_ended',
      rail: isPix ? 'pix' : 'chain',
      order: keyOf(entry),
      endToEndId: isPix ? event.endToEndId : null,
      isDone: false,
      networkFee: null,
      gas: null,
      txHash: null,
    };
    await endReturn(services, entry, railEvent, railEventRecordOf(services, railEvent));
  }
}

/** The same entry in the same state is the same order, however often it is placed. */
async function submitOrder({ rails, database, mode }: Services, entry: SuspenseRow): Promise<void> {
  const { accountId, currency: code, amountMinor } = entry;
  const order = { key: keyOf(entry), accountId };
  const railEvent = entry.railEvent as ArrivalEvent;
  const currency = currencyOfLedger(code);
  if (railEvent.kind === 'payment') {
    const dispute = await readDisputeState(database, mode, railEvent.endToEndId);
    if (dispute === 'open' || dispute === 'answered')
      throw new GatewayError('UNAVAILABLE', 'a MED dispute holds this payment', { retryAfter: HELD_SECONDS });
    const amount = fromMinor(amountMinor, currency.decimals);
    await rails.pix.refund({ ...order, endToEndId: railEvent.endToEndId, amount });
  } else if (railEvent.kind !== 'payout_returned') {
    await rails.chain.refund({ ...order, currency, to: railEvent.from, amountMinor: BigInt(amountMinor) });
  }
}

/**
 * Places due orders again whose first attempt failed.
 *
 * @param nowMs - on the clock of the database.
 */
export async function submitDueOrders(services: Services, log: Logger, nowMs: number): Promise<void> {
  for (const { id, accountId } of await claimDueReturns(services.database, nowMs, BATCH_MAX)) {
    const own = await services.forAccount(accountId);
    const entry = await findSuspense(services.database, id, own.mode);
    assert(entry, 'a due entry exists');
    // A failed order does not stop the others.
    await orderReturn(own, entry).catch(async (error: unknown) => {
      log.warn({ err: error, suspense: String(id) }, 'a return cannot be ordered');
      const pauseMs = pauseOf(error);
      const againMs = pauseMs === undefined ? null : nowMs + pauseMs;
      await failOrder(services.database, entry, againMs).catch((reason: unknown) =>
        log.warn({ err: reason, suspense: String(id) }, 'the failed order of a return cannot be counted'),
      );
    });
  }
}

/** The order's key: the return id of a PIX; an own key for deposits, and for returns from before there were return ids. */
function keyOf({ id, decidedAt, returnId }: SuspenseRow): string {
  assert(decidedAt, 'a return in suspense was decided');
  return returnId ?? `suspense:${id}:${millisOf(decidedAt)}`;
}

/** @returns the entry in suspense whose return the event is about, if it is about one. */
export function findReturned(
  { database, mode }: Services,
  { order }: RefundEvent,
): Promise<SuspenseRow | undefined> {
  const [, id] = ORDER.exec(order) ?? [];
  return id === undefined ? findByReturn(database, order, mode) : findSuspense(database, BigInt(id), mode);
}

/**
 * Books a return that succeeded, and opens the entry again if it failed.
 *
 * @returns the outcome of the event.
 */
export async function endReturn(
  services: Services,
  entry: SuspenseRow,
  railEvent: RefundEvent,
  record: RailEventRecord,
): Promise<Receipt> {
  const { mode, notifier } = services;
  const outcome = await withAccounts(services, [entry.accountId], (tx, locked) =>
    settleReturn(tx, locked, { id: entry.id, mode }, railEvent, record),
  );
  notifier.notify([entry.accountId]);
  return { outcome };
}

/** Posts the journals of money that leaves suspense for its sender. */
export async function postReturned(
  tx: Tx,
  { accountId, transactionId }: Pick<SuspenseRow, 'accountId' | 'transactionId'>,
  booked: readonly { readonly ref: string; readonly journal: Journal }[],
  nowMs: number,
): Promise<void> {
  const posted = await postJournals(
    tx,
    booked.map((each) => ({ accountId, transactionId, ...each })),
    new Date(nowMs),
  );
  assert(
    posted.every(({ code }) => code === 'POSTED'),
    'money in suspense can be returned',
  );
}

/** Settles the return of an entry, which may have changed since it was found. */
async function settleReturn(
  tx: Tx,
  { nowMs, at: decidedAt }: Locked,
  { id, mode }: Pick<SuspenseRow, 'id'> & Pick<RailEventRecord, 'mode'>,
  railEvent: RefundEvent,
  record: RailEventRecord,
): Promise<Receipt['outcome']> {
  const now = await findSuspense(tx, id, mode);
  assert(now, 'a suspense entry is never deleted');
  const isMeant = now.state === 'returning' && keyOf(now) === railEvent.order;
  const { accountId, transactionId, decidedBy, returnId } = now;
  const settled = { ...record, outcome: isMeant ? 'suspense' : 'noted', accountId, transactionId } as const;
  if ((await storeRailEvents(tx, [settled])).length === 0) return 'duplicate';
  if (!isMeant) return 'noted';
  if (!railEvent.isDone) {
    await decideSuspense(tx, id, {
      state: 'open',
      assignedTo: null,
      decidedBy: null,
      decidedAt: null,
      returnId: null,
      dueMs: null,
    });
    return 'suspense';
  }
  const currency = currencyOfLedger(now.currency);
  const amount = BigInt(now.amountMinor);
  const networkFee = toMinor(railEvent.networkFee ?? '0', currency.decimals);
  const booked = [
    { ref: railEvent.order, journal: journals.suspenseReturned(currency, { amount, networkFee }) },
    ...gasJournals({ trigger: railEvent }).map((journal) => ({ ref: `${railEvent.order}:gas`, journal })),
  ];
  await postReturned(tx, now, booked, nowMs);
  await decideSuspense(tx, id, {
    state: 'returned',
    assignedTo: null,
    decidedBy,
    decidedAt,
    returnId,
    dueMs: null,
  });
  return 'suspense';
}

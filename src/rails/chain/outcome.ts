/**
 * Reports the outcome of an order and then stores it. If the process is killed in between, the outcome is reported
 * again.
 */
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import type { RailEvent, RefundEvent } from '../../resolvers/services/rail-event.ts';
import { unsweepArrivals } from '../../store/rails/chain-arrivals.ts';
import { endOrder, giveUpOrder, noteOrder, type OrderRow } from '../../store/rails/chain-orders.ts';
import type { Gas } from '../../templates/triggers.ts';
import type { Inclusion } from './driver.ts';
import type { NetworkParts } from './parts.ts';

/** Reports once, under the hash of the included transaction, that a block has the order. */
export async function reportSent(
  parts: NetworkParts,
  order: OrderRow,
  { hash, block }: Inclusion & { readonly hash: string },
): Promise<void> {
  const isReported = order.toldHash !== null || !isPayout(order);
  if (!isReported) await parts.receive(broadcastEvent('broadcast_sent', order, hash));
  const noted = { includedHeight: block.height, toldHash: order.toldHash ?? hash, lastError: null };
  await noteOrder(parts.database, order.id, noted);
}

/** Finishes an order in a final block: either it is done, or the network charged the fee without executing it. */
export async function finishOrder(
  parts: NetworkParts,
  order: OrderRow,
  final: Inclusion & { readonly hash: string },
): Promise<void> {
  const { hash, block, isDone, gasMinor } = final;
  const { log, key, facts, receive } = parts;
  const gas = { currency: facts.coin.code, amountMinor: String(gasMinor) };
  if (isPayout(order)) {
    await reportSent(parts, order, final);
    if (order.toldHash !== null && order.toldHash !== hash)
      log.warn(
        { ...key, order: order.key, told: order.toldHash, hash },
        'a transfer has another hash than expected',
      );
    await receive(gasEvent(order.key, hash, gas));
    await receive(broadcastEvent(isDone ? 'broadcast_confirmed' : 'broadcast_failed', order, hash));
  } else if (order.intent === 'refund') {
    if (!isDone) await receive(gasEvent(order.key, hash, gas));
    await receive(refundEvent(order, isDone ? { hash, gas } : null));
  } else {
    await receive(gasEvent(null, hash, gas));
  }
  if (!isDone) log.error({ ...key, order: order.key, hash }, 'a transfer of the gateway was reverted');
  await end(parts, order, { isDone, height: block.height, error: isDone ? null : 'the network reverted it' });
}

/** Fails an order for which nothing was signed. */
export async function failOrder(parts: NetworkParts, order: OrderRow, error: string): Promise<void> {
  parts.log.error({ ...parts.key, order: order.key, error }, 'a transfer cannot be made');
  if (await giveUpOrder(parts.database, order, error)) await reportFailed(parts, order, error);
}

/** Reports the failure of an order, and ends it. */
export async function reportFailed(parts: NetworkParts, order: OrderRow, error: string): Promise<void> {
  if (isPayout(order)) await parts.receive(broadcastEvent('broadcast_failed', order, null));
  else if (order.intent === 'refund') await parts.receive(refundEvent(order, null));
  await end(parts, order, { isDone: false, height: null, error });
}

async function end(
  { database }: NetworkParts,
  order: OrderRow,
  {
    isDone,
    height,
    error,
  }: { readonly isDone: boolean; readonly height: number | null; readonly error: string | null },
): Promise<void> {
  await database.withTx(async (tx) => {
    if (!isDone && order.intent === 'sweep') await unsweepArrivals(tx, order.id);
    const state = isDone ? 'confirmed' : 'failed';
    await endOrder(tx, order.id, { state, atMs: database.nowMs(), height, error });
  });
}

function isPayout({ intent }: OrderRow): boolean {
  return intent === 'payout' || intent === 'withdrawal';
}

/** The cost follows in a separate report when it is final. */
function broadcastEvent(
  kind: 'broadcast_sent' | 'broadcast_confirmed' | 'broadcast_failed',
  { key, currency }: OrderRow,
  txHash: string | null,
): RailEvent {
  return { kind, order: key, currency, txHash, gas: null };
}

function gasEvent(order: string | null, txHash: string, gas: Gas): RailEvent {
  return { kind: 'gas_spent', order, txHash, gas };
}

function refundEvent(
  { key, currency, feeMinor }: OrderRow,
  done: { readonly hash: string; readonly gas: Gas } | null,
): RefundEvent {
  return {
    kind: 'refund_ended',
    rail: 'chain',
    order: key,
    endToEndId: null,
    isDone: done !== null,
    networkFee: done && fromMinor(feeMinor, currencyOfLedger(currency).decimals),
    gas: done?.gas ?? null,
    txHash: done?.hash ?? null,
  };
}

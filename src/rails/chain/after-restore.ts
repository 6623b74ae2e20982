/** A network after a restore of the database: transfers that the lost history made, and orders that may be among them. */
import { GatewayError } from '../../base/errors/errors.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { millisOf } from '../../base/time/instant.ts';
import { sentBeforeRestore } from '../../resolvers/rails/restored-rails.ts';
import type { RailPart } from '../../resolvers/services/rail-part.ts';
import type { RailStatement } from '../../resolvers/services/statement.ts';
import { adoptTransaction } from '../../store/rails/adopted-transactions.ts';
import { nextNonceHere, type OrderRow, requeueOrder } from '../../store/rails/chain-orders.ts';
import {
  checkRestoredRail,
  type RestoredRail,
  readRestoredRail,
  storeRescan,
} from '../../store/rails/restores.ts';
import { queryAll } from './agree.ts';
import type { NetworkParts } from './parts.ts';
import { finalHeight } from './statement.ts';

/** Time after a restore in which a transaction of the lost history may still decide about one of ours. Unit: ms. */
const UNSETTLED_MS = 86_400_000;

type UnknownPayments = NonNullable<RailPart<unknown>['unknownPayments']>;

/** @returns the function that lists transfers in final blocks which no order here made. */
export function unknownTransfers(parts: NetworkParts, statement: RailStatement): UnknownPayments {
  const { clock, facts } = parts;
  return async ({ sinceMs, noticedAtMs }) => {
    await refusePending(parts, await finalHeight(parts));
    const aheadMs = await clock.aheadMs();
    // At least as long as a transaction of the lost history may get into a block, and up to the last final one: the time of a
    // block may be ahead.
    const whole = new Date(noticedAtMs + facts.validMs + aheadMs);
    const to = new Date((await clock.nowMs()) + UNSETTLED_MS);
    const period = { from: new Date(sinceMs + aheadMs), to, whole };
    const entries = [...(await statement.read(period))];
    return entries
      .filter(({ kind, untold }) => kind === 'transfer' && untold === 'capital')
      .map(({ id, currency = facts.coin.code, amount, to = null, at }) => ({
        name: id,
        kind: 'transfer' as const,
        currency,
        amountMinor: toMinor(amount ?? '0', currencyOfLedger(currency).decimals),
        destination: to,
        sentAtMs: at.getTime() - aheadMs,
      }));
  };
}

/**
 * Refuses while a transaction of the hot wallet that is not in the books is in no final block: it may still be carried out, and the
 * statement ends with the last final block.
 *
 * @throws also where a provider does not answer, because it may be the only one that has the transaction.
 */
async function refusePending(
  { providers, facts, database, key }: NetworkParts,
  height: number,
): Promise<void> {
  const { hotAddress } = facts;
  const here = (await nextNonceHere(database, key, hotAddress)) ?? 0;
  const answers = await queryAll(providers, async (each) => ({
    final: (await each.nextNonce(hotAddress, height)) ?? 0,
    pending: (await each.pendingNonce(hotAddress)) ?? 0,
  }));
  for (const { provider, value, error } of answers) {
    if (!value)
      throw new Error(`${provider} does not report transactions of ${hotAddress}: ${error?.message}`);
    if (value.pending > Math.max(value.final, here))
      throw new Error(
        `${provider} has transactions of ${hotAddress} in no final block yet, up to nonce ${value.pending - 1}`,
      );
  }
}

/** @returns the network after the last restore; undefined if the database was never restored. */
export function checkNetwork({ database, key }: NetworkParts): Promise<RestoredRail | undefined> {
  return checkRestoredRail(database, { mode: key.mode, rail: key.network });
}

/**
 * Decides whether an order gets a transaction. One that waits for the rail or for a person stays queued; one that was carried
 * out in the lost history gets the transaction of then.
 */
export async function mayBegin(
  { database, key, log }: NetworkParts,
  order: OrderRow,
  restored: RestoredRail | undefined,
): Promise<boolean> {
  if (!restored) return true;
  const rail = { mode: key.mode, rail: key.network };
  try {
    const held = { key: order.key, kind: 'transfer' as const, destination: order.to, name: null };
    const name = await sentBeforeRestore(database, rail, restored, held);
    if (name === undefined) return true;
    if (!(await adoptTransaction(database, order.id, hashIn(name), database.nowMs())))
      log.warn(
        { ...key, order: order.key, payment: name },
        'an order has left before its payment was stored',
      );
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const isNoted = order.state === 'queued' && order.lastError === error.message;
    if (!isNoted) await requeueOrder(database, order, { dueMs: database.nowMs(), error: error.message });
  }
  return false;
}

/** Requests a rescan of the network: a transaction of the lost history was included instead of ours, or has its id. */
export async function requestRescan({ database, key }: NetworkParts, order: OrderRow): Promise<void> {
  const rail = { mode: key.mode, rail: key.network };
  const restored = await readRestoredRail(database, rail);
  if (!restored || millisOf(order.orderedAt) > restored.noticedAtMs + UNSETTLED_MS) return;
  const trouble = `order ${order.key} may have been carried out by another transaction`;
  await storeRescan(database, restored, rail, trouble);
}

/** Transfers are named by network, hash and index. */
function hashIn(name: string): string {
  return name.split(':')[1] ?? name;
}

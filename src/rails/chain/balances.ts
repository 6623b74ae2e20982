/**
 * Balances of all addresses of a network after the last settled block, and balances of the ledger at that time.
 * Movements that only one side has are listed separately: deposits and transfers that are in a block but not booked, or
 * booked but in a later block.
 */

import { inParts } from '../../base/concurrency/in-parts.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import type { ReportedBalance } from '../../resolvers/services/statement.ts';
import type { Tx } from '../../store/connection/database.ts';
import { withSnapshot } from '../../store/ledger/long-transaction.ts';
import { readNetwork } from '../../store/rails/chain-network.ts';
import {
  readHoldings,
  readMovingDeposits,
  readMovingOrders,
  type SignedOrder,
} from '../../store/rails/chain-statement.ts';
import { networkVault, readBookedRailEvents, readHeld } from '../../store/rails/vault.ts';
import { queryQuorum } from './agree.ts';
import type { Holding } from './driver.ts';
import { orderStatusOf } from './order-status.ts';
import type { NetworkParts } from './parts.ts';

/** Amounts in minor units, by raw ledger code. */
type Amounts = Map<string, bigint>;

/**
 * @param addresses - all addresses of the gateway.
 * @returns the balance of each currency of the network.
 * @throws if providers disagree.
 */
export async function balancesOf(
  parts: NetworkParts,
  addresses: ReadonlySet<string>,
): Promise<readonly ReportedBalance[]> {
  const { database, providers, facts, key } = parts;
  const vault = networkVault(key.network);
  const now = await withSnapshot(database, (tx) => readNow(parts, tx));
  const { height, held, holdings, inFlight } = now;
  await inParts(now.orders, async ({ signed, isBooked }) => {
    await addOrder(parts, inFlight, { signed, isBooked, height });
  });
  const hot = vault.currencies.map((code) => ({ address: facts.hotAddress, currency: code }));
  const balances = uniqueOf([...hot, ...holdings]).map(
    ({ address, currency }): Holding => ({ address, currency: currencyOfLedger(currency) }),
  );
  const what = `balances after block ${height}`;
  const { value } = await queryQuorum(providers, facts.quorum, what, (each) =>
    each.balancesAt(height, balances, addresses),
  );
  const there: Amounts = new Map();
  for (const [index, minor] of value.entries()) add(there, balances[index]?.currency.code ?? '', minor);
  return vault.currencies
    .map((currency) => {
      const { decimals } = currencyOfLedger(currency);
      const text = (amounts: ReadonlyMap<string, bigint>) => fromMinor(amounts.get(currency) ?? 0n, decimals);
      return { currency, there: text(there), here: text(held), inFlight: text(inFlight) };
    })
    .filter((each) => [each.there, each.here, each.inFlight].some((text) => text !== '0'));
}

/** State of the ledger and the rail at one time. */
async function readNow({ key }: NetworkParts, tx: Tx) {
  const height = (await readNetwork(tx, key))?.finalHeight;
  if (height == null) throw new Error(`${key.network} was not read yet`);
  const held = await readHeld(tx, key.mode, networkVault(key.network));
  const inFlight: Amounts = new Map();
  for (const { currency, minor } of await readMovingDeposits(tx, key, height)) add(inFlight, currency, minor);
  const byOrder = Map.groupBy(await readMovingOrders(tx, key, height), (order) => order.key);
  const orders: { signed: readonly SignedOrder[]; isBooked: (kind: string, name: string) => boolean }[] = [];
  for (const signed of byOrder.values()) {
    const names = signed.flatMap(({ hash, key: name }) => [
      { kind: 'broadcast_confirmed', key: `chain:${key.network}:${hash}` },
      { kind: 'gas_spent', key: `chain:${key.network}:${hash}` },
      { kind: 'refund_ended', key: `chain:${name}` },
    ]);
    const booked = await readBookedRailEvents(tx, key.mode, names);
    const settled = booked.flatMap(({ place: position, outcome }) =>
      outcome === 'pending' || outcome === 'failed' ? [] : (names[position - 1] ?? []),
    );
    const isBooked = (kind: string, name: string) =>
      settled.some((each) => each.kind === kind && each.key === `chain:${name}`);
    orders.push({ signed, isBooked });
  }
  return { height, held, inFlight, orders, holdings: await readHoldings(tx, key) };
}

/** Adds an order that is on the chain but not booked, or booked but on the chain only in a later block. */
async function addOrder(
  parts: NetworkParts,
  inFlight: Amounts,
  {
    signed,
    isBooked,
    height,
  }: {
    readonly signed: readonly SignedOrder[];
    readonly isBooked: (kind: string, name: string) => boolean;
    readonly height: number;
  },
): Promise<void> {
  const [order] = signed as [SignedOrder];
  const { network } = parts.key;
  const status = await orderStatusOf(
    parts,
    signed.map(({ from, nonce, hash }) => ({ from, nonce, hash, raw: '', expiresAtMs: null })),
  );
  if (!('hash' in status)) return;
  const { hash, block, isDone, gasMinor } = status;
  const isThere = block.height <= height;
  const isRefund = order.intent === 'refund';
  const isReported = isRefund && isDone;
  const isHere = (kind: string) => isBooked(kind, kind === 'refund_ended' ? order.key : `${network}:${hash}`);
  const note = (currency: string, minor: bigint, isInLedger: boolean) => {
    if (isThere && !isInLedger) add(inFlight, currency, -minor);
    if (!isThere && isInLedger) add(inFlight, currency, minor);
  };
  note(parts.facts.coin.code, gasMinor, isHere(isReported ? 'refund_ended' : 'gas_spent'));
  const isOwnMove = order.intent === 'sweep' || order.intent === 'gas';
  if (isDone && !isOwnMove)
    note(order.currency, order.amountMinor, isHere(isRefund ? 'refund_ended' : 'broadcast_confirmed'));
}

function add(amounts: Amounts, currency: string, minor: bigint): void {
  amounts.set(currency, (amounts.get(currency) ?? 0n) + minor);
}

function uniqueOf<Each extends { readonly address: string; readonly currency: string }>(
  all: readonly Each[],
): readonly Each[] {
  return [...new Map(all.map((each) => [`${each.currency} ${each.address}`, each])).values()];
}

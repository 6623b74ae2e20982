/**
 * Sweeps deposits: when a deposit address holds enough of a currency, the whole balance goes to the hot wallet. A token
 * sweep first needs gas on the deposit address. The house owns the money before and after, so only the gas is booked.
 */
import { type Currency, currencyOfLedger } from '../../base/money/currency.ts';
import { readUnswept, sweepArrivals, type Unswept } from '../../store/rails/chain-arrivals.ts';
import { readNetwork } from '../../store/rails/chain-network.ts';
import { addOrder, countOrdersTo, type NewOrder } from '../../store/rails/chain-orders.ts';
import { queryQuorum } from './agree.ts';
import type { GasPrice } from './driver.ts';
import { NoGasPrice } from './gas-price.ts';
import type { NetworkParts } from './parts.ts';

/** Minimum amount of a sweep in minor units, by raw ledger code. A currency without a minimum is not swept. */
export type SweepFrom = ReadonlyMap<string, bigint>;

/** Sweeps deposits. */
export interface Sweeper {
  readonly processAll: (gasPrice: () => Promise<GasPrice>) => Promise<void>;
}

const ADDRESSES_MAX = 50;
/**
 * Required gas on an address, as a multiple of a transfer's gas, because fees may double and the next deposit needs gas
 * too.
 */
const NEEDED_TIMES = 2n;
const BROUGHT_TIMES = 5n;

/** @returns the sweeper of a network's deposits, which orders transfers for the sender to make. */
export function createSweeper(parts: NetworkParts, from: SweepFrom): Sweeper {
  const { database, key, log } = parts;
  return {
    processAll: async (gasPrice) => {
      if (from.size === 0 || (await readNetwork(database, key))?.pausedAt) return;
      for (const unswept of await readUnswept(database, key, from, ADDRESSES_MAX))
        await sweep(parts, unswept, gasPrice).catch((error: unknown) => {
          if (!(error instanceof NoGasPrice))
            log.warn({ err: error, ...key, address: unswept.address }, 'a deposit cannot be swept now');
        });
    },
  };
}

/**
 * Orders at most one transfer at a time for an address. The order number is determined before the network is queried,
 * so a parallel process gets the same number, and only one of the two orders is stored. Outdated balances therefore
 * never cause a second sweep or a second gas transfer.
 */
async function sweep(
  parts: NetworkParts,
  unswept: Unswept,
  gasPrice: () => Promise<GasPrice>,
): Promise<void> {
  const { database, key, providers, facts } = parts;
  const { address, index } = unswept;
  const orders = await countOrdersTo(database, key, index);
  if (orders.open > 0) return;
  const number = orders.count + 1;
  const currency = currencyOfLedger(unswept.currency);
  const { coin } = facts;
  const cost = facts.gas.transferCost(currency, await gasPrice());
  const needed = NEEDED_TIMES * cost;
  // A quorum is needed, because a provider that reports wrong balances would cause repeated gas transfers.
  const balanceOf = async (of: Currency) =>
    (
      await queryQuorum(providers, facts.quorum, `the balance of ${address}`, (each) =>
        each.balance(address, of),
      )
    ).value;
  const coins = await balanceOf(coin);
  if (currency.code === coin.code) {
    if (coins > needed) await bringIn(parts, unswept, { number, amountMinor: coins - needed });
    return;
  }
  const there = await balanceOf(currency);
  if (there === 0n) return;
  if (coins >= needed) await bringIn(parts, unswept, { number, amountMinor: there });
  else await bringGas(parts, unswept, { number, amountMinor: BROUGHT_TIMES * cost });
}

/** The next order of an address. */
interface Next {
  readonly number: number;
  readonly amountMinor: bigint;
}

/** Orders a sweep of the whole balance, and marks the address in the same database transaction. */
async function bringIn(parts: NetworkParts, unswept: Unswept, { number, amountMinor }: Next): Promise<void> {
  const { database, key, facts } = parts;
  const { index } = unswept;
  const order: NewOrder = {
    key: `sweep:${index}:${number}`,
    intent: 'sweep',
    currency: unswept.currency,
    amountMinor,
    feeMinor: 0n,
    from: unswept.address,
    to: facts.hotAddress,
    keyIndex: index,
    depositIndex: null,
  };
  await database.withTx(async (tx) => {
    const id = await addOrder(tx, key, order, database.nowMs());
    if (id !== undefined) await sweepArrivals(tx, key, unswept, id);
  });
}

async function bringGas(parts: NetworkParts, unswept: Unswept, { number, amountMinor }: Next): Promise<void> {
  const { database, key, facts } = parts;
  const { index, address } = unswept;
  const order: NewOrder = {
    key: `gas:${index}:${number}`,
    intent: 'gas',
    currency: facts.coin.code,
    amountMinor,
    feeMinor: 0n,
    from: facts.hotAddress,
    to: address,
    keyIndex: null,
    depositIndex: index,
  };
  await addOrder(database, key, order, database.nowMs());
}

/**
 * Gathers what was deposited: where a deposit address has as much of a currency as is worth a transfer, all of it goes to the hot wallet. A
 * token needs gas on its address first. Both are the house's own money before and after, so only the gas is booked.
 */
import { currencyOfLedger } from '../../base/currency.ts';
import { readUnswept, sweepArrivals, type Unswept } from '../../store/rails/chain-arrivals.ts';
import { readNetwork } from '../../store/rails/chain-network.ts';
import { addOrder, countOrdersTo, type NewOrder } from '../../store/rails/chain-orders.ts';
import { askFirst } from './agree.ts';
import type { NetworkParts } from './parts.ts';

/** From which amount on a currency is gathered, minor units, by raw ledger code; one that is not here stays where it is. */
export type SweepFrom = ReadonlyMap<string, bigint>;

/** Gathers deposits. */
export interface Sweeper {
  readonly turn: () => Promise<void>;
}

const ADDRESSES_MAX = 50;
/** What has to be there for a transfer, and what is brought: fees may double, and the next deposit needs some, too. */
const NEEDED_TIMES = 2n;
const BROUGHT_TIMES = 5n;

/** @returns what gathers the deposits of a network; it orders transfers, and the sender makes them. */
export function createSweeper(parts: NetworkParts, from: SweepFrom): Sweeper {
  const { database, key, log } = parts;
  return {
    turn: async () => {
      if (from.size === 0 || (await readNetwork(database, key))?.pausedAt) return;
      for (const unswept of await readUnswept(database, key, from, ADDRESSES_MAX))
        await sweep(parts, unswept).catch((error: unknown) =>
          log.warn({ err: error, ...key, address: unswept.address }, 'a deposit cannot be gathered'),
        );
    },
  };
}

async function sweep(parts: NetworkParts, unswept: Unswept): Promise<void> {
  const { providers, facts } = parts;
  const currency = currencyOfLedger(unswept.currency);
  const { address } = unswept;
  const { coin } = facts;
  const cost = await askFirst(providers, (each) => each.transferCost(currency));
  const needed = NEEDED_TIMES * cost;
  const coins = await askFirst(providers, (each) => each.balance(address, coin));
  if (currency.code === coin.code) {
    if (coins > needed) await gather(parts, unswept, coins - needed);
    return;
  }
  const there = await askFirst(providers, (each) => each.balance(address, currency));
  if (there === 0n) return;
  if (coins >= needed) await gather(parts, unswept, there);
  else await bringGas(parts, unswept, BROUGHT_TIMES * cost);
}

/** Orders that all of it goes to the hot wallet, and marks it in the same database transaction. */
async function gather(parts: NetworkParts, unswept: Unswept, amountMinor: bigint): Promise<void> {
  const { database, key, facts } = parts;
  const { index } = unswept;
  await database.withTx(async (tx) => {
    const { count } = await countOrdersTo(tx, key, { intent: 'sweep', index });
    const order: NewOrder = {
      key: `sweep:${index}:${count + 1}`,
      intent: 'sweep',
      currency: unswept.currency,
      amountMinor,
      feeMinor: 0n,
      from: unswept.address,
      to: facts.hotAddress,
      keyIndex: index,
      depositIndex: null,
    };
    const id = await addOrder(tx, key, order, Date.now());
    if (id !== undefined) await sweepArrivals(tx, key, unswept, id);
  });
}

async function bringGas(parts: NetworkParts, unswept: Unswept, amountMinor: bigint): Promise<void> {
  const { database, key, facts } = parts;
  const { index, address } = unswept;
  const { count, open } = await countOrdersTo(database, key, { intent: 'gas', index });
  if (open > 0) return;
  const order: NewOrder = {
    key: `gas:${index}:${count + 1}`,
    intent: 'gas',
    currency: facts.coin.code,
    amountMinor,
    feeMinor: 0n,
    from: facts.hotAddress,
    to: address,
    keyIndex: null,
    depositIndex: index,
  };
  await addOrder(database, key, order, Date.now());
}

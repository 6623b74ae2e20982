/**
 * The statement of a network for reconciliation: movements to and from the gateway's addresses in final blocks by a
 * quorum of providers, charges of the network, and the balances of all addresses.
 */

import { inParts } from '../../base/concurrency/in-parts.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import type {
  RailStatement,
  ReadProgress,
  StatementEntry,
  StatementPeriod,
} from '../../resolvers/services/statement.ts';
import { readAddresses } from '../../store/rails/chain-arrivals.ts';
import { readNetwork } from '../../store/rails/chain-network.ts';
import {
  readEndedOrders,
  readOrdersByHash,
  readReportedArrivals,
  type SignedOrder,
} from '../../store/rails/chain-statement.ts';
import { queryQuorum } from './agree.ts';
import { balancesOf } from './balances.ts';
import type { BlockRange, Transfer } from './driver.ts';
import { blockTimes, heightsBetween } from './heights.ts';
import { orderStatusOf } from './order-status.ts';
import type { NetworkParts } from './parts.ts';

/** Maximum number of blocks read together; fewer if providers limit the range. */
const RANGE_MAX = 500;

/** A transfer, and the time of its block on the clock of the accounts. */
interface DatedTransfer {
  readonly transfer: Transfer;
  readonly at: Date;
}

/** @returns the statement. */
export function networkStatement(parts: NetworkParts): RailStatement {
  const { clock, database, key } = parts;
  const times = () => blockTimes(parts);
  const dated = async (
    transfers: readonly Transfer[],
    aheadMs: number,
  ): Promise<readonly DatedTransfer[]> => {
    const { at } = times();
    return inParts(transfers, async (transfer) => ({
      transfer,
      at: new Date((await at(transfer.block.height)) + aheadMs),
    }));
  };
  const entriesOf = async (transfers: readonly Transfer[], aheadMs: number) =>
    classifyTransfers(parts, await dated(transfers, aheadMs));
  return {
    kinds: ['deposit', 'transfer', 'refund', 'gas'],
    read: async ({ from, to, whole }, report) => {
      // Block times use the database's clock, the period uses the clock of the mode.
      const aheadMs = await clock.aheadMs();
      const machine = { from: new Date(from.getTime() - aheadMs), to: new Date(to.getTime() - aheadMs) };
      const period = { fromMs: machine.from.getTime(), toMs: machine.to.getTime() };
      const blocks = times();
      const last = await finalHeight(parts);
      // The day is complete only when a block made after it is final.
      if (whole && (await blocks.at(last)) + aheadMs < whole.getTime())
        throw new Error(`block ${last}, the last final one, was made before the end of the requested period`);
      const range = await heightsBetween(blocks, period, last);
      const read = await transfersIn(parts, range, report);
      const ended = await endedOrders(parts, machine, read, aheadMs);
      return [...(await entriesOf([...read, ...ended.transfers], aheadMs)), ...ended.entries];
    },
    find: async (names) => {
      const hashes = names.flatMap(({ key: each }) => each.split(':')[2] ?? []);
      const reported = await readReportedArrivals(database, key, hashes);
      const heights = [...new Set(reported.map(({ height }) => height))];
      const found = await inParts(heights, (height) => transfersIn(parts, { from: height, to: height }));
      const ofHashes = found.flat().filter(({ txHash }) => hashes.includes(txHash));
      return entriesOf(ofHashes, await clock.aheadMs());
    },
    balances: async () => balancesOf(parts, await ownAddresses(parts)),
  };
}

/**
 * @returns the height up to which everything is settled in the database. Transfers in later blocks may be incomplete.
 */
export async function finalHeight({ database, key }: NetworkParts): Promise<number> {
  const height = (await readNetwork(database, key))?.finalHeight;
  if (height == null) throw new Error(`${key.network} was not read yet`);
  return height;
}

async function ownAddresses({ database, key, facts }: NetworkParts): Promise<ReadonlySet<string>> {
  const issued = await readAddresses(database, { mode: key.mode, family: facts.family }, 0);
  return new Set([facts.hotAddress, ...issued.map(({ address }) => address)]);
}

async function transfersIn(
  parts: NetworkParts,
  range: BlockRange,
  report?: (progress: ReadProgress) => void,
): Promise<readonly Transfer[]> {
  const { providers, facts } = parts;
  const addresses = await ownAddresses(parts);
  const found: Transfer[] = [];
  let size = RANGE_MAX;
  for (let from = range.from; from <= range.to; ) {
    const to = Math.min(range.to, from + size - 1);
    const what = `transfers in blocks ${from} to ${to}`;
    try {
      const query = queryQuorum(providers, facts.quorum, what, (each) =>
        each.transfers({ from, to }, addresses),
      );
      found.push(...(await query).value);
      from = to + 1;
      report?.({ phase: 'blocks', done: from - range.from, total: range.to - range.from + 1 });
      size = Math.min(RANGE_MAX, size * 2);
    } catch (error) {
      // The provider may limit the range, so a smaller one is tried.
      if (from === to) throw error;
      size = Math.max(1, Math.floor((to - from + 1) / 4));
    }
  }
  return found;
}

/** Orders that ended in the period, with their charges; also their transfers if these were not read from blocks. */
async function endedOrders(
  parts: NetworkParts,
  machine: StatementPeriod,
  read: readonly Transfer[],
  aheadMs: number,
): Promise<{ readonly entries: readonly StatementEntry[]; readonly transfers: readonly Transfer[] }> {
  const { database, key } = parts;
  const orders = Map.groupBy(await readEndedOrders(database, key, machine), (each) => each.key);
  const { at } = blockTimes(parts);
  const seen = new Set(read.map(({ txHash }) => txHash));
  const found = await inParts([...orders.values()], async (signed) => {
    const [order] = signed as [SignedOrder];
    const status = await orderStatusOf(parts, signed.map(signedOf));
    if (!('hash' in status)) return { entries: absentOf(key.network, order, aheadMs), transfers: [] };
    const { hash, block, gasMinor, isDone } = status;
    const isNew = isDone && !seen.has(hash);
    const range = { from: block.height, to: block.height };
    const transfers = isNew ? (await transfersIn(parts, range)).filter(({ txHash }) => txHash === hash) : [];
    const made = new Date((await at(block.height)) + aheadMs);
    return { entries: gasOf(parts, order, { hash, isDone, gasMinor, at: made }), transfers };
  });
  return {
    entries: found.flatMap(({ entries }) => entries),
    transfers: found.flatMap(({ transfers }) => transfers),
  };
}

/** @returns the transaction in the form of provider queries. */
function signedOf({ from, nonce, hash }: SignedOrder) {
  return { from, nonce, hash, raw: '', expiresAtMs: null };
}

/**
 * @returns the entries of an order without the ledger line that payouts have: movements between the gateway's own
 *   addresses are recorded only by their orders.
 */
function absentOf(network: string, order: SignedOrder, aheadMs: number): readonly StatementEntry[] {
  if (!isOwnMove(order) || order.state !== 'confirmed' || order.endedAt === null) return [];
  const { currency, hash, amountMinor, endedAt } = order;
  const amount = textOf(currency, amountMinor);
  const at = new Date(Date.parse(endedAt) + aheadMs);
  return [{ kind: 'sweep', id: `${network}:${hash}`, amount, currency, at, own: 'absent' }];
}

function gasOf(
  { key: { network }, facts: { coin } }: NetworkParts,
  { key, intent }: SignedOrder,
  charged: {
    readonly hash: string;
    readonly isDone: boolean;
    readonly gasMinor: bigint;
    readonly at: Date;
  },
): readonly StatementEntry[] {
  const { hash, isDone, gasMinor, at } = charged;
  if (gasMinor === 0n) return [];
  const id = `${network}:${hash}`;
  const isReported = intent === 'refund' && isDone;
  const eventName = isReported
    ? { kind: 'refund_ended', key: `chain:${key}` }
    : { kind: 'gas_spent', key: `chain:${id}` };
  return [{ kind: 'gas', id, amount: textOf(coin.code, gasMinor), currency: coin.code, at, eventName }];
}

const isOwnMove = ({ intent }: SignedOrder) => intent === 'sweep' || intent === 'gas';

function textOf(currency: string, minor: bigint): string {
  return fromMinor(minor, currencyOfLedger(currency).decimals);
}

/** Determines the kind of each transfer from the gateway's addresses, orders and reported events. */
async function classifyTransfers(
  parts: NetworkParts,
  dated: readonly DatedTransfer[],
): Promise<readonly StatementEntry[]> {
  const { database, key, facts } = parts;
  const hashes = [...new Set(dated.map(({ transfer }) => transfer.txHash))];
  const addresses = await ownAddresses(parts);
  const orders = new Map((await readOrdersByHash(database, key, hashes)).map((each) => [each.hash, each]));
  const arrivals = new Map(
    (await readReportedArrivals(database, key, hashes)).map((each) => [
      `${each.txHash}:${each.logIndex}`,
      each,
    ]),
  );
  const { network } = key;
  const isIssued = (address: string) => addresses.has(address) && address !== facts.hotAddress;
  return dated.flatMap(({ transfer, at }): readonly StatementEntry[] => {
    const { txHash, logIndex, from, to, currency, amountMinor } = transfer;
    const base = { amount: textOf(currency, amountMinor), currency, at };
    // An order makes one transfer of its sender; another transfer in the same transaction belongs to no order.
    const made = orders.get(txHash);
    const order = made?.from === from ? made : undefined;
    if (order) orders.delete(txHash);
    const id = order ? `${network}:${txHash}` : `${network}:${txHash}:${logIndex}`;
    const wrong = order && order.to !== to ? `it went to ${to}, and was ordered to ${order.to}` : undefined;
    if (order && isOwnMove(order)) {
      const other = order.currency === currency ? wrong : `${order.currency} was ordered`;
      const ordered = textOf(order.currency, order.amountMinor);
      return [{ ...base, kind: 'sweep', id, own: 'known', ordered, differs: other }];
    }
    const left = (): readonly StatementEntry[] => {
      if (!addresses.has(from)) return [];
      if (!order)
        return [{ ...base, kind: addresses.has(to) ? 'sweep' : 'transfer', id, to, ...unknown(id) }];
      const isRefund = order.intent === 'refund';
      const eventName = isRefund
        ? { kind: 'refund_ended', key: `chain:${order.key}` }
        : { kind: 'broadcast_confirmed', key: `chain:${id}` };
      return [{ ...base, kind: isRefund ? 'refund' : 'transfer', id, eventName, differs: wrong }];
    };
    const came = (): readonly StatementEntry[] => {
      if (addresses.has(from) && !order) return [];
      if (to === facts.hotAddress && !order) return [{ ...base, kind: 'funding', id, ...unknown(id) }];
      if (!isIssued(to)) return [];
      const name = `${network}:${txHash}:${logIndex}`;
      const reported = arrivals.get(`${txHash}:${logIndex}`);
      const isOther = reported && (reported.address !== to || reported.currency !== currency);
      const differs = isOther ? `it was told as ${reported.currency} to ${reported.address}` : undefined;
      const eventName = { kind: 'deposit_confirmed', key: `chain:${name}` };
      return [{ ...base, kind: 'deposit', id: name, eventName, differs }];
    };
    return [...left(), ...came()];
  });
}

/** An unexplained transfer has no rail event; an operator books it. */
function unknown(id: string) {
  return { eventName: { kind: 'unknown', key: `chain:${id}` }, untold: 'capital' } as const;
}

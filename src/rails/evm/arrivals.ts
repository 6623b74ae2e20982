/**
 * Arrivals at the gateway's addresses, and departures from them, in blocks of an EVM network: `Transfer` logs of the
 * catalogue's token contracts, and transfers of the coin by transactions to an address. Logs of other contracts and
 * transfers of zero are ignored.
 */
import { hex } from '@scure/base';
import { evmAddress } from '../../base/chain/address.ts';
import { tokenOfContract } from '../../base/chain/token-contract.ts';
import { CURRENCIES, type Currency, currencyOf } from '../../base/money/currency.ts';
import type { Arrival, BlockRange, BlockRef, Transfer } from '../chain/driver.ts';
import { NodeUnavailable, recordOf } from '../chain/node.ts';
import { bytesOf, countOf, hexOf, listOf, quantityOf, type Rpc } from './rpc.ts';

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/**
 * Maximum number of addresses in a node's filter. With more, the logs of all addresses are fetched and filtered here.
 */
const TOPICS_MAX = 500;
/** Maximum number of whole blocks in one range, for networks whose coin customers may hold. */
const WHOLE_BLOCKS_MAX = 20;

/** Wanted transfers: to the gateway's addresses only, or also from them. */
type Side = 'to' | 'both';
/** Addresses of the gateway, and the wanted direction. */
interface Ours {
  readonly network: string;
  readonly addresses: ReadonlySet<string>;
  readonly side: Side;
}

/** @returns arrivals by block and position; each was also found in the receipt of its transaction. */
export async function arrivalsIn(
  rpc: Rpc,
  network: string,
  range: BlockRange,
  addresses: ReadonlySet<string>,
): Promise<readonly Arrival[]> {
  const found = await transfersOn(rpc, { network, addresses, side: 'to' }, range);
  return found.map(({ to: address, ...each }) => ({ ...each, address }));
}

/** @returns arrivals and departures by block and position, checked as in `arrivalsIn`. */
export function transfersIn(
  rpc: Rpc,
  network: string,
  range: BlockRange,
  addresses: ReadonlySet<string>,
): Promise<readonly Transfer[]> {
  return transfersOn(rpc, { network, addresses, side: 'both' }, range);
}

async function transfersOn(rpc: Rpc, ours: Ours, range: BlockRange): Promise<readonly Transfer[]> {
  if (ours.addresses.size === 0) return [];
  const [tokens, coins] = await Promise.all([tokensIn(rpc, ours, range), coinsIn(rpc, ours, range)]);
  return [...coins, ...tokens].toSorted(
    (left, right) =>
      left.block.height - right.block.height ||
      left.txHash.localeCompare(right.txHash) ||
      left.logIndex - right.logIndex,
  );
}

const isOurs = ({ addresses, side }: Ours, { from, to }: Pick<Transfer, 'from' | 'to'>) =>
  addresses.has(to) || (side === 'both' && addresses.has(from));

async function tokensIn(rpc: Rpc, ours: Ours, { from, to }: BlockRange): Promise<Transfer[]> {
  const { network, addresses, side } = ours;
  const contracts = CURRENCIES.filter((each) => each.network === network).flatMap(
    ({ contract }) => contract ?? [],
  );
  if (contracts.length === 0) return [];
  const picked = addresses.size > TOPICS_MAX ? null : [...addresses].map(topicOf);
  const filter = { fromBlock: hexOf(from), toBlock: hexOf(to), address: contracts };
  const logsOf = async (...parties: readonly unknown[]) =>
    listOf(await rpc.call('eth_getLogs', [{ ...filter, topics: [TRANSFER, ...parties] }]), 'logs');
  const arrived = await logsOf(null, picked);
  const left = side === 'both' && picked ? await logsOf(picked, null) : [];
  const each = [...arrived, ...left].flatMap((log) => transferOf(log, ours) ?? []);
  const transfers = [...new Map(each.map((one) => [`${one.txHash}:${one.logIndex}`, one])).values()];
  if (transfers.some(({ block }) => block.height < from || block.height > to))
    throw new NodeUnavailable('logs: expected only the requested blocks');
  const firsts = await firstLogs(rpc, transfers);
  return transfers.map((one) => ({ ...one, logIndex: one.logIndex - (firsts.get(one.txHash) ?? 0) }));
}

/**
 * Reads a transfer and the position of its log in the block; undefined for a transfer that does not concern the
 * gateway.
 */
function transferOf(json: unknown, ours: Ours): Transfer | undefined {
  const log = recordOf(json, 'log');
  const topics = listOf(log.topics, 'topics');
  const currency = currencyOf(tokenOfContract(addressOf(bytesOf(log.address, 'contract', 20))) ?? '');
  if (
    log.removed === true ||
    currency?.network !== ours.network ||
    topics.length !== 3 ||
    topics[0] !== TRANSFER
  )
    return undefined;
  const [from, to] = [topics[1], topics[2]].map((topic) => addressOf(bytesOf(topic, 'topic', 32)));
  const amountMinor = BigInt(bytesOf(log.data, 'amount', 32));
  if (!from || !to || !isOurs(ours, { from, to }) || amountMinor === 0n) return undefined;
  return {
    txHash: bytesOf(log.transactionHash, 'hash', 32),
    logIndex: countOf(log.logIndex, 'log index'),
    block: refOf(log),
    currency: currency.code,
    amountMinor,
    from,
    to,
  };
}

/**
 * Finds the first log of each transaction. Log numbers counted from it do not depend on the block in which the
 * transaction is.
 */
async function firstLogs(rpc: Rpc, transfers: readonly Transfer[]): Promise<ReadonlyMap<string, number>> {
  const firsts = new Map<string, number>();
  for (const { txHash, block } of transfers) {
    if (firsts.has(txHash)) continue;
    const receipt = recordOf(await rpc.call('eth_getTransactionReceipt', [txHash]), 'receipt');
    if (receipt.blockHash !== block.hash || receipt.status !== '0x1')
      throw new NodeUnavailable(`the receipt of ${txHash} does not fit its log`);
    const [first] = listOf(receipt.logs, 'logs');
    firsts.set(txHash, countOf(recordOf(first, 'log').logIndex, 'log index'));
  }
  return firsts;
}

async function coinsIn(rpc: Rpc, ours: Ours, { from, to }: BlockRange): Promise<Transfer[]> {
  const coin = CURRENCIES.find((each) => each.network === ours.network && each.contract === undefined);
  if (!coin) return [];
  const found: Transfer[] = [];
  for (let start = from; start <= to; start += WHOLE_BLOCKS_MAX) {
    const heights = Array.from(
      { length: Math.min(WHOLE_BLOCKS_MAX, to - start + 1) },
      (_, index) => start + index,
    );
    const blocks = await Promise.all(heights.map((height) => coinsOf(rpc, coin, height, ours)));
    found.push(...blocks.flat());
  }
  return found;
}

async function coinsOf(rpc: Rpc, coin: Currency, height: number, ours: Ours): Promise<Transfer[]> {
  const block = recordOf(await rpc.call('eth_getBlockByNumber', [hexOf(height), true]), `block ${height}`);
  const at = { height: countOf(block.number, 'height'), hash: bytesOf(block.hash, 'hash', 32) };
  if (at.height !== height) throw new NodeUnavailable(`block ${height}: expected it, got ${at.height}`);
  const found: Transfer[] = [];
  for (const json of listOf(block.transactions, 'transactions')) {
    const { to: receiver, from: sender, value, hash } = recordOf(json, 'transaction');
    if (typeof receiver !== 'string') continue;
    const to = addressOf(bytesOf(receiver, 'address', 20));
    const amountMinor = quantityOf(value, 'value');
    if (amountMinor === 0n || (ours.side === 'to' && !ours.addresses.has(to))) continue;
    const from = addressOf(bytesOf(sender, 'address', 20));
    if (!isOurs(ours, { from, to })) continue;
    const txHash = bytesOf(hash, 'hash', 32);
    const receipt = recordOf(await rpc.call('eth_getTransactionReceipt', [txHash]), 'receipt');
    if (receipt.blockHash !== at.hash)
      throw new NodeUnavailable(`the receipt of ${txHash} is of another block`);
    if (receipt.status !== '0x1') continue;
    found.push({ txHash, logIndex: 0, block: at, currency: coin.code, amountMinor, from, to });
  }
  return found;
}

function refOf(log: Readonly<Record<string, unknown>>): BlockRef {
  return { height: countOf(log.blockNumber, 'height'), hash: bytesOf(log.blockHash, 'hash', 32) };
}

const ADDRESS_DIGITS = 40;
const TOPIC_DIGITS = 64;

/** Reads the address in the last 20 bytes, in canonical form. */
function addressOf(bytes: string): string {
  return evmAddress(hex.decode(bytes.slice(-ADDRESS_DIGITS)));
}

function topicOf(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(TOPIC_DIGITS, '0')}`;
}

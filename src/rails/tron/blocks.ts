/**
 * Blocks of TRON, and what arrived at our addresses in them: `Transfer` logs of the catalogue's token contracts, and transfers of TRX.
 * Every other contract is no money, whatever it calls itself. TRX that a contract sends on is not seen.
 */
import { hex } from '@scure/base';
import { addressBytes, tronAddress } from '../../base/address.ts';
import { CURRENCIES, currencyOf } from '../../base/currency.ts';
import type { Arrival, Block, BlockRange } from '../chain/driver.ts';
import { type Answer, NodeAway, recordOf } from '../chain/node.ts';
import { addressOf, amountOf, bytesOf, countOf, listOf, type TronApi } from './api.ts';

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;
/** Blocks that are read at once. */
const AT_ONCE = 8;

/** The catalogue's tokens, by the 20 bytes of their contract. */
const TOKENS = new Map(
  CURRENCIES.flatMap(({ code, network, contract }) =>
    network === 'TRX' && contract !== undefined
      ? [[hex.encode(addressBytes('TRX', contract)), code] as const]
      : [],
  ),
);
const TRX = currencyOf('TRX_TRX')?.code ?? '';

/** @param json - a block, whole or its header alone. @throws {NodeAway} for one whose id is not of its height. */
export function blockOf(json: unknown): Block {
  const block = recordOf(json, 'block');
  const raw = recordOf(recordOf(block.block_header, 'block header').raw_data, 'block header');
  const hash = bytesOf(block.blockID, 'block id', HASH_BYTES);
  // The first block leaves its number out.
  const height = countOf(raw.number, 'height');
  if (BigInt(`0x${hash.slice(0, 16)}`) !== BigInt(height))
    throw new NodeAway(`block ${height}: has the id ${hash}`);
  return {
    height,
    hash,
    parentHash: bytesOf(raw.parentHash, 'parent', HASH_BYTES),
    atMs: countOf(raw.timestamp, 'time of a block'),
  };
}

/** @returns what arrived, by block and place. */
export async function arrivalsIn(
  api: TronApi,
  { from, to }: BlockRange,
  addresses: ReadonlySet<string>,
): Promise<readonly Arrival[]> {
  if (addresses.size === 0) return [];
  const found: Arrival[] = [];
  for (let start = from; start <= to; start += AT_ONCE) {
    const heights = Array.from({ length: Math.min(AT_ONCE, to - start + 1) }, (_, index) => start + index);
    const blocks = await Promise.all(heights.map((height) => arrivalsAt(api, height, addresses)));
    found.push(...blocks.flat());
  }
  return found;
}

async function arrivalsAt(api: TronApi, height: number, addresses: ReadonlySet<string>): Promise<Arrival[]> {
  const [whole, told] = await Promise.all([
    api.call('wallet/getblockbynum', { num: height }),
    api.call('wallet/gettransactioninfobyblocknum', { num: height }),
  ]);
  const block = blockOf(whole);
  if (block.height !== height) throw new NodeAway(`block ${height}: expected it, got ${block.height}`);
  const transactions = listOf(recordOf(whole, 'block').transactions, 'transactions').map((each) =>
    recordOf(each, 'transaction'),
  );
  const infos = new Map(
    listOf(told, 'infos').map((each) => {
      const info = recordOf(each, 'info');
      return [bytesOf(info.id, 'id of a transaction', HASH_BYTES), info] as const;
    }),
  );
  return transactions
    .flatMap((transaction) => {
      const txHash = bytesOf(transaction.txID, 'id of a transaction', HASH_BYTES);
      const info = infos.get(txHash);
      // They were asked apart: a node that changed its mind in between is asked again.
      if (!info || infos.size !== transactions.length)
        throw new NodeAway(`block ${height}: its transactions and what became of them do not fit`);
      return isDone(transaction)
        ? [...coinsOf(transaction, addresses), ...tokensOf(info, addresses)].map((each) => ({
            ...each,
            txHash,
            block,
          }))
        : [];
    })
    .map(({ block: { hash }, ...each }) => ({ ...each, block: { height, hash } }))
    .toSorted((left, right) => left.txHash.localeCompare(right.txHash) || left.logIndex - right.logIndex);
}

/** A transfer, without its place. */
type Moved = Omit<Arrival, 'txHash' | 'block'>;

function isDone({ ret }: Answer): boolean {
  const results = listOf(ret, 'results').map((each) => recordOf(each, 'result').contractRet);
  return results.length > 0 && results.every((each) => each === 'SUCCESS');
}

function coinsOf({ raw_data }: Answer, addresses: ReadonlySet<string>): Moved[] {
  const [contract] = listOf(recordOf(raw_data, 'raw_data').contract, 'contracts');
  const { type, parameter } = recordOf(contract, 'contract');
  if (type !== 'TransferContract') return [];
  const { owner_address, to_address, amount } = recordOf(recordOf(parameter, 'parameter').value, 'transfer');
  const address = addressOf(to_address, 'receiver');
  const amountMinor = amountOf(amount, 'amount');
  if (!addresses.has(address) || amountMinor === 0n) return [];
  return [{ logIndex: 0, address, currency: TRX, amountMinor, from: addressOf(owner_address, 'sender') }];
}

function tokensOf({ log }: Answer, addresses: ReadonlySet<string>): Moved[] {
  return listOf(log, 'logs').flatMap((json, logIndex) => {
    const { address: contract, topics, data } = recordOf(json, 'log');
    const currency = TOKENS.get(bytesOf(contract, 'contract', ADDRESS_BYTES));
    const [event, ...indexed] = listOf(topics, 'topics').map((topic) => bytesOf(topic, 'topic', HASH_BYTES));
    if (currency === undefined || event !== TRANSFER || indexed.length !== 2) return [];
    const [from = '', address = ''] = indexed.map((topic) =>
      tronAddress(hex.decode(topic.slice(-2 * ADDRESS_BYTES))),
    );
    const amountMinor = BigInt(`0x${bytesOf(data, 'amount', HASH_BYTES)}`);
    return addresses.has(address) && amountMinor > 0n
      ? [{ logIndex, address, currency, amountMinor, from }]
      : [];
  });
}

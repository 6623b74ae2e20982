/**
 * Blocks of TRON, and arrivals at the gateway's addresses in them: `Transfer` logs of the catalogue's token contracts,
 * and transfers of TRX. Logs of other contracts are ignored. TRX sent by a contract is not detected.
 */
import { hex } from '@scure/base';
import { addressBytes, tronAddress } from '../../base/chain/address.ts';
import { inParts } from '../../base/concurrency/in-parts.ts';
import { CURRENCIES, currencyOf } from '../../base/money/currency.ts';
import type { Arrival, Block, BlockRange, Transfer } from '../chain/driver.ts';
import { type Answer, NodeUnavailable, recordOf } from '../chain/node.ts';
import { addressOf, amountOf, bytesOf, countOf, listOf, type TronApi } from './api.ts';

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;

/** The catalogue's tokens, by the 20 bytes of their contract. */
const TOKENS = new Map(
  CURRENCIES.flatMap(({ code, network, contract }) =>
    network === 'TRX' && contract !== undefined
      ? [[hex.encode(addressBytes('TRX', contract)), code] as const]
      : [],
  ),
);
const TRX = currencyOf('TRX_TRX')?.code ?? '';

/**
 * @param json - a whole block, or its header.
 * @throws {NodeUnavailable} if the block's id does not match its height.
 */
export function blockOf(json: unknown): Block {
  const block = recordOf(json, 'block');
  const raw = recordOf(recordOf(block.block_header, 'block header').raw_data, 'block header');
  const hash = bytesOf(block.blockID, 'block id', HASH_BYTES);
  // In block 0 the number is omitted.
  const height = countOf(raw.number, 'height');
  if (BigInt(`0x${hash.slice(0, 16)}`) !== BigInt(height))
    throw new NodeUnavailable(`block ${height}: has the id ${hash}`);
  return {
    height,
    hash,
    parentHash: bytesOf(raw.parentHash, 'parent', HASH_BYTES),
    atMs: countOf(raw.timestamp, 'time of a block'),
  };
}

/** @returns arrivals, by block and position. */
export async function arrivalsIn(
  api: TronApi,
  range: BlockRange,
  addresses: ReadonlySet<string>,
): Promise<readonly Arrival[]> {
  const found = await transfersWhere(api, range, ({ to }) => addresses.has(to), addresses.size);
  return found.map(({ to: address, ...each }) => ({ ...each, address }));
}

/** @returns arrivals and departures, by block and position. */
export function transfersIn(
  api: TronApi,
  range: BlockRange,
  addresses: ReadonlySet<string>,
): Promise<readonly Transfer[]> {
  const isOurs = ({ from, to }: Moved) => addresses.has(to) || addresses.has(from);
  return transfersWhere(api, range, isOurs, addresses.size);
}

/**
 * @returns changes of these addresses' balances of TRX and tokens in blocks, by address and currency. Fees are
 *   included.
 */
export async function changesIn(
  api: TronApi,
  range: BlockRange,
  addresses: ReadonlySet<string>,
): Promise<readonly Change[]> {
  const blocks = await inParts(heightsOf(range), (height) => readBlock(api, height));
  return blocks.flatMap(({ block: { height }, transactions }) =>
    transactions.flatMap(({ transaction, info }) => {
      const moved = isDone(transaction) ? [...coinsOf(transaction), ...tokensOf(info)] : [];
      const changes = moved.flatMap(({ from, to, currency, amountMinor }) => [
        { height, address: from, currency, minor: -amountMinor },
        { height, address: to, currency, minor: amountMinor },
      ]);
      const fee = {
        height,
        address: senderOf(transaction),
        currency: TRX,
        minor: -amountOf(info.fee, 'fee'),
      };
      return [...changes, fee].filter(({ address, minor }) => addresses.has(address) && minor !== 0n);
    }),
  );
}

/** Change of an address's balance in a block. */
export interface Change {
  readonly height: number;
  readonly address: string;
  readonly currency: string;
  readonly minor: bigint;
}

function heightsOf({ from, to }: BlockRange): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

async function transfersWhere(
  api: TronApi,
  range: BlockRange,
  isMeant: (moved: Moved) => boolean,
  addresses: number,
): Promise<readonly Transfer[]> {
  if (addresses === 0) return [];
  const blocks = await inParts(heightsOf(range), (height) => readBlock(api, height));
  return blocks.flatMap(({ block: { height, hash }, transactions }) =>
    transactions
      .filter(({ transaction }) => isDone(transaction))
      .flatMap(({ transaction, info, txHash }) =>
        [...coinsOf(transaction), ...tokensOf(info)]
          .filter(isMeant)
          .map((each) => ({ ...each, txHash, block: { height, hash } })),
      )
      .toSorted((left, right) => left.txHash.localeCompare(right.txHash) || left.logIndex - right.logIndex),
  );
}

/** Reads a block, and its transactions with their outcomes. */
async function readBlock(api: TronApi, height: number) {
  const [whole, infoList] = await Promise.all([
    api.call('wallet/getblockbynum', { num: height }),
    api.call('wallet/gettransactioninfobyblocknum', { num: height }),
  ]);
  const block = blockOf(whole);
  if (block.height !== height) throw new NodeUnavailable(`block ${height}: expected it, got ${block.height}`);
  const transactions = listOf(recordOf(whole, 'block').transactions, 'transactions').map((each) =>
    recordOf(each, 'transaction'),
  );
  const infos = new Map(
    listOf(infoList, 'infos').map((each) => {
      const info = recordOf(each, 'info');
      return [bytesOf(info.id, 'id of a transaction', HASH_BYTES), info] as const;
    }),
  );
  return {
    block,
    transactions: transactions.map((transaction) => {
      const txHash = bytesOf(transaction.txID, 'id of a transaction', HASH_BYTES);
      const info = infos.get(txHash);
      // Transactions and receipts come from separate queries. If they do not match, the node's state changed in
      // between, and the block is queried again.
      if (!info || infos.size !== transactions.length)
        throw new NodeUnavailable(`block ${height}: its transactions and their outcomes do not match`);
      return { transaction, info, txHash };
    }),
  };
}

/** A transfer without its transaction and block. */
type Moved = Omit<Transfer, 'txHash' | 'block'>;

function isDone({ ret }: Answer): boolean {
  const results = listOf(ret, 'results').map((each) => recordOf(each, 'result').contractRet);
  return results.length > 0 && results.every((each) => each === 'SUCCESS');
}

function contractOf({ raw_data }: Answer) {
  const [contract] = listOf(recordOf(raw_data, 'raw_data').contract, 'contracts');
  const { type, parameter } = recordOf(contract, 'contract');
  return { type, value: recordOf(recordOf(parameter, 'parameter').value, 'transfer') };
}

/** @returns the sender of a transaction, who paid its fee. */
function senderOf(transaction: Answer): string {
  return addressOf(contractOf(transaction).value.owner_address, 'sender');
}

function coinsOf(transaction: Answer): Moved[] {
  const { type, value } = contractOf(transaction);
  if (type !== 'TransferContract') return [];
  const amountMinor = amountOf(value.amount, 'amount');
  if (amountMinor === 0n) return [];
  const [from, to] = [addressOf(value.owner_address, 'sender'), addressOf(value.to_address, 'receiver')];
  return [{ logIndex: 0, currency: TRX, amountMinor, from, to }];
}

function tokensOf({ log }: Answer): Moved[] {
  return listOf(log, 'logs').flatMap((json, logIndex) => {
    const { address: contract, topics, data } = recordOf(json, 'log');
    const currency = TOKENS.get(bytesOf(contract, 'contract', ADDRESS_BYTES));
    const [event, ...indexed] = listOf(topics, 'topics').map((topic) => bytesOf(topic, 'topic', HASH_BYTES));
    if (currency === undefined || event !== TRANSFER || indexed.length !== 2) return [];
    const [from = '', to = ''] = indexed.map((topic) =>
      tronAddress(hex.decode(topic.slice(-2 * ADDRESS_BYTES))),
    );
    const amountMinor = BigInt(`0x${bytesOf(data, 'amount', HASH_BYTES)}`);
    return amountMinor > 0n ? [{ logIndex, currency, amountMinor, from, to }] : [];
  });
}

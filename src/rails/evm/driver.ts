/** One node of an EVM network, with the queries that all networks share. */
import { addressBytes } from '../../base/chain/address.ts';
import { inParts } from '../../base/concurrency/in-parts.ts';
import type { Currency } from '../../base/money/currency.ts';
import { encodeEvmTransaction, readEvmTransaction } from '../../chains/evm-transaction.ts';
import { encodeTokenTransfer } from '../../chains/token-transfer.ts';
import {
  type Block,
  type GasPrice,
  type Movement,
  MovementRefused,
  type NetworkDriver,
  type Nonce,
  type Signed,
  type TransactionStatus,
  type Unsigned,
} from '../chain/driver.ts';
import { recordOf } from '../chain/node.ts';
import { arrivalsIn, transfersIn } from './arrivals.ts';
import { bytesOf, countOf, hexOf, NodeError, quantityOf, type Rpc } from './rpc.ts';

/** Finality rule of a network, and cost limits. */
export interface EvmTerms {
  readonly network: string;
  readonly chainId: number;
  /** Finality rule: a number of blocks, including that of the transfer, or a block tag of the nodes. */
  readonly finality: number | 'safe' | 'finalized';
  /** Maximum price of a unit of gas. Unit: wei. */
  readonly maxFeePerGas: bigint;
  readonly minTipPerGas: bigint;
}

/** Gas of a transfer, for cost estimates. */
const COIN_GAS = 21_000n;
const TOKEN_GAS = 70_000n;
/** Maximum gas of a transfer by the gateway. */
const GAS_MAX = 300_000n;
/** Gas limit as a percentage of the estimate, since a contract may need slightly more when it runs. */
const GAS_PERCENT = 130n;
/** Fee of a replacement as a percentage of the old fee; nodes require at least 110. */
const REPLACE_PERCENT = 115n;
/** Messages of nodes about a known transaction or a used nonce, which are no errors. */
const KNOWN_WORDS =
  /already known|already imported|known transaction|nonce too low|already in (?:the )?(?:pool|mempool)/i;
const REVERT_WORDS = /revert/i;
const REVERT_CODE = 3;

/** @returns the estimated cost of a transfer. Unit: wei. */
export function transferCost({ contract }: Currency, { base, tip }: GasPrice): bigint {
  return (contract === undefined ? COIN_GAS : TOKEN_GAS) * (base + tip);
}

/** @param rpc - calls one node. */
export function createEvmDriver(rpc: Rpc, terms: EvmTerms): NetworkDriver {
  const { network, chainId } = terms;
  const head = async (): Promise<Block> => blockOf(await rpc.call('eth_getBlockByNumber', ['latest', false]));
  const block = async (height: number): Promise<Block | undefined> => {
    const found = await rpc.call('eth_getBlockByNumber', [hexOf(height), false]);
    return found === null ? undefined : blockOf(found);
  };
  const finalHeight = async (): Promise<number> => {
    const { finality } = terms;
    if (typeof finality === 'number') return Math.max(0, (await head()).height - finality + 1);
    return blockOf(await rpc.call('eth_getBlockByNumber', [finality, false])).height;
  };
  return {
    provider: rpc.provider,
    check: async () => {
      const found = countOf(await rpc.call('eth_chainId', []), 'chain id');
      if (found !== chainId) throw new Error(`expected chain ${chainId} (${network}), got ${found}`);
    },
    head,
    block,
    finalHeight,
    arrivals: (range, addresses) => arrivalsIn(rpc, network, range, addresses),
    transfers: (range, addresses) => transfersIn(rpc, network, range, addresses),
    balance: (address, currency) => balanceOf(rpc, address, currency, 'latest'),
    balancesAt: (height, holdings) =>
      inParts(holdings, ({ address, currency }) => balanceOf(rpc, address, currency, hexOf(height))),
    gasPrice: () => gasPriceOf(rpc, terms),
    nextNonce: async (from, height) => {
      const block = height === undefined ? 'latest' : hexOf(height);
      return countOf(await rpc.call('eth_getTransactionCount', [from, block]), 'nonce');
    },
    pendingNonce: async (from) =>
      countOf(await rpc.call('eth_getTransactionCount', [from, 'pending']), 'nonce'),
    build: (movement, nonce, price) => build(rpc, terms, { movement, nonce, price }),
    broadcast: async (raw) => {
      await rpc.call('eth_sendRawTransaction', [raw]).catch((error: unknown) => {
        if (!(error instanceof NodeError && KNOWN_WORDS.test(error.message))) throw error;
      });
    },
    status: async (signed) => statusOf(rpc, signed, await finalHeight(), block),
  };
}

function blockOf(json: unknown): Block {
  const { number, hash, parentHash, timestamp } = recordOf(json, 'block');
  return {
    height: countOf(number, 'height'),
    hash: bytesOf(hash, 'hash', 32),
    parentHash: bytesOf(parentHash, 'parent hash', 32),
    atMs: Number(quantityOf(timestamp, 'time')) * 1_000,
  };
}

const BALANCE_OF = '0x70a08231';

/** @param at - `latest`, or the height of a block in hex. */
async function balanceOf(rpc: Rpc, address: string, { contract }: Currency, at: string): Promise<bigint> {
  if (contract === undefined) return quantityOf(await rpc.call('eth_getBalance', [address, at]), 'balance');
  const data = BALANCE_OF + address.slice(2).toLowerCase().padStart(64, '0');
  return BigInt(bytesOf(await rpc.call('eth_call', [{ to: contract, data }, at]), 'balance', 32));
}

async function gasPriceOf(rpc: Rpc, { minTipPerGas }: EvmTerms): Promise<GasPrice> {
  const [newest, suggested] = await Promise.all([
    rpc.call('eth_getBlockByNumber', ['latest', false]),
    rpc.call('eth_maxPriorityFeePerGas', []),
  ]);
  const base = quantityOf(recordOf(newest, 'block').baseFeePerGas, 'base fee');
  const suggestedTip = quantityOf(suggested, 'tip');
  return { base, tip: most(suggestedTip, minTipPerGas) };
}

/** Input of a transaction. */
interface Order {
  readonly movement: Movement;
  readonly nonce: Nonce;
  readonly price: GasPrice;
}

/** Builds a transaction that pays up to twice the base fee, since the base fee needs at least six blocks to double. */
async function build(rpc: Rpc, terms: EvmTerms, { movement, nonce, price }: Order): Promise<Unsigned> {
  const { from, to, currency, amountMinor } = movement;
  const { base, tip } = price;
  const isCoin = currency.contract === undefined;
  const call = {
    to: currency.contract ?? to,
    value: isCoin ? amountMinor : 0n,
    data: isCoin
      ? new Uint8Array()
      : encodeTokenTransfer({ to: addressBytes('ETH', to), amount: amountMinor }),
  };
  const fees = { maxPriorityFeePerGas: tip, maxFeePerGas: least(2n * base + tip, terms.maxFeePerGas) };
  const gasLimit = await gasOf(rpc, from, call);
  return unsignedOf({ chainId: terms.chainId, nonce: nonce ?? 0, ...fees, gasLimit, ...call });
}

async function gasOf(
  rpc: Rpc,
  from: string,
  { to, value, data }: { readonly to: string; readonly value: bigint; readonly data: Uint8Array },
): Promise<bigint> {
  const call = { from, to, value: hexOf(value), data: `0x${Buffer.from(data).toString('hex')}` };
  try {
    const estimated = quantityOf(await rpc.call('eth_estimateGas', [call]), 'gas');
    // Unused gas costs nothing, so a floor protects token transfers from estimates that are too low.
    const floor = data.length > 0 ? TOKEN_GAS : COIN_GAS;
    return estimated <= floor ? floor : least((estimated * GAS_PERCENT) / 100n, GAS_MAX);
  } catch (error) {
    const isRefused =
      error instanceof NodeError && (error.code === REVERT_CODE || REVERT_WORDS.test(error.message));
    throw isRefused ? new MovementRefused(error.message) : error;
  }
}

/**
 * @returns the same transaction at a higher fee: at least 115 % of the old one, and at least the present price;
 *   undefined if that exceeds the maximum.
 */
export function replace(maxFee: bigint, stuck: string, { base, tip }: GasPrice): Unsigned | undefined {
  const before = readEvmTransaction(stuck);
  const raised = (fee: bigint) => (fee * REPLACE_PERCENT + 99n) / 100n;
  const maxPriorityFeePerGas = most(raised(before.maxPriorityFeePerGas), tip);
  const maxFeePerGas = most(raised(before.maxFeePerGas), 2n * base + maxPriorityFeePerGas);
  if (raised(before.maxFeePerGas) > maxFee) return undefined;
  const fees = { maxPriorityFeePerGas, maxFeePerGas: least(maxFeePerGas, maxFee) };
  return unsignedOf({ ...before, ...fees });
}

function unsignedOf(transaction: Parameters<typeof encodeEvmTransaction>[0]): Unsigned {
  const { nonce, gasLimit, maxFeePerGas } = transaction;
  return {
    unsigned: encodeEvmTransaction(transaction),
    nonce,
    costMinor: gasLimit * maxFeePerGas,
    expiresAtMs: null,
  };
}

/**
 * Queries the nonce first: if a final block has used it, the receipt of the transaction that used it exists by then.
 */
async function statusOf(
  rpc: Rpc,
  { from, nonce, hash }: Signed,
  final: number,
  block: NetworkDriver['block'],
): Promise<TransactionStatus> {
  const nonceUsed = countOf(await rpc.call('eth_getTransactionCount', [from, hexOf(final)]), 'nonce');
  const found = await rpc.call('eth_getTransactionReceipt', [hash]);
  if (found === null) return { state: nonce !== null && nonceUsed > nonce ? 'never' : 'open' };
  const receipt = recordOf(found, 'receipt');
  const at = { height: countOf(receipt.blockNumber, 'height'), hash: bytesOf(receipt.blockHash, 'hash', 32) };
  if ((await block(at.height))?.hash !== at.hash) return { state: 'open' };
  const gas = quantityOf(receipt.gasUsed, 'gas') * quantityOf(receipt.effectiveGasPrice, 'gas price');
  // Networks on top of Ethereum also charge for the data that they write there.
  const above = receipt.l1Fee === undefined || receipt.l1Fee === null ? 0n : quantityOf(receipt.l1Fee, 'fee');
  const state = at.height <= final ? 'final' : 'included';
  return { state, block: at, isDone: receipt.status === '0x1', gasMinor: gas + above };
}

const least = (left: bigint, right: bigint) => (left < right ? left : right);
const most = (left: bigint, right: bigint) => (left > right ? left : right);

/** Reads amount, destination and maximum cost of an unsigned transaction. Only plain transfers are accepted. */
import { evmAddress, tronAddress } from '../base/chain/address.ts';
import { EVM_CHAIN_IDS, tokenOfContract } from '../base/chain/token-contract.ts';
import { assert } from '../base/errors/assert.ts';
import { type Currency, currencyOf, currencyOfHistory, NETWORKS } from '../base/money/currency.ts';
import { type EvmTransaction, readEvmTransaction } from '../chains/evm-transaction.ts';
import { readTokenTransfer } from '../chains/token-transfer.ts';
import { readTronTransaction } from '../chains/tron-transaction.ts';
import { Refusal } from './signer-error.ts';

/** The facts of a transaction that the policy limits. */
export interface Transfer {
  readonly network: string;
  readonly currency: Currency;
  /** Destination in its canonical form. */
  readonly to: string;
  /** Minor units of the currency. */
  readonly amount: bigint;
  /** Maximum fee of the network, in minor units of its coin. */
  readonly fee: bigint;
  /** Nonce on EVM networks, where at most one transaction of an address is mined per nonce; null on TRON. */
  readonly nonce: number | null;
}

/** Maximum cost of a transfer of TRX: bandwidth, plus 1.1 TRX for a new address. Unit: sun. */
const TRX_TRANSFER_FEE = 2_000_000n;
/** Maximum bandwidth cost of a contract call, which `fee_limit` does not include. Unit: sun. */
const TRON_BANDWIDTH_FEE = 1_000_000n;

/** @returns the coin in which a network charges its fees. */
export function coinOf(network: string): Currency {
  const coin = currencyOfHistory(`${NETWORKS[network]?.coin}_${network}`);
  assert(coin, 'a network of the catalogue');
  return coin;
}

/** @param from - address whose key is to sign. @throws {Refusal} `unreadable`, `chain`, `key`, `call`. */
export function readTransfer(network: string, from: string, unsigned: string): Transfer {
  try {
    return network === 'TRX' ? readTron(from, unsigned) : readEvm(network, unsigned);
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal('unreadable', error.message);
    throw error;
  }
}

function readEvm(network: string, unsigned: string): Transfer {
  const transaction = readEvmTransaction(unsigned);
  const { chainId, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  if (chainId !== EVM_CHAIN_IDS.get(network))
    throw new Refusal('chain', `the transaction is for chain ${chainId}, not for ${network}`);
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw new Refusal('unreadable', 'the priority fee is above the whole fee');
  return { network, ...movedByEvm(network, transaction), fee: gasLimit * maxFeePerGas, nonce };
}

function movedByEvm(
  network: string,
  { to, value, data }: EvmTransaction,
): Pick<Transfer, 'currency' | 'to' | 'amount'> {
  if (data.length === 0) return { currency: coinOf(network), to, amount: value };
  if (value !== 0n) throw new Refusal('call', 'a token call must not move coin as well');
  return movedByCall(network, to, data, evmAddress);
}

function readTron(from: string, unsigned: string): Transfer {
  const { order } = readTronTransaction(unsigned);
  if (order.from !== from) throw new Refusal('key', `the transaction is of ${order.from}, not of ${from}`);
  const network = 'TRX';
  if (order.kind === 'transfer') {
    const { to, amount } = order;
    return { network, currency: coinOf(network), to, amount, fee: TRX_TRANSFER_FEE, nonce: null };
  }
  const moved = movedByCall(network, order.contract, order.data, tronAddress);
  return { network, ...moved, fee: order.feeLimit + TRON_BANDWIDTH_FEE, nonce: null };
}

function movedByCall(
  network: string,
  contract: string,
  data: Uint8Array,
  addressOf: (hash: Uint8Array) => string,
): Pick<Transfer, 'currency' | 'to' | 'amount'> {
  const currency = currencyOf(tokenOfContract(contract) ?? '');
  if (currency?.network !== network)
    throw new Refusal('call', `${contract} is no contract of the catalogue on ${network}`);
  const moved = readTokenTransfer(data);
  if (!moved) throw new Refusal('call', 'only the call transfer(address,uint256) is signed');
  return { currency, to: addressOf(moved.to), amount: moved.amount };
}

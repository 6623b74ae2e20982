/**
 * Links that fill in a payer's wallet: address, token and exact amount (EIP-681, BIP-21, Solana Pay). The
 * amount goes from minor units to text and is never a float.
 */

import type { Currency } from '../money/currency.ts';
import { fromMinor } from '../money/money.ts';
import { parseAddress } from './address.ts';
import { EVM_CHAIN_IDS, NATIVE_ASSETS, TOKEN_CONTRACTS } from './token-contract.ts';

/** Amount and destination of a payment link. */
export interface PaymentRequest {
  readonly currency: Currency;
  /** Address of the currency's network. */
  readonly address: string;
  /** Amount in minor units of the currency, at least 1. */
  readonly amountMinor: bigint;
  /** A public key that identifies the payment, 32 bytes in base58; only Solana has a parameter for it. */
  readonly reference?: string;
}

/**
 * The link of a payment request.
 *
 * @returns undefined if no form is in wide use (TRON, BRL), and for a token with an unknown contract: a link for another
 * token would be worse than none.
 * @throws {RangeError} when address or reference is not one of the network, or the amount is not positive.
 */
export function paymentUri(request: PaymentRequest): string | undefined {
  const { currency, amountMinor } = request;
  const { network } = currency;
  const contract = TOKEN_CONTRACTS.get(currency.code);
  if (!contract && NATIVE_ASSETS.get(network) !== currency.asset) return undefined;
  if (amountMinor <= 0n) throw new RangeError(`expected a positive amount, got ${amountMinor}`);
  const address = parseAddress(network, request.address);
  if (!address) throw new RangeError(`expected an address of ${network}`);
  const chainId = EVM_CHAIN_IDS.get(network);
  if (chainId) return ethereumUri(chainId, contract, address, amountMinor);
  const amount = fromMinor(amountMinor, currency.decimals);
  if (network === 'BTC') return `bitcoin:${address}?amount=${amount}`;
  return network === 'SOL' ? solanaUri(contract, address, amount, request.reference) : undefined;
}

/** EIP-681, always with the chain id: without one, a wallet uses its current network. */
function ethereumUri(chainId: number, contract: string | undefined, address: string, minor: bigint): string {
  return contract
    ? `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${minor}`
    : `ethereum:${address}@${chainId}?value=${minor}`;
}

/** Solana Pay, "Transfer Request": amount in whole units, the token as `spl-token`. */
function solanaUri(mint: string | undefined, address: string, amount: string, reference?: string): string {
  const token = mint ? `&spl-token=${mint}` : '';
  if (reference === undefined) return `solana:${address}?amount=${amount}${token}`;
  if (!parseAddress('SOL', reference)) throw new RangeError('expected a reference of 32 bytes in base58');
  return `solana:${address}?amount=${amount}${token}&reference=${reference}`;
}

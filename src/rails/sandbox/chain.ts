/** The networks of the sandbox. Transfers are broadcast after a second and confirmed a second later. */
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { EVM_CHAIN_IDS, NATIVE_ASSETS } from '../../base/chain/token-contract.ts';
import { assert } from '../../base/errors/assert.ts';
import { type Currency, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import type { DepositEvent } from '../../resolvers/services/rail-event.ts';
import type { ChainRail } from '../../resolvers/services/rails.ts';
import type { Gas } from '../../templates/triggers.ts';
import { nextDepositAddress, payerAddress } from './addresses.ts';
import { type Outcome, type RailParts, refundOnce, SETTLE_MS, submitOnce } from './orders.ts';

/** Fee of a transfer of a network's own coin, in that coin, by raw ledger code. */
const COIN_FEES: ReadonlyMap<string, string> = new Map([
  ['TRX_TRX', '1.1'],
  ['ETH_ETH', '0.0005'],
  ['BTC_BTC', '0.00002'],
]);
/** Fee of a token transfer on the more expensive networks, in the token; all tokens are dollars. */
const TOKEN_FEES: ReadonlyMap<string, string> = new Map([
  ['TRX', '1.00'],
  ['ETH', '2.50'],
]);
const TOKEN_FEE = '0.10';
/** The house's gas cost of a transfer, by raw ledger code of the network's coin. */
const GAS: ReadonlyMap<string, string> = new Map([
  ['TRX_TRX', '13.4'],
  ['ETH_ETH', '0.002'],
  ['BTC_BTC', '0.00001'],
  ['POL_POLYGON', '0.01'],
  ['ETH_BASE', '0.00002'],
  ['BNB_BSC', '0.0002'],
  ['SOL_SOL', '0.000005'],
]);
const BROADCAST_MS = 700;
const CONFIRM_MS = BROADCAST_MS + 1_000;
/** Delay of an automatic deposit. Unit: ms. */
const DEPOSIT_MS = 2_000;

/**
 * @param isAuto - whether deposits are made automatically.
 * @returns the rail. Hashes are derived from the order's key, so a repeated order is the same transfer.
 */
export function sandboxChain(parts: RailParts, isAuto: boolean): ChainRail {
  return {
    networkFee: async (currency) => networkFeeOf(currency),
    depositAddress: (currency) => nextDepositAddress(parts.database, currency),
    watchDeposit: ({ currency, address, exactAmount, ...order }) =>
      submitOnce(parts, order, {
        kind: 'watch',
        request: { currency: currency.code, address, exactAmount },
        outcomes: (nowMs) =>
          isAuto ? depositedByItself(currency, { address, amount: exactAmount }, order.key, nowMs) : [],
      }),
    send: ({ currency, to, amountMinor, ...order }) =>
      submitOnce(parts, order, {
        kind: 'transfer',
        request: { currency: currency.code, to, amountMinor: String(amountMinor) },
        plans: ['broadcast-fail', 'delivery-fail'],
        outcomes: (_nowMs, plan) => transferOutcomes(currency, order.key, plan),
      }),
    refund: ({ currency, to, amountMinor, ...order }) =>
      refundOnce(
        parts,
        order,
        { currency: currency.code, to, amountMinor: String(amountMinor) },
        {
          rail: 'chain',
          endToEndId: null,
          networkFee: feeOutOf(currency, amountMinor),
          gas: gasOf(currency),
          txHash: txHashOf(currency, order.key),
        },
      ),
    sendBack: ({ currency, to, amountMinor, ...order }) =>
      submitOnce(parts, order, {
        kind: 'transfer_back',
        request: { currency: currency.code, to, amountMinor: String(amountMinor) },
        outcomes: () => [
          {
            event: {
              kind: 'refund_ended',
              rail: 'chain',
              order: order.key,
              endToEndId: null,
              isDone: true,
              networkFee: feeOutOf(currency, amountMinor),
              gas: gasOf(currency),
              txHash: txHashOf(currency, order.key),
            },
            afterMs: SETTLE_MS,
          },
        ],
      }),
  };
}

/**
 * @param seed - the same seed gives the same hash.
 * @returns a hash in the network's notation: 32 bytes in hexadecimal digits, on EVM networks with 0x; on Solana a
 *   signature of 64 bytes in base58.
 */
export function txHashOf({ network }: Currency, seed: string): string {
  if (network === 'SOL') return base58.encode(createHash('sha512').update(seed).digest());
  const hash = createHash('sha256').update(seed).digest('hex');
  return EVM_CHAIN_IDS.has(network) ? `0x${hash}` : hash;
}

/** In an automatic sandbox the deposit is made after two seconds, and confirmed two seconds later. */
function depositedByItself(
  currency: Currency,
  where: { readonly address: string; readonly amount: string },
  key: string,
  nowMs: number,
): readonly Outcome[] {
  const event = newTransfer(currency, {
    ...where,
    txHash: txHashOf(currency, key),
    seenAtMs: nowMs + DEPOSIT_MS,
  });
  return [
    { event: { ...event, kind: 'deposit_seen' }, afterMs: DEPOSIT_MS },
    { event: { ...event, kind: 'deposit_confirmed' }, afterMs: 2 * DEPOSIT_MS },
  ];
}

/** @returns the facts of a transfer to an address, without its outcome. */
export function newTransfer(
  currency: Currency,
  transfer: {
    readonly address: string;
    readonly amount: string;
    readonly txHash: string;
    readonly seenAtMs: number;
  },
): Omit<DepositEvent, 'kind'> {
  const { seenAtMs, ...rest } = transfer;
  const from = payerAddress(currency);
  return { ...rest, logIndex: 0, currency: currency.code, from, seenAt: new Date(seenAtMs).toISOString() };
}

/** A fee is at most the transferred amount. */
function feeOutOf(currency: Currency, amountMinor: bigint): string {
  const fee = networkFeeOf(currency);
  return fromMinor(fee < amountMinor ? fee : amountMinor, currency.decimals);
}

function networkFeeOf({ code, network, decimals }: Currency): bigint {
  assert(network, `${code} is a currency of a network`);
  const fee = COIN_FEES.get(code) ?? TOKEN_FEES.get(network) ?? TOKEN_FEE;
  return toMinor(fee, decimals);
}

function transferOutcomes(currency: Currency, order: string, plan: string | undefined): readonly Outcome[] {
  const transfer = { order, currency: currency.code, gas: null };
  if (plan === 'broadcast-fail')
    return [{ event: { ...transfer, kind: 'broadcast_failed', txHash: null }, afterMs: BROADCAST_MS }];
  const sent = { ...transfer, txHash: txHashOf(currency, order) };
  const kind = plan === 'delivery-fail' ? 'broadcast_failed' : 'broadcast_confirmed';
  return [
    { event: { ...sent, kind: 'broadcast_sent', gas: gasOf(currency) }, afterMs: BROADCAST_MS },
    { event: { ...sent, kind }, afterMs: CONFIRM_MS },
  ];
}

function gasOf({ network }: Currency): Gas {
  const code = `${NATIVE_ASSETS.get(network)}_${network}`;
  const amount = GAS.get(code);
  assert(amount, `a transfer on ${network} costs ${code}`);
  return { currency: code, amountMinor: String(toMinor(amount, currencyOfLedger(code).decimals)) };
}

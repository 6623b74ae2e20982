/** Unsigned transactions as the rails build them, and what became of them after they were signed. */
import { readFileSync } from 'node:fs';
import { addressBytes, evmAddress, tronAddress } from '../../src/base/chain/address.ts';
import { TOKEN_CONTRACTS } from '../../src/base/chain/token-contract.ts';
import { NETWORKS } from '../../src/base/money/currency.ts';
import { type EvmTransaction, encodeEvmTransaction } from '../../src/chains/evm-transaction.ts';
import type { SignRequest } from '../../src/chains/sign-request.ts';
import { encodeTokenTransfer } from '../../src/chains/token-transfer.ts';
import { encodeTronTransaction } from '../../src/chains/tron-transaction.ts';

/** Addresses of nobody. */
export const STRANGERS = {
  EVM: evmAddress(new Uint8Array(20).fill(0x5e)),
  EVM2: evmAddress(new Uint8Array(20).fill(0x6e)),
  TRX: tronAddress(new Uint8Array(20).fill(0x5e)),
  TRX2: tronAddress(new Uint8Array(20).fill(0x6e)),
} as const;

const GWEI = 1_000_000_000n;
const contractOf = (code: string) => {
  const contract = TOKEN_CONTRACTS.get(code);
  if (!contract) throw new Error(`${code} is no token`);
  return contract;
};

/** A transfer on an EVM network: of a token by its code, or of the coin. */
export function evmTransfer(
  code: string,
  to: string,
  amount: bigint,
  over: Partial<EvmTransaction> = {},
): string {
  const network = code.slice(code.indexOf('_') + 1);
  const isCoin = !TOKEN_CONTRACTS.has(code);
  return encodeEvmTransaction({
    chainId: NETWORKS[network]?.chainId ?? 0,
    nonce: 0,
    maxPriorityFeePerGas: GWEI,
    maxFeePerGas: 2n * GWEI,
    gasLimit: isCoin ? 21_000n : 65_000n,
    to: isCoin ? to : contractOf(code),
    value: isCoin ? amount : 0n,
    data: isCoin ? new Uint8Array() : encodeTokenTransfer({ to: addressBytes(network, to), amount }),
    ...over,
  });
}

/** A transfer on TRON. `at` makes one unlike another. */
export function tronTransfer(
  code: string,
  from: string,
  to: string,
  amount: bigint,
  { at = 0n, feeLimit = 30_000_000n }: { readonly at?: bigint; readonly feeLimit?: bigint } = {},
): string {
  return encodeTronTransaction({
    refBlockBytes: Uint8Array.of(1, 2),
    refBlockHash: new Uint8Array(8).fill(3),
    expiration: 1_800_000_060_000n + at,
    timestamp: 1_800_000_000_000n + at,
    order:
      code === 'TRX_TRX'
        ? { kind: 'transfer', from, to, amount }
        : {
            kind: 'call',
            from,
            contract: contractOf(code),
            data: encodeTokenTransfer({ to: addressBytes('TRX', to), amount }),
            feeLimit,
          },
  });
}

let last = 0;

/** A request with an id of its own. */
export function requested(
  over: Partial<SignRequest> & Pick<SignRequest, 'network' | 'unsigned'>,
): SignRequest {
  last += 1;
  return { id: `order-${last}`, key: { purpose: 'hot' }, intent: 'payout', ...over };
}

/** Lines of JSON in a text. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** @returns the file as text. */
export const textOf = (path: string) => readFileSync(path, 'utf8');

/** The only call of a token contract that moves the gateway's tokens: `transfer(address,uint256)` (ERC-20, TRC-20). */
import { hex } from '@scure/base';

/** First 4 bytes of Keccak-256 of `transfer(address,uint256)`. */
const SELECTOR = 'a9059cbb';
const WORD_DIGITS = 64;
const CALL = new RegExp(`^${SELECTOR}0{24}([0-9a-f]{40})([0-9a-f]{${WORD_DIGITS}})$`);

/** Arguments of a call of `transfer`. */
export interface TokenTransfer {
  /** The 20 bytes of the address. */
  readonly to: Uint8Array;
  /** Minor units of the token. */
  readonly amount: bigint;
}

/** @returns the data of the call. */
export function encodeTokenTransfer({ to, amount }: TokenTransfer): Uint8Array {
  const words = [hex.encode(to), amount.toString(16)].map((digits) => digits.padStart(WORD_DIGITS, '0'));
  return hex.decode(SELECTOR + words.join(''));
}

/** @returns undefined for any other call, and for a call with extra bytes before, between or after its two words. */
export function readTokenTransfer(data: Uint8Array): TokenTransfer | undefined {
  const [, to, amount] = CALL.exec(hex.encode(data)) ?? [];
  return to && amount ? { to: hex.decode(to), amount: BigInt(`0x${amount}`) } : undefined;
}

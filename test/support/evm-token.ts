/**
 * A token contract for the test node, as it stands on the chain: `transfer(address,uint256)`, `balanceOf(address)` and the event
 * `Transfer`. The balance of an address is in the storage at that address.
 */

const OPS: Readonly<Record<string, number>> = {
  LT: 0x10,
  EQ: 0x14,
  ADD: 0x01,
  SUB: 0x03,
  SHR: 0x1c,
  CALLER: 0x33,
  CALLDATALOAD: 0x35,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMPI: 0x57,
  JUMPDEST: 0x5b,
  DUP1: 0x80,
  DUP3: 0x82,
  LOG3: 0xa3,
  RETURN: 0xf3,
  REVERT: 0xfd,
};

/** `0x…` pushes; `@name` pushes the place of a label, `name:` is one. */
const SOURCE = `
  0x00 CALLDATALOAD 0xe0 SHR
  DUP1 0xa9059cbb EQ @transfer JUMPI
  DUP1 0x70a08231 EQ @balance JUMPI
  0x00 0x00 REVERT
  balance: 0x04 CALLDATALOAD SLOAD 0x00 MSTORE 0x20 0x00 RETURN
  transfer: CALLER SLOAD 0x24 CALLDATALOAD
  DUP1 DUP3 LT @fail JUMPI
  DUP1 DUP3 SUB CALLER SSTORE
  DUP1 0x04 CALLDATALOAD SLOAD ADD 0x04 CALLDATALOAD SSTORE
  0x00 MSTORE
  0x04 CALLDATALOAD CALLER 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef 0x20 0x00 LOG3
  0x01 0x00 MSTORE 0x20 0x00 RETURN
  fail: 0x00 0x00 REVERT
`;

/** The code of the contract, `0x…`. */
export const TOKEN_CODE = assembled(SOURCE);

function assembled(source: string): string {
  const words = source.trim().split(/\s+/);
  const sizeOf = (word: string) => {
    if (word.startsWith('0x')) return word.length / 2;
    return word.startsWith('@') ? 2 : 1;
  };
  const labels = new Map<string, number>();
  let at = 0;
  for (const word of words) {
    if (word.endsWith(':')) labels.set(word.slice(0, -1), at);
    at += sizeOf(word);
  }
  const bytes = words.flatMap((word): number[] => {
    if (word.endsWith(':')) return [OPS.JUMPDEST as number];
    if (word.startsWith('@')) return [0x60, labels.get(word.slice(1)) as number];
    if (!word.startsWith('0x')) return [OPS[word] as number];
    const data = [...Buffer.from(word.slice(2), 'hex')];
    return [0x5f + data.length, ...data];
  });
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

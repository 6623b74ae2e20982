/**
 * Goal: transactions of EVM networks are the bytes that nodes expect, and only whole transfers are read. Method: a transaction
 * that ethers 6.17 signed, RLP's own examples (Ethereum wiki), and bytes that are changed one by one.
 */
import { hex } from '@scure/base';
import { describe, expect, test } from 'vitest';
import {
  type EvmTransaction,
  encodeEvmTransaction,
  evmDigest,
  readEvmTransaction,
  signedEvmTransaction,
} from '../../src/chains/evm-transaction.ts';
import { decodeRlp, encodeRlp } from '../../src/chains/rlp.ts';
import { signDigest } from '../../src/chains/signature.ts';

const PRIVATE_KEY = hex.decode('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const TRANSACTION: EvmTransaction = {
  chainId: 1,
  nonce: 7,
  maxPriorityFeePerGas: 1_500_000_000n,
  maxFeePerGas: 30_000_000_000n,
  gasLimit: 21_000n,
  to: '0xF0109fC8DF283027b6285cc889F5aA624EaC1F55',
  value: 1_000_000_000n,
  data: new Uint8Array(),
};
const SIGNED =
  '0x02f86f01078459682f008506fc23ac0082520894f0109fc8df283027b6285cc889f5aa624eac1f55843b9aca0080c080a07bbe02f772283ac6c9f5ef45a5b08edb86c4f29d0f2b37dd6f37237e1dbdfff6a026d22d500ff8afc1c402da6c92593acc77ff6d9b9df385c600ee8e878f834474';

describe('a transaction', () => {
  test('reads back as written', () => {
    expect(readEvmTransaction(encodeEvmTransaction(TRANSACTION))).toEqual(TRANSACTION);
    const call = { ...TRANSACTION, value: 0n, data: new Uint8Array(68).fill(9), nonce: 0, chainId: 8453 };
    expect(readEvmTransaction(encodeEvmTransaction(call))).toEqual(call);
  });

  test('is signed to the bytes of another library', () => {
    const unsigned = encodeEvmTransaction(TRANSACTION);
    const { raw, hash } = signedEvmTransaction(unsigned, signDigest(evmDigest(unsigned), PRIVATE_KEY));
    expect(raw).toBe(SIGNED);
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
  });

  const unsigned = encodeEvmTransaction(TRANSACTION);
  test.each([
    ['a signed one', SIGNED],
    ['another type', unsigned.replace(/^0x02/, '0x01')],
    ['no type', `0x${unsigned.slice(4)}`],
    ['bytes behind it', `${unsigned}00`],
    ['fewer bytes', unsigned.slice(0, -2)],
    ['an access list', `0x02${hex.encode(encodeRlp([...fields(), [new Uint8Array()]]))}`],
    ['no destination: a new contract', `0x02${hex.encode(encodeRlp([...fields(new Uint8Array()), []]))}`],
    ['upper case', unsigned.toUpperCase()],
    [
      'a number with a zero in front',
      `0x02${hex.encode(encodeRlp([Uint8Array.of(0, 1), ...fields().slice(1), []]))}`,
    ],
  ])('is not read from %s', (_, text) => {
    expect(() => readEvmTransaction(text)).toThrow(RangeError);
  });

  function fields(to = hex.decode('f0109fc8df283027b6285cc889f5aa624eac1f55')) {
    const one = Uint8Array.of(1);
    return [one, one, one, one, one, to, one, new Uint8Array()];
  }
});

describe('RLP', () => {
  const text = (value: string) => new TextEncoder().encode(value);
  test.each([
    ['dog', text('dog'), '83646f67'],
    ['a list', [text('cat'), text('dog')], 'c88363617483646f67'],
    ['empty', new Uint8Array(), '80'],
    ['an empty list', [], 'c0'],
    ['a small byte', Uint8Array.of(15), '0f'],
    ['1024', Uint8Array.of(4, 0), '820400'],
    ['lists in lists', [[], [[]], [[], [[]]]], 'c7c0c1c0c3c0c1c0'],
    [
      'a long text',
      text('Lorem ipsum dolor sit amet, consectetur adipisicing elit'),
      'b8384c6f72656d20697073756d20646f6c6f722073697420616d65742c20636f6e7365637465747572206164697069736963696e6720656c6974',
    ],
  ])('%s', (_, item, bytes) => {
    expect(hex.encode(encodeRlp(item))).toBe(bytes);
    expect(decodeRlp(hex.decode(bytes))).toEqual(item);
  });

  test.each([
    '8101',
    'b80101',
    '83646f',
    'c8836361',
    'b9',
    '0f0f',
    '',
  ])('%s is not in canonical form', (bytes) => {
    expect(() => decodeRlp(hex.decode(bytes))).toThrow(RangeError);
  });
});

/**
 * Goal: only an exact address is one, and it has one canonical form. Method: vectors of the standards, each
 * with its nearest refused neighbours, and properties over random keys.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, bech32, bech32m, createBase58check, hex } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressForm,
  addressNetworks,
  evmAddress,
  isRefusedDestination,
  p2wpkhAddress,
  parseAddress,
  tronAddress,
} from '../../../src/base/chain/address.ts';
import { EVM_CHAIN_IDS, NATIVE_ASSETS, TOKEN_CONTRACTS } from '../../../src/base/chain/token-contract.ts';
import { CURRENCIES } from '../../../src/base/money/currency.ts';

const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TRON_HASH = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const WPKH = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const TAPROOT = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0';
const P2PKH = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
const P2SH = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TON = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs';
const EVM_NETWORKS = ['ETH', 'POLYGON', 'BASE', 'BSC'];
const NETWORKS = [...new Set(CURRENCIES.map(({ network }) => network))].filter(Boolean);
const GOOD = [
  ['TRX', TRON],
  ['ETH', EVM],
  ['BTC', WPKH],
  ['BTC', TAPROOT],
  ['BTC', P2PKH],
  ['BTC', P2SH],
  ['SOL', SOLANA],
] as const;

const base58check = createBase58check(sha256);
const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
const check = (version: number, size = 20) =>
  base58check.encode(Uint8Array.of(version, ...new Uint8Array(size).fill(7)));
const segwit = (code: typeof bech32, prefix: string, version: number, size: number) =>
  code.encode(prefix, [version, ...code.toWords(new Uint8Array(size).fill(7))]);

describe('every network', () => {
  test.each(GOOD)('%s accepts %s unchanged', (network, text) =>
    expect(parseAddress(network, text)).toBe(text));

  test.each(
    GOOD.flatMap(([network, text]) =>
      [
        ` ${text}`,
        `${text} `,
        `${text}\n`,
        `\u00a0${text}`,
        `\u200b${text}`,
        // Without a checksum, a cut Solana address may be another one.
        ...(network === 'SOL' ? [] : [text.slice(0, -1), text.slice(1)]),
        `${text}1`,
        `${text}${text}`,
        text.replace(/[ae]/, (letter) => (letter === 'a' ? '\u0430' : '\u0435')),
        text.replace(/\d/, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
        `bitcoin:${text}`,
      ]
        .filter((near) => near !== text)
        .map((near) => [network, near] as const),
    ),
  )('%s refuses %j', (network, text) => expect(parseAddress(network, text)).toBeUndefined());

  test('a text of any length is parsed without delay', () => {
    const long = 'z'.repeat(1_000_000);
    expect(addressNetworks(long)).toEqual([]);
    expect(addressNetworks('')).toEqual([]);
  });

  test.each(['', 'TON', 'ARB', 'btc', 'constructor', '__proto__'])('%j is no network', (network) => {
    for (const [, text] of GOOD) expect(parseAddress(network, text)).toBeUndefined();
    expect(() => addressForm(network)).toThrow('network');
  });

  test('the catalogue and the forms name the same networks', () => {
    for (const network of NETWORKS) expect(addressForm(network)).not.toBe('');
    expect(NETWORKS.flatMap((network) => (NATIVE_ASSETS.has(network) ? [] : [network]))).toEqual([]);
  });
});

describe('the networks of a text', () => {
  test.each([
    [TRON, ['TRX']],
    [EVM, EVM_NETWORKS],
    [WPKH, ['BTC']],
    [TAPROOT, ['BTC']],
    [P2PKH, ['BTC']],
    [P2SH, ['BTC']],
    [SOLANA, ['SOL']],
    [TON, []],
    ['', []],
    ['fulana@example.com', []],
  ])('%j: %j', (text, networks) => expect(addressNetworks(text)).toEqual(networks));
});

describe('TRON', () => {
  test('is base58check of 0x41 and the hash', () => {
    expect(tronAddress(hex.decode(TRON_HASH))).toBe(TRON);
    expect(hex.encode(base58check.decode(TRON))).toBe(`41${TRON_HASH}`);
  });
  test.each([
    ['a wrong checksum', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T'],
    ['Bitcoin', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'],
    ['the hexadecimal form', `41${TRON_HASH}`],
    ['the test network of old, version 0xa0', check(0xa0)],
    ['a short hash', check(0x41, 19)],
    ['a long hash', check(0x41, 21)],
    ['the version alone', check(0x41, 0)],
    ['lower case', TRON.toLowerCase()],
    ['EVM', EVM],
    ['Solana', SOLANA],
  ])('refuses %s', (_, text) => expect(parseAddress('TRX', text)).toBeUndefined());

  test('every hash has an address, which is its own canonical form', () => {
    fc.assert(
      fc.property(bytes(20), (hash) => {
        const text = tronAddress(hash);
        expect(text).toMatch(/^T.{33}$/);
        expect(parseAddress('TRX', text)).toBe(text);
        expect(base58check.decode(text).subarray(1)).toEqual(hash);
      }),
    );
  });
});

/** EIP-55, section "Test Cases". */
const EIP55 = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

describe('EVM', () => {
  test.each(EIP55)('EIP-55 %s, also in a single case', (text) => {
    const digits = text.slice(2);
    for (const network of EVM_NETWORKS) {
      expect(parseAddress(network, text)).toBe(text);
      expect(parseAddress(network, `0x${digits.toLowerCase()}`)).toBe(text);
      expect(parseAddress(network, `0x${digits.toUpperCase()}`)).toBe(text);
    }
    expect(evmAddress(hex.decode(digits.toLowerCase()))).toBe(text);
  });

  test.each([
    ['a wrong checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
    ['the ICAP form', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS'],
    ['no prefix', EVM.slice(2)],
    ['an upper-case prefix', EVM.replace('0x', '0X')],
    ['39 digits', EVM.slice(0, -1)],
    ['41 digits', `${EVM}0`],
    ['a letter beyond f', EVM.toLowerCase().replace('a', 'g')],
    ['a private key or hash', `0x${'1'.repeat(64)}`],
    ['TRON', TRON],
  ])('refuses %s', (_, text) => expect(parseAddress('ETH', text)).toBeUndefined());

  test('each upper or lower case gives the one canonical form or is refused', () => {
    fc.assert(
      fc.property(bytes(20), fc.bigInt({ min: 0n, max: 2n ** 40n - 1n }), (payload, cases) => {
        const digits = hex.encode(payload);
        const canonical = evmAddress(payload);
        expect(parseAddress('BASE', `0x${digits}`)).toBe(canonical);
        expect(parseAddress('BASE', `0x${digits.toUpperCase()}`)).toBe(canonical);
        expect(parseAddress('BASE', canonical)).toBe(canonical);
        const cased = [...digits].map((d, i) => ((cases >> BigInt(i)) & 1n ? d.toUpperCase() : d));
        const mixed = `0x${cased.join('')}`;
        const isMixed = /[a-f]/.test(mixed.slice(2)) && /[A-F]/.test(mixed);
        expect(parseAddress('BASE', mixed)).toBe(isMixed && mixed !== canonical ? undefined : canonical);
      }),
    );
  });
});

describe('Bitcoin', () => {
  test.each([
    // BIP-173 and BIP-350, "Test vectors": valid on mainnet.
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
    'BC1SW50QGDZ25J',
    'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
    TAPROOT,
    TAPROOT.toUpperCase(),
    segwit(bech32, 'bc', 0, 32),
  ])('%s is stored in lower case', (text) => expect(parseAddress('BTC', text)).toBe(text.toLowerCase()));

  test.each([
    ['a wrong checksum', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['mixed case', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4'],
    ['an upper-case prefix alone', WPKH.replace('bc1', 'BC1')],
    ['a Kelvin sign', WPKH.toUpperCase().replace('K', '\u212a')],
    ['testnet', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['regtest', segwit(bech32, 'bcrt', 0, 20)],
    ['a longer prefix', segwit(bech32, 'bc1x', 0, 20)],
    ['Litecoin', segwit(bech32, 'ltc', 0, 20)],
    ['version 0 in bech32m', segwit(bech32m, 'bc', 0, 20)],
    ['version 1 in bech32', segwit(bech32, 'bc', 1, 32)],
    ['version 0 of 16 bytes', segwit(bech32, 'bc', 0, 16)],
    ['version 0 of 33 bytes', segwit(bech32, 'bc', 0, 33)],
    ['version 1 of 1 byte', segwit(bech32m, 'bc', 1, 1)],
    ['version 1 of 41 bytes', segwit(bech32m, 'bc', 1, 41)],
    ['version 17', segwit(bech32m, 'bc', 17, 32)],
    ['padding that is not zero', bech32.encode('bc', [0, ...bech32.toWords(new Uint8Array(32)).fill(1, -1)])],
    // BIP-350, "Test vectors": invalid.
    ['BIP-350: wrong prefix', 'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut'],
    ['BIP-350: bech32', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    ['BIP-350: bech32m', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
    ['BIP-350: character', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
    ['BIP-350: version', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
    ['BIP-350: size', 'bc1pw5dgrnzv'],
    ['BIP-350: padding', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
    ['BIP-350: no program', 'bc1gmk9yu'],
    ['base58 with a wrong checksum', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3'],
    ['testnet P2PKH', check(0x6f)],
    ['testnet P2SH', check(0xc4)],
    ['Dogecoin', check(0x1e)],
    ['P2PKH of 19 bytes', check(0, 19)],
    ['P2PKH of 21 bytes', check(0, 21)],
    ['a private key in WIF', check(0x80, 32)],
    ['TRON', TRON],
    ['EVM', EVM],
  ])('refuses %s', (_, text) => expect(parseAddress('BTC', text)).toBeUndefined());

  test('BIP-173: the example key has the example address', () => {
    const key = hex.decode('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
    expect(p2wpkhAddress(key)).toBe(WPKH);
  });

  test('every hash has addresses, each its own canonical form', () => {
    fc.assert(
      fc.property(bytes(20), fc.constantFrom(0, 5), (hash, version) => {
        const legacy = base58check.encode(Uint8Array.of(version, ...hash));
        expect(parseAddress('BTC', legacy)).toBe(legacy);
        const witness = bech32.encode('bc', [0, ...bech32.toWords(hash)]);
        expect(parseAddress('BTC', witness.toUpperCase())).toBe(witness);
        expect(parseAddress('BTC', witness)).toBe(witness);
      }),
    );
  });
});

describe('Solana', () => {
  test.each([
    ['TRON, 25 bytes', TRON],
    ['31 bytes', base58.encode(new Uint8Array(31).fill(7))],
    ['33 bytes', base58.encode(new Uint8Array(33).fill(7))],
    ['a signature, 64 bytes', base58.encode(new Uint8Array(64).fill(7))],
    ['a letter outside base58', SOLANA.replace('E', '0')],
    ['l for 1', SOLANA.replace('1', 'l')],
    ['EVM', EVM],
  ])('refuses %s', (_, text) => expect(parseAddress('SOL', text)).toBeUndefined());

  test('every 32 bytes are an address', () => {
    fc.assert(
      fc.property(bytes(32), (key) => {
        const text = base58.encode(key);
        expect(parseAddress('SOL', text)).toBe(text);
      }),
    );
  });
});

test('an address with a checksum is invalid with one character changed', () => {
  const texts = fc.oneof(
    bytes(20).map((hash) => ['TRX', tronAddress(hash)] as const),
    bytes(33).map((key) => ['BTC', p2wpkhAddress(key)] as const),
    bytes(32).map((key) => ['BTC', bech32m.encode('bc', [1, ...bech32m.toWords(key)])] as const),
    bytes(20).map((hash) => ['BTC', base58check.encode(Uint8Array.of(0, ...hash))] as const),
    bytes(20).map((hash) => ['BTC', base58check.encode(Uint8Array.of(5, ...hash))] as const),
  );
  const letter = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl');
  fc.assert(
    fc.property(texts, fc.nat(), letter, ([network, text], place, other) => {
      const at = place % text.length;
      fc.pre(text[at] !== other);
      expect(parseAddress(network, text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

describe('contracts', () => {
  test.each([...TOKEN_CONTRACTS])('%s is canonical on its network', (code, contract) => {
    const network = code.split('_')[1] as string;
    expect(parseAddress(network, contract)).toBe(contract);
    if (!EVM_CHAIN_IDS.has(network)) return;
    const digits = contract.slice(2).toLowerCase();
    const checksum = hex.encode(keccak_256(Buffer.from(digits, 'ascii')));
    const upper = [...digits].map((digit, i) =>
      '89abcdef'.includes(checksum[i] as string) ? digit.toUpperCase() : digit,
    );
    expect(contract).toBe(`0x${upper.join('')}`);
  });

  test('every currency on a chain is the coin of the chain or has a contract of its own', () => {
    const onChain = CURRENCIES.filter(({ network }) => network);
    const tokens = onChain.filter(({ asset, network }) => NATIVE_ASSETS.get(network) !== asset);
    expect([...TOKEN_CONTRACTS.keys()].sort()).toEqual(tokens.map(({ code }) => code).sort());
    expect(new Set(TOKEN_CONTRACTS.values()).size).toBe(TOKEN_CONTRACTS.size);
  });

  // Tokens of chains that the catalogue does not have: the same checksum rule.
  test.each([
    '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
    '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
    '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
  ])('%s has its checksum', (text) => expect(parseAddress('ETH', text.toLowerCase())).toBe(text));

  test('chain ids', () =>
    expect([...EVM_CHAIN_IDS]).toEqual([
      ['ETH', 1],
      ['POLYGON', 137],
      ['BASE', 8453],
      ['BSC', 56],
    ]));
});

describe('destinations', () => {
  const zero20 = new Uint8Array(20);
  test.each([
    ['TRX', TRON, 'the contract of USDT_TRX'],
    ['TRX', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'a burn or system address'],
    ['TRX', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy', 'a burn address'],
    ['ETH', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'the contract of USDT_ETH'],
    ['POLYGON', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'the contract of USDT_ETH'],
    ['BASE', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'the contract of USDC_BASE'],
    ['ETH', '0x0000000000000000000000000000000000000000', 'a burn or system address'],
    ['BSC', '0x000000000000000000000000000000000000dEaD', 'a burn or system address'],
    ['ETH', '0x0000000000000000000000000000000000000001', 'a burn or system address'],
    ['POLYGON', '0x0000000000000000000000000000000000001010', 'a burn or system address'],
    ['ETH', '0xdEAD000000000000000042069420694206942069', 'a burn address'],
    ['ETH', '0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF', 'a burn address'],
    ['ETH', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 'a placeholder for the coin of the chain'],
    ['SOL', '11111111111111111111111111111111', 'the Solana system program'],
    ['SOL', '1nc1nerator11111111111111111111111111111111', 'a burn address'],
    ['SOL', SOLANA, 'the contract of USDC_SOL'],
    ['SOL', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 'the contract of USDT_SOL'],
    ['SOL', 'So11111111111111111111111111111111111111112', 'the contract of wrapped SOL'],
    ['SOL', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'a Solana token program'],
    ['BTC', '1111111111111111111114oLvT2', 'a burn or system address'],
    ['BTC', '31h1vYVSYuKP6AhS86fbRdMw9XHieotbST', 'a burn or system address'],
    ['BTC', bech32.encode('bc', [0, ...bech32.toWords(zero20)]), 'a burn or system address'],
    ['BTC', '1BitcoinEaterAddressDontSendf59kuE', 'a burn address'],
    ['BTC', 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'one that anyone can spend'],
    ['BTC', 'bc1pfeessrawgf', 'one that anyone can spend'],
    ['BTC', 'bc1sw50qgdz25j', 'one that anyone can spend'],
  ])('%s %s is %s', (network, text, reason) => expect(isRefusedDestination(network, text)).toBe(reason));

  test.each([
    ['TRX', 'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6'],
    ['ETH', EVM],
    ['BSC', '0x0000000000000000000000000000000000010000'],
    ['SOL', base58.encode(new Uint8Array(32).fill(7))],
    ['BTC', WPKH],
    ['BTC', TAPROOT],
    ['BTC', P2PKH],
    ['BTC', P2SH],
  ])('%s %s may be one', (network, text) => expect(isRefusedDestination(network, text)).toBeUndefined());

  test.each([
    ['ETH', EVM.toLowerCase()],
    ['BTC', WPKH.toUpperCase()],
    ['TRX', WPKH],
    ['TON', TON],
  ])('%s %s is not canonical', (network, text) =>
    expect(() => isRefusedDestination(network, text)).toThrow('canonical'));
});

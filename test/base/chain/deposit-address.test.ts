/**
 * Goal: deposits go to addresses whose keys exist elsewhere, and no key comes in. Method: published mnemonics
 * and their addresses; the private branch of the same seed against the public one.
 */
import { pbkdf2Sync } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evmAddress, p2wpkhAddress, parseAddress } from '../../../src/base/chain/address.ts';
import { deriveDepositAddress } from '../../../src/base/chain/deposit-address.ts';

/** BIP-39: the seed of a mnemonic without passphrase. */
const root = (mnemonic: string) => HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, 'mnemonic', 2048, 64, 'sha512'));
const JUNK = root(`${'test '.repeat(11)}junk`);
const xpub = (path: string) => JUNK.derive(path).publicExtendedKey;
const EVM = xpub("m/44'/60'/0'");
const TRON = xpub("m/44'/195'/0'");
const BITCOIN = xpub("m/84'/0'/0'");
/** BIP-84, "Test vectors": account of the mnemonic `abandon … about`. */
const BIP84 =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';

describe('addresses', () => {
  test.each([
    ['ETH', EVM, 0, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    ['POLYGON', EVM, 0, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    ['BASE', EVM, 1, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    ['BSC', EVM, 2, '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'],
    ['TRX', TRON, 0, 'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6'],
    ['BTC', BITCOIN, 0, 'bc1q4qw42stdzjqs59xvlrlxr8526e3nunw7mp73te'],
    ['BTC', BIP84, 0, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    ['BTC', BIP84, 1, 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'],
  ])('%s of %s at %i is %s', (network, key, index, address) =>
    expect(deriveDepositAddress(network, key, index)).toBe(address));

  test('BIP-84: xpub and zpub of an account are the same account', () => {
    const account = root(`${'abandon '.repeat(11)}about`).derive("m/84'/0'/0'").publicExtendedKey;
    expect(deriveDepositAddress('BTC', account, 7)).toBe(deriveDepositAddress('BTC', BIP84, 7));
  });

  test('every index gives a different canonical address, and the private branch has its key', () => {
    const branch = JUNK.derive("m/84'/0'/0'/0");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (index) => {
        const address = deriveDepositAddress('BTC', BITCOIN, index);
        expect(address).toBe(p2wpkhAddress(branch.deriveChild(index).publicKey as Uint8Array));
        for (const [network, key] of [
          ['ETH', EVM],
          ['TRX', TRON],
          ['BTC', BITCOIN],
        ] as const) {
          const text = deriveDepositAddress(network, key, index);
          expect(parseAddress(network, text)).toBe(text);
          expect(deriveDepositAddress(network, key, index ? index - 1 : 1)).not.toBe(text);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('refusals', () => {
  const account = JUNK.derive("m/44'/60'/0'");
  const testnet = HDKey.fromMasterSeed(new Uint8Array(64), { private: 0x04358394, public: 0x043587cf });
  const refusal = (network: string, key: string, index = 0): string => {
    try {
      return deriveDepositAddress(network, key, index);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      return (error as Error).message;
    }
  };

  test.each([
    account.privateExtendedKey,
    ` ${account.privateExtendedKey}`,
    account.privateExtendedKey.toUpperCase(),
    JUNK.privateExtendedKey,
    testnet.privateExtendedKey,
  ])('a private key is refused before anything is derived, and not repeated: %.8s…', (key) => {
    for (const network of ['ETH', 'TRX', 'BTC']) {
      expect(refusal(network, key)).toBe(
        'expected an extended public key, got a private one: treat that key as exposed',
      );
    }
  });

  test.each([
    ['the master key', JUNK.publicExtendedKey],
    ['the coin', xpub("m/44'/60'")],
    ['the branch', xpub("m/44'/60'/0'/0")],
    ['an account that is not hardened', xpub("m/44'/60'/0")],
    ['another network', testnet.derive("m/44'/1'/0'").publicExtendedKey],
    ['a changed character', `${EVM.slice(0, 50)}${EVM[50] === 'a' ? 'b' : 'a'}${EVM.slice(51)}`],
    ['a cut text', EVM.slice(0, -1)],
    ['surrounding space', `${EVM} `],
    ['zpub beyond Bitcoin', BIP84],
    ['a mnemonic', `${'test '.repeat(11)}junk`],
    ['a raw private key', `0x${Buffer.from(account.privateKey as Uint8Array).toString('hex')}`],
    ['an address', evmAddress(new Uint8Array(20))],
    ['nothing', ''],
  ])('%s is no account key', (_, key) =>
    expect(refusal('ETH', key)).toBe(
      'expected the extended public key of an account (mainnet xpub, depth 3)',
    ));

  test.each([-1, 0.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY])('%d is no index', (index) =>
    expect(refusal('ETH', EVM, index)).toMatch(/^expected a deposit index from 0 to 2147483647, got/));

  test.each(['SOL', 'TON', 'constructor', ''])('%j has no public derivation', (network) =>
    expect(refusal(network, EVM)).toBe(`${network} has no derivation of addresses from a public key`));
});

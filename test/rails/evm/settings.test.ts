/** Goal: settings of an EVM network that are wrong are refused by their path and the accepted form; fees follow the network and the rates. */
import { HDKey } from '@scure/bip32';
import { expect, test } from 'vitest';
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import { SettingsError } from '../../../src/base/process/settings.ts';
import type { NetworkDriver } from '../../../src/rails/chain/driver.ts';
import { feeQuoter } from '../../../src/rails/chain/fees.ts';
import { readEvmSettings } from '../../../src/rails/evm/index.ts';
import { RateRefused } from '../../../src/resolvers/services/rails.ts';
import { testSigner } from '../../support/test-signer.ts';

const { xpub, hotAddress } = testSigner();
const GOOD = { kind: 'evm', providers: ['https://node.invalid/rpc'], xpub, hotAddress };
const PATH = 'live.networks.ETH';
const readSettings = (json: unknown) => readEvmSettings(json, PATH, 'ETH');

test('defaults', () => {
  expect(readSettings(GOOD)).toMatchObject({
    quorum: 1,
    finality: 12,
    pollMs: 3_000,
    stuckMs: 180_000,
  });
  const two = { ...GOOD, providers: ['https://a.invalid', 'https://b.invalid'], sweep: { USDT_ETH: '1.5' } };
  expect(readSettings(two)).toMatchObject({ quorum: 2, sweep: new Map([['USDT_ETH', 1_500_000n]]) });
});

test.each([
  [{ providers: [] }, 'providers: expected a list'],
  [{ providers: ['http://node.invalid'] }, 'providers[0].url: expected an https URL'],
  [{ providers: Array(2).fill('https://a.invalid/') }, 'providers: expected each node once'],
  [{ quorum: 2 }, 'quorum: expected an integer from 1 to 1'],
  [{ xpub: 'xprv9' }, 'xpub: expected the extended public key'],
  [{ hotAddress: `${hotAddress.slice(0, -1)}g` }, 'hotAddress: expected the address'],
  [{ sweep: { USDT: '1' } }, 'sweep.USDT: expected a name that is the code of a catalogue currency'],
  [
    { sweep: { USDT_POLYGON: '1' } },
    'sweep.USDT_POLYGON: expected a name that is the code of a catalogue currency on ETH',
  ],
  [{ sweep: { USDT_ETH: 1 } }, 'sweep.USDT_ETH: expected a decimal number as a text'],
  [{ networkFees: { USDT_ETH: '0.0000001' } }, 'networkFees.USDT_ETH: expected at most 6 decimals'],
  [{ maxFeeGwei: '0.0000000001' }, 'maxFeeGwei: expected at most 9 decimals'],
  [{ finality: 'latest' }, 'finality: expected "safe" or "finalized"'],
  [{ finality: 'safe', confirmations: 2 }, 'finality: expected no member'],
  [{ confirmation: 2 }, 'confirmation: there is no such setting'],
])('%j is refused', (change, words) => {
  const read = () => readSettings({ ...GOOD, ...change });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(`${PATH}.${words}`);
});

test('the maximum price of gas depends on the network, unless settings define it', () => {
  expect(readSettings(GOOD).maxFeePerGas).toBe(200n * 10n ** 9n);
  expect(readEvmSettings(GOOD, 'live.networks.BASE', 'BASE').maxFeePerGas).toBe(20n * 10n ** 9n);
});

const A = 'https://node.invalid/a';
const B = 'https://node.invalid/b';

test('one provider is one host, so it cannot agree with itself by two paths', () => {
  expect(() => readSettings({ ...GOOD, providers: [A, B] })).toThrow(
    'providers: expected each provider once (node.invalid appears twice',
  );
  const named = [
    { url: A, name: 'alpha' },
    { url: B, name: 'beta' },
  ];
  expect(readSettings({ ...GOOD, providers: named }).providers).toEqual(named);
  expect(() => readSettings({ ...GOOD, providers: [named[0], { ...named[1], name: 'alpha' }] })).toThrow(
    'alpha appears twice',
  );
  expect(() => readSettings({ ...GOOD, providers: [{ url: A, name: 'Al pha' }] })).toThrow(
    'providers[0].name: expected a name of a-z, 0-9 and -',
  );
});

test('a private key is refused, and not printed', () => {
  const { privateExtendedKey } = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/60'/0'");
  expect(() => readSettings({ ...GOOD, xpub: privateExtendedKey })).toThrow(
    /xpub: expected the extended public key .*, got a private key$/,
  );
});

test('an unsupported network is refused by the kind', () => {
  expect(() => readEvmSettings(GOOD, 'live.networks.TRX', 'TRX')).toThrow(
    'live.networks.TRX.kind: expected another kind for TRX',
  );
});

test('a fee is the network’s, converted by the rates and rounded up, or the one in the settings', async () => {
  const coin = currencyOfLedger('ETH_ETH');
  const usdt = currencyOfLedger('USDT_ETH');
  const price = { base: 1n, tip: 0n };
  const driver = { provider: 'x', gasPrice: async () => price } as unknown as NetworkDriver;
  const gas = { maxPrice: 1n, transferCost: () => 1_000_000_000_000_001n };
  const mids: Record<string, string> = { ETH: '15000', USDT: '5' };
  const rates = { observe: async (asset: string) => ({ mid: mids[asset] as string, observedAtMs: 0 }) };
  const parts = { providers: [driver], facts: { coin, quorum: 1, gas } } as unknown as Parameters<
    typeof feeQuoter
  >[0];
  const quote = feeQuoter(parts, { fixed: new Map([['USDC_ETH', 7n]]), rates });
  expect(await quote(coin)).toBe(1_000_000_000_000_001n);
  // 0.001000000000000001 ETH at 3,000 USDT.
  expect(await quote(usdt)).toBe(3_000_001n);
  expect(await quote(currencyOfLedger('USDC_ETH'))).toBe(7n);
  const unknown = feeQuoter(parts, { fixed: new Map(), rates: { observe: async () => undefined } });
  const soon = { code: 'UNAVAILABLE', retryAfter: 5 };
  await expect(unknown(usdt)).rejects.toMatchObject(soon);
  const refuses = {
    observe: () => Promise.reject(new RateRefused('the feeds of ETH contradict each other')),
  };
  const contested = feeQuoter(parts, { fixed: new Map(), rates: refuses });
  await expect(contested(usdt)).rejects.toMatchObject({
    ...soon,
    message: expect.stringContaining('the feeds of ETH contradict each other'),
  });
  const dear = { provider: 'x', gasPrice: async () => ({ base: 2n, tip: 0n }) } as unknown as NetworkDriver;
  const paused = feeQuoter({ ...parts, providers: [dear] }, { fixed: new Map(), rates });
  await expect(paused(usdt)).rejects.toMatchObject(soon);
});

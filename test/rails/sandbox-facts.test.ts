/**
 * Goal: the facts of the sandbox are complete and sound: fees and rates of the whole catalogue, addresses that are valid
 * and nobody's but one session's, plans found in texts. Method: the catalogue through each of them.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { isRefusedDestination, parseAddress } from '../../src/base/chain/address.ts';
import { BRL, CURRENCIES, type Currency, currencyOf } from '../../src/base/money/currency.ts';
import { fromMinor } from '../../src/base/money/money.ts';
import { payerAddress } from '../../src/rails/sandbox/addresses.ts';
import { txHashOf } from '../../src/rails/sandbox/chain.ts';
import { createSandbox } from '../../src/rails/sandbox/index.ts';
import { plansIn } from '../../src/rails/sandbox/plans.ts';
import type { Clock } from '../../src/resolvers/services/clock.ts';
import { Notifier } from '../../src/resolvers/services/notifier.ts';
import type { Rails } from '../../src/resolvers/services/rails.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
const COINS = CURRENCIES.filter((currency) => currency !== BRL);

let rails: Rails;
let clock: Clock;

beforeAll(() => {
  const never = () => {
    throw new Error('nothing is told here');
  };
  const told = { advance: never, receive: never };
  const parts = { registry: REGISTRY, notifier: new Notifier(), worker: null, isAuto: false, ...told };
  ({ rails, clock } = createSandbox({ database: store.database, ...parts }));
});

describe('networks', () => {
  test('every currency of the catalogue has a fee; BRL has none', async () => {
    const fees = await Promise.all(
      COINS.map(async (coin) => [coin.code, fromMinor(await rails.chain.networkFee(coin), coin.decimals)]),
    );
    const mend = 'a new currency has its line here, as src/rails/sandbox/chain.ts makes its fee';
    expect(Object.fromEntries(fees), mend).toEqual({
      USDT_TRX: '1',
      TRX_TRX: '1.1',
      USDT_ETH: '2.5',
      USDC_ETH: '2.5',
      ETH_ETH: '0.0005',
      USDT_POLYGON: '0.1',
      USDC_POLYGON: '0.1',
      USDC_BASE: '0.1',
      USDT_BSC: '0.1',
      USDT_SOL: '0.1',
      USDC_SOL: '0.1',
      BTC_BTC: '0.00002',
    });
    await expect(rails.chain.networkFee(BRL)).rejects.toThrow('BRL is a currency of a network');
  });

  test('addresses are valid, and unique, also on another EVM network', async () => {
    const codes = ['USDT_TRX', 'USDT_ETH', 'USDC_POLYGON', 'USDC_BASE', 'USDT_BSC', 'BTC_BTC'];
    const asked = codes.flatMap((code) => Array<Currency>(5).fill(currencyOf(code) as Currency));
    const given = await Promise.all(
      asked.map(async (currency) => ({
        network: currency.network,
        address: await rails.chain.depositAddress(currency),
      })),
    );
    for (const { network, address } of given) {
      expect(parseAddress(network, address)).toBe(address);
      expect(isRefusedDestination(network, address)).toBeUndefined();
    }
    expect(new Set(given.map(({ address }) => address)).size).toBe(asked.length);
  });

  test('Solana has four addresses, one after the other', async () => {
    const currency = currencyOf('USDC_SOL') as Currency;
    const given = [];
    for (let n = 0; n < 8; n++) given.push(await rails.chain.depositAddress(currency));
    expect(new Set(given).size).toBe(4);
    expect(given.slice(4)).toEqual(given.slice(0, 4));
    for (const address of given) {
      expect(parseAddress('SOL', address)).toBe(address);
      expect(isRefusedDestination('SOL', address)).toBeUndefined();
    }
    expect(given).not.toContain(payerAddress(currency));
  });

  test.each(
    COINS,
  )('$code: payers are valid, hashes have the form of the network and follow from the seed', (coin) => {
    const payer = payerAddress(coin);
    expect(parseAddress(coin.network, payer)).toBe(payer);
    expect(isRefusedDestination(coin.network, payer)).toBeUndefined();
    const forms: Record<string, RegExp> = { SOL: /^[1-9A-HJ-NP-Za-km-z]{86,88}$/, TRX: /^[0-9a-f]{64}$/ };
    const form = forms[coin.network === 'BTC' ? 'TRX' : coin.network] ?? /^0x[0-9a-f]{64}$/;
    expect(txHashOf(coin, 'a')).toMatch(form);
    expect(txHashOf(coin, 'a')).toBe(txHashOf(coin, 'a'));
    expect(txHashOf(coin, 'b')).not.toBe(txHashOf(coin, 'a'));
  });
});

test('every asset has a present rate; others have none', async () => {
  for (const asset of new Set(COINS.map((coin) => coin.asset))) {
    const before = await clock.nowMs();
    const observed = await rails.rates.observe(asset);
    expect(Number(observed?.mid), `SANDBOX_RATES has ${asset}`).toBeGreaterThan(0);
    expect(observed?.observedAtMs).toBeGreaterThanOrEqual(before);
    expect(observed?.observedAtMs).toBeLessThanOrEqual(await clock.nowMs());
  }
  expect(await rails.rates.observe('DOGE')).toBeUndefined();
});

test.each([
  [null, []],
  ['', []],
  ['order 12', []],
  ['sandbox:hold', ['hold']],
  ['sandbox:hold,swap-fail', ['hold', 'swap-fail']],
  ['order 12 (sandbox:swap-fail), thanks', ['swap-fail']],
  ['sandbox:hold sandbox:hold,refund-fail', ['hold', 'refund-fail']],
  ['sandbox:pay,hold,constructor', ['hold']],
  ['sandbox: hold', []],
  ['my-sandbox:hold', []],
  ['sandbox:holding', []],
])('plans in %j are %j', (text, plans) => expect(plansIn(text)).toEqual(plans));

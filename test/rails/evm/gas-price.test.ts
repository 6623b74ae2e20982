/**
 * Goal: what gas costs is nobody's word alone: a provider that lies by a thousand times neither burns the float nor makes customers pay, and
 * above what is allowed transfers wait and `doctor` says so. Method: a real node behind proxies, one of which the test bends.
 */
import { expect, test } from 'vitest';
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import { readEvmTransaction } from '../../../src/chains/evm-transaction.ts';
import { ETHER, FINAL, PAYEE, PAYER, USDT, useNetwork, useTwoProviders } from './harness.ts';

const GWEI = 10n ** 9n;
const net = useNetwork();
const providers = useTwoProviders(net);

const times = (value: string, factor: bigint) => `0x${(BigInt(value) * factor).toString(16)}`;
/** Makes a provider report a multiple of the real gas price from now on. */
const lie = (factor: bigint) => {
  providers.bent.twist = ({ method, params }, result) => {
    if (method === 'eth_maxPriorityFeePerGas') return times(result as string, factor);
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return result;
    const block = result as { baseFeePerGas: string };
    return { ...block, baseFeePerGas: times(block.baseFeePerGas, factor) };
  };
};
const attempts = async () =>
  (await net.owner.query('select unsigned from chain_attempt order by order_id, number')).rows.map((row) =>
    readEvmTransaction(row.unsigned),
  );
const checked = async () => (await net.rail.checks()).find(({ check }) => check === 'gas price');

test('of two providers, one with a price a thousand times as high is not followed, and doctor names it', async () => {
  await net.takeOver({ providers: [providers.bent.url, providers.honest.url], sweep: { USDT_ETH: '10' } });
  const quoted = await net.rail.port.networkFee(currencyOfLedger('ETH_ETH'));
  expect(await checked()).toMatchObject({ ok: true });
  await net.takeOver({ providers: [providers.bent.url, providers.honest.url], sweep: { USDT_ETH: '10' } });
  const address = await net.address();
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  lie(1_000n);
  expect(await net.rail.port.networkFee(currencyOfLedger('ETH_ETH'))).toBeLessThan(2n * quoted);
  await net.send('CRX1:1', 1n * USDT);
  await net.turns(2);
  const made = await attempts();
  expect(made).toHaveLength(2);
  for (const { maxFeePerGas, value } of made) {
    expect(maxFeePerGas).toBeLessThan(20n * GWEI);
    expect(value).toBeLessThan(ETHER / 100n);
  }
  const found = await checked();
  expect(found).toMatchObject({ ok: false });
  expect(found?.detail).toContain(new URL(providers.bent.url).host);
  expect(found?.detail).not.toContain(new URL(providers.honest.url).host);
});

test('while gas costs more than the maximum, nothing is quoted, signed or funded; work continues when it costs less', async () => {
  await net.takeOver({ providers: [providers.bent.url], sweep: { USDT_ETH: '10' }, maxFeeGwei: '50' });
  const address = await net.address();
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  lie(1_000n);
  await net.send('CRX1:1', 1n * USDT);
  await net.turns(3);
  await expect(net.rail.port.networkFee(currencyOfLedger('ETH_ETH'))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(net.signer.signed).toEqual([]);
  expect(net.alarms.filter((each) => each === 'transfers wait until gas costs less')).toHaveLength(1);
  expect(await checked()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^gas costs \d+(\.\d+)? gwei, and 50 gwei is the maximum$/),
  });
  const { rows } = await net.owner.query('select intent, state, last_error from chain_order');
  expect(rows).toEqual([{ intent: 'payout', state: 'queued', last_error: 'waits for a lower gas price' }]);
  providers.bent.twist = undefined;
  for (let round = 0; round < 3; round++) {
    await net.turns();
    await net.node.mine(FINAL);
  }
  await net.turns();
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(1n * USDT);
  expect(net.told('broadcast_confirmed')).toEqual(['broadcast_confirmed CRX1:1']);
  expect(await net.node.balance(address, 'USDT_ETH')).toBe(0n);
});

test('the fee of a stuck transfer is not raised above the maximum, even if the present price is higher', async () => {
  await net.takeOver({ providers: [providers.bent.url], stuckMs: 0, maxFeeGwei: '50' });
  await net.send('CRX1:1', 1n * USDT);
  await net.turns(1);
  lie(1_000n);
  await net.turns(3);
  expect(await attempts()).toHaveLength(1);
});

test('while fewer providers answer than have to agree, transfers wait', async () => {
  await net.takeOver({ providers: [providers.bent.url, providers.honest.url] });
  providers.bent.isDead = true;
  await net.send('CRX1:1', 1n * USDT);
  await net.turns(2);
  expect(net.signer.signed).toEqual([]);
  expect(await checked()).toMatchObject({
    ok: false,
    detail: expect.stringContaining('no 2 providers report the price of gas'),
  });
  providers.bent.isDead = false;
  await net.turns(1);
  expect(net.signer.signed).toHaveLength(1);
});

test('a gas estimate that is too low does not make a token transfer fail', async () => {
  await net.takeOver({ providers: [providers.bent.url] });
  providers.bent.twist = ({ method }, result) => (method === 'eth_estimateGas' ? '0x5208' : result);
  await net.send('CRX1:1', 1n * USDT);
  for (let round = 0; round < 3; round++) {
    await net.turns();
    await net.node.mine(FINAL);
  }
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(1n * USDT);
});

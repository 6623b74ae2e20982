/**
 * Goal: what was deposited is swept to the hot wallet, where it is worth a transfer, and only the gas is booked. Method: a real node; what
 * all addresses have on it is compared before and after.
 */
import { expect, test } from 'vitest';
import { startRpcProxy } from '../../support/rpc-proxy.ts';
import { ETHER, FINAL, PAYER, USDT, useNetwork } from './harness.ts';

const net = useNetwork({ sweep: { USDT_ETH: '50', ETH_ETH: '0.1' } });

async function rounds(count = 6): Promise<void> {
  for (let round = 0; round < count; round++) {
    await net.node.mine(FINAL);
    await net.turns(2);
  }
}

test('tokens get gas and go whole to the hot wallet, and no event reports the sweep as a deposit', async () => {
  const [rich, poor] = [await net.address(), await net.address()];
  await net.node.pay(PAYER, rich, 40n * USDT, 'USDT_ETH');
  await net.node.pay(PAYER, rich, 30n * USDT, 'USDT_ETH');
  await net.node.pay(PAYER, poor, 10n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  const before = await net.node.balance(net.signer.hotAddress, 'USDT_ETH');
  await rounds();
  expect(await net.node.balance(rich, 'USDT_ETH')).toBe(0n);
  expect(await net.node.balance(poor, 'USDT_ETH')).toBe(10n * USDT);
  expect((await net.node.balance(net.signer.hotAddress, 'USDT_ETH')) - before).toBe(70n * USDT);
  expect(
    net.told('deposit_seen', 'deposit_confirmed').filter((each) => String(each).includes('ETH_ETH')),
  ).toEqual([]);
  expect(net.told('deposit_confirmed')).toHaveLength(3);
  // All coins there were are there, but for the gas that was told.
  const gas = net.events.flatMap((each) => (each.kind === 'gas_spent' ? [BigInt(each.gas.amountMinor)] : []));
  expect(gas).toHaveLength(2);
  const left = (await net.node.balance(net.signer.hotAddress)) + (await net.node.balance(rich));
  expect(gas.reduce((sum, each) => sum + each, left)).toBe(100n * ETHER);
  expect(net.told('gas_spent')).toEqual(['gas_spent null', 'gas_spent null']);
});

test('a second deposit is swept with the remaining gas, and a swept one is not swept again', async () => {
  const address = await net.address();
  await net.node.pay(PAYER, address, 60n * USDT, 'USDT_ETH');
  await rounds();
  await net.node.pay(PAYER, address, 70n * USDT, 'USDT_ETH');
  await rounds();
  const { rows } = await net.owner.query(
    'select intent, amount_minor::text as amount, state from chain_order order by id',
  );
  expect(rows).toEqual([
    { intent: 'gas', amount: expect.any(String), state: 'confirmed' },
    { intent: 'sweep', amount: String(60n * USDT), state: 'confirmed' },
    { intent: 'sweep', amount: String(70n * USDT), state: 'confirmed' },
  ]);
});

test('a coin goes to the hot wallet except for the maximum cost of its own transfer', async () => {
  const address = await net.address('ETH_ETH');
  await net.node.pay(PAYER, address, ETHER);
  await rounds();
  expect(await net.node.balance(address)).toBeLessThan(ETHER / 100n);
  const [gas] = net.events.flatMap((each) =>
    each.kind === 'gas_spent' ? [BigInt(each.gas.amountMinor)] : [],
  );
  const both = (await net.node.balance(address)) + (await net.node.balance(net.signer.hotAddress));
  expect(both + (gas ?? 0n)).toBe(101n * ETHER);
});

test('a deposit that could not be swept is swept later', async () => {
  const address = await net.address();
  await net.node.give(address, ETHER);
  await net.node.pay(PAYER, address, 60n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  await net.turns(1);
  net.signer.fault = 'refused';
  await net.turns(2);
  net.signer.fault = undefined;
  await rounds();
  expect(await net.node.balance(address, 'USDT_ETH')).toBe(0n);
});

const ordered = async () =>
  (await net.owner.query('select intent, state from chain_order order by id')).rows.map(
    ({ intent, state }) => `${intent} ${state}`,
  );

test.each([
  ['gas is not brought twice', 0n],
  ['an address is not swept twice', ETHER],
])('a process that lost its lease while it looked at balances: %s', async (_, coins) => {
  const slow = await startRpcProxy(net.node.url);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const address = await net.address();
  if (coins > 0n) await net.node.give(address, coins);
  await net.node.pay(PAYER, address, 60n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  await net.turns(0);
  await net.takeOver({ providers: [slow.url], timeoutSeconds: 60 });
  const asked = new Promise<void>((resolve) => {
    slow.twist = async ({ method, params }, result) => {
      const isBalance =
        method === 'eth_call' && JSON.stringify(params).includes(address.slice(2).toLowerCase());
      if (!isBalance) return result;
      // The answer is that of now, and comes late.
      resolve();
      await released;
      return result;
    };
  });
  const late = net.rail.cycle();
  await asked;
  await net.takeOver();
  await rounds();
  const before = await ordered();
  expect(before).toContain('sweep confirmed');
  release();
  await late;
  await rounds(2);
  expect(await ordered()).toEqual(before);
  await slow.stop();
});

test('a deposit during a sweep waits for its end, since an address has one order at a time', async () => {
  const address = await net.address();
  await net.node.give(address, ETHER);
  await net.node.pay(PAYER, address, 60n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  net.signer.fault = 'away';
  await net.turns(2);
  await net.node.pay(PAYER, address, 70n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  await net.turns(2);
  expect(await ordered()).toEqual(['sweep signing']);
  net.signer.fault = undefined;
  await rounds();
  const { rows } = await net.owner.query(
    'select amount_minor::text as amount, state from chain_order order by id',
  );
  expect(rows).toEqual([
    { amount: String(60n * USDT), state: 'confirmed' },
    { amount: String(70n * USDT), state: 'confirmed' },
  ]);
});

test('a provider that reports no gas on an address does not cause repeated funding', async () => {
  const bent = await startRpcProxy(net.node.url);
  const honest = await startRpcProxy(net.node.url);
  await net.takeOver({ providers: [bent.url, honest.url] });
  const address = await net.address();
  bent.twist = ({ method, params }, result) =>
    method === 'eth_getBalance' && String(params[0]).toLowerCase() === address.toLowerCase() ? '0x0' : result;
  await net.node.pay(PAYER, address, 60n * USDT, 'USDT_ETH');
  await rounds();
  expect(await ordered()).toEqual(['gas confirmed']);
  bent.twist = undefined;
  await rounds(3);
  expect(await ordered()).toEqual(['gas confirmed', 'sweep confirmed']);
  await bent.stop();
  await honest.stop();
});

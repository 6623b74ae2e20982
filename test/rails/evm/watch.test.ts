/**
 * Goal: what arrives on a network is told as it is there: seen once, confirmed when it is final, dropped when it is gone, and nothing
 * that is no money (C-33, C-34). Method: a real node whose blocks the test makes; reorganisations by snapshot and revert.
 */
import { expect, test } from 'vitest';
import { ETHER, FINAL, PAYER, USDT, useNetwork } from './harness.ts';

const net = useNetwork();
const DEPOSITS = ['deposit_seen', 'deposit_confirmed', 'deposit_dropped'] as const;

test('an arriving token and coin are seen in their block, and confirmed when it is final', async () => {
  const address = await net.address();
  const hash = await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.pay(PAYER, address, ETHER / 2n);
  await net.node.mine();
  await net.turns();
  expect(net.told(...DEPOSITS).toSorted()).toEqual(['deposit_seen 0.5 ETH_ETH', 'deposit_seen 20 USDT_ETH']);
  expect(net.events.find((each) => 'txHash' in each && each.txHash === hash)).toMatchObject({
    address,
    logIndex: 0,
    from: PAYER,
  });
  await net.node.mine(FINAL - 2);
  await net.turns();
  expect(net.told('deposit_confirmed')).toEqual([]);
  await net.node.mine();
  await net.turns();
  expect(net.told('deposit_confirmed').toSorted()).toEqual([
    'deposit_confirmed 0.5 ETH_ETH',
    'deposit_confirmed 20 USDT_ETH',
  ]);
  await net.node.mine(2);
  await net.turns();
  expect(net.told(...DEPOSITS)).toHaveLength(4);
});

test('transfers of zero, of another contract, reverted ones, and those to other addresses are not reported', async () => {
  const address = await net.address();
  await net.node.pay(PAYER, address, 0n, 'USDT_ETH');
  await net.node.pay(PAYER, address, 0n);
  await net.node.pay(PAYER, PAYER, 5n * USDT, 'USDT_ETH');
  // The token of another network has the same code here, at an address that is no money on this one.
  await net.node.give(PAYER, 5n * USDT, 'USDC_BASE');
  await net.node.pay(PAYER, address, 5n * USDT, 'USDC_BASE');
  await net.node.pay(PAYER, address, 5_000_000_000n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  await net.turns();
  expect(net.told(...DEPOSITS)).toEqual([]);
});

test('several transfers of one sender to one address are separate deposits', async () => {
  const address = await net.address();
  for (let paid = 0; paid < 3; paid++) await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  await net.turns();
  expect(net.told('deposit_confirmed')).toHaveLength(3);
});

test('a reorganisation drops missing deposits, and keeps those in other blocks', async () => {
  const [kept, gone] = [await net.address(), await net.address()];
  const before = await net.node.call('evm_snapshot');
  await net.node.pay(PAYER, kept, 20n * USDT, 'USDT_ETH');
  await net.node.pay(PAYER, gone, 30n * USDT, 'USDT_ETH');
  await net.node.mine();
  await net.turns();
  expect(net.told('deposit_seen')).toHaveLength(2);
  await net.node.call('evm_revert', before);
  await net.node.forget();
  // The other chain has one of them, a block later.
  await net.node.call('anvil_setNextBlockBaseFeePerGas', '0x3b9aca07');
  await net.node.mine();
  await net.node.pay(PAYER, kept, 20n * USDT, 'USDT_ETH');
  await net.node.mine();
  await net.turns();
  expect(net.told('deposit_dropped')).toEqual(['deposit_dropped 30 USDT_ETH']);
  await net.node.mine(FINAL);
  await net.turns();
  expect(net.told('deposit_confirmed')).toEqual(['deposit_confirmed 20 USDT_ETH']);
});

test('a rewritten chain with the same deposits causes no report', async () => {
  const address = await net.address();
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine();
  await net.turns();
  await net.node.call('anvil_reorg', 1, []);
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(2);
  await net.turns();
  await net.node.mine(FINAL);
  await net.turns();
  expect(net.told('deposit_confirmed')).toEqual(['deposit_confirmed 20 USDT_ETH']);
});

test('reading stops when a chain is rewritten deeper than the stored blocks, and nothing is dropped or credited', {
  timeout: 240_000,
}, async () => {
  const address = await net.address();
  const before = await net.node.call('evm_snapshot');
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  await net.turns();
  await net.node.call('anvil_mine', '0x44c');
  await net.turns();
  expect(net.told('deposit_confirmed')).toHaveLength(1);
  await net.node.call('evm_revert', before);
  await net.node.forget();
  await net.node.call('anvil_setNextBlockBaseFeePerGas', '0x3b9aca07');
  await net.node.pay(PAYER, address, 30n * USDT, 'USDT_ETH');
  await net.node.call('anvil_mine', '0x4b0');
  await net.turns();
  expect(net.alarms).toEqual(['a network cannot be read']);
  expect(await net.rail.checks()).toContainEqual({
    check: 'reading',
    ok: false,
    detail: expect.stringMatching(/^no progress since .*: .* is it another network\?$/),
  });
  expect(net.told('deposit_confirmed', 'deposit_dropped')).toEqual(['deposit_confirmed 20 USDT_ETH']);
  expect((await net.owner.query('select state from chain_arrival')).rows).toEqual([{ state: 'confirmed' }]);
});

test('an event that was not accepted is reported again: the position is stored after it', async () => {
  const address = await net.address();
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine();
  net.lost = 1;
  await net.turns(1);
  expect(net.told('deposit_seen')).toEqual([]);
  expect(net.alarms).toEqual(['a network cannot be read']);
  await net.turns();
  expect(net.told('deposit_seen')).toHaveLength(1);
  await net.node.mine(FINAL);
  net.lost = 1;
  await net.turns(1);
  await net.turns();
  expect(net.told('deposit_confirmed')).toHaveLength(1);
});

test('arrivals during an outage are reported after it', async () => {
  const address = await net.address();
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(40);
  await net.node.pay(PAYER, address, 30n * USDT, 'USDT_ETH');
  await net.node.mine();
  await net.takeOver();
  await net.turns();
  expect(net.told(...DEPOSITS).toSorted()).toEqual([
    'deposit_confirmed 20 USDT_ETH',
    'deposit_seen 30 USDT_ETH',
  ]);
});

test('one process at a time reads a network', async () => {
  const address = await net.address();
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  const other = net.make();
  await other.cycle();
  expect(net.told(...DEPOSITS)).toEqual([]);
  await Promise.all([net.turns(), other.cycle(), other.cycle()]);
  expect(net.told('deposit_confirmed')).toHaveLength(1);
});

test('no address is issued before the network is read', async () => {
  await net.owner.query('truncate chain_network');
  await expect(net.address()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

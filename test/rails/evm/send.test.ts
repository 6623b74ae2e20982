/**
 * Goal: what is ordered is sent once, whatever dies in between, and what becomes of it is told as it is. Method: a real node whose blocks the
 * test makes; a signer that can be away; processes that die are rails that are made anew on the same database.
 */
import { expect, test } from 'vitest';
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import { pauseSending } from '../../../src/store/rails/chain-network.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { ETHER, FINAL, PAYEE, PAYER, USDT, useNetwork } from './harness.ts';

const net = useNetwork();
const SENDS = ['broadcast_sent', 'broadcast_confirmed', 'broadcast_failed', 'gas_spent'] as const;

/** Mines until everything is final, and looks. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await net.node.mine(FINAL);
    await net.turns();
  }
}
const received = () => net.node.balance(PAYEE, 'USDT_ETH');
const pool = async () => {
  const { pending } = (await net.node.call('txpool_content')) as { pending: Record<string, object> };
  return Object.values(pending).flatMap((each) => Object.keys(each).map(Number));
};

test('a token and a coin are sent; sent, final and gas are reported once each', async () => {
  const before = await net.node.balance(PAYEE);
  await net.send('CRX1:1', 20n * USDT);
  await net.send('CRX2:1', ETHER / 10n, 'ETH_ETH');
  await net.turns(1);
  expect(net.told(...SENDS)).toEqual([]);
  await net.node.mine();
  await net.turns(1);
  expect(net.told(...SENDS).toSorted()).toEqual(['broadcast_sent CRX1:1', 'broadcast_sent CRX2:1']);
  await settle();
  expect(net.told('broadcast_confirmed').toSorted()).toEqual([
    'broadcast_confirmed CRX1:1',
    'broadcast_confirmed CRX2:1',
  ]);
  expect(net.told(...SENDS)).toHaveLength(6);
  expect(await received()).toBe(20n * USDT);
  expect((await net.node.balance(PAYEE)) - before).toBe(ETHER / 10n);
  const gas = net.events.flatMap((each) => (each.kind === 'gas_spent' ? [BigInt(each.gas.amountMinor)] : []));
  const left = await net.node.balance(net.signer.hotAddress);
  expect(gas.reduce((sum, each) => sum + each, left)).toBe(100n * ETHER - ETHER / 10n);
});

test('an order that is repeated under its key is the same order', async () => {
  await Promise.all([net.send('CRX1:1', 20n * USDT), net.send('CRX1:1', 20n * USDT)]);
  await settle();
  await net.send('CRX1:1', 20n * USDT);
  await settle();
  expect(await received()).toBe(20n * USDT);
});

test('an ordered return is not refused when it is repeated and gas has risen', async () => {
  const release = (key: string, fee: string) =>
    net.make({ networkFees: { USDT_ETH: fee } }).port.refund({
      ...{ key, accountId: 1n, currency: currencyOfLedger('USDT_ETH'), to: PAYEE, amountMinor: 3n * USDT },
    });
  await release('suspense:1:1', '1');
  await release('suspense:1:1', '5');
  await expect(release('suspense:2:1', '5')).rejects.toThrow('the amount to return is not above its fee');
  await settle();
  expect(await received()).toBe(2n * USDT);
});

test('C-34: a return refused because the fee exceeds it is never sent under its key, not even when the fee falls or by another process', async () => {
  const sendBack = (key: string, fee: string) =>
    net.make({ networkFees: { USDT_ETH: fee } }).port.sendBack({
      ...{
        key,
        row: {} as ProcessRow,
        currency: currencyOfLedger('USDT_ETH'),
        to: PAYEE,
        amountMinor: 3n * USDT,
      },
    });
  const REFUSED = 'the amount to return is not above its fee';
  await expect(sendBack('CRX1:1', '3')).rejects.toThrow(REFUSED);
  await expect(sendBack('CRX1:1', '1')).rejects.toThrow(REFUSED);
  const both = await Promise.allSettled([sendBack('CRX2:1', '3'), sendBack('CRX2:1', '1')]);
  await settle();
  const isTaken = both.every(({ status }) => status === 'fulfilled');
  expect(isTaken || both.every(({ status }) => status === 'rejected')).toBe(true);
  await sendBack('CRX1:2', '1');
  await settle();
  expect(await received()).toBe(isTaken ? 4n * USDT : 2n * USDT);
  const keys = net.events.flatMap((each) =>
    each.kind === 'refund_ended' && each.isDone ? [each.order] : [],
  );
  expect(keys.toSorted()).toEqual(isTaken ? ['CRX1:2', 'CRX2:1'] : ['CRX1:2']);
});

test('an order is sent once, even if the process dies at any point of sending', async () => {
  for (const [index, fault] of (['away', 'lost', undefined] as const).entries()) {
    net.signer.fault = fault;
    await net.send(`CRX${index}:1`, 1n * USDT);
    await net.turns(1);
    await net.takeOver();
    net.signer.fault = undefined;
    await net.turns(1);
    await net.takeOver();
  }
  // Two at once, as when a lease ends while its holder still works.
  const other = net.make();
  await net.send('CRX3:1', 1n * USDT);
  await Promise.all([net.turns(), other.cycle(), net.make().cycle()]);
  await net.takeOver();
  await settle();
  expect(await received()).toBe(4n * USDT);
  expect(net.told('broadcast_confirmed')).toHaveLength(4);
});

test('an event that was not accepted is reported again, and nothing is sent again', async () => {
  await net.send('CRX1:1', 20n * USDT);
  await net.turns(1);
  await net.node.mine(FINAL);
  for (const lost of [1, 2, 3]) {
    net.lost = lost;
    await net.turns(1);
  }
  await settle();
  expect(new Set(net.told(...SENDS))).toEqual(
    new Set(['broadcast_sent CRX1:1', 'gas_spent CRX1:1', 'broadcast_confirmed CRX1:1']),
  );
  expect(await received()).toBe(20n * USDT);
});

test('a transaction that the node forgets is broadcast again, without a gap of nonces', async () => {
  for (const each of [1, 2, 3]) await net.send(`CRX${each}:1`, 1n * USDT);
  await net.turns(1);
  expect((await pool()).toSorted()).toEqual([0, 1, 2]);
  await net.node.forget();
  expect(await pool()).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 10));
  await net.turns(1);
  expect((await pool()).toSorted()).toEqual([0, 1, 2]);
  await settle();
  expect(await received()).toBe(3n * USDT);
});

test('a stuck transaction is replaced at a higher fee with the same nonce, up to the limit; one of them is paid', async () => {
  await net.takeOver({ stuckMs: 0, maxFeeGwei: '10' });
  await net.send('CRX1:1', 20n * USDT);
  await net.turns(2);
  const attempts = async () =>
    (await net.owner.query('select place::int as place, hash, unsigned from chain_attempt order by number'))
      .rows;
  await net.turns(30);
  const made = await attempts();
  expect(made.length).toBeGreaterThan(2);
  expect(made.length).toBeLessThan(25);
  expect(new Set(made.map(({ place }) => place)).size).toBe(1);
  const { rows } = await net.owner.query('select last_error from chain_order');
  expect(rows[0].last_error).toContain('would cost more than the maximum');
  await settle();
  expect(await received()).toBe(20n * USDT);
  const [told] = net.events.filter(({ kind }) => kind === 'broadcast_sent');
  expect(made.map(({ hash }) => hash)).toContain((told as { txHash: string }).txHash);
});

test('a transfer that moves to another block is reported once', async () => {
  await net.send('CRX1:1', 20n * USDT);
  await net.turns(1);
  await net.node.mine();
  await net.turns(1);
  await net.node.call('anvil_reorg', 1, []);
  await net.node.forget();
  await net.turns(1);
  await settle();
  expect(net.told('broadcast_sent', 'broadcast_confirmed')).toEqual([
    'broadcast_sent CRX1:1',
    'broadcast_confirmed CRX1:1',
  ]);
  expect(await received()).toBe(20n * USDT);
});

test('a reverted transaction is reported as failed, with its gas', async () => {
  await net.send('CRX1:1', 20n * USDT);
  await net.turns(1);
  await net.node.give(net.signer.hotAddress, 0n, 'USDT_ETH');
  await settle();
  expect(net.told(...SENDS)).toEqual([
    'broadcast_sent CRX1:1',
    'gas_spent CRX1:1',
    'broadcast_failed CRX1:1',
  ]);
  expect(net.alarms).toContain('a transfer of the gateway was reverted');
});

test('an order waits without a nonce while the wallet has too little money', async () => {
  await net.node.give(net.signer.hotAddress, 5n * USDT, 'USDT_ETH');
  await net.send('CRX1:1', 4n * USDT);
  await net.send('CRX2:1', 4n * USDT);
  await net.turns(1);
  expect(await pool()).toEqual([0]);
  expect(net.alarms).toContain('a transfer waits for money');
  await net.node.give(net.signer.hotAddress, 100n * USDT, 'USDT_ETH');
  await net.owner.query(`update chain_order set due_at = '2020-01-01' where state = 'queued'`);
  await settle();
  expect(await received()).toBe(8n * USDT);
});

test('an order that the signer refuses permanently fails, and its nonce goes to the next order; a limit only delays it', async () => {
  net.signer.fault = 'refused';
  await net.send('CRX1:1', 1n * USDT);
  await net.turns(1);
  net.signer.fault = 'limit';
  await net.send('CRX2:1', 1n * USDT);
  await net.turns(1);
  expect(net.told(...SENDS)).toEqual(['broadcast_failed CRX1:1']);
  net.signer.fault = undefined;
  await net.send('CRX3:1', 1n * USDT);
  await net.owner.query(`update chain_order set due_at = '2020-01-01' where state = 'queued'`);
  await net.turns(1);
  expect((await pool()).toSorted()).toEqual([0, 1]);
  await settle();
  expect(await received()).toBe(2n * USDT);
});

test('no further transaction is made while the signer is unreachable; afterwards all are sent together', async () => {
  net.signer.fault = 'away';
  for (const key of ['CRX1:1', 'CRX2:1', 'CRX3:1']) await net.send(key, 1n * USDT);
  await net.turns(2);
  const { rows } = await net.owner.query('select state, tries, last_error from chain_order order by id');
  expect(rows).toEqual([
    { state: 'signing', tries: 0, last_error: expect.stringContaining('the signer is unreachable') },
    { state: 'queued', tries: 0, last_error: null },
    { state: 'queued', tries: 0, last_error: null },
  ]);
  net.signer.fault = undefined;
  await net.turns(1);
  expect((await pool()).toSorted()).toEqual([0, 1, 2]);
  await settle();
  expect(await received()).toBe(3n * USDT);
});

test('while a person has paused sending nothing new is sent', async () => {
  const key = { mode: 'live', network: 'ETH' } as const;
  await pauseSending(net.database, key, { by: 'person-1', at: '2026-11-22 09:00:00+00', reason: 'looking' });
  await net.send('CRX1:1', 1n * USDT);
  await settle();
  expect(await received()).toBe(0n);
  expect(await net.rail.checks()).toContainEqual({
    check: 'sending',
    ok: false,
    detail: 'paused by person-1: looking',
  });
  await pauseSending(net.database, key, null);
  await settle();
  expect(await received()).toBe(1n * USDT);
});

test('a nonce that another program has used: the order is reset and paid once', async () => {
  await net.send('CRX1:1', 1n * USDT);
  await net.turns(1);
  await net.node.forget();
  await net.node.pay(net.signer.hotAddress, PAYER, 1n);
  await net.node.mine();
  await settle();
  await settle();
  expect(await received()).toBe(1n * USDT);
  expect(net.told('broadcast_confirmed')).toHaveLength(1);
  expect(net.alarms).toContain('a transfer can no longer be in any block: it is made again');
});

test('checks: providers, head, reading, gas, its price, sending, signer', async () => {
  await net.takeOver({ gasFloat: '1000' });
  const found = Object.fromEntries((await net.rail.checks()).map(({ check, ok }) => [check, ok]));
  expect(found).toEqual({
    providers: true,
    head: true,
    reading: true,
    gas: false,
    'gas price': true,
    sending: true,
    signer: true,
  });
});

/**
 * Goal: after a restore, no order is sent that a lost history has sent. Method: a real node; a restore is the loss of the rows of orders,
 * or of what came after their first transaction.
 */
import { beforeEach, expect, test } from 'vitest';
import { scanRails } from '../../../src/resolvers/rails/restored-rails.ts';
import { beginRestore, readRestoredRail } from '../../../src/store/rails/restores.ts';
import { decideUnknownPayment, listUnknownPayments } from '../../../src/store/rails/unknown-payments.ts';
import { FINAL, PAYEE, USDT, useNetwork, useTwoProviders } from './harness.ts';

const net = useNetwork();
const two = useTwoProviders(net);
const ETH = { mode: 'live', rail: 'ETH' } as const;
const SILENT = { info: () => {}, warn: () => {}, error: () => {} } as never;

beforeEach(() => net.owner.query('truncate restore_point, restored_rail, unknown_payment cascade'));

const received = () => net.node.balance(PAYEE, 'USDT_ETH');
const restored = () => readRestoredRail(net.database, ETH);
const payments = () => listUnknownPayments(net.database, 'live', { isOpen: false, limit: 10 });
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await net.node.mine(FINAL);
    await net.turns();
  }
}
async function scan(): Promise<void> {
  const own = { database: net.database, mode: 'live', railParts: [{ name: 'ETH', part: net.rail }] };
  await scanRails(own as never, SILENT);
}
/** Scans until the network is cleared: a final block has to be younger than the restore, and blocks carry whole seconds. */
async function clear(): Promise<void> {
  for (let left = 50; left > 0 && (await restored())?.clearedAt === null; left--) {
    await settle();
    await scan();
  }
  expect((await restored())?.clearedAt).not.toBeNull();
}
async function restore(): Promise<void> {
  await beginRestore(net.database, new Date(Date.now() - 60_000));
  await settle();
}
/** An order is carried out, and the database loses it. */
async function lose(key: string): Promise<void> {
  await net.send(key, 20n * USDT);
  await settle();
  await net.owner.query('delete from chain_attempt; delete from chain_order');
}

test('an order to an address that was paid after the restored time waits, and ends with that payment', async () => {
  await lose('CRX1:7');
  await restore();
  // The price is another one in the new history.
  await net.send('CRX1:5', 21n * USDT);
  await settle();
  expect(await received()).toBe(20n * USDT);
  await clear();
  await settle();
  const [payment] = await payments();
  expect(payment).toMatchObject({
    destination: PAYEE,
    amountMinor: String(20n * USDT),
    heldOrders: ['CRX1:5'],
  });
  expect(await received()).toBe(20n * USDT);
  if (payment)
    await decideUnknownPayment(net.database, payment, {
      orderKey: 'CRX1:5',
      by: 'ana',
      reason: null,
      atMs: Date.now(),
    });
  await settle();
  expect(net.told('broadcast_confirmed')).toEqual([
    'broadcast_confirmed CRX1:7',
    'broadcast_confirmed CRX1:5',
  ]);
  expect(await received()).toBe(20n * USDT);
});

test('an order is sent once its address has no undecided payment', async () => {
  await lose('CRX1:7');
  await restore();
  await clear();
  await net.send('CRX2:5', 3n * USDT);
  await settle();
  expect(await received()).toBe(20n * USDT);
  const [payment] = await payments();
  if (payment)
    await decideUnknownPayment(net.database, payment, {
      orderKey: null,
      by: 'ana',
      reason: 'booked',
      atMs: Date.now(),
    });
  await settle();
  expect(await received()).toBe(23n * USDT);
});

test('the scan waits for transactions that are in no block', async () => {
  await net.send('CRX1:7', 20n * USDT);
  await net.turns();
  await net.owner.query('delete from chain_attempt; delete from chain_order');
  await beginRestore(net.database, new Date(Date.now() - 60_000));
  await scan();
  expect(await restored()).toMatchObject({
    clearedAt: null,
    trouble: expect.stringContaining('in no final block yet'),
  });
  await settle();
  await clear();
  expect(await payments()).toHaveLength(1);
});

test('an order whose nonce another transaction took is scanned for again before it gets a new one', async () => {
  await net.send('CRX1:7', 20n * USDT);
  await net.turns();
  const { rows } = await net.owner.query('select * from chain_attempt');
  await net.takeOver({ stuckMs: 0 });
  await net.turns();
  // The database is restored to the first transaction; the second one, with a higher fee, is carried out.
  await net.owner.query('delete from chain_attempt where number > $1', [rows.length]);
  await net.takeOver();
  await beginRestore(net.database, new Date(Date.now() - 60_000));
  await net.node.mine(FINAL);
  await net.owner.query(
    `insert into restored_rail (restore_id, mode, rail, cleared_at) select id, 'live', 'ETH', now() from restore_point`,
  );
  await settle();
  expect(await restored()).toMatchObject({ clearedAt: null, trouble: expect.stringContaining('CRX1:7') });
  await clear();
  await settle();
  expect((await payments())[0]).toMatchObject({ heldOrders: ['CRX1:7'], state: 'open' });
  expect(await received()).toBe(20n * USDT);
});

test('the scan waits for transactions in blocks that are not final, however old the restore is', async () => {
  await net.send('CRX1:7', 20n * USDT);
  await net.turns();
  await net.node.mine(1);
  await net.turns();
  await net.owner.query('delete from chain_attempt; delete from chain_order');
  await beginRestore(net.database, new Date(Date.now() - 60_000));
  // The last final block is younger than the restore.
  await net.owner.query(`update restore_point set noticed_at = noticed_at - interval '1 day'`);
  await scan();
  expect(await restored()).toMatchObject({
    clearedAt: null,
    trouble: expect.stringContaining('in no final block yet'),
  });
  await settle();
  await clear();
  expect(await payments()).toHaveLength(1);
});

test('the scan waits for every provider, because any may have a transaction that is in no block', async () => {
  await net.takeOver({ providers: [two.honest.url, two.bent.url], quorum: 1 });
  await restore();
  await clear();
  await beginRestore(net.database, new Date(Date.now() - 60_000));
  await net.owner.query(`update restore_point set noticed_at = noticed_at - interval '1 day'`);
  two.bent.isDead = true;
  await scan();
  expect(await restored()).toMatchObject({
    clearedAt: null,
    trouble: expect.stringContaining('does not report transactions'),
  });
});

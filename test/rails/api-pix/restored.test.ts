/**
 * Goal: after a restore, no payout and no return is sent that a lost history has sent. Method: a gateway and the PSP over the wire; a
 * restore is the loss of the rows of orders.
 */
import { beforeEach, expect, test } from 'vitest';
import { newEnd2end } from '../../../src/base/ids/end2end.ts';
import { orderNameOf } from '../../../src/base/pix/end-to-end-id.ts';
import { operatorContext } from '../../../src/cli/with-store.ts';
import { createApiPix } from '../../../src/rails/api-pix/index.ts';
import { checksOf } from '../../../src/resolvers/checks/check-creation.ts';
import { releaseRail } from '../../../src/resolvers/rails/decide-restore.ts';
import { scanRails } from '../../../src/resolvers/rails/restored-rails.ts';
import { readReviewQueue } from '../../../src/resolvers/review/read-queue.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { beginRestore, readRestoredRail } from '../../../src/store/rails/restores.ts';
import { decideUnknownPayment, listUnknownPayments } from '../../../src/store/rails/unknown-payments.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useStand } from './harness.ts';

const stand = useStand({}, { works: false });
const PIX = { mode: 'live', rail: 'pix' } as const;
const SILENT = { info: () => {}, warn: () => {}, error: () => {} } as never;

beforeEach(() => stand.app.owner.query('truncate restore_point, restored_rail, unknown_payment cascade'));

const books = async () => (await stand.psp.control('GET', '/books')).json;
const payments = () => listUnknownPayments(stand.app.database, 'live', { isOpen: false, limit: 10 });
const restored = () => readRestoredRail(stand.app.database, PIX);
const restore = () => beginRestore(stand.app.database, new Date(Date.now() - 60_000));
async function scan(part: object = stand.part): Promise<void> {
  const own = { database: stand.app.database, mode: 'live', railParts: [{ name: 'pix', part }] };
  await scanRails(own as never, SILENT);
}
const payOut = (key: string, pixKey: string, amount = '5.00') =>
  stand.part.port.payOut({
    ...{ key, amount },
    row: { accountId: stand.merchant.accountId, pixKey, clientTaxId: null } as unknown as ProcessRow,
  });
const returning = (key: string, endToEndId: string, amount: string) =>
  stand.part.port.refund({ key, accountId: stand.merchant.accountId, endToEndId, amount });
const lose = () => stand.app.owner.query('delete from pix_order');
const orderOf = async (key: string) =>
  (
    await stand.app.owner.query(
      'select psp_id as "pspId", is_done as "isDone" from pix_order where key = $1',
      [key],
    )
  ).rows[0];

/** Unknown payments, as the operator's review queue has them. */
async function queued() {
  const operator = await operatorContext(
    stand.app.services,
    await platformAccount(stand.app.database, 'live'),
  );
  const cases = await readReviewQueue(operator, { kinds: ['unknown_payment'] });
  return cases.map(({ accountId, detail, money }) => ({ accountId, detail, money }));
}

test('nothing is sent before the scan; then an order under a known id is taken over, and one to its key waits', async () => {
  await payOut('CRX1:1', 'ana@example.com');
  await payOut('CRX2:1', 'rui@example.com');
  const sent = (await books()).payouts.length;
  await lose();
  await restore();
  await expect(payOut('CRX1:1', 'ana@example.com')).rejects.toThrow('waits until pix is cleared');
  await scan();
  expect((await payments()).map(({ destination }) => destination).toSorted()).toEqual([
    'ana@example.com',
    'rui@example.com',
  ]);
  await payOut('CRX1:1', 'ana@example.com');
  expect((await payments()).map(({ state, orderKey }) => [state, orderKey])).toContainEqual([
    'matched',
    'CRX1:1',
  ]);
  const again = () => payOut('CRX2:9', 'rui@example.com', '5.01');
  await expect(again()).rejects.toThrow('a person decides');
  await payOut('CRX3:1', 'eva@example.com');
  expect((await books()).payouts).toHaveLength(sent + 1);
  const held = (await payments()).find(({ heldOrders }) => heldOrders.includes('CRX2:9'));
  if (held)
    await decideUnknownPayment(stand.app.database, held, {
      orderKey: 'CRX2:9',
      by: 'ana',
      reason: null,
      atMs: Date.now(),
    });
  await again();
  expect(await orderOf('CRX2:9')).toMatchObject({ pspId: held?.name });
  expect((await books()).payouts).toHaveLength(sent + 1);
});

test('a return of a payment that was returned after the restored time waits', async () => {
  const { endToEndIds } = (await stand.psp.control('POST', '/pay', { amount: '10.00', wait: false })).json;
  const [payment = ''] = endToEndIds as string[];
  await returning('lost1', payment, '4.00');
  await lose();
  await restore();
  await scan();
  await expect(returning('new1', payment, '4.00')).rejects.toThrow('a person decides');
  expect(await payments()).toContainEqual(
    expect.objectContaining({ kind: 'return', name: 'lost1', destination: payment }),
  );
  await returning('lost1', payment, '4.00');
  expect(
    (await books()).refunds.filter(({ endToEndId }: { endToEndId: string }) => endToEndId === payment),
  ).toHaveLength(1);
});

test('an order that waits for a person is queried once, and the queue has its payment', async () => {
  const { endToEndIds } = (await stand.psp.control('POST', '/pay', { amount: '12.00', wait: false })).json;
  const [payment = ''] = endToEndIds as string[];
  await returning('lost2', payment, '3.00');
  await lose();
  await restore();
  await scan();
  const again = () => returning('new2', payment, '3.00');
  await expect(again()).rejects.toThrow('a person decides');
  const calls = stand.calls.length;
  for (let attempt = 0; attempt < 3; attempt++) await expect(again()).rejects.toThrow('a person decides');
  expect(stand.calls.slice(calls)).toEqual([]);
  expect(await queued()).toContainEqual({
    accountId: null,
    detail: payment,
    money: { amount: '3', currency: 'BRL' },
  });
  const { id = 0n } = (await payments()).find(({ destination }) => destination === payment) ?? {};
  await decideUnknownPayment(
    stand.app.database,
    { id },
    {
      ...{ orderKey: null, by: 'ana', reason: 'booked by hand', atMs: Date.now() },
    },
  );
  expect((await queued()).map(({ detail }) => detail)).not.toContain(payment);
  await again();
  expect(await orderOf('new2')).toBeDefined();
});

test('a return is sent without a query if its payment is certainly younger than the restore', async () => {
  await restore();
  await scan();
  const pay = async () =>
    (await stand.psp.control('POST', '/pay', { amount: '14.00', wait: false })).json.endToEndIds[0] as string;
  const [first, second] = [await pay(), await pay()];
  const queriesOf = async (key: string, payment: string) => {
    const calls = stand.calls.length;
    await returning(key, payment, '1.00');
    return stand.calls.slice(calls).filter((call) => call.startsWith('GET '));
  };
  expect(await queriesOf('young1', first)).toHaveLength(2);
  // The time in an EndToEndId may be off by twelve hours.
  await stand.app.owner.query(`update restore_point set noticed_at = noticed_at - interval '13 hours'`);
  expect(await queriesOf('young2', second)).toEqual([]);
});

test('a bank without a list of payouts stays stopped, and a payout that failed is no payment', async () => {
  await restore();
  const inter = { kind: 'inter', url: stand.settings.url } as const;
  await scan(createApiPix({ ...stand.settings, payouts: inter }, stand.tools));
  expect(await restored()).toMatchObject({
    clearedAt: null,
    trouble: expect.stringContaining('cannot list'),
  });
  const bank = await operatorContext(stand.app.services, await platformAccount(stand.app.database, 'live'));
  const context = { ...bank, railParts: [{ name: 'pix', part: stand.part }] };
  const release = () =>
    releaseRail(context, 'pix', { name: '--reason', value: 'compared' }, checksOf(context));
  await release();
  expect(await restored()).toMatchObject({ clearedAt: expect.any(String), reason: 'compared' });
  await expect(release()).rejects.toThrow('is not stopped');
  await restore();
  await stand.psp.control('POST', '/plans', {
    kind: 'payout',
    payeeKey: 'bad@example.com',
    reason: 'no such account',
  });
  await stand.part.port
    .payOut({
      ...{ key: 'CRX4:1', amount: '6.00' },
      row: {
        accountId: stand.merchant.accountId,
        pixKey: 'bad@example.com',
        clientTaxId: null,
      } as unknown as ProcessRow,
    })
    .catch(() => {});
  await lose();
  await scan();
  expect((await payments()).map(({ destination }) => destination)).not.toContain('bad@example.com');
  expect((await restored())?.clearedAt).not.toBeNull();
});

test('an order whose id another stored order has is refused instead of never being sent', async () => {
  await payOut('CRX5:1', 'ana@example.com');
  await stand.app.owner.query('update pix_order set psp_id = $1 where key = $2', [
    orderNameOf('CRX5:2'),
    'CRX5:1',
  ]);
  await expect(payOut('CRX5:2', 'eva@example.com')).rejects.toThrow('belongs to another order');
});

test('the provider is queried only about orders that may be older than the restore', async () => {
  await restore();
  await scan();
  await stand.psp.control('PUT', '/faults', {
    seed: 1,
    rules: [{ on: 'read', fault: 'unavailable', rate: 1, ms: 0 }],
  });
  await expect(payOut('CRX6:1', 'leo@example.com')).rejects.toThrow();
  expect(await orderOf('CRX6:1')).toBeUndefined();
  const key = `${newEnd2end(new Date(Date.now() + 1_000))}:1`;
  await payOut(key, 'leo@example.com');
  expect(await orderOf(key)).toBeDefined();
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [] });
});

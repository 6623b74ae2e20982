/**
 * Goal: an operator decides about payments of a lost history, once, with an entry in the audit log. Method: the
 * command, on a database.
 */
import { beforeAll, expect, test } from 'vitest';
import { addUnknownPayments, holdOrder } from '../../src/store/rails/unknown-payments.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
const PIX = { mode: 'live', rail: 'pix' } as const;

/** @returns the JSON output of the command, or its refusal. */
async function restored(...args: string[]) {
  const { code, stdout, stderr } = await command({ DATABASE_URL: store.url }, 'restored', ...args, '--json');
  return code === 0 ? JSON.parse(stdout) : stderr;
}

beforeAll(async () => {
  const payment = { kind: 'payout', currency: 'BRL', amountMinor: 1_250n, sentAtMs: Date.now() } as const;
  await addUnknownPayments(store.database, PIX, [
    { ...payment, name: 'one', destination: 'ana@example.com' },
    { ...payment, name: 'two', destination: 'rui@example.com' },
    { ...payment, name: 'CRX28', destination: 'eva@example.com' },
  ]);
  const hold = (key: string, destination: string, name: string) =>
    holdOrder(store.database, PIX, { key, kind: 'payout', destination, name });
  await hold('CRX1:9', 'ana@example.com', 'CRX19');
  await hold('CRX1:9', 'eva@example.com', 'CRX19');
  await hold('CRX2:8', 'ana@example.com', 'CRX28');
});

test('a payment is matched with an order that it blocks, or dismissed with a reason, and is decided once', async () => {
  expect(await restored('rails', '--live')).toEqual([]);
  const [one, two, three] = await restored('list', '--live');
  expect(one).toMatchObject({ name: 'one', amount: '12.5', holds: ['CRX1:9', 'CRX2:8'], state: 'open' });
  expect(await restored('match', three.id, '--order', 'CRX1:9', '--live')).toContain(
    'has the id of order CRX2:8',
  );
  await store.owner.query(`update held_order set order_name = null`);
  expect(await restored('match', two.id, '--order', 'CRX1:9', '--live')).toContain('orders that payment');
  expect(await restored('match', one.id, '--order', 'CRX1:9')).toMatch(/does not exist/);
  expect(await restored('match', one.id, '--order', 'CRX1:9', '--live')).toMatchObject({ state: 'matched' });
  expect(await restored('match', three.id, '--order', 'CRX1:9', '--live')).toContain('with another payment');
  expect(await restored('dismiss', three.id, '--reason', 'rent', '--live')).toMatchObject({ id: three.id });
  expect(await restored('dismiss', one.id, '--reason', 'rent', '--live')).toContain('is decided');
  expect(await restored('dismiss', two.id, '--reason', 'rent', '--live')).toMatchObject({
    state: 'dismissed',
  });
  expect(await restored('list', '--live')).toEqual([]);
  expect(await restored('list', '--all', '--live')).toMatchObject([
    { state: 'matched', order: 'CRX1:9' },
    { state: 'dismissed', reason: 'rent' },
    { state: 'dismissed', reason: 'rent' },
  ]);
});

test('rails are stopped from a past time, and only configured rails are released', async () => {
  expect(await restored('begin', '--since', '2026-11-29', '--live')).toContain('past time with a zone');
  expect(await restored('begin', '--since', '2025-11-29T12:00:00Z', '--live')).toEqual({
    since: '2025-11-29T12:00:00Z',
  });
  expect(await restored('release', 'pix', '--reason', 'compared', '--live')).toContain('no live rails');
  const { rows } = await store.owner.query(
    `select act, object_kind, after from audit_entry where act like 'restore.%' order by account_id, seq`,
  );
  expect(rows).toMatchObject([
    { act: 'restore.match', object_kind: 'unknown_payment', after: { orderKey: 'CRX1:9' } },
    { act: 'restore.dismiss', object_kind: 'unknown_payment', after: { reason: 'rent' } },
    { act: 'restore.dismiss', object_kind: 'unknown_payment', after: { reason: 'rent' } },
    { act: 'restore.begin', object_kind: 'rail', after: { since: '2025-11-29T12:00:00.000Z' } },
  ]);
});

/**
 * Goal: no use case asks for a second connection while a database transaction is open. Method: every test that has a database
 * watches that (support/one-connection.ts); here, that it is seen, by each way of asking.
 */
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/connection/database.ts';
import { prismaOf } from '../../src/store/connection/prisma.ts';
import { readAheadMs } from '../../src/store/rails/sandbox.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
const NOTHING = { name: 'nothing', text: 'select' };
const WAYS: readonly (readonly [way: string, ask: (database: Database) => Promise<unknown>])[] = [
  ['a statement', (database) => readAheadMs(database)],
  ['statements with a time limit', (database) => database.within(1_000, (tx) => tx.query(NOTHING, []))],
  [
    'rows that are copied',
    (database) => database.copyWithin(1_000, 'copy request_batch from stdin', Buffer.alloc(0)),
  ],
  ['another database transaction', (database) => database.withTx(async () => {})],
  ['Prisma', (database) => prismaOf(database).account.findMany()],
];

describe('inside of a database transaction', () => {
  it.each(WAYS)('%s requests a second connection, and fails', async (_way, ask) => {
    const asked = store.database.withTx(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return ask(store.database);
    });
    await expect(asked).rejects.toThrow(/second connection/);
  });

  it('its own statements do not, and neither does later work', async () => {
    expect(await store.database.withTx((tx) => readAheadMs(tx))).toBe(0);
    expect(await readAheadMs(store.database)).toBe(0);
  });
});

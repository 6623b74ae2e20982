/**
 * Goal: a database that only reads, such as a standby, is an unavailable one, not a defect (C-51). Method: a database whose new
 * sessions are read-only.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { isDatabaseUnreachable } from '../../src/store/connection/database-error.ts';
import { prismaOf } from '../../src/store/connection/prisma.ts';
import { probeDatabase } from '../../src/store/webhooks/readiness.ts';
import { useDatabase } from '../support/database.ts';
import { newHome } from '../support/home.ts';
import { crossramp } from '../support/process.ts';

const ADD = {
  name: 'add_read_only',
  text: `insert into rate (mode, asset, mid, observed_at) values ('sandbox', 'BTC', 1, now())`,
};
const store = useDatabase();
let database: Database;
const setReadOnly = (isOn: boolean) =>
  store.owner.query(
    `begin read write; alter database ${new URL(store.url).pathname.slice(1)} set default_transaction_read_only = ${isOn}; commit`,
  );

beforeAll(async () => {
  await setReadOnly(true);
  database = openDatabase(store.url);
});
afterAll(async () => {
  await database?.close();
  await setReadOnly(false);
});

test('C-51: a write reports that the database is unreachable, by a statement and by Prisma', async () => {
  await expect(database.withTx((tx) => tx.query(ADD, []))).rejects.toSatisfy(isDatabaseUnreachable);
  const byPrisma = prismaOf(database).account.updateMany({ data: { name: 'x' } });
  await expect(byPrisma).rejects.toSatisfy(isDatabaseUnreachable);
});

test('C-51: readiness reports that it can be read, and why it cannot be written', async () => {
  // A new connection on a busy machine may take longer than the probe waits.
  await vi.waitFor(
    async () => {
      const found = await probeDatabase(database, { toRead: async () => {}, toWrite: async () => {} });
      expect(found).toMatchObject({ reads: true, writes: false, isReadOnly: true });
    },
    { timeout: 20_000 },
  );
});

test('`doctor` reports it', async () => {
  const { home, remove } = newHome();
  const { code, stdout } = await crossramp({ CROSSRAMP_HOME: home, DATABASE_URL: store.url }, 'doctor');
  remove();
  expect([code, stdout]).toEqual([1, expect.stringContaining('FAIL  database: ')]);
  expect(stdout).toContain('read-only');
}, 60_000);

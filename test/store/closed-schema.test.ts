/**
 * Goal: a schema that the gateway may not use any more, because its cell was moved, is an unavailable database, not a defect (C-51).
 * Method: the right is revoked as a move does it, from a gateway that worked before.
 */
import { beforeAll, expect, test } from 'vitest';
import type { Statement } from '../../src/store/connection/database.ts';
import { isDatabaseUnreachable } from '../../src/store/connection/database-error.ts';
import { prismaOf } from '../../src/store/connection/prisma.ts';
import { useDatabase } from '../support/database.ts';

const READ: Statement = { name: 'closed_read', text: 'select id from account' };
const CALL: Statement = { name: 'closed_call', text: `select event_body(0, '{}')` };
const WRITE: Statement = { name: 'closed_write', text: `update account set name = 'x'` };
const store = useDatabase();

beforeAll(async () => {
  await store.database.query(READ, []);
  await prismaOf(store.database).account.findMany();
  await store.owner.query('revoke usage on schema public from crossramp_app, public');
});

test.each([READ, CALL, WRITE])('C-51: $text means that the database is away', async (statement) => {
  await expect(store.database.query(statement, [])).rejects.toSatisfy(isDatabaseUnreachable);
  await expect(store.database.withTx((tx) => tx.query(statement, []))).rejects.toSatisfy(
    isDatabaseUnreachable,
  );
});

test('C-51: so does a read and a write by Prisma', async () => {
  const { account } = prismaOf(store.database);
  await expect(account.findMany()).rejects.toSatisfy(isDatabaseUnreachable);
  await expect(account.updateMany({ data: { name: 'x' } })).rejects.toSatisfy(isDatabaseUnreachable);
});

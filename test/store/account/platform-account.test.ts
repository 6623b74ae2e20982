/**
 * Goal: each mode has one account that holds what belongs to nobody (C-40). Method: many ask for it at once, on a real
 * database.
 */
import { expect, test } from 'vitest';
import {
  createAccount,
  findAccount,
  listAccounts,
  platformAccount,
} from '../../../src/store/account/accounts.ts';
import { useDatabase } from '../../support/database.ts';

const db = useDatabase();

test('C-40 all parallel callers get the same account, one of each mode', async () => {
  const asked = Array.from({ length: 16 }, (_, at) =>
    platformAccount(db.database, at % 2 === 0 ? 'sandbox' : 'live'),
  );
  const ids = await Promise.all(asked);
  const [sandbox, live] = ids;
  expect(ids).toEqual(ids.map((_, at) => (at % 2 === 0 ? sandbox : live)));
  expect(sandbox).not.toBe(live);
});

test('C-40 it is found in a database transaction, has a head to lock, and is no account holder', async () => {
  const id = await db.database.withTx((tx) => platformAccount(tx, 'sandbox'));
  const { rows } = await db.owner.query('select account_id from account_head where account_id = $1', [id]);
  expect(rows).toHaveLength(1);
  const holder = await createAccount(db.database, 'A holder', { templates: [] });
  expect((await listAccounts(db.database)).map((account) => account.id)).toEqual([holder]);
  expect(await findAccount(db.database, 'Platform')).toBeUndefined();
});

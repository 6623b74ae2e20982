/**
 * Goal: numbers that the databases of two cells give out never meet: ids of accounts, ledger accounts, ledger lines and all others. Method: 100,000 of
 * every sequence of two schemas that became cells, and the counters with which a new account of each begins.
 */
import { beforeAll, expect, test } from 'vitest';
import { cellOfNumber, numbersBefore } from '../../src/base/ids/cell.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { type TestDatabase, useDatabase } from '../support/database.ts';

const COUNT = 100_000;
const CELLS: Readonly<Record<string, TestDatabase>> = { a1: useDatabase(), zz: useDatabase() };

beforeAll(async () => {
  for (const [code, { owner }] of Object.entries(CELLS))
    await owner.query('select cell_begin($1, $2)', [code, String(numbersBefore(code))]);
});

test('every sequence gives 100,000 numbers that say their cell, and none twice', async () => {
  const made = new Map<string, bigint[]>();
  for (const [code, { owner }] of Object.entries(CELLS)) {
    const { rows: sequences } = await owner.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c where c.relkind = 'S' and c.relnamespace = current_schema()::regnamespace`,
    );
    expect(sequences.map(({ name }) => name)).toContain('account_id_seq');
    for (const { name } of sequences) {
      const { rows } = await owner.query<{ id: string }>(
        'select nextval($1::regclass)::text as id from generate_series(1, $2::int)',
        [name, COUNT],
      );
      const ids = rows.map(({ id }) => BigInt(id));
      expect(new Set(ids.map(cellOfNumber)), name).toEqual(new Set([code]));
      made.set(name, [...(made.get(name) ?? []), ...ids]);
    }
  }
  for (const [name, ids] of made) expect(new Set(ids).size, name).toBe(2 * COUNT);
});

test('ledger accounts and lines of an account are counted from numbers of its cell', async () => {
  for (const [code, { database, owner }] of Object.entries(CELLS)) {
    const accountId = await createAccount(database, 'Business', { templates: ['onramp'], mode: 'live' });
    const { rows } = await owner.query<Record<string, string>>(
      'select ledger_account_id, line_id, house_line_id from account_head where account_id = $1',
      [String(accountId)],
    );
    const { ledger_account_id: account, line_id: line, house_line_id: house } = rows[0] ?? {};
    const cells = [account, line].flatMap((first) => {
      const from = BigInt(first ?? 0);
      return [from + 1n, from + BigInt(COUNT)].map(cellOfNumber);
    });
    expect(new Set(cells)).toEqual(new Set([code]));
    expect(cellOfNumber(BigInt(house ?? 0) - BigInt(COUNT))).toBe(code);
  }
});

/**
 * Goal: a schema knows its cell, and gives out numbers of that cell alone. Method: three databases, of the first cell and of two others;
 * the sequences of each draw 100,000 numbers, and its accounts count.
 */
import { expect, test } from 'vitest';
import { cellOfNumber, FIRST_CELL } from '../../../src/base/ids/cell.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { settleCell } from '../../../src/store/migration/settle-cell.ts';
import { useDatabase } from '../../support/database.ts';

const stores = [useDatabase(), useDatabase(), useDatabase()] as const;
const [first, second, third] = stores;
const CODES = [FIRST_CELL, 'a1', 'zz'] as const;
const settle = ({ database, ownerUrl }: typeof first, wanted?: string) =>
  settleCell(database, ownerUrl, wanted);

const SEQUENCES = `select c.oid::regclass::text as name from pg_class c
  where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace order by 1`;
const DRAW = `select count(distinct n)::int as count, min(n) as least, max(n) as most
  from (select nextval($1::regclass) as n from generate_series(1, 100000)) drawn`;

test('a schema without accounts becomes the cell of the settings, once', async () => {
  expect(await settle(first)).toBe(FIRST_CELL);
  expect(await settle(second, 'a1')).toBe('a1');
  expect(await settle(second, 'a1')).toBe('a1');
  expect(await settle(second)).toBe('a1');
  await expect(settle(second, 'b2')).rejects.toThrow('CELL: the schema is cell a1, not b2');
  expect(await settle(third, 'zz')).toBe('zz');
});

test('numbers of two cells are never the same, and show their cell', async () => {
  const { rows } = await first.owner.query<{ name: string }>(SEQUENCES);
  expect(rows.length).toBeGreaterThan(7);
  for (const { name } of rows) {
    for (const [n, { owner }] of stores.entries()) {
      const [drawn] = (await owner.query(DRAW, [name])).rows;
      expect(drawn.count).toBe(100_000);
      // Between the least and the most of a cell are numbers of no other.
      expect([drawn.least, drawn.most].map((number) => cellOfNumber(BigInt(number)))).toEqual([
        CODES[n],
        CODES[n],
      ]);
    }
  }
}, 120_000);

test('accounts and their counters carry the cell', async () => {
  for (const [n, { database, owner }] of stores.entries()) {
    const id = await createAccount(database, 'Shop', { templates: [] });
    expect(cellOfNumber(id)).toBe(CODES[n]);
    const { rows } = await owner.query(
      `select ledger_account_id, line_id, house_line_id from account_head where account_id = $1`,
      [String(id)],
    );
    // The next of each is one more, or less.
    for (const count of Object.values<string>(rows[0])) {
      const next = BigInt(count) < 0n || count === '0' ? BigInt(count) - 1n : BigInt(count) + 1n;
      expect(cellOfNumber(next)).toBe(CODES[n]);
    }
  }
});

test('a schema that has accounts becomes no other cell', async () => {
  await expect(settle(first, 'b2')).rejects.toThrow(
    'CELL: the schema cannot become cell b2: the schema has accounts, whose ids say another cell',
  );
  expect(await settle(first)).toBe(FIRST_CELL);
});

test('a cell that works elsewhere is not opened', async () => {
  await third.owner.query(`update cell set state = 'moved', other = 'db.invalid/crossramp'`);
  await expect(settle(third)).rejects.toThrow(
    'the cell was moved to db.invalid/crossramp: use that database',
  );
  await third.owner.query(`update cell set state = 'arriving'`);
  await expect(settle(third)).rejects.toThrow(
    'the cell is being moved here, and is still served at db.invalid/crossramp',
  );
});

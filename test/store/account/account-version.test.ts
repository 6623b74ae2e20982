/**
 * Goal: the version of an account moves with every row that proved answers are made of, whoever writes it (decision 0044).
 * Method: each table, each way to write it, as the owner of the database, past every use case.
 */
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { versionReader } from '../../../src/store/account/account-version.ts';
import { useApp } from '../../support/app.ts';
import { HISTORY } from '../../support/sandbox.ts';

const app = useApp();
/** Tables whose rows can be written anew, and those that are only added to. */
const CHANGED = ['transaction', 'list_head', 'list_day', 'ledger_account', 'ledger_balance'];
const ADDED = ['ledger_day', 'ledger_line', 'journal'];
let other: bigint;

beforeAll(async () => {
  other = (await app.addAccount()).accountId;
});

const versionOf = async (accountId: bigint): Promise<bigint> =>
  (await versionReader(app.database)(accountId)) ?? -1n;

/** Runs SQL past the keys of other tables, which are not looked at here. */
async function write(sql: string, values: readonly unknown[] = []): Promise<number> {
  const client = await app.owner.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    const { rowCount } = await client.query(sql, [...values]);
    await client.query('commit');
    return rowCount ?? 0;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Writes, and tells whether the version of the account moved and that of the other one stayed. */
async function moves(sql: string, values: readonly unknown[] = []): Promise<boolean> {
  const [before, beside] = [await versionOf(app.accountId), await versionOf(other)];
  expect(await write(sql, values)).toBe(1);
  expect(await versionOf(other)).toBe(beside);
  return (await versionOf(app.accountId)) > before;
}

/** The columns of a table that can be written. */
async function columnsOf(table: string): Promise<string> {
  const { rows } = await app.owner.query(
    `select string_agg(column_name, ', ') as columns from information_schema.columns
      where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  return rows[0].columns;
}

const one = (table: string) =>
  `ctid = (select ctid from ${table} where account_id = ${app.accountId} order by ctid limit 1)`;

describe.each(CHANGED)('%s', (table) => {
  test('an update moves the version', async () => {
    expect(await moves(`update ${table} set account_id = account_id where ${one(table)}`)).toBe(true);
  });

  test('a delete and an insert move it', async () => {
    const { rows } = await app.owner.query(
      `select row_to_json(t)::text as row from ${table} t where ${one(table)}`,
    );
    expect(await moves(`delete from ${table} where ${one(table)}`)).toBe(true);
    const columns = await columnsOf(table);
    const insert = `insert into ${table} (${columns}) select ${columns} from json_populate_record(null::${table}, $1)`;
    expect(await moves(insert, [rows[0].row])).toBe(true);
  });
});

describe.each(ADDED)('%s', (table) => {
  test('is not changed', async () => {
    await expect(write(`update ${table} set account_id = account_id where ${one(table)}`)).rejects.toThrow();
    await expect(write(`delete from ${table} where ${one(table)}`)).rejects.toThrow();
  });
});

test.each([
  ['ledger_day', `select account_id, ledger_account_id, '2999-01-01', 1`],
  ['journal', `select account_id, 999999, 'x', request_hash, name, null, posted_at, 2`],
])('a row that is added to %s moves it', async (table, row) => {
  expect(await moves(`insert into ${table} ${row} from ${table} where ${one(table)}`)).toBe(true);
});

test('a line that is added to ledger_line moves it', async () => {
  const client = await app.owner.connect();
  const before = await versionOf(app.accountId);
  // Not whole without the other lines of its journal, and refused: what it would move is looked at before that.
  await client.query('begin');
  await client.query('alter table ledger_line disable trigger balanced');
  await client.query(
    `insert into ledger_line select account_id, ledger_account_id, 999999, 999999, journal_id, null, posted_at, 1, 0, 1
       from ledger_line where ${one('ledger_line')}`,
  );
  const { rows } = await client.query('select version from account_head where account_id = $1', [
    String(app.accountId),
  ]);
  await client.query('rollback');
  client.release();
  expect(BigInt(rows[0].version)).toBeGreaterThan(before);
});

test('every write of the head moves it, and a lock does not', async () => {
  const before = await versionOf(app.accountId);
  await write('select 1 from account_head where account_id = $1 for update', [String(app.accountId)]);
  expect(await versionOf(app.accountId)).toBe(before);
  expect(
    await moves('update account_head set version = 0, event_seq = event_seq where account_id = $1', [
      String(app.accountId),
    ]),
  ).toBe(true);
});

test('a statement about two accounts moves both', async () => {
  const others = await versionOf(other);
  await write(
    `insert into list_head select a, 'onramps', 1, '2026-01-01' from unnest($1::bigint[]) a
       on conflict (account_id, family) do update set last_seq = list_head.last_seq`,
    [[String(app.accountId), String(other)]],
  );
  expect(await versionOf(other)).toBeGreaterThan(others);
});

test('a rollback moves nothing; a commit moves it for others together with its rows', async () => {
  const { end2end } = JSON.parse(HISTORY.split('\n')[0] as string);
  const before = await versionOf(app.accountId);
  const client = await app.owner.connect();
  const change = () =>
    client.query(`update transaction set error_en = 'x' where account_id = $1 and end2end = $2`, [
      String(app.accountId),
      end2end,
    ]);
  await client.query('begin');
  await change();
  expect(await versionOf(app.accountId)).toBe(before);
  await client.query('rollback');
  expect(await versionOf(app.accountId)).toBe(before);
  await client.query('begin');
  await client.query('savepoint one');
  await change();
  await client.query('rollback to savepoint one');
  await change();
  await client.query('commit');
  client.release();
  expect(await versionOf(app.accountId)).toBeGreaterThan(before);
});

describe('reads', () => {
  test('begin after their request, and one statement reads for all waiting callers', async () => {
    const asked: (readonly bigint[])[] = [];
    const answers: (() => void)[] = [];
    const read = versionReader({
      query: (async (_statement: unknown, [ids]: [readonly bigint[]]) => {
        asked.push(ids);
        await new Promise<void>((resolve) => answers.push(resolve));
        return ids.map((accountId) => ({ accountId, version: BigInt(asked.length) }));
      }) as never,
    });
    const first = read(1n);
    while (asked.length < 1) await setImmediate();
    expect(asked).toEqual([[1n]]);
    // These came after the first read had begun, and share the next.
    const others = [read(1n), read(2n), read(2n)];
    answers.shift()?.();
    expect(await first).toBe(1n);
    while (asked.length < 2) await setImmediate();
    expect(asked[1]).toEqual([1n, 2n]);
    answers.shift()?.();
    expect(await Promise.all(others)).toEqual([2n, 2n, 2n]);
  });

  test('wait for other callers, who arrive two turns of the event loop later', async () => {
    const asked: (readonly bigint[])[] = [];
    const read = versionReader({
      query: (async (_statement: unknown, [ids]: [readonly bigint[]]) => {
        asked.push(ids);
        return ids.map((accountId) => ({ accountId, version: 1n }));
      }) as never,
    });
    const first = read(1n);
    for (let turn = 0; turn < 2; turn += 1) await setImmediate();
    expect(await Promise.all([first, read(2n)])).toEqual([1n, 1n]);
    expect(asked).toEqual([[1n, 2n]]);
  });
});

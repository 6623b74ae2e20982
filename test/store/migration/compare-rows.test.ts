/**
 * Goal: the comparison of a moved cell finds every row that is missing, changed or too many, and holds few rows at a time, however large the
 * table is. Method: two schemas with a table of over a million rows; faults are planted, and the rows of each answer counted.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CellServer } from '../../../src/store/migration/cell-server.ts';
import {
  type ComparedTable,
  comparedTables,
  compareKeys,
  compareSlices,
  type Difference,
  isDifferent,
  type Sides,
  SLICE,
} from '../../../src/store/migration/compare-rows.ts';
import { useDatabase } from '../../support/database.ts';

const ROWS = 1_050_000;
const LONG_MS = 600_000;
const store = useDatabase();
let sides: Sides;
/** Most rows in one answer. */
let held = 0;

beforeAll(async () => {
  const connect = async (schema: string) => {
    await store.owner.query(`create schema ${schema};
      create table ${schema}.big as select n / 1000 as account_id, n::bigint as id, 'row ' || n as body from generate_series(1, ${ROWS}) n;
      alter table ${schema}.big add primary key (account_id, id);
      create table ${schema}.named (name text primary key, n numeric);
      insert into ${schema}.named select 'name ' || n, n / 10.0 from generate_series(1, 25_000) n;
      create table ${schema}.keyless (n int);
      insert into ${schema}.keyless values (1), (1)`);
    const server = await CellServer.connect({ url: store.ownerUrl, schema });
    const rows = server.rows.bind(server);
    server.rows = async <Row extends object>(text: string, values?: readonly unknown[]) => {
      const answer = await rows<Row>(text, values);
      held = Math.max(held, answer.length);
      return answer;
    };
    return server;
  };
  sides = { source: await connect('here'), target: await connect('there') };
}, LONG_MS);
afterAll(async () => {
  await sides?.source.close();
  await sides?.target.close();
});

const tableNamed = async (name: string) => {
  const table = (await comparedTables(sides)).find((each) => each.name === name);
  if (!table) throw new Error(`no table ${name}`);
  return table;
};

async function differencesOf(table: ComparedTable, onRows: (rows: number) => void = () => {}) {
  const found: Difference[] = [];
  await compareSlices(sides, table, (rows, differences) => {
    onRows(rows);
    found.push(...differences);
  });
  return found;
}

test(
  'a table of over a million rows is compared with a single row of each slice in memory',
  async () => {
    const big = await tableNamed('big');
    held = 0;
    const counts: number[] = [];
    expect(await differencesOf(big, (rows) => counts.push(rows))).toEqual([]);
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(ROWS);
    expect(Math.max(...counts)).toBe(SLICE);
    expect(held).toBe(1);
  },
  LONG_MS,
);

test(
  'rows that are missing, changed and too many are found in old and new slices, with a slice of rows in memory',
  async () => {
    await store.owner.query(`delete from there.big where id = 5;
      update there.big set body = 'other' where id in (6, ${ROWS});
      insert into there.big values (0, 0, 'extra'), (9999, ${ROWS + 1}, 'extra'); delete from there.big where id = ${ROWS - 1}`);
    const big = await tableNamed('big');
    held = 0;
    const found = await differencesOf(big);
    const said = (rows: typeof found) =>
      rows
        .map(({ key, source, target }) => [
          key[1],
          source === null ? 'extra' : target === null ? 'missing' : 'changed',
        ])
        .toSorted();
    const expected = [
      ['0', 'extra'],
      ['1049999', 'missing'],
      ['1050000', 'changed'],
      ['1050001', 'extra'],
      ['5', 'missing'],
      ['6', 'changed'],
    ];
    expect(said(found)).toEqual(expected);
    expect(held).toBeLessThanOrEqual(SLICE + 1);
    const keys = [...found.map(({ key }) => key), ['0', '7']];
    expect(said(await compareKeys(sides, big, keys))).toEqual(expected);
  },
  LONG_MS,
);

test(
  'texts in keys are compared in any order of the databases; numbers, with their scale',
  async () => {
    const named = await tableNamed('named');
    // As between databases that sort texts in other ways.
    const sorted = { ...named, order: ['name collate "C"'] };
    expect([await differencesOf(named), await differencesOf(sorted)]).toEqual([[], []]);
    await store.owner.query(`update there.named set n = 10.000 where name = 'name 100'`);
    for (const table of [named, sorted])
      expect((await differencesOf(table)).map(({ key }) => key)).toEqual([['name 100']]);
  },
  LONG_MS,
);

test('a table without a key is compared as a whole', async () => {
  const keyless = await tableNamed('keyless');
  expect(await isDifferent(sides, keyless)).toBe(false);
  await store.owner.query('delete from there.keyless where ctid = (select min(ctid) from there.keyless)');
  expect(await isDifferent(sides, keyless)).toBe(true);
});

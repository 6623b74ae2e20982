/** Goal: what is copied is stored as it was, whatever it holds, or all of it is refused. Method: the real database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/connection/connection.ts';
import { CopiedLines } from '../../../src/store/connection/copy-rows.ts';
import type { Database } from '../../../src/store/connection/database.ts';
import { openPlainDatabase } from '../../../src/store/connection/plain-connection.ts';
import { useDatabase } from '../../support/database.ts';

const store = useDatabase();
const COPY = 'copy copied (account_id, at, route, operation, status) from stdin';
const ODD = [
  '',
  '\\N',
  'NULL',
  '\\.',
  'tab\t',
  'two\nlines\r',
  'back\\slash',
  '"quoted", comma',
  'São João 🐝',
  'x'.repeat(100_000),
];

const AT = '2026-05-04 12:00:00.123+00';

/** Rows with these texts, null for none, and one with a time that is none where it is asked for. */
function linesOf(texts: readonly (string | null)[], { isBad = false } = {}): Buffer {
  const lines = new CopiedLines();
  for (const text of texts) lines.add([7n, AT, text ?? '/', text, 200]);
  if (isBad) lines.add([7n, 'never', '/', null, 200]);
  expect(lines.count).toBe(texts.length + Number(isBad));
  return lines.bytes;
}

beforeAll(async () => {
  await store.owner.query(
    `create table copied (id bigint generated always as identity, account_id bigint, at timestamptz, route text, operation text, status int);
     grant insert on copied to crossramp_app`,
  );
});

async function stored() {
  const { rows } = await store.owner.query(
    `select account_id::text, at::text, route, operation, status from copied order by id`,
  );
  return rows;
}

describe.each([
  ['by COPY', openDatabase],
  ['by documented parts of the driver', openPlainDatabase],
])('%s', (_how, open) => {
  let database: Database;
  beforeAll(async () => {
    database = open(store.url, { connections: 2 });
    await store.owner.query('truncate copied');
  });
  afterAll(() => database?.close());

  it('each row is stored unchanged', async () => {
    await database.copyWithin(15_000, COPY, linesOf([...ODD, null]));
    const expected = [...ODD.map((odd) => [odd, odd]), ['/', null]].map(([route, operation]) => ({
      account_id: '7',
      at: expect.stringContaining('.123'),
      ...{ route, operation, status: 200 },
    }));
    expect(await stored()).toEqual(expected);
  });

  it('nothing of a batch with a refused row is stored, and the connection stays usable', async () => {
    const before = await stored();
    for (let time = 1; time <= 12; time++)
      await expect(database.copyWithin(15_000, COPY, linesOf(['/'], { isBad: true }))).rejects.toMatchObject({
        code: '22007',
      });
    expect(await stored()).toEqual(before);
    await database.copyWithin(15_000, COPY, linesOf(['/after']));
    expect(await stored()).toHaveLength(before.length + 1);
  });
});

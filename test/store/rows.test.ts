/**
 * Goal: rows are made from the bytes of the connection, and are the rows that the driver would have made, whatever they hold and
 * however they arrive (decision 0066). Method: the same statements by the driver's own way, on the real database.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database, Statement } from '../../src/store/connection/database.ts';
import { openPlainDatabase } from '../../src/store/connection/plain-connection.ts';
import { prismaOf } from '../../src/store/connection/prisma.ts';
import { useDatabase } from '../support/database.ts';
import { heldMemory } from '../support/held-memory.ts';

/** Connections, and how many of them are shared by quick statements. */
const CONNECTIONS = 10;
const SHARED = 2;

const store = useDatabase();
let database: Database;
/** Opened by documented parts of the driver alone (decision 0064). */
let documented: Database;
let plain: pg.Client;

beforeAll(async () => {
  database = openDatabase(store.url, { connections: CONNECTIONS });
  documented = openPlainDatabase(store.url, { connections: CONNECTIONS });
  plain = new pg.Client({ connectionString: store.url, options: '-c timezone=UTC' });
  await plain.connect();
});
afterAll(async () => {
  await database?.close();
  await documented?.close();
  await plain?.end();
});

const TEXTS = `values (null), (''), ('ASCII'), ('São João, 100 €'), ('𝄞 clef and 🐝'), (repeat('a', 127)), (repeat('a', 128)),
  (repeat('é', 300)), (repeat('b', 40000)), (repeat('ß🐝', 30000)), (E'quote " back \\\\ line \\n tab \\t'), (E'\\u007f\\u0080\\u07ff\\uffff')`;
const NUMBERED = `select n, 'row ' || n as text, case when n % 7 = 0 then 'é' || n end as accent from generate_series(1, $1::int) n order by n`;

/** The text of each column, as the driver gives it. */
async function byDriver(text: string, values: unknown[] = []): Promise<unknown[]> {
  const types = { getTypeParser: () => (value: string) => value };
  return (await plain.query({ text, values, types })).rows;
}

const named = (name: string, text: string, isQuick?: true): Statement => ({
  name,
  text,
  ...(isQuick && { isQuick }),
});

describe.each<[string, true | undefined, () => Database]>([
  ['on a connection of its own', undefined, () => database],
  ['on a shared connection', true, () => database],
  ['by documented parts of the driver', undefined, () => documented],
])('a statement %s', (_where, isQuick, opened) => {
  const suffix = isQuick ? '_quick' : '';

  it('returns every text unchanged, the first time and again', async () => {
    const text = `select t.column1 as text, length(t.column1)::text as length from (${TEXTS}) t`;
    const expected = await byDriver(text);
    for (let time = 1; time <= 3; time++)
      expect(await opened().query(named(`texts${suffix}`, text, isQuick), [])).toEqual(expected);
  });

  it('returns the values of each type', async () => {
    const text = `select 9007199254740993::int8 as big, -1::int2 as small, 2147483647 as int, true as yes, false as no,
      '{"a": [1, "é"]}'::jsonb as json, 'null'::jsonb as nothing, '\\x00ff10'::bytea as bytes, array['a', 'ç', null] as list,
      -0.00000000012300::numeric as decimal, '2026-05-04 12:00:00.5+00'::timestamptz as at, '2026-05-04'::date as day, null::int8 as none`;
    const expected = {
      big: 9007199254740993n,
      small: -1,
      int: 2147483647,
      yes: true,
      no: false,
      json: { a: [1, 'é'] },
      nothing: null,
      bytes: Buffer.from([0, 255, 16]),
      list: ['a', 'ç', null],
      decimal: '-0.00000000012300',
      at: '2026-05-04 12:00:00.5+00',
      day: '2026-05-04',
      none: null,
    };
    for (let time = 1; time <= 2; time++)
      expect(await opened().query(named(`types${suffix}`, text, isQuick), [])).toEqual([expected]);
  });

  it('returns all rows of long answers that arrive in parts, and none of an empty one', async () => {
    const statement = named(`numbered${suffix}`, NUMBERED, isQuick);
    for (const rows of [0, 1, 20_000, 0]) {
      const expected = (await byDriver(NUMBERED, [rows])) as { n: string }[];
      const found = await opened().query<{ n: number }>(statement, [rows]);
      expect(found.map((row) => ({ ...row, n: String(row.n) }))).toEqual(expected);
    }
  });

  it('in parallel, failures among them, returns to each its own', async () => {
    const statement = named(
      `failing${suffix}`,
      `select n, 12 / (n - $1::int) as part from generate_series(1, 5) n`,
      isQuick,
    );
    const asked = Array.from({ length: 200 }, (_, n) => n % 20);
    // A wait for a connection of the pool is short, and shared connections fall back to it: a busy machine must not make many wait.
    const atOnce = isQuick ? 20 : CONNECTIONS - SHARED;
    const outcomes: PromiseSettledResult<unknown>[] = [];
    while (outcomes.length < asked.length) {
      const wave = asked.slice(outcomes.length, outcomes.length + atOnce);
      outcomes.push(...(await Promise.allSettled(wave.map((n) => opened().query(statement, [n])))));
    }
    for (const [at, outcome] of outcomes.entries()) {
      const given = asked[at] as number;
      // Its rows up to the one that fails came, too.
      if (given >= 1 && given <= 5)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
      else {
        const rows = [1, 2, 3, 4, 5].map((n) => ({ n, part: Math.trunc(12 / (n - given)) + 0 }));
        expect(outcome).toEqual({ status: 'fulfilled', value: rows });
      }
    }
  });

  it('fails alone when a value cannot be sent, or its text is wrong', async () => {
    const wrong = named(`wrong${suffix}`, 'select no_such_column', isQuick);
    const statement = named(`numbered_again${suffix}`, NUMBERED, isQuick);
    const circle: Record<string, unknown> = {};
    circle.toPostgres = () => circle;
    const outcomes = await Promise.allSettled([
      opened().query(statement, [1]),
      opened().query(wrong, []),
      opened().query(statement, [circle]),
      opened().query(statement, ['not a number']),
      opened().query(wrong, []),
      opened().query(statement, [2]),
    ]);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

it.each([
  ['', openDatabase],
  [' by documented parts of the driver', openPlainDatabase],
])('a connection serves prepared statements, others and Prisma in turn%s', async (_how, open) => {
  const one = open(store.url, { connections: 1 });
  try {
    const statement = named('numbered_in_turn', NUMBERED);
    for (let time = 1; time <= 3; time++) {
      expect(await one.query(statement, [3])).toHaveLength(3);
      expect(await one.query({ name: '', text: `select 'São' as name` }, [])).toEqual([{ name: 'São' }]);
      expect(await prismaOf(one).account.count()).toBe(0);
      expect(await one.withTx((tx) => tx.query(statement, [2]))).toHaveLength(2);
    }
  } finally {
    await one.close();
  }
});

it('a statement that changes rows and returns none is done', async () => {
  const statement = named(
    'nothing_to_do',
    'update api_key set last_used_at = last_used_at where account_id = $1',
  );
  for (let time = 1; time <= 3; time++) expect(await database.query(statement, [0])).toEqual([]);
});

it('a transaction of thousands of statements without rows holds the values of none', async () => {
  const statement = named('nothing_back', 'select from generate_series(1, 0) where $1::text is null');
  const before = await heldMemory();
  await database.withTx(async (tx) => {
    // On a busy machine the collections of garbage alone take longer than a transaction may be idle.
    await tx.query({ name: '', text: 'set local idle_in_transaction_session_timeout = 0' }, []);
    for (let n = 0; n < 2_000; n++) await tx.query(statement, [`${n}`.padStart(20_000, '0')]);
    const after = await heldMemory();
    expect(after.heap + after.external - before.heap - before.external).toBeLessThan(8_000_000);
  });
});

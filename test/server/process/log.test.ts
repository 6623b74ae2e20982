/** Goal: the log says what failed, and holds no row of the database (C-51). Method: real errors of a real database. */
import { expect, test } from 'vitest';
import { openLog } from '../../../src/server/process/log.ts';
import { prismaOf } from '../../../src/store/connection/prisma.ts';
import { useDatabase } from '../../support/database.ts';

const SECRET = 'ana.souza@example.com';
const store = useDatabase();

/** @returns what is logged of the failure of a statement. */
async function logged(work: () => Promise<unknown>) {
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => void lines.push(line) });
  const error = await work().catch((reason: unknown) => reason);
  log.warn({ err: error }, 'failed');
  expect(lines).toHaveLength(1);
  return { line: lines[0] as string, ...JSON.parse(lines[0] as string) };
}

const ask = (text: string, values: unknown[] = []) => store.database.query({ name: '', text }, values);

test('each line names its host, role and version, if they are known', () => {
  const lines: string[] = [];
  const source = { host: 'a', role: 'work', version: '1.2.3' };
  openLog('info', { write: (line) => void lines.push(line) }, source).info('ready');
  expect(JSON.parse(lines[0] as string)).toEqual({
    level: 30,
    time: expect.any(Number),
    ...source,
    msg: 'ready',
  });
});

test('a row that breaks a constraint is not logged; its table and constraint are', async () => {
  const insert = `insert into rate (mode, asset, mid, observed_at) values ('sandbox', $1, 1, now())`;
  await ask(insert, [SECRET]);
  const { line, err } = await logged(() => ask(insert, [SECRET]));
  expect(line).not.toContain(SECRET);
  expect(err).toMatchObject({ code: '23505', table: 'rate', constraint: 'rate_pkey' });
  expect(err.stack).toMatch(/^ {4}at /);
});

test('a row that fails a check is not logged', async () => {
  const { line, err } = await logged(() =>
    ask(`insert into rate (mode, asset, mid, observed_at) values ('sandbox', $1, null, now())`, [SECRET]),
  );
  expect(line).not.toContain(SECRET);
  expect(err.code).toBe('23502');
});

test('an invalid value is not logged', async () => {
  const { line, err } = await logged(() => ask('select $1::bigint', [SECRET]));
  expect(line).not.toContain(SECRET);
  expect(err).toMatchObject({ code: '22P02', message: 'invalid input syntax for type bigint' });
});

test('an invalid value within the message is not logged', async () => {
  const { line, err } = await logged(() => ask('select $1::integer', ['52998224725']));
  expect(line).not.toContain('52998224725');
  expect(err).toMatchObject({ code: '22003', message: 'value "…" is out of range for type integer' });
});

test('arguments of Prisma are not logged', async () => {
  const account = { name: SECRET, createdAt: 'no time' as unknown as Date };
  // biome-ignore lint/suspicious/noExplicitAny: what a caller gets wrong
  const { line } = await logged(() => prismaOf(store.database).account.create({ data: account as any }));
  expect(line).not.toContain(SECRET);
});

test('the cause of a failure is logged as the failure is', async () => {
  const { line, err } = await logged(() =>
    ask('select $1::bigint', [SECRET]).catch((cause: unknown) => {
      throw new Error('outer', { cause });
    }),
  );
  expect(line).not.toContain(SECRET);
  expect(err).toMatchObject({ message: 'outer', cause: { code: '22P02' } });
});

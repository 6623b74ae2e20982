/** Goal: a statement that changes rows is told the time: run on any copy of the database, it does the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';

const STORE = new URL('../../src/store/', import.meta.url);
/** Functions of PostgreSQL that say something else each time; `Date.now()` is none. */
const VOLATILE =
  /(?<![.\w])(?:(?:now|(?:clock|statement|transaction)_timestamp|random|gen_random_uuid|uuidv[47])\(\)|(?:current|local)_?(?:timestamp|time)|current_date)/;

/**
 * Ages that the server judges by its own clock, because that of a process may be wrong and a wrong age here carries out a request twice,
 * sends an e-mail twice, overlooks payments after a restore, or deletes what must stay (decision 0055).
 */
const BY_SERVER = [
  'account/retention.ts: const BEGIN: Statement = {',
  'engine/idempotency.ts: const CLAIM: Statement = {',
  'engine/idempotency.ts: const RELEASE: Statement = {',
  'people/notification-mails.ts: const ADDRESS: Statement = {',
  'people/notification-mails.ts: const CLAIM: Statement = {',
  'people/notification-mails.ts: const END: Statement = {',
  'people/receipt-mails.ts: const CLAIM: Statement = {',
  'people/receipt-mails.ts: const END: Statement = {',
  'people/receipt-mails.ts: const RELEASE: Statement = {',
  'people/receipt-mails.ts: const STORE: Statement = {',
  'rails/restores.ts: const ALIVE: Statement = {',
  'webhooks/notification-hooks.ts: const ADDRESS: Statement = {',
  'webhooks/notification-hooks.ts: const CLAIM: Statement = {',
  'webhooks/notification-hooks.ts: const END: Statement = {',
];

const test = useDatabase();

it('no statement that updates or deletes uses the time, or randomness, of the database', () => {
  const names = readdirSync(STORE, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('generated'),
  );
  const parts = names.flatMap((name) =>
    readFileSync(new URL(name, STORE), 'utf8')
      .split(/\n(?=(?:export )?(?:const|async function|function|class) )/)
      .map((text) => ({ place: `${name}: ${text.split('\n')[0]}`, text })),
  );
  const changing = parts.filter(({ text }) => /\b(?:update|delete from)\b/.test(text) && text.includes('`'));
  expect(changing.length).toBeGreaterThan(30);
  const volatile = changing.filter(({ text }) => VOLATILE.test(text)).map(({ place }) => place);
  expect(volatile.toSorted()).toEqual(BY_SERVER);
});

it('nor does one of a function in the database', async () => {
  const { rows } = await test.owner.query<{ name: string; text: string }>(
    `select proname as name, prosrc as text from pg_proc where pronamespace = current_schema()::regnamespace`,
  );
  const statements = rows.flatMap(({ name, text }) => text.split(';').map((each) => ({ name, each })));
  const changing = statements.filter(({ each }) => /\b(?:update\b[^;]*?\bset|delete from)\b/.test(each));
  expect(changing.length).toBeGreaterThan(5);
  expect(changing.filter(({ each }) => VOLATILE.test(each)).map(({ name }) => name)).toEqual([]);
});

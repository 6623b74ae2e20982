/**
 * Goal: a statement that met an object of the server while another session dropped it is unavailable, not a defect, because the next
 * attempt succeeds: PostgreSQL reports these as internal errors (C-51). Method: a trigger raises what the server raises.
 */
import { expect, test } from 'vitest';
import type { Statement } from '../../src/store/connection/database.ts';
import { isDatabaseUnreachable } from '../../src/store/connection/database-error.ts';
import { useDatabase } from '../support/database.ts';

const WRITE: Statement = { name: 'changed_write', text: `update sandbox_clock set ahead_ms = ahead_ms` };
const store = useDatabase();

test.each([
  ['cache lookup failed for publication 24319', true],
  ['could not open relation with OID 24319', true],
  ['tuple concurrently updated', true],
  ['invalid page in block 1 of relation base/1/2', false],
])('C-51: %s: %s', async (message, isAway) => {
  await store.owner.query(
    `create or replace function fail() returns trigger language plpgsql as $$
       begin raise exception using errcode = 'XX000', message = '${message}'; end $$;
     create or replace trigger fail before update on sandbox_clock for each row execute function fail()`,
  );
  const failure = await store.database.query(WRITE, []).catch((error) => error);
  expect([failure.message, isDatabaseUnreachable(failure)]).toEqual([message, isAway]);
});

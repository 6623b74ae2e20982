/**
 * The migration that gives the relay a place in each account's log takes over from the one place that it had before: what
 * was relayed is not relayed again, and what was not is found. Method: a database as it was, and the script.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrationNames } from '../../../src/store/migrations.ts';
import { databaseUrl, withAdmin } from '../../support/global-setup.ts';

const MIGRATION = '20261122130000_relay_places';
const adminUrl = inject('adminUrl');
const name = `crossramp_test_${randomBytes(6).toString('hex')}`;
const url = databaseUrl(adminUrl, name);

beforeAll(() => withAdmin(adminUrl, async (client) => void (await client.query(`create database ${name}`))));
afterAll(() => withAdmin(adminUrl, async (client) => void (await client.query(`drop database ${name}`))));

const script = (each: string) =>
  readFileSync(new URL(`../../../prisma/migrations/${each}/migration.sql`, import.meta.url), 'utf8');

test('C-61: places follow from the old one, in whatever order the events were committed', async () => {
  await withAdmin(url, async (client) => {
    for (const each of migrationNames().filter((each) => each < MIGRATION)) await client.query(script(each));
    // Account 1 is relayed, account 2 from its third event on not, account 3 not at all; account 4 has no event. The
    // fourth event of account 2 was written by an older transaction than the third, and was relayed.
    await client.query(`
      insert into account (id, name, mode) overriding system value select n, 'A', 'sandbox' from generate_series(1, 4) n;
      insert into account_head (account_id, event_seq) values (1, 2), (2, 5), (3, 1), (4, 0);
      insert into event (account_id, seq, xid, id, name, transaction_id, sequence, component, state, occurred_at, payload)
        select a, s, x::text::xid8, i, 'onramp.quote.created', 1, s, 'quote', 'created', now(), '{}'
          from (values (1, 1, 10, 1), (1, 2, 12, 4), (2, 1, 10, 2), (2, 2, 11, 3), (2, 3, 20, 8), (2, 4, 12, 5), (2, 5, 21, 9),
                       (3, 1, 21, 10)) v(a, s, x, i);
      update relay_cursor set xid = '12', id = 5 where name = 'webhooks';`);
    await client.query(script(MIGRATION));
    const { rows } = await client.query(
      `select account_id::int as account, p.seq::int as seq, q.seq::int as noted
         from relay_place p left join relay_queue q using (account_id) order by 1`,
    );
    expect(rows).toEqual([
      { account: 1, seq: 2, noted: null },
      { account: 2, seq: 2, noted: 5 },
      { account: 3, seq: 0, noted: 1 },
      { account: 4, seq: 0, noted: null },
    ]);
  });
});

/** Goal: old months of the event log go one at a time, each quickly, however many events they have. */
import { expect, it } from 'vitest';
import { rotateMonths } from '../../../src/resolvers/engine/housekeeping.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { useDatabase } from '../../support/database.ts';
import { useOneDay } from '../../support/one-day.ts';

useOneDay();
const test = useDatabase();

const monthsAgo = (months: number) => `date_trunc('month', now(), 'UTC') - interval '${months} months'`;

/** Writes the next events of an account, all in one month that is over. @returns the partition of the month. */
async function fillMonth(accountId: bigint, months: number, events: number): Promise<string> {
  await test.owner.query(
    `select event_month(${monthsAgo(months)});
     update account_head set event_seq = event_seq + ${events} where account_id = ${accountId};
     insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
       select ${accountId}, event_seq - ${events} + n, 'n', 1, n, 'a', 'b', ${monthsAgo(months)}, '{}'
         from account_head, generate_series(1, ${events}) n where account_id = ${accountId}`,
  );
  const { rows } = await test.owner.query(
    `select 'event_' || to_char((${monthsAgo(months)}) at time zone 'UTC', 'YYYYMM') as name`,
  );
  return rows[0].name;
}

/** Which of the months are still there, and where the log of the account begins. */
async function logOf(accountId: bigint, months: readonly string[]) {
  const { rows } = await test.owner.query(
    `select array(select m from unnest($1::text[]) m where to_regclass(m) is not null) as months,
        (select seq::int from event_floor where account_id = $2) as floor`,
    [months, accountId],
  );
  return rows[0];
}

it('a month that cannot be dropped yet does not keep those before it', async () => {
  const id = await createAccount(test.database, 'Old', { templates: [] });
  const first = await fillMonth(id, 9, 2);
  const second = await fillMonth(id, 8, 3);
  await test.owner.query(`update relay_place set seq = 5 where account_id = ${id}`);
  const reader = await test.owner.connect();
  try {
    await reader.query(`begin; select from ${second}`);
    await expect(rotateMonths({ database: test.database }, 90)).rejects.toThrow('lock timeout');
    expect(await logOf(id, [first, second])).toEqual({ months: [second], floor: 3 });
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  await rotateMonths({ database: test.database }, 90);
  expect(await logOf(id, [first, second])).toEqual({ months: [], floor: 6 });
});

it('all past months are dropped in one run', async () => {
  const id = await createAccount(test.database, 'Older', { templates: [] });
  const months = [await fillMonth(id, 12, 1), await fillMonth(id, 11, 1), await fillMonth(id, 10, 1)];
  await test.owner.query(`update relay_place set seq = 3 where account_id = ${id}`);
  await rotateMonths({ database: test.database }, 90);
  expect(await logOf(id, months)).toEqual({ months: [], floor: 4 });
});

it('the newest event of each account is looked up; the others of the month are not read', async () => {
  const id = await createAccount(test.database, 'Busy', { templates: [] });
  const month = await fillMonth(id, 7, 5_000);
  await test.owner.query(`analyze ${month}`);
  const client = await test.owner.connect();
  const readSoFar = async (): Promise<number> => {
    const { rows } = await client.query(
      `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = $1`,
      [month],
    );
    return rows[0].read;
  };
  try {
    await client.query('begin');
    const before = await readSoFar();
    // The relay has not come to the month, so it stays, and what was read of it can be counted.
    const retired = await client.query('select event_retire(now()) as dropped');
    expect(retired.rows).toEqual([{ dropped: 0 }]);
    expect((await readSoFar()) - before).toBeLessThan(10);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

/** Goal: the close of a day holds nobody up, also while somebody holds an account for long. */
import { expect, it } from 'vitest';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { sealBooks } from '../../../src/store/ledger/book-closes.ts';
import { useDatabase } from '../../support/database.ts';
import { holdAccounts } from '../../support/hold-accounts.ts';

const test = useDatabase();

it('a locked account is sealed last, when no other account is locked', async () => {
  const names = ['First', 'Held', 'Last'];
  const ids = await Promise.all(names.map((name) => createAccount(test.database, name, { templates: [] })));
  const until = new Date('2040-01-01T00:00:00Z');
  const ask = async (text: string) => (await test.owner.query({ text, rowMode: 'array' })).rows[0]?.[0];
  const sealed = () =>
    ask(`select count(*)::int from account_head where posted_at >= '${until.toISOString()}'
          and account_id in (${ids})`);
  const waiting = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  let sealing: Promise<void> | undefined;
  const held = await holdAccounts(test.owner, ids[1] as bigint);
  try {
    sealing = sealBooks(test.database.withTx, 'sandbox', until);
    await expect.poll(() => ask(waiting)).toBe(1);
    expect(await sealed()).toBe(2);
    await test.owner.query(
      `select from account_head where account_id in (${ids[0]}, ${ids[2]}) for update nowait`,
    );
  } finally {
    await held.release();
    await sealing;
  }
  expect(await sealed()).toBe(3);
});

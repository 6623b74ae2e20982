/** Goal: `crossramp clock` moves the clock of the sandbox only. Method: the command, on a database. */
import { expect, test } from 'vitest';
import { createAccount } from '../../src/store/account/accounts.ts';
import { addJobs } from '../../src/store/engine/jobs.ts';
import { command } from '../support/command.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();

test('jobs of live accounts stay with the gateway, even if they are due', async () => {
  for (const mode of ['sandbox', 'live'] as const) {
    const accountId = await createAccount(store.database, mode, { templates: [], mode });
    const job = { accountId, transactionId: 1n, kind: 'none', payload: {}, dueMs: Date.now() - 60_000 };
    await addJobs(store.database, [job], null);
  }
  const { code } = await command({ DATABASE_URL: store.url }, 'clock', 'advance', '1d');
  expect(code).toBe(0);
  const { rows } = await store.owner.query(
    'select mode, attempts from job j join account a on a.id = j.account_id order by 1',
  );
  // A job whose transaction does not exist ends when a worker claims it.
  expect(rows).toEqual([{ mode: 'live', attempts: 0 }]);
}, 60_000);

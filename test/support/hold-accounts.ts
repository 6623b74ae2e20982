/** Somebody who holds accounts locked for long, as an import does. */
import type { TestDatabase } from './database.ts';

/** Holds accounts until they are released. */
export async function holdAccounts(
  owner: TestDatabase['owner'],
  ...accountIds: readonly bigint[]
): Promise<{ readonly release: () => Promise<void> }> {
  const holder = await owner.connect();
  await holder.query('set idle_in_transaction_session_timeout = 0');
  await holder.query('begin');
  await holder.query('select from account_head where account_id = any ($1) for update', [accountIds]);
  return {
    release: async () => {
      await holder.query('rollback');
      holder.release(true);
    },
  };
}

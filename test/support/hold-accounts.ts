/** Somebody who holds accounts locked for long, as an import does. */
import { expect, vi } from 'vitest';
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

/** Does work that waits for the lock of an account until `change` is done. @returns the result of the work. */
export async function changedMeanwhile<Result>(
  owner: TestDatabase['owner'],
  accountId: bigint,
  work: () => Promise<Result>,
  change: () => Promise<unknown>,
): Promise<Result> {
  const held = await holdAccounts(owner, accountId);
  const late = work();
  late.catch(() => {});
  try {
    await vi.waitFor(
      async () => {
        const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        expect((await owner.query(waits)).rows).toHaveLength(1);
      },
      { timeout: 30_000 },
    );
    await change();
  } finally {
    await held.release();
  }
  return late;
}

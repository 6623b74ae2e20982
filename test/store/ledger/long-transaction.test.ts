/** Goal: an interrupted import ends in order, whatever the database does. Method: a database that goes away in the middle. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Database, Tx } from '../../../src/store/connection/database.ts';
import { withCancellableTx } from '../../../src/store/ledger/long-transaction.ts';

test('Ctrl-C while the database is unreachable leaves no unhandled rejection', async () => {
  let transactions = 0;
  const database = {
    withTx: async (work: (tx: Tx) => Promise<unknown>) => {
      transactions += 1;
      if (transactions > 1) throw new Error('the database is unreachable');
      return work({ query: async () => [{ pid: 1 }] } as unknown as Tx);
    },
  } as unknown as Database;
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const interrupt = new AbortController();
  const working = withCancellableTx(database, interrupt.signal, async () => {
    interrupt.abort();
    // The statement that is running ends later than the attempt to cancel it.
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    throw new Error('cancelled');
  });
  await expect(working).rejects.toThrow('cancelled');
  process.off('unhandledRejection', note);
  expect([transactions, unhandled]).toEqual([2, []]);
});

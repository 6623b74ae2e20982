/** Goal: what every batch sends is planned once by each connection: to plan it costs more than to do it. */
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/connection.ts';
import type { Statement, Tx } from '../../src/store/database.ts';
import { endJobs } from '../../src/store/engine/jobs.ts';
import { readProcesses } from '../../src/store/engine/processes.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
/** PostgreSQL plans the first executions for their values, and then compares. */
const FIRST = 5;
const TIMES = 12;

const PLANS: Statement = {
  name: 'test_plans',
  text: `select custom_plans as custom, generic_plans as generic from pg_prepared_statements where name = $1`,
};

test.each([
  [
    'process_read',
    (tx: Tx, n: number) => readProcesses(tx, [{ accountId: BigInt(n), transactionId: BigInt(n) }]),
  ],
  [
    'job_end',
    (tx: Tx, n: number) =>
      endJobs(tx, [{ accountId: BigInt(n), transactionId: BigInt(n), id: BigInt(n) }], n),
  ],
])('%s', async (name, run) => {
  const database = openDatabase(store.url, { connections: 1 });
  try {
    const [plans] = await database.withTx(async (tx) => {
      for (let n = 1; n <= TIMES; n += 1) await run(tx, n);
      return tx.query<{ custom: bigint; generic: bigint }>(PLANS, [name]);
    });
    expect(plans).toEqual({ custom: BigInt(FIRST), generic: BigInt(TIMES - FIRST) });
  } finally {
    await database.close();
  }
});

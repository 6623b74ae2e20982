/**
 * Goal: lists find transactions by how they ended and by their PIX whatever happens to them, and a step that sets either leaves the
 * indexes of `transaction` alone. Method: the tables beside what `transaction` says, after each way in which it is written.
 */
import { expect, test } from 'vitest';
import { importAccount } from '../../../src/resolvers/history/import-account.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import type { Tx } from '../../../src/store/connection/database.ts';
import { changeTransactions, readProcesses } from '../../../src/store/engine/processes.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';
import { addBusiness } from '../../support/events.ts';
import { HISTORY } from '../../support/sandbox.ts';

const store = useDatabase();

/** What the tables of lists and `transaction` say differently. */
async function differences(): Promise<unknown[]> {
  const { rows } = await store.owner.query(
    `with said as (select account_id, family, 'outcome' as fact, outcome as value, list_seq from transaction
       union all select account_id, family, 'pix', pix_e2e, list_seq from transaction where pix_e2e is not null
     ), kept as (select account_id, family, 'outcome' as fact, outcome as value, list_seq from list_outcome
       union all select account_id, family, 'pix', pix_e2e, list_seq from list_pix)
     (select 'missing' as what, * from said except all select 'missing', * from kept)
     union all (select 'too many', * from kept except all select 'too many', * from said)`,
  );
  return rows;
}
/** Updates of `transaction` by this connection that PostgreSQL has not added up yet, and how many of them changed no index. */
async function updatesOf(tx: Tx): Promise<{ all: bigint; hot: bigint }> {
  const name = 'test_hot';
  const text = `select pg_stat_get_xact_tuples_updated(oid) as all, pg_stat_get_xact_tuples_hot_updated(oid) as hot
      from pg_class where oid = 'transaction'::regclass`;
  const [counts] = await tx.query<{ all: bigint; hot: bigint }>({ name, text }, []);
  return counts ?? { all: 0n, hot: 0n };
}
const count = async (table: string) => (await store.owner.query(`select from ${table}`)).rowCount ?? 0;

test('C-70: imported history is found, including records before existing ones', async () => {
  const accountId = await createAccount(store.database, 'Holder', { templates: [] });
  const lines = HISTORY.split('\n').filter((line) => /"type": *"transaction"/.test(line));
  for (const part of [lines.filter((_, at) => at % 2 === 0), lines])
    await importAccount(store.database, REGISTRY, accountId, 'history', part);
  expect(await count('list_outcome')).toBe(lines.length);
  expect(await count('list_pix')).toBeGreaterThan(0);
  expect(await differences()).toEqual([]);
});

test('C-12: a payment and an end move them, in an update that changes no index of `transaction`', async () => {
  const accountId = await addBusiness(store.database, store.owner);
  const changes = await store.database.withTx(async (tx) => {
    const [row] = await readProcesses(tx, [{ accountId, transactionId: 1n }]);
    if (!row) throw new Error('there is no transaction');
    const before = await updatesOf(tx);
    await changeTransactions(tx, [{ ...row, pixE2e: 'E1' }]);
    await changeTransactions(tx, [{ ...row, pixE2e: 'E2', component: 'success', state: 'DONE' }]);
    const after = await updatesOf(tx);
    return { all: after.all - before.all, hot: after.hot - before.hot };
  });
  expect(changes).toEqual({ all: 2n, hot: 2n });
  expect(await differences()).toEqual([]);
  const { rows } = await store.owner.query(
    `select o.outcome, x.pix_e2e as pix from list_outcome o join list_pix x using (account_id, family, list_seq) where account_id = $1`,
    [String(accountId)],
  );
  expect(rows).toEqual([{ outcome: 'SUCCESS', pix: 'E2' }]);
});

test.each([
  'list_outcome',
  'list_pix',
])('%s is written by triggers alone: the gateway cannot', async (table) => {
  const name = `test_${table}`;
  await expect(store.database.query({ name, text: `delete from ${table}` }, [])).rejects.toThrow(
    'permission denied',
  );
});

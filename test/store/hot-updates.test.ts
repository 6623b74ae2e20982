/**
 * Goal: a step of a transaction writes its row and leaves the indexes alone, which is most of what an update costs. Method:
 * PostgreSQL's own count of such updates, within the database transaction that makes them.
 */
import { expect, test } from 'vitest';
import { changeTransactions, findBySession, readProcesses } from '../../src/store/engine/processes.ts';
import { useDatabase } from '../support/database.ts';
import { addBusiness } from '../support/events.ts';

const test$ = useDatabase();

test('a step of a transaction changes no index; its session is found by its token', async () => {
  const accountId = await addBusiness(test$.database, test$.owner);
  await test$.owner.query(`update transaction set process = '{"session": "token-1"}' where account_id = $1`, [
    String(accountId),
  ]);
  const changes = await test$.database.withTx(async (tx) => {
    const [row] = await readProcesses(tx, [{ accountId, transactionId: 1n }]);
    if (!row) throw new Error('there is no transaction');
    const process = { ...row.process, approvals: ['key-1'] } as typeof row.process;
    await changeTransactions(tx, [{ ...row, state: 'accepted', process }]);
    return tx.query<{ all: bigint; hot: bigint }>(
      {
        name: 'test_hot',
        text: `select pg_stat_get_xact_tuples_updated(oid) as all, pg_stat_get_xact_tuples_hot_updated(oid) as hot
          from pg_class where oid = 'transaction'::regclass`,
      },
      [],
    );
  });
  expect(changes).toEqual([{ all: 1n, hot: 1n }]);
  expect(await findBySession(test$.database, 'token-1')).toMatchObject({ accountId, state: 'accepted' });
});

/** Goal: without undocumented parts of the driver, a connection that breaks costs its statement and nothing else. Method: the server ends it. */
import { expect, test } from 'vitest';
import { openPlainDatabase } from '../../src/store/connection/plain-connection.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();

test('C-51: a connection that breaks within a transaction fails it, and the process continues', async () => {
  const database = openPlainDatabase(store.url);
  const broken = database.withTx(async (tx) => {
    const [own] = await tx.query<{ pid: number }>({ name: '', text: 'select pg_backend_pid() as pid' }, []);
    await store.owner.query('select pg_terminate_backend($1)', [own?.pid]);
    await tx.query({ name: '', text: 'select 1' }, []);
  });
  await expect(broken).rejects.toThrow();
  expect(await database.query({ name: '', text: 'select 1 as one' }, [])).toEqual([{ one: 1 }]);
  await database.close();
});

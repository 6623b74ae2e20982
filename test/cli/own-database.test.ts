/** Goal: `doctor` blames nobody else for a database that does not answer it. Method: a database whose connections are all taken. */
import { expect, test } from 'vitest';
import { namingItsFailures } from '../../src/cli/own-database.ts';
import { describeFailure } from '../../src/server/process/describe-failure.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
const SLEEP = { name: 'sleep_of_doctor', text: 'select pg_sleep($1)::text' };

test('a time-out of its own connection is reported as one', async () => {
  const narrow = openDatabase(store.url, { connections: 1 });
  try {
    const busy = narrow.query(SLEEP, [4]);
    const late = namingItsFailures(narrow).query(SLEEP, [0]);
    await expect(late).rejects.toThrow('the gateway’s own database did not answer');
    expect(await narrow.query(SLEEP, [0]).catch(describeFailure)).toMatch(
      /^the database did not answer in time: /,
    );
    await busy;
  } finally {
    await narrow.close();
  }
});

test('other failures stay unchanged', async () => {
  const refused = namingItsFailures(store.database).query({ name: '', text: 'select 1 / 0' }, []);
  await expect(refused).rejects.toMatchObject({ code: '22012' });
});

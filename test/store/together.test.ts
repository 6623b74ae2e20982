/**
 * Goal: statements of a database transaction that need no answer of each other go to the server in one piece, and one that fails
 * leaves nothing behind. Method: a proxy before PostgreSQL counts the pieces.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { together } from '../../src/base/concurrency/together.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database, Statement } from '../../src/store/connection/database.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
const sockets = new Set<Socket>();
let server: Server;
let database: Database;
let pieces = 0;

beforeAll(async () => {
  const url = new URL(store.url);
  const port = Number(url.port);
  server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    near.on('data', (bytes) => {
      pieces += 1;
      far.write(bytes);
    });
    far.on('data', (bytes) => near.write(bytes));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url.port = String((server.address() as AddressInfo).port);
  url.hostname = '127.0.0.1';
  database = openDatabase(url.toString(), { connections: 1 });
});
afterAll(async () => {
  await database.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const LOCK: Statement = { name: 'test_lock', opens: true, text: 'select pg_backend_pid() as pid' };
const IS_IN: Statement = {
  name: 'test_is_in',
  text: "select set_config('test.place', $1, true) as place",
};
const FAIL: Statement = { name: 'test_fail', text: 'select 1 / $1::int as nothing' };

test('a transaction that locks, does two things and commits is three pieces', async () => {
  const run = () =>
    database.withTx(async (tx) => {
      await tx.query(LOCK, []);
      return together([tx.query(IS_IN, ['a']), tx.query(IS_IN, ['b'])]);
    });
  await run();
  pieces = 0;
  const [[first], [second]] = await run();
  expect([first, second]).toMatchObject([{ place: 'a' }, { place: 'b' }]);
  expect(pieces).toBe(3);
});

test('statements after a failed one are not executed, and their connection stays usable', async () => {
  const made = database.withTx((tx) =>
    together([tx.query(IS_IN, ['a']), tx.query(FAIL, [0]), tx.query(IS_IN, ['b'])]),
  );
  await expect(made).rejects.toThrow('division by zero');
  const after = await database.withTx((tx) => together([tx.query(IS_IN, ['c']), tx.query(FAIL, [1])]));
  expect(after).toMatchObject([[{ place: 'c' }], [{ nothing: 1 }]]);
});

test('tasks that were started together have all ended when one of them fails', async () => {
  let ended = false;
  const slow = new Promise((resolve) => setImmediate(resolve)).then(() => {
    ended = true;
  });
  await expect(together([Promise.reject(new Error('first')), slow])).rejects.toThrow('first');
  expect(ended).toBe(true);
});

test('the error is why the transaction was aborted, not that it was', async () => {
  const made = database.withTx((tx) => {
    const failing = tx.query(FAIL, [0]);
    const behind = tx.query(IS_IN, ['c']);
    return together([behind, failing]);
  });
  await expect(made).rejects.toMatchObject({ code: '22012' });
  const none = database.withTx(async (tx) => {
    await tx.query(FAIL, [0]).catch(() => {});
    return together([tx.query(IS_IN, ['d'])]);
  });
  await expect(none).rejects.toMatchObject({ code: '25P02' });
});

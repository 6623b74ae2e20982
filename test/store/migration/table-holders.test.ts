/**
 * Goal: a gateway that was stopped in the middle of a transaction does not keep a cell from being fenced; no other session is ended. Method:
 * processes that write, send half a message, and are stopped with SIGSTOP; a person's session that is idle in a transaction.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { awaitWriters, lowerFence, raiseFence } from '../../../src/store/migration/cell-fence.ts';
import { CellServer } from '../../../src/store/migration/cell-server.ts';
import type { TableHolder } from '../../../src/store/migration/table-holders.ts';
import { useDatabase } from '../../support/database.ts';

const LONG_MS = 300_000;
const store = useDatabase();
const children: ChildProcess[] = [];
const ended: TableHolder[] = [];
const onEnded = (holder: TableHolder) => void ended.push(holder);
let source: CellServer;

beforeAll(async () => {
  source = await CellServer.connect({ url: store.ownerUrl, schema: 'public' });
});
afterEach(async () => {
  ended.length = 0;
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});
afterAll(() => source?.close());

/** The first bytes of a message of 100 bytes; with a parsed statement before it the server waits within a statement. */
const CLIENT = `
  import pg from 'pg';
  const [url, application_name] = process.argv.slice(1);
  const client = new pg.Client({ connectionString: url, application_name });
  client.on('error', () => {});
  await client.connect();
  await client.query("set idle_in_transaction_session_timeout = '3s'");
  await client.query("begin; insert into rate (mode, asset, mid, observed_at) values ('sandbox', 'STOPPED', 1, now())");
  client.connection.parse({ text: 'select 1', name: '' }, true);
  client.connection.flush();
  client.connection.stream.write(Buffer.from([0x42, 0, 0, 0, 100, 0, 0]));
  console.log(client.processID);
  setInterval(() => {}, 1000);
`;

/** Starts a process that writes, and stops it within a message. @returns the number of its session. */
async function stoppedClient(application: string): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CLIENT, store.url, application], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [pid] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGSTOP');
  return Number(pid);
}

const rowsOfStopped = async () =>
  (await store.owner.query(`select from rate where asset = 'STOPPED'`)).rowCount;

test(
  'the session of a gateway that was stopped within a message is ended, and the fence is raised',
  async () => {
    const pid = await stoppedClient('crossramp');
    await awaitWriters(source, { onEnded });
    expect(ended).toEqual([{ pid, application: 'crossramp', age: expect.any(Number), isEnded: true }]);
    await raiseFence(source, 'elsewhere', { onEnded });
    expect(await rowsOfStopped()).toBe(0);
    await lowerFence(source, { onEnded });
    expect(await source.cell()).toMatchObject({ state: 'serving' });
  },
  LONG_MS,
);

test(
  'a session of another program is not ended: the refusal names it',
  async () => {
    const pid = await stoppedClient('report');
    const waiting = awaitWriters(source, { onEnded, attempts: 6 });
    await expect(waiting).rejects.toThrow(
      new RegExp(
        `^a writer of the source does not end: .*; rate is locked by pid ${pid} \\(report, in a transaction for \\d+ s\\)$`,
      ),
    );
    expect(ended).toEqual([]);
  },
  LONG_MS,
);

test(
  'a gateway whose statement the server works on is waited for',
  async () => {
    const client = new pg.Client({ connectionString: store.url, application_name: 'crossramp' });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(`update rate set mid = mid where false`);
      const working = client.query('select pg_sleep(15)');
      await awaitWriters(source, { onEnded, attempts: 6 }).catch(() => {});
      await working;
      await client.query('commit');
      expect(ended).toEqual([]);
    } finally {
      await client.end();
    }
  },
  LONG_MS,
);

/**
 * Goal: processes that have workers do not wake those of each other, and still tell everybody who follows an account (issue
 * of two processes on one busy account). Method: notifiers on a real PostgreSQL; a worker whose claims are counted.
 */
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createServices } from '../../src/compose/services.ts';
import { startWorker } from '../../src/resolvers/engine/run-jobs.ts';
import { Notifier } from '../../src/resolvers/services/notifier.ts';
import { connectNotifier } from '../../src/server/process/remote-notifier.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useDatabase } from '../support/database.ts';
import { eventually } from '../support/receiver.ts';

const store = useDatabase();
const log = pino({ level: 'silent' });
const CONFIG = { publicUrl: 'http://127.0.0.1', exactIntegers: false, sandboxAuto: false };
/** Between two looks of a worker that nobody notified. */
const POLL_MS = 150;
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** A process on the notifier. @returns what it heard: as a follower, and as one that works. */
async function join(works: boolean) {
  const notifier = new Notifier();
  const heard = { any: [] as bigint[], work: [] as bigint[] };
  notifier.onAny((accountIds) => heard.any.push(...accountIds));
  notifier.onWork((accountIds) => heard.work.push(...accountIds));
  const wire = await connectNotifier(notifier, { url: store.url, schema: 'public', works }, log);
  endings.push(wire.close);
  const move = (accountId: bigint) => notifier.notifyMoved([{ accountId, transactionId: 1n }]);
  return { heard, move };
}

test('a move by a process with workers wakes the followers of others, and not their workers', async () => {
  const worker = await join(true);
  const server = await join(false);
  const far = await join(true);
  worker.move(1n);
  await eventually('the notification of the worker', () => far.heard.any.includes(1n));
  server.move(2n);
  await eventually('the notification of the server', () => far.heard.work.includes(2n));
  expect(far.heard).toEqual({ any: [1n, 2n], work: [2n] });
  await eventually('both notifications at the server', () => server.heard.any.includes(1n));
  await eventually('the notification of the server at the worker', () => worker.heard.work.includes(2n));
  // Its own workers hear what it moved at once, and not again when its message comes back.
  expect(worker.heard.work).toEqual([1n, 2n]);
});

test('a notification handled elsewhere makes no worker claim; any other does so immediately', async () => {
  let claims = 0;
  const query: Database['query'] = (statement, values) => {
    if (statement.name === 'job_claim') claims += 1;
    return store.database.query(statement, values);
  };
  const services = createServices({
    database: { ...store.database, query },
    registry: REGISTRY,
    config: CONFIG,
  });
  const begunMs = performance.now();
  endings.push(startWorker(services, log).stop);
  const ringUntil = (count: number, isWorkedOn: boolean) =>
    eventually(`${count} claims`, () => {
      services.notifier.notify([1n], { isWorkedOn });
      return claims >= count;
    });
  await ringUntil(8, true);
  // Between claims that nobody was notified for lies the pause of the poll, on any machine: more than these there cannot be.
  expect(claims).toBeLessThanOrEqual(2 + (performance.now() - begunMs) / (POLL_MS - 2));
  await ringUntil(claims + 8, false);
});

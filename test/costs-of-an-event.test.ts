/**
 * Goal: relay and delivery of an event stay cheap: what waits is relayed, leased and ended together. Method: statements are
 * counted while events of 48 transactions of one account go to a receiver on this machine. `npm run count` prints the figures.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WebhookWorker } from '../src/webhooks/worker.ts';
import { beginCount, counted } from './support/count-statements.ts';
import { useDatabase } from './support/database.ts';
import { addBusiness, addEndpointRow, writeEvents } from './support/events.ts';
import { unpinned } from './support/hot-statements.ts';
import { useReceiver } from './support/receiver.ts';
import { runWebhooks, TestClock } from './support/webhooks.ts';

/** Statements of relay and delivery for each event: goal of the project. On a busy machine more is done together. */
const MAX = 3;
const TRANSACTIONS = 48;
const ROUNDS = 7;

const test$ = useDatabase();
const receiver = useReceiver();
const clock = new TestClock();
let worker: WebhookWorker;
beforeAll(() => {
  worker = runWebhooks(test$.database, clock);
});
afterAll(() => worker?.stop());

test('events of 48 transactions in parallel', { timeout: 120_000 }, async () => {
  const accountId = await addBusiness(test$.database, test$.owner, { transactions: TRANSACTIONS });
  await addEndpointRow(test$.owner, accountId, { id: 'e', url: receiver.url('counted') });
  const happen = async () => {
    const events = Array.from({ length: TRANSACTIONS }, (_, n) => ({
      accountId,
      transactionId: BigInt(n + 1),
    }));
    await writeEvents(test$.database, events);
    clock.notifier.notifyMoved([{ accountId, transactionId: 0n }]);
  };
  await happen();
  await receiver.until('counted', TRANSACTIONS, 60_000);
  beginCount();
  for (let round = 0; round < ROUNDS; round += 1) await happen();
  const events = TRANSACTIONS * ROUNDS;
  await receiver.until('counted', TRANSACTIONS + events, 60_000);
  await worker.stop();
  const { byName } = counted();
  // Six statements of each round are the test's own: it locks the account, and writes the events in one database transaction.
  const own = new Map([
    ['begin', ROUNDS],
    ['commit', ROUNDS],
    ['test_lock', ROUNDS],
    ['process_record', ROUNDS],
  ]);
  const costs = [...byName].map(([name, count]) => [name, (count - (own.get(name) ?? 0)) / events] as const);
  if (process.env.COUNT === '1')
    for (const [name, each] of costs) process.stdout.write(`${each.toFixed(3).padStart(9)}  ${name}\n`);
  expect(unpinned(byName.keys())).toEqual([]);
  expect(costs.reduce((sum, [, each]) => sum + each, 0)).toBeLessThanOrEqual(MAX);
});

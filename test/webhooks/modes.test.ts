/**
 * Goal: webhooks of live accounts follow the clock of the machine, and never plain http, whatever the sandbox beside them does
 * (C-40, C-63). Method: webhooks of both modes on one database; the clock of the sandbox is a month ahead.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/store/connection/database.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useDatabase } from '../support/database.ts';
import { addBusiness, addEndpointRow, writeEvents } from '../support/events.ts';
import { SYSTEM_CLOCK } from '../support/machine-clock.ts';
import { useReceiver } from '../support/receiver.ts';
import { TEST_SECRETS } from '../support/secrets.ts';
import { DAY, HOUR, runWebhooks, SILENT, TestClock } from '../support/webhooks.ts';

const store = useDatabase();
const receiver = useReceiver();
const clock = new TestClock();
const workers: WebhookWorker[] = [];

beforeAll(() => {
  clock.advance(30 * DAY);
  const services = {
    database: store.database,
    clock: SYSTEM_CLOCK,
    secrets: TEST_SECRETS,
    notifier: clock.notifier,
    mode: 'live',
  } as const;
  workers.push(
    runWebhooks(store.database, clock),
    startWebhooks(services, SILENT, { allowsLoopback: false, timeoutMs: 1_000 }),
  );
});
afterAll(() => Promise.all(workers.map(({ stop }) => stop())));

async function open(mode: 'sandbox' | 'live') {
  const accountId = await addBusiness(store.database, store.owner, { mode });
  await addEndpointRow(store.owner, accountId, { id: 'e', url: receiver.url(mode) });
  return accountId;
}
async function happen(...accountIds: bigint[]): Promise<void> {
  await writeEvents(
    store.database,
    accountIds.map((accountId) => ({ accountId })),
  );
  clock.notifier.notifyMoved(accountIds.map((accountId) => ({ accountId, transactionId: 0n })));
}
const attempts = async (accountId: bigint) =>
  (
    await store.owner.query(
      `select d.attempts, a.error, extract(epoch from d.due_at - now()) * 1000 < $2 and abs(extract(epoch from d.created_at - now())) * 1000 < $2
           and abs(extract(epoch from a.at - now())) * 1000 < $2 as "isNear"
         from webhook_delivery d join webhook_attempt a on a.account_id = d.account_id and a.delivery_id = d.id where d.account_id = $1`,
      [String(accountId), HOUR],
    )
  ).rows;

test('C-40, C-63: the deliveries of an account follow the clock and the rules of its mode', async () => {
  const [play, live] = [await open('sandbox'), await open('live')];
  await happen(play, live);
  await receiver.until('sandbox', 1);
  await expect.poll(() => attempts(live)).not.toEqual([]);
  // What waits is due long ago on the clock of the sandbox, which works on: there all ten tries would be over by now.
  clock.advance(30 * DAY);
  await happen(play);
  await receiver.until('sandbox', 2);
  const tried = await attempts(live);
  expect(tried.length).toBeLessThanOrEqual(2);
  for (const each of tried)
    expect(each).toMatchObject({ error: expect.stringContaining('URL_REFUSED'), isNear: true });
  expect(receiver.at('live')).toEqual([]);
});

test('an account wakes the webhooks of its own mode only', async () => {
  const [play, live] = [await open('sandbox'), await open('live')];
  const locked: bigint[][] = [];
  const withTx: Database['withTx'] = (work) =>
    store.database.withTx((tx) =>
      work({
        query: (statement, values) => {
          if (statement.name === 'relay_lock') locked.push([...(values[0] as bigint[])]);
          return tx.query(statement, values);
        },
      }),
    );
  const services = {
    database: { ...store.database, withTx },
    clock: SYSTEM_CLOCK,
    secrets: TEST_SECRETS,
    notifier: clock.notifier,
    mode: 'live',
  } as const;
  workers.push(startWebhooks(services, SILENT, { allowsLoopback: false, timeoutMs: 1_000 }));
  await happen(play);
  await receiver.until('sandbox', 3);
  await happen(play, live);
  await expect.poll(() => locked, { timeout: 15_000 }).toContainEqual([live]);
  expect(locked.flat()).not.toContain(play);
});

/**
 * Goal: relays and dispatchers of several processes do not work for nothing on an account that is busy, and nobody's events wait
 * for longer than a rest (bench/notes/two-processes-on-one-account.md). Method: turns that are taken by hand, and statements that are counted.
 */
import { expect, test } from 'vitest';
import type { Database, Statement } from '../../src/store/connection/database.ts';
import { relayLag } from '../../src/store/webhooks/relay.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { createRelay } from '../../src/webhooks/relay.ts';
import { useDatabase } from '../support/database.ts';
import { addBusiness, addEndpointRow, writeEvents } from '../support/events.ts';
import { SYSTEM_CLOCK } from '../support/machine-clock.ts';
import { eventually } from '../support/receiver.ts';
import { runWebhooks, SILENT, TestClock } from '../support/webhooks.ts';

const store = useDatabase();
/** Rest of an account, and of a dispatcher that found nothing; less what timers may come early. */
const REST_MS = 48;

/** A database that counts the statements of a name. */
function counting(name: string) {
  let count = 0;
  const note = (statement: Statement) => {
    if (statement.name === name) count += 1;
  };
  const database: Database = {
    ...store.database,
    withTx: (work) =>
      store.database.withTx((tx) =>
        work({
          query: (statement, values) => {
            note(statement);
            return tx.query(statement, values);
          },
        }),
      ),
  };
  return { database, count: () => count };
}

function relayOf() {
  const { database, count } = counting('relay_lock');
  return { ...createRelay({ database, clock: SYSTEM_CLOCK, mode: 'sandbox' }, SILENT), steps: count };
}

/** Most steps since a moment of an account that rests: on any machine, whatever a step takes. */
const stepsMax = (sinceMs: number) => 3 + ((performance.now() - sinceMs) * 21) / (REST_MS * 20);

test('an account without receivers pauses between its cycles, and all its events are processed', async () => {
  const accountId = await addBusiness(store.database, store.owner);
  const relay = relayOf();
  const beganMs = performance.now();
  for (let n = 0; n < 40; n += 1) {
    await writeEvents(store.database, [{ accountId }]);
    relay.noteEvents([accountId]);
    await relay.cycle();
  }
  expect(relay.steps()).toBeLessThanOrEqual(stepsMax(beganMs));
  await eventually('all events', async () => {
    await relay.cycle();
    return (await relayLag(store.database)).events === 0 || undefined;
  });
});

test('C-61: of two relays that are notified of every commit, one makes all deliveries and the other pauses', async () => {
  const accountId = await addBusiness(store.database, store.owner);
  await addEndpointRow(store.owner, accountId, { id: 'e' });
  const [one, other] = [relayOf(), relayOf()];
  const beganMs = performance.now();
  for (let n = 0; n < 40; n += 1) {
    await writeEvents(store.database, [{ accountId }]);
    for (const relay of [one, other]) relay.noteEvents([accountId]);
    expect((await one.cycle()).deliveries).toBe(1);
    expect((await other.cycle()).deliveries).toBe(0);
  }
  expect(other.steps()).toBeLessThanOrEqual(stepsMax(beganMs));
  // The first one has died: the other one relays what comes.
  await writeEvents(store.database, [{ accountId }]);
  other.noteEvents([accountId]);
  await eventually('the last event', async () => (await other.cycle()).deliveries === 1 || undefined);
});

/** @returns how often a dispatcher looked that was notified again and again, and how long that was. */
async function looksOf(notify: (notifier: TestClock['notifier']) => void) {
  const { database, count } = counting('turn_take');
  const clock = new TestClock();
  const beganMs = performance.now();
  const webhooks = runWebhooks(database, clock);
  try {
    await eventually('many notifications', () => {
      notify(clock.notifier);
      return performance.now() - beganMs >= 20 * REST_MS || undefined;
    });
    return { looks: count(), beganMs };
  } finally {
    await webhooks.stop();
  }
}

test('notifications of other processes make a dispatcher scan from time to time', async () => {
  const accountId = await addBusiness(store.database, store.owner);
  const { looks, beganMs } = await looksOf((notifier) => notifier.notify([accountId]));
  expect(looks).toBeLessThanOrEqual(stepsMax(beganMs));
});

test('commits of the engine make a dispatcher scan only for the deliveries that the relay made of them', async () => {
  const accountId = await addBusiness(store.database, store.owner);
  const move = { accountId, transactionId: 1n, row: {} as ProcessRow };
  const { looks, beganMs } = await looksOf((notifier) => notifier.notifyMoved([move]));
  // It looks once a second whatever happens.
  expect(looks).toBeLessThanOrEqual(2 + (performance.now() - beganMs) / 990);
});

/**
 * Goal: every event becomes a delivery of each endpoint that wants it, exactly once, in order, whatever writers and
 * relays do at the same time (C-61, docs of the event log). Method: events written as the engine writes them; the
 * control is a naive reader by ids, which loses some.
 */
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/database.ts';
import { relayStep } from '../../src/store/relay.ts';
import { transactionEndpointId } from '../../src/store/webhooks.ts';
import { relayAll } from '../../src/webhooks/relay.ts';
import { useDatabase } from '../support/database.ts';
import { addBusiness, addEndpointRow, TEMPLATE, type Written, writeEvents } from '../support/events.ts';
import { eventually } from '../support/receiver.ts';

const test$ = useDatabase();
const clock = { nowMs: async () => Date.now() };

/** Relays until nothing is held back: transactions of other tests on this server hold the horizon. */
const relay = () =>
  eventually('the relay has caught up', async () =>
    (await relayAll({ database: test$.database, clock })).isBehind ? undefined : true,
  );
const deliveriesOf = async (accountId: bigint) =>
  (
    await test$.owner.query<{ endpoint: string; seq: number }>(
      `select endpoint_id as endpoint, event_seq::int as seq from webhook_delivery where account_id = $1 order by id`,
      [String(accountId)],
    )
  ).rows;
const business = (options?: Parameters<typeof addBusiness>[2]) =>
  addBusiness(test$.database, test$.owner, options);
const write = (events: readonly Written[], before?: () => Promise<void>) =>
  writeEvents(test$.database, events, before);
const endpoint = (accountId: bigint, row: Parameters<typeof addEndpointRow>[2]) =>
  addEndpointRow(test$.owner, accountId, row);
const endpointsAfter = async (accountId: bigint, events: readonly Omit<Written, 'accountId'>[] = [{}]) => {
  await write(events.map((event) => ({ ...event, accountId })));
  await relay();
  return (await deliveriesOf(accountId)).map(({ endpoint: id }) => id).sort();
};

describe('where events go', () => {
  test('the general endpoints, all of them', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'g1' });
    await endpoint(accountId, { id: 'g2' });
    expect(await endpointsAfter(accountId)).toEqual(['g1', 'g2']);
  });

  test('those of the template instead, if there are any', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'g' });
    await endpoint(accountId, { id: 'mine', kind: 'template', template: TEMPLATE });
    await endpoint(accountId, { id: 'other', kind: 'template', template: 'offramp' });
    expect(await endpointsAfter(accountId)).toEqual(['mine']);
  });

  test("the transaction's own URL before all", async () => {
    const url = 'http://127.0.0.1:9/own';
    const accountId = await business({ webhook: url });
    await endpoint(accountId, { id: 'g' });
    await endpoint(accountId, { id: 't', kind: 'template', template: TEMPLATE });
    expect(await endpointsAfter(accountId)).toEqual([transactionEndpointId(url)]);
  });

  test('a paused endpoint gets its deliveries, a disabled one keeps its place but gets none, a removed one has no place', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'g', state: 'paused' });
    await endpoint(accountId, {
      id: 'gone',
      kind: 'template',
      template: TEMPLATE,
      removed_at: '2026-01-01T00:00:00Z',
    });
    expect(await endpointsAfter(accountId)).toEqual(['g']);
    await endpoint(accountId, { id: 'off', kind: 'template', template: TEMPLATE, state: 'disabled' });
    expect(await endpointsAfter(accountId)).toEqual(['g']);
  });

  test('names with * for any part', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'all' });
    await endpoint(accountId, { id: 'exact', event_names: ['onramp.payment.paid'] });
    await endpoint(accountId, { id: 'part', event_names: ['offramp.*.*', '*.payment.*'] });
    await endpoint(accountId, { id: 'none', event_names: ['onramp.*', 'onrampXpayment.paid', '*'] });
    expect(await endpointsAfter(accountId)).toEqual(['all', 'exact', 'part']);
    const more = await endpointsAfter(accountId, [{ state: 'expired' }]);
    expect(more).toEqual(['all', 'all', 'exact', 'part', 'part']);
  });

  test('accounts are apart', async () => {
    const [one, two] = [await business(), await business()];
    await endpoint(one, { id: 'e' });
    await endpoint(two, { id: 'e' });
    await write([{ accountId: one }, { accountId: two }, { accountId: two }]);
    await relay();
    expect(await deliveriesOf(one)).toHaveLength(1);
    expect(await deliveriesOf(two)).toHaveLength(2);
  });
});

describe('exactly once', () => {
  test('a backlog of several steps, by relays that come and go', async () => {
    const accountId = await business({ transactions: 10 });
    await endpoint(accountId, { id: 'e' });
    for (let n = 0; n < 5; n += 1)
      await write(
        Array.from({ length: 500 }, (_, at) => ({ accountId, transactionId: BigInt((at % 10) + 1) })),
      );
    // Relays that die after any step: the place moved with what it made, or nothing happened.
    const databases = [openDatabase(test$.url), openDatabase(test$.url)];
    try {
      let events = 0;
      await eventually('all steps', async () => {
        const steps = await Promise.all(databases.map((database) => relayStep(database, Date.now())));
        for (const step of steps) events += step.events;
        return events >= 2_500 || undefined;
      });
      expect(events).toBe(2_500);
    } finally {
      for (const database of databases) await database.close();
    }
    const rows = await deliveriesOf(accountId);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 2_500 }, (_, at) => at + 1));
  });

  test('a step that fails leaves its place', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'e' });
    await write([{ accountId }]);
    const failing = test$.database.withTx(async (tx) => {
      await eventually('the step', async () => (await relayStep(tx, Date.now())).events > 0 || undefined);
      throw new Error('the process dies');
    });
    await expect(failing).rejects.toThrow('dies');
    expect(await deliveriesOf(accountId)).toEqual([]);
    await relay();
    expect(await deliveriesOf(accountId)).toHaveLength(1);
  });

  test('what an account numbered first is delivered first, though its writer began later', async () => {
    const [low, middle, high] = [await business(), await business(), await business()];
    await endpoint(high, { id: 'e' });
    // The first writer holds `middle`. The second begins, locks `low` and waits there. Then an onlooker begins, whose end
    // the relay awaits, and the third writes to `high` and commits: its event is numbered before that of the second, but
    // stands behind the onlooker.
    const first = hold([{ accountId: middle }]);
    await first.isThere;
    const second = write([{ accountId: low }, { accountId: middle }, { accountId: high }]);
    await eventually('the second writer waits', async () => {
      const { rows } = await test$.owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0 || undefined;
    });
    const onlooker = hold([{ accountId: await business() }]);
    await onlooker.isThere;
    await write([{ accountId: high }]);
    first.release();
    await Promise.all([first.done, second]);
    const step = await relayAll({ database: test$.database, clock });
    const relayed = await deliveriesOf(high);
    onlooker.release();
    await onlooker.done;
    expect(step.isBehind).toBe(true);
    expect(relayed.map(({ seq }) => seq)).toEqual([1, 2]);
    await relay();
    expect((await deliveriesOf(high)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  /** A writer that has its locks and does not end. */
  function hold(events: readonly Written[]) {
    let release = () => {};
    let arrive = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isThere = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const done = write(events, () => {
      arrive();
      return held;
    });
    return { isThere, release, done };
  }
});

describe('16 writers at once', () => {
  const WRITERS = 16;
  const ROUNDS_MAX = 20;

  test('a reader by ids misses events, the relay misses none', { timeout: 60_000 }, async () => {
    const accountIds = await Promise.all(
      Array.from({ length: WRITERS }, () => business({ transactions: 2 })),
    );
    for (const accountId of accountIds) await endpoint(accountId, { id: 'e' });
    const writers = openDatabase(test$.url, { connections: WRITERS });
    const naive = { last: 0n, seen: 0 };
    const readNaively = async () => {
      const { rows } = await test$.owner.query<{ id: string }>(
        'select id from event where id > $1 order by id',
        [String(naive.last)],
      );
      naive.seen += rows.length;
      naive.last = BigInt(rows.at(-1)?.id ?? naive.last);
    };
    await readNaively();
    naive.seen = 0;
    let written = 0;
    try {
      for (let round = 0; round < ROUNDS_MAX && naive.seen >= written; round += 1) {
        let isWriting = true;
        const reading = (async () => {
          while (isWriting) {
            await readNaively();
            await relayStep(test$.database, Date.now());
          }
        })();
        await Promise.all(
          accountIds.map(async (accountId) => {
            for (let n = 0; n < 20; n += 1) {
              await slowWrite(writers, accountId);
              written += 1;
            }
          }),
        );
        isWriting = false;
        await reading;
        await readNaively();
      }
    } finally {
      await writers.close();
    }
    await relay();
    expect(naive.seen).toBeLessThan(written);
    for (const accountId of accountIds) {
      const seqs = (await deliveriesOf(accountId)).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, at) => at + 1));
      expect(seqs).toHaveLength(written / WRITERS);
    }
  });

  /** The event is written, and its transaction goes on for a random while. */
  async function slowWrite(database: ReturnType<typeof openDatabase>, accountId: bigint): Promise<void> {
    await database.withTx(async (tx) => {
      await writeEvents({ ...database, withTx: (work) => work(tx) }, [{ accountId }]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    });
  }
});

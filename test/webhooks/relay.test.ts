/**
 * Goal: every event becomes a delivery of each endpoint that wants it, exactly once, in order, whatever writers and
 * relays do at the same time (C-61, docs of the event log). Method: events written as the engine writes them.
 */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { AccountMode } from '../../src/base/access/account-mode.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { holdRelay, relayLag, relayStep } from '../../src/store/webhooks/relay.ts';
import { transactionEndpointId } from '../../src/store/webhooks/webhooks.ts';
import { createRelay, relayAll } from '../../src/webhooks/relay.ts';
import { useDatabase } from '../support/database.ts';
import { addBusiness, addEndpointRow, TEMPLATE, type Written, writeEvents } from '../support/events.ts';
import { SYSTEM_CLOCK } from '../support/machine-clock.ts';
import { elsewhere } from '../support/one-connection.ts';
import { eventually } from '../support/receiver.ts';

const test$ = useDatabase();

const relay = () => relayAll({ database: test$.database, mode: 'sandbox', clock: SYSTEM_CLOCK });
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

describe('targets of events', () => {
  test('are all general endpoints', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'g1' });
    await endpoint(accountId, { id: 'g2' });
    expect(await endpointsAfter(accountId)).toEqual(['g1', 'g2']);
  });

  test('are the endpoints of the template instead, if there are any', async () => {
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

  test('a paused endpoint gets deliveries, a disabled one gets none but still counts for its template, a removed one does not count', async () => {
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

  test('an endpoint that is created while the relay is behind gets no event from before', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'g' });
    await write([{ accountId }]);
    const { rows } = await test$.owner.query(
      'select event_seq + 1 as next from account_head where account_id = $1',
      [String(accountId)],
    );
    await endpoint(accountId, { id: 'new', from_seq: rows[0].next });
    await endpoint(accountId, { id: 'mine', kind: 'template', template: TEMPLATE, from_seq: 3 });
    // The first is from before both; the second from before the template's endpoint, which takes the third.
    expect(await endpointsAfter(accountId, [{}, {}])).toEqual(['g', 'g', 'mine', 'new']);
  });

  test('match names with * for any part', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'all' });
    await endpoint(accountId, { id: 'exact', event_names: ['onramp.payment.paid'] });
    await endpoint(accountId, { id: 'part', event_names: ['offramp.*.*', '*.payment.*'] });
    await endpoint(accountId, { id: 'none', event_names: ['onramp.*', 'onrampXpayment.paid', '*'] });
    expect(await endpointsAfter(accountId)).toEqual(['all', 'exact', 'part']);
    const more = await endpointsAfter(accountId, [{ state: 'expired' }]);
    expect(more).toEqual(['all', 'all', 'exact', 'part', 'part']);
  });

  test('accounts are separate', async () => {
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
  test('relays that start and die deliver a backlog of several steps', async () => {
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
        const steps = await Promise.all(
          databases.map((database) =>
            relayStep(database, [accountId], { mode: 'sandbox', nowMs: Date.now() }),
          ),
        );
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

  test('a failed step does not move its position', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'e' });
    await write([{ accountId }]);
    const dying: Database = {
      ...test$.database,
      withTx: (work) =>
        test$.database.withTx(async (tx) => {
          await work(tx);
          throw new Error('the process dies');
        }),
    };
    const failing = relayStep(dying, [accountId], { mode: 'sandbox', nowMs: Date.now() });
    await expect(failing).rejects.toThrow('dies');
    expect(await deliveriesOf(accountId)).toEqual([]);
    await relay();
    expect(await deliveriesOf(accountId)).toHaveLength(1);
  });

  test('C-61: an open database transaction anywhere delays nothing', async () => {
    const [open, other] = [await business(), await business()];
    for (const accountId of [open, other]) await endpoint(accountId, { id: 'e' });
    const writer = hold([{ accountId: open }]);
    await writer.isThere;
    await write([{ accountId: other }]);
    await relay();
    expect((await deliveriesOf(other)).map(({ seq }) => seq)).toEqual([1]);
    writer.release();
    await writer.done;
    await relay();
    expect((await deliveriesOf(open)).map(({ seq }) => seq)).toEqual([1]);
  });

  test('events are delivered in the order of their numbers, even if the writer of the first one began later', async () => {
    const [low, middle, high] = [await business(), await business(), await business()];
    await endpoint(high, { id: 'e' });
    // The first writer holds `middle`. The second begins, locks `low` and waits there. Then the third writes to `high` and
    // commits: its event is numbered before that of the second, whose transaction is older.
    const first = hold([{ accountId: middle }]);
    await first.isThere;
    const second = write([{ accountId: low }, { accountId: middle }, { accountId: high }]);
    await eventually('the second writer waits', async () => {
      const { rows } = await test$.owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0 || undefined;
    });
    await write([{ accountId: high }]);
    await relay();
    expect((await deliveriesOf(high)).map(({ seq }) => seq)).toEqual([1]);
    first.release();
    await Promise.all([first.done, second]);
    await relay();
    expect((await deliveriesOf(high)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test('an account that another relay works on is skipped, and found again', async () => {
    const [held, free] = [await business(), await business()];
    for (const accountId of [held, free]) await endpoint(accountId, { id: 'e' });
    await write([{ accountId: held }, { accountId: free }]);
    const during = await test$.database.withTx(async (tx) => {
      expect(await holdRelay(tx, held)).toBe(0n);
      return elsewhere(() => relayAll({ database: test$.database, mode: 'sandbox', clock: SYSTEM_CLOCK }));
    });
    expect(during.held).toEqual([held]);
    expect(await deliveriesOf(held)).toEqual([]);
    expect(await deliveriesOf(free)).toHaveLength(1);
    expect((await relay()).held).toEqual([]);
    expect(await deliveriesOf(held)).toHaveLength(1);
  });

  test('C-61: an account that cannot be relayed is reported, and does not stop the others', async () => {
    const [broken, well] = [await business(), await business()];
    await endpoint(broken, { id: 'e', event_names: ['('] });
    await endpoint(well, { id: 'e' });
    await write([{ accountId: broken }, { accountId: well }]);
    expect((await relay()).failed).toMatchObject([{ accountId: broken, error: { code: '2201B' } }]);
    expect(await deliveriesOf(well)).toHaveLength(1);
    await test$.owner.query(`update webhook_endpoint set event_names = '{}' where account_id = $1`, [
      String(broken),
    ]);
    expect((await relay()).failed).toEqual([]);
    expect(await deliveriesOf(broken)).toHaveLength(1);
  });

  test('the lag is reported until it is zero', async () => {
    const accountId = await business();
    await write([{ accountId }, { accountId }]);
    expect(await relayLag(test$.database)).toMatchObject({ accounts: 1, events: 2 });
    await relay();
    expect(await relayLag(test$.database)).toEqual({ accounts: 0, events: 0, oldestMs: 0 });
  });

  test('the lag is that of the oldest event, however many another account has', async () => {
    const [busy, late] = [await business(), await business()];
    await write([{ accountId: busy }]);
    await write([{ accountId: late }]);
    await test$.owner.query(
      `insert into relay_queue (account_id, seq) select ${busy}, n from generate_series(2, 1001) n;
       update relay_queue set at = now() - interval '1 hour' where account_id = ${late}`,
    );
    const lag = await relayLag(test$.database);
    expect(lag).toMatchObject({ accounts: 2, events: 2 });
    expect(lag.oldestMs).toBeGreaterThanOrEqual(3_600_000);
    expect(await relayLag(test$.database, 'sandbox')).toMatchObject({ accounts: 2 });
    expect(await relayLag(test$.database, 'live')).toMatchObject({ accounts: 0 });
    await test$.owner.query(`delete from relay_queue where account_id = ${busy} and seq > 1`);
    await relay();
  });

  test('the lag query reads one row per account, even without statistics', async () => {
    const accountId = await business();
    await test$.owner.query('vacuum analyze relay_queue');
    const client = await test$.owner.connect();
    const only = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows[0]?.[0];
    const firstNote = `select account_id::int from relay_first_notes('sandbox', 10)`;
    const read = `select sum(pg_stat_get_xact_tuples_returned(oid))::int from pg_class where relname like 'relay_queue%'`;
    try {
      await client.query('begin');
      // From the sixth time on PostgreSQL keeps the plan: one of an empty table.
      for (let n = 0; n < 6; n += 1) expect(await only(firstNote)).toBeUndefined();
      await client.query(
        `insert into relay_queue (account_id, seq) select ${accountId}, n from generate_series(1, 1000) n`,
      );
      const before = await only(read);
      expect(await only(firstNote)).toBe(Number(accountId));
      expect((await only(read)) - before).toBeLessThan(10);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test('a relay logs a lag of more than 5 seconds with its mode, but no smaller lag, and not the lag of the other mode', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'e', event_names: ['('] });
    await write([{ accountId }, { accountId }]);
    /** What the relay of a mode says in its first turn. */
    const told = async (mode: AccountMode) => {
      const lines: object[] = [];
      const write = (line: string) => void lines.push(JSON.parse(line));
      await createRelay(
        { database: test$.database, mode, clock: SYSTEM_CLOCK },
        pino({ base: null }, { write }),
      ).cycle();
      return lines.filter((line) => 'msg' in line && line.msg === 'webhooks are behind the event log');
    };
    const age = (seconds: number) =>
      test$.owner.query(
        `update relay_queue set at = now() - make_interval(secs => $2) where account_id = $1`,
        [String(accountId), seconds],
      );
    try {
      await age(1);
      expect(await told('sandbox')).toEqual([]);
      await age(60);
      expect(await told('live')).toEqual([]);
      const [line, ...more] = await told('sandbox');
      expect(line).toMatchObject({ level: 40, mode: 'sandbox', accounts: 1, events: 2 });
      expect((line as { oldestMs?: number }).oldestMs).toBeGreaterThanOrEqual(60_000);
      expect(more).toEqual([]);
    } finally {
      await test$.owner.query(`update webhook_endpoint set event_names = '{}' where account_id = $1`, [
        String(accountId),
      ]);
      await relay();
    }
  });

  test('an account whose older events were dropped continues with the first stored one', async () => {
    const accountId = await business();
    await endpoint(accountId, { id: 'e' });
    await write([{ accountId }, { accountId }, { accountId }]);
    await test$.owner.query('insert into event_floor (account_id, seq) values ($1, 3)', [String(accountId)]);
    await relay();
    expect((await deliveriesOf(accountId)).map(({ seq }) => seq)).toEqual([3]);
    expect(await relayLag(test$.database)).toMatchObject({ accounts: 0 });
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

describe('the database keeps the log dense', () => {
  const insert = (accountId: bigint, head: number, ...seqs: number[]) =>
    test$.owner.query(
      `with head as (update account_head set event_seq = $2 where account_id = $1)
       insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
         select $1, n, 'onramp.payment.paid', 1, n, 'payment', 'paid', case when n = 2 then '2020-01-01Z' else now() end, '{}'
           from unnest($3::int[]) n`,
      [String(accountId), head, seqs],
    );

  test.each([
    ['a number that was given, in another month', 2, [2]],
    ['a number that is left out', 5, [4, 5]],
    ['one that is left out within', 5, [3, 5]],
    ['one that comes twice at once', 4, [3, 3, 4]],
    ['a head that says another one', 4, [3]],
  ])('%s is refused', async (_what, head, seqs) => {
    const accountId = await business();
    await write([{ accountId }, { accountId }]);
    await expect(insert(accountId, head, ...seqs)).rejects.toMatchObject({
      code: expect.stringMatching(/^23/),
    });
    await insert(accountId, 3, 3);
  });
});

describe('16 parallel writers', () => {
  const WRITERS = 16;

  test('do not make a parallel relay miss or repeat an event', { timeout: 60_000 }, async () => {
    const accountIds = await Promise.all(
      Array.from({ length: WRITERS }, () => business({ transactions: 2 })),
    );
    for (const accountId of accountIds) await endpoint(accountId, { id: 'e' });
    const writers = openDatabase(test$.url, { connections: WRITERS });
    let isWriting = true;
    const relaying = Promise.all(
      [1, 2].map(async () => {
        while (isWriting) await relay();
      }),
    );
    try {
      await Promise.all(
        accountIds.map(async (accountId) => {
          for (let n = 0; n < 20; n += 1) await slowWrite(writers, accountId);
        }),
      );
    } finally {
      isWriting = false;
      await relaying;
      await writers.close();
    }
    await relay();
    for (const accountId of accountIds) {
      const seqs = (await deliveriesOf(accountId)).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    }
  });

  /** The event is written, and its transaction goes on for a random while. */
  async function slowWrite(database: Database, accountId: bigint): Promise<void> {
    await database.withTx(async (tx) => {
      await writeEvents({ ...database, withTx: (work) => work(tx) }, [{ accountId }]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    });
  }
});

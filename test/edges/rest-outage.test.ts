/**
 * Goal: without its database the gateway says so, and recovers by itself (C-51). Method: real outages: a proxy in front of
 * the database that goes away, and a database that takes no connections.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ACCOUNT_MODES } from '../../src/base/access/account-mode.ts';
import { newApiKey } from '../../src/base/access/api-key.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { relayAll } from '../../src/webhooks/relay.ts';
import { startApp, useApp } from '../support/app.ts';
import { addBusiness, writeEvents } from '../support/events.ts';
import { withAdmin } from '../support/global-setup.ts';
import { holdAccounts } from '../support/hold-accounts.ts';
import { SYSTEM_CLOCK } from '../support/machine-clock.ts';

describe('while the database is unreachable', () => {
  const app = useApp();
  /** The database as it is reached over a network that can go away. */
  let proxy: Server;
  let isReachable = true;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    const { hostname, port } = new URL(app.url);
    proxy = createServer((near) => {
      if (!isReachable) return near.resetAndDestroy();
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket)).on('error', () => {});
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => proxy?.close());

  const network = {
    url: () => {
      const url = new URL(app.url);
      url.hostname = '127.0.0.1';
      url.port = String((proxy.address() as AddressInfo).port);
      return url.toString();
    },
    takeAway: async () => {
      isReachable = false;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    giveBack: async () => {
      isReachable = true;
    },
  };
  const name = () => new URL(app.url).pathname.slice(1);
  const connections = {
    url: () => app.url,
    takeAway: () =>
      withAdmin(inject('adminUrl'), async (client) => {
        await client.query(`alter database ${name()} allow_connections false`);
        const its = `datname = $1 and application_name = 'crossramp'`;
        await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${its}`, [name()]);
      }),
    giveBack: () =>
      withAdmin(inject('adminUrl'), async (client) => {
        await client.query(`alter database ${name()} allow_connections true`);
      }),
  };

  it.each([
    ['its network is down', network],
    ['it takes no connections', connections],
  ])('C-51: %s: 503 with Retry-After, and recovery without a restart', async (_what, outage) => {
    const database = openDatabase(outage.url());
    const other = await startApp(database);
    const statusOf = async (path: string) => (await other.get(path, app.apiKey)).status;
    try {
      expect(await statusOf('/v2/balance')).toBe(200);
      await outage.takeAway();
      for (const path of ['/v2/balance', '/v2/onramps', '/v2/statement', '/v2/onramp/nobody']) {
        // A key that was believed a moment ago, and one that has to be looked up.
        for (const key of [app.apiKey, newApiKey('test')]) {
          const { status, headers, json } = await other.get(path, key);
          expect([path, status, json.code]).toEqual([path, 503, 'UNAVAILABLE']);
          expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
          expect(headers.get('content-type')).toBe('application/problem+json');
        }
      }
      const ready = await other.get('/readyz', app.apiKey);
      expect([ready.status, ready.headers.get('retry-after')]).toEqual([
        503,
        expect.stringMatching(/^[1-9]\d*$/),
      ]);
      expect(await statusOf('/healthz')).toBe(200);
      await outage.giveBack();
      for (const path of ['/v2/balance', '/readyz']) await expect.poll(() => statusOf(path)).toBe(200);
    } finally {
      await outage.giveBack();
      await other.close();
      await database.close();
    }
  });

  it('C-51: a ready instance reports how far webhooks are behind the event log', async () => {
    const ready = async () => (await app.get('/readyz')).json;
    const none = { accounts: 0, events: 0, oldestMs: 0 };
    const works = { status: 'ready', database: { reads: 'ok', writes: 'ok' } };
    await expect.poll(ready).toEqual({ ...works, webhooks: none });
    // Nothing relays webhooks here.
    const accountId = await addBusiness(app.database, app.owner);
    await writeEvents(app.database, [{ accountId }, { accountId }]);
    await app.owner.query(`update relay_queue set at = now() - interval '1 minute'`);
    await expect.poll(async () => (await ready()).webhooks.oldestMs).toBeGreaterThanOrEqual(60_000);
    expect((await ready()).webhooks).toEqual({ accounts: 1, events: 2, oldestMs: expect.any(Number) });
    for (const mode of ACCOUNT_MODES) await relayAll({ database: app.database, mode, clock: SYSTEM_CLOCK });
    await expect.poll(ready).toEqual({ ...works, webhooks: none });
  });

  it('C-51: an instance that drains reports it in /readyz, and still answers', async () => {
    const other = await startApp(app.database);
    try {
      expect((await other.get('/readyz', app.apiKey)).status).toBe(200);
      other.drain();
      const ready = await other.get('/readyz', app.apiKey);
      expect([ready.status, ready.json.reason]).toEqual([503, 'draining']);
      const { status, headers } = await other.get('/v2/balance', app.apiKey);
      expect([status, headers.get('connection')]).toEqual([200, 'close']);
      expect((await other.get('/healthz', app.apiKey)).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  describe('C-52: an outage ends a request under a key', () => {
    const holdKeys = async () => {
      const holder = await app.owner.connect();
      await holder.query('begin');
      await holder.query('lock table idempotency_key in share mode');
      return {
        release: async () => {
          await holder.query('rollback');
          holder.release(true);
        },
      };
    };
    const leases = async (key: string) =>
      (await app.owner.query('select from idempotency_key where key = $1', [key])).rowCount;
    const waiting = async () =>
      (
        await app.owner.query(
          `select from pg_locks where relation = 'idempotency_key'::regclass and not granted`,
        )
      ).rowCount;

    it.each([
      ['that works', () => holdAccounts(app.owner, app.accountId), () => leases('works')],
      ['whose claim of the key has no answer', holdKeys, waiting],
    ])('%s: its key is released as soon as the database is back', async (what, hold, count) => {
      const key = what.split(' ')[1] as string;
      const database = openDatabase(network.url());
      const other = await startApp(database);
      const create = async () => {
        const answer = await fetch(`${other.publicUrl}/v2/crossramp_checkout`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${app.apiKey}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify({ amount_payment: 50, currency_exit_received_code: 'USDT_TRX' }),
        });
        return answer.status;
      };
      const held = await hold();
      try {
        const first = create();
        await expect.poll(count).toBe(1);
        await network.takeAway();
        expect(await first).toBe(503);
      } finally {
        await held.release();
      }
      try {
        await expect.poll(() => leases(key)).toBe(1);
        // The lease does not end by itself.
        await app.owner.query(`update idempotency_key set leased_until = 'infinity' where key = $1`, [key]);
        await network.giveBack();
        await expect.poll(create).toBe(201);
      } finally {
        await network.giveBack();
        await other.close();
        await database.close();
      }
    });
  });
});

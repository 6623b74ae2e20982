/**
 * Goal: notifications by Redis come again after a network that has gone half-open. Method: a real Redis, and a proxy on which
 * connections fall silent without being closed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Notifier } from '../../../src/resolvers/services/notifier.ts';
import { connectNotifier } from '../../../src/server/process/remote-notifier.ts';
import { freePort } from '../../support/free-port.ts';
import { isInstalled } from '../../support/installed.ts';
import { startProxy, type TestProxy } from '../../support/proxy.ts';

const hasRedis = isInstalled('redis-server');
const log = pino({ level: 'silent' });
const redisOf = (url: string) => ({ url, schema: 'public', works: false });
let redis: ChildProcess | undefined;
let network: TestProxy;
let port = 0;

beforeAll(async () => {
  if (!hasRedis) return;
  port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  redis = spawn('redis-server', options);
  network = await startProxy(port);
});
afterAll(async () => {
  redis?.kill('SIGKILL');
  await network?.close();
});

test.skipIf(!hasRedis)(
  'connections that fall silent are made again, for saying and for hearing',
  async () => {
    const [near, far] = [new Notifier(), new Notifier()];
    const wires = [
      await connectNotifier(near, redisOf(network.url.replace('http', 'redis')), log),
      await connectNotifier(far, redisOf(`redis://127.0.0.1:${port}`), log),
    ];
    const heard = { near: 0n, far: 0n };
    near.onAny(([accountId = 0n]) => {
      if (accountId >= 1_000n) heard.near = accountId;
    });
    far.onAny(([accountId = 0n]) => {
      if (accountId < 1_000n) heard.far = accountId;
    });
    const patience = { timeout: 20_000, interval: 200 };
    try {
      for (const round of [1n, 2n, 3n]) {
        await expect
          .poll(() => {
            near.notifyMoved([{ accountId: round, transactionId: 1n }]);
            far.notifyMoved([{ accountId: 1_000n + round, transactionId: 1n }]);
            return heard;
          }, patience)
          .toEqual({ near: 1_000n + round, far: round });
        network.silence();
      }
    } finally {
      for (const wire of wires) await wire.close();
    }
  },
  90_000,
);

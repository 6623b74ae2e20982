/**
 * Goal: an operator turns metrics on by one setting, in every role, and a fault shows where it should. Method: gateways as processes: one that
 * serves, one that works, one whose wall clock is ahead, one whose database goes away, one without the setting.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { newHome } from './support/home.ts';
import { type Samples, scrape } from './support/metrics.ts';
import { failToStart, type Running, start } from './support/process.ts';
import { startProxy, through } from './support/proxy.ts';
import { eventually } from './support/receiver.ts';

const store = useDatabase();
const { home, remove } = newHome();
const NODE_OPTIONS = `--import=${fileURLToPath(new URL('support/wall-clock.mjs', import.meta.url))}`;
let env: Record<string, string>;
const running: Running[] = [];

beforeAll(() => {
  env = { DATABASE_URL: store.url, SANDBOX: '1', CROSSRAMP_HOME: home, RATE_LIMIT: 'off', DRAIN_DELAY: '0' };
});
afterAll(async () => {
  for (const each of running) await each.end('SIGKILL');
  remove();
});

async function startWith(settings: Record<string, string>): Promise<{ gateway: Running; url: string }> {
  const port = await freePort();
  const gateway = await start({ ...env, METRICS_PORT: String(port), ...settings });
  running.push(gateway);
  return { gateway, url: `http://127.0.0.1:${port}/metrics` };
}
const isUp = (samples: Samples) => samples.get('crossramp_database_up');

/** Ports on which a process listens, from the tables of the kernel. */
function portsOf(pid: number): number[] {
  const inodes = new Set(
    [
      ...execFileSync('ls', ['-l', `/proc/${pid}/fd`], { encoding: 'utf8' }).matchAll(/socket:\[(\d+)\]/g),
    ].map((match) => match[1]),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    execFileSync('cat', [`/proc/${pid}/net/${table}`], { encoding: 'utf8' })
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A' && inodes.has(fields[9]))
      .map((fields) => Number.parseInt((fields[1] as string).split(':')[1] as string, 16)),
  );
}

test('a serving process and a working one both have metrics, and end them with the shutdown', async () => {
  for (const role of ['serve', 'work']) {
    const { gateway, url } = await startWith({ ROLE: role });
    await fetch(`${gateway.baseUrl}/healthz`);
    const samples = await eventually('a counted request', async () => {
      const found = await scrape(url);
      return found.get('crossramp_http_requests_total{route="/healthz",method="GET",outcome="2xx"}')
        ? found
        : undefined;
    });
    expect(isUp(samples)).toBe(1);
    expect(samples.get('crossramp_webhook_endpoints{mode="live",state="enabled"}')).toBe(0);
    expect((await fetch(`${gateway.baseUrl}/metrics`)).status).toBe(404);
    const { code } = await gateway.end('SIGTERM');
    expect(code).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  }
}, 120_000);

test('without the setting there is one listener, with it there are two', async () => {
  const { gateway } = await startWith({ METRICS_PORT: '' });
  const { port } = new URL(gateway.baseUrl);
  expect(portsOf(gateway.child.pid as number)).toEqual([Number(port)]);
  const { gateway: other, url } = await startWith({});
  expect(portsOf(other.child.pid as number).toSorted((a, b) => a - b)).toEqual(
    [Number(new URL(url).port), Number(new URL(other.baseUrl).port)].toSorted((a, b) => a - b),
  );
}, 120_000);

test('a port in use, or an invalid one, ends the start with one line that names the setting', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const first = await failToStart({ ...env, PORT: '0', METRICS_PORT: String(port) });
  expect([first.code, first.stderr]).toEqual([
    1,
    `crossramp: METRICS_PORT: port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another METRICS_PORT\n`,
  ]);
  taken.close();
  const second = await failToStart({ ...env, PORT: '0', METRICS_PORT: 'nine' });
  expect([second.code, second.stderr]).toEqual([
    1,
    'crossramp: METRICS_PORT: expected an integer from 0 to 65535, got nine\n',
  ]);
}, 60_000);

test('a clock that is ahead shows by how much', async () => {
  const { url } = await startWith({ NODE_OPTIONS, WALL_CLOCK_MS: '20000' });
  const ahead = (await scrape(url)).get('crossramp_clock_ahead_seconds');
  expect(ahead).toBeGreaterThan(18);
  expect(ahead).toBeLessThan(22);
}, 60_000);

test('while the database is unreachable, the figures of the process are answered in time, and the others are left out', async () => {
  const proxy = await startProxy(Number(new URL(store.url).port));
  const { gateway, url } = await startWith({
    DATABASE_URL: through(proxy, store.url),
    DATABASE_OWNER_URL: store.ownerUrl,
  });
  try {
    expect(isUp(await scrape(url))).toBe(1);
    proxy.fail('hold');
    const samples = await eventually(
      'the fault',
      async () => {
        const began = performance.now();
        const found = await scrape(url);
        expect(performance.now() - began).toBeLessThan(8_000);
        return isUp(found) === 0 ? found : undefined;
      },
      60_000,
    );
    expect(samples.get('crossramp_process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(samples.get('crossramp_webhook_endpoints{mode="live",state="enabled"}')).toBeUndefined();
    proxy.heal();
    await eventually('the database again', async () => isUp(await scrape(url)) === 1, 60_000);
  } finally {
    proxy.heal();
    await gateway.end('SIGKILL');
    await proxy.close();
  }
}, 180_000);

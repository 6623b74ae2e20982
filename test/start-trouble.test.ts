/**
 * Goal: a start that lets requests in goes on, whatever happens to what is optional; an end keeps answering until load balancers know
 * (C-51). Method: the gateway as a process, behind a proxy that is slow to connect, beside a locked account, and told to end.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { holdAccounts } from './support/hold-accounts.ts';
import { newHome } from './support/home.ts';
import { start, startAtTerminal } from './support/process.ts';
import { startProxy, through } from './support/proxy.ts';

/** As many as a start has opened when it lets requests in. */
const FREE_CONNECTIONS = 6;
const SLOW_MS = 3_000;
const CTRL_C = '\x03';

const store = useDatabase();
const { home, remove } = newHome();
const env = (more: Record<string, string> = {}) => ({
  CROSSRAMP_HOME: home,
  DATABASE_URL: store.url,
  SANDBOX: '1',
  ...more,
});
const statusOf = async (url: string) => (await fetch(url)).status;

beforeAll(async () => {
  // A sandbox that exists, so that a start only needs its link.
  const first = await start(env());
  await first.end('SIGTERM');
}, 120_000);
afterAll(remove);

test('C-51: a start continues when connections take three seconds', async () => {
  const proxy = await startProxy(Number(new URL(store.url).port));
  proxy.delayAfter(FREE_CONNECTIONS, SLOW_MS);
  const running = await start(env({ DATABASE_URL: through(proxy, store.url) }));
  try {
    proxy.delayAfter(Number.POSITIVE_INFINITY, 0);
    await expect.poll(() => statusOf(`${running.baseUrl}/readyz`), { timeout: 20_000 }).toBe(200);
    expect((await running.end('SIGTERM')).code).toBe(0);
  } finally {
    running.child.kill('SIGKILL');
    await proxy.close();
  }
}, 120_000);

test('C-51: a start continues without a link when the account of the sandbox is busy', async () => {
  const { rows } = await store.owner.query<{ id: string }>('select id from account');
  const { release } = await holdAccounts(store.owner, ...rows.map(({ id }) => BigInt(id)));
  const running = await start(env()).finally(release);
  try {
    expect(running.banner).toContain('person link');
    expect(await statusOf(`${running.baseUrl}/readyz`)).toBe(200);
    expect((await running.end('SIGTERM')).code).toBe(0);
  } finally {
    running.child.kill('SIGKILL');
  }
}, 120_000);

test('C-51: a start at a terminal shows a link to sign in, and continues without one when it cannot be made in time', async () => {
  const visit = async () => {
    const { child, ended, baseUrl } = await startAtTerminal(env());
    try {
      expect(await statusOf(`${baseUrl}/readyz`)).toBe(200);
      child.stdin?.write(CTRL_C);
      const { code, stdout } = await ended;
      expect(code).toBe(0);
      // The log is written beside the banner: its line may come later.
      return stdout;
    } finally {
      child.kill('SIGKILL');
    }
  };
  const usual = await visit();
  expect(usual).toMatch(/Console +\S+\/console\/link\/\S+ +\(signs you in once/);
  const { rows } = await store.owner.query<{ id: string }>('select id from account');
  const { release } = await holdAccounts(store.owner, ...rows.map(({ id }) => BigInt(id)));
  const busy = await visit().finally(release);
  expect(busy).toContain('there is no link to sign in');
  expect(busy).toContain('sign in by a link: npm run -s crossramp -- person link');
  expect(busy).not.toContain('/console/link/');
}, 120_000);

test('C-51: a gateway that ends is unready first, and answers new connections until the delay is over', async () => {
  const running = await start(env({ DRAIN_DELAY: '5' }));
  try {
    const ended = running.end('SIGTERM');
    const reason = async () =>
      ((await (await fetch(`${running.baseUrl}/readyz`)).json()) as { reason?: string }).reason;
    await expect.poll(reason, { interval: 20 }).toBe('draining');
    expect(await statusOf(`${running.baseUrl}/healthz`)).toBe(200);
    expect((await ended).code).toBe(0);
    await expect(fetch(`${running.baseUrl}/healthz`)).rejects.toThrow();
  } finally {
    running.child.kill('SIGKILL');
  }
}, 120_000);

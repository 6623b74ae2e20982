/**
 * Goal: the gateway outlives its database, and ends when it is told to (C-51). Method: the gateway as a process, once on
 * the embedded server, which is killed, once on a server that is stopped and does not answer; its log.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newHome } from './support/home.ts';
import { startMortalPostgres } from './support/mortal-postgres.ts';
import { crossramp, start } from './support/process.ts';

/** Levels of the log. */
const [INFO, ERROR] = [30, 50];

const statusOf = async (url: string, init: RequestInit = {}) =>
  (await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) })).status;

test('C-51: the embedded PostgreSQL is killed, and is restarted without a restart of the gateway', async () => {
  const { home, remove } = newHome();
  const running = await start({ CROSSRAMP_HOME: home });
  try {
    const { apiKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
    const headers = { authorization: `Bearer ${apiKey}` };
    const kill = () =>
      process.kill(
        Number(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]),
        'SIGKILL',
      );
    for (const isCommandFirst of [false, true]) {
      kill();
      // A command beside the gateway may be the one that brings it up.
      if (isCommandFirst) expect((await crossramp({ CROSSRAMP_HOME: home }, 'doctor')).code).toBe(0);
      await expect.poll(() => statusOf(`${running.baseUrl}/readyz`), { timeout: 30_000 }).toBe(200);
      expect(await statusOf(`${running.baseUrl}/v2/balance`, { headers })).toBe(200);
    }
    expect((await running.end('SIGTERM')).code).toBe(0);
    expect(() => readFileSync(join(home, 'postgres', 'postmaster.pid'))).toThrow(/ENOENT/);
  } finally {
    running.child.kill('SIGKILL');
    remove();
  }
}, 120_000);

test('C-51: a gateway whose database does not answer still ends', async () => {
  const postgres = await startMortalPostgres();
  const { home, remove } = newHome();
  const running = await start({ CROSSRAMP_HOME: home, DATABASE_URL: postgres.url });
  try {
    postgres.pause();
    await expect.poll(() => statusOf(`${running.baseUrl}/readyz`), { timeout: 30_000 }).toBe(503);
    // A supervisor kills what has not ended after half a minute; whoever is killed has no code.
    const kill = setTimeout(() => running.child.kill('SIGKILL'), 30_000);
    const { code } = await running.end('SIGTERM');
    clearTimeout(kill);
    expect(code).not.toBeNull();
  } finally {
    running.child.kill('SIGKILL');
    postgres.resume();
    await postgres.remove();
    remove();
  }
}, 120_000);

test('C-51: a database out of reach for half a minute is an error in the log of a gateway that nobody probes', async () => {
  const postgres = await startMortalPostgres();
  const { home, remove } = newHome();
  const running = await start({ CROSSRAMP_HOME: home, DATABASE_URL: postgres.url, LOG_LEVEL: 'info' });
  let log = '';
  running.child.stderr?.on('data', (chunk: Buffer) => (log += chunk));
  const linesOf = (message: string) =>
    log
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.includes(`"${message}"`))
      .map((line) => JSON.parse(line));
  try {
    postgres.pause();
    await expect
      .poll(() => linesOf('the gateway has not been ready for a while'), { timeout: 120_000, interval: 500 })
      .toHaveLength(1);
    const [{ level, reason, forMs }] = linesOf('the gateway has not been ready for a while');
    expect([level, reason]).toEqual([ERROR, 'database away']);
    expect(forMs).toBeGreaterThanOrEqual(30_000);
    expect(linesOf('the gateway is ready again')).toEqual([]);
    postgres.resume();
    await expect
      .poll(() => linesOf('the gateway is ready again'), { timeout: 60_000, interval: 500 })
      .toMatchObject([{ level: INFO, forMs: expect.any(Number) }]);
  } finally {
    running.child.kill('SIGKILL');
    postgres.resume();
    await postgres.remove();
    remove();
  }
}, 240_000);

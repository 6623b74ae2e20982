/**
 * Goal: a signal ends a start that is under way, and a second one ends the process where it stands. Method: real processes that
 * something keeps from being ready: another process of the home, a locked table, the history of the demo.
 */
import { readdirSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { withHomeLock } from '../src/postgres/embedded-postgres.ts';
import { readAheadMs } from '../src/store/rails/sandbox.ts';
import { useDatabase } from './support/database.ts';
import { withAdmin } from './support/global-setup.ts';
import { newHome } from './support/home.ts';
import { launch } from './support/process.ts';
import { eventually } from './support/receiver.ts';

const store = useDatabase();
const { home, remove } = newHome();
afterAll(remove);
const env = () => ({ PORT: '0', CROSSRAMP_HOME: home, DATABASE_URL: store.url });
const STOPPED = { code: 0, stdout: '', stderr: '' };

test('a signal ends the wait for another process of the home', async () => {
  await withHomeLock(home, async () => {
    const { child, ended } = launch({ PORT: '0', CROSSRAMP_HOME: home });
    try {
      const waiting = `postgres.lock.${child.pid}-`;
      await eventually('its turn in the line', async () =>
        readdirSync(home).some((name) => name.startsWith(waiting)),
      );
      child.kill('SIGINT');
      expect(await ended).toEqual(STOPPED);
    } finally {
      child.kill('SIGKILL');
    }
  });
  expect(readdirSync(home)).toEqual([]);
});

/** Starts a gateway that waits for a table, and lets go of the table when the work is done. */
async function whileItWaits(
  work: (child: ReturnType<typeof launch>) => Promise<unknown>,
): Promise<ReturnType<typeof launch>> {
  const starting = { current: undefined as ReturnType<typeof launch> | undefined };
  await withAdmin(store.ownerUrl, async (other) => {
    await other.query('begin');
    await other.query('lock table _prisma_migrations in access exclusive mode');
    const launched = launch(env(), '--sandbox');
    starting.current = launched;
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually('its wait', async () => (await store.owner.query(waiting)).rows.length > 0);
    await work(launched);
    await other.query('rollback');
  }).catch((error) => {
    starting.current?.child.kill('SIGKILL');
    throw error;
  });
  return starting.current as ReturnType<typeof launch>;
}

test('a signal while the database is opened: nothing else is begun', async () => {
  const { ended } = await whileItWaits(async ({ child }) => child.kill('SIGTERM'));
  expect(await ended).toEqual(STOPPED);
  expect((await store.owner.query('select from account')).rowCount).toBe(0);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a second %s ends the process at once, with %i', async (signal, code) => {
  await whileItWaits(async ({ child, ended }) => {
    child.kill(signal);
    // The terminal and npm both pass on a Ctrl-C, so the second must not come too soon: it is sent until it is heard.
    const again = setInterval(() => child.kill(signal), 50);
    expect(await ended.finally(() => clearInterval(again))).toEqual({ ...STOPPED, code });
  });
});

test('Ctrl-C under npm, which arrives twice, is one signal', async () => {
  const { ended } = await whileItWaits(async ({ child }) => {
    child.kill('SIGINT');
    child.kill('SIGTERM');
  });
  expect(await ended).toEqual(STOPPED);
});

test('a signal ends the demo, and the clock is that of the machine again', async () => {
  const { child, ended } = launch(env(), '--sandbox', '--demo');
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (text: Buffer) => text.includes('Playing thirty days') && resolve());
    ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  // It is under way.
  await eventually('its first order', async () => {
    return ((await store.owner.query('select from transaction limit 1')).rowCount ?? 0) > 0;
  });
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).not.toContain('is ready');
  expect(await readAheadMs(store.database)).toBe(0);
}, 90_000);

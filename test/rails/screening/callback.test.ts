/**
 * Goal: a callback of a screening provider hastens the jobs that wait for this decision of this provider, whenever it comes. Method: signed
 * requests over HTTP, to the handler on a database with jobs that wait, are leased, or wait for another provider.
 */
import { createHmac } from 'node:crypto';
import type { Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { answerCallbacks } from '../../../src/rails/screening/callback.ts';
import { providerHealth } from '../../../src/rails/screening/provider-health.ts';
import { failureOf, undecidedAt } from '../../../src/rails/screening/query-provider.ts';
import type { HttpSettings } from '../../../src/rails/screening/settings.ts';
import { liveClock } from '../../../src/resolvers/services/clock.ts';
import { close, listen } from '../../../src/server/http/listen.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { useDatabase } from '../../support/database.ts';

const store = useDatabase();
const SECRET = Buffer.from('secret of the callbacks');
const REFERENCE = 'ab'.repeat(16);
const provider = {
  name: 'checks',
  callback: {
    ...{ secret: SECRET, header: 'x-signature', algorithm: 'sha256', encoding: 'hex' },
    ...{ timestampHeader: undefined, toleranceMs: 60_000, reference: ['reference'] },
  },
} as unknown as HttpSettings;
let server: Server;
let url = '';
let accountId: bigint;

beforeAll(async () => {
  accountId = await createAccount(store.database, 'Shop', { templates: ['onramp'], mode: 'live' });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const answer = answerCallbacks([provider], {
    ...{ mode: 'live', database: store.database, clock: liveClock(store.database), log },
    receive: () => Promise.reject(new Error('a screening rail reports no money')),
  });
  const listening = await listen((request, response) => void answer(request, response, 'checks'), {
    host: '127.0.0.1',
    port: 0,
  });
  server = listening.server;
  url = `http://127.0.0.1:${listening.port}`;
});
afterAll(() => close(server, 1_000));
beforeEach(() => store.owner.query('delete from job'));

/** A job with this failure, which is due in an hour. @param isLeased - a worker queries the provider for it. */
async function addJob(error: string | null, isLeased = false): Promise<string> {
  const { rows } = await store.owner.query(
    `insert into job (account_id, kind, due_at, last_error, is_live, leased_by, leased_until)
       values ($1, 'test', now() + interval '1 hour', $2, true, $3::text, case when $3::text is not null then now() + interval '1 hour' end) returning id`,
    [String(accountId), error, isLeased ? 'worker' : null],
  );
  return rows[0].id;
}

/** @returns the numbers of due jobs. */
async function dueJobs(): Promise<string[]> {
  const { rows } = await store.owner.query(
    'select id from job where due_at <= clock_timestamp() order by id',
  );
  return rows.map(({ id }) => id);
}

async function callBack(): Promise<void> {
  const body = JSON.stringify({ reference: REFERENCE });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const { status } = await fetch(url, { method: 'POST', headers: { 'x-signature': signature }, body });
  expect(status).toBe(200);
}

test('a callback hastens jobs of its provider alone, also where another name ends with the same word', async () => {
  const own = await addJob(undecidedAt('checks', REFERENCE));
  await addJob(undecidedAt('more-checks', REFERENCE));
  await addJob(undecidedAt('checks', 'cd'.repeat(16)));
  await callBack();
  expect(await dueJobs()).toEqual([own]);
});

test('the health of a provider names no failure of another one whose name ends with the same word', async () => {
  await addJob(`${failureOf('more-checks')} HTTP 500`);
  await addJob(undecidedAt('more-checks', REFERENCE));
  const health = (name: string) => providerHealth(name, { database: store.database, mode: 'live' }).check();
  expect(await health('checks')).toMatchObject({ ok: true, detail: 'not queried yet by this process' });
  expect(await health('more-checks')).toMatchObject({ ok: false });
});

test('a callback that comes while the job is leased makes it due as soon as it is released', async () => {
  const job = await addJob(null, true);
  await callBack();
  expect(await dueJobs()).toEqual([]);
  await store.owner.query(
    'update job set leased_by = null, leased_until = null, last_error = $2 where id = $1',
    [job, undecidedAt('checks', REFERENCE)],
  );
  await vi.waitFor(async () => expect(await dueJobs()).toEqual([job]), { timeout: 60_000, interval: 200 });
});

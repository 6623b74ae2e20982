/**
 * Goal: an answer that is given again is as safe as the first one: it waits for the synchronous standby too, although the transaction is visible on the primary
 * (decision 0092). Method: a server with a synchronous standby that hangs; a request whose answer is stored comes again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newHome } from '../support/home.ts';
import { type MortalPostgres, startMortalPostgres } from '../support/mortal-postgres.ts';
import { type Running, start } from '../support/process.ts';
import { eventually } from '../support/receiver.ts';
import { makeSynchronous, type Standby, startStandby } from '../support/standby.ts';

const { home, remove } = newHome();
const { home: files, remove: removeFiles } = newHome();
let primary: MortalPostgres;
let standby: Standby;
let gateway: Running;

beforeAll(async () => {
  primary = await startMortalPostgres();
  gateway = await start({ DATABASE_URL: primary.url, SANDBOX: '1', CROSSRAMP_HOME: files, DRAIN_DELAY: '0' });
  standby = await startStandby(primary.url, home, 'away');
  await makeSynchronous(primary.url, 'away');
}, 120_000);
afterAll(async () => {
  await gateway?.end('SIGKILL');
  standby?.signal('SIGCONT');
  await standby?.stop();
  await primary?.remove();
  remove();
  removeFiles();
});

/** @returns the status, and whether the answer was a stored one. */
async function order(): Promise<readonly [number, string | null]> {
  const { apiKey } = JSON.parse(readFileSync(join(files, 'sandbox.json'), 'utf8'));
  const answer = await fetch(`${gateway.baseUrl}/v2/crossramp_checkout`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'again',
    },
    body: JSON.stringify({ amount_payment: 50, currency_exit_received_code: 'USDT_TRX' }),
  });
  return [answer.status, answer.headers.get('idempotent-replayed')];
}

test('a stored answer is returned when the synchronous standby has its transaction', async () => {
  expect(await order()).toEqual([201, null]);
  standby.signal('SIGSTOP');
  let isAnswered = false;
  const again = order().finally(() => {
    isAnswered = true;
  });
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  await eventually('a commit that waits for the standby', async () => {
    const { rows } = await client.query(
      `select from pg_stat_activity where wait_event = 'SyncRep' and query like '%idempotency_key%'`,
    );
    return rows.length > 0;
  });
  await client.end();
  expect(isAnswered).toBe(false);
  standby.signal('SIGCONT');
  expect(await again).toEqual([201, 'true']);
}, 60_000);

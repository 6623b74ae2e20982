/**
 * Goal: several processes work on one database as one gateway. Method: two that serve and two that work, started as the
 * README says, told apart by ROLE; the notifier between them by PostgreSQL and by Redis; each is killed in turn.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../src/store/ledger/verify.ts';
import { useDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { newHome } from './support/home.ts';
import { isInstalled } from './support/installed.ts';
import { type Running, start } from './support/process.ts';
import { eventually, useReceiver } from './support/receiver.ts';

const hasRedis = isInstalled('redis-server');

describe.each([
  ['PostgreSQL', true],
  ['Redis', hasRedis],
] as const)('with the notifier by %s', (wire, isThere) => {
  const store = useDatabase();
  const receiver = useReceiver();
  const place = newHome();
  const running: Running[] = [];
  let redis: ChildProcess | undefined;
  let env: Record<string, string> = {};
  let key = '';

  beforeAll(async () => {
    if (!isThere) return;
    env = { DATABASE_URL: store.url, SANDBOX: '1', CROSSRAMP_HOME: place.home, RATE_LIMIT: 'off' };
    if (wire === 'Redis') {
      const port = await freePort();
      redis = spawn('redis-server', [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
      ]);
      env.NOTIFY_URL = `redis://127.0.0.1:${port}`;
    }
    for (const role of ['serve', 'serve', 'work', 'work']) running.push(await start({ ...env, ROLE: role }));
    key = JSON.parse(readFileSync(join(place.home, 'sandbox.json'), 'utf8')).apiKey;
  }, 120_000);
  afterAll(async () => {
    for (const each of running) await each.end('SIGKILL');
    redis?.kill('SIGKILL');
    place.remove();
  });

  const call = async (on: number, path: string, body?: unknown) => {
    const answer = await fetch(`${running[on]?.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json().catch(() => undefined) };
  };
  const onramp = (name: string) => ({
    amount_payment: 50,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana',
    client_tax_id: '52998224725',
    webhook: receiver.url(name),
  });
  const pay = async (on: number, name: string): Promise<string> => {
    const { json } = await call(on, '/v2/onramp', onramp(name));
    await call(on, '/v2/sandbox/trigger', { scenario: 'pay', end2end: json.end2end });
    return json.end2end;
  };
  test.skipIf(!isThere)(
    'C-25: payouts by both processes at once stay below the threshold of the day',
    async () => {
      const settings =
        'mutation { updateAccountSettings(input: { approvalAbove: "100" }) { errors { code } } }';
      expect(await call(0, '/graphql', { query: settings })).toMatchObject({ status: 200 });
      await call(0, '/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '500' });
      const payout = {
        ...{ amount_sent: '15.79', currency_entry_paid_code: 'USDT_TRX' },
        ...{ client_name: 'Ana', client_tax_id: '52998224725' },
        ...{ pix_key: 'ana@example.com', pix_key_type: 'email' },
      };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, caller) => call(caller % 2, '/v2/offramp', payout)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
      const left = answers.filter(({ json }) => json.component !== 'quote');
      const { rows } = await store.owner.query(
        'select state, sum(brl)::text as brl from money_out group by 1 order by 1',
      );
      expect([left.length, rows]).toEqual([
        6,
        [
          { state: 'held', brl: '694.76' },
          { state: 'passed', brl: '94.74' },
        ],
      ]);
    },
    60_000,
  );

  const STEPS = 7;

  test.skipIf(!isThere)(
    'transactions of one process are finished, sent and shown by the others; if any one is killed, nothing is lost or doubled',
    async () => {
      expect(await call(2, '/v2/balance')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
      const made = [await pay(0, 'a'), await pay(1, 'a')];
      await receiver.until('a', 2 * STEPS);
      for (const end2end of made) expect((await call(1, `/v2/onramp/${end2end}`)).json.state).toBe('DONE');
      // A waiting page on one process is answered by a commit of another. Earlier offramps may
      // still take a step, so a page without the third transaction is not the one.
      const nextPage = (after: string, wait: number) =>
        call(1, `/v2/events?limit=100&after=${after}&wait=${wait}`).then(({ json }) => json);
      let page = await nextPage('', 0);
      while (page.events.length > 0) page = await nextPage(page.next, 0);
      const waiting = nextPage(page.next, 20);
      const third = await pay(0, 'b');
      const isAbout = ({ transaction }: { transaction: { end2end: string } }) =>
        transaction.end2end === third;
      for (page = await waiting; !page.events.some(isAbout); page = await nextPage(page.next, 20))
        expect(page.events, 'a wait without an event').not.toEqual([]);
      for (const victim of [0, 2]) {
        await running[victim]?.end('SIGKILL');
        await pay(1, 'c');
      }
      const ids = (name: string) => receiver.at(name).map(({ headers }) => headers['webhook-id']);
      // What a killed one had sent, and could not write down, comes once more.
      const all = () => new Set(['a', 'b', 'c'].flatMap(ids)).size;
      await eventually('all events', () => all() >= 5 * STEPS);
      expect([new Set(ids('c')).size, all()]).toEqual([2 * STEPS, 5 * STEPS]);
      for (const { id } of (await store.owner.query(`select id from account`)).rows)
        expect((await verifyLedger(store.database, BigInt(id))).defects).toEqual([]);
    },
    120_000,
  );
});

/**
 * Goal: a cell works as a gateway without cells does, and what callers get of it carries its code. Method: a gateway with CELL=a1 as a
 * process; an onramp is created, paid and settled, and the ledger is recomputed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cellOf, cellOfNumber } from '../../src/base/ids/cell.ts';
import { useDatabase } from '../support/database.ts';
import { newHome } from '../support/home.ts';
import { crossramp, failToStart, type Running, start } from '../support/process.ts';

const store = useDatabase();
const { home, remove } = newHome();
const env = () => ({
  CROSSRAMP_HOME: home,
  DATABASE_URL: store.url,
  DATABASE_OWNER_URL: store.ownerUrl,
  SANDBOX: '1',
  CELL: 'a1',
});
let running: Running;
let sandbox: { apiKey: string; platformKey: string; accountId: string };

beforeAll(async () => {
  running = await start(env());
  sandbox = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
}, 400_000);
afterAll(async () => {
  await running.end('SIGTERM');
  remove();
});

async function call(path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${running.baseUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as Record<string, unknown>;
}

test('keys, accounts, sessions, txids and ledger ids of a cell carry its code, and its ledger is whole', async () => {
  expect([sandbox.apiKey, sandbox.platformKey].map(cellOf)).toEqual(['a1', 'a1']);
  expect(cellOfNumber(BigInt(sandbox.accountId))).toBe('a1');
  const made = await call('/v2/onramp', {
    ...{ amount_payment: 550, currency_exit_received_code: 'USDT_TRX' },
    ...{ client_name: 'Ana', client_tax_id: '52998224725' },
  });
  const paid = await crossramp(env(), 'trigger', 'pay', String(made.end2end));
  expect(paid.stderr).toBe('');
  await expect
    .poll(async () => (await store.owner.query('select outcome from transaction')).rows, { timeout: 200_000 })
    .toEqual([{ outcome: 'SUCCESS' }]);
  const { rows } = await store.owner.query(
    `select id, process ->> 'session' as session, process ->> 'txid' as txid from transaction`,
  );
  expect(rows).toHaveLength(1);
  expect([rows[0].session, rows[0].txid].map(cellOf)).toEqual(['a1', 'a1']);
  // Accounts of the house have numbers of the chart, which are not published.
  const numbers = await store.owner.query(
    `select id from ledger_line where id > 0 union all select id from ledger_account where house is null`,
  );
  expect(numbers.rows.length).toBeGreaterThan(3);
  expect(new Set(numbers.rows.map(({ id }) => cellOfNumber(BigInt(id))))).toEqual(new Set(['a1']));
  expect((await crossramp(env(), 'verify')).code).toBe(0);
}, 400_000);

test('a gateway of another cell does not start on the database', async () => {
  const refused = await failToStart({ ...env(), CELL: 'b2' });
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CELL: the schema is cell a1, not b2'),
  });
  const wrong = await failToStart({ ...env(), CELL: 'A1' });
  expect(wrong.stderr).toContain(
    'CELL: expected two characters of a-z and 0-9 other than 00, such as a1, got A1',
  );
}, 400_000);

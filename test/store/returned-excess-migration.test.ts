/**
 * Goal: a job by which an excess went back before returns had ids holds up no transaction after the update (C-35). Method: the
 * statement of the migration on a job of the old name, and the worker.
 */
import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { settle } from '../../src/resolvers/engine/run-jobs.ts';
import { useApp } from '../support/app.ts';

const SQL = readFileSync(
  new URL('../../prisma/migrations/20261123220000_returned_excess/migration.sql', import.meta.url),
  'utf8',
);
const app = useApp();

test('C-35: the job is done, and nothing is ordered by it', async () => {
  const { accountId, apiKey } = await app.addAccount();
  const customer = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
  const body = { amount_payment: '100', currency_exit_received_code: 'USDT_TRX', ...customer };
  const { json } = await app.post('/v2/onramp', body, { key: apiKey });
  const { rows } = await app.owner.query(
    'select id from transaction where account_id = $1 and end2end = $2',
    [String(accountId), json.end2end],
  );
  const values = [String(accountId), rows[0].id];
  const count = async (table: string) =>
    (await app.owner.query(`select count(*)::int as n from ${table}`)).rows[0].n;
  const orders = await count('sandbox_order');
  // Leased, so that no worker takes it under its old name.
  await app.owner.query(
    `insert into job (account_id, transaction_id, kind, due_at, leased_until)
       values ($1, $2, 'return_excess', now() - interval '1 hour', now() + interval '1 hour')`,
    values,
  );
  await app.owner.query(SQL);
  await app.owner.query(
    'update job set leased_until = null where account_id = $1 and transaction_id = $2',
    values,
  );
  const only = { accountId, transactionId: BigInt(rows[0].id) };
  await settle(app.services, pino({ level: 'silent' }), { only });
  const left = await app.owner.query(
    `select kind from job where account_id = $1 and transaction_id = $2 and kind in ('return_excess', 'order_returns')`,
    values,
  );
  expect(left.rows).toEqual([]);
  expect(await count('sandbox_order')).toBe(orders);
});

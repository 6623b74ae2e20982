/**
 * Goal: what the sandbox was to tell of a transaction before an update is told after it, as news (C-34). Method: the statements of
 * the migration on jobs as the version before it wrote them; the worker takes one of them.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inboundOf, pixFor } from '../resolvers/inbound/support.ts';
import { useApp } from '../support/app.ts';

const SQL = readFileSync(
  new URL('../../prisma/migrations/20261124010000_reports_as_news/migration.sql', import.meta.url),
  'utf8',
);
const JOBS = SQL.slice(SQL.indexOf('update job'));
const app = useApp();
const { onramp, reach } = inboundOf(app);

test('C-34: jobs that were to tell something bring it as news', async () => {
  const row = await onramp(await app.addAccount());
  const payment = pixFor(row);
  const gas = { currency: 'TRX_TRX', amountMinor: '13400000' };
  const told = [
    { news: payment },
    { trigger: { on: 'payout_settled', endToEndId: 'E1' }, railKey: 'pix:E1' },
    { trigger: { on: 'payout_rejected' } },
    { trigger: { on: 'refund_failed', returnId: 'D1' } },
    { trigger: { on: 'return_confirmed', networkFee: '1', gas } },
    { trigger: { on: 'delivery_broadcast', txHash: 'f0', gas: null } },
    { trigger: { on: 'delivery_confirmed' } },
  ];
  const ids: string[] = [];
  // Leased, so that no worker takes it under its old name.
  for (const payload of told) {
    const { rows } = await app.owner.query(
      `insert into job (account_id, transaction_id, kind, payload, due_at, leased_until)
         values ($1, $2, 'tell', $3, now() - interval '1 hour', now() + interval '1 hour') returning id`,
      [String(row.accountId), String(row.id), JSON.stringify(payload)],
    );
    ids.push(rows[0].id);
  }
  await app.owner.query(JOBS);
  const { rows } = await app.owner.query(
    'select kind, payload from job where id = any ($1::bigint[]) order by id',
    [ids],
  );
  const order = (at: number) => `${row.end2end}:${ids[at]}`;
  expect(rows.map(({ kind }) => kind)).toEqual(told.map(() => 'news'));
  expect(rows.map(({ payload }) => payload)).toMatchObject([
    payment,
    { kind: 'payout_ended', order: order(1), isDone: true, endToEndId: 'E1' },
    { kind: 'payout_ended', order: order(2), isDone: false, endToEndId: null },
    { kind: 'refund_ended', rail: 'pix', order: 'D1', isDone: false, networkFee: null },
    { kind: 'refund_ended', rail: 'chain', order: order(4), isDone: true, networkFee: '1', gas },
    { kind: 'broadcast_sent', order: order(5), currency: 'USDT_TRX', txHash: 'f0', gas: null },
    { kind: 'broadcast_confirmed', order: order(6), currency: 'USDT_TRX', txHash: null },
  ]);
  await app.owner.query('delete from job where id = any ($1::bigint[])', [ids.slice(1)]);
  await app.owner.query('update job set leased_until = null where id = $1', [ids[0]]);
  await reach(row, 'success/DONE');
});

/**
 * Goal: what stood otherwise before an update is found after it: orders of the sandbox under their whole key, and codes of charges among the
 * working facts. Method: rows as the version before wrote them, the statements of the migration, and the same order again.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findProcess } from '../../src/store/engine/processes.ts';
import { placeOrders } from '../../src/store/rails/sandbox-orders.ts';
import { inboundOf } from '../resolvers/inbound/support.ts';
import { useApp } from '../support/app.ts';

const SHORT_KEYS = readFileSync(
  new URL('../../prisma/migrations/20261130020020_short_keys_of_orders/migration.sql', import.meta.url),
  'utf8',
);
const app = useApp();
const { onramp } = inboundOf(app);

test('C-52: an order from before is not placed again, and has its answer', async () => {
  const { accountId, id, end2end } = await onramp(await app.addAccount());
  const keys = [`${end2end}:900001`, 'D12345678202611230000abcdefghijk'];
  for (const key of keys)
    await app.owner.query(
      `insert into sandbox_order (account_id, transaction_id, key, kind, request) values ($1, $2, $3, 'payout', '{"answer": "first"}')`,
      [String(accountId), String(id), key],
    );
  await app.owner.query(SHORT_KEYS);
  for (const key of keys) {
    const order = {
      accountId,
      transactionId: id,
      key,
      kind: 'payout',
      request: {},
      usual: { answer: 'second' },
      planned: {},
    };
    expect(await placeOrders(app.database, [order], null)).toMatchObject([{ isNew: false, answer: 'first' }]);
  }
});

test('a charge whose code stands among the working facts keeps it, and so it does behind them', async () => {
  const { accountId, end2end } = await onramp(await app.addAccount());
  const read = async () => (await findProcess(app.database, accountId, end2end))?.process;
  const after = await read();
  expect(after?.brCode).toMatch(/^000201/);
  await app.owner.query(
    `update transaction set process = process || jsonb_build_object('brCode', br_code), br_code = null where account_id = $1 and end2end = $2`,
    [String(accountId), end2end],
  );
  expect(await read()).toEqual(after);
});

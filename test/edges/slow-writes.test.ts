/**
 * Goal: `/readyz` sees what callers see: also when the database works, and what they want written waits all the same (C-51).
 * Method: somebody holds the lock of the account while callers write.
 */
import { expect, test } from 'vitest';
import { useApp } from '../support/app.ts';

const app = useApp();
const ONRAMP = {
  amount_payment: 50,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};

test('C-51: it is not ready while writes wait for longer than their limit, and then it is again', async () => {
  const holder = await app.owner.connect();
  await holder.query('set idle_in_transaction_session_timeout = 0');
  await holder.query('begin');
  await holder.query('select from account_head for update');
  const answers: (number | undefined)[] = [];
  let isHeld = true;
  const writing = (async () => {
    while (isHeld) answers.push((await app.post('/v2/onramp', ONRAMP)).status);
  })();
  const ready = async () => (await app.get('/readyz')).json;
  try {
    await expect.poll(ready, { timeout: 30_000 }).toMatchObject({
      status: 'not ready',
      reason: 'the database can be read but not written',
      database: { reads: 'ok', writes: 'failing' },
    });
  } finally {
    isHeld = false;
    await holder.query('rollback');
    holder.release(true);
  }
  await writing;
  expect(answers).not.toEqual([]);
  await expect.poll(ready, { timeout: 30_000 }).toMatchObject({ status: 'ready' });
}, 90_000);

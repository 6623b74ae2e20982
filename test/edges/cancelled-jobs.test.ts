/**
 * Goal: a job that prepares a payment is given up only once its transaction has ended. Method: an onramp and its job, before and after the
 * onramp is cancelled, with the command as a process.
 */
import { expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { openOnramp } from '../support/webhooks.ts';

const app = useApp();

test('a failed charge is given up after the transaction was cancelled, not before', async () => {
  const end2end = await openOnramp(app, app.apiKey);
  const { rows } = await app.owner.query(
    `insert into job (account_id, transaction_id, kind, payload, due_at, last_error, attempts)
     select account_id, id, 'create_charge', '{}', now() + interval '1 hour', 'the rail is away', 3
       from transaction where end2end = $1 returning id`,
    [end2end],
  );
  const cancel = () =>
    command({ DATABASE_URL: app.url }, 'job', 'cancel', rows[0].id, '--reason', 'case 4712', '--json');
  const early = await cancel();
  expect([early.code, early.stderr]).toEqual([
    1,
    expect.stringContaining('an open transaction waits for it'),
  ]);
  const { json } = await app.graphql(
    `mutation { cancelTransaction(input: { end2end: "${end2end}" }) { transaction { end2end } errors { code } } }`,
  );
  expect(json.data.cancelTransaction).toEqual({ transaction: { end2end }, errors: [] });
  expect(JSON.parse((await cancel()).stdout)).toEqual({ id: rows[0].id, state: 'cancelled' });
}, 60_000);

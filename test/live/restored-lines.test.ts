/**
 * Goal: a stream of the statement goes on after the line that it told last, and after no other of its number (C-36). Method: the newest line
 * becomes another one, as after a restore that new lines have filled up before it was noticed; then one more is posted.
 */
import { expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { subscribe } from './streams.ts';

const app = useApp();

test('a stream ends if the statement has another line at the last position', async () => {
  const { accountId, apiKey: key } = await app.addAccount();
  const fund = (amount: string) => app.post('/v2/sandbox/fund', { currency: 'BRL', amount }, { key });
  await fund('1');
  const stream = await subscribe(app, 'subscription { statementEntryAdded { cursor } }', { key });
  await stream.until(() => stream.beginning() !== undefined);
  await fund('2');
  await stream.until(1);
  await app.owner.query('alter table ledger_line disable trigger append_only');
  await app.owner.query(
    `update ledger_line set posted_at = posted_at - interval '1 second'
      where account_id = $1 and id = (select max(id) from ledger_line where account_id = $1)`,
    [String(accountId)],
  );
  await app.owner.query('alter table ledger_line enable always trigger append_only');
  await fund('3');
  await stream.ended;
  expect(stream.events).toHaveLength(1);
  const again = await subscribe(app, 'subscription { statementEntryAdded { cursor } }', {
    key,
    lastEventId: stream.events[0]?.id,
  });
  await again.ended;
  expect(again.events[0]?.data.errors[0].extensions.code).toBe('CURSOR_EXPIRED');
});

/**
 * Goal: an account that somebody else holds locked for long, as an import does, stops nobody but itself: requests of other accounts
 * are done meanwhile, also those that shared a batch with its own, and the gateway is ready. Method: somebody holds the lock.
 */
import { expect, test } from 'vitest';
import type { AdvanceResult } from '../../../src/resolvers/services/advance.ts';
import { isLockTimeout } from '../../../src/store/database-error.ts';
import { useApp } from '../../support/app.ts';
import { inboundOf, type Merchant } from '../inbound/support.ts';

const app = useApp();
const { onramp } = inboundOf(app);

const cancel = ({ accountId, id }: AdvanceResult['row']): Promise<string> =>
  app.services
    .advance({ target: { accountId, transactionId: id }, trigger: { on: 'cancelled' } })
    .then(({ code }) => code)
    .catch((error: unknown) => (isLockTimeout(error) ? 'the account is locked' : String(error)));

test('an account that is locked for long makes nobody wait but itself, and shares batches again when it is free', async () => {
  const [locked, free]: Merchant[] = [await app.addAccount(), await app.addAccount()] as const;
  const ofLocked = await Promise.all(Array.from({ length: 4 }, () => onramp(locked)));
  const ofFree = await Promise.all(Array.from({ length: 3 }, () => onramp(free)));
  const holder = await app.owner.connect();
  let isHeld = true;
  let waiting: Promise<string> | undefined;
  const whileHeld = async (row: AdvanceResult['row']) => [await cancel(row), isHeld];
  const ready = async () => (await app.get('/readyz')).json;
  try {
    await holder.query('set idle_in_transaction_session_timeout = 0');
    await holder.query('begin');
    await holder.query('select from account_head where account_id = $1 for update', [locked.accountId]);
    // In one batch.
    const first = [cancel(ofLocked[0] as never), whileHeld(ofFree[0] as never)] as const;
    expect(await first[1]).toEqual(['ADVANCED', true]);
    waiting = cancel(ofLocked[1] as never);
    expect(await whileHeld(ofFree[1] as never)).toEqual(['ADVANCED', true]);
    await expect.poll(ready).toMatchObject({ status: 'ready' });
    expect(await first[0]).toBe('the account is locked');
  } finally {
    isHeld = false;
    await holder.query('rollback');
    holder.release(true);
  }
  expect(await waiting).toBe('ADVANCED');
  const rest = [ofLocked[2], ofFree[2], ofLocked[3]].map((row) => cancel(row as never));
  expect(await Promise.all(rest)).toEqual(['ADVANCED', 'ADVANCED', 'ADVANCED']);
});

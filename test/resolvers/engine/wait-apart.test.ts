/**
 * Goal: an account that somebody else holds locked for long, as an import does, stops nobody but itself: requests of other accounts
 * are done meanwhile, also those that shared a batch with its own, and the gateway is ready. Method: somebody holds the lock.
 */
import { expect, test, vi } from 'vitest';
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

test('accounts that are locked for long make nobody wait but themselves, and share batches again when they are free', async () => {
  const [first, second, free]: readonly Merchant[] = [
    await app.addAccount(),
    await app.addAccount(),
    await app.addAccount(),
  ] as const;
  const rowsOf = (merchant: Merchant | undefined) =>
    Promise.all(Array.from({ length: 3 }, () => onramp(merchant as Merchant)));
  const [ofFirst, ofSecond, ofFree] = [await rowsOf(first), await rowsOf(second), await rowsOf(free)];
  const cancelNth = (n: number) => [ofFirst, ofSecond, ofFree].map((rows) => cancel(rows[n] as never));
  const holder = await app.owner.connect();
  const ready = async () => (await app.get('/readyz')).json;
  let waiting: (Promise<string> | undefined)[] = [];
  try {
    await holder.query('set idle_in_transaction_session_timeout = 0');
    await holder.query('begin');
    const locked = [first?.accountId, second?.accountId];
    await holder.query('select from account_head where account_id = any ($1) for update', [locked]);
    const [early] = [cancelNth(0)];
    expect(await early[2]).toBe('ADVANCED');
    waiting = cancelNth(1);
    expect(await waiting[2]).toBe('ADVANCED');
    await expect.poll(ready).toMatchObject({ status: 'ready' });
    expect(await early[0]).toBe('the account is locked');
  } finally {
    await holder.query('rollback');
    holder.release(true);
  }
  expect((await Promise.all(waiting))[1]).toBe('ADVANCED');
  const batches = vi.spyOn(app.database, 'withTx');
  expect(await Promise.all(cancelNth(2))).toEqual(['ADVANCED', 'ADVANCED', 'ADVANCED']);
  expect(batches).toHaveBeenCalledOnce();
});

/**
 * Goal: an account that somebody else holds locked for long, as an import does, stops nobody but itself: requests of other accounts
 * are done meanwhile, also those that shared a batch with its own, and the gateway is ready. Method: somebody holds the lock.
 */
import { expect, test, vi } from 'vitest';
import type { AdvanceResult } from '../../../src/resolvers/services/advance.ts';
import { isLockTimeout } from '../../../src/store/connection/database-error.ts';
import { useApp } from '../../support/app.ts';
import { holdAccounts } from '../../support/hold-accounts.ts';
import { inboundOf, type Merchant } from '../inbound/support.ts';

const app = useApp();
const { onramp } = inboundOf(app);

type Row = AdvanceResult['row'];
const cancel = ({ accountId, id }: Row, ...alsoLocked: bigint[]): Promise<string> =>
  app.services
    .advance({ target: { accountId, transactionId: id }, trigger: { on: 'cancelled' }, alsoLocked })
    .then(({ code }) => code)
    .catch((error: unknown) => (isLockTimeout(error) ? 'the account is locked' : String(error)));

test('accounts that are locked for long delay only themselves, and share batches again when they are free', async () => {
  const [first, second, free] = [await app.addAccount(), await app.addAccount(), await app.addAccount()];
  const rowsOf = (merchant: Merchant) => Promise.all(Array.from({ length: 4 }, () => onramp(merchant)));
  const [ofFirst, ofSecond, ofFree] = [await rowsOf(first), await rowsOf(second), await rowsOf(free)];
  const cancelNth = (n: number) => [ofFirst, ofSecond, ofFree].map((rows) => cancel(rows[n] as never));
  const held = await holdAccounts(app.owner, first.accountId, second.accountId);
  const ready = async () => (await app.get('/readyz')).json;
  let waiting: (Promise<string> | undefined)[] = [];
  try {
    const [early] = [cancelNth(0)];
    expect(await early[2]).toBe('ADVANCED');
    waiting = cancelNth(1);
    expect(await waiting[2]).toBe('ADVANCED');
    await expect.poll(ready).toMatchObject({ status: 'ready' });
    expect(await early[0]).toBe('the account is locked');
  } finally {
    await held.release();
  }
  await Promise.all(waiting);
  const done = ['ADVANCED', 'ADVANCED', 'ADVANCED'];
  expect(await Promise.all(cancelNth(2))).toEqual(done);
  const batches = vi.spyOn(app.database, 'withTx');
  expect(await Promise.all(cancelNth(3))).toEqual(done);
  expect(batches).toHaveBeenCalledOnce();
});

test('an account that a request locks with its own delays only the requests that need it', async () => {
  const [shop, free, also] = [await app.addAccount(), await app.addAccount(), await app.addAccount()];
  const rows = await Promise.all([shop, shop, shop, shop, free].map(onramp));
  const [one, two, three, four, other] = rows as [Row, Row, Row, Row, Row];
  const held = await holdAccounts(app.owner, also.accountId);
  let waiting: readonly Promise<string>[] = [];
  try {
    waiting = [cancel(one, also.accountId)];
    expect(await cancel(other)).toBe('ADVANCED');
    waiting = [...waiting, cancel(two, also.accountId)];
    expect(await cancel(three)).toBe('ADVANCED');
  } finally {
    await held.release();
  }
  await Promise.all(waiting);
  expect(await cancel(four, also.accountId)).toBe('ADVANCED');
});

test('an account that is locked briefly does not count as locked for long', async () => {
  const [locked, busy] = [await app.addAccount(), await app.addAccount()];
  const rows = [await onramp(locked), await onramp(busy)] as const;
  const { query } = app.database;
  // Another process works with the account again and again, also while it is asked which ones are locked.
  const asked = vi.spyOn(app.database, 'query').mockImplementation(async (statement, values) => {
    if (statement.name !== 'process_free') return query(statement, values);
    const time = await holdAccounts(app.owner, busy.accountId);
    const free = await query(statement, values);
    await time.release();
    return free;
  });
  const held = await holdAccounts(app.owner, locked.accountId);
  try {
    const [ofLocked, ofBusy] = rows.map((row) => cancel(row));
    expect(await Promise.race([ofLocked, ofBusy?.then((code) => `busy: ${code}`)])).toBe('busy: ADVANCED');
  } finally {
    await held.release();
    asked.mockRestore();
  }
});

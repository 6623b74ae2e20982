/**
 * Goal: acts that are not collected into batches wait for a locked account with one connection of the process, so an import
 * stops nobody else (C-40: acts of one account follow each other anyway). Method: somebody holds the lock, and more acts than
 * the pool has connections ask for it at once.
 */
import { expect, test } from 'vitest';
import { audited } from '../../../src/resolvers/checks/audited.ts';
import { withAccounts } from '../../../src/resolvers/services/lock-accounts.ts';
import { isLockTimeout } from '../../../src/store/connection/database-error.ts';
import { useApp } from '../../support/app.ts';
import { holdAccounts } from '../../support/hold-accounts.ts';
import { ORIGIN } from '../../support/origin.ts';

const app = useApp();
/** More than the pool has connections. */
const ACTS = 30;
const WAITING = `select count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query ~ 'account_head'`;

/** @returns what becomes of an act that does nothing. */
function action(accountId: bigint): Promise<string> {
  const caller = { accountId, id: 'key_1', mode: 'test', scopes: [], allowedCidrs: [], allowedOrigins: [] };
  return audited({ ...app.services, caller, origin: ORIGIN } as never, async () => 'done').catch(
    (error: unknown) => (isLockTimeout(error) ? 'the account is locked' : String(error)),
  );
}

test('actions of a locked account wait with one connection, each for a limited time; those of others run', async () => {
  const [locked, free] = [(await app.addAccount()).accountId, (await app.addAccount()).accountId];
  const held = await holdAccounts(app.owner, locked);
  try {
    const waiting = Array.from({ length: ACTS }, () => action(locked));
    expect(await action(free)).toBe('done');
    await expect.poll(async () => (await app.owner.query(WAITING)).rows).toEqual([{ n: 1 }]);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['the account is locked']));
  } finally {
    await held.release();
  }
  expect(await Promise.all([action(locked), action(locked), action(free)])).toEqual(['done', 'done', 'done']);
});

test('actions on two accounts, named in either order, never wait for each other in a circle', async () => {
  const [one, other] = [(await app.addAccount()).accountId, (await app.addAccount()).accountId];
  const lock = (...accountIds: bigint[]) =>
    withAccounts(app.services, accountIds, async (_tx, { heads }) => [...heads.keys()].length);
  const locked = await Promise.all(
    Array.from({ length: ACTS }, (_, at) => (at % 2 === 0 ? lock(one, other) : lock(other, one, other))),
  );
  expect(new Set(locked)).toEqual(new Set([2]));
});

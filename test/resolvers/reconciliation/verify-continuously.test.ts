/**
 * Goal: whatever is wrong with a journal that was posted a moment ago is found by the next turn, a round finds it in older ones, and nothing
 * that is right is called wrong. Method: journals of accounts on a database, and damage by the owner past the triggers that forbid it.
 */
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import {
  startContinuousVerify,
  verifyNew,
  verifyNextAccount,
  verifySums,
} from '../../../src/resolvers/reconciliation/verify-continuously.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { claimVerification, readVerifyState } from '../../../src/store/ledger/verify-state.ts';
import { command } from '../../support/command.ts';
import { useDatabase } from '../../support/database.ts';
import { fundAccount } from '../../support/fund-account.ts';
import { eventually } from '../../support/receiver.ts';

const store = useDatabase();
const said: object[] = [];
const log = {
  warn: (facts: object) => void said.push(facts),
  error: (facts: object) => void said.push(facts),
};
const signal = new AbortController().signal;
const parts = () => ({ database: store.database, log });

// The database refuses such lines itself: whoever damages a file asks no constraint.
beforeAll(() => store.owner.query('alter table ledger_line drop constraint ledger_line_check'));

async function account(): Promise<bigint> {
  return createAccount(store.database, 'Shop', { templates: ['onramp'], mode: 'live' });
}

/** Posts journals of two currencies. @returns how many lines there are. */
async function post(accountId: bigint, count: number): Promise<number> {
  for (let at = 1; at <= count; at++)
    for (const currency of ['BRL', 'USDT_TRX'])
      await fundAccount(store.database, accountId, { currency, amount: `${at}.25` });
  const { rows } = await store.owner.query(
    'select count(*)::int as lines from ledger_line where account_id = $1',
    [String(accountId)],
  );
  return rows[0].lines;
}

/** Changes what nobody may change. `$ACCOUNT` stands for the account's id. */
async function damage(accountId: bigint, text: string): Promise<void> {
  const tables = ['ledger_line', 'journal', 'ledger_balance'];
  const off = tables.map((table) => `alter table ${table} disable trigger user`).join('; ');
  const on = tables.map((table) => `alter table ${table} enable trigger user`).join('; ');
  await store.owner.query(`begin; ${off}; ${text.replaceAll('$ACCOUNT', String(accountId))}; ${on}; commit`);
}

async function defectsOf(accountId: bigint): Promise<string[]> {
  const { rows } = await store.owner.query(
    'select new_defects || round_defects as defects from verify_place where account_id = $1',
    [String(accountId)],
  );
  return rows[0].defects.map(([defect]: [string]) => defect);
}

/** Rounds of what no round has seen yet. */
const roundOnce = async () => {
  while (await verifyNextAccount(parts(), signal, 3_600_000));
};

test('every line is checked once, and none that is right is a defect', async () => {
  const one = await account();
  const first = await post(one, 3);
  await verifyNew(parts());
  expect(first).toBeGreaterThan(5);
  expect(await verifyNew(parts())).toBe(0);
  const more = await post(one, 2);
  expect(await verifyNew(parts())).toBe(more - first);
  const two = await account();
  expect(await verifyNew(parts())).toBe(0);
  expect(await post(two, 1)).toBe(await verifyNew(parts()));
  await roundOnce();
  expect(await defectsOf(one)).toEqual([]);
  expect(await readVerifyState(store.database)).toMatchObject({ defects: 0, first: null });
  expect(said).toEqual([]);
});

test('an import of history, and postings after it, are no defect', async () => {
  const file = fileURLToPath(new URL('../../../docs/examples/history.ndjson', import.meta.url));
  const accountId = await account();
  await verifyNew(parts());
  const args = ['import', file, '--account', String(accountId)];
  expect((await command({ DATABASE_URL: store.url }, ...args)).code).toBe(0);
  await post(accountId, 1);
  expect(await verifyNew(parts())).toBeGreaterThan(10);
  await roundOnce();
  expect(await defectsOf(accountId)).toEqual([]);
  expect(said).toEqual([]);
}, 60_000);

const LAST = `(account_id, ledger_account_id, seq) = (select account_id, ledger_account_id, max(seq) from ledger_line
  where account_id = $ACCOUNT group by 1, 2 order by ledger_account_id desc limit 1)`;

test.each([
  ['an amount', `update ledger_line set delta = delta + 1 where ${LAST}`, 'journal does not balance'],
  [
    'a balance before',
    `update ledger_line set balance_before = balance_before + 1 where ${LAST}`,
    'broken chain',
  ],
  [
    'a balance after',
    `update ledger_line set balance_after = balance_after + 1 where ${LAST}`,
    'balance is not the sum',
  ],
  ['a missing line', `delete from ledger_line where ${LAST}`, 'journal is not whole'],
  [
    'a line that nobody posted',
    `insert into ledger_line select account_id, ledger_account_id, seq + 1, id + 1, 999, transaction_id, posted_at, 1, balance_after, balance_after + 1
       from ledger_line where ${LAST}`,
    'line without journal',
  ],
  [
    'a number of lines',
    'update journal set line_count = 9 where account_id = $ACCOUNT',
    'journal is not whole',
  ],
  ['a missing journal', 'delete from journal where account_id = $ACCOUNT', 'line without journal'],
  [
    'a balance',
    `update ledger_balance set balance = balance + 1 where account_id = $ACCOUNT`,
    'balance differs from its lines',
  ],
  [
    'a position',
    `update ledger_line set seq = seq + 1 where ${LAST}; update ledger_balance set last_seq = last_seq + 1 where account_id = $ACCOUNT`,
    'sequence gap',
  ],
])('%s that was changed is found in the next turn, and by the round', async (_what, text, defect) => {
  said.length = 0;
  const accountId = await account();
  await post(accountId, 1);
  await verifyNew(parts());
  await post(accountId, 1);
  await damage(accountId, text);
  await verifyNew(parts());
  expect(await defectsOf(accountId)).toContain(defect);
  expect(said).toContainEqual(expect.objectContaining({ account: String(accountId) }));
  const before = (await readVerifyState(store.database)).defects;
  expect(before).toBeGreaterThan(0);
  await roundOnce();
  expect((await defectsOf(accountId)).length).toBeGreaterThan(0);
});

test('damage to lines that were checked is found by a round, and a repair ends the defect', async () => {
  const accountId = await account();
  await post(accountId, 1);
  await verifyNew(parts());
  await roundOnce();
  await damage(accountId, `update ledger_line set delta = delta + 1 where ${LAST}`);
  await verifyNew(parts());
  expect(await defectsOf(accountId)).toEqual([]);
  await roundAllOnceOf(accountId);
  expect(await defectsOf(accountId)).toContain('balance is not the sum');
  await damage(accountId, `update ledger_line set delta = delta - 1 where ${LAST}`);
  await roundAllOnceOf(accountId);
  expect(await defectsOf(accountId)).toEqual([]);
});

/** Makes an account due, and verifies what is due. */
async function roundAllOnceOf(accountId: bigint): Promise<void> {
  await store.owner.query('update verify_place set round_ended_at = null where account_id = $1', [
    String(accountId),
  ]);
  await roundOnce();
}

test('more journals than one statement may check are left to a round that is due immediately', async () => {
  const accountId = await account();
  await post(accountId, 1);
  await verifyNew(parts());
  await roundOnce();
  await damage(
    accountId,
    'update account_head set journal_id = journal_id + 10001 where account_id = $ACCOUNT',
  );
  expect(await verifyNew(parts())).toBe(0);
  const { rows } = await store.owner.query(
    'select round_ended_at as ended from verify_place where account_id = $1',
    [String(accountId)],
  );
  expect(rows).toEqual([{ ended: null }]);
  expect(await defectsOf(accountId)).toEqual([]);
});

test('sums over all accounts are checked once an hour', async () => {
  await store.owner.query(`update verify_turn set sums_at = null`);
  await verifySums(parts());
  const { rows } = await store.owner.query('select sums_defects as defects from verify_turn');
  // The balances that the tests above have changed are none of clearing.
  expect(rows[0].defects).toEqual([]);
});

test('one process has the lease, and another one claims it when it stops', async () => {
  const nowMs = store.database.nowMs();
  const verify = startContinuousVerify(parts());
  await eventually('a turn', async () => {
    const { newAge } = await readVerifyState(store.database);
    const { rows } = await store.owner.query(`select leased_until > now() as taken from verify_turn`);
    return newAge !== null && rows[0].taken;
  });
  const times = { nowMs, untilMs: nowMs + 1 };
  expect(await claimVerification(store.database, 'another', times)).toBe(false);
  await verify.stop();
  expect(await claimVerification(store.database, 'another', times)).toBe(true);
});

/**
 * Goal: the verification under the fence of a move, where writers wait, takes few round trips however many accounts have new journals.
 * Method: books of a database as the target of a move; journals are posted to many accounts, and the statements are counted.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BRL } from '../../src/base/money/currency.ts';
import { openMovedBooks } from '../../src/cli/cell-books.ts';
import { fund } from '../../src/ledger/journals.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { type PostRequest, postJournals } from '../../src/store/ledger/posting.ts';
import { ACCOUNTS_MAX } from '../../src/store/ledger/verify-new.ts';
import { beginCount, counted } from '../support/count-statements.ts';
import { useDatabase } from '../support/database.ts';

const store = useDatabase();
/** One more than two checks may have. */
const ACCOUNTS = 2 * ACCOUNTS_MAX + 1;
const LONG_MS = 600_000;
let books: ReturnType<typeof openMovedBooks>;
const accounts: bigint[] = [];

beforeAll(async () => {
  const place = { url: store.url, schema: 'public' };
  books = openMovedBooks({ source: place, target: place }, () => {});
  // Nothing is there yet: accounts that come later have no position.
  expect(await books.verify('target')).toEqual([]);
  await store.database.withTx(async (tx) => {
    for (let n = 0; n < ACCOUNTS; n++)
      accounts.push(await createAccount(tx, 'Shop', { templates: ['onramp'] }));
  });
}, LONG_MS);
afterAll(() => books?.close());

/** Posts a journal of this name to each account. */
async function postToAll(ref: string): Promise<void> {
  const requests = accounts.map(
    (accountId): PostRequest => ({
      ...{ accountId, ref, transactionId: null },
      journal: fund(BRL, 100n),
    }),
  );
  const outcomes = await store.database.withTx((tx) => postJournals(tx, requests, new Date()));
  expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(['POSTED']));
}

/** @returns the defects of what was posted last, and the statements that found them, by name. */
async function verifyRest() {
  beginCount();
  const defects = await books.verifyRest();
  return { defects, byName: counted().byName };
}

/** Damages the newest line of an account. */
async function damage(accountId: bigint | undefined): Promise<void> {
  await store.owner.query(`begin; alter table ledger_line disable trigger user;
    update ledger_line set delta = delta + 1 where account_id = ${accountId} and seq = 3 and id > 0;
    alter table ledger_line enable trigger user; commit`);
}

test(
  'new journals of many accounts are verified by a statement for each 200 accounts',
  async () => {
    for (const ref of ['first', 'second']) {
      await postToAll(ref);
      const { defects, byName } = await verifyRest();
      expect(defects).toEqual([]);
      expect(byName.get('verify_since_check')).toBe(3);
      expect([...byName.values()].reduce((sum, each) => sum + each)).toBeLessThan(10);
    }
  },
  LONG_MS,
);

test(
  'a defect of the first and one of the last account are found, each in its statement',
  async () => {
    await store.owner.query('alter table ledger_line drop constraint ledger_line_check');
    await postToAll('third');
    await damage(accounts[0]);
    await damage(accounts.at(-1));
    const { defects } = await verifyRest();
    expect(new Set(defects.map((each) => /^account (\d+)/.exec(each)?.[1]))).toEqual(
      new Set([String(accounts[0]), String(accounts.at(-1))]),
    );
  },
  LONG_MS,
);

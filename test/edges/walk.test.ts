/**
 * Goal: whatever becomes of a transaction, by HTTP alone it looks as published: steps, labels, lines, balances. Method:
 * the walks of test/walk, each with an account of its own, so that whatever the account holds is of the walk. They come
 * one after another, because they share the clock of the sandbox.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { Client } from '../walk/client.ts';
import { meansOf } from '../walk/means.ts';
import { SCENARIO_NAMES, TEMPLATES } from '../walk/published.ts';
import { runWalk } from '../walk/run.ts';
import { WALKS } from '../walk/walks.ts';

const app = useApp();

/** Scenarios of the ledger that belong to no process. */
const NO_PROCESS = ['unmatched deposit assigned by an operator'];
/** Steps that only history has: a withdrawal that the balance does not cover is not made any more. */
const ONLY_IN_HISTORY = ['withdraw_dash_same_curr request_withdrawl_dash/ERROR'];
/** House accounts through which money only passes. */
const TRANSIENT = ['L.payer', 'L.payout', 'L.suspense', 'A.inbound'];

describe('the walks', () => {
  test('pass every published step', () => {
    const published = Object.entries(TEMPLATES).flatMap(([template, steps]) =>
      steps.map(({ component, state }) => `${template} ${component}/${state}`),
    );
    const passed = new Set(
      WALKS.flatMap(({ template, steps }) => steps.map((step) => `${template} ${step}`)),
    );
    expect(published.filter((step) => !passed.has(step))).toEqual(ONLY_IN_HISTORY);
    expect([...passed].filter((step) => !published.includes(step))).toEqual([]);
  });

  test('are every published scenario', () => {
    const walked = new Set(WALKS.flatMap(({ scenario }) => scenario ?? []));
    expect(SCENARIO_NAMES.filter((name) => !walked.has(name))).toEqual(NO_PROCESS);
  });

  test('have a name each', () => {
    const names = WALKS.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

/** Longer than a walk waits before it says where it stands still. */
const TIMEOUT_MS = 60_000;

describe('by HTTP alone', { timeout: TIMEOUT_MS }, () => {
  let accountId: bigint;
  afterEach(async () => {
    expect((await verifyLedger(app.database, accountId)).defects).toEqual([]);
  });

  test.each(WALKS.map((walk) => [walk.name, walk] as const))('%s', async (name, walk) => {
    const account = await app.addAccount();
    accountId = account.accountId;
    const second = await app.addKey(accountId, ['read', 'move']);
    const client = new Client(app.baseUrl, account.apiKey);
    const means = await meansOf(
      client,
      new Client(app.baseUrl, second.apiKey),
      new Client(app.baseUrl, app.platformKey),
    );
    expect(await runWalk(client, means, walk)).toEqual({ name, problems: [] });
    // What could not be returned is still owed to the payer; what was paid beyond the price may be on its way back yet.
    const receivable = walk.steps.at(-1) === 'refund/ERROR' ? ['L.payer'] : [];
    await expect.poll(() => statusSection(accountId), { interval: 40 }).toEqual(receivable);
  });
});

/** The house accounts through which money only passes, and on which some of it still stands. */
async function statusSection(accountId: bigint): Promise<string[]> {
  const { rows } = await app.owner.query(
    `select a.house from ledger_account a join ledger_balance b
       on b.account_id = a.account_id and b.ledger_account_id = a.id
     where a.account_id = $1 and a.house = any ($2) and b.balance <> 0`,
    [accountId, TRANSIENT],
  );
  return rows.map(({ house }) => house);
}

/**
 * Goal: whoever starts the demo finds something to do on every list of the console, and a house that can pay. Method: what the demo
 * adds to its thirty days, on the application; what people see of it, by GraphQL.
 */

import { beforeAll, expect, test } from 'vitest';
import { endDemo } from '../../src/rails/sandbox/demo.ts';
import { closeDays, leaveOpen, openBusiness } from '../../src/rails/sandbox/demo-business.ts';
import { settle } from '../../src/resolvers/engine/run-jobs.ts';
import { readAheadMs, setAheadMs } from '../../src/store/rails/sandbox.ts';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';
import { SILENT } from '../support/webhooks.ts';

const app = useApp();
/** One of each, and a session that waits for its payer. */
const SESSIONS = 9;
let made = 0;

beforeAll(async () => {
  const place = await openBusiness(app.services, app.accountId);
  // What the thirty days leave in the balance.
  await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '1000' });
  made = await leaveOpen(place, async () => {
    await app.services.sandbox?.advanceClock(5_000);
    await settle(app.services, SILENT);
  });
  await closeDays(place);
});

async function query(query: string, key = app.apiKey) {
  const { json } = await app.graphql(query, {}, { key });
  expect(errorsIn(json)).toBeUndefined();
  return json.data;
}

test('a record of each kind waits for a person', async () => {
  expect(made).toBe(SESSIONS);
  const { attention } = await query(
    '{ attention { approvals failedRefunds heldDeposits holds stepUps suspense disabledWebhookEndpoints failedJobs } }',
  );
  expect(attention).toEqual({
    ...{ approvals: 1, failedRefunds: 1, heldDeposits: 1, holds: 1, stepUps: 1, suspense: 1 },
    ...{ disabledWebhookEndpoints: 0, failedJobs: 0 },
  });
});

test('the customer in the documents pays without a further document', async () => {
  const data =
    await query(`mutation { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" }, clientName: "Ana Souza",
    clientTaxId: "529.982.247-25", accept: true }) { transaction { component state } errors { code message path } } }`);
  await settle(app.services, SILENT);
  const { transactions } = await query(
    '{ transactions(families: CHECKOUTS, first: 1) { nodes { component state } } }',
  );
  expect([data.createCheckout.transaction, transactions.nodes[0]]).toContainEqual({
    component: 'depositpix_v2',
    state: 'QRCODE',
  });
});

test('the operator has unmatched money, a journal to approve, closed days, and a report', async () => {
  const data = await query(
    `{ suspense { totalCount } holds { account }
       manualJournals(state: PROPOSED) { amount } bookCloses { nodes { day } } reconciliations { nodes { missingHere missingThere amountDiffers } } }`,
    app.platformKey,
  );
  expect(data).toEqual({
    suspense: { totalCount: 2 },
    holds: [{ account: String(app.accountId) }],
    manualJournals: [{ amount: '12.9' }],
    bookCloses: { nodes: [expect.anything(), expect.anything(), expect.anything()] },
    reconciliations: { nodes: [{ missingHere: 0, missingThere: 0, amountDiffers: 0 }] },
  });
});

test('the house has enough funds for all its payouts', async () => {
  const { treasury } = await query('{ treasury { account balance currency { code } } }', app.platformKey);
  const short = treasury.filter(
    ({ account, balance }: { account: string | null; balance: string }) =>
      account?.startsWith('A.') && balance.startsWith('-'),
  );
  expect(short).toEqual([]);
});

test('after an interrupted demo the machine’s clock is in effect again', async () => {
  const ahead = await readAheadMs(app.database);
  try {
    await setAheadMs(app.database, -86_400_000);
    expect([await endDemo(app.database), await readAheadMs(app.database)]).toEqual([true, 0]);
    expect(await endDemo(app.database)).toBe(false);
  } finally {
    await setAheadMs(app.database, ahead);
  }
});

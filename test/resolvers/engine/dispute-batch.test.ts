/**
 * Goal: a dispute sees everything that its account was told before it, and nothing comes between what it looks at and what it
 * holds, also when all of that is told at once (C-30). Method: the engine of the application, told things in one turn, which it
 * would do in one batch.
 */
import { beforeEach, expect, test } from 'vitest';
import { emptyProcess } from '../../../src/resolvers/orders/create-transaction.ts';
import type { AdvanceRequest } from '../../../src/resolvers/services/advance.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useApp } from '../../support/app.ts';
import { MOVER } from '../../support/mover.ts';
import { whitelist } from '../../support/rest-routes.ts';
import { inboundOf, type Merchant, pixFor } from '../inbound/support.ts';

const app = useApp();
const { onramp, reach, rowOf, bookOf, verified } = inboundOf(app);
let merchant: Merchant;
const WALLET = { network: 'TRX', target: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD' } as const;
const GROUP = 'grp-dispute';
let first: ProcessRow;
let second: ProcessRow;

beforeEach(async () => {
  merchant = await app.addAccount();
  await whitelist(app, merchant.accountId, GROUP, [WALLET]);
  [first, second] = await Promise.all([paid(), paid()]);
});

async function paid(): Promise<ProcessRow> {
  const row = await onramp(merchant);
  await app.services.receive(pixFor(row));
  await reach(row, 'success/DONE');
  return rowOf(row.end2end);
}

type On = { readonly on: 'dispute_opened' | 'dispute_rejected' | 'payment_refunded' };
const about = ({ accountId, id }: ProcessRow, trigger: On): AdvanceRequest => ({
  target: { accountId, transactionId: id },
  trigger,
  author: MOVER,
});
/** Reserves an amount of USDT; nothing is sent without an approval. */
const spending = (amount: string): AdvanceRequest => ({
  target: {
    create: {
      ...emptyProcess(merchant.accountId, 'withdraw_dash_same_curr', Date.now(), null),
      sourceCurrency: 'USDT_TRX',
      sourceAmount: amount,
      targetCurrency: 'USDT_TRX',
      targetAmount: amount,
      wallet: WALLET.target,
      groupId: GROUP,
      process: { createdBy: null, needsApproval: true, worth: '1' },
    },
  },
  trigger: { on: 'created' },
  author: MOVER,
});
const tell = async (...requests: AdvanceRequest[]) =>
  (await Promise.all(requests.map(app.services.advance))).map(({ code }) => code);
const disputed = async ({ end2end }: ProcessRow) => (await rowOf(end2end)).process?.disputed;
const sum = (...rows: ProcessRow[]) =>
  String(rows.reduce((total, { targetAmount }) => total + Number(targetAmount) * 1e6, 0) / 1e6);
const minor = (amount: string | null) => String(Math.round(Number(amount) * 1e6));

test('C-30: a release before it can be held by it', async () => {
  await tell(about(second, { on: 'dispute_opened' }));
  await tell(spending(first.targetAmount as string));
  expect(
    await tell(about(second, { on: 'dispute_rejected' }), about(first, { on: 'dispute_opened' })),
  ).toEqual(['ADVANCED', 'ADVANCED']);
  expect(await disputed(first)).toBe(minor(first.targetAmount));
  await verified(merchant.accountId);
});

test('C-30: money that left before it is not held by it', async () => {
  expect(await tell(spending(sum(first, second)), about(first, { on: 'dispute_opened' }))).toEqual([
    'ADVANCED',
    'ADVANCED',
  ]);
  expect(await disputed(first)).toBe('0');
  await verified(merchant.accountId);
});

test('C-30: money that it holds cannot leave after it', async () => {
  expect(await tell(about(first, { on: 'dispute_opened' }), spending(sum(first, second)))).toEqual([
    'ADVANCED',
    'INSUFFICIENT_BALANCE',
  ]);
  expect(await disputed(first)).toBe(minor(first.targetAmount));
  await verified(merchant.accountId);
});

test('C-35: a payment is disputed or refunded, not both in parallel', async () => {
  expect(
    await tell(about(first, { on: 'dispute_opened' }), about(first, { on: 'payment_refunded' })),
  ).toEqual(['ADVANCED', 'STEP_CONFLICT']);
  expect((await bookOf(merchant.accountId))['M.blocked USDT_TRX']).toBe(minor(first.targetAmount));
  await verified(merchant.accountId);
});

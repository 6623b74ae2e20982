/**
 * Goal: a batch of the engine is judged by the time at which it has its account, however long it waited for that, and whatever came
 * to it meanwhile (C-21, C-30). Method: somebody holds the account while requests come and the clock of the sandbox moves on; a timer
 * that is told before its time, as after the machine's clock was set back.
 */
import { beforeEach, expect, test, vi } from 'vitest';
import { millisOf } from '../../../src/base/instant.ts';
import type { AdvanceRequest } from '../../../src/resolvers/services/advance.ts';
import type { Sandbox } from '../../../src/resolvers/services/sandbox.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useApp } from '../../support/app.ts';
import { eventually } from '../../support/receiver.ts';
import { inboundOf, type Merchant } from '../inbound/support.ts';

const app = useApp();
const { onramp, reach, rowOf, stepOf } = inboundOf(app);
const MINUTE_MS = 60_000;
const LOCK = 31 * MINUTE_MS;
let merchant: Merchant;
/** Rests at its quote, which holds for half an hour. */
let quoted: ProcessRow;
/** Can be paid, and is cancelled: what the batch begins with. */
let cancelled: ProcessRow;

beforeEach(async () => {
  merchant = await app.addAccount();
  const query = `mutation ($input: CreateOnrampInput!) { createOnramp(input: $input) { transaction { end2end } } }`;
  const customer = { clientName: 'Maria Silva', clientTaxId: '52998224725', expiresIn: 86_400 };
  const input = { accept: false, amountPayment: '550', currency: 'USDT_TRX', ...customer };
  const { json } = await app.graphql(query, { input }, { key: merchant.apiKey });
  expect(json.errors).toBeUndefined();
  quoted = await rowOf(json.data.createOnramp.transaction.end2end);
  cancelled = await onramp(merchant);
  await reach(cancelled, 'depositpix/QRCODE');
});

const about = ({ accountId, id }: ProcessRow, trigger: AdvanceRequest['trigger']): AdvanceRequest => ({
  target: { accountId, transactionId: id },
  trigger,
});

const isHeldUp = async () => {
  const { rows } = await app.owner.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
};

/** Holds the account; a batch begins, and waits for it; the clock moves beyond the lock of the price, and more comes to the batch. */
async function whileHeld(meanwhile: () => Promise<unknown>): Promise<void> {
  const { advance, sandbox } = app.services;
  const holder = await app.owner.connect();
  await holder.query('begin');
  await holder.query('select from account_head where account_id = $1 for update', [merchant.accountId]);
  const begun = advance(about(cancelled, { on: 'cancelled' }));
  await eventually('a batch that waits for the account', isHeldUp);
  await (sandbox as Sandbox).advanceClock(LOCK);
  await meanwhile();
  await holder.query('rollback');
  holder.release();
  expect((await begun).code).toBe('ADVANCED');
}

test('C-21: a timer that comes to a batch while it waits is judged by the time of its own, and is not lost', async () => {
  const advance = vi.spyOn(app.services, 'advance');
  const isTold = () => advance.mock.calls.some(([{ trigger }]) => trigger.on === 'expired');
  await whileHeld(() => eventually('the end of the quote is told', isTold));
  await advance.mock.results.at(-1)?.value;
  expect(await stepOf(quoted)).toBe('quote/EXPIRED');
});

test('C-21: an acceptance that comes to a batch after the lock of the price is too late, whenever the batch began', async () => {
  let accepted: Promise<{ readonly code: string }> | undefined;
  const { advance } = app.services;
  // Whoever does timers would be first.
  await app.owner.query(`delete from job where transaction_id = $1`, [String(quoted.id)]);
  await whileHeld(async () => {
    accepted = advance(about(quoted, { on: 'accepted' }));
  });
  expect((await accepted)?.code).toBe('STEP_CONFLICT');
  expect(await stepOf(quoted)).toBe('quote/QUOTE');
});

test('C-21: a timer that was due when it was claimed is due for its step, also where the clock was set back in between', async () => {
  const { rows } = await app.owner.query(
    `select id, due_at::text as "dueAt" from job where transaction_id = $1 and kind = 'expire'`,
    [String(quoted.id)],
  );
  const [{ id, dueAt }] = rows;
  expect(millisOf(dueAt)).toBeGreaterThan(await app.services.clock.nowMs());
  const job = { accountId: quoted.accountId, transactionId: quoted.id, id: BigInt(id), dueAt };
  expect((await app.services.advance({ ...about(quoted, { on: 'expired' }), job })).code).toBe('ADVANCED');
  expect(await stepOf(quoted)).toBe('quote/EXPIRED');
});

/**
 * Goal: a batch of the engine is judged by the time at which it has its account, however long it waited for that, and whatever came
 * to it meanwhile (C-21, C-30). Method: somebody holds the account while requests come and the clock of the sandbox moves on; timers
 * that are told before their time, as after the machine's clock was set back, or after their step.
 */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { instantOf, millisOf } from '../../../src/base/time/instant.ts';
import type { AdvanceRequest } from '../../../src/resolvers/services/advance.ts';
import type { Sandbox } from '../../../src/resolvers/services/sandbox.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useApp } from '../../support/app.ts';
import { eventually } from '../../support/receiver.ts';
import { errorsIn } from '../../support/refusals.ts';
import { inboundOf, type Merchant } from '../inbound/support.ts';

const app = useApp();
const { reach, rowOf, stepOf } = inboundOf(app);
const MINUTE_MS = 60_000;
const CUSTOMER = { clientName: 'Maria Silva', clientTaxId: '52998224725', expiresIn: 86_400 };
let merchant: Merchant;
/** Rests at its quote, which holds for half an hour. */
let quoted: ProcessRow;

beforeEach(async () => {
  merchant = await app.addAccount();
  quoted = await create({ accept: false });
});
afterEach(() => vi.restoreAllMocks());

/** An onramp whose session lasts for a day. */
async function create(options: { readonly accept: boolean }): Promise<ProcessRow> {
  const query = `mutation ($input: CreateOnrampInput!) { createOnramp(input: $input) { transaction { end2end } errors { code message path } } }`;
  const input = { ...options, amount: { brl: '550' }, currency: 'USDT_TRX', ...CUSTOMER };
  const { json } = await app.graphql(query, { input }, { key: merchant.apiKey });
  expect(errorsIn(json)).toBeUndefined();
  return rowOf(json.data.createOnramp.transaction.end2end);
}

const about = ({ accountId, id }: ProcessRow, trigger: AdvanceRequest['trigger']): AdvanceRequest => ({
  target: { accountId, transactionId: id },
  trigger,
});

async function jobOf({ accountId, id: transactionId }: ProcessRow, kind: string) {
  const { rows } = await app.owner.query(
    'select id, due_at::text as "dueAt", payload from job where transaction_id = $1 and kind = $2',
    [String(transactionId), kind],
  );
  const [{ id, dueAt, payload }] = rows;
  return { job: { accountId, transactionId, id: BigInt(id), dueAt }, payload };
}

const isHeldUp = async () => {
  const { rows } = await app.owner.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
};

/** Holds the account; something begins, and waits for it; the clock moves beyond the lock of the price, and more comes. @returns what became of the first. */
async function whileHeld<Begun>(
  meanwhile: () => Promise<unknown>,
  begin: () => Promise<Begun>,
): Promise<Begun> {
  const holder = await app.owner.connect();
  try {
    await holder.query('begin');
    await holder.query('select from account_head where account_id = $1 for update', [merchant.accountId]);
    const begun = begin();
    begun.catch(() => {});
    await eventually('somebody who waits for the account', isHeldUp);
    await (app.services.sandbox as Sandbox).advanceClock(31 * MINUTE_MS);
    await meanwhile();
    await holder.query('rollback');
    return await begun;
  } finally {
    holder.release(true);
  }
}

/** As `whileHeld`: a batch that begins with another transaction. */
async function whileABatchWaits(meanwhile: () => Promise<unknown>): Promise<void> {
  const other = await create({ accept: true });
  await reach(other, 'depositpix/QRCODE');
  const { code } = await whileHeld(meanwhile, () => app.services.advance(about(other, { on: 'cancelled' })));
  expect(code).toBe('ADVANCED');
}

test('C-21: a timer that joins a waiting batch is evaluated at its own time, and is not lost', async () => {
  const advance = vi.spyOn(app.services, 'advance');
  const told = () => {
    const place = advance.mock.calls.findIndex(
      ([{ target, trigger }]) =>
        trigger.on === 'expired' && 'transactionId' in target && target.transactionId === quoted.id,
    );
    return place < 0 ? undefined : advance.mock.results[place]?.value;
  };
  await whileABatchWaits(() => eventually('the end of the quote is told', () => told() !== undefined));
  expect((await told())?.code).toBe('ADVANCED');
  expect(await stepOf(quoted)).toBe('quote/EXPIRED');
});

test('C-21: an acceptance that joins a batch after the price lock is too late, whenever the batch began', async () => {
  let accepted: Promise<{ readonly code: string }> | undefined;
  const { advance } = app.services;
  // Whoever does timers would be first.
  await app.owner.query(`delete from job where transaction_id = $1`, [String(quoted.id)]);
  await whileABatchWaits(async () => {
    accepted = advance(about(quoted, { on: 'accepted' }));
  });
  expect((await accepted)?.code).toBe('STEP_CONFLICT');
  expect(await stepOf(quoted)).toBe('quote/QUOTE');
});

test('C-40: an action that waits for the account has the time at which it gets the lock, also in the audit log', async () => {
  const body = { currency: 'USDT_TRX', amount: '1' };
  const fund = () => app.post('/v2/sandbox/fund', body, { key: merchant.apiKey });
  let movedMs = 0;
  const meanwhile = async () => {
    movedMs = await app.services.clock.nowMs();
  };
  const { status, text } = await whileHeld(meanwhile, fund);
  expect(status, text).toBe(200);
  const { rows } = await app.owner.query(
    `select at::text from audit_entry where account_id = $1 and act = 'sandbox.fund'`,
    [String(merchant.accountId)],
  );
  expect(rows.map(({ at }) => millisOf(at) >= movedMs)).toEqual([true]);
});

test('C-21: a timer that was due when it was claimed is due for its step, even if the clock was set back in between', async () => {
  const { job } = await jobOf(quoted, 'expire');
  expect(millisOf(job.dueAt)).toBeGreaterThan(await app.services.clock.nowMs());
  expect((await app.services.advance({ ...about(quoted, { on: 'expired' }), job })).code).toBe('ADVANCED');
  expect(await stepOf(quoted)).toBe('quote/EXPIRED');
});

test('the outcome of other work has the time at which it arrives: following jobs are due then', async () => {
  const { job } = await jobOf(quoted, 'expire');
  const dueAt = instantOf(new Date((await app.services.clock.nowMs()) + MINUTE_MS));
  const { code, goesOn } = await app.services.advance({
    ...about(quoted, { on: 'accepted' }),
    job: { ...job, dueAt },
  });
  expect({ code, goesOn }).toEqual({ code: 'ADVANCED', goesOn: true });
});

test('a timer of a step that was left while it was reported does nothing to the next step', async () => {
  vi.spyOn(app.services.rails.identity, 'check').mockResolvedValue('step_up');
  const row = await create({ accept: true });
  await reach(row, 'valida_id/PENDING');
  const { job, payload } = await jobOf(row, 'deny_step_up');
  expect(payload.sequence).toBeTypeOf('number');
  const { advance } = app.services;
  const ofStep = { job, sequence: payload.sequence };
  const both = [
    advance(about(row, { on: 'review_required' })),
    advance({ ...about(row, { on: 'step_up_denied' }), ...ofStep }),
  ];
  expect((await Promise.all(both)).map(({ code }) => code)).toEqual(['ADVANCED', 'STEP_CONFLICT']);
  expect(await stepOf(row)).toBe('valida_id/REVIEW');
});

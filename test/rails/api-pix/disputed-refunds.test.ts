/**
 * Goal: a payment that a dispute (MED) takes while a refund of it is under way goes back once, and the books have what the bank has
 * (C-33, C-34). Method: a gateway and the PSP over the wire without callbacks; orders of returns are kept from the PSP until the
 * dispute has taken the money.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { retryRailEvents } from '../../../src/resolvers/inbound/retry-rail-events.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { MOVER } from '../../support/mover.ts';
import { useStand } from './harness.ts';

/** Often enough for the PSP to settle a return, which takes it a second. */
const ASKS_MAX = 40;

const stand = useStand({}, { works: false });

let letGo = () => {};
afterEach(() => {
  letGo();
  stand.meddle = undefined;
});

async function finished(): Promise<ProcessRow> {
  const made = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(made, 'depositpix/QRCODE');
  const row = await stand.inbound.rowOf(made.end2end);
  await stand.psp.control('POST', '/pay', { txid: row.process?.txid, payerTaxId: row.clientTaxId });
  await query();
  await stand.inbound.reach(row, 'success/DONE');
  return stand.inbound.rowOf(made.end2end);
}

/** Has the statement, the list of disputes and every open order read, and waiting events tried again. */
async function query() {
  await stand.app.owner.query(
    `update pix_order set ask_at = now() - interval '1 second' where ask_at is not null and mode = 'live'`,
  );
  await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
  await stand.part.poll();
  await retryRailEvents(stand.app.services.forMode('live'), { warn: () => {} }, Date.now() + 24 * 3_600_000);
}

/** Keeps orders of returns from the PSP until `letGo`. */
function hold(): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  stand.meddle = async (call, go) => {
    if (call.method === 'PUT' && call.url.includes('/devolucao/')) await promise;
    return go(call);
  };
  letGo = resolve;
}

async function refund({ accountId, id }: ProcessRow, amount?: string): Promise<void> {
  const { code } = await stand.app.services.forMode('live').advance({
    target: { accountId, transactionId: id },
    trigger: { on: 'payment_refunded', ...(amount && { amount }) },
    author: MOVER,
  });
  expect(code).toBe('ADVANCED');
}

async function tell({ pixE2e, end2end }: ProcessRow, ...statuses: readonly string[]): Promise<void> {
  for (const status of statuses) {
    const facts = { kind: 'DISPUTA', status, endToEndId: pixE2e, wait: false };
    await stand.psp.control('PUT', `/infractions/med-${end2end}`, facts);
    await query();
  }
}

const listed = async ({ end2end }: ProcessRow) =>
  ((await stand.inbound.rowOf(end2end)).process?.returns ?? []).map(
    ({ kind, amount, state }) => `${kind} ${amount} ${state}`,
  );

/** Rest of the payment in the books by account of the house, and unsettled rail events about it. */
async function left({ accountId, id }: ProcessRow) {
  const { rows } = await stand.app.owner.query(
    `select a.house as name, sum(l.delta)::text as sum from ledger_line l
       join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
      where l.account_id = $1 and l.transaction_id = $2 and a.currency = 'BRL' and a.house is not null
      group by 1 having sum(l.delta) <> 0`,
    [String(accountId), String(id)],
  );
  const open = await stand.app.owner.query(
    `select kind, outcome, last_error from rail_news
      where account_id = $1 and transaction_id = $2 and outcome in ('pending', 'failed')`,
    [String(accountId), String(id)],
  );
  return [...rows, ...open.rows];
}

async function agrees(row: ProcessRow, returns: readonly string[]): Promise<void> {
  for (let attempts = 0; attempts < ASKS_MAX && !isDeepStrictEqual(await listed(row), returns); attempts++)
    await query();
  expect(await listed(row)).toEqual(returns);
  expect(await left(row)).toEqual([]);
  await stand.inbound.verified(row.accountId);
}

describe('C-34: a dispute that takes the whole payment', () => {
  test('is booked whole, even while a partial refund is in progress', async () => {
    const row = await finished();
    hold();
    await refund(row, '15.00');
    await tell(row, 'ABERTA', 'ACEITA');
    const whole = `dispute ${Number(row.sourceAmount)} done`;
    await agrees(row, ['part 15 credited_back', whole]);
    letGo();
    await stand.until(async () => {
      await query();
      return (await stand.inbound.rowOf(row.end2end)).process?.returns?.[0]?.isOvertaken === undefined;
    });
    await agrees(row, ['part 15 credited_back', whole]);
  });

  test('ends a full refund in progress, which is not ordered again', async () => {
    const row = await finished();
    hold();
    await refund(row);
    await tell(row, 'ABERTA', 'ACEITA');
    letGo();
    await agrees(row, [`refund ${Number(row.sourceAmount)} paid_by_hand`]);
    expect(await stand.inbound.stepOf(row)).toBe('refund/DONE');
    expect(stand.calls.filter((call) => call.startsWith(`PUT /v2/pix/${row.pixE2e}/`)).length).toBeLessThan(
      2,
    );
  });

  test('is booked even if it was rejected before under the same name', async () => {
    const row = await finished();
    await tell(row, 'ABERTA', 'REJEITADA', 'ACEITA');
    await agrees(row, [`dispute ${Number(row.sourceAmount)} done`]);
    expect(await stand.inbound.stepOf(row)).toBe('dispute/ACCEPTED');
  });
});

/**
 * Goal: an order whose outcome the provider cannot tell is settled by hand, once, with evidence, and never against what the provider says
 * (C-33, C-34, C-41). Method: a gateway and the PSP over the wire, which has forgotten an order, has it under way, or is away.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { newEndToEndId, newReturnId } from '../../../src/base/pix/end-to-end-id.ts';
import { PspUnavailable } from '../../../src/rails/api-pix/http.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { depositFor } from '../../resolvers/inbound/support.ts';
import { errorsIn } from '../../support/refusals.ts';
import { useStand } from './harness.ts';

const stand = useStand({}, { works: false });
afterEach(() => {
  stand.meddle = undefined;
});

/** The provider takes no payout, and has none. */
const forgetful: typeof stand.meddle = async (call, go) => {
  if (call.method === 'PUT' && call.url.includes('/gn/pix/')) throw new PspUnavailable('lost');
  if (call.url.includes('/enviados/id-envio/')) return { status: 404, body: '{"nome":"nao_encontrado"}' };
  return go(call);
};

async function paying(): Promise<{ readonly row: ProcessRow; readonly key: string }> {
  const row = await stand.inbound.offrampInstant(stand.merchant);
  await stand.tools.receive(depositFor(await stand.inbound.rowOf(row.end2end)));
  await stand.inbound.reach(row, 'pix_out/SENDING');
  const find = async () =>
    (await stand.app.owner.query('select key from pix_order where key like $1', [`${row.end2end}:%`]))
      .rows[0];
  await stand.until(async () => (await find()) !== undefined);
  return { row, key: (await find()).key };
}

/** Jobs that send the orders of the account of an order. */
const JOBS = `account_id = (select account_id from pix_order where key = $1) and kind in ('send_funds', 'order_returns')`;

/** An interval has passed since it left, and its job waits for a person: it would be sent again otherwise. */
async function aged(key: string, interval = '10 minutes'): Promise<void> {
  await stand.until(async () => {
    await stand.app.owner.query(`update job set due_at = 'infinity' where ${JOBS} and leased_until is null`, [
      key,
    ]);
    const leased = `select from job where ${JOBS} and leased_until is not null`;
    return (await stand.app.owner.query(leased, [key])).rowCount === 0;
  });
  await stand.app.owner.query(
    `update pix_order set placed_at = placed_at - $2::interval, sent_at = sent_at - $2::interval,
        ask_at = now() - interval '1 second' where key = $1`,
    [key, interval],
  );
}
const returnedId = () => newReturnId({ ispb: '99999999', at: new Date() });
const sentId = () => newEndToEndId({ ispb: '99999999', at: new Date() });

let platformKey: string | undefined;
async function query(query: string) {
  const platform = await platformAccount(stand.app.database, 'live');
  platformKey ??= (await stand.app.addKey(platform, ['read', 'platform:risk'])).apiKey;
  return (await stand.app.graphql(query, {}, { key: platformKey })).json;
}
const settle = async (key: string, outcome: string, evidence: string) => {
  const answer = await query(
    `mutation { settlePixOrder(input: { key: "${key}", outcome: ${outcome}, evidence: "${evidence}" }) { pixOrder { key isDone } errors { code message path } } }`,
  );
  const [error] = errorsIn(answer) ?? [];
  return error ? error.extensions.code : answer.data.settlePixOrder.pixOrder;
};

describe('an order that the provider does not know', () => {
  test('is listed, and can be settled as never executed: the payout is rejected and not sent again', async () => {
    stand.meddle = forgetful;
    const { row, key } = await paying();
    const { data } = await query('{ openPixOrders { key kind amount account isDone } }');
    expect(data.openPixOrders).toContainEqual(
      expect.objectContaining({ key, kind: 'PAYOUT', account: String(row.accountId), isDone: null }),
    );
    // It left a moment ago, and may be on its way.
    expect(await settle(key, 'NOT_DONE', 'the bank')).toBe('STEP_CONFLICT');
    await aged(key);
    expect(await settle(key, 'NOT_DONE', 'the bank, case 4712')).toEqual({ key, isDone: false });
    await stand.inbound.reach(row, 'pix_out/REJECTED');
    expect(await settle(key, 'NOT_DONE', 'the bank')).toBe('STEP_CONFLICT');
    const { rows } = await stand.app.owner.query(
      `select object_id, after from audit_entry where act = 'order.settle' and account_id = $1`,
      [String(row.accountId)],
    );
    expect(rows).toContainEqual({
      object_id: key,
      after: expect.objectContaining({ state: 'NOT_DONE', evidence: 'the bank, case 4712' }),
    });
    await stand.inbound.verified(row.accountId);
  });

  test('is settled as executed, only by the EndToEndId', async () => {
    stand.meddle = forgetful;
    const { row, key } = await paying();
    await aged(key);
    expect(await settle(key, 'DONE', 'somebody')).toBe('INVALID_PARAMETER');
    for (const missing of [`${key}x`, 'a\\u0000b'])
      expect(await settle(missing, 'DONE', sentId()), missing).toBe('NOT_FOUND');
    expect(await settle(key, 'DONE', sentId())).toEqual({ key, isDone: true });
    await stand.inbound.reach(row, 'success/DONE');
    await stand.inbound.verified(row.accountId);
  });

  test('waits in the review queue after a day, is not queried after 30 days, and is followed once it was sent again', async () => {
    stand.meddle = forgetful;
    const { row, key } = await paying();
    const found = async () =>
      (await query('{ reviewQueue(kinds: [UNDECIDED_ORDER], first: 100) { nodes { caseKey detail } } }')).data
        .reviewQueue.nodes;
    const expected = { caseKey: `UNDECIDED_ORDER:${row.accountId}:${key}`, detail: row.pixKey };
    expect(await found()).not.toContainEqual(expected);
    const askAt = async () =>
      (await stand.app.owner.query('select ask_at from pix_order where key = $1', [key])).rows[0].ask_at;
    await aged(key, '2 days');
    await stand.part.poll();
    expect(await found()).toContainEqual(expected);
    expect(await askAt()).not.toBeNull();
    await aged(key, '29 days');
    await stand.part.poll();
    expect(await askAt()).toBeNull();
    expect(await found()).toContainEqual(expected);
    stand.meddle = undefined;
    await stand.app.owner.query(`update job set due_at = now() - interval '1 second' where ${JOBS}`, [key]);
    await stand.until(async () => (await askAt()) !== null);
    await stand.until(async () => {
      await stand.app.owner.query(
        `update pix_order set ask_at = now() - interval '1 second' where key = $1 and is_done is null`,
        [key],
      );
      await stand.part.poll();
      return (await stand.inbound.stepOf(row)) === 'success/DONE';
    });
    expect(await found()).not.toContainEqual(expected);
  });

  test('C-33: is settled only by its own EndToEndId, not by that of another payout, not even in parallel', async () => {
    stand.meddle = forgetful;
    const payouts = [await paying(), await paying()];
    for (const { key } of payouts) await aged(key);
    const id = sentId();
    const said = await Promise.all(payouts.map(({ key }) => settle(key, 'DONE', id)));
    const refused = payouts.filter((_, place) => said[place] === 'INVALID_PARAMETER');
    expect(refused).toHaveLength(1);
    for (const { key } of refused) {
      expect(await settle(key, 'DONE', id)).toBe('INVALID_PARAMETER');
      expect(await settle(key, 'DONE', sentId())).toEqual({ key, isDone: true });
    }
    for (const { row } of payouts) await stand.inbound.reach(row, 'success/DONE');
  });
});

test('a return with another returned amount is settled as executed, once the rest was paid by hand', async () => {
  const row = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(row, 'depositpix/QRCODE');
  const { txid } = (await stand.inbound.rowOf(row.end2end)).process ?? {};
  await stand.psp.control('POST', '/pay', { txid, payerTaxId: '11144477735' });
  await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
  const answered = { id: 'x', rtrId: returnedId(), valor: '40.00', status: 'DEVOLVIDO', horario: {} };
  stand.meddle = async (call, go) => {
    const answer = await go(call);
    return call.url.includes('/devolucao/') ? { status: 200, body: JSON.stringify(answered) } : answer;
  };
  await stand.part.poll();
  await stand.inbound.reach(row, 'refund/INITIAL');
  const find = async () =>
    (await stand.app.owner.query(`select key from pix_order where kind = 'return' and is_done is null`))
      .rows[0];
  await stand.until(async () => (await find()) !== undefined);
  const { key } = await find();
  await aged(key);
  expect(await settle(key, 'NOT_DONE', 'x')).toBe('STEP_CONFLICT');
  expect(await settle(key, 'DONE', returnedId())).toEqual({ key, isDone: true });
  await stand.inbound.reach(row, 'refund/DONE');
  await stand.inbound.verified(row.accountId);
});

describe('is refused', () => {
  test('while the provider is processing it, has decided it, or is unreachable', async () => {
    await stand.psp.control('PUT', '/faults', { seed: 1, rules: [] });
    const { row, key } = await paying();
    await aged(key);
    const answers = (status: string | undefined): typeof stand.meddle => {
      return async (call, go) => {
        if (!call.url.includes('/enviados/id-envio/')) return go(call);
        if (status === undefined) throw new PspUnavailable('away');
        return { status: 200, body: JSON.stringify({ status, endToEndId: sentId() }) };
      };
    };
    stand.meddle = answers('EM_PROCESSAMENTO');
    expect(await settle(key, 'NOT_DONE', 'x')).toBe('STEP_CONFLICT');
    stand.meddle = answers(undefined);
    expect(await settle(key, 'NOT_DONE', 'x')).toBe('UNAVAILABLE');
    expect(await stand.inbound.stepOf(row)).toBe('pix_out/SENDING');
    stand.meddle = answers('REALIZADO');
    expect(await settle(key, 'NOT_DONE', 'x')).toBe('STEP_CONFLICT');
    await stand.inbound.reach(row, 'success/DONE');
  });

  test('for an unknown order', async () => {
    expect(await settle('no-such-order', 'NOT_DONE', 'x')).toBe('NOT_FOUND');
  });
});

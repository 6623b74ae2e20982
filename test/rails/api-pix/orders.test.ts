/**
 * Goal: what leaves for the provider is carried out once and comes to an end, whatever is heard of it: answers that are lost, refusals,
 * a provider that is away, callbacks that never come (C-33, C-34). Method: a gateway and the PSP over the wire without callbacks, so
 * that everything is found by asking.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { instantOf } from '../../../src/base/time/instant.ts';
import { createCaller, PspUnavailable } from '../../../src/rails/api-pix/http.ts';
import { type ApiPixPart, createApiPix } from '../../../src/rails/api-pix/index.ts';
import { PIX_SENDING, pauseSending } from '../../../src/store/rails/chain-network.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { depositFor } from '../../resolvers/inbound/support.ts';
import { useStand } from './harness.ts';

const stand = useStand({}, { works: false });
const LIVE = "mode = 'live'";

afterEach(async () => {
  stand.meddle = undefined;
  stand.calls.length = 0;
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [] });
});

const fault = (on: string, name: string) =>
  stand.psp.control('PUT', '/faults', { seed: 1, rules: [{ on, fault: name, rate: 1, ms: 10 }] });
const sent = (method: string, part: string) =>
  stand.calls.filter((call) => call.startsWith(`${method} `) && call.includes(part)).length;

async function charged(): Promise<ProcessRow> {
  const row = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(row, 'depositpix/QRCODE');
  return stand.inbound.rowOf(row.end2end);
}

async function pay(row: ProcessRow, payerTaxId: string | null): Promise<string> {
  const { json } = await stand.psp.control('POST', '/pay', { txid: row.process?.txid, payerTaxId });
  return json.endToEndIds[0];
}

/** Has the provider asked about every order now, and the statement read. */
async function query(part = stand.part) {
  await stand.app.owner.query(
    `update pix_order set ask_at = now() - interval '1 second' where ask_at is not null and ${LIVE}`,
  );
  await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
  await part.poll();
}

/** Asks until the provider has decided, which takes it a second. */
async function asksUntil(row: ProcessRow, step: string) {
  await stand.until(async () => {
    await query();
    return (await stand.inbound.stepOf(row)) === step;
  });
}

/** A payment of somebody else, which goes back. */
async function returning(): Promise<ProcessRow> {
  const row = await charged();
  await pay(row, '11144477735');
  await query();
  await stand.inbound.reach(row, 'refund/INITIAL');
  return stand.inbound.rowOf(row.end2end);
}

/** An offramp whose deposit arrived, so that BRL is to be paid out. */
async function paying(step = 'pix_out/SENDING'): Promise<ProcessRow> {
  const row = await stand.inbound.offrampInstant(stand.merchant);
  const waiting = await stand.inbound.rowOf(row.end2end);
  await stand.tools.receive(depositFor(waiting));
  await stand.inbound.reach(row, step);
  return stand.inbound.rowOf(row.end2end);
}

/** The order about a transaction, once it is placed. */
async function orderOf(kind: 'payout' | 'return', { end2end }: ProcessRow) {
  const find = async () => {
    const row = await stand.inbound.rowOf(end2end);
    const ids = (row.process?.returns ?? []).map(({ returnId }) => returnId);
    const { rows } = await stand.app.owner.query(
      `select key, psp_id, is_done, ask_at from pix_order where kind = $1 and (key = any ($2) or key like $3 || ':%')`,
      [kind, ids, end2end],
    );
    return rows[0];
  };
  await stand.until(async () => (await find()) !== undefined);
  return find();
}

/** Has the provider end it. */
async function end(kind: 'payout' | 'return', row: ProcessRow, how: 'settle' | 'fail' | 'return') {
  const { psp_id: id } = await orderOf(kind, row);
  const path = `/${kind === 'payout' ? 'payouts' : 'refunds'}/${id}/${how}`;
  let answer = await stand.psp.control('POST', path, {});
  await stand.until(async () => {
    if (answer.status !== 200) answer = await stand.psp.control('POST', path, {});
    return answer.status === 200;
  });
  return answer.json;
}

/** Payouts that wait to be tried again are tried until something is so. */
const retriesUntil = (isSo: () => boolean) =>
  stand.until(async () => {
    await stand.app.owner.query(
      `update job set due_at = now() - interval '1 second', leased_until = null where kind = 'send_funds'`,
    );
    return isSo();
  });

/** A minute has passed since the order left. */
const aged = (id: string) =>
  stand.app.owner.query(`update pix_order set sent_at = sent_at - interval '61 seconds' where psp_id = $1`, [
    id,
  ]);

/** The statement has returns of a payment besides. */
function listing(endToEndId: string | null, ...back: readonly object[]): typeof stand.meddle {
  return async (call, go) => {
    const answer = await go(call);
    if (!call.url.includes('/v2/pix?')) return answer;
    const page = JSON.parse(answer.body);
    const pix = page.pix.map((each: { endToEndId: string }) =>
      each.endToEndId === endToEndId
        ? { ...each, devolucoes: back.map((one) => ({ horario: {}, ...one })) }
        : each,
    );
    return { ...answer, body: JSON.stringify({ ...page, pix }) };
  };
}

describe('a charge', () => {
  test('is polled before it counts as expired, and its payment counts', async () => {
    const row = await charged();
    const endToEndId = await pay(row, row.clientTaxId);
    await stand.app.owner.query(
      `update job set due_at = now() where kind = 'expire_payable' and account_id = $1`,
      [String(row.accountId)],
    );
    await stand.until(async () => (await stand.inbound.rowOf(row.end2end)).pixE2e !== null);
    expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toMatchObject([{ outcome: 'step' }]);
    expect(sent('GET', `/cob/${row.process?.txid}`)).toBe(1);
  });

  test('that was paid while it was being cancelled stays, and its payment is reported', async () => {
    const row = await charged();
    const endToEndId = await pay(row, row.clientTaxId);
    await stand.inbound.act(stand.merchant, `/v2/onramp/${row.end2end}/cancel`);
    await stand.until(async () => (await stand.inbound.eventsOf(`pix:${endToEndId}`)).length > 0);
    expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toMatchObject([{ outcome: 'suspense' }]);
  });
});

test('nothing is ordered while sending is paused, what was sent is followed, and the rest goes on afterwards', async () => {
  const sentBefore = await paying();
  await orderOf('payout', sentBefore);
  const { database } = stand.tools;
  const pause = { by: 'key_x', at: instantOf(new Date()), reason: 'case 4712' };
  await pauseSending(database, { mode: 'live', network: PIX_SENDING }, pause);
  const check = (await stand.part.checks()).find(({ check: name }) => name === 'sending');
  expect(check).toMatchObject({ ok: false, detail: 'paused by key_x: case 4712' });
  stand.calls.length = 0;
  const held = await paying();
  await stand.until(async () => {
    const { rows } = await stand.app.owner.query(
      `select attempts, last_error from job where kind = 'send_funds' and transaction_id = $1 and account_id = $2`,
      [String(held.id), String(held.accountId)],
    );
    return rows[0]?.last_error === 'sending by PIX is paused' && rows[0].attempts === 0;
  });
  expect(sent('PUT', '/pix/')).toBe(0);
  await asksUntil(sentBefore, 'success/DONE');
  await pauseSending(database, { mode: 'live', network: PIX_SENDING }, null);
  await retriesUntil(() => sent('PUT', '/pix/') > 0);
  await asksUntil(held, 'success/DONE');
});

describe('a return', () => {
  test('is queried when its answer is lost, ordered once, and ends at the next query', async () => {
    await fault('refund', 'timeout');
    const row = await returning();
    await stand.until(() => sent('GET', '/devolucao/') > 0);
    const { psp_id: id } = await orderOf('return', row);
    expect(sent('PUT', `/devolucao/${id}`)).toBe(1);
    await end('return', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'refund/DONE');
    expect((await orderOf('return', row)).is_done).toBe(true);
    await stand.inbound.verified(row.accountId);
  });

  test('that the provider refuses permanently has failed', async () => {
    stand.meddle = async (call, go) =>
      call.method === 'PUT' && call.url.includes('/devolucao/')
        ? {
            status: 400,
            body: JSON.stringify({
              type: 'https://pix.bcb.gov.br/api/v2/error/PixDevolucaoInvalida',
              title: 'x',
              status: 400,
            }),
          }
        : go(call);
    const row = await charged();
    await pay(row, '11144477735');
    await query();
    await stand.inbound.reach(row, 'refund/ERROR');
    expect(await orderOf('return', row)).toMatchObject({ is_done: false, ask_at: null });
  });

  test('that was made at the provider itself is not treated as the gateway’s (C-34)', async () => {
    const row = await returning();
    await orderOf('return', row);
    const manual = {
      id: 'byhand1',
      rtrId: 'D9999999920261122100000000000002',
      valor: '0.01',
      status: 'DEVOLVIDO',
    };
    stand.meddle = listing(row.pixE2e, manual);
    await query();
    expect(await stand.inbound.eventsOf('pix:byhand1')).toMatchObject([{ outcome: 'pending' }]);
    expect(await stand.inbound.stepOf(row)).toBe('refund/INITIAL');
    stand.meddle = undefined;
    await end('return', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'refund/DONE');
    expect(await stand.inbound.eventsOf('pix:byhand1')).toMatchObject([{ outcome: 'pending' }]);
    await stand.inbound.verified(row.accountId);
  });

  test('with another returned amount waits for a person’s decision (C-34)', async () => {
    const row = await returning();
    const { psp_id: id } = await orderOf('return', row);
    const answers = await stand.psp.call('GET', `/v2/pix/${row.pixE2e}/devolucao/${id}`);
    stand.meddle = async (call, go) => {
      const answer = await go(call);
      // The statement has what the provider did meanwhile.
      if (call.url.includes('/v2/pix?'))
        return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), pix: [] }) };
      if (call.method !== 'GET' || !call.url.includes(`/devolucao/${id}`)) return answer;
      return { ...answer, body: JSON.stringify({ ...answers.json, valor: '40.00', status: 'DEVOLVIDO' }) };
    };
    await query();
    await query();
    const { key } = await orderOf('return', row);
    const { rows } = await stand.app.owner.query(
      'select kind, outcome, attempts, last_error from rail_news where key = $1',
      [`pix:${key}:40.00`],
    );
    const words = '40.00 went back, and 100.00 was ordered: somebody has to decide';
    expect(rows).toEqual([{ kind: 'refund_ended', outcome: 'pending', attempts: 1, last_error: words }]);
    expect(await stand.inbound.stepOf(row)).toBe('refund/INITIAL');
    expect((await orderOf('return', row)).is_done).toBe(null);
    await stand.inbound.verified(row.accountId);
    stand.meddle = undefined;
    await end('return', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'refund/DONE');
  });

  test('that could not be executed has failed', async () => {
    await stand.psp.control('POST', '/plans', { act: 'refund', facts: {} });
    const row = await returning();
    await orderOf('return', row);
    await asksUntil(row, 'refund/ERROR');
  });
});

describe('a payout', () => {
  test('is found when its answer is lost, and never sent twice', async () => {
    await fault('payout', 'timeout');
    const row = await paying();
    await stand.until(() => sent('GET', '/enviados/id-envio/') > 0);
    const { psp_id: id } = await orderOf('payout', row);
    expect(sent('PUT', `/gn/pix/${id}`)).toBe(1);
    await end('payout', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'success/DONE');
    await stand.inbound.verified(row.accountId);
  });

  test('that never reached the provider is sent again after a minute under the same id', async () => {
    let isLost = true;
    stand.meddle = async (call, go) => {
      if (isLost && call.method === 'PUT' && call.url.includes('/gn/pix/')) throw new PspUnavailable('lost');
      return go(call);
    };
    const row = await paying();
    await stand.until(() => sent('GET', '/enviados/id-envio/') > 0);
    const { psp_id: id } = await orderOf('payout', row);
    isLost = false;
    const asked = sent('GET', '/enviados/id-envio/');
    await retriesUntil(() => sent('GET', '/enviados/id-envio/') > asked);
    expect(sent('PUT', `/gn/pix/${id}`)).toBe(1);
    await aged(id);
    await retriesUntil(() => sent('PUT', `/gn/pix/${id}`) === 2);
    await end('payout', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'success/DONE');
  });

  test('that may be in progress is not given up when sending it again is refused (C-33)', async () => {
    let isHidden = true;
    let sends = 0;
    stand.meddle = async (call, go) => {
      if (call.method === 'GET' && call.url.includes('/enviados/id-envio/') && isHidden)
        return { status: 404, body: '{"nome":"nao_encontrado"}' };
      if (call.method !== 'PUT' || !call.url.includes('/gn/pix/')) return go(call);
      sends += 1;
      if (sends > 1) return { status: 422, body: '{"nome":"pagamento_negado","mensagem":"no"}' };
      await go(call);
      throw new PspUnavailable('lost');
    };
    const row = await paying();
    await stand.until(() => sent('GET', '/enviados/id-envio/') > 0);
    const { psp_id: id } = await orderOf('payout', row);
    await aged(id);
    await retriesUntil(() => sends > 1);
    // Another try begins only after that one has ended.
    const asked = sent('GET', '/enviados/id-envio/') + 1;
    await retriesUntil(() => sent('GET', '/enviados/id-envio/') > asked);
    expect((await orderOf('payout', row)).is_done).toBe(null);
    isHidden = false;
    await end('payout', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'success/DONE');
    await stand.inbound.verified(row.accountId);
  });

  test('that gets a temporary refusal stays open, and is sent again (C-33)', async () => {
    stand.meddle = async (call, go) =>
      call.method === 'PUT' && call.url.includes('/gn/pix/')
        ? { status: 422, body: '{"nome":"id_envio_em_uso","mensagem":"busy"}' }
        : go(call);
    const row = await paying();
    await stand.until(() => sent('GET', '/enviados/id-envio/') > 0);
    const { psp_id: id } = await orderOf('payout', row);
    stand.meddle = undefined;
    await aged(id);
    await retriesUntil(() => sent('PUT', `/gn/pix/${id}`) === 2);
    await end('payout', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'success/DONE');
  });

  test('that the provider rejects later is reported as rejected', async () => {
    await stand.psp.control('POST', '/plans', { act: 'payout', facts: {} });
    const row = await paying();
    await orderOf('payout', row);
    await asksUntil(row, 'pix_out/REJECTED');
    expect(await orderOf('payout', row)).toMatchObject({ is_done: false, ask_at: null });
  });

  test('that the provider refuses immediately is reported as rejected', async () => {
    stand.meddle = async (call, go) =>
      call.method === 'PUT' && call.url.includes('/gn/pix/')
        ? { status: 422, body: '{"nome":"pagamento_negado","mensagem":"no"}' }
        : go(call);
    const row = await paying('pix_out/REJECTED');
    expect(await orderOf('payout', row)).toMatchObject({ is_done: false });
  });

  test('that was returned days later is found by a poll', async () => {
    const row = await paying();
    await end('payout', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'success/DONE');
    const { returnId } = await end('payout', row, 'return');
    await query();
    await query();
    // Nobody waits for it: BRL that came back is the account's, in suspense.
    expect(await stand.inbound.eventsOf(`pix:${returnId}`)).toMatchObject([
      { kind: 'payout_returned', outcome: 'suspense', account_id: String(row.accountId) },
    ]);
    await stand.inbound.verified(row.accountId);
  });

  test('that was returned in parts waits for each rtrId, and each part is reported once (C-34)', async () => {
    const row = await paying();
    const { psp_id: id } = await orderOf('payout', row);
    await end('payout', row, 'settle');
    await query();
    await stand.inbound.reach(row, 'success/DONE');
    const part = { valor: '1.00', status: 'DEVOLVIDO', horario: {} };
    const ids = ['1', '2'].map((last) => `D999999992026112210000000000A${id.slice(-3)}${last}`);
    const back = (devolucoes: readonly object[]): typeof stand.meddle => {
      return async (call, go) => {
        const answer = await go(call);
        if (!call.url.includes(`/enviados/id-envio/${id}`)) return answer;
        return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), devolucoes }) };
      };
    };
    const heard = async () => {
      const { rows } = await stand.app.owner.query(
        `select n.key from rail_news n join pix_order o on n.body->>'endToEndId' = o.end_to_end_id
          where n.kind = 'payout_returned' and o.psp_id = $1 order by n.key`,
        [id],
      );
      return rows.map(({ key }) => key);
    };
    stand.meddle = back([part, { id: 'a', ...part }]);
    await query();
    expect(await heard()).toEqual([]);
    const { ask_at: askAt } = await orderOf('payout', row);
    expect(askAt.getTime() - Date.now()).toBeLessThan(3_600_000);
    stand.meddle = back(ids.map((rtrId) => ({ id: 'a', rtrId, ...part })));
    await query();
    await query();
    expect(await heard()).toEqual(ids.map((rtrId) => `pix:${rtrId}`));
    await stand.inbound.verified(row.accountId);
  });
});

describe('a dispute', () => {
  /** The rail of a provider that has no list of disputes. */
  function unlisted(): ApiPixPart {
    const go = createCaller(stand.settings);
    return createApiPix({ ...stand.settings, infractionsUrl: null }, stand.tools, async (call) =>
      stand.meddle ? stand.meddle(call, go) : go(call),
    );
  }

  async function finished(): Promise<{ readonly row: ProcessRow; readonly endToEndId: string }> {
    const row = await charged();
    const endToEndId = await pay(row, row.clientTaxId);
    await query();
    await stand.inbound.reach(row, 'success/DONE');
    return { row, endToEndId };
  }

  test('that was opened and accepted without a report is found on the provider’s list, with both events', async () => {
    const { row, endToEndId } = await finished();
    const id = `med-${row.end2end}`;
    for (const status of ['ABERTA', 'ACEITA'])
      await stand.psp.control('PUT', `/infractions/${id}`, {
        kind: 'DISPUTA',
        status,
        endToEndId,
        wait: false,
      });
    await query();
    await stand.inbound.reach(row, 'dispute/ACCEPTED');
    expect(await stand.inbound.eventsOf(`pix:${id}`)).toMatchObject([
      { kind: 'dispute_opened' },
      { kind: 'dispute_accepted' },
    ]);
    await stand.inbound.verified(row.accountId);
  });

  /** A return by MED on the statement. */
  const byMed = (id: string, valor: string) => ({ id, valor, natureza: 'MED_FRAUDE', status: 'DEVOLVIDO' });
  const journals = async (endToEndId: string) => {
    const { rows } = await stand.app.owner.query(
      `select j.name from journal j join transaction t on t.account_id = j.account_id and t.id = j.transaction_id
        where t.pix_e2e = $1 and j.name in ('L6', 'L8', 'L8b') order by j.id`,
      [endToEndId],
    );
    return rows.map(({ name }) => name);
  };
  const accepted = async (amount: string) => {
    const { row, endToEndId } = await finished();
    const facts = { kind: 'DISPUTA', endToEndId, amount, wait: false };
    for (const status of ['ABERTA', 'ACEITA'])
      await stand.psp.control('PUT', `/infractions/inf-${row.end2end}`, { ...facts, status });
    await query();
    await stand.inbound.reach(row, 'dispute/ACCEPTED');
    expect(await journals(endToEndId)).toEqual(['L6', 'L8']);
    return { row, endToEndId };
  };
  const waiting = async (key: string) => {
    const { rows } = await stand.app.owner.query(
      `select kind, outcome, last_error as words from rail_news where key = $1`,
      [`pix:${key}`],
    );
    return rows;
  };

  test('reported by both the list and a return by MED is booked once (C-33)', async () => {
    const { row, endToEndId } = await accepted('40.00');
    const names = [1, 2].map((count) => `MEDa${count}`);
    for (const count of [1, 2]) {
      stand.meddle = listing(endToEndId, ...names.slice(0, count).map((name) => byMed(name, '40.00')));
      await query();
      await query();
    }
    expect(await waiting('MEDa1')).toEqual([{ kind: 'dispute_returned', outcome: 'noted', words: null }]);
    const words =
      '40.00 went back by MED, and no accepted dispute of this payment is without its return: somebody has to decide';
    expect(await waiting('MEDa2')).toEqual([{ kind: 'dispute_returned', outcome: 'pending', words }]);
    expect(await journals(endToEndId)).toEqual(['L6', 'L8']);
    await stand.inbound.verified(row.accountId);
  });

  test('with another amount returned by MED waits for a person’s decision (C-34)', async () => {
    const { row, endToEndId } = await accepted('100.00');
    stand.meddle = listing(endToEndId, byMed('MEDb', '30.00'));
    await query();
    const words = '30.00 went back by MED, and a dispute about 100.00 was accepted: somebody has to decide';
    expect(await waiting('MEDb')).toEqual([{ kind: 'dispute_returned', outcome: 'pending', words }]);
    expect(await journals(endToEndId)).toEqual(['L6', 'L8']);
    await stand.inbound.verified(row.accountId);
  });

  test('of two returns by MED without id and rtrId is two reports if no list reports disputes, and none more once they have ids (C-34)', async () => {
    const { row, endToEndId } = await finished();
    const part = (liquidacao: string, more: object = {}) => ({
      valor: '20.00',
      natureza: 'MED_FRAUDE',
      status: 'DEVOLVIDO',
      horario: { solicitacao: '2026-11-22T10:00:00.000Z', liquidacao },
      ...more,
    });
    const told = async () =>
      (
        await stand.app.owner.query(
          `select key from rail_news where kind = 'dispute_accepted' and body->>'endToEndId' = $1 order by id`,
          [endToEndId],
        )
      ).rows.map(({ key }) => key);
    stand.meddle = listing(endToEndId, part('2026-11-22T10:00:01.000Z'));
    await query(unlisted());
    stand.meddle = listing(endToEndId, part('2026-11-22T10:00:01.000Z'), part('2026-11-22T10:00:02.000Z'));
    await query(unlisted());
    const names = [1, 2].map(
      (count) => `pix:${endToEndId}:2026-11-22T10:00:00.000Z:2000${count === 1 ? '' : `:${count}`}`,
    );
    expect(await told()).toEqual(names);
    stand.meddle = listing(
      endToEndId,
      ...['1', '2'].map((last) =>
        part('x', { id: `MED${last}`, rtrId: `D999999992026112210000000000000${last}` }),
      ),
    );
    await query(unlisted());
    expect(await told()).toEqual(names);
    await stand.inbound.verified(row.accountId);
  });

  test('known only from a return by MED counts as opened and accepted if no list reports disputes', async () => {
    const { row, endToEndId } = await finished();
    const back = {
      id: 'MED1',
      rtrId: 'D9999999920261122100000000000001',
      valor: '40.00',
      natureza: 'MED_FRAUDE',
      status: 'DEVOLVIDO',
    };
    stand.meddle = listing(endToEndId, back);
    await query(unlisted());
    await stand.inbound.reach(row, 'dispute/ACCEPTED');
    await stand.inbound.verified(row.accountId);
  });
});

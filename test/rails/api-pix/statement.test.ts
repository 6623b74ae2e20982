/**
 * Goal: the statement is read whole, by one process at a time, and nothing on it is passed over (C-34). Method: the PSP, several rails
 * on one database, pages of many payments, an entry that cannot be read.
 */
import { describe, expect, test } from 'vitest';
import { createCaller } from '../../../src/rails/api-pix/http.ts';
import { createApiPix } from '../../../src/rails/api-pix/index.ts';
import { useStand } from './harness.ts';

const stand = useStand({ unknownPayer: 'hold' }, { works: false });

const due = () =>
  stand.app.owner.query(
    `update pix_cursor set free_at = now() - interval '1 second' where source not like '% late'`,
  );
const cursor = async () =>
  (await stand.app.owner.query(`select * from pix_cursor where source not like '% late'`)).rows[0];
const lateDue = () =>
  stand.app.owner.query(
    `update pix_cursor set free_at = now() - interval '1 second' where source like '% late'`,
  );
const late = async () =>
  (await stand.app.owner.query(`select * from pix_cursor where source like '% late'`)).rows[0];
const statementIsWell = async () =>
  (await stand.part.checks()).find(({ check }) => check === 'statement')?.ok;
const heard = async () =>
  (await stand.app.owner.query(`select count(*)::int as count from rail_news where kind = 'payment'`)).rows[0]
    .count;
const pages = () => stand.calls.filter((call) => call === 'GET /v2/pix').length;

describe('the statement', () => {
  test('is read page by page, and a second read reports nothing again', async () => {
    await stand.psp.control('POST', '/pay', { amount: '1.00', times: 100, wait: false });
    await stand.psp.control('POST', '/pay', { amount: '1.00', times: 1, wait: false });
    const before = await heard();
    const pagesBefore = pages();
    await due();
    await stand.part.poll();
    expect(pages() - pagesBefore).toBe(2);
    expect((await heard()) - before).toBe(101);
    await due();
    await stand.part.poll();
    expect((await heard()) - before).toBe(101);
  });

  test('is read day by day after days without a read', async () => {
    const { json } = await stand.psp.control('POST', '/pay', {
      amount: '3.00',
      settledAt: new Date(Date.now() - 60 * 3_600_000).toISOString(),
      wait: false,
    });
    await stand.app.owner.query(
      `update pix_cursor set read_until = now() - interval '3 days', free_at = now() - interval '1 second'
        where source not like '% late'`,
    );
    const before = pages();
    await stand.part.poll();
    expect(pages() - before).toBeGreaterThanOrEqual(4);
    expect(await stand.inbound.eventsOf(`pix:${json.endToEndIds[0]}`)).toHaveLength(1);
  });

  test('includes entries that the provider lists late', async () => {
    const { json } = await stand.psp.control('POST', '/pay', {
      amount: '4.00',
      settledAt: new Date(Date.now() - 30 * 60_000).toISOString(),
      wait: false,
    });
    const [endToEndId] = json.endToEndIds;
    await due();
    await stand.part.poll();
    expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toHaveLength(0);
    await stand.app.owner.query(
      `update pix_cursor set free_at = now() - interval '1 second' where source like '% late'`,
    );
    await stand.part.poll();
    expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toHaveLength(1);
  });

  test('is read by one of several processes, and only when due', async () => {
    const others = Array.from({ length: 4 }, () => {
      const go = createCaller(stand.settings);
      return createApiPix(stand.settings, stand.tools, (call) => {
        stand.calls.push(`${call.method} ${new URL(call.url).pathname}`);
        return go(call);
      });
    });
    await due();
    const before = pages();
    await Promise.all(others.map(({ poll }) => poll()));
    const read = pages() - before;
    expect(read).toBeGreaterThan(0);
    await Promise.all(others.map(({ poll }) => poll()));
    expect(pages() - before).toBe(read);
  });

  test('is read past an unreadable entry, and again until that is readable; doctor reports it', async () => {
    stand.meddle = async (call, go) => {
      const answer = await go(call);
      if (!call.url.includes('/v2/pix?')) return answer;
      const page = JSON.parse(answer.body);
      return { ...answer, body: JSON.stringify({ ...page, pix: [{ endToEndId: 'E1' }, ...page.pix] }) };
    };
    const { json } = await stand.psp.control('POST', '/pay', { amount: '2.00', wait: false });
    const before = { now: await cursor(), late: await late() };
    await due();
    await lateDue();
    await stand.part.poll();
    expect(await stand.inbound.eventsOf(`pix:${json.endToEndIds[0]}`)).toHaveLength(1);
    expect((await cursor()).read_until > before.now.read_until).toBe(true);
    expect(await late()).toMatchObject({ read_until: before.late.read_until, read_at: before.late.read_at });
    expect(stand.logged).toContain('a part of the statement of the PIX provider cannot be read');
    await stand.app.owner.query(
      `update pix_cursor set read_at = read_at - interval '31 minutes' where source like '% late'`,
    );
    expect(await statementIsWell()).toBe(false);
    stand.meddle = undefined;
    await lateDue();
    await stand.part.poll();
    expect((await late()).read_until > before.late.read_until).toBe(true);
    await due();
    await stand.part.poll();
    expect(await statementIsWell()).toBe(true);
  });

  test('is read even while the list of disputes fails, which is retried until it succeeds', async () => {
    stand.meddle = async (call, go) =>
      call.url.includes('/infracoes') ? { status: 403, body: '{"nome":"no"}' } : go(call);
    const before = { now: await cursor(), late: await late() };
    await due();
    await lateDue();
    await stand.part.poll();
    expect((await cursor()).read_until > before.now.read_until).toBe(true);
    expect((await late()).read_until).toEqual(before.late.read_until);
    stand.meddle = undefined;
    await lateDue();
    await stand.part.poll();
    expect((await late()).read_until > before.late.read_until).toBe(true);
  });
});

test('an unreadable dispute does not delay the others: it is named in the log, and read again (C-34)', async () => {
  const { json } = await stand.psp.control('POST', '/pay', { amount: '6.00', wait: false });
  const [endToEndId] = json.endToEndIds;
  const facts = { kind: 'INFRACAO', status: 'ABERTA', endToEndId, wait: false };
  await stand.psp.control('PUT', '/infractions/told', facts);
  stand.meddle = async (call, go) => {
    const answer = await go(call);
    if (!call.url.includes('/infracoes')) return answer;
    const page = JSON.parse(answer.body);
    const strange = { ...page.infracoes[0], idInfracao: 'strange', tipo: 'OUTRA' };
    return { ...answer, body: JSON.stringify({ ...page, infracoes: [strange, ...page.infracoes] }) };
  };
  const before = await late();
  await due();
  await lateDue();
  await stand.part.poll();
  expect(await stand.inbound.eventsOf('pix:told')).toMatchObject([{ kind: 'infraction' }]);
  expect(stand.reasons.join()).toContain('tipo must be DISPUTA or INFRACAO (idInfracao strange)');
  expect((await late()).read_until).toEqual(before.read_until);
  stand.meddle = undefined;
  await lateDue();
  await stand.part.poll();
  expect((await late()).read_until > before.read_until).toBe(true);
});

describe('a payment with an unreported payer', () => {
  test('is held if the settings say so', async () => {
    const row = await stand.inbound.onramp(stand.merchant);
    await stand.inbound.reach(row, 'depositpix/QRCODE');
    const { process } = await stand.inbound.rowOf(row.end2end);
    await stand.psp.control('POST', '/pay', { txid: process?.txid, wait: false });
    await due();
    await stand.part.poll();
    await stand.inbound.reach(row, 'compliance/UNCOMPLIANT');
  });
});

test('a return made at the provider itself is stored for the operator, and retried as often as it is due', async () => {
  const { json } = await stand.psp.control('POST', '/pay', { amount: '5.00', wait: false });
  const [endToEndId] = json.endToEndIds;
  await stand.psp.call('PUT', `/v2/pix/${endToEndId}/devolucao/byhand1`, { valor: '5.00' });
  await stand.psp.control('POST', '/refunds/byhand1/settle', {});
  for (let turn = 0; turn < 3; turn++) {
    await due();
    await stand.part.poll();
  }
  const { rows } = await stand.app.owner.query(
    `select outcome, attempts from rail_news where key = 'pix:byhand1'`,
  );
  expect(rows).toEqual([{ outcome: 'pending', attempts: 1 }]);
});

/**
 * Goal: a provider of MED cases that lies or stammers harms nothing beside its own entries: no other case, no payment, no other account.
 * Method: a gateway with the PSP over the wire, whose answers about cases are made up here.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Settings } from '../../../src/base/process/settings.ts';
import { readHttpMed } from '../../../src/rails/api-pix/http-med-settings.ts';
import { callBack } from './call-back.ts';
import { useStand } from './harness.ts';

const settingsOf = (url: string) => ({
  ...{ kind: 'http', listUrl: `${url}/med/cases?since={from}&until={to}&page={page}` },
  ...{ caseUrl: `${url}/med/cases/{case}`, callback: '$.id' },
  paths: {
    ...{ cases: '$.cases', pages: '$.pages', found: '$', case: '$.id', endToEndId: '$.e2e' },
    ...{ state: '$.status', kind: '$.type', amount: '$.amount', reason: '$.reason' },
    ...{ openedAt: '$.openedAt', dueAt: '$.dueAt' },
  },
  words: { open: ['O'], accepted: ['A'], rejected: ['R'], dispute: ['D'] },
});
const stand = useStand(
  ({ url }) => ({ infractionsUrl: null, med: readHttpMed(new Settings(settingsOf(url), 'med')) }),
  { works: true },
);
let list: { readonly id: string }[] = [];
let pages = 1;
let asked = 0;
let made = 0;
beforeEach(() => {
  [list, pages, asked] = [[], 1, 0];
  stand.meddle = (call, go) => {
    const { pathname } = new URL(call.url);
    if (!pathname.includes('/med/cases')) return go(call);
    asked += 1;
    const id = decodeURIComponent(pathname.split('/med/cases/')[1] ?? '');
    const found = list.find((each) => each.id === id);
    const body = JSON.stringify(id === '' ? { cases: list, pages } : found);
    return Promise.resolve(body === undefined ? { status: 404, body: '{}' } : { status: 200, body });
  };
});
afterEach(() => {
  stand.meddle = undefined;
});

const caseOf = (more: object = {}) => {
  made += 1;
  const now = new Date().toISOString();
  return {
    ...{
      id: `case-${made}`,
      e2e: `E${String(made).padStart(31, '0')}`,
      status: 'O',
      type: 'D',
      amount: '1.00',
    },
    ...{ reason: 'x', openedAt: now, dueAt: now, ...more },
  };
};
const poll = async () => {
  await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
  await stand.part.poll();
};
const storedCase = async (reference: string) => {
  const { rows } = await stand.app.owner.query(
    `select state, account_id as "accountId", transaction_id as "transactionId" from med_case where reference = $1`,
    [reference],
  );
  return rows[0];
};
const paid = async (merchant = stand.merchant) => {
  const order = await stand.inbound.onramp(merchant);
  await stand.inbound.reach(order, 'depositpix/QRCODE');
  const row = await stand.inbound.rowOf(order.end2end);
  await stand.psp.control('POST', '/pay', { txid: row.process?.txid, payerTaxId: row.clientTaxId });
  await poll();
  await stand.inbound.reach(row, 'success/DONE');
  return stand.inbound.rowOf(order.end2end);
};
const call = (path: string, body: string) =>
  callBack(stand, { identity: stand.psp.certificates.psp, path, body });

describe('an invalid entry does not hide the others of its list', () => {
  test.each([
    ['NUL in its reason', { reason: 'a\u0000b' }],
    ['NUL in its id', { id: 'nul\u0000' }],
    ['NUL in its EndToEndId', { e2e: 'E\u0000' }],
    ['half of a pair in its id', { id: 'half\ud800' }],
    ['half of a pair in its reason', { reason: 'half\ud800' }],
    ['an amount of nothing', { amount: '0' }],
    ['a time beyond the year 9999', { dueAt: '9999-12-31T23:59:59-03:00' }],
  ])('with %s', async (_name, more) => {
    const good = caseOf();
    list = [caseOf(more), good];
    await poll();
    expect(await storedCase(good.id)).toMatchObject({ state: 'open' });
    expect(await call('/infracoes', JSON.stringify({ id: list[0]?.id }))).toBeLessThan(504);
  });

  test('that was due before it was opened, at the beginning of time', async () => {
    list = [caseOf({ dueAt: '0001-01-01T00:00:00Z', openedAt: '0001-01-01T00:00:00Z' })];
    await poll();
    expect(await storedCase(list[0]?.id ?? '')).toMatchObject({ state: 'open' });
  });
});

test('a payment with characters that cannot be stored causes no failure, and hides no other payment', async () => {
  const order = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(order, 'depositpix/QRCODE');
  const { process, clientTaxId } = await stand.inbound.rowOf(order.end2end);
  await stand.psp.control('POST', '/pay', { txid: process?.txid, payerTaxId: clientTaxId, wait: false });
  const pix = { valor: '1.00', horario: new Date().toISOString(), chave: stand.settings.pixKey };
  const odd = { ...pix, endToEndId: `E${'0'.repeat(30)}\u0000`, txid: 'x\ud800', infoPagador: '\u0000' };
  expect(await call('/pix', JSON.stringify({ pix: [odd] }))).toBeLessThan(500);
  await poll();
  await stand.inbound.reach(order, 'success/DONE');
});

test('a case stays with its payment, whatever later reports contain', async () => {
  const other = await stand.app.addAccount({ mode: 'live' });
  const [own, foreign] = [await paid(), await paid(other)];
  const first = caseOf({ e2e: own.pixE2e, amount: '100.00' });
  const unknown = caseOf();
  list = [first, unknown];
  await poll();
  await stand.inbound.reach(own, 'dispute/OPEN');
  list = [first, unknown].map((each) => ({ ...each, e2e: foreign.pixE2e, status: 'A' }));
  await poll();
  expect(await storedCase(first.id)).toMatchObject({ state: 'open', transactionId: String(own.id) });
  expect(await storedCase(unknown.id)).toMatchObject({ state: 'open', transactionId: null });
  expect(await stand.inbound.stepOf(own)).toBe('dispute/OPEN');
  expect(await stand.inbound.stepOf(foreign)).toBe('success/DONE');
  const { rows } = await stand.app.owner.query(
    `select last_error from rail_news where kind = 'dispute_accepted' and key = $1`,
    [`pix:${first.id}`],
  );
  expect(rows).toEqual([{ last_error: 'its case is about another payment' }]);
});

test('an endless list is abandoned, and payments are found in the meantime', async () => {
  pages = Number.MAX_SAFE_INTEGER;
  list = [caseOf()];
  await poll();
  expect(asked).toBeLessThan(10_000);
  expect(stand.reasons.join()).toContain('has more than 500 pages');
  expect(await storedCase(list[0]?.id ?? '')).toMatchObject({ state: 'open' });
});

test.each(['.', '..'])('a callback about the case %s asks for nothing else', async (id) => {
  stand.calls.length = 0;
  expect(await call('/infracoes', JSON.stringify({ id }))).toBe(400);
  expect(stand.calls.filter((each) => each.includes('/med') && !each.endsWith('/med/cases'))).toEqual([]);
});

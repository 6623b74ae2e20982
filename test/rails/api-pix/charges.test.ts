/**
 * Goal: a charge is made once and its payment is never lost: whatever happens to the answer, to the callback and to the order of
 * both (C-32, C-33, C-34). Method: a gateway and the PSP over the wire, with faults on demand.
 */
import { afterEach, describe, expect, test } from 'vitest';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useStand } from './harness.ts';

const stand = useStand({}, { works: true });
const CHARGED = 'depositpix/QRCODE';

afterEach(async () => {
  stand.meddle = undefined;
  stand.calls.length = 0;
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [] });
});

async function charged(): Promise<ProcessRow> {
  const row = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(row, CHARGED);
  return stand.inbound.rowOf(row.end2end);
}

async function pay(row: ProcessRow, more: object = {}) {
  const payment = { txid: row.process?.txid, payerTaxId: row.clientTaxId, ...more };
  const { status, json } = await stand.psp.control('POST', '/pay', payment);
  expect(status, JSON.stringify(json)).toBe(200);
  return json.endToEndIds as string[];
}

/** What is booked, and that nothing is left over. */
async function paidOnce(row: ProcessRow, endToEndId: string) {
  await stand.until(async () => (await stand.inbound.rowOf(row.end2end)).process?.paid !== undefined);
  expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toMatchObject([
    { kind: 'payment', outcome: 'step' },
  ]);
  const { pixE2e } = await stand.inbound.rowOf(row.end2end);
  expect(pixE2e).toBe(endToEndId);
}

describe('a charge', () => {
  test('is created, paid and reported by callback; its code is the provider’s', async () => {
    const row = await charged();
    expect(row.process?.brCode).toContain('br.gov.bcb.pix');
    const [endToEndId] = await pay(row);
    await paidOnce(row, endToEndId as string);
  });

  test('is queried, and not created again, if its response was lost', async () => {
    await stand.psp.control('PUT', '/faults', {
      seed: 1,
      rules: [{ on: 'charge', fault: 'timeout', rate: 1, ms: 10 }],
    });
    const row = await charged();
    const path = `/v2/cob/${row.process?.txid}`;
    expect(stand.calls.filter((call) => call.endsWith(path))).toEqual([`PUT ${path}`, `GET ${path}`]);
  });

  test('is created once the provider is reachable again, and with a new token if the old one was refused', async () => {
    let calls = 0;
    stand.meddle = async (call, go) => {
      calls += 1;
      if (calls === 1) return { status: 401, body: '{"error":"invalid_token"}' };
      return go(call);
    };
    const row = await charged();
    expect(stand.calls.filter((call) => call === 'POST /oauth/token')).toHaveLength(1);
    expect(row.process?.brCode).toBeTruthy();
  });
});

describe('a payment', () => {
  test('is settled once when its callback arrives twice', async () => {
    await stand.psp.control('PUT', '/faults', {
      seed: 1,
      rules: [{ on: 'callback', fault: 'doubled', rate: 1, ms: 0 }],
    });
    const row = await charged();
    const [endToEndId] = await pay(row);
    await paidOnce(row, endToEndId as string);
  });

  test('is found on the statement when its callback is lost', async () => {
    await stand.psp.control('PUT', '/faults', {
      seed: 1,
      rules: [{ on: 'callback', fault: 'lost', rate: 1, ms: 0 }],
    });
    const row = await charged();
    const [endToEndId] = await pay(row);
    await paidOnce(row, endToEndId as string);
  });

  test('without a charge, to the key alone, is booked in suspense', async () => {
    const { json } = await stand.psp.control('POST', '/pay', { amount: '7.00' });
    const [endToEndId] = json.endToEndIds;
    await stand.until(async () => (await stand.inbound.eventsOf(`pix:${endToEndId}`)).length > 0);
    expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toMatchObject([{ outcome: 'suspense' }]);
  });
});

/**
 * Goal: a payment whose payer the provider did not name at first is money once, and not by a later report (C-36); a mask that
 * contradicts the customer's document names another payer. Method: PIX that polling finds without their payer, or with a masked one; then
 * reports by the provider's certificate that name payers and other charges.
 */
import { expect, test } from 'vitest';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { callBack, inventedPix } from './call-back.ts';
import { useStand } from './harness.ts';

const stand = useStand({ unknownPayer: 'hold' }, { works: true });
const HOUR_MS = 3_600_000;

async function charged(): Promise<ProcessRow> {
  const row = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(row, 'depositpix/QRCODE');
  return stand.inbound.rowOf(row.end2end);
}
const own = async () =>
  Object.fromEntries(
    Object.entries(await stand.inbound.bookOf(stand.merchant.accountId)).filter(([name]) =>
      name.startsWith('M.'),
    ),
  );

/** Callbacks are lost: the statement alone reports the payment. */
async function paidBy(payerTaxId: string | undefined, row: ProcessRow): Promise<string> {
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [{ on: 'callback', fault: 'lost', rate: 1 }] });
  const { json } = await stand.psp.control('POST', '/pay', {
    ...{ txid: row.process?.txid, payerTaxId, wait: false },
  });
  return json.endToEndIds[0];
}

test('a PIX that was polled without payer stays held even if a report names a payer, and is booked once', async () => {
  const [row, other] = [await charged(), await charged()];
  const endToEndId = await paidBy(undefined, row);
  await stand.inbound.reach(row, 'compliance/UNCOMPLIANT');
  const before = await own();
  const facts = { endToEndId, valor: '100.00', chave: stand.settings.pixKey };
  const { txid } = row.process ?? {};
  const reports = [
    ...['529.982.247-25', '111.444.777-35', '***.444.777-**'].map((cpf) => ({ txid, pagador: { cpf } })),
    { txid: other.process?.txid, pagador: { cpf: '529.982.247-25' } },
    { txid, horario: new Date(Date.now() - HOUR_MS).toISOString() },
    { txid, horario: new Date(Date.now() + 24 * HOUR_MS).toISOString() },
    { txid, valor: '100000.00' },
  ];
  for (let turn = 0; turn < 10; turn++)
    for (const each of reports) {
      const body = JSON.stringify({ pix: [inventedPix({ ...facts, ...each })] });
      const status = await callBack(stand, { identity: stand.psp.certificates.psp, body });
      expect([200, 400], JSON.stringify(each)).toContain(status);
    }
  expect(await own()).toEqual(before);
  expect(await stand.inbound.stepOf(row)).toBe('compliance/UNCOMPLIANT');
  expect(await stand.inbound.stepOf(other)).toBe('depositpix/QRCODE');
  expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toHaveLength(1);
  await stand.inbound.verified(stand.merchant.accountId);
});

test.each([
  ['contradicts the customer’s document is returned', '***444777**', 'refund/DONE', '***444777**'],
  [
    'fits the customer’s document is held as one without payer',
    '***982247**',
    'compliance/UNCOMPLIANT',
    null,
  ],
])('a PIX that was polled with a mask that %s', async (_, payerTaxId, step, stored) => {
  const row = await charged();
  await paidBy(payerTaxId, row);
  await stand.inbound.reach(row, step);
  expect((await stand.inbound.rowOf(row.end2end)).process?.payerTaxId).toBe(stored);
});

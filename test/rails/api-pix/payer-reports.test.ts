/**
 * Goal: a payment whose payer the provider did not name at first is money once, and not by a later report (C-36). Method: a PIX that
 * polling finds without its payer, which is held; then reports by the provider's certificate that name payers and other charges.
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

test('a PIX that was polled without payer stays held whoever is reported as payer, and is booked once', async () => {
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [{ on: 'callback', fault: 'lost', rate: 1 }] });
  const [row, other] = [await charged(), await charged()];
  const { json } = await stand.psp.control('POST', '/pay', { txid: row.process?.txid, wait: false });
  const [endToEndId] = json.endToEndIds;
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
  expect(await stand.inbound.newsOf(`pix:${endToEndId}`)).toHaveLength(1);
  await stand.inbound.verified(stand.merchant.accountId);
});

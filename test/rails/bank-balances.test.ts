/**
 * Goal: the balances of a bank's file check its movements: a difference is named by its place, and refuses nothing. Method: files in
 * the order of the day and in the other, of OFX and of CSV, with the balance in its column or in that of movements.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BankEntries } from '../../src/resolvers/reconciliation/bank-entries.ts';
import { type BankForm, DEFAULT_FORM } from '../../src/wire/bank/bank-row.ts';
import { inspectBankFile, readBankFile } from '../../src/wire/bank/read-bank-file.ts';

async function comparedIn(bytes: Uint8Array, form: Partial<BankForm> = {}) {
  const parts = () => [bytes];
  const entries = new BankEntries();
  for await (const row of readBankFile(parts, await inspectBankFile(parts), { ...DEFAULT_FORM, ...form }))
    entries.add(row);
  const { comparedBalances, balanceDifferences, movements } = entries.summary();
  return { comparedBalances, balanceDifferences, movements };
}
const csv = (...rows: string[]) => Buffer.from(rows.join('\n'));
const HEAD = 'Data;Histórico;Documento;Valor;Saldo';
const DAYS = [
  '01/11/2026;Saldo anterior;;;100,00',
  '02/11/2026;Pix recebido;1;50,00;150,00',
  '02/11/2026;Pix enviado;2;-20,00;130,00',
  '02/11/2026;Saldo do dia;;;130,00',
  '03/11/2026;Tarifa;3;-130,50;-0,50',
  '03/11/2026;Saldo do dia;;;-0,50',
];

test('balances that agree with the movements, in either order of the file', async () => {
  const agreed = { comparedBalances: 2, balanceDifferences: [], movements: 3 };
  expect(await comparedIn(csv(HEAD, ...DAYS))).toEqual(agreed);
  expect(await comparedIn(csv(HEAD, ...DAYS.toReversed()))).toEqual(agreed);
});

test('a movement that the file lacks is named once, at the balance after it', async () => {
  const lacking = DAYS.filter((row) => !row.includes('enviado'));
  const difference = { day: '2026-11-02', balance: '130', calculated: '150' };
  expect(await comparedIn(csv(HEAD, ...lacking))).toEqual({
    ...{ comparedBalances: 2, movements: 2 },
    balanceDifferences: [{ place: 'row 4', ...difference }],
  });
});

test('one balance alone, totals and balances with limits or blocked money are compared with nothing', async () => {
  const rows = ['02/11/2026;Total;;;1,00', '02/11/2026;Saldo bloqueado;;;5,00', ...DAYS.slice(1, 4)];
  expect(await comparedIn(csv(HEAD, ...rows))).toMatchObject({ comparedBalances: 0, balanceDifferences: [] });
});

test('a balance in the column of movements, with its side, and one that cannot be read', async () => {
  const rows = [
    'Data;Histórico;Documento;Valor;D/C',
    '01/11/2026;Saldo anterior;;100,00;D',
    '02/11/2026;Pix recebido;1;30,00;C',
    '00/00/0000;S A L D O;;69,00;D',
    '02/11/2026;Saldo do dia;;about 70;D',
  ];
  expect(await comparedIn(csv(...rows))).toEqual({
    ...{ comparedBalances: 1, movements: 1 },
    balanceDifferences: [{ place: 'row 4', day: null, balance: '-69', calculated: '-70' }],
  });
});

test('balances of OFX', async () => {
  const file = readFileSync(new URL('../vectors/bank-files/f01-empty-fitid.ofx', import.meta.url));
  expect(await comparedIn(file)).toEqual({ comparedBalances: 1, balanceDifferences: [], movements: 1 });
  const wrong = Buffer.from(file.toString('latin1').replace('1345.57', '1345.58'), 'latin1');
  expect((await comparedIn(wrong)).balanceDifferences).toEqual([
    { place: 'transaction 3', day: '2026-11-28', balance: '1345.58', calculated: '1345.57' },
  ]);
});

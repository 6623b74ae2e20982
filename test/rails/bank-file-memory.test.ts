/**
 * Goal: a file of 300,000 movements is read within the memory of a small machine. Method: files that are made while they are read, in
 * both forms; the memory that is held with all movements read, counted as bytes of objects.
 */
import { expect, test } from 'vitest';
import { BankEntries } from '../../src/resolvers/reconciliation/bank-entries.ts';
import { DEFAULT_FORM } from '../../src/wire/bank/bank-row.ts';
import { inspectBankFile, readBankFile } from '../../src/wire/bank/read-bank-file.ts';
import { heldMemory } from '../support/held-memory.ts';

const MOVEMENTS = 300_000;
/** Names, amounts and days of all movements, and the names that were given. Unit: bytes. */
const HELD_MAX = 30_000_000;

const dayOf = (n: number) => String(1 + (n % 28)).padStart(2, '0');
const TEXT = 'PIX RECEBIDO DE FULANO DE TAL, AGENCIA 1234, CONTA 123456-7';
const FORMS = {
  csv: {
    head: 'Data;Valor;Documento;Histórico\n',
    row: (n: number) => `${dayOf(n)}/10/2026;${n},07;D${n};${TEXT} ${n}\n`,
  },
  ofx: {
    head: '<OFX><BANKTRANLIST>',
    row: (n: number) =>
      `<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>202610${dayOf(n)}120000[-3:BRT]<TRNAMT>${n}.07<FITID>bank-movement-${n}<MEMO>${TEXT} ${n}</STMTTRN>\n`,
  },
};

test.each([
  'csv',
  'ofx',
] as const)('a file of 300,000 movements is held in less than 30 MB, as %s', async (kind) => {
  const { head, row } = FORMS[kind];
  const bytes = function* () {
    yield Buffer.from(head);
    for (let n = 1; n <= MOVEMENTS; n += 1_000)
      yield Buffer.from(Array.from({ length: 1_000 }, (_, at) => row(n + at)).join(''));
  };
  const before = await heldMemory();
  const read = new BankEntries();
  for await (const each of readBankFile(bytes, await inspectBankFile(bytes), DEFAULT_FORM)) read.add(each);
  const after = await heldMemory();
  expect(after.heap + after.external - before.heap - before.external).toBeLessThan(HELD_MAX);
  expect(read.summary()).toMatchObject({ movements: MOVEMENTS, skipped: kind === 'csv' ? 1 : 0 });
}, 300_000);

/**
 * Goal: CSV files of ten banks are read by the form of their bank, and CNAB 240 statements are read only where their balances, sums and
 * counts agree. Method: files as these banks write them, made here, in parts that end anywhere; each defect planted alone.
 */
import { describe, expect, test } from 'vitest';
import { BankEntries } from '../../src/resolvers/reconciliation/bank-entries.ts';
import { BANK_FORM_NAMES, type BankFormName } from '../../src/wire/bank/bank-forms.ts';
import { type BankForm, DEFAULT_FORM } from '../../src/wire/bank/bank-row.ts';
import { inspectBankFile, readBankFile } from '../../src/wire/bank/read-bank-file.ts';

async function read(bytes: Uint8Array, form: Partial<BankForm> = {}) {
  const parts = () =>
    Array.from({ length: Math.ceil(bytes.length / 11) }, (_, at) => bytes.subarray(at * 11, at * 11 + 11));
  const entries = new BankEntries();
  const movements: string[] = [];
  for await (const row of readBankFile(parts, await inspectBankFile(parts), { ...DEFAULT_FORM, ...form })) {
    entries.add(row);
    if (typeof row.movement !== 'string')
      movements.push(`${row.movement.day} ${row.movement.minor} ${row.movement.id}`.trim());
  }
  return { movements, summary: entries.summary() };
}

describe('the form of a bank', () => {
  /** A file with R$ 1,234.56 in and R$ 10.00 out on 28 November 2026, as each bank writes it. */
  const FILES: Readonly<Record<BankFormName, readonly string[]>> = {
    bb: [
      '"Data","Lançamento","Detalhes","N° documento",Valor,"Tipo Lançamento"',
      '"27/11/2026","Saldo Anterior","","",0,00,""',
      '"28/11/2026","Pix - Recebido","Ana","1",1.234,56,"Entrada"',
      '"28/11/2026","Pix - Enviado","Bia","2",-10,00,"Saída"',
      '"00/00/0000","S A L D O","","",1.224,56,""',
    ],
    bradesco: [
      'Extrato de: Ag: 1234 | CC: 0012345-6 | Entre 01/11/2026 e 30/11/2026',
      'Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$)',
      '27/11/2026;COD. LANC. 0;;5,00;;0,00',
      '28/11/2026;TRANSF PIX;1;1.234,56;;1.234,56',
      '28/11/2026;PIX ENVIADO;2;;-10,00;1.224,56',
      'Total;;;1.234,56;-10,00;1.224,56',
    ],
    btg: [
      'Data e hora;Categoria;Transação;Descrição;Valor',
      '28/11/2026 10:00;Pix;Pix recebido;Ana;1.234,56',
      '28/11/2026 11:00;Pix;Pix enviado;Bia;-10,00',
      '28/11/2026 23:59;;Saldo Diário;;1.224,56',
    ],
    c6: [
      'EXTRATO DE CONTA CORRENTE C6 BANK',
      'Data Lançamento,Data Contábil,Título,Descrição,Entrada(R$),Saída(R$),Saldo do Dia(R$)',
      '28/11/2026,28/11/2026,Pix recebido,Ana,1234.56,0.00,1234.56',
      '28/11/2026,28/11/2026,Pix enviado,Bia,0.00,10.00,1224.56',
    ],
    caixa: [
      '"Conta";"Data_Mov";"Nr_Doc";"Historico";"Valor";"Deb_Cred"',
      '"123400000012345";"20261128";"1";"CRED PIX";"1234.56";"C"',
      '"123400000012345";"20261128";"2";"ENVIO PIX";"10.00";"D"',
    ],
    inter: [
      'Extrato Conta Corrente',
      'Conta ;12345678',
      'Período ;01/11/2026 a 30/11/2026',
      'Saldo ;1.224,56',
      '',
      'Data Lançamento;Histórico;Descrição;Valor;Saldo',
      '28/11/2026;Pix recebido;Ana;1.234,56;1.234,56',
      '28/11/2026;Pix enviado;Bia;-10,00;1.224,56',
    ],
    itau: [
      'data;lançamento;ag./origem;valor (R$);saldos (R$)',
      '27/11/2026;SALDO ANTERIOR;;;0,00',
      '28/11/2026;PIX TRANSF Ana;;1.234,56;',
      '28/11/2026;PIX TRANSF Bia;;-10,00;',
      '28/11/2026;SALDO TOTAL DISPONÍVEL DIA;;;1.224,56',
    ],
    nubank: [
      'Data,Valor,Identificador,Descrição',
      '28/11/2026,1234.56,a1,Transferência recebida',
      '28/11/2026,-10.00,a2,Transferência enviada',
    ],
    santander: [
      'Data;Descrição;Docto;Situação;Crédito (R$);Débito (R$);Saldo (R$)',
      '28/11/2026;PIX RECEBIDO;1;;1.234,56;;1.234,56',
      '28/11/2026;PIX ENVIADO;2;;;-10,00;1.224,56',
    ],
    sicoob: [
      'DATA;DOCUMENTO;HISTÓRICO;VALOR',
      '28/11/2026;1;PIX RECEBIDO;1.234,56C',
      '28/11/2026;2;PIX ENVIADO;10,00D',
      '28/11/2026;;SALDO DO DIA;1.224,56C',
    ],
  };
  const bytesOf = (bank: BankFormName, lines: readonly string[] = FILES[bank]) =>
    Buffer.from(lines.join('\r\n'), ['bb', 'bradesco', 'itau'].includes(bank) ? 'latin1' : 'utf8');

  test.each(BANK_FORM_NAMES)('of %s reads its movements and its sums', async (bank) => {
    const { movements, summary } = await read(bytesOf(bank), { bank });
    expect(movements.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
      '2026-11-28 123456',
      '2026-11-28 -1000',
    ]);
    expect(summary).toMatchObject({ movements: 2, incoming: '1234.56', outgoing: '10' });
  });

  test('decides the value of 1.234, which is ambiguous in the file', async () => {
    const file = (bank: BankFormName) => bytesOf(bank, ['Data;Valor;Descrição', '28/11/2026;1.234;Ana']);
    await expect(read(file('inter'))).rejects.toThrow('the amount must be such as');
    expect((await read(file('inter'), { bank: 'inter' })).movements).toEqual(['2026-11-28 123400']);
    await expect(read(file('inter'), { bank: 'nubank' })).rejects.toThrow('the amount must be such as');
  });

  test('does not affect OFX, whose amounts have a decimal point at every bank', async () => {
    const ofx = Buffer.from(
      '<OFX><BANKTRANLIST><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261128<TRNAMT>12.34<FITID>1</STMTTRN></BANKTRANLIST></OFX>',
    );
    expect((await read(ofx, { bank: 'bb' })).movements).toEqual(['2026-11-28 1234 1']);
  });

  test('has lower precedence than the caller’s settings', async () => {
    const lines = ['Quando;Quanto;Valor', '28/11/2026;12.34;9,99'];
    const form = { bank: 'inter', columns: { date: 'Quando', amount: 'Quanto' }, decimalMark: '.' } as const;
    expect((await read(bytesOf('inter', lines), form)).movements).toEqual(['2026-11-28 1234']);
  });
});

describe('CNAB 240', () => {
  const ACCOUNT = { 1: '001', 53: '01234', 59: '000000012345', 71: '6' };
  /** A line of blanks with texts at positions. */
  const line = (texts: Readonly<Record<number, string>>) => {
    const cells = Array<string>(240).fill(' ');
    for (const [at, text] of Object.entries(texts))
      [...text].forEach((each, offset) => {
        cells[Number(at) - 1 + offset] = each;
      });
    return cells.join('');
  };
  const cents = (minor: number) => String(minor).padStart(18, '0');
  const money = (minor: number, day = '28112026') => ({
    143: day,
    151: cents(Math.abs(minor)),
    169: minor < 0 ? 'D' : 'C',
  });
  const header = line({ 1: '001', 4: '0000', 8: '0' });
  const opening = (minor: number, more = {}) =>
    line({ ...ACCOUNT, 4: '0001', 8: '1', 9: 'E', ...money(minor), 171: 'BRL', ...more });
  const movement = (minor: number, more = {}) =>
    line({
      ...ACCOUNT,
      4: '0001',
      8: '3',
      9: '00001',
      14: 'E',
      ...money(minor),
      170: '209',
      177: 'PIX RECEBIDO',
      202: '12345',
      ...more,
    });
  const closing = (minor: number, [lines, debits, credits]: readonly number[], more = {}) =>
    line({
      ...ACCOUNT,
      4: '0001',
      8: '5',
      ...money(minor),
      171: String(lines).padStart(6, '0'),
      177: cents(debits ?? 0),
      195: cents(credits ?? 0),
      ...more,
    });
  const trailer = (batches: number, lines: number) =>
    line({
      1: '001',
      4: '9999',
      8: '9',
      18: String(batches).padStart(6, '0'),
      24: String(lines).padStart(6, '0'),
    });
  const GOOD = [
    header,
    opening(-5000),
    movement(123456),
    movement(-1000, { 177: 'PIX ENVIADO', 202: '0000' }),
    closing(117456, [4, 1000, 123456]),
    trailer(1, 6),
  ];
  const bytes = (lines: readonly string[], end = '\r\n') => Buffer.from(lines.join(end) + end);
  /** The good file with one line replaced. */
  const changed = (at: number, text: string) => bytes(GOOD.toSpliced(at, 1, text));

  test('is read with signs by debit and credit, and names its account', async () => {
    const { movements, summary } = await read(bytes(GOOD));
    expect(movements).toEqual(['2026-11-28 123456 12345', '2026-11-28 -1000']);
    expect(summary).toMatchObject({
      account: '001/1234/12345-6',
      incoming: '1234.56',
      outgoing: '10',
      skipped: 4,
      first: { place: 'row 3', text: 'PIX RECEBIDO 12345' },
    });
    expect((await read(bytes(GOOD, '\n'), { account: '12345-6' })).movements).toHaveLength(2);
    const old = Buffer.concat([bytes(GOOD), Buffer.from('\x1A')]);
    expect((await read(old)).movements).toHaveLength(2);
  });

  test('of another account than the requested one is refused', async () => {
    await expect(read(bytes(GOOD), { account: '999' })).rejects.toThrow(
      'it must be of the account 999, and is of 001/1234/12345-6',
    );
  });

  test('may omit sums and counts, but not balances', async () => {
    const bare = closing(117456, [4, 0, 0], { 171: ' '.repeat(6), 177: ' '.repeat(36) });
    expect((await read(changed(4, bare))).movements).toHaveLength(2);
    await expect(read(changed(4, line({ ...ACCOUNT, 8: '5' })))).rejects.toThrow(
      'row 5: the closing balance at 143 must be a day such as 31012026',
    );
  });

  test('reports batches and segments of other kinds, and continues', async () => {
    const lines = [
      header,
      line({ 1: '001', 4: '0001', 8: '1', 9: 'C' }),
      line({ 1: '001', 4: '0001', 8: '3', 14: 'A' }),
      line({ 1: '001', 4: '0001', 8: '5' }),
      ...GOOD.slice(1, 5),
      trailer(2, 9),
    ];
    const { movements, summary } = await read(bytes(lines));
    expect(movements).toHaveLength(2);
    expect(summary.skippedRows.map(({ why }) => why)).toEqual([
      'heading',
      'balance',
      'segment',
      'balance',
      'balance',
      'balance',
      'heading',
    ]);
  });

  test.each([
    [
      'an altered amount',
      2,
      movement(123457),
      'row 5: the balance -50 and movements of 1224.57 make 1174.57, not the closing balance 1174.56',
    ],
    ['an altered side', 3, movement(1000), 'row 5: the balance -50 and movements of 1244.56 make 1194.56'],
    ['another opening balance', 1, opening(5000), 'row 5: the balance 50 and movements'],
    [
      'another sum of debits',
      4,
      closing(117456, [4, 1001, 123456]),
      'row 5: the sum of debits is 10, and the trailer has 10.01',
    ],
    ['another sum of credits', 4, closing(117456, [4, 1000, 123455]), 'row 5: the sum of credits is 1234.56'],
    [
      'another count of lines',
      4,
      closing(117456, [5, 1000, 123456]),
      'row 5: there are 4 lines of the batch, and the trailer has 5',
    ],
    ['another count of batches', 5, trailer(2, 6), 'row 6: there are 1 batches, and the trailer has 2'],
    ['another count of lines of the file', 5, trailer(1, 7), 'row 6: there are 6 lines of the file'],
    [
      'another account in a movement',
      2,
      movement(123456, { 59: '000000099999' }),
      'row 3: the account must be 001/1234/12345-6',
    ],
    ['no side', 2, movement(123456, { 169: ' ' }), 'row 3: the side of the amount at 169 must be D or C'],
    ['letters in an amount', 2, movement(123456, { 151: 'x' }), 'row 3: the amount at 151 must be 18 digits'],
    ['an impossible day', 2, movement(123456, { 143: '31022026' }), 'row 3: the amount at 143 must be a day'],
    [
      'a short line',
      2,
      movement(123456).slice(0, 239),
      'row 3: a line must have 240 characters, and has 239',
    ],
    [
      'an unknown kind of line',
      2,
      line({ 1: '001', 8: '7' }),
      'row 3: position 8 must be 0, 1, 3, 5, 9, and is 7',
    ],
    ['another currency', 1, opening(-5000, { 171: 'USD' }), 'row 3: the currency must be BRL, and is USD'],
  ])('with %s is refused by its line', async (_what, at, text, message) => {
    await expect(read(changed(at, text))).rejects.toThrow(message);
  });

  test.each([
    ['its trailer', GOOD.slice(0, 5), 'it ends before its file trailer'],
    ['the trailer of a batch', [...GOOD.slice(0, 4), trailer(1, 5)], 'row 5: the file ends within a batch'],
    ['a movement', GOOD.toSpliced(3, 1), 'row 4: the balance -50 and movements'],
  ])('without %s is refused', async (_what, lines, message) => {
    await expect(read(bytes(lines))).rejects.toThrow(message);
  });

  test('of two accounts is refused until one is chosen', async () => {
    const other = (text: string) => text.replace('000000012345', '000000077777');
    const lines = [...GOOD.slice(0, 5), ...GOOD.slice(1, 5).map(other), trailer(2, 10)];
    await expect(read(bytes(lines))).rejects.toThrow('it has several accounts');
    expect((await read(bytes(lines), { account: '77777-6' })).movements).toHaveLength(2);
  });
});

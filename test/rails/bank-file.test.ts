/**
 * Goal: exports of banks are read exactly, in each form that they have; rows that are no movement are named, and a file that cannot be
 * read is refused by its place (C-13). Method: public cases of users as files (`test/vectors/bank-files`), and small texts.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BankEntries } from '../../src/resolvers/reconciliation/bank-entries.ts';
import { type BankForm, type BankMovement, DEFAULT_FORM, dayOf } from '../../src/wire/bank/bank-row.ts';
import { inspectBankFile, readBankFile } from '../../src/wire/bank/read-bank-file.ts';

type Form = Partial<BankForm>;

async function rowsOf(bytes: Uint8Array, form: Form = {}) {
  // Parts that end within a line, a tag and a letter.
  const parts = () =>
    Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
  const rows = [];
  for await (const row of readBankFile(parts, await inspectBankFile(parts), { ...DEFAULT_FORM, ...form }))
    rows.push(row);
  return rows;
}
async function summaryOf(bytes: Uint8Array, form?: Form) {
  const entries = new BankEntries();
  for (const row of await rowsOf(bytes, form)) entries.add(row);
  return { ...entries.summary(), entries: [...entries.entries()] };
}
const movementsOf = async (bytes: Uint8Array, form?: Form): Promise<readonly BankMovement[]> =>
  (await rowsOf(bytes, form)).flatMap(({ movement }) => (typeof movement === 'string' ? [] : [movement]));
const skippedOf = async (bytes: Uint8Array, form?: Form) =>
  (await rowsOf(bytes, form)).flatMap(({ position: place, movement }) =>
    typeof movement === 'string' ? [`${place} ${movement}`] : [],
  );
const amountsOf = async (bytes: Uint8Array, form?: Form) =>
  (await movementsOf(bytes, form)).map(({ day, minor }) => `${day} ${minor}`);

const fileNamed = (name: string) => readFileSync(new URL(`../vectors/bank-files/${name}`, import.meta.url));
const bytesOf = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
const csv = (...rows: string[]) => bytesOf(['date,amount,id,text', ...rows].join('\n'));
const ofx = (...parts: string[]) =>
  bytesOf(`OFXHEADER:100\n\n<OFX>${parts.map((part) => `<STMTTRN>${part}`).join('\n')}</BANKTRANLIST></OFX>`);
const ofAccount = (account: string, ...parts: string[]) =>
  `<STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>001<ACCTID>${account}</BANKACCTFROM><BANKTRANLIST>${parts.join('')}</BANKTRANLIST></STMTRS>`;
const moved = (amount: string, type = '', more = '') =>
  `<DTPOSTED>20260131<TRNTYPE>${type}<TRNAMT>${amount}<FITID>1${more}`;

describe('public cases', () => {
  test('F01: a file of several accounts is refused until one is chosen', async () => {
    const file = fileNamed('f05-two-accounts.ofx');
    await expect(rowsOf(file)).rejects.toThrow(
      'it has several accounts, 001/455000-5, 001/655000-2: choose one by --bank-account',
    );
    expect(await amountsOf(file, { account: '455000-5' })).toEqual([]);
    expect(await amountsOf(file, { account: '0006550002' })).toEqual(['2026-11-28 11107']);
    expect(await amountsOf(file, { account: '001/655000-2' })).toEqual(['2026-11-28 11107']);
    await expect(rowsOf(file, { account: '1' })).rejects.toThrow(
      'it must be of the account 1, and is of 001/455000-5, 001/655000-2',
    );
  });

  test('F03, F04, F05: rows of balances, without an id or an amount, are skipped and named', async () => {
    const noId = fileNamed('f01-empty-fitid.ofx');
    expect(await amountsOf(noId)).toEqual(['2026-11-28 11101']);
    expect(await skippedOf(noId)).toEqual(['transaction 1 balance', 'transaction 3 balance']);
    const dot = fileNamed('f02-cef-dot.ofx');
    expect(await amountsOf(dot)).toEqual(['2026-11-28 11102']);
    expect(await skippedOf(dot)).toEqual(['transaction 1 no_amount']);
    const balance = fileNamed('f13c-saldo.csv');
    expect(await amountsOf(balance)).toEqual(['2026-11-28 -100']);
    expect(await skippedOf(balance)).toEqual(['row 1 heading', 'row 2 balance']);
  });

  test.each([
    'f10-inter.csv',
    'f10b-inter-nopreamble.csv',
    'f10c-inter-noquotes.csv',
  ])('F07: %s, with quotes within a cell and lines before the heading', async (name) => {
    const [movement, ...others] = await movementsOf(fileNamed(name));
    expect(movement).toMatchObject({ day: '2026-11-28', minor: 11_115n });
    expect([movement?.text.startsWith('Pix recebido'), others]).toEqual([true, []]);
  });

  test('F08: a credit and a debit column, a line before the heading, rows of totals', async () => {
    const both = ['2026-11-28 11116', '2026-11-28 -1116'];
    expect(await amountsOf(fileNamed('f11b-bradesco-columns.csv'))).toEqual(both);
    const file = fileNamed('f11-bradesco.csv');
    expect(await amountsOf(file)).toEqual(both);
    expect(await skippedOf(file)).toEqual(['row 1 heading', 'row 2 heading', 'row 3 zero', 'row 7 balance']);
    expect((await summaryOf(file)).account).toBe('123456-7');
    await expect(rowsOf(file, { account: '999-9' })).rejects.toThrow(/must be of the account 999-9/);
  });

  test('F10: movements of one name are separate movements, even if they are equal', async () => {
    const { entries } = await summaryOf(fileNamed('f16-identical.ofx'));
    expect(entries.map(({ id, amount }) => [id, amount])).toEqual([
      ['000000', '50'],
      ['000000#2', '50'],
    ]);
    const csvTwice = await summaryOf(
      csv('28/11/2026,50.00,0,PIX', '28/11/2026,50.00,0,PIX', '28/11/2026,7,0#2,PIX'),
    );
    expect(new Set(csvTwice.entries.map(({ id }) => id)).size).toBe(3);
    const named = await summaryOf(fileNamed('f03-repeated-fitid.ofx'));
    expect([named.movements, named.incoming, named.outgoing]).toEqual([3, '222.07', '11.04']);
  });

  test('F11: the time of DTPOSTED is read in its zone, and days are Brasília days', async () => {
    expect(await amountsOf(fileNamed('f07-zone.ofx'))).toEqual(['2026-11-27 11113']);
  });

  test('F15: names of columns are compared without case and accents; others are refused', async () => {
    const file = bytesOf('date;amount;Lançamento\n28/11/2026;1,00;PIX Ana'.normalize('NFD'));
    const [movement] = await movementsOf(file, { columns: { text: 'lançamento' } });
    expect(movement?.text).toBe('PIX Ana');
    await expect(rowsOf(file, { columns: { text: 'Nope' } })).rejects.toThrow(
      /there is no column Nope; there are/,
    );
    expect(await amountsOf(fileNamed('f15-rsneg.csv'))).toEqual(['2026-11-28 -1119']);
  });
});

describe('amounts', () => {
  test.each([
    ['1234.56', 123_456n],
    ['-0.1', -10n],
    ['+7', 700n],
    ['999999999999999.99', 99_999_999_999_999_999n],
    ['1.234,56', 123_456n],
  ])('%s of OFX', async (text, minor) => {
    expect((await movementsOf(ofx(`<DTPOSTED>20260131<TRNAMT>${text}<FITID>1`)))[0]?.minor).toBe(minor);
  });

  test.each([
    ['"1.234,56"', 123_456n],
    ['"1,234.56"', 123_456n],
    ['"-R$ 1.234.567,80"', -123_456_780n],
    ['"R$ -12,30"', -1_230n],
    ['"12,3"', 1_230n],
    ['"12,30-"', -1_230n],
    ['"(12,30)"', -1_230n],
    ['"12,30 D"', -1_230n],
    ['"12,30C"', 1_230n],
    ['"\u221212,30"', -1_230n],
  ])('%s of CSV', async (text, minor) => {
    expect((await movementsOf(csv(`2026-01-31,${text},1,x`)))[0]?.minor).toBe(minor);
  });

  test.each([
    '1.234',
    '1,2345',
    'x',
    '1e3',
    '--1',
    '-5 C',
    '(5)+',
  ])('%s is refused by its row', async (text) => {
    await expect(rowsOf(csv(`2026-01-31,"${text}",1,x`))).rejects.toThrow(
      /^row 2: the amount must be such as/,
    );
  });

  test('the decimal mark in the form decides the value of 1.234', async () => {
    const file = csv('2026-01-31,"1.234",1,x');
    expect(await amountsOf(file, { decimalMark: ',' })).toEqual(['2026-01-31 123400']);
    await expect(rowsOf(csv('2026-01-31,"1.23",1,x'), { decimalMark: ',' })).rejects.toThrow(
      /^row 2: the amount/,
    );
  });
});

describe('C-33: the sign and the type of a movement agree', () => {
  test('an unsigned DEBIT is refused, or made negative by the sign rule', async () => {
    const file = ofx(moved('862.34', 'DEBIT'), moved('5.00', 'CREDIT'));
    await expect(rowsOf(file)).rejects.toThrow(
      'transaction 1: TRNAMT 862.34 must have the sign that belongs to TRNTYPE DEBIT: --signs type, if amounts have no sign',
    );
    expect(await amountsOf(file, { signs: 'type' })).toEqual(['2026-01-31 -86234', '2026-01-31 500']);
    expect(await amountsOf(file, { signs: 'amount' })).toEqual(['2026-01-31 86234', '2026-01-31 500']);
  });

  test.each([
    ['CREDIT', '-5.00'],
    ['PAYMENT', '5.00'],
    ['FEE', '5.00'],
    ['IN', '-5.00'],
    ['OUT', '5.00'],
    ['debit', '+5.00'],
  ])('%s of %s is refused', async (type, amount) => {
    await expect(rowsOf(ofx(moved(amount, type)))).rejects.toThrow(/^transaction 1: TRNAMT/);
  });

  test('types without a direction allow either sign', async () => {
    const types = ['OTHER', 'XFER', 'INT', ''];
    expect(await amountsOf(ofx(...types.map((type) => moved('-5', type))))).toHaveLength(4);
  });

  test('a column of directions gives the sign; a credit and a debit column must not contradict it', async () => {
    const direction = { columns: { direction: 'D/C' } };
    const rows = (...cells: string[]) => bytesOf(['Data;Valor;D/C', ...cells].join('\n'));
    expect(
      await amountsOf(rows('31/01/26;5,00;D', '31/01/26;-6,00;Débito', '31/01/26;7,00;C'), direction),
    ).toEqual(['2026-01-31 -500', '2026-01-31 -600', '2026-01-31 700']);
    await expect(rowsOf(rows('31/01/26;-5,00;C'), direction)).rejects.toThrow(
      /^row 2: the amount must have the sign/,
    );
    await expect(rowsOf(rows('31/01/26;5,00;X'), direction)).rejects.toThrow(
      /^row 2: the direction must be D or C/,
    );
    const two = (cells: string) => bytesOf(`Data;Crédito;Débito\n31/01/2026;${cells}`);
    expect(await amountsOf(two(';-6,00'))).toEqual(['2026-01-31 -600']);
    await expect(rowsOf(two('-5,00;'))).rejects.toThrow(/^row 2: the credit is below zero/);
    await expect(rowsOf(two('5,00;6,00'))).rejects.toThrow(/^row 2: expected a credit or a debit, not both/);
  });
});

describe('accounts and currencies', () => {
  test('only BRL is accepted, even if a movement names its own currency', async () => {
    const dollars = bytesOf(`<OFX>${ofAccount('1', `<STMTTRN>${moved('1')}`).replace('BRL', 'USD')}</OFX>`);
    await expect(rowsOf(dollars)).rejects.toThrow('transaction 1: the currency must be BRL, and is USD');
    await expect(rowsOf(ofx(moved('1', '', '<CURRENCY><CURRATE>5<CURSYM>USD</CURRENCY>')))).rejects.toThrow(
      /BRL/,
    );
    const converted = ofx(moved('1', '', '<ORIGCURRENCY><CURRATE>5<CURSYM>USD</ORIGCURRENCY>'));
    expect(await amountsOf(converted)).toHaveLength(1);
    await expect(rowsOf(bytesOf('date,amount,currency\n2026-01-31,1,USD'))).rejects.toThrow(
      /^row 2: the currency/,
    );
  });

  test('the receiving account of a transfer is not the account of the file', async () => {
    const to = '<BANKACCTTO><BANKID>237<ACCTID>999</BANKACCTTO>';
    const file = bytesOf(`<OFX>${ofAccount('12-3', `<STMTTRN>${moved('1', '', to)}`)}</OFX>`);
    expect(await summaryOf(file)).toMatchObject({ account: '001/12-3', movements: 1 });
  });
});

describe('days', () => {
  test('are read in all CSV forms; a time with a zone belongs to its Brasília day', async () => {
    const given = [
      '31/01/2026',
      '31/01/26',
      '2026-01-31',
      '20260131',
      '31.01.2026',
      '31/01/2026 23:10',
      '2026-02-01T01:30:00Z',
    ];
    const rows = given.map((day, at) => `${day},1.00,${at},x`);
    expect(new Set((await movementsOf(csv(...rows))).map(({ day }) => day))).toEqual(new Set(['2026-01-31']));
    expect(await amountsOf(csv('01/31/2026,1,1,x'), { dates: 'mdy' })).toEqual(['2026-01-31 100']);
  });

  test.each([
    '31/02/2026',
    '',
    '2026-13-01',
    '1/2/3',
  ])('"%s" beside an amount is refused by its row', async (day) => {
    await expect(rowsOf(csv(`${day},1.00,1,x`))).rejects.toThrow(/^row 2: the date must be a day/);
  });

  test.each([
    ['20260131233000[-3:BRT]', '2026-01-31'],
    ['20260131000000[-03:EST]', '2026-01-31'],
    ['20260201013000[0:GMT]', '2026-01-31'],
    ['20260201013000.000[+0]', '2026-01-31'],
    ['20260201013000[GMT]', '2026-01-31'],
    ['20260201013000[BRT]', '2026-02-01'],
    ['202602010130', '2026-02-01'],
    ['20260201', '2026-02-01'],
  ])('DTPOSTED %s is %s', async (posted, day) => {
    expect((await movementsOf(ofx(`<DTPOSTED>${posted}<TRNAMT>1<FITID>1`)))[0]?.day).toBe(day);
  });

  test.each([
    '',
    '20260231',
    '20260131250000',
    '20260131120000[XYZ]',
  ])('DTPOSTED "%s" is refused', async (posted) => {
    await expect(rowsOf(ofx(`<DTPOSTED>${posted}<TRNAMT>1<FITID>1`))).rejects.toThrow(
      /^transaction 1: .*DTPOSTED/,
    );
  });
});

describe('rows that are no movement', () => {
  test('footers, titles, repeated headings and rows without a day are skipped and named', async () => {
    const file = bytesOf(
      [
        'Extrato;;',
        'Data;Histórico;Valor',
        '31/01/2026;PIX;1,00',
        'Últimos lançamentos;;',
        'Data;Histórico;Valor',
        '00/00/0000;S A L D O;9,00',
        '00/00/0000;;9,00',
        '31/01/2026;SALDO TOTAL DISPONÍVEL DIA;9,00',
        '31/01/2026;Rende fácil;2,00',
        'Os dados acima são de 31/01/2026;;',
      ].join('\r\n'),
    );
    expect(await skippedOf(file, { skip: ['rende'] })).toEqual([
      'row 1 heading',
      'row 2 heading',
      'row 4 no_day',
      'row 5 heading',
      'row 6 balance',
      'row 7 no_day',
      'row 8 balance',
      'row 9 word',
      'row 10 no_amount',
    ]);
    expect(await amountsOf(file, { skip: ['rende'] })).toEqual(['2026-01-31 100']);
  });

  test('a row that names a PIX is a movement, whatever its text begins with', async () => {
    const pix = 'E88888888202601311200ABCDEFGHIJK';
    expect(await amountsOf(csv(`2026-01-31,1.00,1,Saldo ${pix}`))).toHaveLength(1);
    expect(await amountsOf(ofx(`<DTPOSTED>20260131<TRNAMT>1<FITID><MEMO>${pix}`))).toHaveLength(1);
  });

  test('the summary has sums, first and last movement, and the skipped rows with their reason', async () => {
    const { entries: _, ...summary } = await summaryOf(fileNamed('f01-empty-fitid.ofx'));
    expect(summary).toMatchObject({
      ...{
        account: '001/12345-6',
        currency: 'BRL',
        movements: 1,
        incoming: '111.01',
        outgoing: '0',
        skipped: 2,
      },
      first: { place: 'transaction 2', day: '2026-11-28', amount: '111.01', id: '20261128011101' },
      last: { text: 'PIX RECEBIDO' },
      skippedRows: [
        { place: 'transaction 1', why: 'balance', text: 'Saldo Anterior' },
        { place: 'transaction 3', why: 'balance', text: 'Saldo do dia' },
      ],
    });
  });
});

describe('columns', () => {
  test.each([
    ['Data;Valor;Valor', {}, /^the columns Valor \(2\) and Valor \(3\) may both be amount/],
    ['Data;Data;Valor', {}, /may both be date/],
    ['Data;Valor;Crédito', {}, /^there are Valor, Crédito: name amount, or credit and debit/],
    ['Data;Valor', { amount: 'Montante' }, /^there is no column Montante; there are Data, Valor/],
    ['a,b', {}, /^no columns are known for day and amount: name them by --columns; there are a, b/],
  ])('%s is refused', async (heading, columns, message) => {
    await expect(rowsOf(bytesOf(`${heading}\n31/01/2026;1,00;2,00`), { columns })).rejects.toThrow(message);
  });

  test('a file without a heading is read by the numbers of its columns', async () => {
    const columns = { date: '#1', amount: '#3', text: '#2' };
    expect(await movementsOf(bytesOf('31/01/26;PIX;1,00\n01/02/26;TED;-2,00\n'), { columns })).toEqual([
      { day: '2026-01-31', minor: 100n, id: '', text: 'PIX' },
      { day: '2026-02-01', minor: -200n, id: '', text: 'TED' },
    ]);
    await expect(rowsOf(bytesOf('a;b;c'), { columns })).rejects.toThrow('there is no day in the column #1');
  });

  test('a row with more cells than headings is refused: its amount may be cut in two', async () => {
    await expect(rowsOf(bytesOf('Data,Valor\n31/01/2026,111,15'))).rejects.toThrow(
      /^row 2: there are more cells/,
    );
    expect(await amountsOf(bytesOf('Data,Valor\n31/01/2026,111.15,'))).toHaveLength(1);
  });
});

test('both OFX versions, entities, and all encodings of banks are read', async () => {
  const xml =
    '<DTPOSTED>20260131</DTPOSTED><TRNAMT>1.00</TRNAMT><FITID>1</FITID><MEMO>A &amp; B&#233;</MEMO></STMTTRN>';
  expect(await movementsOf(ofx(xml))).toEqual([{ day: '2026-01-31', minor: 100n, id: '1', text: 'A & Bé' }]);
  const rows = '\uFEFFdate;amount;id;text\n2026-01-31;1,00;1;João\n';
  for (const encoding of ['utf8', 'utf16le'] as const)
    expect((await movementsOf(bytesOf(rows, encoding)))[0]?.text).toBe('João');
  expect((await movementsOf(bytesOf(rows.slice(1), 'latin1')))[0]?.text).toBe('João');
});

test.each([
  ['hello', /^no columns are known/],
  ['%PDF-1.7', /^it is a PDF: export OFX or CSV/],
  ['PK\u0003\u0004', /^it is a spreadsheet/],
])('%s is refused', async (text, message) => {
  await expect(rowsOf(bytesOf(text))).rejects.toThrow(message);
});

test('a file that changes between its two readings is refused', async () => {
  let readings = 0;
  const bytes = () => {
    readings += 1;
    return [csv(`2026-01-31,${readings}.00,1,x`)];
  };
  const kind = await inspectBankFile(bytes);
  const read = async () => {
    for await (const _row of readBankFile(bytes, kind, DEFAULT_FORM));
  };
  await expect(read()).rejects.toThrow(/it changed while it was read/);
});

test.each([
  ['2026-05-04T01:30:00Z', '2026-05-03'],
  ['2026-05-04t01:30:00z', '2026-05-03'],
  ['2026-05-04T01:30:00+0000', '2026-05-03'],
  ['2026-05-04T01:30Z', '2026-05-03'],
  ['2017-01-01T00:59:60+01:00', '2016-12-31'],
  ['2026-05-04T01:30:00', '2026-05-04'],
  ['2026-05-04 01:30:00', '2026-05-04'],
])('C-36: the day of %s is %s in Brasília, in every form of RFC 3339', (text, day) => {
  expect(dayOf(text, 'dmy')).toBe(day);
});

/** Goal: what banks export is read exactly, in each form that they write; what cannot be read is refused by its place (C-13). */
import { describe, expect, test } from 'vitest';
import { BankFileError, DEFAULT_COLUMNS, readBankFile } from '../../src/wire/bank-file.ts';

const read = (text: string, encoding: BufferEncoding = 'utf8') =>
  readBankFile(Buffer.from(text, encoding), DEFAULT_COLUMNS);
const csv = (...rows: string[]) => read(['date,amount,id,text', ...rows].join('\n'));
const ofx = (...parts: string[]) =>
  read(`OFXHEADER:100\n\n<OFX>${parts.map((part) => `<STMTTRN>${part}`).join('\n')}</BANKTRANLIST></OFX>`);

describe('amounts', () => {
  test.each([
    ['1234.56', 123_456n],
    ['-0.1', -10n],
    ['+7', 700n],
    ['999999999999999.99', 99_999_999_999_999_999n],
  ])('%s of OFX', (text, minor) => {
    expect(ofx(`<DTPOSTED>20260131<TRNAMT>${text}<FITID>1`)[0]?.minor).toBe(minor);
  });

  test.each([
    ['"1.234,56"', 123_456n],
    ['"1,234.56"', 123_456n],
    ['"-R$ 1.234.567,80"', -123_456_780n],
    ['"12,3"', 1_230n],
  ])('%s of CSV', (text, minor) => {
    expect(csv(`2026-01-31,${text},1,x`)[0]?.minor).toBe(minor);
  });

  test.each(['1.234', '1,2345', '', 'x', '1e3', '--1'])('%s is refused by its row', (text) => {
    expect(() => csv(`2026-01-31,"${text}",1,x`)).toThrow(BankFileError);
    expect(() => csv(`2026-01-31,"${text}",1,x`)).toThrow(/^row 2: the amount must be such as/);
  });
});

test('days are those of the bank; a day that is none is refused by its place', () => {
  expect(csv('31/01/2026,1.00,1,x', '2026-02-01,1.00,2,x').map(({ day }) => day)).toEqual([
    '2026-01-31',
    '2026-02-01',
  ]);
  expect(() => csv('31/02/2026,1.00,1,x')).toThrow(/^row 2: date must be a day/);
  const [moved] = ofx('<DTPOSTED>20260131233000[-3:BRT]<TRNAMT>1<FITID>1');
  expect(moved?.day).toBe('2026-01-31');
  expect(() => ofx('<TRNAMT>1<FITID>1')).toThrow(/^transaction 1: DTPOSTED/);
});

test('one that stands there twice is one; two under one name are two; rows without a name are each their own', () => {
  const one = '<DTPOSTED>20260131<TRNAMT>1.00<FITID>1';
  expect(ofx(one, one, '<DTPOSTED>20260131<TRNAMT>2.00<FITID>1')).toHaveLength(2);
  expect(csv('2026-01-31,1.00,,x', '2026-01-31,1.00,,x')).toHaveLength(2);
  expect(csv('2026-01-31,1.00,1,PIX Ana', '2026-01-31,1.00,1,PIX Bia')).toHaveLength(2);
});

test('both kinds of OFX, entities, and both encodings', () => {
  const xml =
    '<DTPOSTED>20260131</DTPOSTED><TRNAMT>1.00</TRNAMT><FITID>1</FITID><MEMO>A &amp; B</MEMO></STMTTRN>';
  expect(ofx(xml)).toEqual([{ day: '2026-01-31', minor: 100n, id: '1', text: 'A & B' }]);
  const rows = 'date;amount;id;text\n2026-01-31;1,00;1;João\n';
  for (const encoding of ['utf8', 'latin1'] as const) expect(read(rows, encoding)[0]?.text).toBe('João');
});

test('what is neither is refused', () => {
  expect(() => read('hello')).not.toThrow();
  expect(read('hello')).toEqual([]);
  expect(() => read('a,b\n1,2')).toThrow(/there is no column date; there are a, b/);
});

/** Goal: no text of a payer is a formula in a spreadsheet, whichever language opens the file. Method: single lines. */
import { expect, test } from 'vitest';
import { CSV_FORMS, csvLine } from '../../src/wire/csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['Ana;=1+1', "Ana;'=1+1"],
  ['Ana; @SUM(A1)', "Ana; '@SUM(A1)"],
  ['Ana,+55', '"Ana,\'+55"'],
  ['Rua 7, 12-B', '"Rua 7, 12-B"'],
  ['Ana-Maria', 'Ana-Maria'],
  ['＝1+1', "'＝1+1"],
  ['＋55', "'＋55"],
  ['－2', "'－2"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['\u200B=1+1', "'\u200B=1+1"],
  ['Ana;＝1+1', "Ana;'＝1+1"],
])('%s is text for a reader that splits at commas, and for one that splits at semicolons', (text, written) => {
  expect(csvLine(CSV_FORMS.en, [text, { amount: '-1.5' }])).toBe(`${written},-1.5\r\n`);
  const brazil = csvLine(CSV_FORMS.pt, [text, { amount: '-1.5' }]);
  expect(brazil).not.toMatch(/(^|[;,\t]\s*)[=+@＝＋－＠]/);
  expect(brazil).toMatch(/;-1,5\r\n$/);
});

test.each([
  '01234567890',
  '12345678000195',
  '000123',
  '1E5',
  '12/11',
  '10-mar',
  '+5511999999999',
  '1.234,56',
  'VERDADEIRO',
])('E01: %s is a reference that a spreadsheet leaves as it is', (text) => {
  expect(csvLine(CSV_FORMS.pt, [text])).toBe(`"=""${text}"""\r\n`);
});

test.each([
  '012.345.678-90',
  '12.ABC.345/01DE-35',
  '123',
  'pedido-12',
  'Ana',
  'E88888888202601311200ABCDEFGHIJK',
])('%s needs no formula', (text) => {
  expect(csvLine(CSV_FORMS.pt, [text])).toBe(`${text}\r\n`);
});

test('E02: times are in the given zone, and in Brazil’s format in the form that its spreadsheets read', () => {
  const cell = { time: '2026-11-29 00:27:47.123+00', zone: 'America/Sao_Paulo' } as const;
  expect(csvLine(CSV_FORMS.pt, [cell])).toBe('28/11/2026 21:27:47\r\n');
  expect(csvLine(CSV_FORMS.en, [cell])).toBe('2026-11-28T21:27:47.123-03:00\r\n');
  expect(csvLine(CSV_FORMS.en, [{ ...cell, zone: 'UTC' }])).toBe('2026-11-29T00:27:47.123Z\r\n');
});

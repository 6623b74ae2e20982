/** Goal: no text of a payer is a formula in a spreadsheet, whichever language opens the file (issue 12). Method: single lines. */
import { expect, test } from 'vitest';
import { CSV_FORMS, csvLine } from '../../src/wire/csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['Ana;=1+1', "Ana;'=1+1"],
  ['Ana; @SUM(A1)', "Ana; '@SUM(A1)"],
  ['Ana,+55', '"Ana,\'+55"'],
  ['Rua 7, 12-B', '"Rua 7, 12-B"'],
  ['Ana-Maria', 'Ana-Maria'],
])('%s is text for a reader that splits at commas, and for one that splits at semicolons', (text, written) => {
  expect(csvLine(CSV_FORMS.en, [text, { amount: '-1.5' }])).toBe(`${written},-1.5\r\n`);
  const brazil = csvLine(CSV_FORMS.pt, [text, { amount: '-1.5' }]);
  expect(brazil).not.toMatch(/(^|[;,\t]\s*)[=+@]/);
  expect(brazil).toMatch(/;-1,5\r\n$/);
});

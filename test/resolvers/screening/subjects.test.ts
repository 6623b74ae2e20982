/**
 * Goal: a payer is screened by a whole tax id, and by the name that the bank reports where it is not the declared one. Method: rows of
 * transactions whose payer the rail reports whole, masked, named, or not.
 */
import { expect, test } from 'vitest';
import { payerSubject, subjectsOf } from '../../../src/resolvers/screening/subjects.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';

const CUSTOMER = { clientName: 'Ana Souza', clientTaxId: '52998224725' };

test.each([
  ['11144477735', undefined, [{ role: 'payer', taxId: '11144477735' }]],
  ['***444777**', undefined, []],
  ['52998224725', undefined, []],
  [null, undefined, []],
  ['11144477735', 'Bruno Lima', [{ role: 'payer', name: 'Bruno Lima', taxId: '11144477735' }]],
  ['***444777**', 'Bruno Lima', [{ role: 'payer', name: 'Bruno Lima' }]],
  ['52998224725', 'Bruno Lima', [{ role: 'payer', name: 'Bruno Lima', taxId: '52998224725' }]],
  [null, 'Bruno Lima', [{ role: 'payer', name: 'Bruno Lima' }]],
])('a payer %s with the reported name %s is screened as %j', (payerTaxId, payerName, expected) => {
  const row = {
    ...CUSTOMER,
    wallet: null,
    pixKeyType: null,
    process: { payerTaxId, ...(payerName && { payerName }) },
  } as unknown as ProcessRow;
  expect(subjectsOf(row, 'return').filter(({ role }) => role === 'payer')).toEqual(expected);
});

test('a payer of whom nothing is reported is not screened', () => {
  expect(payerSubject(null, '')).toBeUndefined();
  expect(payerSubject(undefined)).toBeUndefined();
});

/**
 * Goal: PIX identifiers are recognised by their form and made so that any bank takes them. Method: published
 * samples, the same with one fault beside them; random banks and moments.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEnd2end, newEnd2end } from '../../../src/base/ids/end2end.ts';
import {
  isEndToEndId,
  isReturnId,
  newEndToEndId,
  newReturnId,
  orderNameOf,
  txidOf,
} from '../../../src/base/pix/end-to-end-id.ts';

const AT = new Date('2026-11-21T23:59:59.999Z');

describe('forms', () => {
  test.each([
    'E12345678202009091221abcdef12345',
    'E1A2B3C4D202612312359ABCDEFghijk',
    'E00000000202602280000abcdef12345',
  ])('%s is a payment', (text) => {
    expect(isEndToEndId(text)).toBe(true);
    expect(isReturnId(text)).toBe(false);
    expect(isEnd2end(text)).toBe(false);
  });
  test.each([
    'D12345678202009091000abcde123456',
    'D1A2B3C4D202612312359ABCDEFghijk',
  ])('%s is a return', (text) => {
    expect(isReturnId(text)).toBe(true);
    expect(isEndToEndId(text)).toBe(false);
  });

  test.each([
    // The example of the API's own description is 34 long.
    'E88631478202009091221ghijk78901234',
    'E12345678202009091221abcdef1234',
    'E12345678202009091221abcdef123456',
    'e12345678202009091221abcdef12345',
    'F12345678202009091221abcdef12345',
    'E1234567a202009091221abcdef12345',
    'E12345678202000091221abcdef12345',
    'E12345678202013091221abcdef12345',
    'E12345678202009001221abcdef12345',
    'E12345678202009321221abcdef12345',
    'E12345678202009092421abcdef12345',
    'E12345678202009091260abcdef12345',
    'E12345678202009091221abcdef1234-',
    'E12345678２02009091221abcdef12345',
    'E12345678202009091221abcdef1234é',
    ' E12345678202009091221abcdef1234',
    'E12345678202009091221abcdef12345\n',
    newEnd2end(AT),
    '',
  ])('%j is neither', (text) => {
    expect(isEndToEndId(text)).toBe(false);
    expect(isReturnId(text)).toBe(false);
  });
});

describe('making', () => {
  test('contains the participant and the time, in UTC', () => {
    expect(newEndToEndId({ ispb: '12345678', at: AT })).toMatch(/^E12345678202611212359[A-Za-z0-9]{11}$/);
    expect(newReturnId({ ispb: '1A2B3C4D', at: AT })).toMatch(/^D1A2B3C4D202611212359[A-Za-z0-9]{11}$/);
    expect(newEndToEndId({ ispb: '12345678', at: new Date('2026-01-01T00:30:00+03:00') })).toContain(
      '202512312130',
    );
  });

  test('any id is recognised, and unique', () => {
    const ispb = fc.string({ unit: fc.constantFrom(...'0123456789ABCXYZ'), minLength: 8, maxLength: 8 });
    const at = fc.date({
      min: new Date('2020-11-16T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(ispb, at, (bank, time) => {
        const payment = newEndToEndId({ ispb: bank, at: time });
        const refund = newReturnId({ ispb: bank, at: time });
        expect([payment, isEndToEndId(payment)]).toEqual([payment, true]);
        expect([refund, isReturnId(refund)]).toEqual([refund, true]);
        seen.add(payment.slice(-11)).add(refund.slice(-11));
      }),
      { seed: 20_261_121, numRuns: 500 },
    );
    expect(seen.size).toBe(1000);
  });

  test.each([
    '1234567',
    '123456789',
    '1234567a',
    '1234-678',
    '１2345678',
    '',
  ])('the ISPB %j is refused', (ispb) => {
    expect(() => newEndToEndId({ ispb, at: AT })).toThrow(RangeError);
    expect(() => newReturnId({ ispb, at: AT })).toThrow(RangeError);
  });

  test.each([
    Number.NaN,
    Date.UTC(10_001, 0, 1),
    Date.UTC(10_112, 5, 1),
    Date.UTC(-1, 0, 1),
  ])('the moment %d is refused', (time) =>
    expect(() => newEndToEndId({ ispb: '12345678', at: new Date(time) })).toThrow(RangeError));

  test('a txid fits a charge, differs between orders, and is the same for the same order', () => {
    const ids = Array.from({ length: 1000 }, (_, n) => txidOf(`order ${n}`));
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{26,35}$/);
    expect(new Set(ids).size).toBe(1000);
    expect(txidOf('order 7')).toBe(ids[7]);
  });
});

test('an order is named by its key if a provider accepts that, else by a fixed text derived from the key', () => {
  expect(orderNameOf('D99999999202601010000abcdefghijk')).toBe('D99999999202601010000abcdefghijk');
  expect(orderNameOf('CRX1:payout')).toMatch(/^[a-z0-9]{32}$/);
  expect(orderNameOf('CRX1:payout')).toBe(orderNameOf('CRX1:payout'));
  expect(orderNameOf('x'.repeat(36))).toHaveLength(32);
});

/**
 * Goal: C-7: ids of transactions sort by time, within a millisecond by order, and are told from every other
 * id. Method: the example of RFC 9562, the same with one fault beside it; many ids of random moments.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { end2endTime, isEnd2end, newEnd2end } from '../../../src/base/ids/end2end.ts';

/** 017F22E2-79B0-7CC3-98C4-DC0C0C07398F, made 2022-02-22 19:22:22 UTC (RFC 9562, A.6). */
const EXAMPLE = 'CRX01FWHE4YDGFK1SHH6W1G60EECF';
const TIME_MAX = 2 ** 48 - 1;

describe('C-7: form', () => {
  test('the example of RFC 9562 is one, made at its time', () => {
    expect(isEnd2end(EXAMPLE)).toBe(true);
    expect(end2endTime(EXAMPLE).toISOString()).toBe('2022-02-22T19:22:22.000Z');
  });

  test.each([
    ['no prefix', '01FWHE4YDGFK1SHH6W1G60EECF'],
    ['another prefix', 'CRY01FWHE4YDGFK1SHH6W1G60EECF'],
    ['a small prefix', 'crx01FWHE4YDGFK1SHH6W1G60EECF'],
    ['small letters', EXAMPLE.toLowerCase()],
    ['one small letter', 'CRX01FWHE4YDGFK1SHH6W1G60EECf'],
    ['one more', `${EXAMPLE}0`],
    ['one less', EXAMPLE.slice(0, -1)],
    ['131 bits', 'CRX81FWHE4YDGFK1SHH6W1G60EECF'],
    ['version 4', 'CRX01FWHE4YDG8K1SHH6W1G60EECF'],
    ['version 8', 'CRX01FWHE4YDGGK1SHH6W1G60EECF'],
    ['the variant below', 'CRX01FWHE4YDGFK17HH6W1G60EECF'],
    ['the variant above', 'CRX01FWHE4YDGFK1CHH6W1G60EECF'],
    ['the letter I', 'CRX01FWHE4YDGFK1SHH6W1G60EECI'],
    ['the letter L', 'CRX01FWHE4YDGFK1SHH6W1G60EECL'],
    ['the letter O', 'CRX01FWHE4YDGFK1SHH6W1G60EECO'],
    ['the letter U', 'CRX01FWHE4YDGFK1SHH6W1G60EECU'],
    ['another digit', 'CRX０1FWHE4YDGFK1SHH6W1G60EECF'],
    ['a line feed', `${EXAMPLE}\n`],
    ['a UUID', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'],
    ['an id of PIX', 'E12345678202009091221abcdef12345'],
    ['nothing', ''],
  ])('%s is none', (_, text) => {
    expect(isEnd2end(text)).toBe(false);
    expect(() => end2endTime(text)).toThrow(RangeError);
  });
});

describe('C-7: making', () => {
  test('an id contains its time and is a UUIDv7', () => {
    fc.assert(
      fc.property(fc.nat(TIME_MAX), (time) => {
        const id = newEnd2end(new Date(time));
        expect([id, isEnd2end(id)]).toEqual([id, true]);
        expect(end2endTime(id).getTime()).toBe(time);
        expect(uuidOf(id)).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
        expect(Number.parseInt(uuidOf(id).slice(0, 12), 16)).toBe(time);
      }),
      { seed: 20_261_121, examples: [[0], [TIME_MAX]] },
    );
  });

  test('ids of one millisecond sort in the order of creation', () => {
    const at = new Date('2026-11-21T12:00:00.123Z');
    const ids = Array.from({ length: 10_000 }, () => newEnd2end(at));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('ids of a moving clock sort by time; ids of a clock that was set back have its time', () => {
    const start = Date.UTC(2026, 10, 21);
    const ids = Array.from({ length: 3000 }, (_, index) =>
      newEnd2end(new Date(start + Math.floor(index / 3))),
    );
    expect(ids).toEqual(ids.toSorted());
    const back = newEnd2end(new Date(start));
    expect(end2endTime(back).getTime()).toBe(start);
    expect(ids.includes(back)).toBe(false);
  });

  test('the next id cannot be guessed from the last', () => {
    const at = new Date('2026-11-21T12:00:00.456Z');
    const tails = Array.from({ length: 1000 }, () => BigInt(`0x${uuidOf(newEnd2end(at)).slice(17)}`));
    const steps = tails.slice(1).map((tail, index) => tail - (tails[index] as bigint));
    expect(new Set(steps).size).toBe(steps.length);
    const firsts = Array.from({ length: 1000 }, (_, index) => newEnd2end(new Date(index)));
    expect(new Set(firsts.map((id) => uuidOf(id).slice(17))).size).toBe(firsts.length);
    expect(new Set(firsts.map((id) => uuidOf(id).slice(13, 16))).size).toBeGreaterThan(100);
  });

  test.each([Number.NaN, -1, TIME_MAX + 1])('the time %d is refused', (time) =>
    expect(() => newEnd2end(new Date(time))).toThrow(RangeError));
});

/** The 32 hexadecimal digits of an id, read another way than the module does. */
function uuidOf(id: string): string {
  const bits = [...id.slice(3)]
    .map((character) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(character).toString(2).padStart(5, '0'))
    .join('');
  return BigInt(`0b${bits}`).toString(16).padStart(32, '0');
}

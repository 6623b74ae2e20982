/** Goal: instants are read in every form of RFC 3339, the same on every machine (C-36). Method: forms with their instants, and texts that are none. */
import { describe, expect, test } from 'vitest';
import { parseBrasiliaInstant, parseInstant } from '../../../src/base/time/instant.ts';

describe('an instant', () => {
  test.each([
    ['2026-11-01T12:00:00Z', '2026-11-01T12:00:00.000Z'],
    ['2026-11-01t12:00:00z', '2026-11-01T12:00:00.000Z'],
    ['2026-11-01T12:00:00.1234567891Z', '2026-11-01T12:00:00.123Z'],
    ['2026-11-01T12:00:00.9999999999Z', '2026-11-01T12:00:00.999Z'],
    ['2026-11-01T12:00:00.5-03:00', '2026-11-01T15:00:00.500Z'],
    ['2026-11-01T12:00:00-00:00', '2026-11-01T12:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['1990-12-31T15:59:60-08:00', '1991-01-01T00:00:00.000Z'],
    ['2016-12-31t23:59:60.25z', '2017-01-01T00:00:00.250Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant);
    expect(parseBrasiliaInstant(text)?.toISOString()).toBe(instant);
  });

  test.each([
    '',
    '2026-11-01',
    '2026-11-01T12:00:00',
    '2026-11-01 12:00:00Z',
    '2026-11-01T12:00Z',
    '2026-02-30T12:00:00Z',
    '2026-11-01T24:00:00Z',
    '2026-11-01T12:60:00Z',
    '2026-11-01T12:00:60Z',
    '2026-11-01T12:00:61Z',
    '2026-11-01T12:00:00+0000',
    '2026-11-01T12:00:00+24:00',
    '2026-11-01T12:00:00+03:60',
    '2026-11-01T12:00:00.Z',
    `2026-11-01T12:00:00.${'1'.repeat(100)}Z`,
  ])('%j is refused', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test('without a zone is Brasília time, in any zone of the machine (C-36)', () => {
    const zone = process.env.TZ;
    for (const TZ of ['UTC', 'America/Sao_Paulo', 'Asia/Tokyo']) {
      process.env.TZ = TZ;
      expect(parseBrasiliaInstant('2026-11-28T21:31:38')?.toISOString()).toBe('2026-11-29T00:31:38.000Z');
      expect(parseBrasiliaInstant('2026-11-28t21:31:38.5')?.toISOString()).toBe('2026-11-29T00:31:38.500Z');
    }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
});

/** Goal: files have one calendar, of UTC or of Brasília. Method: instants around midnight, and of a past summer time. */
import { expect, test } from 'vitest';
import { boundsIn, dayIn, isoIn, isWithin, utcDaysOf, wallTime } from '../../../src/base/time/zone.ts';

const EVENING = '2026-11-29 00:27:47.5+00';
const SUMMER = '2018-12-01 01:30:00+00';

test('an instant has its day, time and offset', () => {
  expect(wallTime('America/Sao_Paulo', EVENING)).toEqual({ day: '2026-11-28', time: '21:27:47', offset: -3 });
  expect(wallTime('America/Sao_Paulo', SUMMER)).toEqual({ day: '2018-11-30', time: '23:30:00', offset: -2 });
  expect(wallTime('UTC', EVENING)).toEqual({ day: '2026-11-29', time: '00:27:47', offset: 0 });
  expect([dayIn('UTC', EVENING), dayIn('America/Sao_Paulo', EVENING)]).toEqual(['2026-11-29', '2026-11-28']);
  expect(isoIn('America/Sao_Paulo', EVENING)).toBe('2026-11-28T21:27:47.500-03:00');
  expect(isoIn('UTC', EVENING)).toBe('2026-11-29T00:27:47.500Z');
});

test('days of Brasília are read by the days of UTC that contain them', () => {
  const range = { dateFrom: '2026-11-28', dateTo: '2026-11-28' };
  expect(utcDaysOf('America/Sao_Paulo', range)).toEqual({ dateFrom: '2026-11-28', dateTo: '2026-11-29' });
  expect(utcDaysOf('UTC', range)).toEqual(range);
  expect(isWithin('America/Sao_Paulo', range, EVENING)).toBe(true);
  expect(isWithin('UTC', range, EVENING)).toBe(false);
  expect(isWithin('UTC', {}, EVENING)).toBe(true);
  expect(boundsIn('America/Sao_Paulo', { dateTo: '9999-12-31' })).toEqual({ from: undefined, to: undefined });
});

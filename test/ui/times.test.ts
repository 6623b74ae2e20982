/** Goal: a moment is read in one way: the place of its time is named, and a year that could be another stands there. */
import { expect, test } from 'vitest';
import { instantText, nearText, showTime, timeText } from '../../src/ui/times.ts';

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

test('times are Brasília times, and say so', () => {
  const time = '2026-11-21 17:35:12.006+00';
  expect(plain(showTime(time, 'en', 'time').text)).toBe(
    '<time datetime="2026-11-21T17:35:12.006Z">14:35 (Brasília time)</time>',
  );
  expect(plain(instantText(time, 'pt', 'second'))).toBe('21 de nov. de 2026, 14:35:12');
  expect(instantText(time, 'en', 'millis')).toBe('14:35:12.006');
});

test('a moment has the minute of its hour, also where the day or the offset changes', () => {
  const starts = [
    '2026-11-21T02:30:00Z',
    '2018-11-04T02:30:00Z',
    '2018-02-18T01:30:00Z',
    '1970-01-01T00:00:00Z',
  ];
  for (const [language, tag] of [
    ['en', 'en'],
    ['pt', 'pt-BR'],
  ] as const) {
    const format = new Intl.DateTimeFormat(tag, {
      ...{ timeZone: 'America/Sao_Paulo', dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' },
    } as Intl.DateTimeFormatOptions);
    for (const start of starts)
      for (let minutes = 0; minutes < 180; minutes += 7) {
        const millis = Date.parse(start) + minutes * 60_000 + 59_999;
        expect(timeText(millis, language, 'moment')).toBe(format.format(millis));
      }
  }
});

test('a list shows the year if it is another one, by the calendar of Brasília', () => {
  const [before, after] = [Date.parse('2026-01-01T02:59:00Z'), Date.parse('2026-01-01T03:01:00Z')];
  const now = Date.parse('2026-11-22T12:00:00Z');
  expect(plain(nearText(before, 'en', 'minute', now))).toBe('Dec 31, 2025, 23:59');
  expect(plain(nearText(after, 'en', 'minute', now))).toBe('Jan 1, 00:01');
  expect(plain(nearText(before, 'pt', 'day', now))).toBe('31 de dez. de 2025');
});

/**
 * Goal: what people book about money that nobody ordered stands for one transfer, for good, whatever the days of transfer, booking and
 * reports (C-33). Method: the real store; nights as a network would have them, each with the report that was kept of the nights before.
 */
import { expect, test } from 'vitest';
import { known } from '../../../src/base/errors/assert.ts';
import { dayAfter } from '../../../src/base/time/brasilia-day.ts';
import { compareStatement, type Report } from '../../../src/resolvers/reconciliation/compare-statement.ts';
import { refuseMatched } from '../../../src/resolvers/reconciliation/known-entries.ts';
import type { StatementEntry } from '../../../src/resolvers/services/statement.ts';
import { useApp } from '../../support/app.ts';
import { at, found, funding, networkDays } from './network-days.ts';

const app = useApp();
const { book, reportOn } = networkDays(app);
const missing = (...entries: readonly StatementEntry[]) => entries.map(({ id }) => ['missing_here', id]);
/** What the night after a day finds. */
const run = async (day: string, all: readonly StatementEntry[]) =>
  found(await reportOn(day, at(dayAfter(day), '03:00'), all));

test('C-33: a booking from before the first night is used once', async () => {
  const [first, second] = [
    funding('a1', at('2026-02-07', '20:00')),
    funding('a2', at('2026-02-08', '15:00')),
  ];
  const all = [first, second];
  await book('a', 10_000n, at('2026-02-08', '01:30'));
  expect(await run('2026-02-07', all)).toEqual([]);
  expect(await run('2026-02-08', all)).toEqual(missing(second));
  expect(await run('2026-02-09', all)).toEqual([]);
});

test('C-33: so are bookings before the first report, when nightly runs are late', async () => {
  const all = [
    funding('b1', at('2026-03-03', '20:00'), '777'),
    funding('b2', at('2026-03-05', '15:00'), '777'),
  ];
  await book('b', 777n, at('2026-03-05', '09:00'));
  const now = at('2026-03-06', '03:00');
  const reports = [];
  for (const day of ['2026-03-03', '2026-03-04', '2026-03-05'])
    reports.push(found(await reportOn(day, now, all)));
  expect(reports).toEqual([[], [], missing(...all.slice(1))]);
});

test('C-33: a small difference that is never booked uses no line a second time', async () => {
  const dust = funding('dust', at('2026-04-01', '12:00'), '0.000001');
  const days = [at('2026-04-02', '20:00'), at('2026-04-05', '12:00'), at('2026-04-06', '15:00')];
  const [first, second, third] = days.map((day, index) => funding(`c${index}`, day)) as [
    StatementEntry,
    StatementEntry,
    StatementEntry,
  ];
  const all = [dust, first, second, third];
  expect(await run('2026-04-01', all)).toEqual(missing(dust));
  await book('c1', 10_000n, at('2026-04-02', '21:00'));
  for (const day of ['2026-04-02', '2026-04-03', '2026-04-04']) expect(await run(day, all)).toEqual([]);
  expect(await run('2026-04-05', all)).toEqual(missing(second));
  await book('c2', 10_000n, at('2026-04-06', '09:00'));
  expect(await run('2026-04-06', all)).toEqual(missing(third));
  const later = at('2026-04-08', '03:00');
  expect(found(await reportOn('2026-04-05', later, all))).toEqual([]);
  expect(found(await reportOn('2026-04-06', later, all))).toEqual(missing(third));
});

test('C-33: an entry that waits for a booking is known though a report cannot list all findings', async () => {
  const first = funding('d1', at('2026-06-04', '12:00'), '888');
  const second = funding('d2', at('2026-06-06', '15:00'), '888');
  const dust = Array.from({ length: 1_000 }, (_, index) =>
    funding(`dust${index}`, new Date(at('2026-06-04', '01:00').getTime() + index), '0.000001'),
  );
  const all = [...dust, first, second];
  expect(await run('2026-06-04', all)).toHaveLength(1_000);
  await book('d', 888n, at('2026-06-06', '09:00'));
  expect(await run('2026-06-06', all)).toEqual(missing(second));
});

test('C-33: a transfer of the last hour of a day uses no line of the next day if its own day has its booking', async () => {
  const all = [
    funding('e1', at('2026-06-10', '23:30'), '10'),
    funding('e2', at('2026-06-11', '09:00'), '10'),
  ];
  await book('e1', 10n, at('2026-06-10', '23:40'));
  await book('e2', 10n, at('2026-06-11', '10:00'));
  expect(await run('2026-06-10', all)).toEqual([]);
  expect(await run('2026-06-11', all)).toEqual([]);
});

test('C-33: a booking of the last of 7 days stays with its transfer when that is not looked at any more', async () => {
  const first = funding('f1', at('2026-07-01', '12:00'), '321');
  const second = funding('f2', at('2026-07-08', '12:00'), '321');
  const all = [first, second];
  for (let day = '2026-07-01'; day < '2026-07-08'; day = dayAfter(day))
    expect(await run(day, all)).toEqual(day === '2026-07-01' ? missing(first) : []);
  await book('f', 321n, at('2026-07-08', '09:00'));
  expect(await run('2026-07-08', all)).toEqual(missing(second));
  expect(found(await reportOn('2026-07-08', at('2026-07-17', '03:00'), all))).toEqual(missing(second));
  expect(found(await reportOn('2026-07-01', at('2026-07-17', '03:00'), all))).toEqual([]);
});

test('C-33: reports that are made again, in any order, find as many bookings missing as there are', async () => {
  const [first, second] = [
    funding('g1', at('2026-08-01', '12:00'), '5'),
    funding('g2', at('2026-08-02', '12:00'), '5'),
  ];
  const all = [first, second];
  expect(await run('2026-08-01', all)).toEqual(missing(first));
  expect(await run('2026-08-02', all)).toEqual(missing(second));
  await book('g1', 5n, at('2026-08-03', '10:00'));
  const later = at('2026-08-04', '03:00');
  for (const day of ['2026-08-02', '2026-08-01', '2026-08-02'])
    expect(found(await reportOn(day, later, all))).toEqual(day === '2026-08-01' ? [] : missing(second));
  await book('g2', 5n, at('2026-08-04', '10:00'));
  for (const day of ['2026-08-01', '2026-08-02'])
    expect(found(await reportOn(day, at('2026-08-05', '03:00'), all))).toEqual([]);
});

test('C-33: a day that was compared before the day before it keeps its lines', async () => {
  const [first, second] = [
    funding('h1', at('2026-09-01', '12:00'), '6'),
    funding('h2', at('2026-09-02', '12:00'), '6'),
  ];
  await book('h', 6n, at('2026-09-02', '13:00'));
  const later = (day: string, ...all: readonly StatementEntry[]) =>
    reportOn(day, at('2026-09-05', '03:00'), all).then(found);
  expect(await later('2026-09-02', first, second)).toEqual([]);
  expect(await later('2026-09-01', first, second)).toEqual(missing(first));
  expect(await later('2026-09-02', first, second)).toEqual([]);
  // Were the second gone from the network, its line would be free.
  expect(await later('2026-09-02', first)).toEqual([]);
  expect(await later('2026-09-01', first)).toEqual([]);
});

test('an order that was not reported at night waits for its event, and uses no manual bookings of other transfers', async () => {
  const at1 = at('2026-10-01', '23:59');
  const transfer = { kind: 'transfer', amount: '55', currency: 'USDT_TRX' } as const;
  const ordered: StatementEntry = {
    ...{ ...transfer, id: 'TRX:ordered', at: at1 },
    eventName: { kind: 'broadcast_confirmed', key: 'chain:TRX:ordered' },
  };
  const stolen = { ...funding('stolen', at('2026-10-02', '12:00'), '55'), kind: 'transfer' } as const;
  const { findings } = await reportOn('2026-10-01', at('2026-10-02', '03:00'), [ordered]);
  expect(findings).toMatchObject([
    { finding: 'missing_here', id: ordered.id, why: 'the rail never told it' },
  ]);
  await book('funds', 1_000n, at('2026-10-02', '00:30'));
  await book('theft', -55n, at('2026-10-02', '14:00'));
  expect(await run('2026-10-02', [ordered, stolen])).toEqual([]);
});

/** Compares a day, and keeps nothing. */
async function compare(day: string, now: Date, all: readonly StatementEntry[]): Promise<Report> {
  const [report] = await compareStatement(app.services.forMode('sandbox'), {
    ...{ rail: 'TRX', days: [day], nowMs: now.getTime(), withBalances: false },
    statement: {
      kinds: ['deposit'],
      read: async ({ from, to }) => all.filter((each) => each.at >= from && each.at < to),
    },
  });
  return known(report, 'a day has a report');
}
const refuse = (report: Report) =>
  refuseMatched({ database: app.database, mode: 'sandbox' }, 'TRX', [report]);

test('C-33: of two parallel reports, one is requested again if both used the same line', async () => {
  const all = [funding('i1', at('2026-11-01', '12:00'), '9'), funding('i2', at('2026-11-02', '09:00'), '9')];
  const now = at('2026-11-03', '03:00');
  await book('i', 9n, at('2026-11-02', '10:00'));
  const before = await compare('2026-11-01', now, all);
  expect(await run('2026-11-02', all)).toEqual([]);
  await expect(refuse(before)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const again = await compare('2026-11-01', now, all);
  expect(found(again)).toEqual(missing(...all.slice(0, 1)));
  await refuse(again);
});

test('C-33: nor does a report store as waiting an entry whose booking another one found meanwhile', async () => {
  const all = [funding('j1', at('2026-12-01', '12:00'), '8'), funding('j2', at('2026-12-02', '12:00'), '8')];
  expect(await run('2026-12-01', all)).toEqual(missing(...all.slice(0, 1)));
  const before = await compare('2026-12-01', at('2026-12-02', '10:00'), all);
  await book('j', 8n, at('2026-12-02', '09:00'));
  expect(await run('2026-12-02', all)).toEqual(missing(...all.slice(1)));
  // Were it kept, the booking would be free for the second transfer.
  await expect(refuse(before)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const again = await compare('2026-12-01', at('2026-12-03', '03:00'), all);
  expect(found(again)).toEqual([]);
  await refuse(again);
});

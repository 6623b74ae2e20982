/** Goal: a file of a bank hides no money, on either side (C-33). Method: the real store; payments of today, and files of a bank. */
import { describe, expect, test } from 'vitest';
import { known } from '../../../src/base/errors/assert.ts';
import { BRL } from '../../../src/base/money/currency.ts';
import { newEndToEndId } from '../../../src/base/pix/end-to-end-id.ts';
import { dayAfter } from '../../../src/base/time/brasilia-day.ts';
import { capitalPaidIn } from '../../../src/ledger/journals.ts';
import { credit, debit, type Journal, journal } from '../../../src/ledger/posting.ts';
import { receiveRailEvent } from '../../../src/resolvers/inbound/receive.ts';
import { compareStatement, type Report } from '../../../src/resolvers/reconciliation/compare-statement.ts';
import { refuseMatched } from '../../../src/resolvers/reconciliation/known-entries.ts';
import { readReconciliation } from '../../../src/resolvers/reconciliation/reconcile.ts';
import { reconcileFile } from '../../../src/resolvers/reconciliation/reconcile-file.ts';
import { type Context, GATEWAY } from '../../../src/resolvers/services/context.ts';
import type { StatementEntry } from '../../../src/resolvers/services/statement.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { lockHeads } from '../../../src/store/engine/processes.ts';
import { postJournals } from '../../../src/store/ledger/posting.ts';
import { addReconciliation } from '../../../src/store/rails/reconciliation.ts';
import { DEFAULT_FORM } from '../../../src/wire/bank/bank-row.ts';
import { useApp } from '../../support/app.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';

const app = useApp();
const DAY = '2026-03-10';
const AT = `${DAY}T15:00:00.000Z`;
const dayFrom = (days: number) => dayAfter(DAY, days);
const pixId = (at = AT) => newEndToEndId({ ispb: '88888888', at: new Date(at) });
const servicesAt = (nowMs: number) => ({
  ...app.services.forMode('sandbox'),
  clock: { ...SYSTEM_CLOCK, nowMs: async () => nowMs },
});

/** A hundred days later. */
async function reportsOf(...rows: string[]) {
  const caller: Context['caller'] = {
    accountId: await platformAccount(app.database, 'sandbox'),
    id: 'gateway',
    mode: 'test',
    scopes: ['platform:books'],
    allowedCidrs: [],
    allowedOrigins: [],
  };
  const bytes = Buffer.from(['date,amount,id,text', ...rows].join('\n'));
  const context = { ...servicesAt(Date.parse(AT) + 100 * 24 * 3_600_000), caller, origin: GATEWAY };
  const file = { parameter: 'file', bytes: () => [bytes], form: DEFAULT_FORM };
  const { reportIds } = await reconcileFile(context, file);
  const reports = await Promise.all(reportIds.map((id) => readReconciliation(context, id)));
  return reports.map((report) => known(report, 'a report'));
}

/** A payment that no transaction takes is booked, in suspense. */
async function arrive(amount: string, settledAt = AT): Promise<string> {
  const event = {
    kind: 'payment',
    txid: null,
    endToEndId: pixId(settledAt),
    amount,
    settledAt,
    payerTaxId: null,
  } as const;
  const log = { warn: () => {} };
  expect(await receiveRailEvent(servicesAt(Date.parse(settledAt)), log, event)).toMatchObject({
    outcome: 'suspense',
  });
  return event.endToEndId;
}

test('a PIX that the bank has twice is once too often', async () => {
  const id = await arrive('31.00');
  const [report] = await reportsOf(`${DAY},31.00,1,${id}`, `${DAY},31.00,2,${id}`);
  expect(report).toMatchObject({ matched: 1, missingHere: 1, missingThere: 0 });
});

test('a fee that names a PIX does not match it', async () => {
  const id = pixId();
  const [report] = await reportsOf(`${DAY},-90.00,1,${id}`, `${DAY},-1.50,2,Tarifa ${id}`);
  expect(report?.findings.map(({ finding, amountThere }) => [finding, amountThere])).toContainEqual([
    'missing_here',
    '90',
  ]);
});

test('a day without entries between those of the file has its report', async () => {
  const days = [-3, -2, -1, 0, 1, 2, 3].map(dayFrom);
  const reports = await reportsOf(`${days[0]},1.00,1,x`, `${days[6]},2.00,2,x`);
  expect(reports.map(({ day }) => day)).toEqual(days);
  expect(reports[3]).toMatchObject({ missingHere: 0, missingThere: 1 });
  await expect(reportsOf(`${days[0]},1.00,1,x`, '2020-01-01,2.00,2,x')).rejects.toThrow(/at most 366 days/);
});

describe('an entry without a name uses a line once, on any day of its report', () => {
  const at = (days: number, time: string) => `${dayFrom(days)}T${time}.000Z`;
  const row = (days: number, amount: string, id: string) => `${dayFrom(days)},${amount},${id},x`;
  const found = (reports: Awaited<ReturnType<typeof reportsOf>>) =>
    reports.flatMap(({ day, findings }) => findings.map(({ finding, id }) => [day, finding, id]));

  test('two movements, a day before the line and a day after it: the second is missing', async () => {
    await arrive('41.00', at(21, '13:00:00'));
    const reports = await reportsOf(row(20, '41.00', 'a'), row(22, '41.00', 'b'));
    expect(found(reports)).toEqual([[dayFrom(22), 'missing_here', 'b']]);
    expect(reports.map(({ matched }) => matched)).toEqual([1, 0, 0]);
  });

  test('late in the evening of two days, and the bank has both a day later', async () => {
    await arrive('42.00', at(40, '02:30:00'));
    await arrive('42.00', at(41, '02:30:00'));
    const rows = [row(40, '42.00', 'a'), row(41, '42.00', 'b')];
    expect(found(await reportsOf(...rows))).toEqual([]);
    expect(found(await reportsOf(...rows.toReversed()))).toEqual([]);
  });

  test('an entry whose name has another amount leaves its line to no other', async () => {
    const id = await arrive('43.00', at(60, '15:00:00'));
    const reports = await reportsOf(row(60, '43.00', 'other'), `${dayFrom(60)},44.00,named,${id}`);
    expect(found(reports).toSorted()).toEqual([
      [dayFrom(60), 'amount_differs', id],
      [dayFrom(60), 'missing_here', 'other'],
    ]);
  });
});

describe('manual bookings', () => {
  const post = async (ref: string, journal: Journal, day: string) => {
    const accountId = await platformAccount(app.database, 'sandbox');
    await app.database.withTx(async (tx) => {
      await lockHeads(tx, [accountId], 'sandbox');
      const request = { accountId, ref, transactionId: null, journal };
      await postJournals(tx, [request], new Date(`${day}T15:00:00.000Z`));
    });
  };

  test('C-34: an unreported PIX takes no capital of its amount from a movement without a name', async () => {
    await post('capital', capitalPaidIn(BRL, 70_000n), dayFrom(70));
    const id = pixId();
    const reports = await reportsOf(`${dayFrom(70)},700.00,1,x`, `${dayFrom(71)},700.00,2,${id}`);
    expect(reports.map(({ matched }) => matched)).toEqual([1, 0]);
    expect(reports[1]?.findings).toMatchObject([{ finding: 'missing_here', id }]);
  });

  test('a PIX that was paid by hand matches its booking (L62), though its text has the id, unless a movement without a name does', async () => {
    const paid = journal('L62', debit('E.capital', BRL, 5_000n), credit('A.pix', BRL, 5_000n));
    await post('paid by hand', paid, dayFrom(80));
    const id = pixId();
    expect(await reportsOf(`${dayFrom(80)},-50.00,1,PIX ENVIADO ${id}`)).toMatchObject([
      { matched: 1, findings: [] },
    ]);
    const [report] = await reportsOf(
      `${dayFrom(80)},-50.00,1,PIX ENVIADO ${id}`,
      `${dayFrom(80)},-50.00,2,TED`,
    );
    expect(report).toMatchObject({ matched: 1, findings: [{ finding: 'missing_here', id }] });
  });
});

describe('C-33: files of one bank share no line of the ledger', () => {
  const at = (days: number, time = '15:00:00') => `${dayFrom(days)}T${time}.000Z`;
  const row = (days: number, id: string, text = 'x') => `${dayFrom(days)},${45 + days}.00,${id},${text}`;
  const found = (reports: Awaited<ReturnType<typeof reportsOf>>) =>
    reports.flatMap(({ day, matched, findings }) => [
      `${day} ${matched}`,
      ...findings.map(({ finding, id }) => `${finding} ${id}`),
    ]);
  const movement = (days: number, of: number, id: string) => `${dayFrom(days)},${45 + of}.00,${id},x`;

  test('of daily files, the second has no line of the first', async () => {
    await arrive('127.00', at(82));
    expect(found(await reportsOf(row(82, 'a')))).toEqual([`${dayFrom(82)} 1`]);
    const next = found(await reportsOf(movement(83, 82, 'b')));
    expect(next).toEqual([`${dayFrom(83)} 0`, 'missing_here b']);
    const both = found(await reportsOf(row(82, 'a'), movement(83, 82, 'b')));
    expect(both).toEqual([`${dayFrom(82)} 1`, ...next]);
  });

  test('nor does an entry without a name use a line that another file has by its name', async () => {
    const id = await arrive('130.00', at(85));
    expect(found(await reportsOf(row(85, 'a', id)))).toEqual([`${dayFrom(85)} 1`]);
    expect(found(await reportsOf(movement(86, 85, 'ted')))).toEqual([`${dayFrom(86)} 0`, 'missing_here ted']);
  });

  test('a file with the days of another one finds the same again, whatever its names', async () => {
    await arrive('133.00', at(88));
    await arrive('133.00', at(90, '02:30:00'));
    const [first, evening] = [row(88, 'a'), movement(90, 88, 'b')];
    const days = [88, 89, 90].map((each) => `${dayFrom(each)} ${each === 89 ? 0 : 1}`);
    expect(found(await reportsOf(first, evening))).toEqual(days);
    expect(found(await reportsOf(row(88, 'csv-1'), movement(90, 88, 'csv-2')))).toEqual(days);
    expect(found(await reportsOf(evening))).toEqual(days.slice(2));
    // The evening's payment stands on the day after it by the bank: a report of its own day does not miss it.
    expect(found(await reportsOf(movement(89, 100, 'other')))).toEqual([
      `${dayFrom(89)} 0`,
      'missing_here other',
    ]);
  });

  test('nor do two parallel files, though the movements of both are the first of a file without names', async () => {
    await arrive('139.00', at(94));
    const compare = async (day: string): Promise<Report> => {
      const entry: StatementEntry = {
        ...{ kind: 'payment', id: 'row 2', amount: '139.00', at: new Date(`${day}T15:00:00.000Z`) },
        ...{ eventName: { kind: 'unknown', key: 'bank:row 2' }, untold: 'any' },
      };
      const nowMs = Date.parse(at(100));
      const [report] = await compareStatement(servicesAt(nowMs), {
        ...{ rail: 'bank', days: [day], nowMs, withBalances: false },
        statement: { kinds: ['payment'], read: async () => [entry] },
      });
      return known(report, 'a day has a report');
    };
    const [first, second] = [await compare(dayFrom(94)), await compare(dayFrom(95))];
    expect([first.matched, second.matched]).toEqual([1, 1]);
    await addReconciliation(app.database, 'sandbox', { ...first, madeBy: 'test', source: null });
    const where = { database: app.database, mode: 'sandbox' } as const;
    await expect(refuseMatched(where, 'bank', [second])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await compare(dayFrom(95))).toMatchObject({ matched: 0 });
  });
});

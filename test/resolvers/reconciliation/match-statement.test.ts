/**
 * Goal: an entry of a statement takes its own line of the ledger, whoever else could. Method: entries and lines of one transaction, as
 * both sides tell them.
 */
import { describe, expect, test } from 'vitest';
import { instantOf } from '../../../src/base/time/instant.ts';
import type { ReportedEntry } from '../../../src/resolvers/reconciliation/finding.ts';
import { matchStatement } from '../../../src/resolvers/reconciliation/match-statement.ts';
import type { BookedRailEvent, VaultLine } from '../../../src/store/rails/vault.ts';

const TODAY = new Date('2026-11-24T15:00:00.000Z');
const YESTERDAY = new Date('2026-11-23T15:00:00.000Z');

const line = (change: Partial<VaultLine>): VaultLine => ({
  ...{ accountId: 1n, journalId: 5n, transactionId: 3n, end2end: 'CRX1', name: 'L1', isReturn: false },
  ...{ isDropped: false },
  ...{ currency: 'BRL', minor: '10000', postedAt: instantOf(TODAY), ...change },
});
const booked = (change: Partial<BookedRailEvent> = {}): BookedRailEvent => ({
  ...{ place: 1, outcome: 'step', accountId: 1n, transactionId: 3n, end2end: 'CRX1' },
  ...{ journalId: null, gasJournalId: null, isDropped: false, ...change },
});
const told = (entry: Partial<ReportedEntry['entry']>, event: BookedRailEvent | undefined): ReportedEntry => {
  const all = { kind: 'payment', id: 'one', amount: '100', at: TODAY, ...entry } as const;
  return { entry: all, booked: event, isOfDay: all.at === TODAY };
};
const match = (entries: readonly ReportedEntry[], lines: readonly VaultLine[]) => {
  const isOfDay = ({ postedAt }: VaultLine) => postedAt === instantOf(TODAY);
  const { agreed, findings } = matchStatement(entries, lines, { isOfDay, kinds: ['payment', 'gas'] });
  return {
    matched: agreed.length,
    found: [...findings].map(({ finding, id, journal }) => [finding, id, journal]),
  };
};

describe('a return that failed once and was charged for, and then succeeded: each charge has its own line', () => {
  /** Booked by its rail event, and by a step. */
  const [FAILED, DONE] = [7n, 9n];
  const lines = [FAILED, DONE].map((journalId) =>
    line({ journalId, name: 'L12', currency: 'TRX_TRX', minor: '-21' }),
  );
  const charge = (id: string, amount: string, journalId: bigint | null) =>
    told({ kind: 'gas', id, amount, currency: 'TRX_TRX' }, booked({ journalId }));

  test('where both have the same amount', () => {
    const entries = [charge('done', '0.000021', null), charge('failed', '0.000021', FAILED)];
    expect(match(entries, lines)).toEqual({ matched: 2, found: [] });
  });

  test('where no amount agrees', () => {
    const entries = [charge('done', '0.000022', null), charge('failed', '0.000023', FAILED)];
    expect(match(entries, lines).found).toEqual([
      ['amount_differs', 'done', String(DONE)],
      ['amount_differs', 'failed', String(FAILED)],
    ]);
  });
});

test.each([
  'pending',
  'failed',
  'closed',
])('a rail event that is %s has no line, whatever its transaction has', (outcome) => {
  const earlier = line({ postedAt: instantOf(YESTERDAY) });
  expect(match([told({}, booked({ outcome }))], [earlier])).toEqual({
    matched: 0,
    found: [['missing_here', 'one', null]],
  });
});

describe('manual bookings', () => {
  const manual = line({ name: 'L65', transactionId: null });
  const funding = (entry: Partial<ReportedEntry['entry']>) =>
    told({ kind: 'funding', untold: 'capital', ...entry }, undefined);

  test('matches the earliest entry: the same amount of today is missing', () => {
    const entries = [funding({ id: 'first', at: YESTERDAY }), funding({ id: 'second' })];
    expect(match(entries, [manual])).toEqual({ matched: 0, found: [['missing_here', 'second', null]] });
  });

  test('is of the day of the money or up to 7 days later', () => {
    const on = (days: number) =>
      line({ ...manual, postedAt: instantOf(new Date(TODAY.getTime() + days * 86_400_000)) });
    expect(match([funding({})], [on(-1), on(8)]).found).toEqual([['missing_here', 'one', null]]);
    expect(match([funding({})], [on(7)]).matched).toBe(1);
  });

  test('C-34: never matches an entry that a rail event would report: a customer has to get it', () => {
    const deposit = told({ id: 'deposit', kind: 'deposit' }, undefined);
    expect(match([deposit, funding({ id: 'funding' })], [manual])).toEqual({
      matched: 1,
      found: [['missing_here', 'deposit', null]],
    });
    expect(match([told({}, undefined)], [manual]).found).toEqual([['missing_here', 'one', null]]);
    const ordered = told({ kind: 'transfer' }, undefined);
    expect(match([ordered], [line({ ...manual, name: 'L66', minor: '-10000' })]).matched).toBe(0);
  });

  test('follows the direction of the money', () => {
    expect(match([funding({})], [line({ ...manual, minor: '-10000' })]).matched).toBe(0);
  });
});

describe('a charge that is paid twice, the second time into suspense', () => {
  const first = line({ postedAt: '2026-11-24T02:30:00.000Z' });
  const second = line({ journalId: 6n, name: 'L50', minor: '10000' });

  test('the first uses no line of the second, if a bank has it a day later and the second another day later', () => {
    expect(match([told({}, booked())], [first, second])).toEqual({
      matched: 1,
      found: [['missing_there', null, '6']],
    });
  });

  test('nor if it has another amount itself, and the statement lacks the second', () => {
    const entries = [told({ amount: '90', at: YESTERDAY }, booked())];
    expect(match(entries, [second, first]).found).toEqual([['missing_there', null, '6']]);
  });
});

test('of several equal parts, each entry uses the nearest', () => {
  const before = line({ postedAt: '2026-11-23T14:59:59.999Z' });
  const after = line({ journalId: 6n });
  expect(match([told({ at: YESTERDAY }, booked())], [after, before])).toEqual({
    matched: 0,
    found: [['missing_there', null, '6']],
  });
});

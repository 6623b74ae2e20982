/**
 * Goal: an entry whose news was booked by itself has that line, whoever else of the same transaction could take it. Method: a return
 * that failed once and was charged for, and then succeeded, in lines and entries as both sides tell them.
 */
import { expect, test } from 'vitest';
import { instantOf } from '../../../src/base/instant.ts';
import { matchStatement, type ToldEntry } from '../../../src/resolvers/rails/match-statement.ts';
import type { VaultLine } from '../../../src/store/rails/vault.ts';

const AT = new Date('2026-11-24T15:00:00.000Z');
/** Of the failed one, booked by its news, and of the one that succeeded, by a step. */
const [FAILED, DONE] = [7n, 9n];

const line = (journalId: bigint): VaultLine => ({
  ...{ accountId: 1n, journalId, transactionId: 3n, end2end: 'CRX1', name: 'L12', isReturn: false },
  ...{ currency: 'ETH_ETH', minor: '-21000', postedAt: instantOf(AT) },
});
const entry = (id: string, amount: string, journalId: bigint | null): ToldEntry => ({
  entry: { kind: 'gas', id, amount, currency: 'ETH_ETH', at: AT },
  booked: {
    ...{ place: 1, outcome: 'taken', accountId: 1n, transactionId: 3n, end2end: 'CRX1' },
    ...{ journalId, gasJournalId: null },
  },
  isOfDay: true,
});
const match = (told: readonly ToldEntry[]) =>
  matchStatement(told, [line(FAILED), line(DONE)], { isOfDay: () => true, kinds: ['gas'] });

test('of the same amount', () => {
  const told = [entry('done', '0.000000000000021', null), entry('failed', '0.000000000000021', FAILED)];
  expect(match(told)).toEqual({ matched: 2, findings: [] });
});

test('of amounts that differ', () => {
  const told = [entry('done', '0.000000000000022', null), entry('failed', '0.000000000000023', FAILED)];
  const { findings } = match(told);
  expect(findings.map(({ finding, id, journal }) => [finding, id, journal])).toEqual([
    ['amount_differs', 'done', String(DONE)],
    ['amount_differs', 'failed', String(FAILED)],
  ]);
});

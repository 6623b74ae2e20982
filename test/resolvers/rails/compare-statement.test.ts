/**
 * Goal: a line of the ledger stands for one entry of a network's statement, whatever the days of both (C-33, C-34). Method: the real store;
 * statements as a network would tell them.
 */
import { describe, expect, test } from 'vitest';
import { brasiliaDay } from '../../../src/base/brasilia-day.ts';
import { currencyOfLedger } from '../../../src/base/currency.ts';
import { capitalPaidIn } from '../../../src/ledger/journals.ts';
import { compareStatement, type Report } from '../../../src/resolvers/rails/compare-statement.ts';
import type { Finding } from '../../../src/resolvers/rails/finding.ts';
import type { DepositNews } from '../../../src/resolvers/services/news.ts';
import type { StatementEntry } from '../../../src/resolvers/services/statement.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { lockHeads } from '../../../src/store/engine/processes.ts';
import { postJournals } from '../../../src/store/ledger/posting.ts';
import { addReconciliation } from '../../../src/store/rails/reconciliation.ts';
import { useApp } from '../../support/app.ts';
import { useOneDay } from '../../support/one-day.ts';

useOneDay();
const app = useApp();
const services = () => app.services.forMode('sandbox');
const USDT = 'USDT_TRX';
/** Days of a weekend and after it, in Brasília. */
const [SATURDAY, SUNDAY, MONDAY] = ['2026-03-07', '2026-03-08', '2026-03-09'] as const;
const at = (day: string, time: string) => new Date(`${day}T${time}:00.000-03:00`);

/** Somebody sent to the hot wallet. */
const funding = (id: string, moment: Date): StatementEntry => ({
  ...{ kind: 'funding', id, amount: '10000', currency: USDT, at: moment },
  news: { kind: 'unknown', key: `chain:${id}` },
});

/** Compares a day with what the network has of it, and keeps the report. */
async function reportOn(day: string, now: Date, all: readonly StatementEntry[]): Promise<Report> {
  const [report] = await compareStatement(services(), {
    ...{ rail: 'TRX', days: [day], nowMs: now.getTime(), withBalances: false },
    statement: {
      kinds: ['deposit', 'transfer', 'refund', 'gas'],
      read: async ({ from, to }) => all.filter((each) => each.at >= from && each.at < to),
      find: async (keys) => all.filter(({ news }) => keys.some((key) => key.startsWith(news?.key ?? '?'))),
    },
  });
  if (!report) throw new Error('a day has a report');
  await addReconciliation(app.database, 'sandbox', { ...report, madeBy: 'test', source: null });
  return report;
}

async function book(ref: string, minor: bigint, moment: Date): Promise<void> {
  const accountId = await platformAccount(app.database, 'sandbox');
  const journal = capitalPaidIn(currencyOfLedger(USDT), minor);
  await app.database.withTx(async (tx) => {
    await lockHeads(tx, [accountId], 'sandbox');
    await postJournals(tx, [{ accountId, ref, transactionId: null, journal }], moment);
  });
}

const found = ({ findings }: Report) =>
  (findings as readonly Finding[]).map(({ finding, id }) => [finding, id]);

test('what is booked on Monday about a transfer of Saturday says nothing about another one of Monday', async () => {
  const first = funding('TRX:first:0', at(SATURDAY, '12:00'));
  const second = funding('TRX:second:0', at(MONDAY, '15:00'));
  const all = [first, second];
  expect(found(await reportOn(SATURDAY, at(SUNDAY, '03:00'), all))).toEqual([['missing_here', first.id]]);
  expect(found(await reportOn(SUNDAY, at(MONDAY, '03:00'), all))).toEqual([]);
  await book('first', 10_000_000_000n, at(MONDAY, '09:05'));
  const tuesday = at('2026-03-10', '03:00');
  expect(found(await reportOn(MONDAY, tuesday, all))).toEqual([['missing_here', second.id]]);
  expect(found(await reportOn(SATURDAY, tuesday, all))).toEqual([]);
  await book('second', 10_000_000_000n, at('2026-03-10', '09:00'));
  expect(found(await reportOn(MONDAY, at('2026-03-10', '10:00'), all))).toEqual([]);
});

describe('deposits in suspense that belong to no transaction', () => {
  const told = async (news: DepositNews) => (await services().receive(news)).outcome;
  let count = 0;
  /** To an address that was never given out. */
  const deposit = (): DepositNews => {
    count += 1;
    const txHash = count.toString(16).padStart(64, 'd');
    const facts = { txHash, logIndex: 0, address: 'TNobody', currency: USDT, amount: '25' };
    return { kind: 'deposit_confirmed', ...facts, from: 'TSomebody', seenAt: new Date().toISOString() };
  };
  const entryOf = async ({ txHash, amount }: DepositNews): Promise<StatementEntry> => ({
    ...{ kind: 'deposit', id: `TRX:${txHash}:0`, amount, currency: USDT },
    at: new Date(await services().clock.nowMs()),
    news: { kind: 'deposit_confirmed', key: `chain:TRX:${txHash}:0` },
  });
  const today = async (entries: readonly StatementEntry[]) => {
    const now = new Date((await services().clock.nowMs()) + 1);
    return reportOn(brasiliaDay(now.getTime()), now, entries);
  };

  test('one that was dropped takes no line of another one of the same amount; and what comes again is found', async () => {
    const [kept, lost] = [deposit(), deposit()];
    expect([await told(kept), await told(lost)]).toEqual(['suspense', 'suspense']);
    const there = await entryOf(kept);
    expect(await told({ ...lost, kind: 'deposit_dropped' })).toBe('suspense');
    expect(await today([there])).toMatchObject({ matched: 1, findings: [] });

    expect(await told(lost)).toBe('suspense');
    const again = await entryOf(lost);
    expect(await today([there, again])).toMatchObject({ matched: 2, findings: [] });
    expect(found(await today([there]))).toEqual([['missing_there', null]]);
  });
});

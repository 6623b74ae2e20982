/** Days of a network as it would tell them, reports about them that are kept, and what people book by hand. */
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import { capitalPaidIn, capitalWithdrawn } from '../../../src/ledger/journals.ts';
import { receiveRailEvent } from '../../../src/resolvers/inbound/receive.ts';
import { compareStatement, type Report } from '../../../src/resolvers/reconciliation/compare-statement.ts';
import type { Finding } from '../../../src/resolvers/reconciliation/finding.ts';
import type { DepositEvent } from '../../../src/resolvers/services/rail-event.ts';
import type { StatementEntry } from '../../../src/resolvers/services/statement.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { lockHeads } from '../../../src/store/engine/processes.ts';
import { postJournals } from '../../../src/store/ledger/posting.ts';
import { addReconciliation } from '../../../src/store/rails/reconciliation.ts';
import type { TestApp } from '../../support/app.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';

export const USDT = 'USDT_TRX';

/** @param time - in Brasília. */
export const at = (day: string, time: string) => new Date(`${day}T${time}:00.000-03:00`);

/** Somebody sent to the hot wallet. */
export const funding = (id: string, time: Date, amount = '10000'): StatementEntry => ({
  ...{ kind: 'funding', id: `TRX:${id}:0`, amount, currency: USDT, at: time },
  ...{ eventName: { kind: 'unknown', key: `chain:TRX:${id}:0` }, untold: 'capital' },
});

/** What a network tells of a deposit. */
export const depositEntry = ({ txHash, amount, currency }: DepositEvent, time: Date): StatementEntry => ({
  ...{ kind: 'deposit', id: `TRX:${txHash}:0`, amount, currency, at: time },
  eventName: { kind: 'deposit_confirmed', key: `chain:TRX:${txHash}:0` },
});

/** Findings, by what and of which entry. */
export const found = ({ findings }: Report) =>
  (findings as readonly Finding[]).map(({ finding, id }) => [finding, id]);

/** @returns what tests of days do with an application. */
export function networkDays(app: TestApp) {
  const servicesAt = (now: Date) => ({
    ...app.services.forMode('sandbox'),
    clock: { ...SYSTEM_CLOCK, nowMs: async () => now.getTime() },
  });
  return {
    /** Compares a day with what the network has, and keeps the report. */
    reportOn: async (day: string, now: Date, all: readonly StatementEntry[]): Promise<Report> => {
      const [report] = await compareStatement(servicesAt(now), {
        ...{ rail: 'TRX', days: [day], nowMs: now.getTime(), withBalances: false },
        statement: {
          kinds: ['deposit', 'transfer', 'refund', 'gas'],
          read: async ({ from, to }) => all.filter((each) => each.at >= from && each.at < to),
          find: async (names) =>
            all.filter(({ eventName: event }) => names.some(({ key }) => key.startsWith(event?.key ?? '?'))),
        },
      });
      if (!report) throw new Error('a day has a report');
      await addReconciliation(app.database, 'sandbox', { ...report, madeBy: 'test', source: null });
      return report;
    },
    /** Books capital; below zero what was taken out. */
    book: async (ref: string, units: bigint, time: Date): Promise<void> => {
      const accountId = await platformAccount(app.database, 'sandbox');
      const currency = currencyOfLedger(USDT);
      const minor = units * 10n ** BigInt(currency.decimals);
      const journal = minor > 0n ? capitalPaidIn(currency, minor) : capitalWithdrawn(currency, -minor);
      await app.database.withTx(async (tx) => {
        await lockHeads(tx, [accountId], 'sandbox');
        await postJournals(tx, [{ accountId, ref, transactionId: null, journal }], time);
      });
    },
    tell: async (event: DepositEvent, now: Date): Promise<string> =>
      (await receiveRailEvent(servicesAt(now), { warn: () => {} }, event)).outcome,
  };
}

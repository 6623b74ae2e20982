/**
 * Goal: the 25 published scenarios end with the published figures, on the real ledger. Method: each scenario's journals
 * are posted for an account of its own; what the account holds, the transient accounts at zero, the auditor silent.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BRL, type Currency, currencyOf } from '../../../src/base/money/currency.ts';
import { fromMinor, toMinor } from '../../../src/base/money/money.ts';
import { fund } from '../../../src/ledger/journals.ts';
import { type AccountRole, credit, debit, type Journal, journal } from '../../../src/ledger/posting.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { postJournals } from '../../../src/store/ledger/posting.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { useDatabase } from '../../support/database.ts';

type PublishedPosting = [role: AccountRole, currency: string, side: 'Dr' | 'Cr', amount: string];
const { postings, scenarios } = JSON.parse(
  readFileSync(new URL('../../vectors/postings.json', import.meta.url), 'utf8'),
) as {
  postings: Record<string, PublishedPosting[]>;
  scenarios: Record<string, string[]>;
};

/** What the account holds at the end of each scenario, as published beside them. */
const HELD: Record<string, string> = {
  'crossramp_checkout / onramp success': 'available USDT_TRX 100',
  'paid, KYC step-up denied / divergent titularity -> refund': '',
  'paid, swap failed -> refund': '',
  'completed, MED opened, rejected': 'available USDT_TRX 100',
  'completed, MED opened, accepted': '',
  'completed and already withdrawn, MED accepted': '',
  'overpaid PIX, excess returned, rest converted': 'available USDT_TRX 100',
  'onramp_instant success': '',
  'onramp_instant delivery failed -> Partial Success': 'available USDT_TRX 100',
  'offramp success': 'available USDT_TRX 50',
  'offramp cancelled/expired': 'available USDT_TRX 150',
  'offramp PIX rejected': 'available USDT_TRX 150',
  'offramp PIX returned after success': 'available BRL 490, available USDT_TRX 50',
  'offramp_instant success': '',
  'offramp_instant wrong/late amount, refunded on-chain': '',
  'offramp_instant wrong/late amount, merchant keeps it': 'available USDT_TRX 100.000137',
  'offramp_instant PIX rejected, refunded on-chain': '',
  'offramp_instant deposit dropped by a reorg': '',
  'unmatched deposit assigned by an operator': 'blocked USDT_TRX 100',
  'withdrawal (crypto) success': 'available USDT_TRX 50',
  'withdrawal rejected/failed before broadcast': 'available USDT_TRX 150',
  'withdrawal reverted on-chain': 'available USDT_TRX 149',
  'withdrawal held by compliance then resumed': 'available USDT_TRX 50',
  'withdrawal (BRL/PIX) success': 'available BRL 500',
  'withdrawal (BRL/PIX) returned': 'available BRL 1500',
};
const SUB_ACCOUNT_NAMES = ['', 'available', 'in_transit', 'to_receive', 'blocked'];
/** House accounts through which money only passes. */
const TRANSIENT = ['L.payer', 'L.payout', 'A.inbound', 'L.suspense'];

const USDT = currencyOf('USDT_TRX') as Currency;
/** Steps of the scenarios that the chart does not name: means to spend, and spending. */
const OUTSIDE: Record<string, Journal> = {
  FUND: fund(USDT, toMinor('150', 6)),
  FUNDB: fund(BRL, toMinor('1500', 2)),
  SPEND: journal(
    'spend',
    debit('M.available', USDT, toMinor('100', 6)),
    credit('A.custody', USDT, toMinor('100', 6)),
  ),
};

const ledger = useDatabase();

function published(name: string): Journal {
  const sides = (postings[name] ?? []).map(([role, code, side, amount]) => {
    const currency = currencyOf(code) as Currency;
    return (side === 'Dr' ? debit : credit)(role, currency, toMinor(amount, currency.decimals));
  });
  return OUTSIDE[name] ?? journal(name.split(' ')[0] as string, ...sides);
}

async function run(name: string) {
  const { database } = ledger;
  const accountId = await createAccount(database, name, { templates: [] });
  const requests = (scenarios[name] ?? []).map((step, index) => ({
    accountId,
    ref: `${index} ${step}`,
    transactionId: null,
    journal: published(step),
  }));
  const outcomes = await database.withTx((tx) => postJournals(tx, requests, new Date()));
  return { accountId, requests, outcomes };
}

describe('the published scenarios', () => {
  test('there are 25, each with its end', () => {
    expect(Object.keys(scenarios)).toHaveLength(25);
    expect(Object.keys(HELD).sort()).toEqual(Object.keys(scenarios).sort());
  });

  test.each(Object.keys(HELD))('%s', async (name) => {
    const { database, owner } = ledger;
    const { accountId, requests, outcomes } = await run(name);
    expect(outcomes.map(({ code }) => code)).toEqual(requests.map(() => 'POSTED'));
    const { rows } = await owner.query(
      `select a.currency, a.scale, a.sub_account, a.house, b.balance from ledger_account a
         join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id where a.account_id = $1`,
      [accountId],
    );
    const held = rows
      .filter(({ sub_account, balance }) => sub_account > 0 && balance !== '0')
      .map(
        ({ sub_account, currency, balance, scale }) =>
          `${SUB_ACCOUNT_NAMES[sub_account]} ${currency} ${fromMinor(balance, scale)}`,
      );
    expect(held.sort().join(', ')).toBe(HELD[name]);
    const passing = rows.filter(({ house }) => TRANSIENT.includes(house));
    expect(passing.filter(({ balance }) => balance !== '0')).toEqual([]);
    expect((await verifyLedger(database, accountId)).defects).toEqual([]);
  });

  test('posted again under the same refs they change nothing', async () => {
    const { database } = ledger;
    const { requests, outcomes, accountId } = await run('offramp success');
    const again = await database.withTx((tx) => postJournals(tx, requests, new Date()));
    expect(again.map(({ code }) => code)).toEqual(requests.map(() => 'DUPLICATE'));
    expect(again.map(({ journalId }) => journalId)).toEqual(outcomes.map(({ journalId }) => journalId));
    expect((await verifyLedger(database, accountId)).defects).toEqual([]);
  });

  test('an item that the balance does not cover is refused, and the next ones in the batch are not', async () => {
    const { database } = ledger;
    const accountId = await createAccount(database, 'short of funds', { templates: [] });
    const reserve = published('L20 reserve');
    const requests = ['one', 'two'].map((ref) => ({ accountId, ref, transactionId: null, journal: reserve }));
    const funded = { accountId, ref: 'fund', transactionId: null, journal: published('FUND') };
    const outcomes = await database.withTx((tx) =>
      postJournals(tx, [...requests.slice(0, 1), funded, ...requests.slice(1)], new Date()),
    );
    expect(outcomes.map(({ code }) => code)).toEqual(['INSUFFICIENT_BALANCE', 'POSTED', 'POSTED']);
  });
});

/**
 * Goal: the chart of journals posts what postings.json says, side by side. Method: each journal with the figures of the
 * published sample (550.00 BRL, fee 12.50, 100 USDT; offramp 490.00 BRL after a fee of 10.00; network fee 1.00).
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BRL, type Currency, currencyOf } from '../../src/base/money/currency.ts';
import { fromMinor, toMinor } from '../../src/base/money/money.ts';
import * as journals from '../../src/ledger/journals.ts';
import { credit, debit, type Journal, journal, journalHash } from '../../src/ledger/posting.ts';

type PublishedPosting = [role: string, currency: string, side: 'Dr' | 'Cr', amount: string];
const PUBLISHED: Record<string, PublishedPosting[]> = JSON.parse(
  readFileSync(new URL('../vectors/postings.json', import.meta.url), 'utf8'),
).postings;

const CHAPTERS = readFileSync(new URL('../../docs/ledger.md', import.meta.url), 'utf8').split('\n');
const USDT = currencyOf('USDT_TRX') as Currency;
const TRX = currencyOf('TRX_TRX') as Currency;
const brl = (amount: string) => toMinor(amount, 2);
const usdt = (amount: string) => toMinor(amount, 6);
const IN = { brl: brl('550'), fee: brl('12.50'), crypto: usdt('100'), currency: USDT };
const OUT = { brl: brl('500'), fee: brl('10'), crypto: usdt('100'), currency: USDT };
const DEPOSIT = { ...OUT, suffix: usdt('0.000137') };
const HUNDRED = usdt('100');
const EXACT = usdt('100.000137');
const PART = { brl: brl('220'), fee: brl('5'), crypto: usdt('40'), currency: USDT };
const SENT = { amount: HUNDRED, networkFee: usdt('1') };

/** Every journal of the chart, as it is made from the sample's figures. */
const MADE: Record<string, Journal> = {
  L1: journals.pixPaid(brl('550')),
  L1b: journals.pixPaid(brl('570')),
  L2: journals.swapIn(IN),
  L3: journals.creditAccount(USDT, HUNDRED),
  L4: journals.pixRefunded(brl('550')),
  L5: journals.swapInReversed(IN),
  L6: journals.holdCredited(USDT, HUNDRED),
  L7: journals.releaseHold(USDT, HUNDRED),
  L8: journals.disputeAccepted(IN),
  L8b: journals.disputeAcceptedUncovered(IN),
  L9: journals.excessReturned(brl('20')),
  L10: journals.deliveryBroadcast(USDT, SENT),
  L11: journals.deliveryConfirmed(USDT, usdt('99')),
  L12: journals.gasSpent(TRX, usdt('13.4')),
  L13: journals.deliveryFailed(USDT, SENT),
  L20: journals.reserve(USDT, HUNDRED),
  L21: journals.swapOut(OUT),
  L22: journals.payoutSettled(brl('490')),
  L23: journals.releaseReservation(USDT, HUNDRED),
  L24: journals.swapOutReversed(OUT),
  L25: journals.payoutReturned(brl('490')),
  L30: journals.depositSeen(USDT, EXACT),
  L31: journals.depositConfirmed(USDT, EXACT),
  L32: journals.depositSwapped(DEPOSIT),
  L33: journals.depositHeld(USDT, EXACT),
  L34: journals.depositReturned(USDT, { amount: EXACT, networkFee: usdt('1') }),
  L35: journals.depositCredited(USDT, EXACT),
  L36: journals.depositDropped(USDT, EXACT),
  L37: journals.depositUnmatched(USDT, HUNDRED),
  L38: journals.suspenseAssigned(USDT, HUNDRED),
  L39: journals.depositSwapReversed(DEPOSIT),
  L40: journals.reserve(USDT, HUNDRED),
  L41: journals.withdrawalBroadcast(USDT, usdt('1')),
  L42: journals.withdrawalConfirmed(USDT, usdt('99')),
  L43: journals.releaseReservation(USDT, HUNDRED),
  L44: journals.withdrawalReverted(USDT, usdt('99')),
  L45: journals.reservationHeld(USDT, HUNDRED),
  L46: journals.reservationResumed(USDT, HUNDRED),
  L47: journals.reserve(BRL, brl('1000')),
  L48: journals.brlWithdrawalSettled(brl('1000')),
  L49: journals.payoutReturned(brl('1000')),
};

/** Journals that the published chart does not have, with what docs/ledger.md says of them. */
const OWN: readonly (readonly [Journal, string])[] = [
  [journals.pixUnmatched(brl('550')), 'Dr A.pix BRL 550, Cr L.suspense BRL 550'],
  [
    journals.suspenseReturned(BRL, { amount: brl('550'), networkFee: 0n }),
    'Dr L.suspense BRL 550, Cr A.pix BRL 550',
  ],
  [
    journals.suspenseReturned(USDT, { amount: HUNDRED, networkFee: usdt('1') }),
    'Dr L.suspense USDT_TRX 100, Cr A.custody USDT_TRX 99, Cr R.netfee USDT_TRX 1',
  ],
  [journals.suspenseReleased(USDT, HUNDRED), 'Dr L.suspense USDT_TRX 100, Cr C.clearing USDT_TRX 100'],
  [journals.suspenseReceived(USDT, HUNDRED), 'Dr C.clearing USDT_TRX 100, Cr M.blocked USDT_TRX 100'],
  [journals.suspenseDropped(USDT, HUNDRED), 'Dr L.suspense USDT_TRX 100, Cr A.custody USDT_TRX 100'],
  [journals.creditedDropped(USDT, HUNDRED), 'Dr A.recv USDT_TRX 100, Cr A.custody USDT_TRX 100'],
  [journals.releasedDropped(USDT, HUNDRED), 'Dr C.clearing USDT_TRX 100, Cr A.custody USDT_TRX 100'],
  [journals.receivedDropped(USDT, HUNDRED), 'Dr A.recv USDT_TRX 100, Cr C.clearing USDT_TRX 100'],
  [journals.returnedDropped(USDT, HUNDRED), 'Dr E.capital USDT_TRX 100, Cr A.custody USDT_TRX 100'],
];

/** Journals beyond the published chart, with the figures of docs/ledger.md. */
const BESIDES: Record<string, readonly [Journal, readonly string[]]> = {
  L60: [
    journals.refundDebited(PART),
    [
      'Dr M.available USDT_TRX 40',
      'Cr E.fx USDT_TRX 40',
      'Dr E.fx BRL 215',
      'Dr R.fee BRL 5',
      'Cr L.payer BRL 220',
    ],
  ],
  L61: [
    journals.refundReversed(PART),
    [
      'Dr L.payer BRL 220',
      'Cr E.fx BRL 215',
      'Cr R.fee BRL 5',
      'Dr E.fx USDT_TRX 40',
      'Cr M.available USDT_TRX 40',
    ],
  ],
  L63: [
    journals.receivableSettled(USDT, usdt('40')),
    ['Dr M.available USDT_TRX 40', 'Cr A.recv USDT_TRX 40'],
  ],
  L64: [journals.receivableBorne(USDT, usdt('40')), ['Dr E.capital USDT_TRX 40', 'Cr A.recv USDT_TRX 40']],
  L65: [journals.capitalPaidIn(USDT, HUNDRED), ['Dr A.custody USDT_TRX 100', 'Cr E.capital USDT_TRX 100']],
  L66: [journals.capitalWithdrawn(BRL, brl('50')), ['Dr E.capital BRL 50', 'Cr A.pix BRL 50']],
  L67: [journals.payerPaidTwice(brl('220')), ['Dr A.recv BRL 220', 'Cr A.pix BRL 220']],
  L62: [journals.payerPaidManually(brl('220')), ['Dr L.payer BRL 220', 'Cr A.pix BRL 220']],
};

const said = ({ postings }: Journal) =>
  postings.map(({ role, currency, deltaMinor }) => {
    const side = deltaMinor < 0n ? 'Dr' : 'Cr';
    return `${side} ${role} ${currency.code} ${fromMinor(deltaMinor < 0n ? -deltaMinor : deltaMinor, currency.decimals)}`;
  });

test('the chart has every published journal', () => {
  expect(
    Object.keys(PUBLISHED)
      .map((name) => name.split(' ')[0])
      .sort(),
  ).toEqual(Object.keys(MADE).sort());
});

test.each(Object.keys(PUBLISHED))('%s', (name) => {
  const published = PUBLISHED[name]?.map(([role, currency, side, amount]) => {
    const decimals = currencyOf(currency)?.decimals ?? 0;
    return `${side} ${role} ${currency} ${fromMinor(toMinor(amount, decimals), decimals)}`;
  });
  expect(said(MADE[name.split(' ')[0] as string] as Journal).sort()).toEqual(published?.sort());
});

test.each(
  OWN.map(([made, figures]) => [made.name, made, figures] as const),
)('%s, with the figures of the documents', (_, made, figures) => {
  expect(said(made).join(', ')).toBe(figures);
});

test.each(Object.keys(BESIDES))('%s has the figures of docs/ledger.md', (name) => {
  const [made, sides] = BESIDES[name] as (typeof BESIDES)[string];
  expect(made.name).toBe(name);
  expect(said(made)).toEqual(sides);
  const documented = CHAPTERS.find((line) => line.startsWith(`| ${name} |`));
  expect(documented?.split('|')[3]?.trim()).toBe(sides.join('; '));
});

describe('journals', () => {
  test('a fee of nothing is no line', () => {
    expect(journals.swapIn({ ...IN, fee: 0n }).postings.map(({ role }) => role)).not.toContain('R.fee');
  });

  test('a journal that does not balance per currency is refused when it is created', () => {
    expect(() => journal('X', debit('A.pix', BRL, 1n), credit('L.payer', USDT, 1n))).toThrow(
      /journal X balances in BRL/,
    );
  });

  test('the same postings have the same hash, other postings another', () => {
    expect(journalHash(journals.pixPaid(1n))).toEqual(journalHash(journals.pixPaid(1n)));
    expect(journalHash(journals.pixPaid(1n))).not.toEqual(journalHash(journals.pixPaid(2n)));
    expect(journalHash(journals.pixPaid(1n))).not.toEqual(journalHash(journals.pixRefunded(1n)));
  });

  test('a conversion and its reversal leave nothing, for any figures', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });
    fc.assert(
      fc.property(amount, amount, amount, amount, (brlNet, fee, crypto, suffix) => {
        const conversion = { brl: brlNet + fee, fee, crypto, currency: USDT };
        const pairs = [
          [journals.swapIn(conversion), journals.swapInReversed(conversion)],
          [journals.swapOut(conversion), journals.swapOutReversed(conversion)],
          [
            journals.depositSwapped({ ...conversion, suffix }),
            journals.depositSwapReversed({ ...conversion, suffix }),
          ],
        ];
        for (const [there, back] of pairs) {
          const left = new Map<string, bigint>();
          for (const { role, currency, deltaMinor } of [
            ...(there?.postings ?? []),
            ...(back?.postings ?? []),
          ]) {
            // A rejected payout of a deposit is held, not given back to where it came from.
            const key = `${role.replace('M.blocked', 'M.to_receive')} ${currency.code}`;
            left.set(key, (left.get(key) ?? 0n) + deltaMinor);
          }
          expect([...left.values()].every((value) => value === 0n)).toBe(true);
        }
      }),
    );
  });
});

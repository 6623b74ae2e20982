/**
 * Goal: a price is exact and its roundings go to the house, less than one last unit each (C-21).
 * Method: examples computed by hand, then properties over rates, settings and every crypto currency against an oracle
 * of rational numbers that shares no code with the module; the inverses also against every amount of a small range.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BRL, CURRENCIES, type Currency, currencyOf } from '../../../src/base/money/currency.ts';
import { fromMinor } from '../../../src/base/money/money.ts';
import {
  type OrderIn,
  type OrderOut,
  type Price,
  type Pricing,
  priceIn,
  priceOut,
} from '../../../src/base/money/pricing.ts';

/** A rational number; the denominator is positive. */
type Rational = readonly [num: bigint, den: bigint];

const whole = (value: bigint): Rational => [value, 1n];
const plus = ([a, b]: Rational, [c, d]: Rational): Rational => [a * d + c * b, b * d];
const times = ([a, b]: Rational, [c, d]: Rational): Rational => [a * c, b * d];
const negative = ([a, b]: Rational): Rational => [-a, b];
const minus = (left: Rational, right: Rational) => plus(left, negative(right));
const inverse = ([a, b]: Rational): Rational => [b, a];
const floor = ([a, b]: Rational) => (a - (((a % b) + b) % b)) / b;
const ceil = (value: Rational) => -floor(negative(value));
const atMost = (left: Rational, right: Rational) => minus(left, right)[0] <= 0n;
const lessThan = (left: Rational, right: Rational) => minus(left, right)[0] < 0n;
const same = (left: Rational, right: Rational) => minus(left, right)[0] === 0n;
const rational = (text: string): Rational => {
  const [digits = '', fraction = ''] = text.split('.');
  return [BigInt(digits + fraction), 10n ** BigInt(fraction.length)];
};
const ONE = whole(1n);
const CENT: Rational = [1n, 100n];
const brl = (cents: bigint) => times(whole(cents), CENT);
const coins = (minor: bigint, { decimals }: Currency): Rational => [minor, 10n ** BigInt(decimals)];

/** The fee in BRL on an amount in BRL, before it is rounded. */
const exactFee = (amount: Rational, { feeRate, feeFixed }: Pricing) =>
  plus(times(rational(feeRate), amount), rational(feeFixed));
const wholeCents = (amount: Rational) => floor(times(amount, inverse(CENT)));
const feeCents = (amount: Rational, pricing: Pricing) =>
  ceil(times(exactFee(amount, pricing), inverse(CENT)));

interface Case {
  readonly mid: string;
  readonly currency: Currency;
  readonly networkFeeMinor: bigint;
  readonly pricing: Pricing;
}

const quoteIn = ({ mid, pricing }: Case) => times(rational(mid), plus(ONE, rational(pricing.spread)));
const quoteOut = ({ mid, pricing }: Case) => times(rational(mid), minus(ONE, rational(pricing.spread)));

/** The rule read aloud: minor units received for a payment; nothing or less where the price is undefined. */
function oracleIn(given: Case, payment: bigint): bigint {
  const net = minus(brl(payment), brl(feeCents(brl(payment), given.pricing)));
  const bought = times(net, inverse(quoteIn(given)));
  return floor(times(bought, coinUnits(given))) - given.networkFeeMinor;
}

/** The rule read aloud: cents sent for minor units paid. */
function oracleOut(given: Case, paid: bigint): bigint {
  const gross = times(coins(paid, given.currency), quoteOut(given));
  return wholeCents(minus(gross, exactFee(gross, given.pricing)));
}

const coinUnits = ({ currency }: Case) => whole(10n ** BigInt(currency.decimals));

const currency = (code: string) => currencyOf(code) as Currency;
const USDT = currency('USDT_TRX');
const BTC = currency('BTC_BTC');
const ETH = currency('ETH_ETH');
const CRYPTO = CURRENCIES.filter(({ code }) => code !== BRL.code);
const FREE: Pricing = { spread: '0', feeRate: '0', feeFixed: '0' };
const NEW_ACCOUNT: Pricing = { spread: '0.01', feeRate: '0.01', feeFixed: '0' };

/** Decimal text from `min` to `max`, both counted in units of the finest decimal; often with fewer decimals. */
const decimalText = (min: bigint, max: bigint, finest: number) =>
  fc.tuple(fc.bigInt({ min, max }), fc.integer({ min: 0, max: finest })).map(([minor, fewer]) => {
    const short = minor - (minor % 10n ** BigInt(fewer));
    return fromMinor(short < min ? minor : short, finest);
  });
/** 0.0001 to 1,000,000: every magnitude is as likely. */
const mid = fc
  .integer({ min: 4, max: 13 })
  .chain((magnitude) => decimalText(10n ** BigInt(magnitude), 10n ** BigInt(magnitude + 1), 8));
const pricing = fc.record({
  spread: decimalText(0n, 200_000n, 6),
  feeRate: decimalText(0n, 100_000n, 6),
  feeFixed: decimalText(0n, 2_000n, 2),
});
const given: fc.Arbitrary<Case> = fc
  .record({ mid, currency: fc.constantFrom(...CRYPTO), pricing, fee: fc.bigInt({ min: 0n, max: 1_000n }) })
  .map(({ fee, ...rest }) => {
    // Worth up to ten BRL, and not a round number of anything.
    const worth = times(brl(fee), inverse(rational(rest.mid)));
    return { ...rest, networkFeeMinor: floor(times(worth, inverse(coins(1n, rest.currency)))) };
  });
const cents = fc.oneof(fc.bigInt({ min: 1n, max: 5_000n }), fc.bigInt({ min: 1n, max: 10n ** 10n }));
const minorUnits = fc
  .integer({ min: 0, max: 23 })
  .chain((magnitude) => fc.bigInt({ min: 10n ** BigInt(magnitude), max: 10n ** BigInt(magnitude + 1) }));

const byPayment = (of: Case, paymentMinor: bigint) => priceIn({ ...of, paymentMinor }, of.pricing);
const byReceived = (of: Case, receivedMinor: bigint) => priceIn({ ...of, receivedMinor }, of.pricing);
const byPaid = (of: Case, paidMinor: bigint) => priceOut({ ...of, paidMinor }, of.pricing);
const bySent = (of: Case, sentMinor: bigint) => priceOut({ ...of, sentMinor }, of.pricing);

describe('C-21: worked examples to crypto', () => {
  const usdt = { mid: '5.40', currency: USDT };

  test('550.00 BRL to USDT', () => {
    // quote 5.40 × 1.01 = 5.454; fee 5.50; 544.50 / 5.454 = 100 − 0.9 / 5.454 = 99.834983 49…; − 1 USDT.
    expect(priceIn({ ...usdt, networkFeeMinor: 1_000_000n, paymentMinor: 55_000n }, NEW_ACCOUNT)).toEqual({
      quote: '5.454',
      refQuote: '5.4',
      brlMinor: 55_000n,
      feeMinor: 550n,
      cryptoMinor: 98_834_983n,
      networkFeeMinor: 1_000_000n,
    });
  });

  test('exactly 100 USDT, 1.50 USDT for the network', () => {
    // 101.5 × 5.454 = 553.581, so 553.59 after the fee; 553.59 / 0.99 = 559.181 8…, so 559.19: fee 5.5919, 5.60;
    // 559.19 − 5.60 = 553.59. A cent less: 559.18 − 5.60 = 553.58 < 553.581.
    expect(
      priceIn({ ...usdt, networkFeeMinor: 1_500_000n, receivedMinor: 100_000_000n }, NEW_ACCOUNT),
    ).toEqual({
      quote: '5.454',
      refQuote: '5.4',
      brlMinor: 55_919n,
      feeMinor: 560n,
      cryptoMinor: 100_000_000n,
      networkFeeMinor: 1_500_000n,
    });
  });

  test('1,000.00 BRL to ETH, to the last of 18 decimals', () => {
    // quote 13456.78 × 1.015 = 13658.6317; fee 5.00 + 2.50; 992.50 / 13658.6317 = 0.072664672552815081 …
    const pricing = { spread: '0.0150', feeRate: '0.005', feeFixed: '2.50' };
    const order = { mid: '13456.78', currency: ETH, networkFeeMinor: 0n, paymentMinor: 100_000n };
    expect(priceIn(order, pricing)).toEqual({
      quote: '13658.6317',
      refQuote: '13456.78',
      brlMinor: 100_000n,
      feeMinor: 750n,
      cryptoMinor: 72_664_672_552_815_081n,
      networkFeeMinor: 0n,
    });
    expect(72_664_672_552_815_081n * 136_586_317n <= 9_925_000n * 10n ** 18n).toBe(true);
    expect(72_664_672_552_815_082n * 136_586_317n > 9_925_000n * 10n ** 18n).toBe(true);
  });

  test('a quote preserves every digit', () => {
    const order = { mid: '0.00012345', currency: USDT, networkFeeMinor: 0n, paymentMinor: 100n };
    expect(priceIn(order, { ...FREE, spread: '0.123456' })?.quote).toBe('0.0001386906432');
  });

  test.each<[string, OrderIn, Pricing]>([
    [
      'a payment of the fee',
      { ...usdt, networkFeeMinor: 0n, paymentMinor: 100n },
      { ...FREE, feeFixed: '1' },
    ],
    [
      'a payment under the fee',
      { ...usdt, networkFeeMinor: 0n, paymentMinor: 99n },
      { ...FREE, feeFixed: '1' },
    ],
    // 5.40 BRL buy one USDT, which the network takes.
    ['a payment of the network fee', { ...usdt, networkFeeMinor: 1_000_000n, paymentMinor: 540n }, FREE],
    ['no payment', { ...usdt, networkFeeMinor: 0n, paymentMinor: 0n }, FREE],
    ['a negative payment', { ...usdt, networkFeeMinor: 0n, paymentMinor: -1_000n }, NEW_ACCOUNT],
    ['nothing to receive', { ...usdt, networkFeeMinor: 1n, receivedMinor: 0n }, FREE],
    ['less than nothing to receive', { ...usdt, networkFeeMinor: 9n, receivedMinor: -1n }, FREE],
  ])('%s gives no price', (_name, order, pricing) => expect(priceIn(order, pricing)).toBeUndefined());

  test('one unit above the network fee has a price', () => {
    // 5.41 BRL buy 1.001851 USDT.
    const order = { ...usdt, networkFeeMinor: 1_001_850n, paymentMinor: 541n };
    expect(priceIn(order, FREE)?.cryptoMinor).toBe(1n);
  });
});

describe('C-21: worked examples to BRL', () => {
  test('100 USDT to BRL', () => {
    // quote 5.40 × 0.99 = 5.346; gross 534.60; less the fee of 5.346 it is 529.254, so 529.25; 534.60 − 529.25 = 5.35.
    expect(priceOut({ mid: '5.40', currency: USDT, paidMinor: 100_000_000n }, NEW_ACCOUNT)).toEqual({
      quote: '5.346',
      refQuote: '5.4',
      brlMinor: 52_925n,
      feeMinor: 535n,
      cryptoMinor: 100_000_000n,
      networkFeeMinor: 0n,
    });
  });

  test('exactly 550.00 BRL from BTC', () => {
    // quote 350000 × 0.99 = 346500, so a satoshi is 0.003465 BRL. 550 / 0.99 = 555.5555…, / 0.003465 = 160333.49…, so
    // 160334 satoshi: gross 555.55731, less 1 % 550.0017369; 555.55 − 550.00 = 5.55. A satoshi less: gross 555.553845,
    // less 1 % 549.99830655.
    expect(priceOut({ mid: '350000', currency: BTC, sentMinor: 55_000n }, NEW_ACCOUNT)).toEqual({
      quote: '346500',
      refQuote: '350000',
      brlMinor: 55_000n,
      feeMinor: 555n,
      cryptoMinor: 160_334n,
      networkFeeMinor: 0n,
    });
  });

  test('fractions of a cent are rounded once, not for the fee and again for the rest', () => {
    // Less 10 %: 0.0899991, 0.09, 0.0900009, 0.0989991, 0.099, 0.0999999, 0.1000008; the gross has 9, 10, 10, 10, 11, 11
    // and 11 whole cents.
    const amounts = [99_999n, 100_000n, 100_001n, 109_999n, 110_000n, 111_111n, 111_112n];
    const prices = amounts.map((paidMinor) =>
      priceOut({ mid: '1', currency: USDT, paidMinor }, { ...FREE, feeRate: '0.1' }),
    );
    expect(prices.map((price) => price?.brlMinor)).toEqual([8n, 9n, 9n, 9n, 9n, 9n, 10n]);
    expect(prices.map((price) => price?.feeMinor)).toEqual([1n, 1n, 1n, 1n, 2n, 2n, 1n]);
  });

  test('a last unit worth many cents', () => {
    // A unit is 1 BRL; 10.00 / 0.9 = 11.11…, so 12 units: gross 12, of which 10 % are 1.20, and the 80 cents that are
    // left stay with the house too: 2.00.
    const order = { mid: '1000000', currency: USDT, sentMinor: 1_000n };
    const price = priceOut(order, { ...FREE, feeRate: '0.1' });
    expect(price).toMatchObject({ cryptoMinor: 12n, feeMinor: 200n, brlMinor: 1_000n });
  });

  test.each<[string, OrderOut, Pricing]>([
    ['less than a cent', { mid: '0.5', currency: USDT, paidMinor: 19_999n }, FREE],
    ['the fee', { mid: '1', currency: USDT, paidMinor: 1_000_000n }, { ...FREE, feeFixed: '1' }],
    ['under a cent more', { mid: '1', currency: USDT, paidMinor: 1_009_999n }, { ...FREE, feeFixed: '1' }],
    ['less than the fee', { mid: '1', currency: USDT, paidMinor: 10_000n }, { ...FREE, feeFixed: '1' }],
    ['nothing paid', { mid: '1', currency: USDT, paidMinor: 0n }, FREE],
    ['less than nothing paid', { mid: '1', currency: USDT, paidMinor: -1_000_000n }, NEW_ACCOUNT],
    ['nothing to send', { mid: '1', currency: USDT, sentMinor: 0n }, FREE],
    ['less than nothing to send', { mid: '1', currency: USDT, sentMinor: -1n }, FREE],
  ])('%s gives no price', (_name, order, pricing) => expect(priceOut(order, pricing)).toBeUndefined());
});

describe('C-21: settings out of bounds stop', () => {
  test.each<[string, Partial<Pricing>, string, bigint]>([
    ['a spread of 1', { spread: '1' }, '5', 0n],
    ['a negative spread', { spread: '-0.01' }, '5', 0n],
    ['a fee rate of 1', { feeRate: '1.0' }, '5', 0n],
    ['a negative fee rate', { feeRate: '-0.01' }, '5', 0n],
    ['a negative fixed fee', { feeFixed: '-0.01' }, '5', 0n],
    ['a spread that is no decimal', { spread: '1e-2' }, '5', 0n],
    ['an empty fee', { feeFixed: '' }, '5', 0n],
    ['a rate of 0', {}, '0.00', 0n],
    ['a negative rate', {}, '-5', 0n],
  ])('%s', (_name, settings, mid, networkFeeMinor) => {
    const pricing = { ...FREE, ...settings };
    const order = { mid, currency: USDT, networkFeeMinor };
    expect(() => priceIn({ ...order, paymentMinor: 1_000n }, pricing)).toThrow(/^assertion failed/);
    expect(() => priceIn({ ...order, receivedMinor: 1_000n }, pricing)).toThrow(/^assertion failed/);
    expect(() => priceOut({ ...order, paidMinor: 10n ** 6n }, pricing)).toThrow(/^assertion failed/);
    expect(() => priceOut({ ...order, sentMinor: 1_000n }, pricing)).toThrow(/^assertion failed/);
  });

  test('a negative network fee', () => {
    const order = { mid: '5', currency: USDT, networkFeeMinor: -1n, paymentMinor: 1_000n };
    expect(() => priceIn(order, FREE)).toThrow(/^assertion failed/);
  });
});

describe('C-21: properties of conversions to crypto', () => {
  test('from the payment the result follows the rule', () => {
    fc.assert(
      fc.property(given, cents, (of, payment) => {
        const price = byPayment(of, payment);
        const received = oracleIn(of, payment);
        expect(price?.cryptoMinor).toBe(received > 0n ? received : undefined);
        if (!price) return;
        expect(price).toMatchObject({ brlMinor: payment, networkFeeMinor: of.networkFeeMinor });
        expect(same(rational(price.quote), quoteIn(of))).toBe(true);
        expect(same(rational(price.refQuote), rational(of.mid))).toBe(true);
        expect(price.feeMinor).toBe(feeCents(brl(payment), of.pricing));
      }),
      { numRuns: 1_000 },
    );
  });

  test('the house loses nothing, the customer less than one smallest unit of crypto and of the fee', () => {
    fc.assert(
      fc.property(given, cents, (of, payment) => {
        const price = byPayment(of, payment);
        if (!price) return;
        const net = brl(price.brlMinor - price.feeMinor);
        const bought = price.cryptoMinor + price.networkFeeMinor;
        const worth = (minor: bigint) => times(coins(minor, of.currency), rational(price.quote));
        expect(atMost(worth(bought), net)).toBe(true);
        expect(lessThan(net, worth(bought + 1n))).toBe(true);
        expect(atMost(rational(of.mid), rational(price.quote))).toBe(true);
        const tooMuchFee = minus(brl(price.feeMinor), exactFee(brl(payment), of.pricing));
        expect(atMost(whole(0n), tooMuchFee) && lessThan(tooMuchFee, CENT)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('from the received amount it is the smallest payment, and exactly that amount', () => {
    fc.assert(
      fc.property(given, minorUnits, (of, received) => {
        const price = byReceived(of, received);
        expect(price).toMatchObject({ cryptoMinor: received, networkFeeMinor: of.networkFeeMinor });
        const { brlMinor = 0n, feeMinor, quote } = price ?? {};
        expect(oracleIn(of, brlMinor) >= received).toBe(true);
        expect(oracleIn(of, brlMinor - 1n) < received).toBe(true);
        expect(feeMinor).toBe(feeCents(brl(brlMinor), of.pricing));
        expect(same(rational(quote ?? '0'), quoteIn(of))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('round trip: the result of a payment never costs more than the payment', () => {
    fc.assert(
      fc.property(given, cents, (of, payment) => {
        const price = byPayment(of, payment);
        if (!price) return;
        const back = byReceived(of, price.cryptoMinor);
        expect((back?.brlMinor ?? 0n) <= payment).toBe(true);
        const again = byPayment(of, back?.brlMinor ?? 0n)?.cryptoMinor ?? 0n;
        expect(again).toBe(price.cryptoMinor);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a higher payment never gives less', () => {
    fc.assert(
      fc.property(given, cents, (of, payment) => {
        const [less = 0n, more = 0n] = [payment, payment + 1n].map(
          (cents) => byPayment(of, cents)?.cryptoMinor,
        );
        expect(less <= more).toBe(true);
      }),
    );
  });
});

describe('C-21: properties of conversions to BRL', () => {
  /** A last unit worth from a tenth of a cent to four cents, and rates beyond the half: fee and gross step unevenly. */
  const coarse: fc.Arbitrary<Case> = fc
    .record({
      mid: decimalText(10n ** 13n, 4n * 10n ** 14n, 8),
      feeRate: decimalText(0n, 899_999n, 6),
      feeFixed: decimalText(0n, 300n, 3),
      spread: decimalText(0n, 200_000n, 6),
    })
    .map(({ mid, ...pricing }) => ({ mid, currency: BTC, networkFeeMinor: 0n, pricing }));
  const SMALL = Array.from({ length: 600 }, (_, index) => BigInt(index + 1));

  /** What the crypto of a price is worth, by the quote that is published with it. */
  const grossOf = ({ currency }: Case, { cryptoMinor, quote }: Price) =>
    times(coins(cryptoMinor, currency), rational(quote));

  test('from the paid amount the result follows the rule', () => {
    fc.assert(
      fc.property(given, minorUnits, (of, paid) => {
        const price = byPaid(of, paid);
        const sent = oracleOut(of, paid);
        expect(price?.brlMinor).toBe(sent > 0n ? sent : undefined);
        if (!price) return;
        expect(price).toMatchObject({ cryptoMinor: paid, networkFeeMinor: 0n });
        expect(same(rational(price.quote), quoteOut(of))).toBe(true);
        expect(same(rational(price.refQuote), rational(of.mid))).toBe(true);
        expect(price.feeMinor).toBe(wholeCents(grossOf(of, price)) - sent);
      }),
      { numRuns: 1_000 },
    );
  });

  test('amount_sent = floor(amount_paid × quote − fees, 2) holds with the figures that are published', () => {
    fc.assert(
      fc.property(fc.oneof(given, coarse), minorUnits, cents, (of, paid, sent) => {
        for (const price of [byPaid(of, paid), bySent(of, sent)]) {
          if (!price) continue;
          expect(wholeCents(minus(grossOf(of, price), brl(price.feeMinor)))).toBe(price.brlMinor);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('the house loses nothing', () => {
    fc.assert(
      fc.property(fc.oneof(given, coarse), minorUnits, cents, (of, paid, sent) => {
        for (const price of [byPaid(of, paid), bySent(of, sent)]) {
          if (!price) continue;
          const gross = grossOf(of, price);
          expect(atMost(brl(price.brlMinor), minus(gross, exactFee(gross, of.pricing)))).toBe(true);
          expect(atMost(brl(price.brlMinor + price.feeMinor), gross)).toBe(true);
          expect(price.feeMinor >= 0n).toBe(true);
          expect(atMost(rational(price.quote), rational(of.mid))).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('the customer loses less than one cent in all, and the shown fee is off by less than one', () => {
    fc.assert(
      fc.property(given, minorUnits, (of, paid) => {
        const price = byPaid(of, paid);
        if (!price) return;
        const gross = grossOf(of, price);
        const fee = exactFee(gross, of.pricing);
        expect(lessThan(minus(minus(gross, fee), brl(price.brlMinor)), CENT)).toBe(true);
        const off = minus(brl(price.feeMinor), fee);
        expect(lessThan(off, CENT) && lessThan(negative(off), CENT)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a higher amount never sends less', () => {
    const sentFor = (of: Case, paid: bigint) => byPaid(of, paid)?.brlMinor ?? 0n;
    fc.assert(
      fc.property(given, minorUnits, minorUnits, (of, paid, more) => {
        expect(sentFor(of, paid) <= sentFor(of, paid + more)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(coarse, (of) => {
        const falls = SMALL.filter((paid) => sentFor(of, paid) > sentFor(of, paid + 1n));
        expect(falls).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('from the sent amount it is the smallest amount paid, and exactly that amount', () => {
    fc.assert(
      fc.property(given, cents, (of, sent) => {
        const price = bySent(of, sent);
        expect(price).toMatchObject({ brlMinor: sent, networkFeeMinor: 0n });
        if (!price) return;
        const paid = price.cryptoMinor;
        expect(oracleOut(of, paid) >= sent).toBe(true);
        expect(oracleOut(of, paid - 1n) < sent).toBe(true);
        expect(same(rational(price.quote), quoteOut(of))).toBe(true);
        expect(price.feeMinor).toBe(wholeCents(grossOf(of, price)) - sent);
      }),
      { numRuns: 1_000 },
    );
  });

  test('no smaller amount of all there are is enough, wherever the cents of fee and gross begin', () => {
    fc.assert(
      fc.property(coarse, (of) => {
        const first = new Map<bigint, bigint>();
        let most = 0n;
        for (const paid of SMALL) {
          for (const sent = oracleOut(of, paid); most < sent; ) first.set(++most, paid);
        }
        for (const [sent, paid] of first) expect(bySent(of, sent)?.cryptoMinor).toBe(paid);
      }),
      { numRuns: 200 },
    );
  });

  test('round trip: the result of an amount never costs more than the amount', () => {
    fc.assert(
      fc.property(given, minorUnits, (of, paid) => {
        const price = byPaid(of, paid);
        if (!price) return;
        const back = bySent(of, price.brlMinor)?.cryptoMinor ?? 0n;
        expect(back > 0n && back <= paid).toBe(true);
        expect(byPaid(of, back)?.brlMinor).toBe(price.brlMinor);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('C-21: round trips in both directions', () => {
  test('crypto bought and sold again never brings more BRL than were paid', () => {
    fc.assert(
      fc.property(given, cents, (of, payment) => {
        const bought = byPayment(of, payment)?.cryptoMinor;
        if (bought === undefined) return;
        expect((byPaid(of, bought)?.brlMinor ?? 0n) <= payment).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

/**
 * Transactions on their way, without a database: new rows of each template with the figures of the published sample, a
 * book in memory that keeps the holder's sub-accounts at zero or above, and triggers driven through the machines.
 */

import { type StepName, stepNameOf } from '../../src/base/ids/step-name.ts';
import { type Currency, currencyOf } from '../../src/base/money/currency.ts';
import { fromMinor, toMinor } from '../../src/base/money/money.ts';
import { instantOf } from '../../src/base/time/instant.ts';
import { type AccountRole, credit, debit, type Journal, journal } from '../../src/ledger/posting.ts';
import type { Step, Template } from '../../src/templates/define.ts';
import { STEP_UP_MS } from '../../src/templates/effects.ts';
import {
  type Facts,
  NO_FACTS,
  type Process,
  type ProcessRow,
  type ReturnKind,
} from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type PlannedStep, plan } from '../../src/templates/machine.ts';

import type { QuoteFacts, Trigger, TriggerFacts, TriggerName } from '../../src/templates/triggers.ts';

/** When every sample is made, and when its session ends. */
export const MADE_MS = Date.parse('2026-11-21T12:00:00Z');
export const END_MS = MADE_MS + 30 * 60_000;
/** Within the session, so shortly before its end that a late payment settles within the tolerance of clocks (C-36). */
export const DURING_MS = END_MS - 30_000;
/** End of the session for payments: 60 s later (C-32). */
export const AFTER_MS = END_MS + 60_000;

/** @returns a moment as rails tell it. */
export const iso = (ms: number) => new Date(ms).toISOString();

/** A millisecond beyond the grace. */
export const LATE = { settledAt: iso(AFTER_MS + 1), seenAt: iso(AFTER_MS + 1) };

const CLIENT = { clientName: 'Ana Souza', clientTaxId: '52998224725' };
const PAYEE = { pixKey: 'ana@example.com', pixKeyType: 'email' };
/** Where a held deposit is ordered back to: not where it came from. */
export const REFUND_ADDRESS = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
/** CPF of whoever is not the customer. */
export const STRANGER = '11144477735';

const PRICE_IN: QuoteFacts = {
  quote: '5.375',
  refQuote: '5.3217',
  fees: '12.50',
  sourceAmount: '550.00',
  targetAmount: '100',
  networkFee: null,
};
const PRICE_OUT: QuoteFacts = {
  quote: '5.00',
  refQuote: '5.05',
  fees: '10.00',
  sourceAmount: '100',
  targetAmount: '490.00',
  networkFee: null,
};
const INTO_CRYPTO = { sourceCurrency: 'BRL', targetCurrency: 'USDT_TRX' };
const INTO_BRL = { sourceCurrency: 'USDT_TRX', targetCurrency: 'BRL' };
const WALLET = { wallet: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD', groupId: 'wl-treasury' };

/** New transactions by what is special about them, as they are before `created`. */
export const SAMPLES = {
  checkout: newRow('crossramp_checkout', { ...INTO_CRYPTO, ...PRICE_IN, ...CLIENT }),
  // A visit of a static link without an amount: the customer enters all of it.
  'open checkout': newRow('crossramp_checkout', { ...INTO_CRYPTO }, { isAccepted: true }),
  onramp: newRow('onramp', { ...INTO_CRYPTO, ...PRICE_IN, ...CLIENT }, { isAccepted: true }),
  'anonymous onramp': newRow('onramp', { ...INTO_CRYPTO, ...PRICE_IN }),
  'onramp to address': newRow(
    'onramp_instant',
    { ...INTO_CRYPTO, ...PRICE_IN, targetAmount: '99', networkFee: '1.00', ...CLIENT, ...WALLET },
    { isAccepted: true },
  ),
  'anonymous onramp to address': newRow('onramp_instant', {
    ...INTO_CRYPTO,
    ...PRICE_IN,
    targetAmount: '99',
    networkFee: '1.00',
    ...WALLET,
  }),
  offramp: newRow('offramp', { ...INTO_BRL, ...PRICE_OUT, ...CLIENT, ...PAYEE }, { isAccepted: true }),
  'offramp without payee': newRow('offramp', { ...INTO_BRL, ...PRICE_OUT }),
  'offramp from address': newRow(
    'offramp_instant',
    { ...INTO_BRL, ...PRICE_OUT, ...CLIENT, ...PAYEE },
    { isAccepted: true },
  ),
  'offramp from address without payee': newRow('offramp_instant', { ...INTO_BRL, ...PRICE_OUT }),
  withdrawal: newRow('withdraw_dash_same_curr', {
    sourceCurrency: 'USDT_TRX',
    sourceAmount: '100',
    targetCurrency: 'USDT_TRX',
    targetAmount: '99',
    networkFee: '1.00',
    expiresAt: null,
    ...WALLET,
  }),
  'withdrawal to approve': newRow(
    'withdraw_dash_same_curr',
    {
      sourceCurrency: 'USDT_TRX',
      sourceAmount: '100',
      targetCurrency: 'USDT_TRX',
      targetAmount: '100',
      expiresAt: null,
      ...WALLET,
    },
    { needsApproval: true },
  ),
  'withdrawal of BRL': newRow('withdraw_dash_same_curr', {
    sourceCurrency: 'BRL',
    sourceAmount: '1000.00',
    targetCurrency: 'BRL',
    targetAmount: '1000.00',
    expiresAt: null,
    groupId: 'wl-bank',
    ...PAYEE,
  }),
} as const;

/** Name of a sample. */
export type SampleName = keyof typeof SAMPLES;

/** @returns a row that is not made yet. */
export function newRow(template: string, facts: Partial<Facts>, process: Partial<Process> = {}): ProcessRow {
  const madeAt = instantOf(new Date(MADE_MS));
  return {
    accountId: 1n,
    id: 7n,
    end2end: 'CRX01KRB0000000000000000000007',
    component: '',
    state: '',
    createdAt: madeAt,
    updatedAt: madeAt,
    errorEn: '',
    errorPt: '',
    asPublished: null,
    depositFrom: null,
    ...NO_FACTS,
    expiresAt: instantOf(new Date(END_MS)),
    ...facts,
    template,
    process: { sequence: 0, createdBy: null, ...process },
  };
}

/** What rails and customers tell, where a test varies it. */
export interface Figures {
  readonly paid: string;
  readonly payerTaxId: string | null;
  readonly settledAt: string;
  readonly isForced: boolean;
  /** The exact amount that is asked for, and what arrives. */
  readonly exactAmount: string;
  readonly deposited: string;
  readonly depositTxHash: string;
  readonly seenAt: string;
  readonly gas: TriggerFacts['delivery_broadcast']['gas'];
  readonly returnFee: string;
  /** The price of what the customer enters, and the new one of a deposit of another amount. */
  readonly price: QuoteFacts;
  readonly newPrice: QuoteFacts;
}

/** All as it should be, with the figures of the published sample. */
export const EXPECTED: Figures = {
  paid: '550.00',
  payerTaxId: CLIENT.clientTaxId,
  settledAt: iso(DURING_MS),
  isForced: false,
  exactAmount: '100.000137',
  deposited: '100.000137',
  depositTxHash: 'd1'.repeat(32),
  seenAt: iso(DURING_MS),
  gas: { currency: 'TRX_TRX', amountMinor: '13400000' },
  returnFee: '1.00',
  price: PRICE_IN,
  newPrice: { ...PRICE_OUT, sourceAmount: '100.000137' },
};

/** @returns what every trigger carries; the compiler sees to it that none is left out. */
function factsOf(figures: Figures): TriggerFacts {
  const nothing = {};
  return {
    created: nothing,
    quote_failed: nothing,
    amount_given: {
      price: figures.price,
      pricedAt: iso(MADE_MS),
      expiresAt: instantOf(new Date(END_MS)),
    },
    accepted: nothing,
    identity_given: { ...CLIENT, payout: PAYEE },
    identity_confirmed: nothing,
    limit_exceeded: nothing,
    identity_passed: nothing,
    identity_irregular: nothing,
    step_up_required: nothing,
    review_required: nothing,
    step_up_approved: nothing,
    step_up_denied: nothing,
    identity_revoked: {},
    key_divergent: nothing,
    charge_created: { txid: 'tx0'.repeat(10), brCode: '00020101021226' },
    charge_failed: nothing,
    expired: { isForced: figures.isForced },
    cancelled: nothing,
    pix_received: {
      endToEndId: 'E12345678202611211201abcdef12345',
      amount: figures.paid,
      settledAt: figures.settledAt,
      payerTaxId: figures.payerTaxId,
    },
    cleared: nothing,
    held: nothing,
    frozen: nothing,
    released: nothing,
    hold_rejected: nothing,
    swap_settled: nothing,
    swap_failed: nothing,
    refund_requested: nothing,
    refund_settled: nothing,
    refund_failed: nothing,
    refund_retried: nothing,
    refund_paid_by_hand: { reference: 'E12345678202611211205abcdef12345' },
    payment_refunded: nothing,
    delivery_broadcast: { txHash: 'a1'.repeat(32), gas: figures.gas },
    delivery_confirmed: nothing,
    delivery_failed: nothing,
    payout_settled: { endToEndId: 'E12345678202611211205abcdef12345' },
    payout_rejected: nothing,
    payout_returned: nothing,
    deposit_ready: { address: 'TAgEayk4rAWTNWGkytgdNjkXXABto5Vp8Q', exactAmount: figures.exactAmount },
    deposit_seen: {
      txHash: figures.depositTxHash,
      logIndex: 0,
      amount: figures.deposited,
      from: 'TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut',
      seenAt: figures.seenAt,
    },
    deposit_confirmed: { txHash: figures.depositTxHash },
    deposit_dropped: { txHash: figures.depositTxHash },
    refund_ordered: { address: REFUND_ADDRESS, worth: '550.00' },
    kept: nothing,
    requoted: { price: figures.newPrice },
    return_confirmed: { networkFee: figures.returnFee },
    return_failed: nothing,
    dispute_opened: nothing,
    dispute_accepted: nothing,
    dispute_rejected: nothing,
    dispute_returned: { amount: '550.00' },
    med_opened: { name: 'infraction:1', isReport: true },
    med_due: { name: 'infraction:1', hours: 48 },
    med_closed: { name: 'infraction:1', isReport: true },
    approved: { by: 'key_second' },
    rejected: nothing,
    reached: nothing,
  };
}

/** @returns a trigger of every name. */
export function triggersOf(figures: Figures): readonly Trigger[] {
  return Object.entries(factsOf(figures)).map(([on, carried]) => ({ on, ...carried }) as Trigger);
}

/**
 * Triggers as they may be told where a transaction stands: a deposit is priced anew at what arrived, and what goes back
 * beside the step is told of by its return id. Left out is what
 * no rail may tell but the machines take all the same; machine.test.ts has a failing test for each.
 */
export function fitting(row: ProcessRow, triggers: readonly Trigger[]): readonly Trigger[] {
  const arrived = row.process?.deposit?.amount;
  const beside = (row.process?.returns ?? []).filter(
    ({ kind, state }) => state === 'requested' && (kind === 'excess' || kind === 'part'),
  );
  return triggers.flatMap((each): Trigger[] => {
    if (each.on === 'requoted' && arrived)
      return [{ ...each, price: { ...each.price, sourceAmount: arrived } }];
    if (each.on === 'refund_settled' || each.on === 'refund_failed')
      return [each, ...beside.map(({ returnId }) => ({ on: each.on, returnId }))];
    return [each];
  });
}

/** @returns the trigger of the sample, with what differs from it. */
export function trigger(on: TriggerName, changes: Partial<Figures> = {}): Trigger {
  return { on, ...factsOf({ ...EXPECTED, ...changes })[on] } as Trigger;
}

/** Balances of the book by role and currency, minor units. */
export type Book = ReadonlyMap<string, bigint>;

/** @returns a balance in minor units. */
export function balanceOf(book: Book, role: AccountRole, currencyCode: string): bigint {
  return book.get(`${role} ${currencyCode}`) ?? 0n;
}

/** @returns all that is not zero, as text in order, of accounts whose name begins so. */
export function statusSection(book: Book, prefix = ''): readonly string[] {
  return [...book]
    .filter(([name, balance]) => name.startsWith(prefix) && balance !== 0n)
    .map(([name, balance]) => `${name} ${fromMinor(balance, decimalsOf(name))}`)
    .sort();
}

/** @returns the book after these journals, one by one; undefined when one takes a sub-account below zero (C-30). */
export function posted(book: Book, journals: readonly Journal[]): Book | undefined {
  const next = new Map(book);
  for (const { postings } of journals) {
    for (const { role, currency, deltaMinor } of postings) {
      const name = `${role} ${currency.code}`;
      next.set(name, (next.get(name) ?? 0n) + deltaMinor);
    }
    if ([...next].some(([name, balance]) => name.startsWith('M.') && balance < 0n)) return undefined;
  }
  return next;
}

/** A transaction on its way: where it is, what stands in the book, and what happened so far. */
export interface Run {
  readonly row: ProcessRow;
  readonly book: Book;
  readonly journals: readonly Journal[];
  readonly steps: readonly PlannedStep[];
}

/** @returns a sample about to be made, on a book with these means, such as `{ USDT_TRX: '150' }`. */
export function begin(row: ProcessRow, means: Readonly<Record<string, string>> = {}): Run {
  const book = Object.entries(means).map(([code, amount]): [string, bigint] => [
    `M.available ${code}`,
    toMinor(amount, decimalsOf(code)),
  ]);
  return { row, book: new Map(book), journals: [], steps: [] };
}

/** @returns the template of a row. */
export function templateOf({ template }: ProcessRow): Template {
  return REGISTRY.find(template) as Template;
}

/** @returns where a row stands. */
export function stepOf({ template, component, state }: ProcessRow): Step {
  return REGISTRY.stepOf(template, component, state);
}

/**
 * Takes one trigger as the gateway would: each step with its journals, the shortfall where they are not covered.
 *
 * @returns what it is after each step; undefined when the trigger is refused.
 * @throws {Error} when journals are not covered and nothing is planned for that.
 */
export function advance(run: Run, taken: Trigger, nowMs: number): readonly Run[] | undefined {
  const planned = plan(templateOf(run.row), frozen(run.row), taken, {
    nowMs,
    stepUpMs: STEP_UP_MS,
    ispb: '12345678',
    available: (code) => {
      if (taken.on !== 'dispute_opened' && taken.on !== 'dispute_accepted')
        throw new Error(`${taken.on} asks for the balance`);
      return balanceOf(run.book, 'M.available', code);
    },
  });
  if (!planned) return undefined;
  const after: Run[] = [];
  for (const step of planned) {
    const before = after.at(-1) ?? run;
    const book = posted(before.book, step.journals);
    if (!book && step.shortfall === 'refused') return undefined;
    if (!book) return [...after, afterStep(before, shortfallOf(step, taken), before.book)];
    after.push(afterStep(before, step, book));
  }
  return after;
}

/** What differs from the sample, by the word that a way is written with. */
const VARIED: Readonly<Record<string, Trigger>> = {
  pix_over: trigger('pix_received', { paid: '570.00' }),
  pix_under: trigger('pix_received', { paid: '540.00' }),
  pix_late: trigger('pix_received', LATE),
  pix_of_stranger: trigger('pix_received', { payerTaxId: STRANGER }),
  seen_over: trigger('deposit_seen', { deposited: '101' }),
  seen_under: trigger('deposit_seen', { deposited: '99' }),
  seen_late: trigger('deposit_seen', LATE),
  expired_early: trigger('expired', { isForced: true }),
  refund_part: { on: 'payment_refunded', amount: '220.00' },
  dispute_part: { on: 'dispute_opened', amount: '220.00' },
  broadcast_free: trigger('delivery_broadcast', { gas: null }),
};

/** What ends beside the step, by the word that a way is written with. */
const BESIDE: Readonly<Record<string, readonly [on: 'refund_settled' | 'refund_failed', kind: ReturnKind]>> =
  {
    excess_returned: ['refund_settled', 'excess'],
    excess_failed: ['refund_failed', 'excess'],
    part_returned: ['refund_settled', 'part'],
    part_failed: ['refund_failed', 'part'],
  };

/** Every word that a way is written with, but for `SPEND`. */
export const WORDS: readonly string[] = [
  ...Object.keys(factsOf(EXPECTED)),
  ...Object.keys(VARIED),
  ...Object.keys(BESIDE),
];

/** @returns the trigger of a word where the transaction stands. */
export function text(word: string, { process }: ProcessRow): Trigger {
  const [on, kind] = BESIDE[word] ?? [];
  if (!on) return VARIED[word] ?? trigger(word as TriggerName);
  const { returnId } =
    process?.returns?.find((each) => each.kind === kind && each.state === 'requested') ?? {};
  return { on, returnId: returnId ?? 'none' };
}

/** 100 USDT leave the account by another way. */
export const SPEND = spending(toMinor('100', 6));

/** @returns a journal that takes USDT of the balance, of no transaction's. */
export function spending(amountMinor: bigint): Journal {
  const usdt = currencyOf('USDT_TRX') as Currency;
  return journal('SPEND', debit('M.available', usdt, amountMinor), credit('A.custody', usdt, amountMinor));
}

/**
 * @param way - words: triggers of the sample by name, those above, and `SPEND`.
 * @returns the run after all of them.
 * @throws {Error} when one is refused.
 */
export function drive(run: Run, way: string, nowMs = DURING_MS): Run {
  let present = run;
  for (const word of way.split(' ')) {
    const after =
      word === 'SPEND'
        ? { ...present, book: posted(present.book, [SPEND]) as Book }
        : advance(present, text(word, present.row), nowMs)?.at(-1);
    if (!after) throw new Error(`${run.row.template} refuses ${word} at ${stepNameOf(present.row)}`);
    present = after;
  }
  return present;
}

/** @returns the steps that a run moved to, in order. */
export function pathOf({ steps }: Run): readonly StepName[] {
  return steps.filter(({ isMove }) => isMove).map(({ row }) => stepNameOf(row));
}

function shortfallOf({ shortfall, row }: PlannedStep, { on }: Trigger): PlannedStep {
  if (!shortfall || shortfall === 'refused')
    throw new Error(`${row.template} after ${on}: ${stepNameOf(row)} is not covered`);
  return shortfall();
}

function afterStep(before: Run, step: PlannedStep, book: Book): Run {
  return {
    row: step.row,
    book,
    journals: [...before.journals, ...step.journals],
    steps: [...before.steps, step],
  };
}

/** @returns the row, so that code that changes it instead of making a new one fails. */
export function frozen(row: ProcessRow): ProcessRow {
  if (row.process) Object.freeze(row.process);
  return Object.freeze(row);
}

function decimalsOf(name: string): number {
  return (currencyOf(name.split(' ').at(-1) as string) as Currency).decimals;
}

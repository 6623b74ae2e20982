/**
 * Goal: a payment that a dispute (MED) and a refund both want back goes back once, and what the bank confirms as gone is booked:
 * out of the refund, out of the balance, or as a debt of the account holder. Method: the machines with the figures of the
 * published sample (550.00 BRL with a fee of 12.50 for 100 USDT), on a book in memory.
 */
import { describe, expect, test } from 'vitest';
import { stepNameOf } from '../../src/base/ids/step-name.ts';
import type { Trigger } from '../../src/templates/triggers.ts';
import {
  advance,
  begin,
  DURING_MS,
  drive,
  type Run,
  SAMPLES,
  type SampleName,
  statusSection,
} from '../support/machine.ts';

const CHARGED = 'created identity_passed charge_created';
const CREDITED = `${CHARGED} pix_received cleared swap_settled`;

const run = (way: string, sample: SampleName = 'onramp', means: Record<string, string> = {}) =>
  drive(begin(SAMPLES[sample], means), way);
const returnsOf = ({ row }: Run) =>
  (row.process?.returns ?? []).map(({ kind, state, amount }) => `${kind} ${amount} ${state}`);
const taken = (from: Run, trigger: Trigger) => advance(from, trigger, DURING_MS)?.at(-1);
const take = (from: Run, ...triggers: readonly Trigger[]) =>
  triggers.reduce((present, trigger) => {
    const after = taken(present, trigger);
    if (!after) throw new Error(`${trigger.on} is refused at ${stepNameOf(present.row)}`);
    return after;
  }, from);
const opened = (amount?: string): Trigger => ({
  on: 'dispute_opened',
  disputeId: 'MED',
  ...(amount && { amount }),
});
const accepted = { on: 'dispute_accepted', disputeId: 'MED' } as const;
const rejected = { on: 'dispute_rejected', disputeId: 'MED' } as const;
const back = (amount: string): Trigger => ({ on: 'dispute_returned', amount });
/** The return that was asked for last. */
const idOf = ({ row }: Run) =>
  row.process?.returns?.findLast(({ kind }) => kind === 'part' || kind === 'refund')?.returnId as string;
const settled = (of: Run): Trigger => ({ on: 'refund_settled', returnId: idOf(of) });
const failed = (of: Run): Trigger => ({ on: 'refund_failed', returnId: idOf(of) });
const parted = () => run(`${CREDITED} refund_part`);

describe('C-35: a dispute about the whole payment, while a part of it is being refunded', () => {
  test.each([
    ['said', '550.00'],
    ['not said', undefined],
  ])('takes the part when that fails before the dispute ends; its amount is %s', (_, amount) => {
    const open = take(parted(), opened(amount));
    expect(statusSection(open.book, 'M.')).toEqual(['M.blocked USDT_TRX 60']);
    const whole = take(open, failed(open));
    expect(statusSection(whole.book, 'M.')).toEqual(['M.blocked USDT_TRX 100']);
    const end = take(whole, accepted);
    expect(returnsOf(end)).toEqual(['part 220 credited_back', 'dispute 550 done']);
    expect(statusSection(end.book)).toEqual([]);
    const free = take(whole, rejected);
    expect(statusSection(free.book, 'M.')).toEqual(['M.available USDT_TRX 100']);
  });

  test('takes the part when that fails after the dispute was accepted', () => {
    const cut = take(parted(), opened('550.00'), accepted);
    expect(returnsOf(cut)).toEqual(['part 220 requested', 'dispute 330 done']);
    const end = take(cut, failed(cut));
    expect(returnsOf(end)).toEqual(['part 220 credited_back', 'dispute 550 done']);
    expect(statusSection(end.book)).toEqual([]);
    expect(taken(end, opened())).toBeUndefined();
  });

  test('takes no more of the part than its own amount', () => {
    const open = take(parted(), opened('440.00'));
    for (const end of [take(open, failed(open), accepted), take(take(open, accepted), failed(open))]) {
      expect(returnsOf(end)).toEqual(['part 220 credited_back', 'dispute 440 done']);
      expect(statusSection(end.book, 'M.')).toEqual(['M.available USDT_TRX 20']);
      expect(statusSection(end.book, 'A.pix')).toEqual(['A.pix BRL -110']);
    }
  });

  test('is booked whole when the bank reports that, however long the part is under way', () => {
    const cut = take(parted(), opened('550.00'), accepted);
    const end = take(cut, back('550.00'));
    expect(returnsOf(end)).toEqual(['part 220 credited_back', 'dispute 550 done']);
    expect(statusSection(end.book)).toEqual([]);
    // The end of the part is still told: it changes nothing, or both were paid.
    expect(statusSection(take(end, failed(cut)).book)).toEqual([]);
    const twice = take(end, settled(cut));
    expect(returnsOf(twice)).toEqual(['part 220 done', 'dispute 550 done']);
    expect(statusSection(twice.book)).toEqual(['A.pix BRL 220', 'A.recv BRL -220']);
    for (const trigger of [settled(cut), failed(cut), opened(), back('550.00')])
      expect(taken(twice, trigger), trigger.on).toBeUndefined();
  });

  test('is owed to the house for the amount that was even returned twice', () => {
    const cut = take(parted(), opened('550.00'), accepted);
    const both = take(cut, settled(cut), back('550.00'));
    expect(returnsOf(both)).toEqual(['part 220 done', 'dispute 550 done']);
    expect(statusSection(both.book)).toEqual(['A.pix BRL 220', 'A.recv BRL -220']);
  });

  test('is reversed up to the amount of the payment; only the excess is owed in BRL (L8b, L67)', () => {
    const cut = take(parted(), opened('440.00'), accepted, back('440.00'));
    expect(returnsOf(cut)).toEqual(['part 220 credited_back', 'dispute 440 done']);
    const end = take(cut, settled(cut));
    expect(returnsOf(end)).toEqual(['part 220 done', 'dispute 440 done']);
    expect(statusSection(end.book, 'A.')).toEqual([
      'A.pix BRL 110',
      'A.recv BRL -110',
      'A.recv USDT_TRX -20',
    ]);
    expect([statusSection(end.book, 'E.fx'), statusSection(end.book, 'R.')]).toEqual([[], []]);
  });

  test('leaves the part to the account holder if the bank reports that it took only the rest', () => {
    const cut = take(parted(), opened('550.00'), accepted, back('330.00'));
    const end = take(cut, failed(cut));
    expect(returnsOf(end)).toEqual(['part 220 credited_back', 'dispute 330 done']);
    expect(statusSection(end.book, 'M.')).toEqual(['M.available USDT_TRX 40']);
    expect(taken(end, back('550.00'))).toBeUndefined();
  });
});

describe('C-34: a dispute that was rejected and is then accepted under the same name', () => {
  test.each([undefined, '220.00'])('is opened again and unwound, about %s', (amount) => {
    const before = take(run(CREDITED), opened(amount), rejected);
    const steps = advance(before, accepted, DURING_MS)?.map(({ row }) => stepNameOf(row));
    expect(steps).toEqual(['dispute/OPEN', 'dispute/ACCEPTED']);
    const end = take(before, accepted);
    expect(returnsOf(end)).toEqual([amount ? 'dispute 220 done' : 'dispute 550 done']);
    expect(statusSection(end.book, 'M.')).toEqual(amount ? ['M.available USDT_TRX 60'] : []);
    expect(taken(end, accepted)).toBeUndefined();
  });

  test('is owed to the house for the amount spent since', () => {
    const end = take(drive(take(run(CREDITED), opened(), rejected), 'SPEND'), accepted);
    expect(statusSection(end.book, 'A.recv')).toEqual(['A.recv USDT_TRX -100']);
  });

  test('is known after another dispute, and from a version that did not store rejected ones', () => {
    const other = { on: 'dispute_opened', disputeId: 'MED-2', amount: '220.00' } as const;
    const first = take(run(CREDITED), opened('330.00'), rejected);
    const second = take(first, other, { on: 'dispute_accepted', disputeId: 'MED-2' });
    expect(returnsOf(take(second, accepted))).toEqual(['dispute 220 done', 'dispute 330 done']);
    const { rejectedDisputes: _, ...process } = first.row.process ?? {};
    const old = { ...first, row: { ...first.row, process } } as Run;
    expect(returnsOf(take(old, accepted))).toEqual(['dispute 330 done']);
  });

  test('is refused under a name that was never rejected', () => {
    const before = take(run(CREDITED), opened(), rejected);
    expect(taken(before, { on: 'dispute_accepted', disputeId: 'MED-2' })).toBeUndefined();
    expect(taken(before, { on: 'dispute_accepted' })).toBeUndefined();
  });
});

describe('C-34: a dispute while the payment is returned whole', () => {
  const refunding = () => run(`${CREDITED} payment_refunded`);
  const receivable = 'L.payer BRL 550';

  test.each([
    ['opened and accepted while the refund is under way', [opened('550.00'), accepted, 'failed']],
    ['accepted after the refund failed', [opened(), 'failed', accepted]],
    ['opened and accepted after the refund failed', ['failed', opened('550.00'), accepted]],
    ['rejected first', [opened('550.00'), 'failed', rejected, accepted]],
  ] as const)('settles the debt to the payer (L62): %s', (_, way) => {
    const start = refunding();
    const end = take(start, ...way.map((each) => (each === 'failed' ? failed(start) : each)));
    expect([stepNameOf(end.row), returnsOf(end)]).toEqual(['refund/DONE', ['refund 550 paid_by_hand']]);
    expect(end.row.process?.returns?.[0]?.reference).toBe('MED MED');
    expect(statusSection(end.book)).toEqual([]);
    for (const on of ['refund_retried', 'refund_paid_by_hand', 'refund_settled'] as const)
      expect(taken(end, { on, reference: 'x' } as Trigger), on).toBeUndefined();
  });

  test('prevents a failed refund from being ordered again, until it is rejected', () => {
    const start = refunding();
    const held = take(start, opened(), failed(start));
    expect([stepNameOf(held.row), statusSection(held.book, 'L.')]).toEqual(['refund/ERROR', [receivable]]);
    expect(held.steps.at(-1)?.effects).toEqual([]);
    expect(taken(held, { on: 'refund_retried' })).toBeUndefined();
    const free = take(held, rejected);
    expect(free.steps.at(-1)?.effects).toMatchObject([{ name: 'retry_returns' }]);
    expect(stepNameOf(take(free, { on: 'refund_retried' }).row)).toBe('refund/INITIAL');
  });

  test('about a part leaves the rest owed, and it can be ordered again', () => {
    const start = refunding();
    const part = opened('220.00');
    for (const way of [
      [part, accepted, failed(start)],
      [failed(start), part, accepted],
    ]) {
      const rest = take(start, ...way);
      expect([stepNameOf(rest.row), returnsOf(rest)]).toEqual([
        'refund/ERROR',
        ['refund 330 failed', 'refund 220 paid_by_hand'],
      ]);
      expect(statusSection(rest.book, 'L.')).toEqual(['L.payer BRL 330']);
      const end = drive(rest, 'refund_retried refund_settled');
      expect([stepNameOf(end.row), statusSection(end.book)]).toEqual(['refund/DONE', []]);
    }
  });

  test('settles also a payment that was never converted', () => {
    const start = run(`${CHARGED} pix_under refund_requested`);
    const end = drive(take(start, opened('540.00'), accepted), 'refund_failed');
    expect([stepNameOf(end.row), returnsOf(end)]).toEqual(['refund/DONE', ['payment 540 paid_by_hand']]);
    expect(statusSection(end.book)).toEqual([]);
  });

  test('ends a refund that is under way for long when the bank reports that the dispute took the money', () => {
    const start = refunding();
    const end = take(start, opened(), accepted, back('550.00'));
    expect([stepNameOf(end.row), returnsOf(end)]).toEqual(['refund/DONE', ['refund 550 paid_by_hand']]);
    expect(statusSection(end.book)).toEqual([]);
    expect(statusSection(take(end, failed(start)).book)).toEqual([]);
    const twice = take(end, settled(start));
    expect(returnsOf(twice)).toEqual(['refund 550 done', 'dispute 550 done']);
    expect(statusSection(twice.book)).toEqual(['A.pix BRL 550', 'A.recv BRL -550']);
    for (const trigger of [settled(start), failed(start)]) expect(taken(twice, trigger)).toBeUndefined();
  });

  test('is owed to the house where the refund and the dispute were both paid', () => {
    const start = refunding();
    for (const way of [
      [opened(), accepted, settled(start)],
      [settled(start), opened('550.00'), accepted],
    ]) {
      const done = take(start, ...way);
      expect([stepNameOf(done.row), statusSection(done.book)]).toEqual(['refund/DONE', []]);
      const both = take(done, back('550.00'));
      expect(returnsOf(both)).toEqual(['refund 550 done', 'dispute 550 done']);
      expect(statusSection(both.book)).toEqual(['A.pix BRL 550', 'A.recv BRL -550']);
    }
  });
});

/** Rail events that may come to a transaction, and their outcome by the machines. */

import { stepNameOf } from '../../src/base/ids/step-name.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { returnsOf } from '../../src/templates/returns.ts';
import type { Trigger } from '../../src/templates/triggers.ts';
import { advance, DURING_MS, type Run, text } from './machine.ts';
import type { Position } from './places.ts';

/** One kind of rail event. */
export interface RailEventCase {
  readonly name: string;
  readonly about: 'payment' | 'deposit' | 'token' | 'dropped' | 'dispute' | 'return' | 'transfer' | 'payout';
  /** The word of machine.ts that says how it comes; of a payout that came back, how much of it. */
  readonly word: string;
}

/** Every kind; all of them may come at any time, to transactions of any template. */
export const RAIL_EVENT_CASES: readonly RailEventCase[] = [
  { name: 'PIX, exact', about: 'payment', word: 'pix_received' },
  { name: 'less', about: 'payment', word: 'pix_under' },
  { name: 'more', about: 'payment', word: 'pix_over' },
  { name: 'of another payer', about: 'payment', word: 'pix_of_stranger' },
  { name: 'late', about: 'payment', word: 'pix_late' },
  { name: 'deposit, exact', about: 'deposit', word: 'deposit_seen' },
  { name: 'less', about: 'deposit', word: 'seen_under' },
  { name: 'more', about: 'deposit', word: 'seen_over' },
  { name: 'of another token', about: 'token', word: 'deposit_seen' },
  { name: 'late', about: 'deposit', word: 'seen_late' },
  { name: 'dropped', about: 'dropped', word: 'deposit_seen' },
  { name: 'dispute', about: 'dispute', word: 'dispute_opened' },
  { name: 'dispute about a part', about: 'dispute', word: 'dispute_part' },
  { name: 'return failed', about: 'return', word: 'refund_failed' },
  { name: 'transfer back failed', about: 'transfer', word: 'return_failed' },
  { name: 'payout came back', about: 'payout', word: 'all' },
  { name: 'a part of it', about: 'payout', word: 'part' },
];

/** Outcome of events of each kind that the transaction does not accept. */
export const UNTAKEN: Readonly<Record<RailEventCase['about'], string>> = {
  payment: 'suspense',
  deposit: 'suspense',
  token: 'suspense',
  dropped: 'noted',
  dispute: 'waits',
  return: 'waits',
  transfer: 'waits',
  payout: 'suspense',
};

/** @returns the step that follows; undefined where the transaction does not take it. */
export function stepAfter(place: Position, { about, word }: RailEventCase): string | undefined {
  const { run } = place;
  const { process, depositAddress } = run.row;
  switch (about) {
    case 'payment':
      return process?.txid === undefined ? undefined : claimed(run, newPayment(word));
    case 'deposit':
      return depositAddress === null ? undefined : deposited(run, word);
    case 'token':
      return undefined;
    case 'dropped':
      return depositAddress === null ? undefined : dropped(place, word);
    case 'dispute':
      return process?.paid === undefined ? undefined : claimed(run, text(word, run.row));
    case 'return': {
      const running = returnUnderWay(run);
      return running && claimed(run, { on: 'refund_failed', returnId: running.returnId });
    }
    case 'transfer':
      return claimed(run, text(word, run.row));
    case 'payout':
      return hasPaidOut(run)
        ? claimed(run, { on: 'payout_returned', amount: returnedOf(run.row, word) })
        : undefined;
  }
}

/** @returns the first return that a place has under way. */
export function returnUnderWay({ row }: Run) {
  return returnsOf(row.process ?? {}).find(({ state }) => state === 'requested');
}

/** @returns whether BRL was paid out. */
export function hasPaidOut({ row }: Pick<Run, 'row'>): boolean {
  return row.targetCurrency === 'BRL' && row.pixE2e !== null;
}

/** @returns how much comes back of what was paid out, if anything was. */
export function returnedOf({ targetAmount }: ProcessRow, word: string): string {
  return word === 'all' ? (targetAmount ?? '490.00') : '1.00';
}

const NEW = { txHash: 'd9'.repeat(32), logIndex: 0 };

function newPayment(word: string): Trigger {
  return { ...text(word, {} as never), endToEndId: 'E12345678202611211202abcdef67890' } as Trigger;
}

/** It is seen first, and then final. */
function deposited(run: Run, word: string): string | undefined {
  return claimed(seen(run, word), { on: 'deposit_confirmed', ...NEW });
}

/** The deposit that the transaction knows of; else another one, which was seen first. */
function dropped(place: Position, word: string): string | undefined {
  const { run } = place;
  const deposit = hasDeposit(place) && run.row.process?.deposit;
  if (!deposit) return claimed(seen(run, word), { on: 'deposit_dropped', ...NEW });
  return claimed(run, { on: 'deposit_dropped', txHash: deposit.txHash, logIndex: deposit.logIndex });
}

/** @returns whether the transaction knows of a deposit that was not dropped yet: that is told once (C-33). */
export function hasDeposit({ run: { row }, way }: Position): boolean {
  const lastSeen = way.findLastIndex((word) => /seen/.test(word));
  return (
    row.depositAddress !== null && Boolean(row.process?.deposit) && !way.includes('deposit_dropped', lastSeen)
  );
}

function seen(run: Run, word: string): Run {
  return advance(run, { ...text(word, run.row), ...NEW } as Trigger, DURING_MS)?.at(-1) ?? run;
}

function claimed(run: Run, trigger: Trigger): string | undefined {
  const after = advance(run, trigger, DURING_MS)?.at(-1);
  return after && stepNameOf(after.row);
}

/** The list of a transaction's refunds to the payer, and the remainder of the payment. */

import { stepNameOf } from '../base/ids/step-name.ts';
import { BRL, type Currency } from '../base/money/currency.ts';
import { fromMinor, toMinor } from '../base/money/money.ts';
import { returnIdOf } from '../base/pix/end-to-end-id.ts';
import type { Conversion } from '../ledger/journals.ts';
import { type ConvertedFacts, cents, conversionIn } from './amounts.ts';
import type {
  ConvertedPart,
  DisputeClaim,
  PixReturn,
  Process,
  ProcessRow,
  ReturnKind,
  ReturnState,
} from './facts.ts';
import type { View } from './transition.ts';

/** Kinds that refund money after its conversion. */
const UNWINDING: readonly ReturnKind[] = ['refund', 'part', 'dispute'];
/** States in which a refund moves no more money. */
const VOID: readonly ReturnState[] = ['retried', 'credited_back'];

/**
 * Maximum number of partial refunds of a payment, ended or not; after that the whole remainder can still be refunded.
 */
export const PARTS_MAX = 90;

type Returned = Pick<Process, 'returns'>;
/** Amount owed to a payer; without an id if its refund failed before refunds had ids. */
type UnpaidReturn = Pick<PixReturn, 'kind' | 'amount' | 'part'> & Partial<Pick<PixReturn, 'returnId'>>;

/** @returns all refunds, under way or ended, in order. */
export function returnsOf({ returns = [] }: Returned): readonly PixReturn[] {
  return returns;
}

/** @returns the list of refunds, with another one added. */
export function withReturn(
  { row, process, nowMs, ispb }: Pick<View, 'row' | 'process' | 'nowMs' | 'ispb'>,
  added: Pick<PixReturn, 'kind' | 'amount' | 'part' | 'reference' | 'claim' | 'dispute'> & {
    readonly state?: 'done' | 'paid_by_hand';
  },
): readonly PixReturn[] {
  const before = returnsOf(process);
  const at = new Date(nowMs);
  const requestedAt = at.toISOString();
  const { state = 'requested', ...rest } = added;
  const returnId = returnIdOf({ ispb, at }, `${row.end2end}:${before.length}`);
  return [
    ...before,
    { returnId, ...rest, state, requestedAt, ...(state !== 'requested' && { endedAt: requestedAt }) },
  ];
}

/** @returns the refund that a step waits for; undefined if none is under way. */
export function returnOfStep(process: Returned): PixReturn | undefined {
  return returnsOf(process).find(
    ({ kind, state }) => state === 'requested' && (kind === 'payment' || kind === 'refund'),
  );
}

/** Report of a rail about the end of a refund. */
export type ReturnEnd = View<'refund_settled' | 'refund_failed'>;

/** @returns whether this is the end of the refund that the step waits for. */
export function isOfStep({ process, trigger }: ReturnEnd): boolean {
  return trigger.returnId === undefined || returnOfStep(process)?.returnId === trigger.returnId;
}

/** @returns the refund of this id while it is under way. */
export function pendingReturn(process: Returned, returnId: string | undefined): PixReturn | undefined {
  return returnsOf(process).find((each) => each.state === 'requested' && each.returnId === returnId);
}

/**
 * @returns the failed refunds that are still owed to the payer. If refunds were not stored yet at the failure, the
 * whole payment is owed.
 */
export function unpaidReturns({ row, process }: Pick<View, 'row' | 'process'>): readonly UnpaidReturn[] {
  if (process.returns === undefined && process.paid !== undefined && stepNameOf(row) === 'refund/ERROR')
    return [{ kind: 'payment', amount: brlText(cents(process.paid)) }];
  return returnsOf(process).filter(({ state }) => state === 'failed');
}

/** @returns the list after the owed refunds were paid by hand. */
export function paidManually(
  view: Pick<View, 'row' | 'process' | 'nowMs' | 'ispb'>,
  reference: string,
): readonly PixReturn[] {
  const state = 'paid_by_hand';
  const receivable = unpaidReturns(view);
  const [unlisted] = receivable.filter(({ returnId }) => returnId === undefined);
  return unlisted
    ? withReturn(view, { kind: unlisted.kind, amount: unlisted.amount, state, reference })
    : ended(view, receivable, { state, reference });
}

/** @returns the end of a refund whose money a dispute paid to the payer, booked like one that was paid by hand. */
export function byDispute(id: string | undefined) {
  return {
    state: 'paid_by_hand',
    reference: id === undefined ? 'MED' : `MED ${id}`,
    dispute: id ?? '',
  } as const;
}

/** @returns the list after a dispute paid the owed amounts to the payer: a refund that it covers in part is split. */
export function settledByDispute(
  view: Pick<View, 'row' | 'process' | 'nowMs' | 'ispb'>,
  { id, claim }: DisputeClaim,
): readonly PixReturn[] {
  const end = byDispute(id);
  let rest = claim === undefined ? undefined : BigInt(claim);
  let { process } = view;
  for (const each of unpaidReturns(view)) {
    const receivable = cents(each.amount);
    const amount = rest === undefined || rest > receivable ? receivable : rest;
    if (rest !== undefined) rest -= amount;
    if (amount === 0n) continue;
    const present = { ...view, process };
    const { kind, part } = each;
    if (each.returnId === undefined)
      process = { ...process, returns: withReturn(present, { kind, amount: each.amount, ...end }) };
    else if (amount === receivable) process = { ...process, returns: ended(present, [each], end) };
    else {
      const [now, later] = part ? divided(part, amount) : [];
      const returns = returnsOf(process).map((one) =>
        one.returnId === each.returnId
          ? { ...one, amount: brlText(receivable - amount), ...(later && { part: later }) }
          : one,
      );
      const added = { kind, amount: brlText(amount), ...(now && { part: now }), ...end };
      process = { ...process, returns: withReturn({ ...present, process: { ...process, returns } }, added) };
    }
  }
  return returnsOf(process);
}

/** A part with the given cents of a refund, and the remainder. */
function divided(part: ConvertedPart, brl: bigint): readonly [ConvertedPart, ConvertedPart] {
  const whole = BigInt(part.brl);
  const share = (name: keyof ConvertedPart) => (BigInt(part[name]) * brl) / whole;
  const now = { brl, fee: share('fee'), crypto: share('crypto') };
  const later = (name: keyof ConvertedPart) => String(BigInt(part[name]) - now[name]);
  return [
    { brl: String(brl), fee: String(now.fee), crypto: String(now.crypto) },
    { brl: later('brl'), fee: later('fee'), crypto: later('crypto') },
  ];
}

/** @returns the number of partial refunds of a payment, including failed ones. */
export function partsOf(process: Returned): number {
  return returnsOf(process).filter(({ kind }) => kind === 'part').length;
}

/** @returns whether a partial refund has not ended yet. */
export function hasPendingPart(process: Returned): boolean {
  return returnsOf(process).some(({ kind, state }) => kind === 'part' && state === 'requested');
}

/** @returns the list with these refunds ended in this way. */
export function ended(
  { process, nowMs }: Pick<View, 'process' | 'nowMs'>,
  which: readonly Pick<UnpaidReturn, 'returnId'>[],
  end: Pick<PixReturn, 'state' | 'reference' | 'dispute' | 'isOvertaken' | 'part'>,
): readonly PixReturn[] {
  const endedAt = new Date(nowMs).toISOString();
  const isOneOf = (each: PixReturn) => which.some(({ returnId }) => returnId === each.returnId);
  return returnsOf(process).map((each) => ({ ...each, ...(isOneOf(each) && { ...end, endedAt }) }));
}

/** @returns the part of a conversion that refunds and disputes have already reversed. */
export function refundedConversion(process: Returned, currency: Currency): Conversion {
  const parts = returnsOf(process).flatMap(({ kind, state, part }) =>
    part && UNWINDING.includes(kind) && !VOID.includes(state) ? [part] : [],
  );
  const sum = (name: keyof ConvertedPart) => parts.reduce((total, part) => total + BigInt(part[name]), 0n);
  return { brl: sum('brl'), fee: sum('fee'), crypto: sum('crypto'), currency };
}

/** @returns the cents of a finished payment that can still be refunded. */
export function leftOf(row: ConvertedFacts & Pick<ProcessRow, 'process'>): bigint {
  const whole = conversionIn(row);
  const left = whole.brl - refundedConversion(row.process ?? {}, whole.currency).brl;
  // Versions that unwound a second payment stored parts that exceed the whole.
  return left > 0n ? left : 0n;
}

/**
 * Share of the locked conversion for this amount of the payment in cents, after earlier refunds. Crypto is rounded up
 * and the fee down, in favour of the house; all parts together equal the whole. An amount beyond the remainder of the
 * payment has no share.
 */
export function partOf(row: ProcessRow, amount: bigint): Conversion {
  const left = leftOf(row);
  const brl = amount < left ? amount : left;
  const whole = conversionIn(row);
  const before = refundedConversion(row.process ?? {}, whole.currency);
  const after = before.brl + brl;
  const crypto = (whole.crypto * after + whole.brl - 1n) / whole.brl - before.crypto;
  const fee = (whole.fee * after) / whole.brl - before.fee;
  return { brl, fee: fee > 0n ? fee : 0n, crypto: crypto > 0n ? crypto : 0n, currency: whole.currency };
}

/** @returns the cents of a refund that exceed the payment: another refund paid the payer the same money. */
export function beyondPayment({ amount, part }: Pick<PixReturn, 'amount' | 'part'>): bigint {
  return part ? cents(amount) - BigInt(part.brl) : 0n;
}

/** @returns a part of a conversion in its stored form. */
export function storedPart({ brl, fee, crypto }: Conversion): ConvertedPart {
  return { brl: String(brl), fee: String(fee), crypto: String(crypto) };
}

/** @returns a part of a conversion from its stored form. */
export function read({ brl, fee, crypto }: ConvertedPart, currency: Currency): Conversion {
  return { brl: BigInt(brl), fee: BigInt(fee), crypto: BigInt(crypto), currency };
}

/** @returns the requested cents; the whole remainder without a request. */
export function requestedOrLeft(row: ProcessRow, amount: string | undefined): bigint {
  return amount === undefined ? leftOf(row) : cents(amount);
}

/** @returns an amount of BRL as text. */
export function brlText(amount: bigint): string {
  return fromMinor(amount, BRL.decimals);
}

/** @returns the sum of these refunds in cents. */
export function sumOf(returns: readonly Pick<PixReturn, 'amount'>[]): bigint {
  return returns.reduce((sum, { amount }) => sum + toMinor(amount, BRL.decimals), 0n);
}

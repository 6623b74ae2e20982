/** The list of what goes back to the payer of a transaction, and how much of the payment is left. */
import { BRL, type Currency } from '../base/currency.ts';
import { returnIdOf } from '../base/end-to-end-id.ts';
import { fromMinor, toMinor } from '../base/money.ts';
import type { Conversion } from '../ledger/journals.ts';
import { cents, conversionIn } from './amounts.ts';
import type { ConvertedPart, PixReturn, Process, ProcessRow, ReturnKind, ReturnState } from './facts.ts';
import type { View } from './transition.ts';

/** Kinds that give back what was converted already. */
const UNWINDING: readonly ReturnKind[] = ['refund', 'part', 'dispute'];
/** States in which nothing goes back by a return any more. */
const VOID: readonly ReturnState[] = ['retried', 'credited_back'];

type Returned = Pick<Process, 'returns'>;

/** @returns everything that goes or went back, in order. */
export function returnsOf({ returns = [] }: Returned): readonly PixReturn[] {
  return returns;
}

/** @returns what goes back, with one more. */
export function withReturn(
  { row, process, nowMs, ispb }: Pick<View, 'row' | 'process' | 'nowMs' | 'ispb'>,
  added: Pick<PixReturn, 'kind' | 'amount' | 'part'> & { readonly state?: 'done' },
): readonly PixReturn[] {
  const before = returnsOf(process);
  const at = new Date(nowMs);
  const requestedAt = at.toISOString();
  const { state = 'requested', ...rest } = added;
  const returnId = returnIdOf({ ispb, at }, `${row.end2end}:${before.length}`);
  return [
    ...before,
    { returnId, ...rest, state, requestedAt, ...(state === 'done' && { endedAt: requestedAt }) },
  ];
}

/** @returns the return that a step waits for; undefined where none is under way. */
export function returnOfStep(process: Returned): PixReturn | undefined {
  return returnsOf(process).find(
    ({ kind, state }) => state === 'requested' && (kind === 'payment' || kind === 'refund'),
  );
}

/** @returns the return of this id while it is under way. */
export function returnUnderWay(process: Returned, returnId: string | undefined): PixReturn | undefined {
  return returnsOf(process).find((each) => each.state === 'requested' && each.returnId === returnId);
}

/** @returns the returns that failed and are still owed to the payer. */
export function returnsOwed(process: Returned): readonly PixReturn[] {
  return returnsOf(process).filter(({ state }) => state === 'failed');
}

/** @returns the list after these ended so. */
export function ended(
  { process, nowMs }: Pick<View, 'process' | 'nowMs'>,
  which: readonly PixReturn[],
  end: Pick<PixReturn, 'state' | 'reference'>,
): readonly PixReturn[] {
  const endedAt = new Date(nowMs).toISOString();
  return returnsOf(process).map((each) => (which.includes(each) ? { ...each, ...end, endedAt } : each));
}

/** @returns what was given back already of a conversion, by refunds and disputes. */
export function givenBack(process: Returned, currency: Currency): Conversion {
  const parts = returnsOf(process).flatMap(({ kind, state, part }) =>
    part && UNWINDING.includes(kind) && !VOID.includes(state) ? [part] : [],
  );
  const sum = (name: keyof ConvertedPart) => parts.reduce((total, part) => total + BigInt(part[name]), 0n);
  return { brl: sum('brl'), fee: sum('fee'), crypto: sum('crypto'), currency };
}

/** @returns the cents of a finished payment that can still go back. */
export function leftOf(row: ProcessRow): bigint {
  const whole = conversionIn(row);
  return whole.brl - givenBack(row.process ?? {}, whole.currency).brl;
}

/**
 * The part of the locked conversion that belongs to so many cents of the payment, after what was given back before. Crypto
 * is rounded up and the fee down, towards the house; all parts together are the whole.
 */
export function partOf(row: ProcessRow, brl: bigint): Conversion {
  const whole = conversionIn(row);
  const before = givenBack(row.process ?? {}, whole.currency);
  const after = before.brl + brl;
  const crypto = (whole.crypto * after + whole.brl - 1n) / whole.brl - before.crypto;
  const fee = (whole.fee * after) / whole.brl - before.fee;
  return { brl, fee: fee > 0n ? fee : 0n, crypto: crypto > 0n ? crypto : 0n, currency: whole.currency };
}

/** @returns a part of a conversion as it is kept. */
export function kept({ brl, fee, crypto }: Conversion): ConvertedPart {
  return { brl: String(brl), fee: String(fee), crypto: String(crypto) };
}

/** @returns a part of a conversion as it was kept. */
export function read({ brl, fee, crypto }: ConvertedPart, currency: Currency): Conversion {
  return { brl: BigInt(brl), fee: BigInt(fee), crypto: BigInt(crypto), currency };
}

/** @returns the cents that were asked for, or all that is left where nothing was said. */
export function askedOrLeft(row: ProcessRow, amount: string | undefined): bigint {
  return amount === undefined ? leftOf(row) : cents(amount);
}

/** @returns an amount of BRL as text. */
export function brlText(amount: bigint): string {
  return fromMinor(amount, BRL.decimals);
}

/** @returns the cents of all of these. */
export function sumOf(returns: readonly PixReturn[]): bigint {
  return returns.reduce((sum, { amount }) => sum + toMinor(amount, BRL.decimals), 0n);
}

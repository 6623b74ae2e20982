/**
 * A dispute (MED) about a payment with parallel partial refunds. The bank takes the disputed amount from the payment,
 * and then refuses a refund that is still under way. A dispute therefore covers the amount that running refunds leave,
 * and the money of a refund that fails.
 */
import { type StepName, stepNameOf } from '../base/ids/step-name.ts';
import type { Conversion } from '../ledger/journals.ts';
import * as journals from '../ledger/journals.ts';
import type { Journal } from '../ledger/posting.ts';
import { cents, conversionIn } from './amounts.ts';
import type { ConvertedPart, PixReturn, Process, ProcessRow } from './facts.ts';
import { beyondPayment, brlText, ended, leftOf, partOf, read, returnsOf, storedPart } from './returns.ts';
import type { Change, PostView, View } from './transition.ts';

/** The step of an open dispute. */
export const OPEN: StepName = 'dispute/OPEN';

/** @returns whether a dispute is open: another one about the same payment has to wait until its end. */
export function isDisputed(row: Pick<ProcessRow, 'component' | 'state'>): boolean {
  return stepNameOf(row) === OPEN;
}

/** @returns the disputed cents, as if no refund were under way. */
export function claimOf(row: ProcessRow, amount: bigint | undefined): bigint {
  const settled = returnsOf(row.process ?? {}).filter(({ state }) => state !== 'requested');
  const most = leftOf({ ...row, process: { ...(row.process as Process), returns: settled } });
  return amount === undefined || amount > most ? most : amount;
}

/** @returns the list after the refund of this part failed, and the amount of it that a dispute takes. */
export function partFailed(view: View, failed: PixReturn | undefined): Change {
  if (!failed) return {};
  const returns = ended(view, [failed], { state: 'credited_back' });
  const freed = cryptoOf(failed.part);
  const after = { ...view, row: withReturns(view.row, returns), process: { ...view.process, returns } };
  return { process: isDisputed(view.row) ? openGrown(after, freed) : acceptedGrown(after) };
}

/** Share of the dispute in the crypto that a failed part releases. */
export function claimedByDispute(view: Pick<PostView, 'row' | 'before'>, freed: bigint): readonly Journal[] {
  const { row, before } = view;
  const { currency } = conversionIn(row);
  const after = row.process as Process;
  if (isDisputed(row)) {
    const held = BigInt(after.disputed ?? 0) - BigInt(before.disputed ?? 0);
    return held > 0n ? [journals.holdCredited(currency, held)] : [];
  }
  const beforeOf = ({ returnId }: PixReturn) => returnsOf(before).find((each) => each.returnId === returnId);
  const grown = returnsOf(after).find((each) => {
    const old = beforeOf(each);
    return each.kind === 'dispute' && old && each.amount !== old.amount;
  });
  const old = grown && beforeOf(grown);
  if (!grown?.part || !old?.part) return [];
  const [now, then] = [read(grown.part, currency), read(old.part, currency)];
  const more = {
    currency,
    brl: now.brl - then.brl,
    fee: notNegative(now.fee - then.fee),
    crypto: notNegative(now.crypto - then.crypto),
  };
  const held = freed < more.crypto ? freed : more.crypto;
  const twice = beyondPayment(grown) - beyondPayment(old);
  return [journals.holdCredited(currency, held), ...unwound(more, held), journals.payerPaidTwice(twice)];
}

/**
 * @returns journals of an accepted dispute: out of the held amount, and a receivable from the account holder for the
 * rest.
 */
export function unwound(part: Conversion, held: bigint): readonly Journal[] {
  const share = (amount: bigint) => (part.crypto === 0n ? amount : (amount * held) / part.crypto);
  const covered = { ...part, crypto: held, brl: share(part.brl), fee: share(part.fee) };
  const rest = {
    ...part,
    crypto: part.crypto - held,
    brl: part.brl - covered.brl,
    fee: part.fee - covered.fee,
  };
  return [journals.disputeAccepted(covered), journals.disputeAcceptedUncovered(rest)];
}

/**
 * @returns journals of a return by the bank for which nothing is held: reversed up to the amount of the payment. The
 * conversion beyond that is already unwound, so the account holder owes the BRL.
 */
export function unheld(row: ProcessRow, made: PixReturn): readonly Journal[] {
  if (!made.part) return [];
  const part = read(made.part, conversionIn(row).currency);
  return [journals.disputeAcceptedUncovered(part), journals.payerPaidTwice(beyondPayment(made))];
}

/** @returns the accepted dispute that may have debited more than is booked, if the bank reports this amount. */
export function claimant({ process }: Pick<View, 'process'>, amount: bigint): PixReturn | undefined {
  return returnsOf(process).find(
    ({ kind, claim, amount: booked }) =>
      kind === 'dispute' && claim !== undefined && cents(booked) <= amount && amount <= BigInt(claim),
  );
}

/**
 * The bank reports the amount of the dispute: running partial refunds that are no longer covered end, and the account
 * holder owes the house the rest.
 */
export function confirmed(view: View<'dispute_returned'>): Change {
  const amount = cents(view.trigger.amount);
  const entry = claimant(view, amount) as PixReturn;
  const overtaken = overtakenBy(view.process, amount - cents(entry.amount));
  const returns = ended(view, overtaken, { state: 'credited_back', isOvertaken: true });
  return { process: { returns: grow(view.row, returns, { ...entry, claim: undefined }, amount) } };
}

/** @returns the journals of `confirmed`. */
export function confirmedJournals(view: PostView<'dispute_returned'>): readonly Journal[] {
  const { row, before, trigger } = view;
  const amount = cents(trigger.amount);
  const entry = claimant({ process: before }, amount) as PixReturn;
  const overtaken = overtakenBy(before, amount - cents(entry.amount));
  const { currency } = conversionIn(row);
  const back = overtaken.flatMap(({ part }) => (part ? [journals.refundReversed(read(part, currency))] : []));
  const freed = overtaken.reduce((sum, { part }) => sum + cryptoOf(part), 0n);
  return [...back, ...claimedByDispute(view, freed)];
}

/** @returns the return of this id that a dispute has overtaken. */
export function overtakenReturn(process: Process, returnId: string | undefined): PixReturn | undefined {
  return returnsOf(process).find((each) => each.isOvertaken && each.returnId === returnId);
}

/** Running partial refunds that release at least this many cents; all of them if they sum to less. */
function overtakenBy(process: Process, brl: bigint): readonly PixReturn[] {
  const found: PixReturn[] = [];
  let sum = 0n;
  for (const each of returnsOf(process)) {
    if (sum >= brl) break;
    if (each.kind !== 'part' || each.state !== 'requested') continue;
    found.push(each);
    sum += cents(each.amount);
  }
  return found;
}

function openGrown({ row, process }: Pick<View, 'row' | 'process'>, freed: bigint): Partial<Process> {
  const { returns, disputeClaim, disputed = '0' } = process;
  if (disputeClaim === undefined) return { ...(returns && { returns }) };
  const [left, claim] = [leftOf(row), BigInt(disputeClaim)];
  const brl = claim < left ? claim : left;
  const part = partOf(row, brl);
  const held = BigInt(disputed) + freed;
  return {
    ...(returns && { returns }),
    dispute: storedPart(part),
    disputed: String(held < part.crypto ? held : part.crypto),
    disputeClaim: claim > brl ? disputeClaim : undefined,
  };
}

function acceptedGrown({ row, process }: Pick<View, 'row' | 'process'>): Partial<Process> {
  const returns = returnsOf(process);
  const entry = returns.find(({ kind, claim }) => kind === 'dispute' && claim !== undefined);
  if (!entry) return { returns };
  const claim = BigInt(entry.claim as string);
  const most = cents(entry.amount) + leftOf(row);
  const brl = claim < most ? claim : most;
  return { returns: grow(row, returns, { ...entry, ...(claim <= brl && { claim: undefined }) }, brl) };
}

/** @returns the list in which this accepted dispute is about the given cents. */
function grow(
  row: ProcessRow,
  returns: readonly PixReturn[],
  entry: PixReturn,
  brl: bigint,
): readonly PixReturn[] {
  const others = returns.filter(({ returnId }) => returnId !== entry.returnId);
  const isSame = brl === cents(entry.amount);
  const part = isSame ? entry.part : storedPart(partOf(withReturns(row, others), brl));
  const grown = { ...entry, amount: brlText(brl), ...(part && { part }) };
  return returns.map((each) => (each.returnId === entry.returnId ? grown : each));
}

/** @returns a transaction with another list of returns. */
export function withReturns(row: ProcessRow, returns: readonly PixReturn[]): ProcessRow {
  return { ...row, process: { ...(row.process as Process), returns } };
}

function cryptoOf(part: ConvertedPart | undefined): bigint {
  return part ? BigInt(part.crypto) : 0n;
}

function notNegative(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

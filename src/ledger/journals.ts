/**
 * The chart of journals, L1 to L58 and from L60: the postings of each transition, computed from the amounts that really
 * moved. All amounts are minor units of their currency. Names and sides are those of postings.json; docs/ledger.md
 * explains them.
 */
import { BRL, type Currency } from '../base/money/currency.ts';
import { type AccountRole, credit, debit, type Journal, journal, type Posting } from './posting.ts';

/** A conversion at a locked quote: BRL before the fee, the fee, and the crypto on the other side. */
export interface Conversion {
  readonly brl: bigint;
  readonly fee: bigint;
  readonly crypto: bigint;
  readonly currency: Currency;
}

/** A conversion of a deposit of an exact amount: `suffix` is the excess of the deposit over `crypto`. */
export interface DepositConversion extends Conversion {
  readonly suffix: bigint;
}

/** An on-chain movement: the total that leaves, which includes the network's fee. */
export interface NetworkMove {
  readonly amount: bigint;
  readonly networkFee: bigint;
}

const move = (name: string, from: AccountRole, to: AccountRole) => (currency: Currency, amount: bigint) =>
  journal(name, debit(from, currency, amount), credit(to, currency, amount));
const moveBrl = (name: string, from: AccountRole, to: AccountRole) => (amount: bigint) =>
  move(name, from, to)(BRL, amount);

/** L1, L1b: a PIX payment of any amount was received. */
export const pixPaid = moveBrl('L1', 'A.pix', 'L.payer');
/** L3: the converted crypto becomes available. */
export const creditAccount = move('L3', 'M.to_receive', 'M.available');
/** L4: the payment is refunded to the payer. */
export const pixRefunded = moveBrl('L4', 'L.payer', 'A.pix');
/** L6: an amount is held after it was credited (dispute, compliance). */
export const holdCredited = move('L6', 'M.available', 'M.blocked');
/** L7: a hold ends. */
export const releaseHold = move('L7', 'M.blocked', 'M.available');
/** L9: the excess over the price is refunded. */
export const excessReturned = moveBrl('L9', 'L.payer', 'A.pix');
/** L11: a delivery is confirmed by the network. */
export const deliveryConfirmed = move('L11', 'M.in_transit', 'A.custody');
/** L12: the network's charge to the house, in its native coin. */
export const gasSpent = move('L12', 'X.gas', 'A.custody');
/** L20, L40, L47: an amount is reserved for an offramp or a withdrawal. */
export const reserve = move('L20', 'M.available', 'M.in_transit');
/** L22: a payout is settled. */
export const payoutSettled = moveBrl('L22', 'L.payout', 'A.pix');
/** L23, L43: a reservation ends unused. */
export const releaseReservation = move('L23', 'M.in_transit', 'M.available');
/** L25, L49: a PIX payout came back. */
export const payoutReturned = moveBrl('L25', 'A.pix', 'M.available');
/** L30: a deposit was seen, not final. */
export const depositSeen = move('L30', 'A.inbound', 'M.to_receive');
/** L31: a deposit is final. */
export const depositConfirmed = move('L31', 'A.custody', 'A.inbound');
/** L33: a deposit of a wrong amount, or a late one, is held. */
export const depositHeld = move('L33', 'M.to_receive', 'M.blocked');
/** L35: a held deposit is kept by the account holder. */
export const depositCredited = move('L35', 'M.blocked', 'M.available');
/** L36: a deposit was dropped by the network before it was final. */
export const depositDropped = move('L36', 'M.to_receive', 'A.inbound');
/** L37: a deposit that belongs to no session. */
export const depositUnmatched = move('L37', 'A.custody', 'L.suspense');
/** L38: an unmatched deposit is assigned to a session. */
export const suspenseAssigned = move('L38', 'L.suspense', 'M.blocked');
/** L50: a PIX that no transaction accepts. */
export const pixUnmatched = moveBrl('L50', 'A.pix', 'L.suspense');
/** L52: suspense passes to another account holder: the half of the former holder. */
export const suspenseReleased = move('L52', 'L.suspense', 'C.clearing');
/** L53: the new holder's half of L52. */
export const suspenseReceived = move('L53', 'C.clearing', 'M.blocked');
/** L54: L37 mirrored: a deposit in suspense was dropped by the network after it had been final. */
export const suspenseDropped = move('L54', 'L.suspense', 'A.custody');
/**
 * L55: like L54 for suspense that was assigned or matched with its transaction: a receivable from the account holder.
 */
export const creditedDropped = move('L55', 'A.recv', 'A.custody');
/** L56: like L55 if another account holder got it: the half of the former holder. */
export const releasedDropped = move('L56', 'C.clearing', 'A.custody');
/** L57: the new holder's half of L56. */
export const receivedDropped = move('L57', 'A.recv', 'C.clearing');
/** L58: like L54 after it was sent back: the house bears the loss. */
export const returnedDropped = move('L58', 'E.capital', 'A.custody');
/** L41: a withdrawal was broadcast; the network's fee is charged. */
export const withdrawalBroadcast = move('L41', 'M.in_transit', 'R.netfee');
/** L42: a withdrawal is confirmed by the network. */
export const withdrawalConfirmed = move('L42', 'M.in_transit', 'A.custody');
/** L44: a withdrawal was reverted by the network; the fee is lost. */
export const withdrawalReverted = move('L44', 'M.in_transit', 'M.available');
/** L45: compliance holds a reserved withdrawal. */
export const reservationHeld = move('L45', 'M.in_transit', 'M.blocked');
/** L46: a held withdrawal continues. */
export const reservationResumed = move('L46', 'M.blocked', 'M.in_transit');
/** L48: a BRL withdrawal is settled by PIX. */
export const brlWithdrawalSettled = moveBrl('L48', 'M.in_transit', 'A.pix');

/** L62: a failed refund is paid to the payer by hand, from the same bank account. */
export const payerPaidManually = moveBrl('L62', 'L.payer', 'A.pix');

/** L63: a receivable after a lost dispute or a dropped deposit is settled from the account holder's balance. */
export const receivableSettled = move('L63', 'M.available', 'A.recv');
/** L64: the house writes off a receivable from the account holder. */
export const receivableBorne = move('L64', 'E.capital', 'A.recv');

/**
 * L67: the payer received more than the payment; the excess was not converted, so it is a receivable in BRL from the
 * account holder.
 */
export const payerPaidTwice = moveBrl('L67', 'A.recv', 'A.pix');

/** L65: the operator pays capital in. */
export function capitalPaidIn(currency: Currency, amount: bigint): Journal {
  return move('L65', vaultOf(currency), 'E.capital')(currency, amount);
}

/** L66: the operator withdraws capital. */
export function capitalWithdrawn(currency: Currency, amount: bigint): Journal {
  return move('L66', 'E.capital', vaultOf(currency))(currency, amount);
}

/** L2: BRL of the payer becomes crypto to be received, at the locked quote. */
export function swapIn(conversion: Conversion): Journal {
  return journal(
    'L2',
    debit('L.payer', BRL, conversion.brl),
    ...incomeOf(conversion),
    ...cryptoFrom('E.fx', 'M.to_receive', conversion),
  );
}

/** L5: L2 mirrored. */
export function swapInReversed(conversion: Conversion): Journal {
  return journal(
    'L5',
    ...cryptoFrom('M.to_receive', 'E.fx', conversion),
    ...refundedPart(conversion),
    credit('L.payer', BRL, conversion.brl),
  );
}

/** L8: a dispute was accepted: the blocked crypto is unwound and the payment returned. */
export function disputeAccepted(conversion: Conversion): Journal {
  return journal(
    'L8',
    ...cryptoFrom('M.blocked', 'E.fx', conversion),
    ...refundedPart(conversion),
    credit('A.pix', BRL, conversion.brl),
  );
}

/** L8b: like L8 if nothing is left to block: a receivable from the account holder. */
export function disputeAcceptedUncovered(conversion: Conversion): Journal {
  return journal(
    'L8b',
    ...cryptoFrom('A.recv', 'E.fx', conversion),
    ...refundedPart(conversion),
    credit('A.pix', BRL, conversion.brl),
  );
}

/** L60: the account holder refunds a payment, or a part of it, from the balance; the house then owes it to the payer. */
export function refundDebited(conversion: Conversion): Journal {
  return journal(
    'L60',
    ...cryptoFrom('M.available', 'E.fx', conversion),
    ...refundedPart(conversion),
    credit('L.payer', BRL, conversion.brl),
  );
}

/** L61: L60 mirrored: the refund failed, and the account holder gets it back. */
export function refundReversed(conversion: Conversion): Journal {
  return journal(
    'L61',
    debit('L.payer', BRL, conversion.brl),
    ...incomeOf(conversion),
    ...cryptoFrom('E.fx', 'M.available', conversion),
  );
}

/** L10: a delivery was broadcast; the network's fee is charged to it. */
export function deliveryBroadcast(currency: Currency, { amount, networkFee }: NetworkMove): Journal {
  return journal(
    'L10',
    debit('M.to_receive', currency, amount),
    credit('M.in_transit', currency, amount - networkFee),
    credit('R.netfee', currency, networkFee),
  );
}

/** L13: a delivery failed permanently: the whole amount is credited to the balance, including the fee. */
export function deliveryFailed(currency: Currency, { amount, networkFee }: NetworkMove): Journal {
  return journal(
    'L13',
    debit('M.in_transit', currency, amount - networkFee),
    debit('R.netfee', currency, networkFee),
    credit('M.available', currency, amount),
  );
}

/** L21: reserved crypto becomes a BRL payout; `brl` is the payee's amount plus the fee. */
export function swapOut(conversion: Conversion): Journal {
  return journal('L21', ...cryptoFrom('M.in_transit', 'E.fx', conversion), ...payoutOf(conversion));
}

/** L24: L21 mirrored, at the locked rate: the payout was rejected. */
export function swapOutReversed(conversion: Conversion): Journal {
  return journal('L24', ...payoutReversed(conversion), ...cryptoFrom('E.fx', 'M.in_transit', conversion));
}

/** L32: a deposit becomes a BRL payout; the suffix of the exact amount stays with the house. */
export function depositSwapped(conversion: DepositConversion): Journal {
  const { currency, crypto, suffix } = conversion;
  return journal(
    'L32',
    debit('M.to_receive', currency, crypto + suffix),
    credit('E.fx', currency, crypto),
    credit('R.dust', currency, suffix),
    ...payoutOf(conversion),
  );
}

/** L39: L32 mirrored into blocked: the payout was rejected, the crypto is held. */
export function depositSwapReversed(conversion: DepositConversion): Journal {
  const { currency, crypto, suffix } = conversion;
  return journal(
    'L39',
    ...payoutReversed(conversion),
    debit('E.fx', currency, crypto),
    debit('R.dust', currency, suffix),
    credit('M.blocked', currency, crypto + suffix),
  );
}

/** L34: a held deposit is sent back on-chain, less the network's fee. */
export function depositReturned(currency: Currency, { amount, networkFee }: NetworkMove): Journal {
  return journal(
    'L34',
    debit('M.blocked', currency, amount),
    credit('A.custody', currency, amount - networkFee),
    credit('R.netfee', currency, networkFee),
  );
}

/** L51: money in suspense is returned to its sender; a network charges its fee to it. */
export function suspenseReturned(currency: Currency, { amount, networkFee }: NetworkMove): Journal {
  return journal(
    'L51',
    debit('L.suspense', currency, amount),
    credit(currency === BRL ? 'A.pix' : 'A.custody', currency, amount - networkFee),
    credit('R.netfee', currency, networkFee),
  );
}

/** An adjustment without a transaction: the account is credited with an amount that the house holds for it. */
export function fund(currency: Currency, amount: bigint): Journal {
  return move('adjustment', vaultOf(currency), 'M.available')(currency, amount);
}

/** Ledger account in which the house holds a currency. */
export function vaultOf(currency: Currency): 'A.pix' | 'A.custody' {
  return currency === BRL ? 'A.pix' : 'A.custody';
}

function cryptoFrom(from: AccountRole, to: AccountRole, { currency, crypto }: Conversion): Posting[] {
  return [debit(from, currency, crypto), credit(to, currency, crypto)];
}

/** BRL side of a conversion on its way in: the house's position, and the fee. */
function incomeOf({ brl, fee }: Conversion): Posting[] {
  return [credit('E.fx', BRL, brl - fee), credit('R.fee', BRL, fee)];
}

function refundedPart({ brl, fee }: Conversion): Posting[] {
  return [debit('E.fx', BRL, brl - fee), debit('R.fee', BRL, fee)];
}

/** BRL side of a conversion on its way out: from the house's position to the payee, less the fee. */
function payoutOf({ brl, fee }: Conversion): Posting[] {
  return [debit('E.fx', BRL, brl), credit('L.payout', BRL, brl - fee), credit('R.fee', BRL, fee)];
}

function payoutReversed({ brl, fee }: Conversion): Posting[] {
  return [debit('L.payout', BRL, brl - fee), debit('R.fee', BRL, fee), credit('E.fx', BRL, brl)];
}

/** PIX of the sandbox: charges that only scenarios pay, and payouts and returns that settle after a second. */

import { BRL } from '../../base/money/currency.ts';
import { fromMinor, withDecimals } from '../../base/money/money.ts';
import { asciiOf, dynamicBrCode } from '../../base/pix/br-code.ts';
import { newEndToEndId } from '../../base/pix/end-to-end-id.ts';
import type { PaymentEvent, RefundEvent } from '../../resolvers/services/rail-event.ts';
import { type PixRail, RailRefused } from '../../resolvers/services/rails.ts';
import { cents } from '../../templates/amounts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { type Outcome, type RailParts, refundOnce, SETTLE_MS, submitOnce } from './orders.ts';
import { sandboxStatement } from './statement.ts';

/** Replaces a name without any letter that a code can contain. */
const NO_NAME = 'Crossramp Sandbox';
const merchantCity = 'SAO PAULO';
/** ISPB of the house's bank. No real bank has this code, so ids of the sandbox never equal those of a real payment. */
export const ISPB = '99999999';
/** Delay of an automatic payment. Unit: ms. */
const PAY_MS = 2_000;

/**
 * @param isAuto - whether charges are paid automatically, two seconds after they were made.
 * @returns the rail. In the sandbox's directory a CPF or CNPJ belongs to itself; any other key belongs to the payee of
 *   the order.
 */
export function sandboxPix(parts: RailParts, isAuto: boolean): PixRail {
  return {
    ispb: ISPB,
    // Answers to MED cases have no effect, because scenarios decide disputes.
    answerMedCase: async () => {},
    createCharge: async ({ txid, merchantName, ...order }) => {
      const plan = await submitOnce(parts, order, {
        kind: 'charge',
        request: { txid },
        plans: ['charge-fail'],
        ...(isAuto && {
          outcomes: (nowMs, failing) => (failing ? [] : [paidByItself(order.row, txid, nowMs)]),
        }),
      });
      if (plan) throw new RailRefused('the sandbox was set to create no charge');
      const url = `sandbox.pix.local/qr/v2/${txid}`;
      return { brCode: dynamicBrCode({ url, merchantName: asciiOf(merchantName) || NO_NAME, merchantCity }) };
    },
    cancelCharge: (order) => submitOnce(parts, order, { kind: 'charge_cancel', request: {} }),
    payOut: ({ amount, ...order }) =>
      submitOnce(parts, order, {
        kind: 'payout',
        request: { amount, pixKey: order.row.pixKey },
        plans: ['pix-out-reject'],
        outcomes: (nowMs, plan) => [
          {
            event: {
              kind: 'payout_ended',
              order: order.key,
              isDone: !plan,
              endToEndId: plan ? null : newId(nowMs + SETTLE_MS),
            },
            afterMs: SETTLE_MS,
          },
        ],
      }),
    returnPayment: ({ returnId, amount, isExcess, ...order }) =>
      submitOnce(parts, order, {
        kind: 'return',
        request: { returnId, amount, isExcess, endToEndId: order.row.pixE2e },
        plans: [isExcess ? 'excess-fail' : 'refund-fail'],
        outcomes: (_nowMs, plan) => [
          {
            event: returnEnded({ order: returnId, endToEndId: order.row.pixE2e, isDone: !plan }),
            afterMs: SETTLE_MS,
          },
        ],
      }),
    refund: ({ endToEndId, amount, ...order }) =>
      refundOnce(
        parts,
        order,
        { endToEndId, amount },
        { rail: 'pix', endToEndId, networkFee: null, gas: null, txHash: null },
      ),
    keyOwner: async ({ pixKey, pixKeyType, clientTaxId }) =>
      pixKeyType === 'cpf' || pixKeyType === 'cnpj' ? pixKey : clientTaxId,
    statement: sandboxStatement(parts.database),
  };
}

/** A PIX that arrives. */
export interface Payment {
  /** Txid of the paid charge; null for a payment without one. */
  readonly txid: string | null;
  /** Amount in cents. */
  readonly amount: bigint;
  readonly settledAtMs: number;
  readonly payerTaxId: string | null;
  readonly payerName?: string;
}

/** @returns the event of a new payment. */
export function newPayment({ txid, amount, settledAtMs, payerTaxId, payerName }: Payment): PaymentEvent {
  return {
    kind: 'payment',
    txid,
    endToEndId: newId(settledAtMs),
    amount: withDecimals(fromMinor(amount, BRL.decimals), BRL.decimals),
    settledAt: new Date(settledAtMs).toISOString(),
    payerTaxId,
    ...(payerName !== undefined && { payerName }),
  };
}

/** @returns the rail event that ends a return. */
export function returnEnded(end: Pick<RefundEvent, 'order' | 'endToEndId' | 'isDone'>): RefundEvent {
  return { kind: 'refund_ended', rail: 'pix', ...end, networkFee: null, gas: null, txHash: null };
}

function paidByItself({ sourceAmount, clientTaxId }: ProcessRow, txid: string, nowMs: number): Outcome {
  const amount = cents(sourceAmount);
  const event = newPayment({ txid, amount, settledAtMs: nowMs + PAY_MS, payerTaxId: clientTaxId });
  return { event, afterMs: PAY_MS };
}

function newId(atMs: number): string {
  return newEndToEndId({ ispb: ISPB, at: new Date(atMs) });
}

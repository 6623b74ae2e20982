/** Links by which a payer finds what to pay: the hosted page, the QR image, the deposit (contract 4). */

import { known } from '../../base/assert.ts';
import { currencyOfLedger } from '../../base/currency.ts';
import { toMinor } from '../../base/money.ts';
import { type PaymentRequest, paymentUri } from '../../base/payment-uri.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';

/** Where hosted pages are. */
export const PAY_PATH = '/pay';

/** @returns the URL of the hosted page. */
export function hostedPage({ publicUrl }: Services, row: ProcessRow): string {
  return `${publicUrl}${PAY_PATH}/${known(row.process?.session, 'a session')}`;
}

/** @returns the URL of the QR image of what is to be paid, SVG; null where nothing is. */
export function qrImage(services: Services, row: ProcessRow): string | null {
  return qrContent(row) === undefined ? null : `${hostedPage(services, row)}/qr.svg`;
}

/** @returns what the QR image says: the PIX code, the link of a deposit, or its address where the network has no link. */
export function qrContent(row: ProcessRow): string | undefined {
  return row.process?.brCode ?? depositUri(row) ?? depositPayment(row)?.address;
}

/** @returns the link that opens a wallet with address and exact amount; undefined where the network has no such form. */
export function depositUri(row: ProcessRow): string | undefined {
  const deposit = depositPayment(row);
  return deposit && paymentUri(deposit);
}

function depositPayment(row: ProcessRow): PaymentRequest | undefined {
  if (!row.depositAddress || !row.exactDepositAmount || !row.sourceCurrency) return undefined;
  const currency = currencyOfLedger(row.sourceCurrency);
  return {
    currency,
    address: row.depositAddress,
    amountMinor: toMinor(row.exactDepositAmount, currency.decimals),
  };
}

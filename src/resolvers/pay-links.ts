/** Links by which a payer finds what to pay: the hosted page, the QR image, the deposit (contract 4). */
import { currencyOfLedger } from '../base/currency.ts';
import { toMinor } from '../base/money.ts';
import type { PaymentRequest } from '../base/payment-uri.ts';
import { known } from '../templates/amounts.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Services } from './context.ts';

/** Where hosted pages are. */
export const PAY_PATH = '/pay';

/** @returns the URL of the hosted page. */
export function hostedPage({ publicUrl }: Services, row: ProcessRow): string {
  return `${publicUrl}${PAY_PATH}/${known(row.process?.session, 'a session')}`;
}

/** @returns the URL of the image of the PIX code, SVG. */
export function qrImage(services: Services, row: ProcessRow): string {
  return `${hostedPage(services, row)}/qr.svg`;
}

/** @returns what a payer is asked to deposit; undefined for a transaction without a deposit. */
export function depositPayment(row: ProcessRow): PaymentRequest | undefined {
  if (!row.depositAddress || !row.exactDepositAmount || !row.sourceCurrency) return undefined;
  const currency = currencyOfLedger(row.sourceCurrency);
  return {
    currency,
    address: row.depositAddress,
    amountMinor: toMinor(row.exactDepositAmount, currency.decimals),
  };
}

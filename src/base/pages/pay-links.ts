/** Links for a payer: the hosted page, the QR image, the deposit (contract 4). */

import { type PaymentRequest, paymentUri } from '../chain/payment-uri.ts';
import { known } from '../errors/assert.ts';
import { currencyOfLedger } from '../money/currency.ts';
import { toMinor } from '../money/money.ts';

/** Path below which hosted pages are. */
export const PAY_PATH = '/pay';

/** Payment data of a transaction. */
export interface Payable {
  readonly process: { readonly session?: string | undefined; readonly brCode?: string | undefined } | null;
  readonly depositAddress: string | null;
  readonly exactDepositAmount: string | null;
  readonly sourceCurrency: string | null;
}

/** Public base URL of the gateway, and related settings. */
interface LinkBase {
  readonly publicUrl: string;
}

/** @returns the URL of the hosted page. */
export function hostedPage({ publicUrl }: LinkBase, { process }: Pick<Payable, 'process'>): string {
  return `${publicUrl}${PAY_PATH}/${known(process?.session, 'a session')}`;
}

/** @returns the URL of the QR image of the payment, SVG; null if there is none. */
export function qrImage(base: LinkBase, row: Payable): string | null {
  return qrContent(row) === undefined ? null : `${hostedPage(base, row)}/qr.svg`;
}

/** @returns the content of the QR image: the PIX code, the link of a deposit, or its address if the network has no link. */
export function qrContent(row: Payable): string | undefined {
  return row.process?.brCode ?? depositUri(row) ?? depositPayment(row)?.address;
}

/** @returns the link that opens a wallet with address and exact amount; undefined if the network has no such form. */
export function depositUri(row: Payable): string | undefined {
  const deposit = depositPayment(row);
  return deposit && paymentUri(deposit);
}

function depositPayment(row: Payable): PaymentRequest | undefined {
  if (!row.depositAddress || !row.exactDepositAmount || !row.sourceCurrency) return undefined;
  const currency = currencyOfLedger(row.sourceCurrency);
  return {
    currency,
    address: row.depositAddress,
    amountMinor: toMinor(row.exactDepositAmount, currency.decimals),
  };
}

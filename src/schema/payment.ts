/** Payment: facts of a transaction that its payer needs. */

import { BRL, currencyOfLedger } from '../base/money/currency.ts';
import { depositUri, hostedPage, qrImage } from '../base/pages/pay-links.ts';
import { paidAmount } from '../resolvers/payer/payer-facts.ts';
import { hasPayer } from '../templates/accepts.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { type CurrencyRefs, moneyOf } from './currency.ts';
import type { Loaders, NumberedRecord } from './loaders.ts';

/** Defines `Payment`. */
export function definePayment(builder: Builder, { money }: Pick<CurrencyRefs, 'money'>) {
  return builder.objectRef<ProcessRow>('Payment').implement({
    description: 'Data for a payer: the hosted page, and the amount to pay or deposit.',
    fields: (t) => ({
      link: t.string({
        description: 'URL of the hosted page.',
        resolve: (row, _args, context) => hostedPage(context, row),
      }),
      pixCopyPaste: t.string({
        nullable: true,
        description:
          'PIX code to pay (copy and paste); null until the charge exists, and when nothing is paid by PIX.',
        resolve: (row) => row.process?.brCode ?? null,
      }),
      qrSvgUrl: t.string({
        nullable: true,
        description: 'URL of the QR image to pay or deposit by, SVG; null when there is none.',
        resolve: (row, _args, context) => qrImage(context, row),
      }),
      depositUri: t.string({
        nullable: true,
        description:
          'Link that opens a wallet with the address and the exact amount; null when no deposit is expected or the network has no such form.',
        resolve: (row) => depositUri(row) ?? null,
      }),
      paid: t.field({
        type: money,
        nullable: true,
        description:
          'Total that came from the payer, before any return; null until it came. The expected amount is `source`, or the `exactDepositAmount` of a deposit.',
        resolve: (row) => moneyOf(paidAmount(row), currencyOfLedger(row.sourceCurrency ?? BRL.code)) as never,
      }),
    }),
  });
}

/**
 * @returns the payment of a transaction; null without a payer: for money that leaves the account, and for imported
 *   history.
 */
export async function paymentOf(
  { loaders, registry }: GraphqlContext,
  transaction: NumberedRecord,
): Promise<ProcessRow | null> {
  const row = await sessionRowOf(loaders, transaction);
  return row && hasPayer(registry.of(row.template)) ? row : null;
}

/** @returns the page of a transaction, which is its receipt once it has ended; null for imported history. */
export async function receiptUrlOf(
  context: GraphqlContext,
  transaction: NumberedRecord,
): Promise<string | null> {
  const row = await sessionRowOf(context.loaders, transaction);
  return row && hostedPage(context, row);
}

async function sessionRowOf(loaders: Loaders, transaction: NumberedRecord): Promise<ProcessRow | null> {
  const row = await loaders.process.load(transaction);
  return row?.process?.session ? row : null;
}

/** Payment: what a payer needs to know of a transaction. */
import { depositUri, hostedPage, qrImage } from '../base/pay-links.ts';
import { readProcesses } from '../store/engine/processes.ts';
import { hasPayer } from '../templates/accepts.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Builder, GraphqlContext } from './builder.ts';

/** Defines `Payment`. */
export function definePayment(builder: Builder) {
  return builder.objectRef<ProcessRow>('Payment').implement({
    description: 'What a payer needs: the hosted page, and what to pay or deposit.',
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
    }),
  });
}

/** @returns the payment of a transaction; null where nobody pays: what leaves the account, and imported history. */
export async function paymentOf(
  { database, registry }: GraphqlContext,
  transaction: Identity,
): Promise<ProcessRow | null> {
  const row = await sessionRowOf(database, transaction);
  return row && hasPayer(registry.of(row.template)) ? row : null;
}

/** @returns the page of a transaction, which is its receipt once it has ended; null for imported history. */
export async function receiptUrlOf(context: GraphqlContext, transaction: Identity): Promise<string | null> {
  const row = await sessionRowOf(context.database, transaction);
  return row && hostedPage(context, row);
}

/** Which transaction it is. */
interface Identity {
  readonly accountId: bigint;
  readonly id: bigint;
}

async function sessionRowOf(
  database: GraphqlContext['database'],
  { accountId, id }: Identity,
): Promise<ProcessRow | null> {
  const [row] = await readProcesses(database, [{ accountId, transactionId: id }]);
  return row?.process?.session ? row : null;
}

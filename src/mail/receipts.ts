/**
 * Sends receipts that payers requested, after their transactions have succeeded. Attempts follow the schedule of
 * notifications.
 */
import type { Logger } from 'pino';
import type { Services } from '../resolvers/services/context.ts';
import {
  type ClaimedReceipt,
  claimReceipt,
  endReceipt,
  releaseReceipts,
} from '../store/people/receipt-mails.ts';
import { endOf, type Outgoing, type Sending, sendEach } from './send-each.ts';

/** Writes the e-mail of a receipt. `id`: message id without the host, the same for each attempt. */
export type WriteReceipt = (
  receipt: ClaimedReceipt,
) => Promise<{ readonly subject: string; readonly text: string; readonly id: string }>;

/** Sends due receipts. @returns milliseconds until more may be due. */
export async function sendReceipts(
  services: Pick<Services, 'database' | 'publicUrl'>,
  sending: Omit<Sending, 'complaint'>,
  write: WriteReceipt,
): Promise<number> {
  await releaseReceipts(services.database);
  return sendEach({ ...sending, complaint: 'a receipt was not accepted' }, () =>
    nextReceipt(services, sending.log, write),
  );
}

async function nextReceipt(
  { database, publicUrl }: Pick<Services, 'database' | 'publicUrl'>,
  log: Pick<Logger, 'error'>,
  write: WriteReceipt,
): Promise<Outgoing | null | undefined> {
  const receipt = await claimReceipt(database);
  if (!receipt) return undefined;
  const { accountId, transactionId, email: to, attempts: attempt } = receipt;
  const about = { account: String(accountId), transaction: String(transactionId) };
  try {
    const { subject, text, id } = await write(receipt);
    const message = { to, subject, text, messageId: `${id}@${new URL(publicUrl).hostname}` };
    return { message, attempt, about, end: (end) => endReceipt(database, receipt, end) };
  } catch (err) {
    log.error({ err, ...about }, 'a receipt could not be written');
    const outcome = {
      kind: 'failed',
      error: 'the receipt could not be written',
      isUnreachable: false,
    } as const;
    await endReceipt(database, receipt, endOf(outcome, attempt));
    return null;
  }
}

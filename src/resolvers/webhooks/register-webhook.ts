/** Makes the endpoint of the webhook that a transaction is made with (C-61). */
import { newSecret } from '../../base/webhook-keys.ts';
import type { Tx } from '../../store/database.ts';
import { ensureTransactionEndpoint } from '../../store/webhooks/webhooks.ts';
import type { ProcessRow } from '../../templates/facts.ts';

/** Ensures the endpoint and its secret, in the database transaction that makes the transaction. */
export async function registerWebhook(tx: Tx, row: ProcessRow): Promise<void> {
  if (row.webhook === null) return;
  await ensureTransactionEndpoint(tx, row.accountId, row.webhook, newSecret(), row.createdAt);
}

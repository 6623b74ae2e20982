/** New notifications, stored in the database transaction of their cause (decision 0087). */
import type { NotificationKind } from '../../base/access/notification-kinds.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** A notification for the people of an account. */
export interface NewNotification {
  readonly kind: NotificationKind;
  /** Id or name of its subject. */
  readonly subject: string;
  /** Details without personal data. */
  readonly facts?: Readonly<Record<string, string | number>>;
}

/** Outcome of an attempt to send a notification or a receipt. */
export type AttemptEnd =
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'pending'; readonly error: string; readonly delayMs: number };

/** Notifications older than this get no recipients, for example when e-mail was set up later. Unit: h. */
export const FRESH_HOURS = 24;
/** Maximum number of notifications whose recipients are chosen together. */
export const ADDRESSED_MAX = 200;

const ADD: Statement = {
  name: 'notification_add',
  text: `insert into notification (account_id, kind, subject, facts)
    select $1, kind, subject, facts from jsonb_to_recordset($2::jsonb) n(kind text, subject text, facts jsonb)`,
};
const ADD_OUTFLOW: Statement = {
  name: 'notification_add_outflow',
  text: `insert into notification (account_id, kind, subject)
    select t.account_id, 'outflow', t.end2end from unnest($1::bigint[], $2::bigint[]) g(account_id, id)
      join transaction t on t.account_id = g.account_id and t.id = g.id
     where not exists (select from notification n where n.account_id = t.account_id and n.kind = 'outflow' and n.subject = t.end2end)`,
};

/**
 * Whether a list of event names names a kind of notifications. An empty list names none, and neither does a pattern
 * whose first part is open: those were chosen for events of transactions.
 */
export function namesNotification(names: string, kind: string): string {
  return `exists (select from unnest(${names}) pattern where pattern like 'account.%'
    and 'account.notification.' || ${kind} ~ ('^' || replace(replace(pattern, '.', '\\.'), '*', '[^.]*') || '$'))`;
}

/** Stores notifications of an account. */
export async function addNotifications(
  tx: Tx,
  accountId: bigint,
  added: readonly NewNotification[],
): Promise<void> {
  if (added.length === 0) return;
  await tx.query(ADD, [accountId, JSON.stringify(added.map((each) => ({ facts: {}, ...each })))]);
}

/** Stores a notification of held money out for each of these transactions, once. */
export async function addOutflowNotifications(
  tx: Tx,
  held: readonly { readonly accountId: bigint; readonly transactionId: bigint }[],
): Promise<void> {
  if (held.length === 0) return;
  await tx.query(ADD_OUTFLOW, [
    held.map(({ accountId }) => accountId),
    held.map(({ transactionId }) => transactionId),
  ]);
}

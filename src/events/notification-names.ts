/** Names of notifications for webhook endpoints, and the body of such a webhook. */
import { NOTIFICATION_KINDS, type NotificationKind } from '../base/access/notification-kinds.ts';
import { type Label, label } from '../base/text/label.ts';
import { type Instant, isoMillis } from '../base/time/instant.ts';

/** Headlines of notifications. */
export const NOTIFICATION_HEADLINES: Readonly<Record<NotificationKind, Label>> = {
  key: label('New API key', 'Nova chave de API'),
  invitation: label('New member invited', 'Novo membro convidado'),
  protection: label('A protection is loosened', 'Proteção afrouxada'),
  outflow: label('Money out waits for approval', 'Saída de dinheiro aguarda aprovação'),
  endpoint: label('Webhook endpoint has problems', 'Endpoint de webhook com problemas'),
  waiting: label('Waiting for you', 'Pendências'),
};

const PREFIX = 'account.notification.';

/** Names of all notifications, such as `account.notification.key`. */
export const NOTIFICATION_NAMES: readonly string[] = NOTIFICATION_KINDS.map(nameOfNotification);

/** @returns the name of a kind. */
export function nameOfNotification(kind: NotificationKind): string {
  return `${PREFIX}${kind}`;
}

/** @returns the kind with this name; undefined if no kind has it. */
export function notificationOf(name: string): NotificationKind | undefined {
  return NOTIFICATION_KINDS.find((kind) => nameOfNotification(kind) === name);
}

/** Facts of a notification. */
export interface NotificationFacts {
  readonly kind: NotificationKind;
  /** Id or name of the object that the notification is about. */
  readonly subject: string;
  /**
   * Name of the key, or host of the endpoint (its whole URL may be a secret of the receiver); null for other kinds.
   */
  readonly name: string | null;
  readonly facts: Readonly<Record<string, string | number>>;
  readonly at: Instant;
}

/** @returns the body of a webhook. */
export function notificationBody(
  account: { readonly id: bigint; readonly name: string },
  { kind, subject, name, facts, at }: NotificationFacts,
): string {
  return JSON.stringify({
    event: nameOfNotification(kind),
    account: { id: String(account.id), name: account.name },
    ...{ subject, name, facts, created_at: isoMillis(at) },
  });
}

/**
 * Sends notifications to the endpoints that subscribe to them, each with its own retries. Notifications are no events:
 * they have no place in the order of events.
 */
import type { Logger } from 'pino';
import { nameOfNotification, notificationBody } from '../events/notification-names.ts';
import { notificationWebhookId } from '../events/webhook-id.ts';
import type { Services } from '../resolvers/services/context.ts';
import type { AttemptEnd } from '../store/engine/notifications.ts';
import { addressHooks, type ClaimedHook, claimHooks, endHook } from '../store/webhooks/notification-hooks.ts';
import { attemptApart } from './attempt-apart.ts';
import type { DispatcherOptions } from './dispatcher.ts';
import { verdictOf } from './schedule.ts';
import type { WebhookOutcome } from './send.ts';

type Sending = Pick<Services, 'database' | 'clock' | 'mode' | 'secrets'>;

/**
 * Chooses the endpoints of new notifications, and sends due ones.
 * @returns whether any were found; if so, more may be due.
 */
export async function sendNotifications(
  services: Sending,
  log: Pick<Logger, 'warn'>,
  options: Pick<DispatcherOptions, 'allowsLoopback' | 'timeoutMs'>,
): Promise<boolean> {
  const { database, clock, mode } = services;
  await addressHooks(database, mode);
  const claimed = await claimHooks(database, mode, new Date(await clock.nowMs()));
  const sent = claimed.map(async (hook) => {
    const end = endOf(await attemptApart(services, webhookOf(hook), options), hook, database.nowMs());
    await endHook(database, hook, end);
    const { endpointId: endpoint, attempt } = hook;
    if (end.state !== 'sent')
      log.warn({ endpoint, attempt, error: end.error, state: end.state }, 'a notification was not accepted');
  });
  for (const each of await Promise.allSettled(sent))
    if (each.status === 'rejected') log.warn({ err: each.reason }, 'a notification could not be ended');
  return claimed.length > 0;
}

function webhookOf(hook: ClaimedHook) {
  const { accountId, accountName, notificationId, kind } = hook;
  return {
    ...hook,
    id: notificationWebhookId(notificationId),
    eventName: nameOfNotification(kind),
    body: notificationBody({ id: accountId, name: accountName }, hook),
  };
}

function endOf(outcome: WebhookOutcome, { attempt }: ClaimedHook, nowMs: number): AttemptEnd {
  const verdict = verdictOf(outcome, { attempt, at: new Date(nowMs), random: Math.random() });
  if (verdict.kind === 'delivered') return { state: 'sent' };
  const error = outcome.error ?? `status ${outcome.status}`;
  if (verdict.kind === 'retry') return { state: 'pending', error, delayMs: verdict.nextDelayMs };
  return { state: 'failed', error };
}

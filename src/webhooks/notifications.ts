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
import { type ApartSender, createApartSender } from './apart-sender.ts';
import { attemptApart } from './attempt-apart.ts';
import type { DispatcherOptions } from './dispatcher.ts';
import { verdictOf } from './schedule.ts';
import type { WebhookOutcome } from './send.ts';

/** @returns a sender of notifications; each cycle first chooses the endpoints of new ones. */
export function createNotificationSender(
  services: Pick<Services, 'database' | 'clock' | 'mode' | 'secrets'>,
  log: Pick<Logger, 'warn'>,
  options: Pick<DispatcherOptions, 'allowsLoopback' | 'timeoutMs'>,
): ApartSender {
  const { database, clock, mode } = services;
  return createApartSender<ClaimedHook>(
    {
      claim: async (limits) => {
        await addressHooks(database, mode);
        return claimHooks(database, mode, new Date(await clock.nowMs()), limits);
      },
      send: async (hook) => {
        const end = endOf(await attemptApart(services, webhookOf(hook), options), hook, database.nowMs());
        await endHook(database, hook, end);
        const { endpointId: endpoint, attempt } = hook;
        if (end.state !== 'sent')
          log.warn(
            { endpoint, attempt, error: end.error, state: end.state },
            'a notification was not accepted',
          );
      },
      complaint: 'a notification could not be ended',
    },
    log,
  );
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

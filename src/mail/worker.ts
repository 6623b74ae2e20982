/**
 * Sends notifications: chooses the recipients of new ones, and sends what is due, one e-mail for each person. Several processes may do so on
 * one database. A message that was accepted just before its process died is sent once more, under the same id.
 */
import type { Logger } from 'pino';
import { ACCOUNT_MODES } from '../base/access/account-mode.ts';
import { type RepeatOptions, repeat } from '../resolvers/engine/repeat.ts';
import type { Services } from '../resolvers/services/context.ts';
import {
  addressNotifications,
  type ClaimedMail,
  claimMail,
  endMail,
  type MailEnd,
} from '../store/people/notification-mails.ts';
import { createDigests, type Digests } from './digest.ts';
import type { Outcome, Sender } from './sender.ts';
import { writeLetter } from './texts.ts';

/** Notifications that go out until they are stopped. */
export interface MailWorker {
  /** Begins no message, and waits for the one that is under way. */
  readonly stop: () => Promise<void>;
}

const REPEAT: RepeatOptions = { failedMs: 10_000, complaint: 'notifications have to wait' };
const POLL_MS = 5_000;
/** Pause after a server could not be reached. Unit: ms. */
const UNREACHABLE_MS = 30_000;
const DIGESTS_MS = 60_000;
/** Messages in one turn; the next one follows at once. */
const MESSAGES_MAX = 20;
/** Waits after each failed attempt; after the last of them the notification has failed. Unit: min. */
const RETRY_MINUTES = [1, 5, 30, 120, 360, 720] as const;
const MINUTE_MS = 60_000;

/** Starts sending, until it is stopped. */
export function startMail(services: Services, log: Logger, sender: Sender): MailWorker {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sending = repeat(signal, log, REPEAT, () => sendDue(services, log, sender, signal));
  return {
    stop: async () => {
      stopping.abort();
      await sending.done;
    },
  };
}

/** Starts making digests, also where there is no mail server: endpoints get them as well. */
export function startDigests(services: Services, log: Logger): MailWorker {
  const stopping = new AbortController();
  const { signal } = stopping;
  const makeDigests = createDigests(services, log);
  const digests = repeat(signal, log, REPEAT, async () => {
    await runDigests(makeDigests, log, signal);
    return DIGESTS_MS;
  });
  return {
    stop: async () => {
      stopping.abort();
      await digests.done;
    },
  };
}

/** Makes the digests of each mode; one that fails keeps no other from its own. */
export async function runDigests(
  makeDigests: Digests,
  log: Pick<Logger, 'warn'>,
  signal?: AbortSignal,
): Promise<void> {
  for (const mode of ACCOUNT_MODES)
    await makeDigests(mode, signal).catch((err: unknown) =>
      log.warn({ err, mode }, 'the digests of a mode have to wait'),
    );
}

/** Sends what is due. @returns after how many milliseconds there may be more. */
export async function sendDue(
  services: Pick<Services, 'database' | 'publicUrl'>,
  log: Logger,
  sender: Sender,
  signal?: AbortSignal,
): Promise<number> {
  const { database } = services;
  await addressNotifications(database);
  for (let count = 0; count < MESSAGES_MAX; count += 1) {
    if (signal?.aborted) return POLL_MS;
    const mail = await claimMail(database);
    if (mail === undefined) return POLL_MS;
    if (mail === null) continue;
    const outcome = await sender.send(messageOf(mail, services.publicUrl));
    const end = endOf(outcome, mail.attempt);
    await endMail(database, mail, end);
    if (end.state === 'sent') continue;
    const { personId: person, attempt } = mail;
    log.warn({ person, attempt, error: end.error, state: end.state }, 'a notification was not accepted');
    if (outcome.kind !== 'accepted' && outcome.isUnreachable) return UNREACHABLE_MS;
  }
  return 0;
}

function messageOf(mail: ClaimedMail, publicUrl: string) {
  const { accountId, accountName, mode, personId, email: to, language, items } = mail;
  const letter = writeLetter({ accountName, isSandbox: mode === 'sandbox', language, items, publicUrl });
  const [first] = items;
  const id = `${accountId}.${first?.notificationId}.${items.length}.${personId}`;
  return { to, ...letter, messageId: `${id}@${new URL(publicUrl).hostname}` };
}

function endOf(outcome: Outcome, attempt: number): MailEnd {
  if (outcome.kind === 'accepted') return { state: 'sent' };
  const minutes = RETRY_MINUTES[attempt - 1];
  const { error } = outcome;
  if (outcome.kind === 'refused' || minutes === undefined) return { state: 'failed', error };
  return { state: 'pending', error, delayMs: minutes * MINUTE_MS };
}

/**
 * Sends receipts and notifications: chooses the recipients of new notifications, and sends due ones, one e-mail per
 * person. Several processes may run a worker on one database. A message that the server accepted just before its
 * process died is sent once more, under the same id.
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
} from '../store/people/notification-mails.ts';
import { createDigests, type Digests } from './digest.ts';
import { sendReceipts, type WriteReceipt } from './receipts.ts';
import { sendEach, UNREACHABLE_MS } from './send-each.ts';
import type { Sender } from './sender.ts';
import { writeLetter } from './texts.ts';

/** A running worker. */
export interface MailWorker {
  /** Stops, and waits for the message that is being sent. */
  readonly stop: () => Promise<void>;
}

const REPEAT: RepeatOptions = { failedMs: 10_000, complaint: 'notifications have to wait' };
const DIGESTS_MS = 60_000;

/** Starts sending notifications and receipts, until it is stopped. */
export function startMail(
  services: Services,
  log: Logger,
  sender: Sender,
  writeReceipt: WriteReceipt,
): MailWorker {
  return startRepeating(log, async (signal) => {
    const waits = [
      await sendDue(services, log, sender, signal),
      await sendReceipts(services, { log, sender, signal }, writeReceipt),
    ];
    return waits.includes(UNREACHABLE_MS) ? UNREACHABLE_MS : Math.min(...waits);
  });
}

/** Starts making digests, even without a mail server, because webhook endpoints get digests too. */
export function startDigests(services: Services, log: Logger): MailWorker {
  const makeDigests = createDigests(services, log);
  return startRepeating(log, async (signal) => {
    await runDigests(makeDigests, log, signal);
    return DIGESTS_MS;
  });
}

function startRepeating(log: Logger, cycle: (signal: AbortSignal) => Promise<number>): MailWorker {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = repeat(signal, log, REPEAT, () => cycle(signal));
  return {
    stop: async () => {
      stopping.abort();
      await loop.done;
    },
  };
}

/** Makes the digests of each mode; a mode that fails does not affect the others. */
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

/** Sends due messages. @returns milliseconds until more may be due. */
export async function sendDue(
  services: Pick<Services, 'database' | 'publicUrl'>,
  log: Logger,
  sender: Sender,
  signal?: AbortSignal,
): Promise<number> {
  const { database, publicUrl } = services;
  await addressNotifications(database);
  return sendEach({ log, sender, signal, complaint: 'a notification was not accepted' }, async () => {
    const mail = await claimMail(database);
    return (
      mail && {
        message: messageOf(mail, publicUrl),
        attempt: mail.attempt,
        about: { person: mail.personId },
        end: (end) => endMail(database, mail, end),
      }
    );
  });
}

function messageOf(mail: ClaimedMail, publicUrl: string) {
  const { accountId, accountName, mode, personId, email: to, language, items } = mail;
  const letter = writeLetter({ accountName, isSandbox: mode === 'sandbox', language, items, publicUrl });
  const [first] = items;
  const id = `${accountId}.${first?.notificationId}.${items.length}.${personId}`;
  return { to, ...letter, messageId: `${id}@${new URL(publicUrl).hostname}` };
}

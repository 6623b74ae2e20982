/** Sends messages one after another, each claimed before and ended after its attempt. */
import type { Logger } from 'pino';
import type { MailEnd } from '../store/people/notification-mails.ts';
import type { Message, Outcome, Sender } from './sender.ts';

/** A message that was claimed. */
export interface Outgoing {
  readonly message: Message;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Facts for the log, without addresses. */
  readonly about: object;
  /** Stores how the attempt ended. */
  readonly end: (end: MailEnd) => Promise<void>;
}

/** Parts that send messages of one kind. */
export interface Sending {
  readonly log: Logger;
  readonly sender: Sender;
  /** Sentence for the log about a message that was not accepted. */
  readonly complaint: string;
  readonly signal?: AbortSignal | undefined;
}

/** Pause when nothing is due. Unit: ms. */
export const POLL_MS = 5_000;
/** Pause after a server could not be reached. Unit: ms. */
export const UNREACHABLE_MS = 30_000;
/** Messages in one turn; the next one follows at once. */
const MESSAGES_MAX = 20;
/** Waits after each failed attempt; after the last of them the message has failed. Unit: min. */
const RETRY_MINUTES = [1, 5, 30, 120, 360, 720] as const;
const MINUTE_MS = 60_000;

/**
 * @param claim - claims the next message: undefined where none is due, null where one was ended without an attempt.
 * @returns after how many milliseconds there may be more.
 */
export async function sendEach(
  { log, sender, complaint, signal }: Sending,
  claim: () => Promise<Outgoing | null | undefined>,
): Promise<number> {
  for (let count = 0; count < MESSAGES_MAX; count += 1) {
    if (signal?.aborted) return POLL_MS;
    const mail = await claim();
    if (mail === undefined) return POLL_MS;
    if (mail === null) continue;
    const outcome = await sender.send(mail.message);
    const end = endOf(outcome, mail.attempt);
    await mail.end(end);
    if (end.state === 'sent') continue;
    const { attempt, about } = mail;
    log.warn({ ...about, attempt, error: end.error, state: end.state }, complaint);
    if (outcome.kind !== 'accepted' && outcome.isUnreachable) return UNREACHABLE_MS;
  }
  return 0;
}

/** @returns the end of an attempt: sent, failed permanently, or to be tried again after a wait. */
export function endOf(outcome: Outcome, attempt: number): MailEnd {
  if (outcome.kind === 'accepted') return { state: 'sent' };
  const minutes = RETRY_MINUTES[attempt - 1];
  const { error } = outcome;
  if (outcome.kind === 'refused' || minutes === undefined) return { state: 'failed', error };
  return { state: 'pending', error, delayMs: minutes * MINUTE_MS };
}

/** Sends messages one after another: claims each before its attempt, and stores the outcome after it. */
import type { Logger } from 'pino';
import type { AttemptEnd } from '../store/engine/notifications.ts';
import type { Message, Outcome, Sender } from './sender.ts';

/** A claimed message. */
export interface Outgoing {
  readonly message: Message;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Facts for the log; contain no addresses. */
  readonly about: object;
  /** Stores the outcome of the attempt. */
  readonly end: (end: AttemptEnd) => Promise<void>;
}

/** Log, sender and stop signal for messages of one kind. */
export interface Sending {
  readonly log: Logger;
  readonly sender: Sender;
  /** Log line for a message that the server did not accept. */
  readonly complaint: string;
  readonly signal?: AbortSignal | undefined;
}

/** Pause when nothing is due. Unit: ms. */
export const POLL_MS = 5_000;
/** Pause after a server was unreachable. Unit: ms. */
export const UNREACHABLE_MS = 30_000;
/** Maximum number of messages in one cycle; the next cycle follows immediately. */
const MESSAGES_MAX = 20;
/** Waits after each failed attempt; a message fails permanently when its last attempt fails. Unit: min. */
const RETRY_MINUTES = [1, 5, 30, 120, 360, 720] as const;
const MINUTE_MS = 60_000;

/**
 * @param claim - claims the next message: undefined if none is due, null if one was ended without an attempt.
 * @returns milliseconds until more may be due.
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

/** @returns the state after an attempt: sent, failed permanently, or due again after a wait. */
export function endOf(outcome: Outcome, attempt: number): AttemptEnd {
  if (outcome.kind === 'accepted') return { state: 'sent' };
  const minutes = RETRY_MINUTES[attempt - 1];
  const { error } = outcome;
  if (outcome.kind === 'refused' || minutes === undefined) return { state: 'failed', error };
  return { state: 'pending', error, delayMs: minutes * MINUTE_MS };
}

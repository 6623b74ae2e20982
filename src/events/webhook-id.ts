/** Identifiers of events for receivers of webhooks. */
import { assert } from '../base/errors/assert.ts';

const TOKEN = /^[0-9A-Za-z]{16,64}$/;

/**
 * Makes the id of an event for receivers. The id contains the position of the event, so that the order is signed too
 * (C-60).
 *
 * @param accountSeq - of the event among those of its account, from 1.
 * @param random - 16 to 64 letters and digits, stored with the event: the same for all attempts.
 */
export function webhookId(accountSeq: number | bigint, random: string): string {
  assert(
    accountSeq > 0 && /^\d+$/.test(String(accountSeq)),
    'a position of an event is a whole number from 1',
  );
  assert(TOKEN.test(random), 'the random part of an id is 16 to 64 letters and digits');
  return `evt_${accountSeq}_${random}`;
}

/** @returns the id of a notification. */
export function notificationWebhookId(notificationId: bigint): string {
  return `ntf_${notificationId}`;
}

/**
 * @param random - as of `webhookId`.
 * @returns the id of a made-up event: its position is 0, which no event has.
 */
export function sampleWebhookId(random: string): string {
  assert(TOKEN.test(random), 'the random part of an id is 16 to 64 letters and digits');
  return `evt_0_${random}`;
}

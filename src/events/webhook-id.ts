/** Ids of events for webhook receivers. */
import { assert } from '../base/errors/assert.ts';

const TOKEN = /^[0-9A-Za-z]{16,64}$/;

/**
 * Makes the webhook id of an event. The id contains the position of the event, so that the signature covers the order
 * (C-60).
 * @param accountSeq - position among the account's events, from 1.
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
 * @param random - as for `webhookId`.
 * @returns the id of a sample event: its position is 0, which no real event has.
 */
export function sampleWebhookId(random: string): string {
  assert(TOKEN.test(random), 'the random part of an id is 16 to 64 letters and digits');
  return `evt_0_${random}`;
}

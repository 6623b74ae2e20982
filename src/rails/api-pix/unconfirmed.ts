/**
 * Reports that cannot be booked as they came. They are stored, so that the provider is queried again and an operator
 * sees them (C-36).
 */
import { createHash } from 'node:crypto';
import { BRL } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import type { UnconfirmedEvent } from '../../resolvers/services/rail-event.ts';
import type { WirePix, WireReturn } from './wire.ts';

const ID_LENGTH = 32;

/** @returns the rail event of such a report; equal reports have the same id. */
export function unconfirmed(pix: WirePix, reason: string): UnconfirmedEvent {
  const { endToEndId, txid, amount, key: pixKey, settledAt, payerTaxId, payerName, sent } = pix;
  const facts = { endToEndId, payoutName: sent?.id ?? null, txid, amount, pixKey, settledAt, payerTaxId };
  // An unreadable return is identified by its reason only, since callback and answer differ in other members.
  const text = JSON.stringify(
    reason === pix.unread ? [endToEndId, reason] : [facts, sent?.status, pix.returns, pix.unread],
  );
  const reportId = createHash('sha256').update(text).digest('base64url').slice(0, ID_LENGTH);
  const ends = reason === pix.unread ? [] : endsOf(pix);
  return { kind: 'unconfirmed', reportId, ...facts, ...(payerName !== null && { payerName }), ends, reason };
}

/** @param ends - names of each ended return. @returns whether the provider's answer has all of these returns. */
export function shows(found: WirePix, ends: readonly (readonly string[])[]): boolean {
  const shown = new Set([...endsOf(found).flat(), ...found.returns.filter(isEnded).map(factOf)]);
  return ends.every((names) => names.some((name) => shown.has(name)));
}

/**
 * Names of an ended payout and of all ended returns. An unreadable return is named by the reason, a return of a payout
 * by its rtrId alone.
 */
function endsOf({ returns, unread, sent }: WirePix): readonly (readonly string[])[] {
  const own = sent && ENDED.includes(sent.status) ? [[sent.id]] : [];
  const back = returns.filter(isEnded).map((each) => {
    if (sent) return each.rtrId === null ? [] : [each.rtrId];
    const names = [each.rtrId, each.id].filter((name) => name !== null);
    return names.length > 0 ? names : [factOf(each)];
  });
  return [...own, ...back, ...(unread === null ? [] : [[unread]])].filter((names) => names.length > 0);
}

const ENDED: readonly string[] = ['REALIZADO', 'NAO_REALIZADO'];

function isEnded({ status }: WireReturn): boolean {
  return status !== 'EM_PROCESSAMENTO';
}

/** Name of a return without an id of the provider. */
function factOf({ at, amount }: WireReturn): string {
  return `${at ?? ''}:${toMinor(amount, BRL.decimals)}`;
}

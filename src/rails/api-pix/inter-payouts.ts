/**
 * Payouts at Banco Inter (`POST /banking/v2/pix`). A repeated request with the same `x-id-idempotente` gets the first
 * answer and pays nothing. Payouts can be queried only by the bank's `codigoSolicitacao`.
 */
import { createHash } from 'node:crypto';
import { type ApiPix, found, read } from './client.ts';
import type { PixPayouts } from './payouts.ts';
import type { InterSettings } from './settings.ts';
import { readInterAnswer, readInterPayout } from './wire-inter.ts';

/**
 * Time for which a repetition is safe. The bank does not document it; a day is what other providers guarantee. Unit:
 * ms.
 */
const REPEATABLE_MS = 24 * 3_600_000;
/** Statuses of refused payouts. */
const REFUSED: readonly number[] = [400, 422];

/** @returns the payout calls. The bank has no key look-up, and no request member for the payee's tax id. */
export function interPayouts(api: Pick<ApiPix, 'send'>, { url }: InterSettings): PixPayouts {
  const base = `${url}/banking/v2/pix`;
  return {
    lookup: undefined,
    // The statement of the bank does not have our ids.
    list: undefined,
    send: async ({ id, amount, pixKey }) => {
      const body = { valor: amount, destinatario: { tipo: 'CHAVE', chave: pixKey } };
      const headers = { 'x-id-idempotente': uuidOf(id) };
      return read(readInterAnswer, await api.send('POST', base, body, headers));
    },
    find: async (_id, reference) => {
      if (reference === null) return undefined;
      const target = `${base}/${encodeURIComponent(reference)}`;
      return found(async () => read(readInterPayout, await api.send('GET', target)));
    },
    isRefusal: ({ status }) => REFUSED.includes(status),
    repeatableMs: REPEATABLE_MS,
  };
}

/** @returns a UUID derived from a name (RFC 9562, version 8). */
export function uuidOf(name: string): string {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
